"""Many exact Poisson(1) draws at once: the weights of an online bootstrap."""

from __future__ import annotations

from math import ceil, exp, factorial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import kernel, random_word

#: P(weight <= k); beyond 18 the remainder vanishes in double precision.
CUMULATIVE = np.cumsum([exp(-1) / factorial(k) for k in range(19)])

# The first 16 binary digits of a uniform number decide a weight, unless the distribution function jumps within the
# interval that they leave open: 8 cases out of 65536. The weight is at least k + 1 if the digits are at least _UP[k];
# _O0 to _O7 are the undecided digits.
_UP = [ceil(65536 * c) for c in CUMULATIVE[:7]]
_U0, _U1, _U2, _U3, _U4, _U5, _U6 = (np.uint16(up) for up in _UP)
_O0, _O1, _O2, _O3, _O4, _O5, _O6 = (np.uint16(up - 1) for up in _UP)
_O7 = np.uint16(65535)  # contains all jumps from the eighth on


class Digits(NamedTuple):
    """The workspace for random digits: two pairs of fields; the two of a pair share memory.

    Attributes
    ----------
    words : uint64 array, shape (n / 4,)
    digits : uint16 array, shape (n,)
        The memory of ``words``.
    undecided : uint8 array, shape (n,)
    undecided_words : uint64 array, shape (n / 8,)
        The memory of ``undecided``.
    """

    words: NDArray[np.uint64]
    digits: NDArray[np.uint16]
    undecided: NDArray[np.uint8]
    undecided_words: NDArray[np.uint64]

    def __reduce__(self) -> tuple[Any, ...]:
        return _digits_of, (self.words, self.undecided)  # in a copy, too, the two of a pair share memory


def new_digits(n: int) -> Digits:
    """Allocate the workspace for ``n`` weights; n must be a multiple of 8."""
    return _digits_of(np.zeros(n // 4, dtype=np.uint64), np.zeros(n, dtype=np.uint8))


def _digits_of(words: NDArray[np.uint64], undecided: NDArray[np.uint8]) -> Digits:
    return Digits(words, words.view(np.uint16), undecided, undecided.view(np.uint64))


@kernel
def fill_poisson(
    weights: NDArray[np.float32],
    n: int,
    words: NDArray[np.uint64],
    digits: NDArray[np.uint16],
    undecided: NDArray[np.uint8],
    undecided_words: NDArray[np.uint64],
    rng: np.random.Generator,
) -> None:
    """Overwrite ``weights[:n]`` with independent Poisson(1) draws.

    Parameters
    ----------
    weights : float32 array
    n : int
    words, digits, undecided, undecided_words
        The fields of `Digits`, one by one.
    rng : numpy.random.Generator
        One 64-bit word is drawn for every four weights, and one uniform number for every undecided weight.
    """
    one, zero = np.float32(1.0), np.float32(0.0)
    for i in range((n + 3) // 4):
        words[i] = random_word(rng)
    for i in range(n):
        u = digits[i]
        weights[i] = (
            (one if u >= _U0 else zero)
            + (one if u >= _U1 else zero)
            + (one if u >= _U2 else zero)
            + (one if u >= _U3 else zero)
            + (one if u >= _U4 else zero)
            + (one if u >= _U5 else zero)
            + (one if u >= _U6 else zero)
        )
    for i in range(n):
        u = digits[i]
        low = (u == _O0) | (u == _O1) | (u == _O2) | (u == _O3)
        undecided[i] = low | (u == _O4) | (u == _O5) | (u == _O6) | (u == _O7)
    some = np.uint64(0)
    for i in range(len(undecided_words)):
        some |= undecided_words[i]
    if some:
        for i in range(n):
            if undecided[i]:
                uniform = (digits[i] + rng.random()) / 65536.0
                weight = 0
                while weight < 18 and uniform >= CUMULATIVE[weight]:
                    weight += 1
                weights[i] = weight
