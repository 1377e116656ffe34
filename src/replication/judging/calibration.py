"""Search for the parameters that a paper omits.

Wanted are the random instances whose baselines come near the published ones. Candidates are numbered draws from the
families of `causal_bandits.models.families`, equally many of each. Successive halving: all are screened by their exact
arm means, the best are simulated with few seeds, the best of those with more. Each of the last is accepted with the
probability that its baselines' `likelihood` gives, so that those accepted are an ensemble of equals: a sample, as far
as the halving lost none, from the parameters given the published baselines (rejection sampling). Only the policies
named as targets are used; whatever else is later run on the instances is a prediction, not a fit (ledger L01, L71).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np
import pyarrow as pa

from causal_bandits import seeding
from causal_bandits.arrays import FloatArray
from causal_bandits.play.run import play
from experiments import files
from experiments.atomic import whole
from replication.judging import claims


class Target(TypedDict):
    """A baseline that the search must come near.

    It has ``algorithm`` (import path), ``arms``, the ``claim`` to come near, and the screening's ``factor``.
    """

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
    tolerance : float
        How far, relatively, an instance's baselines may lie from the published ones; see `likelihood`.
    members : int
        The ensemble keeps at most so many of those accepted.
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
    tolerance: float
    members: int
    horizon: int
    targets: Mapping[str, Target]
    root_seed: int
    code: str
    versions: Mapping[str, str]


class Published(NamedTuple):
    """The published mean regrets of some baselines, and the number of trials behind each.

    Both have the shape (targets,).
    """

    means: FloatArray
    trials: FloatArray


class Simulated(NamedTuple):
    """Simulated regrets of the baselines, shape (targets,).

    Attributes
    ----------
    means : float64 array
    errors : float64 array
        Standard errors of the means.
    drawn_sds : float64 array
        Standard deviations, of one run, of the regret by the rewards drawn, as a paper averages it (ledger L16); they
        are those of the rewards.
    """

    means: FloatArray
    errors: FloatArray
    drawn_sds: FloatArray


def calibrate(job: CalibrationJob, published: str | Path, accepted: str | Path, ranking: str | Path) -> None:
    """Search, and write the accepted instances and the ranking of all simulated candidates.

    Parameters
    ----------
    job : CalibrationJob
    published : path
        The paper's published numbers.
    accepted : path
        Output, JSON: what was searched for and, the nearest to the published baselines first, the members (none, if no
        candidate came near).
    ranking : path
        Output, Parquet: one row per simulated candidate and stage, with its distance.
    """
    problem, targets, root_seed = job["problem"], job["targets"], job["root_seed"]
    build = files.resolve(job["problems"])[problem]
    wanted = published_means(published, targets)
    pool = [(family, draw) for family in job["families"] for draw in range(job["candidates"])]
    screened = [screening_regrets(build(family=f, draw=d), targets, job["horizon"]) for f, d in pool]
    order = np.argsort([np.abs(np.log(s / wanted.means)).max() for s in screened], kind="stable")
    rows, members = [], []
    for number, stage in enumerate(job["stages"]):
        survivors = order[: stage["survivors"]]
        played, name = {}, f"{problem}/{number}"
        for member in survivors:
            family, draw = pool[member]
            bandit = build(family=family, draw=draw)
            played[member] = simulated_regrets(bandit, targets, job["horizon"], stage["replicates"], root_seed, name)
        distances = {member: distance(found, wanted, job["tolerance"]) for member, found in played.items()}
        order = np.array(sorted(survivors, key=lambda member: (distances[member], member)))
        for rank, member in enumerate(order):
            family, draw = pool[member]
            row = {"stage": number, "rank": rank, "family": family, "draw": draw, "replicates": stage["replicates"]}
            means = dict(zip(targets, played[member].means.tolist(), strict=True))
            rows.append(row | {"distance": distances[member]} | means)
    for member in order:
        family, draw = pool[member]
        chance = likelihood(distances[member])
        threshold = seeding.generators(root_seed, f"calibration/{problem}/{family}", draw).measures.random()
        if threshold < chance:
            members.append((threshold / chance, member))
    kept = {member for _, member in sorted(members)[: job["members"]]}
    document = {
        "problem": problem,
        "searched": {"families": list(job["families"]), "candidates_per_family": job["candidates"]},
        "simulated": {"survivors": len(order), "replicates": job["stages"][-1]["replicates"]},
        "tolerance": job["tolerance"],
        "accepted": len(members),
        "targets": {
            label: {"claim": target["claim"], "published": float(mean)}
            for (label, target), mean in zip(targets.items(), wanted.means, strict=True)
        },
        "members": [
            {
                "family": pool[member][0],
                "draw": pool[member][1],
                "distance": round(distances[member], 4),
                "baselines": {
                    label: round(float(mean), 2) for label, mean in zip(targets, played[member].means, strict=True)
                },
                "ones": ones_of(build(family=pool[member][0], draw=pool[member][1]).scm),
            }
            for member in order
            if member in kept
        ],
    }
    files.write(pa.Table.from_pylist(rows), ranking)
    with whole(accepted) as temporary:
        temporary.write_text(as_json(document))


def as_json(document: Mapping[str, Any]) -> str:
    """The document as JSON with one line per member."""
    head = {key: value for key, value in document.items() if key != "members"}
    lines = ",\n".join(f"  {json.dumps(member)}" for member in document["members"])
    return f'{json.dumps(head, indent=1)[:-2]},\n "members": [\n{lines}\n ]\n}}\n'


def ones_of(scm: Any) -> dict[str, Any]:
    """Return, by variable, the probabilities of one in a binary model.

    See `causal_bandits.models.families.from_ones`.
    """
    return {v: np.asarray(scm.cpt(v).table)[..., 1].tolist() for v in scm.variables}


def published_means(path: str | Path, targets: Mapping[str, Target]) -> Published:
    """The published means of the targets' claims and their trials."""
    rows = {claim.claim_id: claim for claim in claims.read(path, str(path))}
    wanted = [rows[target["claim"]] for target in targets.values()]
    return Published(
        np.array([claim.number for claim in wanted]), np.array([float(claim.arguments["trials"]) for claim in wanted])
    )


def distance(found: Simulated, wanted: Published, tolerance: float) -> float:
    """Compute how far an instance's baselines lie from the published ones.

    It is the norm of the baselines' misses, each in its own unit. A miss is a logarithm of a ratio; its unit takes in
    the tolerance, the noise of the published mean, which averages drawn rewards, and that of the simulation.
    """
    relative = (found.drawn_sds**2 / wanted.trials + found.errors**2) / found.means**2
    misses = np.log(found.means / wanted.means) / np.sqrt(tolerance**2 + relative)
    return float(np.sqrt((misses**2).sum()))


def likelihood(at: float) -> float:
    """Gaussian in the distance, 1 where all baselines are met."""
    return math.exp(-(at**2) / 2)


def screening_regrets(problem: Any, targets: Mapping[str, Target], horizon: int) -> FloatArray:
    """A cheap stand-in for the expected regret under each target, from exact arm means alone.

    An index policy plays every arm until all indices are equal, at a level mu with ``sum over arms of
    f / KL(mean, mu) = horizon``; f is the target's ``factor`` times ln(horizon), f(horizon) itself for kl-UCB.
    """
    regrets = []
    for target in targets.values():
        means = problem.with_arms(target["arms"]).means
        level = _level(means, target["factor"] * math.log(horizon), horizon)
        regrets.append((problem.optimal_mean - means) @ (target["factor"] * math.log(horizon) / _kl(means, level)))
    return np.maximum(regrets, 1e-9)


#: How far between the best mean and 1 the level may lie.
_LEVELS = np.geomspace(1e-6, 1, 200, endpoint=False)


def _level(means: FloatArray, f: float, horizon: int) -> float:
    best = float(means.max())
    levels = best + _LEVELS * (1 - best)
    plays = (f / _kl(means[:, None], levels)).sum(axis=0)  # falls as the level rises
    return float(np.exp(np.interp(-math.log(horizon), -np.log(plays), np.log(levels))))


def _kl(p: FloatArray, q: FloatArray | float) -> FloatArray:
    p, q = np.clip(p, 1e-9, 1 - 1e-9), np.clip(q, 1e-9, 1 - 1e-9)
    divergence = p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))
    return np.asarray(np.maximum(divergence, 1e-15))


def simulated_regrets(
    problem: Any, targets: Mapping[str, Target], horizon: int, replicates: int, root_seed: int, name: str
) -> Simulated:
    """Simulate the regret of each target at the horizon.

    Random streams are its own, never those of the study's runs.
    """
    regrets, drawn = (np.empty((len(targets), replicates)) for _ in range(2))
    for i, target in enumerate(targets.values()):
        variant, policy = problem.with_arms(target["arms"]), files.resolve(target["algorithm"])()
        for seed in range(replicates):
            run = play(policy, variant, horizon, seeding.generators(root_seed, f"calibration/{name}", seed))
            regrets[i, seed], drawn[i, seed] = run.regrets.sum(), run.rewards.sum()
    return Simulated(
        regrets.mean(axis=1), regrets.std(axis=1, ddof=1) / math.sqrt(replicates), drawn.std(axis=1, ddof=1)
    )
