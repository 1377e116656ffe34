"""C-UCB: the choices of a plain twin that learns the cells of the reward's parents."""

from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.contextual import PlainCellUCB
from twins.same import assert_same_choices

from causal_bandits.policies.contextual.c_ucb import CUCB

CONFIDENCES = st.sampled_from(["anytime", "horizon"])


@settings(max_examples=60)
@given(fair_bandits(), CONFIDENCES, st.integers(0, 10**6))
def test_c_ucb_learns_the_cells_of_the_rewards_parents(problem, confidence, seed):
    assert_same_choices(CUCB(confidence), PlainCellUCB(tuple(problem.weights), confidence), problem, seed)
