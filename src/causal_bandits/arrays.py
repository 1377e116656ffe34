"""Names for the types of arrays that annotations use, and a sum that rounds alike in all versions of Python."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

#: States of variables, 0 to 126; -1 if a variable is free.
States: TypeAlias = NDArray[np.int8]


def plain_sum(values: Iterable[float]) -> float:
    """Add floats one by one.

    Python's ``sum`` does the same up to 3.11. From 3.12 on it corrects its rounding, which gives other last bits.
    """
    return reduce(add, values, 0.0)
