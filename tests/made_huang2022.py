"""Made-up results of huang2022, of every policy that its file declares; only the runs are made up."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from causal_bandits.evaluation import binding, claims, verdicts
from causal_bandits.evaluation.results import Plan, Results
from causal_bandits.evaluation.unfairness import MISSED, fair_regret, unfair
from causal_bandits.papers.huang2022.constants import THRESHOLDS
from causal_bandits.papers.huang2022.labels import DEFINITIONS
from causal_bandits.study.study import Study

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "data/published/huang2022.csv"
EXPERIMENTS = ("email", "adult_bounds", "adult")
CLAIMS = {claim.claim_id: claim for claim in claims.read(TABLE, TABLE.name)}
JUDGES = binding.judges_of("huang2022")


@cache
def study(extras=True):
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config["papers"] = ["huang2022"]
    config["scale"]["extras"] = extras
    return Study(config, ROOT)


def plans(extras=True, experiments=EXPERIMENTS):
    jobs = {e: study(extras).aggregate_job("huang2022", e) for e in experiments}
    keys = ("horizon", "settings", "left_out", "defaults")
    return {e: Plan(**{key: job[key] for key in keys}) for e, job in jobs.items()}


def made(regret, counts=None, seeds=100, files=None, extras=True, experiments=EXPERIMENTS):
    """Results with ``regret(experiment, settings)`` for mean regret and 0 or ``counts(...)`` for unfair rounds.

    ``counts`` takes experiment, settings, definition and tau. Curves stand at t = 2000 with the final regrets, F-UCB's
    60 below. Rounds missed are a seventh of the regret, regret against fair policies is ``regret - 1000 tau``.
    """
    rng = np.random.default_rng(0)
    found = plans(extras, experiments)
    finals, curves = {}, {}
    for experiment, plan in found.items():
        parts, points = [], []
        for policy, settings in plan.settings.items():
            mean = regret(experiment, settings)
            columns = {
                unfair(definition, tau): float(counts(experiment, settings, definition, tau)) if counts else 0.0
                for definition in DEFINITIONS
                for tau in THRESHOLDS
            }
            seed = np.arange(seeds)
            frame = pd.DataFrame({"policy": policy, "seed": seed, "cumulative_regret": mean + rng.normal(0, 1, seeds)})
            columns |= {fair_regret(tau): mean - 1000 * tau for tau in (*THRESHOLDS, 0.9)}
            columns |= {unfair("exact", 0.9): 3.0, **dict.fromkeys(MISSED, mean / 7)}
            parts.append(frame.assign(empty_set=mean / 2, **columns))
            then = mean - 60 * (settings["algorithm"] == "f_ucb")
            points.append({"policy": policy, "t": 2000, "mean": then, "std": 1.0, "n": seeds})
        finals[experiment] = pd.concat(parts, ignore_index=True)
        rows = pd.DataFrame(points).assign(ci_low=lambda f: f["mean"] - 0.2, ci_high=lambda f: f["mean"] + 0.2)
        metrics = ("cumulative_regret", "empty_set")
        curves[experiment] = pd.concat([rows.assign(metric=metric) for metric in metrics], ignore_index=True)
    published = pd.read_csv(TABLE, dtype=str, keep_default_na=False, index_col="claim_id")
    return Results(curves, finals, published, files or {}, found)


def judged(claim_id, results):
    """The verdict of a claim as it stands in the paper's table, over the readings of the paper's file."""
    claim = CLAIMS[claim_id]
    readings = study().papers["huang2022"]["readings"].get(claim.readings, ())
    return verdicts.judge_claim(claim, JUDGES[claim.judge], readings, results)
