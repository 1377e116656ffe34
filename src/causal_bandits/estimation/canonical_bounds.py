"""Maximum likelihood and optimistic means over the canonical SCMs that counts admit.

All three problems are solved by one iteration, expectation maximisation (EM). With a weight c_x(v) for each cell,

    q_C[j] <- (1 / sum c) sum over (x, v) of c_x(v) b[x, v, C][j] q_C[j] / (b[x, v, C] . q_C) ,

which never decreases the weighted log-likelihood. With c = N, the counts, it is that of the data. With kappa more on
one cell it maximises kappa log P_x(v) + log-likelihood. With kappa P_x(v; q) more on each event of reward 1, taken anew
in each sweep, it never decreases kappa E[Y | do(x)] + log-likelihood, since P >= P_old (1 + log(P / P_old)).

The largest value at which the log-likelihood lies at most ``level`` below its maximum is sought over kappa, the inverse
of the multiplier.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.compiled import jit
from causal_bandits.models.canonical import CanonicalArms, Products

#: The most sweeps of one maximisation, and the gain of a sweep, over the size of what is maximised, that ends it.
SWEEPS, GAIN = 1_000, 1e-8
#: The least and the largest log kappa, and the most values that are tried.
LEAST, LARGEST, TRIED = -8.0, 16.0, 24
#: The search over kappa ends where the log-likelihood is this near to its level, as a share of it ...
NEAR = 0.05
#: ... or where a better value cannot be larger by more than this.
GAP = 1e-4
#: How much of the uniform distribution a start has: EM cannot leave a zero.
MIXED, MIXED_AGAIN = 0.1, 0.01
#: Instead of a probability of zero.
TINY = 1e-300


class Counted(NamedTuple):
    """Counts of the observations, and working memory for `fit`.

    Attributes
    ----------
    cells : float64 array, shape (cells,)
        N_x(v), arm by arm.
    rows : float64 array, shape (rows,)
        How often the conditions of each row were seen.
    plays : float64 array, shape (arms,)
        N_x.
    weight, probability : float64 arrays, shape (rows,)
        Memory.
    new : float64 array, shape (length of q,)
        Memory.
    """

    cells: FloatArray
    rows: FloatArray
    plays: FloatArray
    weight: FloatArray
    probability: FloatArray
    new: FloatArray


def nothing_counted(arms: CanonicalArms) -> Counted:
    """Create the counts of no rounds."""
    rows = len(arms.row_hidden)
    return Counted(
        np.zeros(len(arms.rewarded)),
        np.zeros(rows),
        np.zeros(len(arms.stride)),
        np.empty(rows),
        np.empty(rows),
        np.empty(arms.size),
    )


@jit
def count(arms: CanonicalArms, counted: Counted, x: int, cell: int) -> None:
    """Count one round of arm ``x`` that ended in a cell."""
    counted.plays[x] += 1
    counted.cells[cell] += 1
    for k in range(arms.cells.start[cell], arms.cells.start[cell + 1]):
        counted.rows[arms.cells.row[k]] += 1


@jit
def uniform(arms: CanonicalArms, q: FloatArray) -> None:
    """Write the uniform distribution of every hidden variable into ``q``."""
    for u in range(len(arms.hidden_start) - 1):
        first, last = arms.hidden_start[u], arms.hidden_start[u + 1]
        q[first:last] = 1.0 / (last - first)


@jit
def mix(arms: CanonicalArms, q: FloatArray, share: float) -> None:
    """Move ``q`` towards the uniform distribution by a share."""
    for u in range(len(arms.hidden_start) - 1):
        first, last = arms.hidden_start[u], arms.hidden_start[u + 1]
        for j in range(first, last):
            q[j] = (1 - share) * q[j] + share / (last - first)


@jit
def row_probabilities(arms: CanonicalArms, q: FloatArray, probability: FloatArray) -> None:
    """Write b . q of every row into ``probability``."""
    for r in range(len(probability)):
        total = 0.0
        for k in range(arms.row_start[r], arms.row_start[r + 1]):
            total += q[arms.member[k]]
        probability[r] = max(total, TINY)


@jit
def product_probability(products: Products, number: int, probability: FloatArray) -> float:
    """Compute the probability of an event from those of its rows."""
    found = 1.0
    for k in range(products.start[number], products.start[number + 1]):
        found *= probability[products.row[k]]
    return found


@jit
def fit(
    arms: CanonicalArms,
    counted: Counted,
    products: Products,
    first: int,
    last: int,
    logarithm: bool,
    kappa: float,
    q: FloatArray,
) -> tuple[float, float]:
    """Maximise kappa G(q) + log-likelihood by EM, from ``q``, which is overwritten.

    G is the sum of the probabilities of the events ``first`` to ``last`` of ``products``, or the logarithm of that of
    one event. With ``kappa`` 0 it is maximum likelihood.

    Returns
    -------
    goal, likelihood : float
        G and the log-likelihood, without the constant of the counts' entropy, at the final ``q``.
    """
    p, weight, new = counted.probability, counted.weight, counted.new
    goal, likelihood, before = 0.0, 0.0, -np.inf
    for _ in range(SWEEPS):
        row_probabilities(arms, q, p)
        likelihood, goal = 0.0, 0.0
        for r in range(len(p)):
            weight[r] = counted.rows[r]
            if weight[r] > 0:
                likelihood += weight[r] * np.log(p[r])
        for k in range(first, last):
            own = product_probability(products, k, p)
            goal += own
            extra = kappa if logarithm else kappa * own
            for i in range(products.start[k], products.start[k + 1]):
                weight[products.row[i]] += extra
        if logarithm:
            goal = np.log(max(goal, TINY))
        value = likelihood + kappa * goal
        if value - before <= GAIN * (abs(likelihood) + kappa):
            break
        before = value
        new[:] = 0.0
        for r in range(len(p)):
            if weight[r] > 0:
                share = weight[r] / p[r]
                for k in range(arms.row_start[r], arms.row_start[r + 1]):
                    new[arms.member[k]] += share
        for u in range(len(arms.hidden_start) - 1):
            total = 0.0
            for j in range(arms.hidden_start[u], arms.hidden_start[u + 1]):
                new[j] *= q[j]
                total += new[j]
            if total > 0:
                for j in range(arms.hidden_start[u], arms.hidden_start[u + 1]):
                    q[j] = new[j] / total
    return goal, likelihood


@jit
def most_likely(arms: CanonicalArms, counted: Counted, q: FloatArray) -> float:
    """Move ``q`` to the maximum of the likelihood; return the log-likelihood there (see `fit`)."""
    mix(arms, q, MIXED_AGAIN)
    return fit(arms, counted, arms.cells, 0, 0, False, 0.0, q)[1]


@jit
def saturated(arms: CanonicalArms, counted: Counted) -> float:
    """Compute the log-likelihood of the empirical distributions of all arms, which no model exceeds."""
    total = 0.0
    for x in range(len(counted.plays)):
        for k in range(arms.cells.arm_start[x], arms.cells.arm_start[x + 1]):
            if counted.cells[k] > 0:
                total += counted.cells[k] * np.log(counted.cells[k] / counted.plays[x])
    return total


@jit
def largest_within(
    arms: CanonicalArms,
    counted: Counted,
    products: Products,
    first: int,
    last: int,
    logarithm: bool,
    best: float,
    level: float,
    log_kappa: float,
    q: FloatArray,
) -> tuple[float, float]:
    """Find the largest G(q) at which the log-likelihood is at least ``best - level``.

    For a log kappa near the level, G + (level - (best - log-likelihood)) / kappa is taken: where the problem is concave
    it is an upper bound by duality, whose distance from the largest G is of second order in that of kappa.

    Parameters
    ----------
    arms, counted, products, first, last, logarithm
        See `fit`.
    best : float
        The largest log-likelihood.
    level : float
        > 0.
    log_kappa : float
        Where the search begins.
    q : float64 array
        The start of EM, positive; overwritten with the maximiser.

    Returns
    -------
    value, log_kappa : float
        The largest G, at most 1 or log 1, and where it was found.
    """
    low, high, s, value = LEAST, LARGEST, log_kappa, 0.0
    for _ in range(TRIED):
        kappa = np.exp(s)
        goal, likelihood = fit(arms, counted, products, first, last, logarithm, kappa, q)
        drop = best - likelihood
        value = goal + (level - drop) / kappa
        if abs(drop - level) <= NEAR * level or 0 <= level - drop <= GAP * kappa or high - low < 1e-6:
            break
        if drop < level:
            low = s
        else:
            high = s
        step = 0.5 * np.log(level / max(drop, 1e-3 * level))  # the drop grows as the square of a small kappa
        after = s + min(max(step, -2.0), 2.0)
        s = after if low < after < high else 0.5 * (low + high)
        mix(arms, q, MIXED_AGAIN)
    return min(value, 0.0 if logarithm else 1.0), s
