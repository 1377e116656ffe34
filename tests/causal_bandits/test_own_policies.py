"""Algorithms of a user's own, in `play` and in `OnlineBandit`."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits

from causal_bandits.online import OnlineBandit
from causal_bandits.play.run import play
from causal_bandits.policies import (
    StepwisePolicy,
    Thompson,
)
from causal_bandits.policies.base import IncrementalPolicy
from causal_bandits.seeding import generators


class Seen(NamedTuple):
    plays: np.ndarray
    sums: np.ndarray
    rounds: np.ndarray


@dataclass(frozen=True)
class Exploring(IncrementalPolicy):
    """Play the arm with the best mean, with a probability that falls with the rounds any arm."""

    rewards = (-2.0, 2.0)

    c: float = 5.0

    def start(self, arms):
        return Seen(np.zeros(arms, dtype=np.int64), np.zeros(arms), np.zeros(1, dtype=np.int64))

    def choose(self, state, rng):
        if rng.random() < self.c / (self.c + state.rounds[0]):
            return rng.integers(len(state.plays))
        return int(np.nanargmax(self.expectations(state)))

    def learn(self, state, arm, reward):
        state.plays[arm] += 1
        state.sums[arm] += reward
        state.rounds[0] += 1

    def expectations(self, state):
        return np.divide(state.sums, state.plays, out=np.zeros(len(state.sums)), where=state.plays > 0)

    def check(self, state):
        if state.rounds[0] != state.plays.sum():
            raise ValueError("learnt.rounds: expected the sum of plays")


@settings(max_examples=30)
@given(bandits(), st.integers(0, 10**6))
def test_it_chooses_online_as_in_a_run_and_resumes_to_the_bit(bandit, seed):
    run = play(Exploring(), bandit, 60, generators(1, "own", seed))
    online = OnlineBandit(Exploring(), list(bandit.arms), seed=generators(1, "own", seed).policy)
    for t, (arm, reward) in enumerate(zip(run.arms, run.rewards, strict=True)):
        assert online.act() == arm
        online.update(arm, reward)
        if t % 20 == 0:
            online = OnlineBandit.from_json(online.to_json(), own=[Exploring])


def test_arms_come_later_and_a_file_holds_it_all(tmp_path):
    bandit = OnlineBandit(Exploring(c=1.0), ["a", "b"], seed=1)
    for arm, reward in ((0, 1.0), (1, -2.0), (0, 2.0)):
        bandit.update(arm, reward)
    bandit.add_arms(["c"])
    assert bandit.expectations().tolist() == [1.5, -2.0, 0.0]
    bandit.save(tmp_path / "saved.json")
    resumed = OnlineBandit.load(tmp_path / "saved.json", own=[Exploring])
    assert [resumed.act() for _ in range(20)] == [bandit.act() for _ in range(20)]
    assert resumed.policy == Exploring(1.0)


def test_a_reward_out_of_its_range_or_a_broken_state_is_refused():
    bandit = OnlineBandit(Exploring(), ["a", "b"])
    with pytest.raises(ValueError, match=r"reward=3\.0: Exploring learns from rewards in \[-2, 2\]"):
        bandit.update(0, 3.0)
    saved = bandit.to_json()
    with pytest.raises(ValueError, match=r"policy 'Exploring': expected one of Thompson, .*as `own`"):
        OnlineBandit.from_json(saved)
    broken = saved.replace('"rounds": {"type": "int64", "values": [0]}', '"rounds": {"type": "int64", "values": [7]}')
    with pytest.raises(ValueError, match=r"learnt\.rounds: expected the sum of plays"):
        OnlineBandit.from_json(broken, own=[Exploring])


class Stepwise(StepwisePolicy):
    def start(self, problem, horizon):
        pass

    def select(self, t, context, rng):
        return 0

    def update(self, arm, states, reward):
        pass


class Bare(IncrementalPolicy):
    start = choose = learn = expectations = Exploring.choose


@dataclass(frozen=True)
class Lists(Exploring):
    def start(self, arms):
        return [0.0] * arms


@dataclass(frozen=True)
class Texts(Exploring):
    def start(self, arms):
        return Seen(np.array(["a"] * arms), np.zeros(arms), np.zeros(1))


class Sub(Thompson):
    pass


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (
            Stepwise(),
            "keeps its state where it cannot be saved.*your own dataclass that extends Incr",
        ),
        (Bare(), "is not a dataclass, so it has no fields to save"),
        (Lists(), r"Lists\.start returned \[0\.0, 0\.0\]; expected a named tuple of arrays of numbers"),
        (Texts(), r"Texts\.start returned .*; expected a named tuple of arrays of numbers"),
        (Sub(), "expected an instance, one of Thompson"),
    ],
)
def test_what_cannot_be_saved_is_refused_in_words_that_say_what_to_do(policy, message):
    with pytest.raises(TypeError, match=message):
        OnlineBandit(policy, ["a", "b"])


@pytest.mark.parametrize("c", [np.inf, -np.inf, np.float32("nan")])
def test_a_hyper_parameter_that_json_does_not_hold_is_refused_at_once(c):
    with pytest.raises(
        TypeError, match=f"c={c!r}".replace("(", r"\(").replace(")", r"\)") + " of Exploring cannot be saved"
    ):
        OnlineBandit(Exploring(c), ["a", "b"])


@dataclass(frozen=True)
class Dividing(Exploring):
    def learn(self, state, arm, reward):
        state.sums[arm] = np.inf


def test_a_state_that_is_not_finite_is_named_when_it_is_saved():
    bandit = OnlineBandit(Dividing(), ["a", "b"])
    bandit.update(0, 1.0)
    with pytest.raises(
        ValueError, match=r"learnt\.sums: \[inf, 0\.0\]; expected finite numbers; others cannot be saved"
    ):
        bandit.to_json()


@dataclass(frozen=True)
class Wrong(Exploring):
    arm: float = 0.0

    def choose(self, state, rng):
        return self.arm


@pytest.mark.parametrize("arm", [2, -1, 0.0, True])
def test_an_arm_that_there_is_not_is_refused(arm, lee2019_task):
    with pytest.raises(ValueError, match=f"Wrong.choose returned {arm!r}; arms are the integers 0..1"):
        OnlineBandit(Wrong(arm=arm), ["a", "b"]).act()
    beyond = len(lee2019_task.arms) if arm == 2 else arm
    with pytest.raises(ValueError, match=f"Wrong.choose returned {beyond!r} in round 0; arms are the integers"):
        play(Wrong(arm=beyond), lee2019_task, 5, generators(1, "wrong", 0))
