"""Tables of units of huang2024's model, selected or not, and Table 1's order of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]

#: Table 1's rows, the first variable slowest.
ROWS = ("X1", "X2", "U1", "U2")
#: Axes of a table of units, all binary.
VARIABLES = (*ROWS, "I1", "Y", "S")


def outcome_given(data: FloatArray, given: Iterable[str]) -> FloatArray:
    """P(Y=1 | given), axes ROWS and I1, of length one where not given."""
    others = tuple(i for i, v in enumerate((*ROWS, "I1")) if v not in given)
    joint = data.sum(axis=others, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(joint[..., 1] / joint.sum(axis=-1))


def in_rows(values: FloatArray) -> FloatArray:
    """An array with axes `ROWS`, or of length one, as the 16 rows of Table 1."""
    return np.broadcast_to(values, (2,) * len(ROWS)).reshape(-1).copy()
