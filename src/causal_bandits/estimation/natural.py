"""Natural bounds: what data say about an effect whatever the hidden confounding.

Sources: Robins (1989), "The analysis of randomized and non-randomized AIDS treatment trials using a new approach to
causal inference in longitudinal studies"; Manski (1990), "Nonparametric bounds on treatment effects".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.confident_bounds import check_confidence, share_limits
from causal_bandits.estimation.count_tables import Table, ratio


def natural_bounds(
    joint: ArrayLike,
    variables: Sequence[str],
    *,
    treatment: Sequence[str],
    context: Sequence[str],
    outcome: str,
    confidence: float | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Compute bounds on P(y | do(x), c) that hold under any hidden confounding.

    Units treated with x would have had the same outcome under do(x); nothing is known about the others. So
    ``P(y, x | c) <= P(y | do(x), c) <= P(y, x | c) + 1 - P(x | c)``. The context must not be an effect of the
    treatment, and the data must not be selected. Without further assumptions no narrower bounds are valid.

    Parameters
    ----------
    joint : array, one axis per variable
        P(v), or counts.
    variables : sequence of str
        The axes; additional variables are summed over.
    treatment, context : sequence of str
        X (not empty) and C.
    outcome : str
        Y, with any number of states.
    confidence : float, optional
        In (0, 1): then ``joint`` holds counts of independent units, and all bounds hold at once with at least this
        probability, by exact confidence limits of proportions (Clopper and Pearson 1934; the error is split among all
        statements). By default the frequencies are treated as the probabilities.

    Returns
    -------
    lower, upper : arrays, shape (states of context 1, ..., states of treatment 1, ..., states of Y)
        In [0, 1]; [0, 1] in a context without units.

    Raises
    ------
    ValueError
        If a variable is missing or given twice, the treatment is empty, a number is negative or not finite, or, with
        ``confidence``, a number is not a count.

    Examples
    --------
    >>> joint = [[0.41, 0.14], [0.15, 0.30]]  # P(x, y)
    >>> lower, upper = natural_bounds(joint, ["X", "Y"], treatment=["X"], context=[], outcome="Y")
    >>> print(lower[:, 1], upper[:, 1])
    [0.14 0.3 ] [0.59 0.85]
    """
    axes = [*context, *treatment, outcome]
    if not treatment:
        raise ValueError("treatment: no variable given")
    if len(set(axes)) < len(axes):
        raise ValueError(f"a variable has two roles: treatment {list(treatment)}, context {list(context)}, {outcome}")
    table = Table.checked(joint, variables, axes, exactly=False)
    with_outcome = table.marginal(axes)  # n(c, x, y)
    other_outcome = with_outcome.sum(axis=-1, keepdims=True) - with_outcome
    over = tuple(range(len(context), with_outcome.ndim))
    units = with_outcome.sum(axis=over, keepdims=True)
    if confidence is None:
        low, high = (np.nan_to_num(ratio(n, units), nan=0.0) for n in (with_outcome, other_outcome))
        return low, 1.0 - high
    check_confidence(confidence, table)
    error = (1 - confidence) / (2 * with_outcome.size)
    low, high = (share_limits(n, units - n, error)[0] for n in (with_outcome, other_outcome))
    return low, 1.0 - high
