"""Maximum likelihood and optimistic means over canonical SCMs, beside SLSQP and a plain EM."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

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


def by_slsqp(arms, counted, goal, slope, start, best=None, level=1.0):
    """The largest value of a function of q, or of the likelihood if there is none, among all distributions.

    None if the solver fails, or ends in a point that does not keep the conditions.
    """
    rows, n = dense(arms), counted.rows
    used = n > 0

    def likelihood(q):
        return float(n[used] @ np.log(np.maximum(rows[used] @ q, 1e-12)))

    def likelihood_slope(q):
        return (n[used] / np.maximum(rows[used] @ q, 1e-12)) @ rows[used]

    sums = [np.arange(a, b) for a, b in zip(arms.hidden_start[:-1], arms.hidden_start[1:], strict=True)]
    marks = np.array([np.isin(np.arange(arms.size), own) for own in sums], dtype=float)
    limits = [{"type": "eq", "fun": lambda q: marks @ q - 1, "jac": lambda q: marks}]
    if goal is not None:
        limits.append(
            {
                "type": "ineq",
                "fun": lambda q: (likelihood(q) - best) / level + 1,
                "jac": lambda q: likelihood_slope(q) / level,
            }
        )
    else:
        goal, slope = likelihood, likelihood_slope
    found = minimize(
        lambda q: -goal(q),
        start,
        jac=lambda q: -slope(q),
        bounds=[(0, 1)] * arms.size,
        constraints=limits,
        method="SLSQP",
        options={"maxiter": 200, "ftol": 1e-10},
    )
    kept = np.abs(marks @ found.x - 1).max() < 1e-6 and (best is None or likelihood(found.x) > best - level - 1e-4)
    return -found.fun if found.success and kept else None


def test_the_largest_likelihood_is_that_of_slsqp():
    compared = 0
    for seed in range(100):
        arms, counted = counted_rounds(seed)
        q = np.empty(arms.size)
        uniform(arms, q)
        best = most_likely(arms, counted, q)
        assert q.min() >= 0
        np.testing.assert_allclose(np.add.reduceat(q, arms.hidden_start[:-1]), 1)
        used = counted.cells > 0
        assert best == pytest.approx(counted.cells[used] @ np.log(cell_probabilities(arms, q)[used]), rel=1e-6)
        assert best <= saturated(arms, counted) + 1e-9
        uniform(arms, q)
        expected = by_slsqp(arms, counted, None, None, q)
        if expected is not None:
            compared += 1
            assert best == pytest.approx(expected, abs=0.02)
    assert compared > 90


@pytest.mark.parametrize("logarithm", [False, True])
def test_the_largest_values_within_the_set_are_those_of_slsqp(logarithm):
    """Of the mean of each arm, and of each cell with reward 1, which is a product of two hidden variables' rows.

    SLSQP often fails, or stops early; it begins between the most likely model and our maximiser too, so that what it
    attains is attainable, and is never above ours.
    """
    compared = []
    for seed in range(6 if logarithm else 20):
        arms, counted = counted_rounds(seed)
        rows, start, q = dense(arms), np.empty(arms.size), np.empty(arms.size)
        uniform(arms, start)
        best = most_likely(arms, counted, start)
        level = 1.1 * math.log(counted.plays.sum())
        sizes = np.diff(arms.hidden_start)
        products = arms.cells if logarithm else arms.events
        for k in np.flatnonzero(arms.rewarded) if logarithm else range(len(arms.events.start) - 1):
            uniform(arms, q)
            own = rows[products.row[products.start[k] : products.start[k + 1]]]
            value, _ = largest_within(arms, counted, products, k, k + 1, logarithm, best, level, 0.0, q)

            def goal(q, own=own):
                found = np.maximum(own @ q, 1e-12)
                return float(np.log(found).sum()) if logarithm else float(found.sum())

            def slope(q, own=own):
                return (1 / np.maximum(own @ q, 1e-12)) @ own if logarithm else own.sum(axis=0)

            starts = 0.9 * start + 0.1 * np.repeat(1 / sizes, sizes), 0.9 * q + 0.1 * start
            found = [by_slsqp(arms, counted, goal, slope, one, best, level) for one in starts]
            found = [one for one in found if one is not None]
            if found:
                compared.append(math.exp(value) - math.exp(max(found)) if logarithm else value - max(found))
    assert len(compared) > 40
    assert min(compared) > -2e-4
    assert max(compared) < 0.005


def test_without_a_limit_the_largest_mean_is_one():
    arms, counted = counted_rounds(0)
    q = np.empty(arms.size)
    uniform(arms, q)
    best = most_likely(arms, counted, q)
    for x in range(4):
        uniform(arms, q)
        first, last = arms.events.arm_start[x], arms.events.arm_start[x + 1]
        assert largest_within(arms, counted, arms.events, first, last, False, best, 1e6, 0.0, q)[0] > 0.999


def test_a_larger_level_gives_a_larger_value():
    for seed in range(20):
        arms, counted = counted_rounds(seed)
        start, q = np.empty(arms.size), np.empty(arms.size)
        uniform(arms, start)
        best = most_likely(arms, counted, start)
        for x in range(4):
            values = []
            for level in (0.5, 2.0, 8.0):
                uniform(arms, q)
                first, last = arms.events.arm_start[x], arms.events.arm_start[x + 1]
                values.append(largest_within(arms, counted, arms.events, first, last, False, best, level, 0.0, q)[0])
            assert values[0] < values[1] + 1e-3
            assert values[1] < values[2] + 1e-3
            assert values[2] <= 1
