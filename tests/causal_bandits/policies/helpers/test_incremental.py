"""What every algorithm promises that works on a named tuple of arrays, one reward at a time."""

import json

import numpy as np
import pytest

from causal_bandits.online import OnlineBandit
from causal_bandits.policies.registry import ALGORITHMS, load

INCREMENTAL = [name for name in sorted(ALGORITHMS) if hasattr(load(name), "learn")]


def state_after(policy, arms, rounds):
    rng, state = np.random.default_rng(0), policy.start(arms)
    for _ in range(rounds):
        arm = policy.choose(state, rng)
        assert arm in range(arms)
        policy.learn(state, arm, float(rng.random() < 0.5))
    return state


@pytest.mark.parametrize("name", INCREMENTAL)
def test_the_state_is_arrays_that_json_keeps(name):
    policy = load(name)()
    state = state_after(policy, 3, 200)
    for array in state:
        kept = np.array(json.loads(json.dumps(array.tolist())), dtype=array.dtype)
        np.testing.assert_array_equal(kept, array)


@pytest.mark.parametrize("name", INCREMENTAL)
def test_a_state_for_more_arms_makes_room_for_new_ones(name):
    """The entries of the arms come first, or the array does not depend on the number of arms."""
    policy = load(name)()
    old, new = state_after(policy, 3, 200), policy.start(5)
    for before, after in zip(old, new, strict=True):
        after[: len(before)] = before
    np.testing.assert_array_equal(policy.expectations(new)[:3], policy.expectations(old))
    np.testing.assert_array_equal(policy.expectations(new)[3:], policy.expectations(policy.start(2)))


@pytest.mark.parametrize("name", INCREMENTAL)
def test_it_plays_online_and_learns_from_rewards_of_its_range(name):
    policy = load(name)()
    bandit = OnlineBandit(policy, ["a", "b"])
    for reward in policy.rewards:
        if np.isfinite(reward):
            bandit.update(0, reward)
    bandit.update(1, 0.5)
    assert np.isfinite(bandit.expectations()).sum() >= 1
