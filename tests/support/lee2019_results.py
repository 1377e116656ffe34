"""Made-up results of lee2019 in which every policy has the mean regret that Table 1 prints for it."""

import copy
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import yaml
from committed import Claims
from plans import plan_of

from causal_bandits.problems.lee2019 import build
from experiments.aggregate import milestone
from experiments.results import Results
from experiments.study import Study
from replication.papers.lee2019.policies import called
from replication.papers.lee2019.stages import published_curves

ROOT = Path(__file__).parents[2]
CLAIMS = Claims("lee2019")

#: Table 1, typed from the paper a second time: problem, base solver, POMIS+, POMIS, MIS and BF.
TABLE_1 = {
    ("frontdoor", "thompson"): (29.08, 44.40, 44.40, 44.40),
    ("frontdoor", "kl_ucb"): (59.30, 97.52, 97.52, 97.52),
    ("fourvar", "thompson"): (50.29, 93.53, 93.53, 183.15),
    ("fourvar", "kl_ucb"): (74.93, 192.39, 192.39, 328.68),
    ("sixvar", "thompson"): (121.54, 161.54, 212.24, 313.39),
    ("sixvar", "kl_ucb"): (247.05, 359.40, 469.30, 657.11),
}
ARMS = ("possibly_optimal", "minimal", "brute_force")


@cache
def study(**scale):
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    return Study({**config, "papers": ["lee2019"], "scale": {**config["scale"], **scale}}, ROOT)


def judged(results, claim):
    """Judge a claim under each of its readings."""
    return claim.judged(results and replace(results))  # tests change tables


def printed(settings):
    """What Table 1 prints for a policy with these settings."""
    algorithm = settings["algorithm"].removeprefix("z2_")
    row = TABLE_1[settings["problem"], algorithm]
    return row[0] if settings["algorithm"] != algorithm else row[1 + ARMS.index(settings["arms"])]


def made_up(replicates=1000, experiments=None, **scale):
    """A copy, for a test to change, of `_made_up`."""
    return copy.deepcopy(_made_up(replicates, experiments and tuple(experiments), **scale))


@cache
def _made_up(replicates, experiments, **scale):
    """Results of the paper's experiments; the means over seeds are exact, and policies of one mean are the same.

    Random problems differ in difficulty, by the same factor for all policies. A policy that shares samples has
    ``borrowed`` and ``clipped`` besides.
    """
    made = study(**scale)
    plans, finals, curves = {}, {}, {}
    for name in experiments or made.papers["lee2019"]["experiments"]:
        settings_of_experiment = made.papers["lee2019"]["experiments"][name]
        plans[name] = plan = plan_of(made, "lee2019", name)
        milestones = settings_of_experiment.get("milestones", ())
        together = settings_of_experiment.get("seeds_per_draw")
        seed = np.arange(settings_of_experiment["replicates"] if together else replicates)
        tables = []
        for label, settings in plan.settings.items():
            mean = printed(settings)
            if plan.horizon > 10_000:  # the gap grows, as the paper says
                mean *= 1.5 if settings["algorithm"].startswith("z2_") else 2
            if together:
                noise = np.random.default_rng(5).normal(0, 0.05, len(seed) // together).repeat(together)
            else:
                noise = np.random.default_rng(round(100 * mean)).normal(0, 0.15, len(seed))
            regret = mean * (1 + noise - noise.mean())
            if plan.horizon > 10_000 and settings["algorithm"].startswith("z2_"):
                regret *= 1 + 0.01 * np.sin(seed)
            luck = np.random.default_rng(round(100 * mean) + 1).normal(0, 30, len(seed))
            table = pd.DataFrame({"policy": label, "seed": seed, "t": plan.horizon, "cumulative_regret": regret})
            table["drawn_regret"] = regret + luck - luck.mean()
            table = pd.concat(
                [table, _at_milestones(settings, plan.horizon, milestones, regret, luck - luck.mean())], axis=1
            )
            if together:
                table["draw"] = seed // together
            shares = settings["algorithm"].startswith("z2_")
            tables.append(table.assign(borrowed=50.0 if shares else np.nan, clipped=1.0 if shares else np.nan))
        finals[name] = pd.concat(tables, ignore_index=True)
        curves[name] = pd.DataFrame(
            {"policy": label, "metric": "cumulative_regret", "t": t, "mean": printed(settings) * t / plan.horizon}
            for label, settings in plan.settings.items()
            for t in (plan.horizon // 10, plan.horizon // 3, plan.horizon // 2, plan.horizon)
        ).assign(ci_low=0.0, ci_high=1000.0, std=1.0, n=100)
    published = CLAIMS.published
    files = dict.fromkeys(("published_curves", "data_curves"), _published_curves())
    return Results(curves, finals, published, files, plans)


def _at_milestones(settings, last, milestones, regret, luck):
    """Sums at milestones: the published curve, or a straight line where there is none, times what a seed has more.

    A run's luck is a straight line in t, so that drawn regrets have a spread at every milestone.
    """
    columns = {}
    if last > 10_000:  # the paper's end after its rounds
        return pd.DataFrame({milestone("cumulative_regret", 10_000): printed(settings) * regret / regret.mean()})
    best = _optimal_mean(settings["problem"])
    stated = _curve(settings)
    for t in milestones:
        mean = np.interp(t, stated["t"], stated["regret"]) if len(stated) else printed(settings) * t / last
        so_far = mean * regret / regret.mean()
        columns[milestone("cumulative_regret", t)] = so_far
        columns[milestone("cumulative_reward", t)] = best * t - so_far - luck * t / last
    return pd.DataFrame(columns | {"cumulative_reward": best * last - regret - luck})


def _curve(settings):
    """The published curve of a policy."""
    table, (solver, strategy) = _table(), called(settings)
    own = (table["task"] == settings["problem"]) & (table["solver"] == solver) & (table["strategy"] == strategy)
    return table[own]


@cache
def _optimal_mean(problem):
    return build(problem).optimal_mean


@cache
def _table():
    return pd.read_parquet(_published_curves())


@cache
def _published_curves():
    """The table of published curves that the study's stage ``data`` makes."""
    path = Path(tempfile.mkdtemp()) / "curves.parquet"
    curves = published_curves([], None, str(ROOT / "data/published/curves/lee2019_fig5.csv"))
    pq.write_table(curves, path)
    return str(path)


def scale(results, factor, experiments, **settings):
    """Multiply the regret of the policies that have ``settings``."""
    for name in experiments:
        for label in results.policies(name, **settings):
            table = results.finals[name]
            regrets = [column for column in table if column.startswith(("cumulative_regret", "drawn_regret"))]
            table.loc[table["policy"] == label, regrets] *= factor
