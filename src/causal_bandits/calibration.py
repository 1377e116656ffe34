"""Search for the parameters that a paper omits: the random instance whose baselines come nearest to the published ones.

Candidates are numbered draws from the families of `causal_bandits.models.families`. Successive halving: all candidates
are screened by their exact arm means, the best are simulated with few seeds, the best of those with more. Only the
policies named as targets are used; whatever else is later run on the instance is a prediction, not a fit (ledger L01).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import pandas as pd
import pyarrow as pa

from causal_bandits import files, seeding
from causal_bandits.evaluation.play import play


class Target(TypedDict):
    """A baseline: ``algorithm`` (import path), ``arms``, the ``claim`` to come near, and the screening's ``factor``."""

    algorithm: str
    arms: str
    claim: str
    factor: float


class Stage(TypedDict):
    """A step of successive halving: the best ``survivors`` are simulated with ``replicates`` seeds."""

    survivors: int
    replicates: int


class CalibrationJob(TypedDict):
    """What `calibrate` needs for one problem.

    Attributes
    ----------
    problems, problem : str
        Import path of a paper's dictionary of builders, and the key; the builder accepts ``family`` and ``draw``.
    families : sequence of str
    candidates : int
        Draws per family.
    stages : sequence of Stage
        The first takes the best of the screening, each other the best of the one before.
    horizon : int
    targets : mapping from str to Target
        By label.
    root_seed : int
    code : str
        Digest of the code.
    versions : mapping
        Versions of packages.
    """

    problems: str
    problem: str
    families: Sequence[str]
    candidates: int
    stages: Sequence[Stage]
    horizon: int
    targets: Mapping[str, Target]
    root_seed: int
    code: str
    versions: Mapping[str, str]


def calibrate(job: CalibrationJob, published: str | Path, chosen: str | Path, ranking: str | Path) -> None:
    """Search, and write the chosen instance and the ranking of all simulated candidates.

    Parameters
    ----------
    job : CalibrationJob
    published : path
        The paper's published numbers.
    chosen : path
        Output, JSON: the model, where it comes from, and each baseline's mean beside the published one.
    ranking : path
        Output, Parquet: one row per simulated candidate and stage, with its distance.
    """
    problem, families, candidates, stages = job["problem"], job["families"], job["candidates"], job["stages"]
    horizon, root_seed, targets = job["horizon"], job["root_seed"], job["targets"]
    build = files.resolve(job["problems"])[problem]
    values = pd.read_csv(published, index_col="claim_id")["value"]
    wanted = np.array([float(values[target["claim"]]) for target in targets.values()])
    pool = [(family, draw) for family in families for draw in range(candidates)]
    screened = np.array([screening_regrets(build(family=f, draw=d), targets, horizon) for f, d in pool])

    def simulate(member: int, stage: Stage, name: str) -> np.ndarray:
        family, draw = pool[member]
        stream = f"{problem}/{name}"
        return simulated_regrets(
            build(family=family, draw=draw), targets, horizon, stage["replicates"], root_seed, stream
        )

    order = np.argsort([distance(r, wanted) for r in screened], kind="stable")
    rows = []
    for number, stage in enumerate(stages):
        survivors = order[: stage["survivors"]]
        means = [simulate(member, stage, str(number)) for member in survivors]
        distances = [distance(m, wanted) for m in means]
        for rank, i in enumerate(np.argsort(distances, kind="stable")):
            family, draw = pool[survivors[i]]
            row = {"stage": number, "rank": rank, "family": family, "draw": draw, "replicates": stage["replicates"]}
            rows.append(row | {"distance": distances[i]} | dict(zip(targets, map(float, means[i]), strict=True)))
        order, best = survivors[np.argsort(distances, kind="stable")], means[int(np.argmin(distances))]
    family, draw = pool[order[0]]
    scm = build(family=family, draw=draw).scm
    document = {
        "problem": problem,
        "family": family,
        "draw": draw,
        "searched": {"families": list(families), "candidates_per_family": candidates},
        "baselines": {
            label: {"claim": target["claim"], "published": float(w), "simulated": round(float(m), 2)}
            for (label, target), w, m in zip(targets.items(), wanted, best, strict=True)
        },
        "distance": round(distance(best, wanted), 4),
        "replicates": stages[-1]["replicates"],
        "scm": scm.to_dict(),
    }
    files.write(pa.Table.from_pylist(rows), ranking)
    with files.whole(chosen) as temporary:
        temporary.write_text(json.dumps(document, indent=1) + "\n")


def distance(regrets: np.ndarray, wanted: np.ndarray) -> float:
    """Largest factor, in logarithms, by which a regret misses the published one: 0.1 is about 10 %."""
    return float(np.abs(np.log(np.maximum(regrets, 1e-9) / wanted)).max())


def screening_regrets(problem: Any, targets: Mapping[str, Target], horizon: int) -> np.ndarray:
    """A cheap stand-in for the expected regret under each target, from exact arm means alone.

    Lai & Robbins' asymptotic regret, sum of gap times ln(horizon) / KL(mean, best mean), each arm played at most
    horizon / arms times; times the target's ``factor``.
    """
    by_arms = {}
    best = problem.optimal_mean
    for arms in {target["arms"] for target in targets.values()}:
        means = problem.with_arms(arms).means
        gaps = np.where(best - means < 1e-9, 0.0, best - means)
        p, q = np.clip(means, 1e-9, 1 - 1e-9), min(max(best, 1e-9), 1 - 1e-9)
        divergence = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
        plays = np.minimum(math.log(horizon) / np.maximum(divergence, 1e-12), horizon / len(means))
        by_arms[arms] = float(gaps @ plays)
    return np.array([target["factor"] * by_arms[target["arms"]] for target in targets.values()])


def simulated_regrets(
    problem: Any, targets: Mapping[str, Target], horizon: int, replicates: int, root_seed: int, name: str
) -> np.ndarray:
    """Mean regret at the horizon of each target, on random streams of their own (never those of the study's runs)."""
    means = []
    for target in targets.values():
        variant, policy = problem.with_arms(target["arms"]), files.resolve(target["algorithm"])()
        totals = [
            play(policy, variant, horizon, seeding.generators(root_seed, f"calibration/{name}", seed)).regrets.sum()
            for seed in range(replicates)
        ]
        means.append(np.mean(totals))
    return np.array(means)
