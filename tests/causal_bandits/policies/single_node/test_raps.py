"""RAPS: the choices of a plain twin, how often it is right, and horizons that are too short."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from single_node import copying_bandits, small_tree
from twins.same import assert_same_choices
from twins.single_node import PlainRAPS

from causal_bandits.models.single_node import Told
from causal_bandits.play.run import play
from causal_bandits.policies.helpers.repeated_play import TooFewRoundsError
from causal_bandits.policies.single_node.raps import RAPS
from causal_bandits.seeding import generators


@settings(max_examples=15)
@given(copying_bandits(max_nodes=4), st.integers(0, 10**6))
def test_raps_makes_the_choices_of_the_plain_one(bandit, seed):
    told = Told(epsilon=0.9, reward_gap=0.9)  # few samples: mistakes are made, and the twins make the same
    bandit = bandit.with_told(told)
    times = RAPS().samples(bandit)
    assert_same_choices(RAPS(too_short="cut off"), PlainRAPS(), bandit, seed, 14 * times)


def test_raps_plays_each_arm_as_often_as_its_source_asks():
    """L127, by hand for n = 8 and K = 3: by the reward's gap or, if epsilon is smaller, by the frequencies."""
    bandit = small_tree(0)
    of_rewards, of_states = (bandit.with_told(Told(epsilon=e, reward_gap=0.3)) for e in (0.2, 0.1))
    assert RAPS(0.05).samples(of_rewards) == 2935  # 32 / 0.09 ln(8 * 24 / 0.05) = 355.556 * 8.25323 = 2934.48
    assert RAPS(0.05).samples(of_states) == 9146  # 8 / 0.01 ln(8 * 24^2 / 0.05) = 800 * 11.43128 = 9145.03


def test_raps_finds_the_reward_variable_as_often_as_it_promises():
    found = [play(RAPS(0.1), small_tree(draw), 400_000, generators(1, "raps", draw)).outcome for draw in range(12)]
    assert np.mean([outcome["correct"] for outcome in found]) >= 0.9


def test_raps_refuses_a_horizon_that_ends_before_its_search_and_says_what_it_needs():
    bandit = small_tree(0)
    times = RAPS().samples(bandit)
    message = f"horizon={3 * times} is too short for the search: each arm is played B={times} times, and 8 of 8"
    with pytest.raises(TooFewRoundsError, match=message):
        play(RAPS(), bandit, 3 * times, generators(1, "raps", 0))


def test_raps_that_may_be_cut_off_has_no_outcome():
    bandit = small_tree(0)
    for times in (1, 3):  # while it observes, and while it searches
        horizon = times * RAPS().samples(bandit) - 1
        run = play(RAPS(too_short="cut off"), bandit, horizon, generators(1, "raps", 0))
        assert len(run.arms) == horizon
        assert run.outcome == {}
