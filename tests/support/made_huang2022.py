"""Made-up results of huang2022, of every policy that its file declares; only the runs are made up."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import yaml
from committed import Claims
from plans import plan_of

from causal_bandits.play.unfairness import MISSED, fair_regret, unfair
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.results import Results
from experiments.study import Study
from replication.papers.huang2022.policies import DEFINITIONS
from replication.papers.huang2022.stages import adult
from replication.papers.huang2022.tables import OPEN

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ("email", "adult_bounds", "adult")
EVERY = Claims("huang2022")
#: The reading of what F-UCB does that no experiment plays.
GIVEN = "the given safe policy"
#: The claims under the readings that experiments play.
CLAIMS = {
    name: replace(
        each,
        claim=replace(each.claim, tests=tuple(t for t in each.claim.tests if GIVEN not in [o.name for o in t.options])),
    )
    for name, each in EVERY.items()
}
GRAPHS = ("email", "adult_bounds", "adult")
ALGORITHMS = ("ucb", "c_ucb", "d_ucb", "f_ucb", "fair_lin_ucb")
FALLBACKS = ("safest", "best")
PAIRS = ((1.0, 1.0), (1.0, 0.5), ("theorem_3", 1.0), ("theorem_3", 0.5))
SCALES = [(fallback, *scales) for scales in PAIRS for fallback in FALLBACKS]
#: Counts of unfair decisions that Table 1 prints for the email campaign.
PRINTED = {
    "ucb": [3030, 1383, 482, 141, 18],
    "c_ucb": [3176, 1487, 594, 185, 27],
    "d_ucb": [3473, 1818, 739, 234, 47],
}


@cache
def study(extras=True):
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config["papers"] = ["huang2022"]
    config["scale"]["when"] = "whole" if extras else "small"
    return Study(config, ROOT)


@cache
def plans(extras=True, experiments=EXPERIMENTS):
    return {experiment: plan_of(study(extras), "huang2022", experiment) for experiment in experiments}


@cache
def published():
    return EVERY.published


def made(regret, counts=None, seeds=100, files=None, extras=True, experiments=EXPERIMENTS):
    """Results with ``regret(experiment, settings)`` for mean regret and 0 or ``counts(...)`` for unfair rounds.

    ``counts`` takes experiment, settings, definition and tau. Curves stand at t = 2000 with the final regrets, F-UCB's
    60 below. Rounds missed are a seventh of the regret, regret against fair policies is ``regret - 1000 tau``.
    """
    rng = np.random.default_rng(0)
    found = plans(extras, experiments)
    finals, curves = {}, {}
    for experiment, plan in found.items():
        labels, means = list(plan.settings), np.array([regret(experiment, s) for s in plan.settings.values()], float)
        columns = {
            unfair(definition, tau): [
                float(counts(experiment, settings, definition, tau)) if counts else 0.0
                for settings in plan.settings.values()
            ]
            for definition in DEFINITIONS
            for tau in THRESHOLDS
        }
        columns |= {fair_regret(tau): means - 1000 * tau for tau in (*THRESHOLDS, 0.9)}
        columns |= {"empty_set": means / 2, unfair("exact", 0.9): np.full(len(means), 3.0)}
        columns |= dict.fromkeys(MISSED, means / 7)
        noise = rng.normal(0, 1, (len(means), seeds))
        runs = {
            "policy": np.repeat(np.array(labels, dtype=object), seeds),
            "seed": np.tile(np.arange(seeds), len(means)),
        }
        runs["cumulative_regret"] = (means[:, None] + noise).ravel()
        finals[experiment] = pd.DataFrame(runs | {name: np.repeat(values, seeds) for name, values in columns.items()})
        then = means - 60 * np.array([settings["algorithm"] == "f_ucb" for settings in plan.settings.values()])
        points = {"policy": labels, "t": 2000, "mean": then, "std": 1.0, "n": seeds}
        rows = pd.DataFrame(points | {"ci_low": then - 0.2, "ci_high": then + 0.2})
        metrics = ("cumulative_regret", "empty_set")
        curves[experiment] = pd.concat([rows.assign(metric=metric) for metric in metrics], ignore_index=True)
    return Results(curves, finals, published().copy(), files or {}, dict(found))


def judged(claim_id, results, **changed):
    """The verdict of a claim of the paper's table, with some of its cells changed, over the readings of its file."""
    return CLAIMS[claim_id].printing(**changed).judged(results)


def number(experiment, settings):
    """A regret of its own for every policy: 10,000s the experiment, 1,000s the algorithm, 100s tau, 10s the reading."""
    value = 10_000 * (1 + GRAPHS.index(experiment)) + 1000 * ALGORITHMS.index(settings["algorithm"])
    if settings["algorithm"] == "f_ucb":
        reading = SCALES.index(tuple(settings[name] for name in OPEN))
        value += round(1000 * settings["tau"]) + 10 * reading
    return value + 500 * settings.get("context_free", False) + 40 * (settings.get("alpha") == 10)


def count(experiment, settings, definition, tau):
    """The regret's number, and 1,000,000s the definition, 100,000s tau."""
    which = list(DEFINITIONS).index(definition)
    return 1_000_000 * which + 100_000 * round(10 * tau) + number(experiment, settings)


def near_published(experiment, settings, definition, tau):
    """Drawn rewards: 4 % above the printed counts; the worst arm: twice as many; all others none."""
    if settings["algorithm"] not in PRINTED or experiment != "email":
        return 0
    value = PRINTED[settings["algorithm"]][THRESHOLDS.index(tau)]
    return {"drawn": 1.04 * value, "worst": 2 * value}.get(definition, 0)


def learnt_graphs(folder):
    """Two seeds' graphs: the stated parents and sex -> income; one parent less, and sex - race."""
    stated = [("directed", v, "reward") for v in ("age", "income", "ratings", "views")]
    edges = [(0, *e) for e in [*stated, ("directed", "sex", "income")]]
    edges += [(1, *e) for e in [*stated[:3], ("undirected", "race", "sex")]]
    frame = pd.DataFrame(edges, columns=["seed", "kind", "source", "target"]).assign(learner="pc")
    frame.to_parquet(folder / "graphs.parquet")
    return dict.fromkeys(("discovery_pc", "discovery_ges"), str(folder / "graphs.parquet"))


def adult_counts(folder):
    """The counts of Adult, as the study's stage ``data`` writes them."""
    path = folder / "adult.parquet"
    pq.write_table(adult([], None, "data/raw/adult.data.gz"), path)
    return str(path)


NOTHING = Results({}, {}, pd.DataFrame(), {}, {})


@cache
def results():
    """Eight seeds of the numbers of `number`."""
    return made(number, count, seeds=8)


def f_ucb(tau, experiment="email", reading=0):
    """What `number` gives F-UCB."""
    return 10_000 * (1 + GRAPHS.index(experiment)) + 3000 + round(1000 * tau) + 10 * reading
