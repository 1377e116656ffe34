"""Made-up results of huang2024, of every policy that its file declares; only the numbers are made up."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from plans import plan_of

from experiments.files import write
from experiments.results import Results
from experiments.study import Study
from replication.judging import claims, generic, verdicts
from replication.papers.huang2024.bounds import exact_bounds

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "data/published/huang2024.csv"
CLAIMS = {claim.claim_id: claim for claim in claims.read(TABLE, TABLE.name)}
JUDGES = generic.judges_of("huang2024")
PUBLISHED = pd.read_csv(TABLE, dtype=str, keep_default_na=False, index_col="claim_id")


@cache
def study(extras=True):
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config["papers"] = ["huang2024"]
    config["scale"]["extras"] = extras
    return Study(config, ROOT)


@cache
def plans(extras=True):
    made = study(extras)
    return {name: plan_of(made, "huang2024", name) for name in made.papers["huang2024"]["experiments"]}


def made(regret=None, ruled_out=None, seeds=100, files=None, extras=True, published=None, horizon=None):
    """Results where ``regret(experiment, settings)`` and ``ruled_out(...)`` give a policy's values or their mean.

    A mean gets normal noise of standard deviation 1, an array (seeds,) none.
    """
    rng = np.random.default_rng(0)
    finals, curves = {}, {}
    chosen = plans(extras)
    if horizon is not None:
        chosen = {name: replace(plan, horizon=horizon) for name, plan in chosen.items()}
    for experiment, plan in chosen.items():
        labels, columns = list(plan.settings), {"cumulative_regret": [], "ruled_out": []}
        for settings in plan.settings.values():
            for metric, of in zip(columns, (regret, ruled_out), strict=True):
                value = of(experiment, settings) if of else 100.0
                columns[metric].append(value if isinstance(value, np.ndarray) else value + rng.normal(0, 1, seeds))
        runs = {"policy": np.repeat(np.array(labels, dtype=object), seeds), "seed": np.tile(range(seeds), len(labels))}
        runs["draw"] = runs["seed"]
        runs |= {metric: np.concatenate(values) for metric, values in columns.items()}
        finals[experiment] = pd.DataFrame(runs | {"t": plan.horizon})
        mean = np.mean(columns["cumulative_regret"], axis=1)
        points = {"policy": labels, "metric": "cumulative_regret", "t": plan.horizon, "mean": mean}
        curves[experiment] = pd.DataFrame(points | {"ci_low": mean - 1, "ci_high": mean + 1})
    return Results(curves, finals, PUBLISHED if published is None else published, files or {}, chosen)


def judged(claim_id, results, **changed):
    """The verdict of a committed claim, with some of its cells changed."""
    claim = replace(CLAIMS[claim_id], **changed)
    readings = study().papers["huang2024"]["readings"].get(claim.readings, ())
    return verdicts.judge_claim(claim, JUDGES[claim.judge], readings, results)


def exact_files(folder):
    """The stage's tables of exact bounds, made by the study's own builder."""
    paths = {}
    for contextual, name in ((True, "bounds_contextual_exact"), (False, "bounds_non_contextual_exact")):
        paths[name] = str(folder / f"{name}.parquet")
        write(exact_bounds([0], None, contextual), paths[name])
    return paths


def samples(path, columns, seeds, sd=0.01, rng=0):
    """A table of the stage ``bounds``: every column's cells in the order of Table 1, with normal noise of ``sd``."""
    rows, noise = np.arange(16), np.random.default_rng(rng).normal(0, 1, (seeds, len(columns), 16))
    # Table 1's order is arm, then context.
    found = {"context": rows % 4, "arm": rows // 4, "count": 100.0 + rows}
    found = {name: np.tile(values, seeds) for name, values in found.items()} | {"seed": np.repeat(range(seeds), 16)}
    for i, (name, centre) in enumerate(columns.items()):
        found[name] = (np.asarray(centre) + noise[:, i] * (0.0 if name.startswith("strict") else sd)).ravel()
    pd.DataFrame(found).sort_values(["seed", "context", "arm"]).to_parquet(path, index=False)
    return str(path)


def with_column(column, values):
    """The published numbers with another column of Table 1."""
    table = PUBLISHED.copy()
    table.loc[(table["item"] == "Table 1") & (table["column"] == column), "value"] = [f"{v:.6f}" for v in values]
    return table
