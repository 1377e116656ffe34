"""Estimated discrepancies between the groups of a sensitive attribute (huang2022, Eq. 9 and 10)."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.estimation.cells import CellMeans
from causal_bandits.models.fair import FairBandit


class Counterparts(NamedTuple):
    """The contexts that give a context's counterfactual reward, for both sensitive states.

    Attributes
    ----------
    contexts : int64 array, shape (contexts, 2, joint states of the descendants)
        The contexts with that sensitive state: one, or one for each joint state b of the context variables that descend
        from the sensitive variable.
    weighting : int64 array, shape (contexts, 2)
        The context whose P(z | x, a) weights the cells: the counterpart if the mean is identifiable (Eq. 8), else the
        user's own context, for the bounds (Theorem 2).
    """

    contexts: IntArray
    weighting: IntArray


def counterparts(problem: FairBandit) -> Counterparts:
    """Return the counterparts of a problem's contexts; computed once for all seeds."""
    if "counterparts" not in problem.memory:
        own = np.arange(len(problem.contexts))
        weighting = np.stack([own, own], axis=1) if problem.descendants else problem.alike
        problem.memory["counterparts"] = Counterparts(problem.in_groups, weighting)
    return cast(Counterparts, problem.memory["counterparts"])


@jit
def estimated_discrepancies(
    means: CellMeans, counterparts: Counterparts, context: int, arms: IntArray, discrepancies: FloatArray
) -> None:
    """Write the estimate of ``|mu_{a,s+} - mu_{a,s-}|`` of each of ``arms`` (Eq. 9 and 10).

    Where the means are not identifiable, it is the largest difference that the estimated bounds of Theorem 2 allow.
    """
    cells, lower, upper = means.cells, np.empty(2), np.empty(2)
    for i in range(len(arms)):
        arm = arms[i]
        for s in range(2):
            lower[s], upper[s], weighting = 0.0, 0.0, counterparts.weighting[context, s]
            for k in range(cells.cell.shape[2]):
                least, largest = np.inf, -np.inf
                for other in counterparts.contexts[context, s]:
                    mean = means.mean[cells.cell[other, arm, k]]
                    least, largest = min(least, mean), max(largest, mean)
                lower[s] += cells.weight[weighting, arm, k] * least
                upper[s] += cells.weight[weighting, arm, k] * largest
        discrepancies[i] = max(upper[1] - lower[0], upper[0] - lower[1])
