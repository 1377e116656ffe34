"""Thompson sampling for normal rewards: the choices of a plain twin, the posterior, and what it needs of rewards."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from single_node import copying_bandits
from twins.same import assert_same_choices

from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.policies.classical.normal_thompson import NormalThompson


@dataclass
class PlainNormalThompson(StepwisePolicy):
    """Posteriors of normal means with unknown variances, from all rewards."""

    alpha: float = -1.0

    def start(self, problem, horizon):
        self.own = {arm: [] for arm in range(problem.empty)}

    def update(self, arm, states, reward):
        self.own[arm].append(reward)

    def select(self, t, context, rng):
        fewest = min(self.own, key=lambda a: (len(self.own[a]), a))
        if len(self.own[fewest]) < max(2, 3 - math.floor(2 * self.alpha)):
            return fewest
        squares = {a: len(r) * np.var(r) for a, r in self.own.items()}
        draws = []
        for a, r in self.own.items():
            n, s = len(r), squares[a]
            if len(set(r)) == 1:
                s = n * sum(squares.values()) / sum(len(other) - 1 for other in self.own.values())
            nu = n + 2 * self.alpha - 1
            t = rng.standard_normal() / math.sqrt(2 * rng.standard_gamma(nu / 2) / nu)
            draws.append(np.mean(r) + t * math.sqrt(s / (n * nu)))
        return int(np.argmax(draws))


@settings(max_examples=40)
@given(copying_bandits(max_nodes=4), st.sampled_from([-0.25, -0.5, -1.0, -2.0]), st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(bandit, alpha, seed):
    assert_same_choices(NormalThompson(alpha), PlainNormalThompson(alpha), bandit, seed, 150)


def filled(policy, rewards):
    state = policy.start(len(rewards))
    for arm, listed in enumerate(rewards):
        for reward in listed:
            policy.learn(state, arm, reward)
    return state


def test_the_choice_between_two_arms_has_the_posteriors_probability():
    """P(arm 1 is better), the difference of two scaled t variables, by simulation with SciPy's t distribution."""
    rewards = [[1.0, 2.0, 4.0, 0.5, 3.0, 2.5], [2.0, 2.5, 3.5, 3.0, 1.0]]
    policy, rng = NormalThompson(-1.0), np.random.default_rng(2)
    state = filled(policy, rewards)
    chosen = np.mean([policy.choose(state, rng) for _ in range(20_000)])
    draws = []
    for listed in rewards:
        n, degrees = len(listed), len(listed) - 3
        scale = math.sqrt(n * np.var(listed) / (n * degrees))
        draws.append(np.mean(listed) + scale * stats.t(degrees).rvs(200_000, random_state=rng))
    assert abs(chosen - np.mean(draws[1] > draws[0])) < 0.012


def test_rewards_of_any_size_and_place_are_played_alike():
    """Choices do not change if all rewards are scaled and shifted."""
    rng, runs = np.random.default_rng(1), []
    noise = rng.standard_normal(400)
    for scale, shift in ((1.0, 0.0), (1e6, -3e6), (1e-6, 5e-6)):
        policy, own = NormalThompson(), np.random.default_rng(5)
        state, arms = policy.start(3), []
        for z in noise:
            arms.append(policy.choose(state, own))
            policy.learn(state, arms[-1], shift + scale * (0.5 * arms[-1] + z))
        runs.append(arms)
    assert runs[0] == runs[1] == runs[2]
    assert np.bincount(runs[0], minlength=3).argmax() == 2


def test_an_arm_of_equal_rewards_is_not_given_up():
    """Its own spread is zero; that of all arms stands in, so that it is played again and can prove better."""
    rng = np.random.default_rng(3)
    policy = NormalThompson()
    state = filled(policy, [[0.0] * 5, rng.normal(0.2, 1, 50)])
    chosen = np.mean([policy.choose(state, rng) for _ in range(2000)])
    assert 0.1 < chosen < 0.9


@pytest.mark.parametrize(("alpha", "first"), [(-0.25, 4), (-0.5, 4), (-1.0, 5), (-2.0, 7)])
def test_every_arm_is_played_often_enough_for_a_posterior(alpha, first):
    policy, rng = NormalThompson(alpha), np.random.default_rng(0)
    state, arms = policy.start(2), []
    for _ in range(2 * first):
        arms.append(policy.choose(state, rng))
        policy.learn(state, arms[-1], rng.normal())
    assert arms == [0, 1] * first
    assert np.isnan(policy.expectations(policy.start(1))).all()
