"""Estimates that ignore confounding or selection: the baselines of huang2024 (ledger L25)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.count_tables import Table, aligned, ratio


def conditional_probability(
    joint: ArrayLike, variables: Sequence[str], *, treatment: Sequence[str], context: Sequence[str], outcome: str
) -> FloatArray:
    """Estimate P(Y=1 | do(x), c) by P(Y=1 | x, c, S=1): the baseline CP of huang2024.

    Parameters
    ----------
    joint : array, one axis per variable
        P(v | S=1), or counts.
    variables : sequence of str
        The axes.
    treatment, context : sequence of str
    outcome : str
        Binary.

    Returns
    -------
    array, shape (states of context 1, ..., states of treatment 1, ...)
        NaN where the table has no unit with (x, c).

    Raises
    ------
    ValueError
        As in `BCE.bounds`.
    """
    return adjusted(joint, variables, treatment=treatment, context=context, outcome=outcome, covariates=())


def adjusted(
    joint: ArrayLike,
    variables: Sequence[str],
    *,
    treatment: Sequence[str],
    context: Sequence[str],
    outcome: str,
    covariates: Sequence[str],
    conditional: bool = True,
) -> FloatArray:
    """Adjust by Eq. 2 as if selected data were unbiased: the baseline Biased of huang2024 (L25).

    Parameters
    ----------
    joint, variables, treatment, context, outcome
        As in `conditional_probability`.
    covariates : sequence of str
        Z, for example from `admissible_sets` on the graph without S. Members of C count as context if ``conditional``.
    conditional : bool
        Whether to compute ``sum_z P(y | x, c, z, S=1) P(z | c, S=1)``, an estimate of P(y | do(x), c), or
        ``sum_z P(y | x, z, S=1) P(z | S=1)``, an estimate of P(y | do(x)) that is the same for all contexts.

    Returns
    -------
    array, shape (states of context 1, ..., states of treatment 1, ...)
        NaN where the table has no unit in a cell of positive weight.

    Raises
    ------
    ValueError
        As in `BCE.bounds`.
    """
    z = [v for v in covariates if v not in context] if conditional else list(covariates)
    fixed = list(context) if conditional else []
    table = Table.checked(joint, variables, {*treatment, *context, outcome, *covariates}, exactly=False)
    cells = table.marginal([*fixed, *treatment, *z, outcome])
    if cells.shape[-1] != 2:
        raise ValueError(f"outcome: {outcome} has {cells.shape[-1]} states, expected 2")
    weight = table.marginal([*fixed, *z])
    weight = ratio(weight, weight.sum(axis=tuple(range(len(fixed), weight.ndim)), keepdims=True))
    number = {v: i for i, v in enumerate([*fixed, *treatment, *z])}
    weight = aligned([*fixed, *z], weight, number)
    terms = np.where(weight == 0, 0.0, ratio(cells[..., 1], cells.sum(axis=-1)) * weight)
    estimate = terms.sum(axis=tuple(number[v] for v in z))
    if not conditional:
        estimate = np.broadcast_to(estimate, table.shape([*context, *treatment])).copy()
    return np.asarray(estimate)
