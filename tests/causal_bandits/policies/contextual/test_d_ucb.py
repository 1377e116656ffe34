"""D-UCB: the very choices of the plain twin, and what its separator is worth."""

import numpy as np
import pytest
from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.contextual import PlainCellUCB

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.c_ucb import CUCB
from causal_bandits.policies.contextual.d_ucb import DUCB
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.problems.huang2022 import email
from causal_bandits.seeding import generators


@settings(max_examples=80)
@given(fair_bandits(), st.sampled_from(["anytime", "horizon"]), st.booleans(), st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(problem, confidence, minimal, seed):
    separator = minimal_separator(problem) if minimal else (*problem.manipulable, *problem.weights)
    separator = tuple(dict.fromkeys(separator))
    compiled = DUCB(None if minimal else separator, confidence)
    plain = PlainCellUCB(separator, confidence)
    a, b = (play(policy, problem, 120, generators(1, "d", seed)) for policy in (compiled, plain))
    np.testing.assert_array_equal(a.arms, b.arms)
    np.testing.assert_array_equal(a.rewards, b.rewards)


def test_fewer_cells_less_regret_on_the_email_campaign():
    """Section 4.1: D-UCB below C-UCB below UCB."""
    regrets = [
        [play(policy, email(), 3000, generators(1, "email", seed)).regrets.sum() for seed in range(5)]
        for policy in (DUCB(), CUCB(), UCB())
    ]
    assert np.all(np.diff(regrets, axis=0) > 0)


def test_a_set_that_does_not_separate_is_refused(fair_task):
    with pytest.raises(ValueError, match="leaves the reward d-connected"):
        play(DUCB(("V",)), fair_task, 10, generators(1, "same", 0))
