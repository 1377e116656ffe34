"""Made-up results of huang2022, of every policy that its file declares; only the runs are made up."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from plans import plan_of

from causal_bandits.play.unfairness import MISSED, fair_regret, unfair
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.results import Results
from experiments.study import Study
from replication.judging import claims, generic, verdicts
from replication.papers.huang2022.published import DEFINITIONS

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "data/published/huang2022.csv"
EXPERIMENTS = ("email", "adult_bounds", "adult")
CLAIMS = {claim.claim_id: claim for claim in claims.read(TABLE, TABLE.name)}
JUDGES = generic.judges_of("huang2022")


@cache
def study(extras=True):
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config["papers"] = ["huang2022"]
    config["scale"]["extras"] = extras
    return Study(config, ROOT)


@cache
def plans(extras=True, experiments=EXPERIMENTS):
    return {experiment: plan_of(study(extras), "huang2022", experiment) for experiment in experiments}


@cache
def published():
    return pd.read_csv(TABLE, dtype=str, keep_default_na=False, index_col="claim_id")


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
    claim = replace(CLAIMS[claim_id], **changed)
    readings = study().papers["huang2022"]["readings"].get(claim.readings, ())
    return verdicts.judge_claim(claim, JUDGES[claim.judge], readings, results)
