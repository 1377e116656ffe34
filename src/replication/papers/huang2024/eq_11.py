"""Compute Table 1 by a literal reading of Eq. 11 that was found with the table in view (ledger L90).

The reading is ``Q[Y] Q[U1] Q[U2] / p(u1, u2)`` with a Q[Y] that does not condition on u. Q[Y] is P(y | x, S=1) for
Biased, its extremes over i1 for the bounds, and P(y | x) without selection for the truth. On a sample
P(u1) P(u2) / P(u1, u2) is not quite one, and is all that moves with u.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from replication.papers.huang2024.table1_layout import ROW_VARIABLES, outcome_given, rows_of_axes


def literal_columns(table: ArrayLike) -> dict[str, FloatArray]:
    """Compute the five columns of Table 1 by this reading, from a table of units.

    Parameters
    ----------
    table : array, shape (2,) * 7
        Probabilities or counts, axes `table1_layout.VARIABLES`; unselected units included.

    Returns
    -------
    dict from a key of `table1_layout.COLUMNS` to array of shape (16,)
        ``cp`` is P(y | x, u, S=1); all others carry `context_weights`, which are one on exact distributions.
    """
    units = np.asarray(table, dtype=np.float64)
    selected, everybody = units[..., 1], units.sum(axis=-1)
    by_i1 = outcome_given(selected, ("X1", "X2", "I1"))
    biased, unbiased = context_weights(table, selected=True), context_weights(table, selected=False)
    return {
        "cp": rows_of_axes(outcome_given(selected, ROW_VARIABLES)[..., 0]),
        "biased": rows_of_axes(outcome_given(selected, ("X1", "X2"))[..., 0]) * biased,
        "lower": rows_of_axes(by_i1.min(axis=-1)) * biased,
        "upper": rows_of_axes(by_i1.max(axis=-1)) * biased,
        "truth": rows_of_axes(outcome_given(everybody, ("X1", "X2"))[..., 0]) * unbiased,
    }


def context_weights(table: ArrayLike, selected: bool) -> FloatArray:
    """Compute ``P(u1) P(u2) / P(u1, u2)`` in a table of units, in the order of Table 1's rows.

    It is one in the population, where U1 and U2 are independent, given S=1 too; on a sample it is not quite.
    Parameters are as in `literal_columns`; ``selected``: whether only selected units count.
    """
    units = np.asarray(table, dtype=np.float64)
    data = units[..., 1] if selected else units.sum(axis=-1)
    joint = data.sum(axis=(0, 1, 4, 5), keepdims=True)[..., 0, 0] / data.sum()
    return rows_of_axes(joint.sum(axis=3, keepdims=True) * joint.sum(axis=2, keepdims=True) / joint)
