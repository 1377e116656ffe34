"""Poisson(1) weights: the digits decide as the distribution function does."""

import numpy as np
from scipy import stats

from causal_bandits.compiled import jit
from causal_bandits.estimation.poisson import fill_poisson, new_digits


def draw(n, rounds, rng):
    return draw_into(new_digits((n + 7) // 8 * 8), n, rounds, rng)


@jit
def draw_into(memory, n, rounds, rng):
    weights, drawn = np.zeros(n, np.float32), np.empty(n * rounds)
    for i in range(rounds):
        fill_poisson(weights, n, memory.words, memory.digits, memory.undecided, memory.undecided_words, rng)
        drawn[i * n : (i + 1) * n] = weights
    return drawn


def test_weights_follow_from_the_generators_words():
    """Twin: 16 digits of each weight's uniform number, and the inverse of SciPy's distribution function."""
    n = 512
    drawn = draw(n, 3, np.random.default_rng(7))  # in each round those that follow
    digits = np.random.default_rng(7).bit_generator.random_raw(3 * n // 4).astype("<u8").view("<u2")
    low, high = stats.poisson.ppf(digits / 65536, 1), stats.poisson.ppf((digits + 1 - 1e-9) / 65536, 1)
    low[digits == 0] = 0
    assert (low <= drawn).all()
    assert (drawn <= high).all()
    assert (low == high).mean() > 0.99


def test_digits_that_do_not_decide_are_followed_by_a_uniform_number():
    """One in 8192 weights: its uniform number has these digits first, and those of the generator's next one after."""
    n, rng = 8 * 65536, np.random.default_rng(5)
    drawn = draw(n, 1, np.random.default_rng(5))
    digits = rng.bit_generator.random_raw(n // 4).astype("<u8").view("<u2").astype(int)
    low, high = stats.poisson.ppf(digits / 65536, 1), stats.poisson.ppf((digits + 1 - 1e-9) / 65536, 1)
    low[digits == 0] = 0
    left = np.flatnonzero(low < high)
    assert len(set(digits[left])) == 8  # all that there are
    exact = stats.poisson.ppf((digits[left] + rng.random(len(left))) / 65536, 1)
    assert drawn[left].tolist() == exact.tolist()
    assert 0 < (exact == low[left]).sum() < len(left)
