"""A policy written in plain Python goes through the same door as a compiled one."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from causal_bandits.play.run import play
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.seeding import generators


@dataclass
class RoundRobin(StepwisePolicy):
    step: int = 1

    def start(self, problem, horizon):
        self.arms = len(problem.arms)
        self.seen = []

    def select(self, t, context, rng):
        return (t * self.step) % self.arms

    def update(self, arm, states, reward):
        self.seen.append(states)


def test_a_stepwise_policy_is_played_round_by_round(lee2019_task):
    policy = RoundRobin()
    run = play(policy, lee2019_task, 12, generators(1, "robin", 0))
    np.testing.assert_array_equal(run.arms, np.arange(12) % len(lee2019_task.arms))
    assert not hasattr(policy, "seen")


def test_outcomes_hold_the_observed_variables_and_obey_the_arm(lee2019_task):
    class Recorder(RoundRobin):
        outcomes = []  # noqa: RUF012

        def update(self, arm, states, reward):
            self.outcomes.append((arm, states))

    play(Recorder(), lee2019_task, 40, generators(1, "robin", 0))
    for arm, outcome in Recorder.outcomes:
        assert set(outcome) == set(lee2019_task.scm.graph)
        assert lee2019_task.arms[arm].items() <= outcome.items()


def test_a_wrong_arm_is_named(lee2019_task):
    class Wrong(RoundRobin):
        def select(self, t, context, rng):
            return self.returned

    for returned in (99, -1, 1.0, True, None):
        Wrong.returned = returned
        with pytest.raises(ValueError, match=r"Wrong.select returned .* in round 0; arms are the integers 0\.\."):
            play(Wrong(), lee2019_task, 5, generators(1, "robin", 0))


def test_state_never_passes_from_one_run_to_the_next(lee2019_task):
    @dataclass
    class Remembering(RoundRobin):
        played: list = field(default_factory=list)

        def select(self, t, context, rng):
            self.played.append(t)
            return len(self.played) % self.arms

    policy = Remembering()
    runs = [play(policy, lee2019_task, 7, generators(1, "robin", 0)) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].arms, runs[1].arms)
    assert policy.played == []
