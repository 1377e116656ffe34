"""The choice of the largest index, with ties broken at random."""

from __future__ import annotations

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.compiled import jit, kernel

#: Indices that differ by less than this are tied; it is far above rounding errors and far below what samples can tell
#: apart.
TIE = 1e-10


@kernel
def largest(index: FloatArray, rng: np.random.Generator, tie: float = TIE) -> int:
    """Return the position of the largest entry, breaking ties within ``tie`` at random (ledger L54)."""
    first = second = third = fourth = index[0]
    whole = len(index) - len(index) % 4
    for a in range(0, whole, 4):  # four at a time: no comparison waits for the previous one
        first, second = max(first, index[a]), max(second, index[a + 1])
        third, fourth = max(third, index[a + 2]), max(fourth, index[a + 3])
    for a in range(whole, len(index)):
        first = max(first, index[a])
    bound = max(first, second, third, fourth) - tie
    ties = 0
    for a in range(len(index)):
        ties += index[a] >= bound
    chosen = int(rng.random() * ties) if ties > 1 else 0
    for a in range(len(index)):
        if index[a] >= bound:
            if chosen == 0:
                return a
            chosen -= 1
    return 0


@jit
def pick_largest(index: FloatArray, rng: np.random.Generator, tie: float = TIE) -> int:
    """Call `largest` from Python, which cannot call a kernel with a generator."""
    return largest(index, rng, tie)
