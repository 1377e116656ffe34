"""Names for the types of arrays that annotations use."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

BoolArray: TypeAlias = NDArray[np.bool_]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]

#: States of variables, 0 to 126; -1 if a variable is free.
States: TypeAlias = NDArray[np.int8]
