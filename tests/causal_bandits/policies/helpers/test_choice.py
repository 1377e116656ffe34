"""The largest index, ties uniformly at random."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from causal_bandits.policies.helpers.choice import TIE, largest


@given(st.lists(st.floats(-5, 5) | st.just(np.inf), min_size=1, max_size=8), st.integers(0, 10**6))
def test_the_choice_is_among_the_largest(index, seed):
    index = np.array(index)
    assert index[largest(index, np.random.default_rng(seed))] >= index.max() - TIE


def test_ties_are_what_rounding_cannot_tell_apart_and_equally_likely():
    index = np.array([0.5, 1.0, 1.0 - 0.9 * TIE, 1.0 - 2 * TIE, 1.0])
    rng = np.random.default_rng(0)
    chosen = np.bincount([largest(index, rng) for _ in range(3000)], minlength=5)
    assert chosen[[0, 3]].tolist() == [0, 0]
    assert stats.chisquare(chosen[[1, 2, 4]]).pvalue > 1e-3


def test_one_number_of_the_generator_is_used_where_there_is_a_tie():
    used, fresh = np.random.default_rng(1), np.random.default_rng(1)
    assert largest(np.array([0.0, 2.0, 1.0]), used) == 1
    assert used.random() == fresh.random()
    assert largest(np.array([2.0, 2.0, 1.0]), used) == int(fresh.random() * 2)
    assert used.random() == fresh.random()


def test_a_wider_tie_takes_more_in():
    index, rng = np.array([1.0, 0.95, 0.8]), np.random.default_rng(2)
    assert {largest(index, rng, 0.1) for _ in range(50)} == {0, 1}
    assert largest(index, rng, 0.0) == 0
