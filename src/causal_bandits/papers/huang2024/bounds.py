"""Causal bounds and biased estimates of huang2024 from offline data, per seed, context and arm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from causal_bandits.estimation.biased import adjusted, conditional_probability
from causal_bandits.estimation.bounds import BCE
from causal_bandits.papers.huang2024.data import OFFLINE
from causal_bandits.papers.huang2024.problems import CONTEXT, GRAPH, MANIPULABLE, scm
from causal_bandits.stages import Builder, Generators

FloatArray = NDArray[np.float64]


def causal_bounds(seeds: Iterable[int], generators: Generators, offline: str, contextual: bool = True) -> pa.Table:
    """What each seed's offline samples say about E[Y | do(arm), context].

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; nothing is drawn here.
    offline : path
        A table of `data.offline_samples`.
    contextual : bool
        Whether the context is (U1, U2) or there is none.

    Returns
    -------
    table
        Columns ``seed, context, arm`` (numbers as in the bandit) and, as floats, ``count`` (samples of the cell),
        ``cp`` = P(y | x, c, S=1), ``biased`` (Eq. 2: sum over u of P(y | x, u, S=1) P(u | S=1), whatever the context;
        ledger L25), ``biased_conditional`` (Eq. 2 given the context), ``observed`` = P(y | x, S=1), ``lower, upper``
        (conditional substitutes) and ``strict_lower, strict_upper``.

    Raises
    ------
    ValueError
        If a seed's rows are not every joint state once.
    """
    joints = _joints(offline)
    return _table([(seed, joints[seed]) for seed in seeds], contextual)


def exact_bounds(seeds: Iterable[int], generators: Generators, contextual: bool = True) -> pa.Table:
    """The same from the exact distribution of the selected: what infinitely many offline samples say.

    ``count`` is the probability of the cell.
    """
    model = scm()
    return _table([(seed, model.distribution(OFFLINE, given={"S": 1})) for seed in seeds], contextual)


def _joints(offline: str) -> dict[int, NDArray[np.int64]]:
    """Every seed's joint counts of `OFFLINE`, whatever the order of the table's rows."""
    table = pq.read_table(offline)
    states = tuple(table[v].to_numpy() for v in OFFLINE)
    seeds, sample = np.unique(table["seed"].to_numpy(), return_inverse=True)
    joints = np.full((len(seeds), *(scm().cardinality(v) for v in OFFLINE)), -1, dtype=np.int64)
    joints[(sample, *states)] = table["count"].to_numpy()
    if len(table) != joints.size or (joints < 0).any():
        raise ValueError(
            f"{offline}: {len(table)} rows; expected every joint state of {', '.join(OFFLINE)} once a seed"
        )
    return dict(zip(seeds.tolist(), joints, strict=True))


def _table(joints: Sequence[tuple[int, NDArray[Any]]], contextual: bool) -> pa.Table:
    context = CONTEXT if contextual else ()
    methods = {
        "": BCE(GRAPH, MANIPULABLE, context, "Y", selection="S", method="conditional_substitute"),
        "strict_": BCE(GRAPH, MANIPULABLE, context, "Y", selection="S", method="strict"),
    }
    covariates = tuple(sorted(set(CONTEXT) - set(context)))
    rows: list[dict[str, FloatArray]] = []
    for _, joint in joints:
        row = {"count": _marginal(joint, (*context, *MANIPULABLE))}
        row["cp"] = conditional_probability(joint, OFFLINE, MANIPULABLE, context, "Y")
        # Given the whole context nothing is left to adjust for, and Eq. 2 is CP: the column is Eq. 2 as it is printed.
        row["biased"] = adjusted(joint, OFFLINE, MANIPULABLE, (), "Y", CONTEXT, conditional=False)
        row["biased_conditional"] = adjusted(joint, OFFLINE, MANIPULABLE, context, "Y", covariates, conditional=True)
        row["observed"] = conditional_probability(joint, OFFLINE, MANIPULABLE, (), "Y")
        for prefix, method in methods.items():
            row[f"{prefix}lower"], row[f"{prefix}upper"] = method.bounds(joint, OFFLINE)
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
    """The joint table of some variables, one axis each in their order."""
    kept = [OFFLINE.index(v) for v in variables]
    summed = joint.sum(axis=tuple(axis for axis in range(joint.ndim) if axis not in kept))
    return np.asarray(summed.transpose(np.argsort(np.argsort(kept))), dtype=np.float64)


BOUNDS: dict[str, Builder] = {"causal_bounds": causal_bounds, "exact_bounds": exact_bounds}
