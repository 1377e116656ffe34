"""The largest of many random numbers, of which only a few are drawn.

Each arm has a uniform random number U, and its draw increases with U. First, the arms with U > 1 - p are found by
drawing the gaps between them, which are geometric, and these arms' draws are made. All other arms have U <= 1 - p, so
their draws are at most their quantiles of order 1 - p. Only arms whose quantile exceeds the largest draw so far can
still win: a tournament tree of the quantiles finds them. The choice has the same distribution as if all draws were
made.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import inlined

#: The largest p, the share of arms whose draws exceed their quantiles.
LARGEST_SHARE = 0.25


class Share(NamedTuple):
    """The share of arms whose draws exceed their quantiles.

    Attributes
    ----------
    p : float
        In (0, 1/4].
    log_others : float
        log(1 - p).
    """

    p: float
    log_others: float


def share_beyond(arms: int) -> Share:
    """Return the share, at most 1/4, for which arms^0.4 arms are drawn on average.

    It affects only the time per round; this choice is close to the fastest.
    """
    p = min(LARGEST_SHARE, arms**-0.6)
    return Share(p, math.log1p(-p))


@inlined
def skipped(share: Share, rng: np.random.Generator) -> int:
    """Draw the number of arms before the next one whose draw exceeds its quantile."""
    return int(math.log(1.0 - rng.random()) / share.log_others)


@inlined
def contender(quantiles: FloatArray, winners: IntArray, largest: float, node: int) -> int:
    """Return the next leaf of the tree whose quantile exceeds ``largest``, depth first from left to right.

    Parameters
    ----------
    quantiles : float64 array, shape (arms,)
    winners : int64 array
        Their tournament tree; the leaf of arm x is node ``len(winners) // 2 + x``.
    largest : float
        The largest draw so far.
    node : int
        Where the search starts: 1 at first, then `following` of the last leaf.

    Returns
    -------
    int
        0 if there is none.
    """
    size = len(winners) // 2
    while node:
        if winners[node] < 0 or quantiles[winners[node]] <= largest:
            node = following(node)
        elif node < size:
            node *= 2
        else:
            break
    return node


@inlined
def following(node: int) -> int:
    """Return the first node after the subtree of ``node``, depth first from left to right; 0 after the last."""
    while node % 2:
        node //= 2
    return node + 1 if node else 0
