"""kl-UCB: indices against root finding, and choices against solving for every index."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits
from twins.scm import PlainKLUCB, bernoulli_kl, upper_bound

from causal_bandits.play.run import play
from causal_bandits.policies.classical.kl_ucb import KLUCB, exploration, upper_index
from causal_bandits.seeding import generators


@settings(max_examples=1000)
@given(st.integers(1, 10_000), st.data(), st.floats(0.01, 30), st.floats(0, 1))
def test_index_solves_its_equation(plays, data, f, start):
    p = data.draw(st.integers(0, plays)) / plays
    index = upper_index(p, f / plays, start)
    assert p <= index <= 1
    assert index == pytest.approx(upper_bound(p, f / plays), abs=2e-10)
    if 0 < p < 1 and index < 1 - 1e-9:
        assert bernoulli_kl(p, index) == pytest.approx(f / plays, rel=1e-6, abs=1e-12)


@settings(max_examples=60)
@given(bandits(), st.sampled_from([0.0, 3.0, 10.0]), st.integers(0, 10**6))
def test_choices_equal_those_of_solving_for_every_index(bandit, c, seed):
    compiled = play(KLUCB(c), bandit, 100, generators(1, "kl_ucb", seed))
    plain = play(PlainKLUCB(c), bandit, 100, generators(1, "kl_ucb", seed))
    np.testing.assert_array_equal(compiled.arms, plain.arms)
    np.testing.assert_array_equal(compiled.rewards, plain.rewards)


def test_exploration_function():
    assert [exploration(t, 3.0) for t in (0, 1, 2)] == [1.0] * 3
    assert exploration(100, 3.0) == pytest.approx(math.log(100) + 3 * math.log(math.log(100)))
    assert exploration(100, 0.0) == pytest.approx(math.log(100))
