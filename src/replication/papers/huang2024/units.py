"""Tables of units of huang2024's model, selected or not, and the probability of the reward in them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from causal_bandits.arrays import FloatArray
from replication.papers.huang2024.table1 import ROW_VARIABLES

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
