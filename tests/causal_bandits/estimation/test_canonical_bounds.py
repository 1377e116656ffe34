"""Maximum likelihood and optimistic means over canonical SCMs, certified by their duals."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from causal_bandits.estimation.canonical_bounds import (
    count,
    largest_within,
    most_likely,
    nothing_counted,
    saturated,
    uniform,
)
from causal_bandits.graphs import ADMG
from causal_bandits.models import SCMBandit
from causal_bandits.models.canonical import canonical_arms, cell_probabilities
from causal_bandits.models.families import uniform_cpt

#: The first task of Wei et al. 2023; every arm's mean is linear in one hidden variable.
CHAIN = ADMG([("Z", "X"), ("X", "Y")], [("X", "Y")])


def counted_rounds(seed, most=60):
    """A random model on the diagram, and the rounds of its four arms."""
    rng = np.random.default_rng(seed)
    bandit = SCMBandit(uniform_cpt(CHAIN, rng), arm_strategy="possibly_optimal")
    arms = canonical_arms(bandit)
    counted, law = nothing_counted(arms), []
    for x, arm in enumerate(bandit.arms):
        free = [v for v in CHAIN.topological_order if v not in arm]
        law.append(bandit.scm.distribution(free, do=arm).ravel())
        for cell, times in enumerate(rng.multinomial(int(rng.integers(2, most)), law[-1])):
            for _ in range(times):
                count(arms, counted, x, arms.cells.arm_start[x] + cell)
    return arms, counted


def dense(arms):
    """Every row as a 0/1 vector over q."""
    found = np.zeros((len(arms.row_hidden), arms.size))
    for r in range(len(found)):
        found[r, arms.member[arms.row_start[r] : arms.row_start[r + 1]]] = 1
    return found


def ascent(arms, slope, q):
    """By how much a concave function with this slope at q may be larger at another q."""
    ends = zip(arms.hidden_start[:-1], arms.hidden_start[1:], strict=True)
    return sum(slope[a:b].max() - slope[a:b] @ q[a:b] for a, b in ends)


def test_no_model_is_more_likely():
    for seed in range(40):
        arms, counted = counted_rounds(seed)
        q = np.empty(arms.size)
        uniform(arms, q)
        best = most_likely(arms, counted, q)
        assert q.min() >= 0
        np.testing.assert_allclose(np.add.reduceat(q, arms.hidden_start[:-1]), 1)
        used = counted.cells > 0
        assert best == pytest.approx(counted.cells[used] @ np.log(cell_probabilities(arms, q)[used]), rel=1e-6)
        assert best <= saturated(arms, counted) + 1e-9
        rows = dense(arms)
        assert ascent(arms, (counted.rows / np.maximum(rows @ q, 1e-12)) @ rows, q) < 0.05


@pytest.mark.parametrize("logarithm", [False, True])
def test_values_are_the_largest_within_the_set(logarithm):
    """Of the mean of each arm, and of each cell with reward 1, which is a product of two hidden variables' rows.

    Whatever q and the multiplier are, no value within the set is above that of the Lagrangian plus its ascent from q.
    With the best multiplier this bound is met: nothing larger is reached, and nothing smaller is reported.
    """
    for seed in range(20):
        arms, counted = counted_rounds(seed)
        rows, n, q = dense(arms), counted.rows, np.empty(arms.size)
        uniform(arms, q)
        best = most_likely(arms, counted, q)
        level = 1.1 * math.log(counted.plays.sum())
        products = arms.cells if logarithm else arms.events
        for k in np.flatnonzero(arms.rewarded) if logarithm else range(len(arms.events.start) - 1):
            uniform(arms, q)
            own = rows[products.row[products.start[k] : products.start[k + 1]]]
            value, _ = largest_within(arms, counted, products, k, k + 1, logarithm, best, level, 0.0, q)
            goal, slope = (
                (np.log(own @ q).sum(), (1 / (own @ q)) @ own) if logarithm else ((own @ q).sum(), own.sum(axis=0))
            )
            left = n[n > 0] @ np.log(rows[n > 0] @ q) - best + level
            likelier = (n / np.maximum(rows @ q, 1e-12)) @ rows
            bound = minimize_scalar(
                lambda multiplier, at=goal, up=slope, more=likelier, left=left, q=q, arms=arms: (
                    at + multiplier * left + ascent(arms, up + multiplier * more, q)
                ),
                bounds=(0, 3),
                method="bounded",
                options={"xatol": 1e-9},
            ).fun
            assert bound - (0.01 if logarithm else 0.003) < value < bound + 1e-9


def test_without_a_limit_the_largest_mean_is_one():
    arms, counted = counted_rounds(0)
    q = np.empty(arms.size)
    uniform(arms, q)
    best = most_likely(arms, counted, q)
    for x in range(4):
        uniform(arms, q)
        first, last = arms.events.arm_start[x], arms.events.arm_start[x + 1]
        assert largest_within(arms, counted, arms.events, first, last, False, best, 1e6, 0.0, q)[0] > 0.999
