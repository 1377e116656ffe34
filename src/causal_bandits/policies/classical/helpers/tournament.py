"""A tournament tree: the largest of many keys, updated in logarithmic time when one changes."""

from __future__ import annotations

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import inlined, jit


@jit
def tournament(keys: FloatArray) -> IntArray:
    """Create the tree of ``keys``: entry 1 is the index of the largest key.

    Entry i is the index of the larger of the keys at entries 2i and 2i + 1; a tie goes to the lower index. Entries
    without a key are -1.
    """
    size = 1
    while size < len(keys):
        size *= 2
    winners = np.full(2 * size, -1, dtype=np.int64)
    winners[size : size + len(keys)] = np.arange(len(keys))
    for node in range(size - 1, 0, -1):
        winners[node] = _larger(keys, winners[2 * node], winners[2 * node + 1])
    return winners


@inlined
def rematch(keys: FloatArray, winners: IntArray, changed: int) -> None:
    """Update the tree after the key with index ``changed`` has changed."""
    node = (len(winners) // 2 + changed) // 2
    while node:
        winners[node] = _larger(keys, winners[2 * node], winners[2 * node + 1])
        node //= 2


@inlined
def runner_up(keys: FloatArray, winners: IntArray) -> float:
    """Return the largest key except the winner's; minus infinity if there is no other key."""
    best, node = -np.inf, len(winners) // 2 + winners[1]
    while node > 1:
        other = winners[node ^ 1]
        if other >= 0:
            best = max(best, keys[other])
        node //= 2
    return best


@inlined
def _larger(keys: FloatArray, a: int, b: int) -> int:
    if b < 0 or (a >= 0 and keys[a] >= keys[b]):
        return a
    return b
