"""What every algorithm promises that works on a named tuple of arrays, one reward at a time."""

import json

import numpy as np
import pytest

from causal_bandits.play.run import play
from causal_bandits.policies.base import IncrementalPolicy
from causal_bandits.policies.registry import ALGORITHMS, load
from causal_bandits.seeding import generators

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


class Wrong(IncrementalPolicy):
    start = learn = expectations = lambda self, *of: ()

    def __init__(self, arm):
        self.choose = lambda *of: arm


@pytest.mark.parametrize("arm", [-1, 0.0, True, 10**6])
def test_an_arm_that_there_is_not_is_refused(arm, lee2019_task):
    Wrong.__abstractmethods__ = frozenset()
    with pytest.raises(ValueError, match=f"Wrong.choose returned {arm!r} in round 0; arms are the integers"):
        play(Wrong(arm), lee2019_task, 5, generators(1, "wrong", 0))
