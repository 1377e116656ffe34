"""Estimated discrepancies between the groups of a sensitive attribute (huang2022, Eq. 9 and 10)."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import kernel
from causal_bandits.estimation.cells import CellMeans
from causal_bandits.models.fair import FairBandit


class Counterparts(NamedTuple):
    """The contexts that give a context's counterfactual reward, for both sensitive states.

    Attributes
    ----------
    contexts : int64 array, shape (contexts, 2, joint states of the descendants)
        The contexts with each sensitive state: one, or one for each joint state b of the context variables that descend
        from the sensitive variable.
    weighting : int64 array, shape (contexts, 2)
        The context whose P(z | x, a) weights the cells: the counterpart if the mean is identifiable (Eq. 8), else the
        user's own context, for the bounds (Theorem 2).
    """

    contexts: IntArray
    weighting: IntArray


def counterparts(problem: FairBandit) -> Counterparts:
    """Return the contexts that give each context's counterfactual reward; computed once for all seeds."""
    if "counterparts" not in problem.memory:
        own = np.arange(len(problem.contexts))
        weighting = np.stack([own, own], axis=1) if problem.descendants else problem.alike
        problem.memory["counterparts"] = Counterparts(problem.in_groups, weighting)
    return cast(Counterparts, problem.memory["counterparts"])


@kernel
def estimated_discrepancies(
    means: CellMeans, counterparts: Counterparts, context: int, arms: IntArray, discrepancies: FloatArray
) -> None:
    """Write the estimate of ``|mu_{a,s+} - mu_{a,s-}|`` for each of ``arms`` (Eq. 9 and 10).

    If the means are not identifiable, it is the largest difference that the estimated bounds of Theorem 2 allow.
    """
    for i in range(len(arms)):
        lower, upper = _bounds(means, counterparts, context, arms[i], 0)
        lower_1, upper_1 = _bounds(means, counterparts, context, arms[i], 1)
        discrepancies[i] = max(upper_1 - lower, upper - lower_1)


@kernel
def _bounds(means: CellMeans, counterparts: Counterparts, context: int, arm: int, s: int) -> tuple[float, float]:
    """Return the estimated bounds on mu_{a,s}, the mean in the group ``s``."""
    cells, weighting, lower, upper = means.cells, counterparts.weighting[context, s], 0.0, 0.0
    for k in range(cells.cell.shape[2]):
        least, largest = np.inf, -np.inf
        for other in counterparts.contexts[context, s]:
            mean = means.mean[cells.cell[other, arm, k]]
            least, largest = min(least, mean), max(largest, mean)
        lower += cells.weight[weighting, arm, k] * least
        upper += cells.weight[weighting, arm, k] * largest
    return lower, upper
