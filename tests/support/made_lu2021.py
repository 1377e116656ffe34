"""Made-up results of lu2021, of every policy that its file declares; only the numbers are made up."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from committed import Claims
from plans import plan_of

from causal_bandits.policies.single_node.cn_ucb import CNUCB
from causal_bandits.policies.single_node.raps import RAPS
from causal_bandits.seeding import stable_hash
from experiments.files import write
from experiments.results import Results
from experiments.study import Study
from replication.papers.lu2021.stages import trace

ROOT = Path(__file__).parents[2]
CLAIMS = Claims("lu2021")


@cache
def plans():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config["papers"] = ["lu2021"]
    study = Study(config, ROOT)
    return {name: plan_of(study, "lu2021", name) for name in study.papers["lu2021"]["experiments"]}


class Lazily(dict):
    """Tables by experiment, each made when it is read for the first time: a test reads few."""

    def __init__(self, make):
        self._make = make

    def __missing__(self, experiment):
        self[experiment] = self._make(experiment)
        return self[experiment]


def made(values=None, seeds=100, files=None):
    """Results where ``values(experiment, settings, metric)`` is a policy's mean, or its values, shape (seeds,).

    A mean gets normal noise of standard deviation 1; None, and what is not said, is 1 for what counts as 0 or 1 and
    1,000 for all else.
    """

    def tables(experiment):
        plan, parts, points = plans()[experiment], [], []
        rng = np.random.default_rng(stable_hash(experiment))
        for policy, settings in plan.settings.items():
            own = {"cn_ucb": CNUCB.outcomes, "raps": RAPS.outcomes}.get(settings["algorithm"], ())
            frame = pd.DataFrame({"policy": policy, "seed": range(seeds), "draw": range(seeds), "t": plan.horizon})
            for metric in ("cumulative_regret", *own):
                value = values(experiment, settings, metric) if values else None
                if value is None:
                    share = metric in ("correct", "sound", "within_bound")
                    value = np.ones(seeds) if share else 1000.0
                frame[metric] = value if isinstance(value, np.ndarray) else value + rng.normal(0, 1, seeds)
            parts.append(frame)
            for t in (plan.horizon // 2, plan.horizon):
                mean = frame["cumulative_regret"].mean() * t / plan.horizon
                points.append({"policy": policy, "metric": "cumulative_regret", "t": t, "mean": mean})
        frame = pd.DataFrame(points)
        return pd.concat(parts, ignore_index=True), frame.assign(ci_low=frame["mean"] - 1, ci_high=frame["mean"] + 1)

    both = Lazily(tables)
    finals, curves = (Lazily(lambda experiment, i=i: both[experiment][i]) for i in (0, 1))
    return Results(curves, finals, CLAIMS.published, files or {}, plans())


def judged(claim_id, results, **changed):
    """The verdict of a committed claim over its readings, with some of its cells changed."""
    return CLAIMS[f"lu2021.{claim_id}"].printing(**changed).judged(results)


def trace_file(folder, seeds=80):
    """The stage's table, made by the study's own builder."""
    path = str(folder / "trace.parquet")
    write(trace(range(seeds), lambda seed: np.random.default_rng(seed)), path)
    return path
