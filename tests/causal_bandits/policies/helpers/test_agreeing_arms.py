"""Which arms a round shows, against the states of the round."""

import numpy as np

from causal_bandits.policies.helpers.agreeing_arms import shows


def test_a_round_shows_an_arm_if_all_that_it_sets_has_its_state(exploration_task):
    """Whichever arm was played; do() is always shown, and so is the arm that was played."""
    bandit, rounds = exploration_task, 60
    world, seen = bandit.worlds(0, rounds, np.random.default_rng(2)), set()
    for i in range(rounds):
        played = i % len(bandit.arms)
        states, _ = bandit.play(world, i, played)
        for number, arm in enumerate(bandit.arms):
            expected = all(states[v] == state for v, state in arm.items())
            assert shows(world, number) == expected
            assert expected or number != played
            seen.add((number, expected))
    assert seen == {(number, told) for number, arm in enumerate(bandit.arms) for told in (True, False) if told or arm}
