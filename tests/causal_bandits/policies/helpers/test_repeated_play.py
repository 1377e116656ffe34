"""Repeated play of one arm against the worlds played one by one."""

import numpy as np
import pytest
from single_node import small_tree

from causal_bandits.play.run import play
from causal_bandits.policies.helpers.repeated_play import repeat
from causal_bandits.seeding import generators


class Repeating:
    """Plays one arm for some rounds, then another to the end."""

    def __init__(self, times, arms, watched):
        self.times, self.arms, self.watched, self.samples = times, arms, watched, []

    def run(self, bandit, rounds, rng):
        self.samples = [repeat(bandit, rounds, arm, self.times, self.watched) for arm in self.arms]
        return {}


@pytest.mark.parametrize("block", [7, 1000])
def test_a_sample_is_what_the_rounds_show(block):
    bandit, watched, arms = small_tree(0), [2, 5], [4, 9]
    policy = Repeating(30, arms, watched)
    run = play(policy, bandit, 50, generators(1, "repeat", 0), block=block)
    assert run.arms.tolist() == [4] * 30 + [9] * 20
    world = bandit.worlds(0, 50, generators(1, "repeat", 0).environment)
    for sample, arm, rounds in zip(policy.samples, arms, (range(30), range(30, 50)), strict=True):
        played = [bandit.play(world, i, arm) for i in rounds]
        assert sample.rounds == len(rounds)
        assert sample.mean == pytest.approx(np.mean([reward for _, reward in played]), abs=1e-12)
        for row, number in zip(sample.frequencies, watched, strict=True):
            states = [states[bandit.variables[number]] for states, _ in played]
            assert row.tolist() == [states.count(x) / len(rounds) for x in range(bandit.states)]


def test_without_rounds_there_is_no_mean():
    policy = Repeating(20, [0, 1], [0])
    play(policy, small_tree(0), 20, generators(1, "repeat", 0))
    assert policy.samples[1].rounds == 0
    assert np.isnan(policy.samples[1].mean)
    assert policy.samples[1].frequencies.tolist() == [[0, 0, 0]]
