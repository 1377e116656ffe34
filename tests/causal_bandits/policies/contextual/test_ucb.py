"""UCB and UCB-PCB: the choices of a plain twin, clipped by bounds or not."""

import numpy as np
import pytest
from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.contextual import PlainCellUCB
from twins.same import assert_same_choices

from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.policies.contextual.ucb_pcb import UCBPCB
from causal_bandits.seeding import generators

CONFIDENCES = st.sampled_from(["anytime", "horizon"])
UNPLAYED = st.sampled_from(["one", "infinite"])


@settings(max_examples=100)
@given(fair_bandits(), CONFIDENCES, UNPLAYED, st.booleans(), st.booleans(), st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(problem, confidence, unplayed, context_free, clip, seed):
    table = problem.manipulable if context_free else (*problem.context, *problem.manipulable)
    compiled = (UCBPCB if clip else UCB)(context_free, confidence, unplayed)
    assert_same_choices(compiled, PlainCellUCB(table, confidence, unplayed, clip), problem, seed)


@settings(max_examples=60)
@given(fair_bandits(), st.integers(0, 10**6))
def test_ucb_pcb_never_pulls_what_exact_bounds_rule_out(problem, seed):
    """Huang2024, Lemma 6: with bounds that hold, an arm whose upper one is below the best mean is never pulled."""
    run = play(UCBPCB(), problem, 300, generators(1, "lemma", seed), measures=[RuledOut])
    assert run.extras["ruled_out"][-1] == 0


def test_the_bounds_move_the_choices_and_must_be_there(fair_task):
    tight = fair_task.with_prior({"lower": fair_task.means, "upper": fair_task.means})
    run = play(UCBPCB(), tight, 200, generators(1, "tight", 0))
    assert run.regrets.sum() == 0
    assert play(UCB(), tight, 200, generators(1, "tight", 0)).regrets.sum() > 1
    with pytest.raises(ValueError, match="no prior 'lower'"):
        play(UCBPCB(), fair_task.with_prior({}), 10, generators(1, "tight", 0))


def test_ties_are_broken_at_random(fair_task):
    first = [play(UCB(), fair_task, 1, generators(1, "ties", seed)).arms[0] for seed in range(200)]
    assert min(np.bincount(first, minlength=len(fair_task.arms))) > 20


def test_unplayed_arms_come_first_where_their_index_is_infinite(fair_task):
    run = play(UCB(context_free=True, unplayed="infinite"), fair_task, 4, generators(1, "first", 0))
    assert sorted(run.arms) == [0, 1, 2, 3]


def test_of_bounds_that_cross_the_lower_one_counts(fair_task):
    """max{min{U, UCB}, L}: an arm with an upper bound below all and a lower one above all is played."""
    lower, upper = (np.full(fair_task.means.shape, end) for end in (-1e3, 1e3))
    lower[:, 1], upper[:, 1] = 1e6, -1e6
    run = play(UCBPCB(), fair_task.with_prior({"lower": lower, "upper": upper}), 100, generators(1, "cross", 0))
    assert set(run.arms) == {1}
