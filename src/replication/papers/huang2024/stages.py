"""Prepare huang2024's simulation: offline samples, and causal bounds and biased means from them, per context and arm.

Table 1 shows such estimates. One of its 16 rows is one arm (X1, X2) and one user (U1, U2). The paper does not say which
row is which; E05 and the table ``truth`` show the order: X1 slowest, then X2, U1 and U2. The bandit's arms enumerate
(X1, X2) and its contexts (U1, U2), so the row of a pair is 4 * arm + context.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.biased import adjusted, conditional_probability
from causal_bandits.estimation.bounds import BCE, find_rsi
from causal_bandits.estimation.confident_bounds import confident_bounds
from causal_bandits.graphs import ADMG
from causal_bandits.models.families import uniform_cpt
from causal_bandits.problems.huang2024 import CONTEXT, GRAPH, MANIPULABLE, scm
from experiments import files
from experiments.stages import Builder, Generators

# ------------------------------------------------------------------ rows of Table 1


#: The binary variables that distinguish the rows; the first varies slowest.
ROW_VARIABLES = ("X1", "X2", "U1", "U2")
ROW_COUNT = 16
#: Columns of tables that have one row per sample: the rows of Table 1 by their index.
ROW_COLUMNS = tuple(f"index_{index}" for index in range(1, ROW_COUNT + 1))

#: Names of columns in the study's tables, and in the paper.
COLUMNS = {"cp": "CP", "biased": "Biased", "lower": "BCE lb", "upper": "BCE ub", "truth": "Truth"}
#: The columns that are estimated from offline data; the truth is computed.
ESTIMATED = {name: label for name, label in COLUMNS.items() if name != "truth"}


def row_name(row: int) -> str:
    """Name a row (0 to 15) by its arm and user: ``x1 x2|u1 u2``."""
    x1, x2, u1, u2 = (row >> shift & 1 for shift in (3, 2, 1, 0))
    return f"{x1}{x2}|{u1}{u2}"


def rows_of_pairs(values: FloatArray) -> FloatArray:
    """Put an array of shape (contexts, arms), such as a bandit's means, into the order of the 16 rows."""
    return values.T.ravel()


def rows_of_axes(values: FloatArray) -> FloatArray:
    """Put an array with one axis per `ROW_VARIABLES`, or of length one, into the order of the 16 rows."""
    return np.broadcast_to(values, (2,) * len(ROW_VARIABLES)).reshape(-1).copy()


def printed_column(claims: Iterable[Mapping[str, str]], column: str) -> FloatArray:
    """Read a column of Table 1 from the published numbers, each at the index that its row names.

    Parameters
    ----------
    claims : iterable of mappings
        Rows of data/published/huang2024.csv; those of Table 1 are called ``index 1`` to ``index 16``.
    column : str
        The paper's name, a value of `COLUMNS`.

    Returns
    -------
    array, shape (16,)

    Raises
    ------
    ValueError
        If an index is missing or appears twice.
    """
    found: dict[int, float] = {}
    for claim in claims:
        if (claim["place"], claim["column"]) == ("Table 1", column):
            index = int(claim["row"].removeprefix("index "))
            if index in found:
                raise ValueError(f"Table 1, {column}: index {index} appears twice")
            found[index] = float(claim["value"])
    if sorted(found) != list(range(1, ROW_COUNT + 1)):
        raise ValueError(f"Table 1, {column}: indices {sorted(found)}; expected 1 to {ROW_COUNT}")
    return np.array([found[index] for index in range(1, ROW_COUNT + 1)])


# Tables of the model's units, selected or not, and the probability of the reward in them.

#: Axes of a table of units, all binary.
VARIABLES = (*ROW_VARIABLES, "I1", "Y", "S")


def outcome_given(data: FloatArray, given: Iterable[str]) -> FloatArray:
    """Compute P(Y=1 | given) from a table with axes `ROW_VARIABLES`, I1 and Y.

    An axis of the result that is not ``given`` has length 1.
    """
    others = tuple(i for i, v in enumerate((*ROW_VARIABLES, "I1")) if v not in given)
    joint = data.sum(axis=others, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(joint[..., 1] / joint.sum(axis=-1))


# ------------------------------------------------------------------ offline samples


#: The observed variables, in the order of the tables' axes.
OFFLINE = ("U1", "U2", "X1", "X2", "I1", "Y")


def offline_samples(seeds: Iterable[int], generators: Generators, draws: int) -> pa.Table:
    """Count the joint states of the observed variables among the selected of ``draws`` samples, per seed.

    Returns
    -------
    table
        Columns ``seed``, one per variable of `OFFLINE` (its state) and ``count``; one row per joint state, in C order.
        Counts suffice because samples are exchangeable.
    """
    if draws < 1:
        raise ValueError(f"draws={draws}: must be at least 1")
    model = scm()
    shape = tuple(model.cardinality(v) for v in OFFLINE)
    states = np.indices(shape, dtype=np.int8).reshape(len(shape), -1)
    seeds = list(seeds)
    counts = np.empty((len(seeds), states.shape[1]), dtype=np.int64)
    for row, seed in enumerate(seeds):
        sample = model.sample(draws, generators(seed))
        kept = sample[sample["S"] == 1]
        cells = np.ravel_multi_index(tuple(kept[v] for v in OFFLINE), shape)
        counts[row] = np.bincount(cells, minlength=states.shape[1])
    columns: dict[str, NDArray[Any]] = {"seed": np.repeat(np.array(seeds, dtype=np.int32), states.shape[1])}
    columns |= {v: np.tile(states[i], len(seeds)) for i, v in enumerate(OFFLINE)}
    return pa.table({**columns, "count": counts.ravel()})


# ------------------------------------------------------------------ bounds


#: Number of draws behind Table 1, according to the text.
PRINTED_DRAWS = 30_000


def causal_bounds(seeds: Iterable[int], generators: Generators, offline: str, contextual: bool = True) -> pa.Table:
    """Estimate E[Y | do(arm), context] and its bounds from each seed's offline sample.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; no random numbers are drawn here.
    offline : path
        A table from `offline_samples`.
    contextual : bool
        Whether the context is (U1, U2); otherwise there is none.

    Returns
    -------
    table
        Columns ``seed, context, arm`` (indices as in the bandit) and, as floats, ``count`` (samples in the cell),
        ``cp`` = P(y | x, c, S=1), ``biased`` (Eq. 2: sum over u of P(y | x, u, S=1) P(u | S=1), whatever the context;
        ledger L25), ``biased_conditional`` (Eq. 2 given the context), ``observed`` = P(y | x, S=1), ``lower, upper``
        (conditional substitutes), ``strict_lower, strict_upper``, and ``confident_lower, confident_upper`` (conditional
        substitutes, simultaneously valid with probability 95 %; ledger L93).

    Raises
    ------
    ValueError
        If a seed's rows do not contain every joint state exactly once.
    """
    joints = _joints(offline)
    return _table([(seed, joints[seed]) for seed in seeds], contextual)


def exact_bounds(seeds: Iterable[int], generators: Generators, contextual: bool = True) -> pa.Table:
    """Compute the causal bounds and estimates in the limit of infinite offline data; columns as in `causal_bounds`.

    The distribution is the exact one of selected units. ``count`` is the probability of the cell. There are no columns
    ``confident_lower, confident_upper``, which depend on the size of a sample.
    """
    joint = scm().distribution(OFFLINE, given={"S": 1})
    return _table([(seed, joint) for seed in seeds], contextual, counted=False)


def bounds_at_levels(
    seeds: Iterable[int],
    generators: Generators,
    confounding: Sequence[float],
    selection: Sequence[float],
    offline_draws: Sequence[int],
) -> pa.Table:
    """Draw offline samples and estimate causal bounds from them, for each level of bias and sample size (L94).

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; every level draws its own samples.
    confounding, selection : sequence of float
        See `problems.scm`.
    offline_draws : sequence of int
        Numbers of draws before selection.

    Returns
    -------
    table
        Columns of `problems.LEVELS`, and those of `causal_bounds`.
    """
    seeds = list(seeds)
    rngs = {seed: generators(seed) for seed in seeds}
    tables = []
    for confounded, selected, draws in product(confounding, selection, offline_draws):
        model = scm(confounded, selected)
        share, joint = model.expectation("S"), model.distribution(OFFLINE, given={"S": 1})
        samples = []
        for seed in seeds:
            kept = rngs[seed].binomial(draws, share)
            samples.append((seed, rngs[seed].multinomial(kept, joint.ravel()).reshape(joint.shape)))
        tables.append(_at_level(_table(samples, True), confounded, selected, draws))
    return pa.concat_tables(tables)


def exact_bounds_at_levels(
    seeds: Iterable[int], generators: Generators, confounding: Sequence[float], selection: Sequence[float]
) -> pa.Table:
    """Compute the exact causal bounds for every combination of levels of both biases; ``offline_draws`` is null."""
    seeds, tables = list(seeds), []
    for confounded, selected in product(confounding, selection):
        joint = scm(confounded, selected).distribution(OFFLINE, given={"S": 1})
        table = _table([(seed, joint) for seed in seeds], True, counted=False)
        tables.append(_at_level(table, confounded, selected, None))
    return pa.concat_tables(tables)


def _at_level(table: pa.Table, confounding: float, selection: float, draws: int | None) -> pa.Table:
    levels = (("confounding", confounding, pa.float64()), ("selection", selection, pa.float64()))
    for name, value, kind in (*levels, ("offline_draws", draws, pa.int64())):
        table = table.append_column(name, pa.array([value] * len(table), kind))
    return table


def cp_samples(seeds: Iterable[int], generators: Generators, draws: int) -> pa.Table:
    """Simulate the estimate CP on a very large number of offline samples.

    CP is rounded to three digits, as in Table 1 (ledger L160). The test of whether the printed column can come from one
    sample is so close to its boundary that a decision takes hundreds of thousands of samples. So only the counts that
    enter CP are drawn, one sample after another, from one generator for all samples.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; the generator is that of seed 0.
    draws : int
        Size of a sample, before selection.

    Returns
    -------
    table
        Columns ``seed`` and `ROW_COLUMNS`: P(y | x, u, S=1) in thousandths, -1 for a row without data.
    """
    seeds = np.fromiter(seeds, dtype=np.int32)
    units = scm().distribution((*ROW_VARIABLES, "Y", "S"))[..., 1].ravel()
    kept = generators(0).multinomial(draws, np.append(units, 1 - units.sum()), size=len(seeds))[:, :-1]
    cells = kept.reshape(len(seeds), ROW_COUNT, 2)
    sizes = cells.sum(axis=2)
    cp = np.where(sizes > 0, np.round(1000 * cells[..., 1] / np.maximum(sizes, 1)), -1).astype(np.int16)
    return pa.table({"seed": seeds} | {name: cp[:, row] for row, name in enumerate(ROW_COLUMNS)})


def published_bounds(seeds: Iterable[int], generators: Generators, published: str) -> pa.Table:
    """Give every seed the bounds and estimates that Table 1 prints.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; no random numbers are drawn here.
    published : path
        The table of published numbers.
    """
    with Path(published).open(newline="") as text:
        claims = list(csv.DictReader(text))
    model, seeds = scm(), list(seeds)
    count = PRINTED_DRAWS * model.expectation("S") * model.distribution((*MANIPULABLE, *CONTEXT), given={"S": 1})
    columns = {"count": count.ravel()}
    for name, label in COLUMNS.items():
        columns[name] = printed_column(claims, label)
    rows = np.arange(16, dtype=np.int32)
    keys = {"context": rows % 4, "arm": rows // 4}
    tiled = {name: np.tile(values, len(seeds)) for name, values in (keys | columns).items()}
    return pa.table({"seed": np.repeat(np.array(seeds, dtype=np.int32), len(rows)), **tiled})


def _joints(offline: str) -> dict[int, NDArray[np.int64]]:
    """Read every seed's joint counts of the variables `OFFLINE`, whatever the order of the table's rows."""
    table = files.read(offline)
    states = tuple(table[v].to_numpy() for v in OFFLINE)
    seeds, sample = np.unique(table["seed"].to_numpy(), return_inverse=True)
    joints = np.full((len(seeds), *(scm().cardinality(v) for v in OFFLINE)), -1, dtype=np.int64)
    joints[(sample, *states)] = table["count"].to_numpy()
    if len(table) != joints.size or (joints < 0).any():
        raise ValueError(
            f"{offline}: {len(table)} rows; expected every joint state of {', '.join(OFFLINE)} once per seed"
        )
    return dict(zip(seeds.tolist(), joints, strict=True))


def _table(joints: Sequence[tuple[int, NDArray[Any]]], contextual: bool, counted: bool = True) -> pa.Table:
    context = CONTEXT if contextual else ()
    roles: dict[str, Any] = {"treatment": MANIPULABLE, "context": context, "outcome": "Y"}
    of_all = {**roles, "context": ()}
    methods = {
        "": BCE(GRAPH, **roles, selection="S", method="conditional_substitute"),
        "strict_": BCE(GRAPH, **roles, selection="S", method="strict"),
    }
    covariates = tuple(sorted(set(CONTEXT) - set(context)))
    rows: list[dict[str, FloatArray]] = []
    for _, joint in joints:
        row = {"count": _marginal(joint, (*context, *MANIPULABLE))}
        row["cp"] = conditional_probability(joint, OFFLINE, **roles)
        # Given the whole context, nothing is left to adjust for, and Eq. 2 equals CP; the column is Eq. 2 as printed.
        row["biased"] = adjusted(joint, OFFLINE, **of_all, covariates=CONTEXT, conditional=False)
        row["biased_conditional"] = adjusted(joint, OFFLINE, **roles, covariates=covariates, conditional=True)
        row["observed"] = conditional_probability(joint, OFFLINE, **of_all)
        for prefix, method in methods.items():
            row[f"{prefix}lower"], row[f"{prefix}upper"] = method.bounds(joint, OFFLINE)
        if counted:
            row["confident_lower"], row["confident_upper"] = confident_bounds(methods[""], joint, OFFLINE)
        rows.append(row)
    shape = rows[0]["count"].shape
    arms = int(np.prod(shape[len(context) :]))
    cells = int(np.prod(shape))
    columns = {
        "seed": np.repeat(np.array([seed for seed, _ in joints], dtype=np.int32), cells),
        "context": np.tile(np.arange(cells, dtype=np.int32) // arms, len(rows)),
        "arm": np.tile(np.arange(cells, dtype=np.int32) % arms, len(rows)),
    }
    for name in rows[0]:
        columns[name] = np.concatenate([np.broadcast_to(row[name], shape).ravel() for row in rows])
    return pa.table(columns)


def _marginal(joint: NDArray[Any], variables: Sequence[str]) -> FloatArray:
    """Sum a joint table down to the given variables, with one axis for each in the given order."""
    kept = [OFFLINE.index(v) for v in variables]
    summed = joint.sum(axis=tuple(axis for axis in range(joint.ndim) if axis not in kept))
    return np.asarray(summed.transpose(np.argsort(np.argsort(kept))), dtype=np.float64)


# Random models on graphs with and without the exchange condition stated before Theorem 4 (E01).

#: Graphs over X, Z, W and Y, in each of which {W} is a substitute as printed; S is isolated.
GRAPHS = {
    "Z -> W, Z -> Y, W -> Y": ADMG([("X", "Y"), ("Z", "W"), ("Z", "Y"), ("W", "Y")], nodes="S"),
    "Z -> Y, W -> Y": ADMG([("X", "Y"), ("Z", "Y"), ("W", "Y")], nodes="S"),
    "W -> Z, Z -> Y, W -> Y": ADMG([("X", "Y"), ("W", "Z"), ("Z", "Y"), ("W", "Y")], nodes="S"),
}


#: Differences below this are rounding errors.
ROUNDING = 1e-9


def substitutes(name: str, exchange: bool) -> bool:
    """Return whether {W} is a substitute in one of `GRAPHS`, by Theorem 4 as printed or with ``exchange``."""
    found = find_rsi(GRAPHS[name], treatment=["X"], context=[], outcome="Y", exchangeable=exchange)
    return frozenset("W") in {each.variables for each in found}


def exchangeable(name: str) -> bool:
    """Return whether {W} meets the exchange condition stated before Theorem 4 in one of `GRAPHS`."""
    return substitutes(name, exchange=True)


def random_models(seeds: Iterable[int], generators: Generators) -> pa.Table:
    """Measure how far P_x(Y=1) lies outside the extremes over w of P_{x,w}(Y=1), on uniform random models.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; each seed draws one model on each of `GRAPHS`.

    Returns
    -------
    table
        Columns ``seed, graph`` and ``excess``, for the x with the larger excess; negative if inside.
    """
    rows = [
        {"seed": seed, "graph": name, "excess": _excess(graph, rng)}
        for seed in seeds
        for rng in (generators(seed),)
        for name, graph in GRAPHS.items()
    ]
    return pa.Table.from_pylist(rows)


def _excess(graph: ADMG, rng: np.random.Generator) -> float:
    scm = uniform_cpt(graph, rng)
    excess = []
    for x in (0, 1):
        effect = scm.expectation("Y", do={"X": x})
        forced = [scm.expectation("Y", do={"X": x, "W": w}) for w in (0, 1)]
        excess += [min(forced) - effect, effect - max(forced)]
    return max(excess)


STAGES: dict[str, Builder] = {
    "offline_samples": offline_samples,
    "causal_bounds": causal_bounds,
    "exact_bounds": exact_bounds,
    "bounds_at_levels": bounds_at_levels,
    "exact_bounds_at_levels": exact_bounds_at_levels,
    "cp_samples": cp_samples,
    "published_bounds": published_bounds,
    "theorem_4": random_models,
}
