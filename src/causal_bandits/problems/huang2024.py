"""Build the synthetic model of huang2024 (Fig. 2, Table 2) as a bandit with and without context.

The mean reward E[Y | do(x), u] = (u1 + x2 + x1/4)/6 + 0.2541666... is linear in [u1, u2, x1, x2, 1]; u2 has no weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.play.measures.measure import Measure
from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.problems.construction import inputs

#: Fig. 2: user features U, item features X, a mediator I1, the reward Y, the selection S; the dashed C1 is I1 <-> Y.
GRAPH = ADMG(
    directed=[("U1", "X1"), ("U1", "Y"), ("U2", "X2"), ("X1", "I1"), ("X2", "Y"), ("I1", "Y"), ("I1", "S")],
    bidirected=[("I1", "Y")],
)
CONTEXT = ("U1", "U2")
MANIPULABLE = ("X1", "X2")
#: Columns besides seed, context and arm that may tell the rows of a table of bounds apart; options of `build` (ledger
#: L94).
LEVELS = ("confounding", "selection", "offline_draws")
#: Description of a table of bounds, for the error message if it is missing.
BOUNDS = "causal bounds from offline data: replication.papers.huang2024.stages"


def scm(confounding: float = 1.0, selection: float = 1.0) -> DiscreteSCM:
    """Build the model of Table 2, with C1 hidden, or that model with different levels of its biases (ledger L94).

    Parameters
    ----------
    confounding : float
        What C1 adds to I1 and Y, as a multiple of Table 2's; 0 to 2. It is added around its mean, so that
        E[Y | do(x), u] is Table 2's at every level.
    selection : float
        The difference between the two P(S=1 | i1), as a multiple of Table 2's, around the same midpoint; 0 to 1.28.
    """

    def binary(of_one: Callable[..., ArrayLike], parents: Sequence[str]) -> CPT:
        p = np.broadcast_to(of_one(*np.indices((2,) * len(parents))), (2,) * len(parents))
        return CPT(parents, np.stack([1 - p, p], axis=-1))

    def level(c1: ArrayLike) -> ArrayLike:
        return 0.5 + confounding * (np.asarray(c1) - 0.5)

    apart = 0.35 * (selection - 1)
    return DiscreteSCM(
        GRAPH,
        {
            "C1": binary(lambda: 0.5, ()),
            "U1": binary(lambda: 0.4, ()),
            "U2": binary(lambda: 0.6, ()),
            "X1": binary(lambda u1: (u1 + 0.5) / 2, ("U1",)),
            "X2": binary(lambda u2: (u2 + 0.3) / 2, ("U2",)),
            "I1": binary(lambda x1, c1: (x1 + level(c1)) / 4 + 0.3, ("X1", "C1")),
            "Y": binary(lambda c1, u1, x2, i1: (level(c1) + u1 + x2 + i1) / 6 + 0.1, ("C1", "U1", "X2", "I1")),
            "S": binary(lambda i1: np.where(i1 == 1, 0.8 + apart, 0.1 - apart), ("I1",)),
        },
    )


def build(
    context: tuple[str, ...],
    bounds: str | Path | None = None,
    draw: int | None = None,
    confounding: float = 1.0,
    selection: float = 1.0,
    offline_draws: int | None = None,
) -> ContextualBandit:
    """Build the bandit that shows ``context`` and lets an arm set X1 and X2; the reward is Y.

    Parameters
    ----------
    context : tuple of str
        Any of U1 and U2.
    bounds : path, optional
        A Parquet file with what offline data say: one row per ``seed``, ``context`` and ``arm`` (indices of the
        bandit's contexts and arms), and a quantity in every further column (``lower``, ``upper``, ``cp``, ``biased``,
        ``count``, ...). If it has a column named in `LEVELS`, there is one such table per level.
    draw : int, optional
        The seed whose offline data are used; given with ``bounds``. The columns become the problem's prior.
    confounding, selection : float
        Levels of the model (see `scm`), and of the offline data if the table has several.
    offline_draws : int, optional
        The size of the offline sample before selection; needed for a table with several sizes.

    Raises
    ------
    FileNotFoundError, ImportError
        See `causal_bandits.problems.construction.inputs.read`.
    ValueError
        If one of ``bounds`` and ``draw`` is given without the other, a column is missing or not numeric, or the seed's
        rows are not one per context and arm.
    """
    if (bounds is None) != (draw is None):
        raise ValueError(f"bounds={bounds!s}, draw={draw}: expected both (a table and the seed to use) or neither")
    problem = _bandit(context, confounding, selection)
    if bounds is None:
        return problem
    columns = _read(str(bounds), inputs.edited(bounds, BOUNDS))
    chosen, default = dict(zip(LEVELS, (confounding, selection, offline_draws), strict=True)), (1.0, 1.0, None)
    fits = columns["seed"] == draw
    for (name, value), usual in zip(chosen.items(), default, strict=True):
        if name in columns and value is not None:
            fits &= columns[name] == value
        elif value != usual:
            raise ValueError(f"{bounds}: no column {name}, and {name}={value}; expected a table with that level")
    rows = np.flatnonzero(fits)
    cells = [(c, a) for c in range(len(problem.contexts)) for a in range(len(problem.arms))]
    found = list(zip(columns["context"][rows].tolist(), columns["arm"][rows].tolist(), strict=True))
    if sorted(found) != cells:
        raise ValueError(
            f"{bounds}: seed {draw} has {len(found)} rows for {len(set(found))} pairs of context and arm; "
            f"expected each of {len(problem.contexts)} x {len(problem.arms)} once"
        )
    prior = {}
    for name in columns.keys() - {"seed", "context", "arm", *LEVELS}:
        prior[name] = np.empty((len(problem.contexts), len(problem.arms)))
        prior[name][tuple(np.transpose(found))] = columns[name][rows]
    return problem.with_prior(prior)


@lru_cache(maxsize=16)
def _bandit(context: tuple[str, ...], confounding: float, selection: float) -> ContextualBandit:
    """Build the bandit without offline data; seeds differ only in these data, so they share its exact means."""
    return ContextualBandit(scm(confounding, selection), context, MANIPULABLE, {"Y": 1.0})


@lru_cache(maxsize=4)
def _read(path: str, modified: int) -> dict[str, NDArray[np.int64] | FloatArray]:
    """Read the columns of a table of bounds; read them again only if the file was ``modified``."""
    table = inputs.read(path, BOUNDS)
    import pyarrow as pa  # an extra of the library, needed only for such tables

    missing = [name for name in ("seed", "context", "arm") if name not in table.column_names]
    if missing:
        raise ValueError(f"{path}: no column {', '.join(missing)}; it has {', '.join(table.column_names)}")
    columns = {}
    for name in table.column_names:
        kind = table.schema.field(name).type
        is_key = name in ("seed", "context", "arm")
        if not (pa.types.is_integer(kind) or (pa.types.is_floating(kind) and not is_key)):
            raise ValueError(
                f"{path}: column {name!r} is of type {kind}; expected {'integers' if is_key else 'numbers'}"
            )
        columns[name] = table[name].to_numpy().astype(np.int64 if is_key else np.float64)
    return columns


def synthetic(
    bounds: str | Path | None = None,
    draw: int | None = None,
    confounding: float = 1.0,
    selection: float = 1.0,
    offline_draws: int | None = None,
) -> ContextualBandit:
    """Build the bandit of Section 6 with the context U1, U2; ``bounds`` has its offline data.

    Parameters
    ----------
    bounds, draw, confounding, selection, offline_draws
        See `build`. Without them the bandit has no prior.
    """
    return build(CONTEXT, bounds, draw, confounding, selection, offline_draws)


def non_contextual(
    bounds: str | Path | None = None,
    draw: int | None = None,
    confounding: float = 1.0,
    selection: float = 1.0,
    offline_draws: int | None = None,
) -> ContextualBandit:
    """Build the bandit of Section 6 without a context; ``bounds`` has its offline data.

    Parameters
    ----------
    bounds, draw, confounding, selection, offline_draws
        See `build`. Without them the bandit has no prior.
    """
    return build((), bounds, draw, confounding, selection, offline_draws)


#: The problems by name.
PROBLEMS: dict[str, Callable[..., ContextualBandit]] = {"synthetic": synthetic, "non_contextual": non_contextual}

MEASURES: tuple[type[Measure], ...] = (RuledOut,)
