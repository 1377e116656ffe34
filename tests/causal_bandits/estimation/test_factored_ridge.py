"""Ridge regression by a Cholesky factor, against exact fractions, whatever the scale of the features."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.estimation import factored_ridge


def solved(a, b):
    """Solve a x = b by Gauss's elimination, in fractions; a is positive definite."""
    rows = [[*row, value] for row, value in zip(a, b, strict=True)]
    for i, pivot in enumerate(rows):
        for other in rows[i + 1 :]:
            share = other[i] / pivot[i]
            for j in range(i, len(pivot)):
                other[j] -= share * pivot[j]
    x = [Fraction(0)] * len(rows)
    for i in reversed(range(len(rows))):
        x[i] = (rows[i][-1] - sum(rows[i][j] * x[j] for j in range(i + 1, len(rows)))) / rows[i][i]
    return x


def exactly(samples, penalty, at):
    """theta' x and x' A^-1 x at ``at``, from samples (x, reward, weight)."""
    d = len(at)
    a = [[Fraction(penalty) if i == j else Fraction(0) for j in range(d)] for i in range(d)]
    b, at = [Fraction(0)] * d, [Fraction(v) for v in at]
    for x, reward, weight in samples:
        x = [Fraction(v) for v in x]
        for i in range(d):
            b[i] += Fraction(weight) * Fraction(reward) * x[i]
            for j in range(d):
                a[i][j] += Fraction(weight) * x[i] * x[j]
    theta = solved([row[:] for row in a], b)
    inverse_at = solved(a, at)
    return float(sum(t * v for t, v in zip(theta, at, strict=True))), float(
        sum(u * v for u, v in zip(inverse_at, at, strict=True))
    )


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(0, 15), st.sampled_from([0.1, 1.0, 30.0]))
def test_estimates_and_widths_are_those_of_exact_arithmetic(seed, d, n, penalty):
    rng = np.random.default_rng(seed)
    scales = 10.0 ** rng.integers(-3, 10, d)
    shifts = rng.integers(0, 2, d) * 3
    samples = [(scales * (rng.normal(size=d) + shifts), rng.normal(), rng.exponential(2)) for _ in range(n)]
    models = rng.integers(0, 2, n)
    state = factored_ridge.start(2, d, penalty)
    for model, (x, reward, weight) in zip(models, samples, strict=True):
        factored_ridge.learn(state, model, x, reward, weight)
    for model in range(2):
        at = scales * (rng.normal(size=d) + shifts)
        mean, square = exactly([s for s, m in zip(samples, models, strict=True) if m == model], penalty, at)
        estimate = factored_ridge.indices(state, at[None], 2, 0.0)[model]
        width = factored_ridge.indices(state, at[None], 2, 1.0)[model] - estimate
        assert width**2 == pytest.approx(square, rel=1e-6)
        assert estimate == pytest.approx(mean, rel=1e-6, abs=1e-6)


def test_by_hand():
    """One feature: A = 2 + 3 * 4 * 4 = 50, b = 3 * 5 * 4 = 60."""
    state = factored_ridge.start(1, 1, 2.0)
    factored_ridge.learn(state, 0, np.array([4.0]), 5.0, 3.0)
    assert factored_ridge.indices(state, np.array([[10.0]]), 1, 3.0) == pytest.approx([12.0 + 3 * np.sqrt(2.0)])
    features = np.array([[10.0], [0.0]])
    assert factored_ridge.indices(state, features, 2, 3.0) == pytest.approx([12.0 + 3 * np.sqrt(2.0), 0.0])
    assert state.factor[0, 0, 0] == pytest.approx(np.sqrt(50))


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        ([([np.inf, 1.0], 1.0)], "features=.*expected finite numbers of at most 1e\\+100"),
        ([([np.nan, 1.0], 1.0)], "features="),
        ([([1e101, 1.0], 1.0)], "features="),
        ([([1.0, 1.0], 1e308)], "reward=1e\\+308: expected finite"),
        ([([1.0, 1.0], -1e308)], "reward=-1e\\+308"),
        ([([1.0, 1.0], 1.0, np.inf)], "weight=inf"),
        ([([1e16, 1e16], 1.0), ([1e16, 1e16], 0.0)], "feature 1 is so large, or so nearly a combination"),
    ],
)
def test_what_double_precision_cannot_hold_is_refused_and_nothing_is_learnt(samples, message):
    state = factored_ridge.start(1, 2, 1.0)
    *_, (x, *rest) = samples
    before = [array.copy() for array in state]
    with pytest.raises(ValueError, match=message):
        factored_ridge.learn(state, 0, np.array(x), *rest)
    for array, kept in zip(state, before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_the_least_pivot_is_a_thousand_roundings():
    state = factored_ridge.start(1, 2, 1.0)
    for size, refused in ((1e12, False), (1e13, True)):  # the second pivot is sqrt(2), its row's length about 1.4 size
        fresh = factored_ridge.FactoredRidge(state.factor.copy(), state.projected.copy())
        x = np.array([size, size])
        if refused:
            with pytest.raises(ValueError, match="loses the regression"):
                factored_ridge.learn(fresh, 0, x, 1.0)
        else:
            factored_ridge.learn(fresh, 0, x, 1.0)
