"""Fair-LinUCB, as reconstructed: the very choices of the plain twin, and what its fairness term does."""

import numpy as np
import pytest
from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.contextual import PlainFairLinUCB

from causal_bandits.graphs import ADMG
from causal_bandits.models import DiscreteSCM
from causal_bandits.models.fair import FairBandit
from causal_bandits.play.run import play
from causal_bandits.policies.fair.fair_lin_ucb import FairLinUCB
from causal_bandits.seeding import generators


@settings(max_examples=100)
@given(
    fair_bandits(),
    st.sampled_from([0.1, 1.0]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([1.5, 3.0]),
    st.sampled_from([0.5, 1.0]),
    st.integers(0, 10**6),
)
def test_choices_equal_those_of_the_plain_reference(problem, alpha, alpha_max, gamma, penalty, seed):
    chosen = (alpha, alpha_max, gamma, penalty)
    a, b = (play(p(*chosen), problem, 50, generators(1, "fl", seed)) for p in (FairLinUCB, PlainFairLinUCB))
    np.testing.assert_array_equal(a.arms, b.arms)
    np.testing.assert_array_equal(a.rewards, b.rewards)


def test_the_term_leads_each_group_to_the_arm_that_pays_it_less():
    """Arm 1 pays group 1 only, arm 0 pays both the same and more: the bonus of arm 1 goes to group 0."""
    half = [0.5, 0.5]
    graph = ADMG([("S", "M"), ("X", "M")])
    cpts = {"S": ((), half), "X": ((), half), "M": (("S", "X"), [[[0.2, 0.8], [1, 0]], [[0.2, 0.8], [0.4, 0.6]]])}
    problem = FairBandit(DiscreteSCM(graph, cpts), ("S",), ("X",), {"M": 1.0}, sensitive="S")
    plays = np.zeros((2, 2))
    for seed in range(5):
        arms = play(FairLinUCB(alpha=0.2, alpha_max=1.5), problem, 1000, generators(1, "groups", seed)).arms
        contexts = problem.worlds(0, 1000, generators(1, "groups", seed).environment).contexts
        np.add.at(plays, (contexts, arms), 1)
    share = plays[:, 1] / plays.sum(axis=1)
    assert share[0] > share[1] + 0.1


def test_a_regression_that_loses_its_digits_ends_the_run(fair_task):
    with pytest.raises(ValueError, match="ridge regression 0 of 1: the features or rewards are so large"):
        play(FairLinUCB(penalty=1e-14), fair_task, 400, generators(1, "lost", 0))
