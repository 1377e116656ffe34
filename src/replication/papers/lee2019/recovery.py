"""Find the six-variable bandit of Fig. 5c from its published kl-UCB curves (ledger L194).

The paper omits the parameters. The curves fix the best arm's mean and with it five noises (`fractions`). Which
variable carries which of them, and the noises that the best arm does not pass, is searched for: all models of noisy
exclusive ors with probabilities of two decimals, for every intervention set that may hold the best arms. Three steps:

1. every instance's expected curves are approximated from its arms' means (`expected.index_regret`); the near ones stay;
2. some of those that stay are simulated, and the ratio of simulation to approximation is fitted over the arms' means;
3. each one's likelihood is Gaussian, with the covariance of the drawn regret of as many runs as the paper's.

Only kl-UCB's baselines are used. All other numbers of Fig. 5c are predictions.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from causal_bandits import seeding
from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.graphs.admg import ADMG, hidden_name
from experiments import files
from experiments.atomic import whole
from replication.judging.calibration import as_json
from replication.papers.lee2019.expected import index_regret, play_curves
from replication.papers.lee2019.fractions import (
    STEPS,
    Curve,
    fraction_of,
    noises,
    optimal_means,
    read_curves,
)
from replication.papers.lee2019.graphs import GRAPHS
from replication.papers.lee2019.parities import ones, sign_of, sources
from replication.papers.lee2019.strategies import STRATEGIES, intervention_sets


class RecoveryJob(TypedDict):
    """What `recover` needs.

    Attributes
    ----------
    problem : str
        A key of `GRAPHS`.
    runs : int
        Runs that a published curve averages.
    c : float
        The constant of kl-UCB's exploration function.
    rounds : sequence of int
        Checkpoints of the published curves that the fit uses.
    tolerance : float
        How far, relatively, the approximation of step 1 may be off at each of ``screened``.
    screened : sequence of int
        Checkpoints of step 1.
    misfit : float
        An instance stays in step 1 if its mean squared miss, in tolerances, is at most this.
    designs : int
        Instances simulated in step 2.
    replicates : int
        Runs of each.
    members : int
        Instances drawn from the likelihood at the end, the likeliest among them.
    claims : mapping from str to str
        By strategy, the id of the published claim that the curve's end is.
    root_seed : int
    code : str
        Digest of the code.
    versions : mapping
        Versions of packages.
    """

    problem: str
    runs: int
    c: float
    rounds: Sequence[int]
    screened: Sequence[int]
    tolerance: float
    misfit: float
    designs: int
    replicates: int
    members: int
    claims: Mapping[str, str]
    root_seed: int
    code: str
    versions: Mapping[str, str]


class Kinds(NamedTuple):
    """Arms by how their mean follows from an intervention set's product of biases g.

    Attributes
    ----------
    sets : tuple of frozenset of str
        One intervention set for each different set of sources, see `parities.sources`.
    up, down : mapping from str to float64 array, shape (sets,)
        By strategy, how many arms have the mean (1 + g) / 2 and (1 - g) / 2.
    """

    sets: tuple[frozenset[str], ...]
    up: Mapping[str, FloatArray]
    down: Mapping[str, FloatArray]


class Found(NamedTuple):
    """Instances that stay after step 1, one row each.

    Attributes
    ----------
    biases : int64 array, shape (instances, noises)
        (1 - 2 p) in fiftieths; negative where p > 1/2.
    products : float64 array, shape (instances, sets)
        The product of the biases of each of `Kinds`' sets' sources.
    misfits : float64 array, shape (instances,)
        Mean squared miss of the approximated curves, in tolerances.
    """

    biases: IntArray
    products: FloatArray
    misfits: FloatArray


def noise_names(graph: ADMG) -> tuple[str, ...]:
    """Names of all noises: variables, then confounders."""
    return (*graph.nodes, *sorted(hidden_name(*edge) for edge in graph.bidirected))


def kinds_of(task: str, strategies: Sequence[str]) -> Kinds:
    """Sort a task's arms by their sources, under each strategy (a key of `STRATEGIES`)."""
    graph = GRAPHS[task]
    played = {strategy: intervention_sets(task, STRATEGIES[strategy].arms) for strategy in strategies}
    every = sorted(frozenset().union(*played.values()), key=lambda chosen: (len(chosen), sorted(chosen)))
    first: dict[frozenset[str], frozenset[str]] = {}
    for chosen in every:
        first.setdefault(sources(graph, chosen), chosen)
    sets = tuple(first.values())
    up, down = ({strategy: np.zeros(len(sets)) for strategy in strategies} for _ in range(2))
    for strategy, own in played.items():
        for chosen in own:
            kind = sets.index(first[sources(graph, chosen)])
            # Values of which an odd number reaches the reward are as frequent as the others, if any reaches it.
            reaching = sign_of(graph, dict.fromkeys(chosen, 0)) != max(
                sign_of(graph, {v: int(v == one) for v in chosen}) for one in (chosen or {""})
            )
            arms = 2 ** len(chosen)
            up[strategy][kind] += arms / 2 if reaching else 0
            down[strategy][kind] += arms / 2 if reaching else arms
    return Kinds(sets, up, down)


def means_of(kinds: Kinds, strategy: str, products: FloatArray) -> FloatArray:
    """Means of all arms of a strategy, shape (arms,)."""
    means = [
        np.repeat((1 + sign * products) / 2, counts[strategy].astype(int))
        for sign, counts in ((1, kinds.up), (-1, kinds.down))
    ]
    return np.concatenate(means)


def assignments(task: str, place: frozenset[str], factors: Sequence[int]) -> list[list[dict[str, int]]]:
    """All ways to give the noises of a place's arms the factors, those together that no arm tells apart."""
    kinds = kinds_of(task, ["BF"])
    own = sorted(sources(GRAPHS[task], place))
    roles = {
        noise: frozenset(chosen for chosen in kinds.sets if noise in sources(GRAPHS[task], chosen)) for noise in own
    }
    groups: dict[frozenset[tuple[frozenset[frozenset[str]], tuple[int, ...]]], list[dict[str, int]]] = {}
    for order in sorted(set(itertools.permutations(factors))):
        given = dict(zip(own, order, strict=True))
        key = frozenset(
            (role, tuple(sorted(factor for noise, factor in given.items() if roles[noise] == role)))
            for role in roles.values()
        )
        groups.setdefault(key, []).append(given)
    return list(groups.values())


def screen(
    task: str, place: frozenset[str], factors: Sequence[int], curves: Mapping[str, Curve], job: RecoveryJob
) -> tuple[Found, float, int]:
    """Screen the instances of one place of the best arms.

    Returned are those that come near, the least misfit, and how many there are. The noises that the place's arms do not
    pass take all probabilities of two decimals from 0.01 to 0.5; one of them, which do() has, also those to 0.99. Every
    other instance is one of these with the states of variables renamed.
    """
    graph, names = GRAPHS[task], noise_names(GRAPHS[task])
    kinds = kinds_of(task, list(curves))
    members = np.array([[name in sources(graph, chosen) for name in names] for chosen in kinds.sets])
    best = kinds.sets.index(place)
    wanted = np.array([[_at(curve, t) for t in job["screened"]] for curve in curves.values()])
    counts = np.array([[kinds.up[s], kinds.down[s]] for s in curves])
    rounds = np.array(job["screened"], dtype=np.int64)
    free = [name for name in names if name not in sources(graph, place)]
    signed = next((name for name in free if name in sources(graph, frozenset())), None)
    ranges = [np.arange(1 - STEPS if name == signed else 0, STEPS, dtype=np.int64) for name in free]
    combinations = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, len(free))
    # Where no value can turn the reward round, the arm is best with a reward that a noise turns round.
    sign = 1 if counts[:, 0, best].any() else -1
    parts: list[Found] = []
    least, searched = math.inf, 0
    for alike in assignments(task, place, factors):
        biases = np.empty((len(combinations), len(names)), dtype=np.int64)
        biases[:, [names.index(name) for name in free]] = combinations
        _assign(biases, names, alike[0], sign)
        products = np.stack([(biases[:, own] / STEPS).prod(axis=1) for own in members], axis=1)
        highest = np.where(counts[:, 0].any(axis=0), np.abs(products), -products)
        near = np.flatnonzero((highest <= highest[:, [best]] * (1 + 1e-12)).all(axis=1))
        misfits = _misfits(
            products[near], counts, wanted, rounds, job["c"], job["tolerance"], max(job["misfit"], least)
        )
        least = min(least, float(misfits.min(initial=math.inf)))
        stay = misfits <= job["misfit"]
        searched += len(alike) * len(combinations)
        for assignment in alike:
            own = biases[near][stay]
            _assign(own, names, assignment, sign)
            parts.append(Found(own, products[near][stay], misfits[stay]))
    return Found(*(np.concatenate(columns) for columns in zip(*parts, strict=True))), least, searched


def _assign(biases: IntArray, names: Sequence[str], assignment: Mapping[str, int], sign: int) -> None:
    for number, (name, factor) in enumerate(sorted(assignment.items())):
        biases[:, names.index(name)] = sign * factor if number == 0 else factor


def _at(curve: Curve, t: int) -> float:
    (found,) = np.flatnonzero(curve.rounds == t)
    return float(curve.regrets[found])


@jit
def _misfits(
    products: FloatArray,
    counts: FloatArray,
    wanted: FloatArray,
    rounds: IntArray,
    c: float,
    tolerance: float,
    most: float,
) -> FloatArray:
    """Compute the mean squared miss of each instance's approximated curves, in tolerances.

    It is infinite if it is beyond ``most``.
    """
    strategies, sets = counts.shape[0], counts.shape[2]
    total = strategies * len(rounds)
    misfits = np.empty(len(products))
    for i in range(len(products)):
        misfit = 0.0
        for k in range(len(rounds) - 1, -1, -1):
            for s in range(strategies):
                means, number = np.empty(2 * sets), np.empty(2 * sets)
                n = 0
                for side in range(2):
                    for g in range(sets):
                        if counts[s, side, g] > 0:
                            means[n] = (1 + (1 - 2 * side) * products[i, g]) / 2
                            number[n] = counts[s, side, g]
                            n += 1
                regret = index_regret(means[:n], number[:n], rounds[k], c)
                misfit += (math.log(regret / wanted[s, k]) / tolerance) ** 2 / total
            if misfit > most:
                misfit = np.inf
                break
        misfits[i] = misfit
    return misfits


class Emulator(NamedTuple):
    """Expected curves of one strategy: the approximation times a fitted ratio.

    Attributes
    ----------
    coefficients : float64 array, shape (features, checkpoints)
        Of the logarithm of the ratio.
    inverse : float64 array, shape (features, features)
        Inverse of the features' Gram matrix.
    residuals : float64 array, shape (checkpoints, checkpoints)
        Covariance of what the fit leaves of one design's logarithm.
    drawn : float64 array, shape (checkpoints, checkpoints)
        Covariance of one run's drawn regret.
    """

    coefficients: FloatArray
    inverse: FloatArray
    residuals: FloatArray
    drawn: FloatArray


def _features(z: FloatArray) -> FloatArray:
    """One, standardised products, and their products in pairs; shape (instances, features)."""
    pairs = itertools.combinations_with_replacement(range(z.shape[1]), 2)
    return np.column_stack([np.ones(len(z)), z, *(z[:, i] * z[:, j] for i, j in pairs)])


def approximated(kinds: Kinds, strategy: str, products: FloatArray, rounds: IntArray, c: float) -> FloatArray:
    """Approximated curves of some instances, shape (instances, checkpoints)."""
    counts = np.concatenate([kinds.up[strategy], kinds.down[strategy]])
    played = counts > 0
    means = np.concatenate([(1 + products) / 2, (1 - products) / 2], axis=1)[:, played]
    return _approximated(np.ascontiguousarray(means), counts[played], rounds, c)


@jit
def _approximated(means: FloatArray, counts: FloatArray, rounds: IntArray, c: float) -> FloatArray:
    curves = np.empty((len(means), len(rounds)))
    for i in range(len(means)):
        for k in range(len(rounds)):
            curves[i, k] = index_regret(means[i], counts, rounds[k], c)
    return curves


def emulate(kinds: Kinds, strategy: str, products: FloatArray, features: FloatArray, job: RecoveryJob) -> Emulator:
    """Simulate some instances under one strategy (step 2): fit the ratio of simulation to approximation.

    Parameters
    ----------
    kinds : Kinds
    strategy : str
    products : float64 array, shape (designs, sets)
    features : float64 array, shape (designs, features)
    job : RecoveryJob
    """
    rounds = np.array(job["rounds"], dtype=np.int64)
    logs, within = np.empty((len(products), len(rounds))), np.zeros((len(rounds), len(rounds)))
    near = approximated(kinds, strategy, products, rounds, job["c"])
    for i, own in enumerate(products):
        rng = seeding.generators(job["root_seed"], f"recovery/{job['problem']}/{strategy}", i).policy
        expected, drawn = play_curves(means_of(kinds, strategy, own), rounds, job["replicates"], job["c"], rng)
        logs[i] = np.log(expected.mean(axis=0) / near[i])
        within += np.cov(drawn.T)
    coefficients = np.asarray(np.linalg.lstsq(features, logs, rcond=None)[0], dtype=np.float64)
    inverse = np.asarray(np.linalg.pinv(features.T @ features), dtype=np.float64)
    left = logs - features @ coefficients
    freedom = len(products) - int(np.linalg.matrix_rank(features))
    return Emulator(coefficients, inverse, left.T @ left / max(freedom, 1), within / len(products))


def log_likelihoods(
    emulator: Emulator, curve: Curve, near: FloatArray, features: FloatArray, job: RecoveryJob
) -> tuple[FloatArray, FloatArray]:
    """Compute Gaussian log-likelihoods of one strategy's curve (step 3).

    The squared distances in them are returned too.

    Parameters
    ----------
    emulator : Emulator
    curve : Curve
    near : float64 array, shape (instances, checkpoints)
        Approximated curves.
    features : float64 array, shape (instances, features)
    job : RecoveryJob
    """
    wanted = np.array([_at(curve, t) for t in job["rounds"]])
    logs, squares = np.empty(len(near)), np.empty(len(near))
    for i, (start, f) in enumerate(zip(near, features, strict=True)):
        mean = start * np.exp(f @ emulator.coefficients)
        doubt = (f @ emulator.inverse @ f) * emulator.residuals * np.outer(mean, mean)
        covariance = emulator.drawn / job["runs"] + doubt
        miss = wanted - mean
        squares[i] = miss @ np.linalg.solve(covariance, miss)
        logs[i] = -squares[i] / 2 - np.linalg.slogdet(covariance)[1] / 2
    return logs, squares


class Weighed(NamedTuple):
    """Instances that stay after step 1, weighed.

    Attributes
    ----------
    found : Found
    places : array of str, shape (instances,)
        The intervention set of the best arms.
    weights : float64 array, shape (instances,)
        Likelihoods, with sum 1.
    squares : float64 array, shape (instances,)
        Squared distance from the published curves, in the unit that noise and emulation explain.
    finals : mapping from str to float64 array, shape (instances,)
        Expected regret at the last round, by strategy.
    """

    found: Found
    places: NDArray[np.str_]
    weights: FloatArray
    squares: FloatArray
    finals: Mapping[str, FloatArray]


def weigh(task: str, found: Found, places: NDArray[np.str_], curves: Mapping[str, Curve], job: RecoveryJob) -> Weighed:
    """Weigh instances by the likelihood of the published curves (steps 2 and 3).

    Each place has fits of its own.
    """
    logs, squares = np.zeros(len(places)), np.zeros(len(places))
    finals = {strategy: np.zeros(len(places)) for strategy in curves}
    for place in np.unique(places):
        own = np.flatnonzero(places == place)
        logs[own], squares[own], ends = _weigh_place(task, str(place), found.products[own], curves, job)
        for strategy, end in ends.items():
            finals[strategy][own] = end
    weights = np.exp(logs - logs.max())
    return Weighed(found, places, weights / weights.sum(), squares, finals)


def _weigh_place(
    task: str, place: str, products: FloatArray, curves: Mapping[str, Curve], job: RecoveryJob
) -> tuple[FloatArray, FloatArray, dict[str, FloatArray]]:
    """Log-likelihoods, squared distances and final regrets of the instances of one place."""
    kinds, rounds = kinds_of(task, list(curves)), np.array(job["rounds"], dtype=np.int64)
    # Instances with the same arms have the same curves.
    _, first, which = np.unique(products.round(12), axis=0, return_index=True, return_inverse=True)
    arms, which = products[first], which.ravel()
    varying = arms[:, np.ptp(arms, axis=0) > 1e-9]  # the product of the best arms does not
    features = _features((varying - varying.mean(axis=0)) / varying.std(axis=0))
    rng = seeding.generators(job["root_seed"], f"recovery/{task}/{place}/designs", 0).measures
    fewest = min(len(arms), 3 * features.shape[1])
    designs = np.sort(rng.choice(len(arms), min(job["designs"], max(fewest, len(arms) // 5)), replace=False))
    logs, squares, finals = np.zeros(len(arms)), np.zeros(len(arms)), {}
    for strategy, curve in curves.items():
        emulator = emulate(kinds, strategy, arms[designs], features[designs], job)
        near = approximated(kinds, strategy, arms, rounds, job["c"])
        own, distances = log_likelihoods(emulator, curve, near, features, job)
        logs, squares = logs + own, squares + distances
        finals[strategy] = (near[:, -1] * np.exp(features @ emulator.coefficients[:, -1]))[which]
    return logs[which], squares[which], finals


def recover(job: RecoveryJob, curves: str | Path, accepted: str | Path, ranking: str | Path) -> None:
    """Search, and write a sample of the instances by their likelihood, and all of them with theirs.

    Parameters
    ----------
    job : RecoveryJob
    curves : path
        Published kl-UCB curves, by strategy.
    accepted : path
        Output, JSON: what was found on the way, and the members, the likeliest first.
    ranking : path
        Output, Parquet: one row per instance that stays after step 1.

    Raises
    ------
    ValueError
        If no instance comes near.
    """
    task, published = job["problem"], read_curves(curves)
    graph, names = GRAPHS[task], noise_names(GRAPHS[task])
    fraction = fraction_of(published, job["runs"])
    possible = optimal_means(published, job["runs"], fraction.value)
    sets = kinds_of(task, ["POMIS"]).sets
    parts: list[Found] = []
    labels: list[NDArray[np.str_]] = []
    least: dict[str, float] = {}
    searched = 0
    ways: set[tuple[int, ...]] = set()
    for place in sets:
        count = len(sources(graph, place))
        for factors in {f for mean in possible for f in noises(float(mean), count, 4 * fraction.error / job["runs"])}:
            found, own, instances = screen(task, place, factors, published, job)
            label = f"do({','.join(sorted(place))})"
            least[label] = min(least.get(label, math.inf), own)
            parts.append(found)
            labels.append(np.full(len(found.misfits), label))
            ways.add(factors)
            searched += instances
    if not any(len(part.misfits) for part in parts):
        raise ValueError(
            f"{curves}: no instance comes within a misfit of {job['misfit']}; sets of noises that the best arm's mean "
            f"allows: {len(ways)}; least misfits: {least}"
        )
    together = Found(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    weighed = weigh(task, together, np.concatenate(labels), published, job)
    order = np.lexsort((*together.biases.T[::-1], -weighed.weights))
    rng = seeding.generators(job["root_seed"], f"recovery/{task}/members", 0).measures
    others = rng.choice(
        order[1:],
        min(job["members"] - 1, (weighed.weights[order[1:]] > 0).sum()),
        replace=False,
        p=weighed.weights[order[1:]] / weighed.weights[order[1:]].sum(),
    )
    rank = {int(instance): number for number, instance in enumerate(order)}
    chosen = [int(order[0]), *sorted(map(int, others), key=rank.__getitem__)]
    probabilities = (STEPS - together.biases) / (2 * STEPS)
    document = {
        "problem": task,
        "searched": {"families": ["hundredths_xor"], "candidates_per_family": searched},
        "targets": {
            strategy: {"claim": claim, "published": float(published[strategy].regrets[-1].round(2))}
            for strategy, claim in job["claims"].items()
        },
        "possible_means": len(possible),
        "noises_of_the_best_arm": [[(STEPS - factor) / (2 * STEPS) for factor in factors] for factors in sorted(ways)],
        "least_misfit": {place: round(value, 3) for place, value in least.items()},
        "accepted": len(order),
        "effective_instances": round(float(1 / (weighed.weights**2).sum()), 1),
        "points": len(job["rounds"]) * len(published),
        "members": [
            {
                "family": "hundredths_xor",
                "draw": rank[i],
                "place": str(weighed.places[i]),
                "distance": round(math.sqrt(float(weighed.squares[i])), 4),
                "baselines": {strategy: round(float(finals[i]), 2) for strategy, finals in weighed.finals.items()},
                "noises": dict(zip(names, probabilities[i].tolist(), strict=True)),
                "ones": {
                    name: np.round(table, 2).tolist()
                    for name, table in ones(graph, dict(zip(names, probabilities[i].tolist(), strict=True))).items()
                },
            }
            for i in chosen
        ],
    }
    columns = {name: probabilities[order, i] for i, name in enumerate(names)}
    columns |= {
        "place": weighed.places[order],
        "misfit": together.misfits[order],
        "squared_distance": weighed.squares[order],
        "weight": weighed.weights[order],
    }
    files.write(pa.table(columns), ranking)
    with whole(accepted) as temporary:
        temporary.write_text(as_json(document))
