"""Every table that a paper's `TABLES` names, as ``tables.txt`` has it on made-up results whose numbers are known.

After a change that is meant: ``TABLES=write pytest tests/replication/papers/test_table_texts.py``, and read the diff.
"""

import functools
import os
from dataclasses import replace
from pathlib import Path

import made_huang2022
import made_huang2024
import made_lu2021
import made_xiong2023
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from lee2019_results import made_up, scale
from made_huang2022 import ALGORITHMS, adult_counts, learnt_graphs, near_published

from replication.papers.huang2022 import stages
from replication.papers.huang2022 import tables as huang2022
from replication.papers.huang2024 import stages as stages_2024
from replication.papers.huang2024 import tables as huang2024
from replication.papers.lee2019 import policies
from replication.papers.lee2019 import tables as lee2019
from replication.papers.lu2021 import tables as lu2021
from replication.papers.xiong2023 import tables as xiong2023
from replication.tools.verify import same_text

GOLDEN = Path(__file__).with_name("tables.txt")
PAPERS = {"huang2022": huang2022, "huang2024": huang2024, "lee2019": lee2019, "lu2021": lu2021, "xiong2023": xiong2023}
#: All policies of many experiments, as tests/experiments/drawing has them; too long, and tested by its numbers.
ELSEWHERE = {"comparison", "comparison_on_request", "predicted_curves", "scaling_large"}


def of_lee2019(name, folder):
    tasks = list(policies.TASKS)
    if name == "robustness":
        results = made_up(20, [f"{family}_{task}" for task in tasks for family in policies.FAMILIES])
        scale(results, 2, ["noisy_gates_fourvar"], algorithm="z2_thompson")
        return results
    if name == "variants":
        results = made_up(20, [f"variants_{task}" for task in tasks])
        scale(results, 4, ["variants_fourvar"], algorithm="z2_kl_ucb", support="conditions")
        return results
    moved = ("", "small_gap_", "large_gap_") if name == "gaps" else ("",)
    results = made_up(20, [f"{prefix}{task}" for task in tasks for prefix in moved])
    scale(results, 1.1, ["sixvar"], algorithm="kl_ucb", arms="minimal")
    scale(results, 0.5, ["sixvar"], algorithm="z2_kl_ucb")
    runs = results.finals["fourvar"]
    of = runs["policy"] == results.policies("fourvar", algorithm="z2_thompson")[0]
    runs.loc[of, ["borrowed", "clipped"]] = np.tile([[0, 0], [0.5, 3], [3999.5, 0], [0, 1]], (5, 1))
    return results


def of_huang2022(name, folder):
    own = {
        "definitions": (near_published, ("email",)),
        "unconstrained": (None, ("unconstrained",)),
        "eq_12": (None, ("rare",)),
        "users": (None, ("email", "email_users")),
        "price": (None, ("straddling",)),
        "fair_lin_ucb": (None, ("fair_lin_ucb",)),
        "bonus": (None, ("email_bonus", "adult_bonus")),
    }
    files = {"data_adult": adult_counts(folder), **learnt_graphs(folder)}
    if name == "data":
        rows = pd.DataFrame({"a": [0, 1, 2], "b": [1, 1, 0], "count": [5, 7, 2], "rule": "median_ge"})
        rows.to_parquet(folder / "both.parquet")
        files |= dict.fromkeys(("data_adult", "data_youtube"), str(folder / "both.parquet"))
    if name == "theorem2":
        files["bounds_theorem_2"] = str(folder / "models.parquet")
        pq.write_table(stages.theorem_2(range(150), np.random.default_rng), files["bounds_theorem_2"])
    if name not in own:
        results = made_huang2022.made(made_huang2022.number, made_huang2022.count, seeds=8, files=files)
        kept = {"learning": ("discovery_pc", "discovery_ges"), "discovery": ("discovery_pc", "discovery_ges")}
        return replace(results, files={key: files[key] for key in kept.get(name, files)})

    def regret(experiment, settings):
        """At the bound of `unconstrained`, on both sides of the level of `rare`, and its own for every setting."""
        if experiment == "unconstrained":
            return 428_323
        if experiment == "rare":
            return 70 if settings["fallback"] == "best" else 35
        if name == "bonus":  # the nearest scales lie inside those that are played
            return settings["alpha_r"] * (200 if experiment == "email_bonus" else 400)
        numbers = [10 * value for value in settings.values() if isinstance(value, int | float)]
        return sum(numbers) + 100 * ALGORITHMS.index(settings["algorithm"])

    counts, experiments = own[name]
    return made_huang2022.made(regret, counts, seeds=8, experiments=experiments)


@functools.cache
def all_of_huang2024(folder):
    exact = made_huang2024.exact_files(folder)
    columns = {
        name: at + np.arange(16) / 100 for at, name in ((0.1, "cp"), (0.3, "biased"), (0.5, "lower"), (0.7, "upper"))
    }
    columns |= {"strict_lower": np.zeros(16), "strict_upper": np.ones(16)}
    columns |= {"confident_lower": columns["lower"] - 0.1, "confident_upper": columns["upper"]}
    files = {**exact, **made_huang2024.level_files(folder)}
    files["bounds_contextual"] = made_huang2024.samples(folder / "bounds.parquet", columns, 9, sd=0.05)
    files["bounds_non_contextual"] = exact["bounds_non_contextual_exact"]
    files["bounds_theorem_4"] = str(folder / "theorem_4.parquet")
    pq.write_table(stages_2024.random_models(range(60), np.random.default_rng), files["bounds_theorem_4"])
    results = made_huang2024.made(made_huang2024.regret, made_huang2024.pulls, seeds=20, files=files)
    for experiment in ("oam", "oam_long"):
        runs = results.finals[experiment]
        runs["exploitation"] = np.where((runs["seed"] < 5) & (experiment == "oam_long"), 40.0, 0.0)
        runs["wasted"], runs["forced"] = 10.0, 100.0
    return results


def of_huang2024(name, folder):
    results = all_of_huang2024(folder)
    only = {"oam_rounds": ("oam", "oam_long"), "ruled_out_pulls": ("exact", "oam")}.get(name, results.plans)
    return replace(results, plans={experiment: results.plans[experiment] for experiment in only})


def of_lu2021(name, folder):
    def values(experiment, settings, metric):
        if metric in ("correct", "sound"):
            found = np.where(np.arange(seeds) < 0.97 * seeds, 1.0, 0.0)
            return np.where(np.arange(seeds) % 10 == 0, np.nan, found) if experiment == "candidates" else found
        return {"sample_complexity": 250.0, "bound": np.full(seeds, 1000.0)}.get(metric)

    seeds, experiments = 100, ("far", "candidates", "shapes", "theorem2", "theorem3", "lemma1", "told")
    if name == "as_printed":  # searches the graph of every seed
        seeds, experiments = 3, ("lemma1", "shapes", "theorem2", "theorem3")
    results = made_lu2021.made(values, seeds)
    return replace(results, plans={experiment: results.plans[experiment] for experiment in experiments})


def of_xiong2023(name, folder):
    return made_xiong2023.results()


MADE = {"huang2022": of_huang2022, "huang2024": of_huang2024, "lee2019": of_lee2019, "lu2021": of_lu2021}
MADE |= {"xiong2023": of_xiong2023}
TABLES = [(paper, name) for paper, module in PAPERS.items() for name in module.TABLES if name not in ELSEWHERE]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("made")


@functools.cache
def golden():
    sections = GOLDEN.read_text(encoding="utf-8").split("== ")[1:] if GOLDEN.exists() else []
    return dict(section.rstrip("\n").split("\n", 1) for section in sections)


@pytest.mark.parametrize(("paper", "name"), TABLES)
def test_a_table_has_the_text_that_it_had(paper, name, folder):
    table = PAPERS[paper].TABLES[name](MADE[paper](name, folder))
    text = table.to_csv(index=False, lineterminator="\n").rstrip("\n")
    if os.environ.get("TABLES") == "write":
        everything = {**golden(), f"{paper}/{name}": text}
        golden.cache_clear()
        keys = [f"{p}/{n}" for p, n in TABLES if f"{p}/{n}" in everything]
        GOLDEN.write_text("".join(f"== {key}\n{everything[key]}\n\n" for key in keys), encoding="utf-8")
    expected = golden()[f"{paper}/{name}"].split("\n")
    found = text.split("\n")
    other = [f"{was}\n-> {now}" for was, now in zip(expected, found, strict=False) if not same_text(now, was)]
    assert not other, "\n".join(other)
    assert len(found) == len(expected)


def test_every_golden_table_is_one_of_a_papers():
    assert set(golden()) == {f"{paper}/{name}" for paper, name in TABLES}
