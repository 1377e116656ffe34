"""xiong2023's problems, and what the definitions say of them."""

import math

import numpy as np
import pytest

from causal_bandits.policies.glm.ccpe_bglm import constants_of
from causal_bandits.problems.xiong2023 import (
    FENG_CHEN,
    PROBLEMS,
    all_settings,
    chain,
    confounded,
    graded,
    parallel,
    parallel_bglm,
    rare_causes,
    sequential,
    two_gaps,
    two_layers,
)
from replication.papers.xiong2023.theory import Profile, easiness


def named(bandit, values):
    return {frozenset(action.items()): value for action, value in zip(bandit.arms, values, strict=True)}


def action(**states):
    return frozenset(states.items())


def test_the_parallel_graph_with_fair_coins():
    """Section 3: q is the probability of the value set; the threshold is 2 whatever the number of variables."""
    for variables in (2, 5, 30):
        profile = Profile(parallel(variables, 0.6))
        assert profile.q.tolist() == [1.0] + [0.5] * (2 * variables)
        assert (profile.threshold, profile.gap_dependent) == (2, 2)
        assert profile.bandit.means[:4].tolist() == pytest.approx([0.4, 0.1, 0.7, 0.4])
    q = named(parallel(4, 0.5, rare=2, rare_chance=0.1), easiness(parallel(4, 0.5, rare=2, rare_chance=0.1)))
    assert q[action(X3=1)] == pytest.approx(0.1)
    assert q[action(X3=0)] == pytest.approx(0.9)
    assert q[action(X2=1)] == q[action()] / 2 == 0.5
    assert named(parallel(4, 0.5, rare=2), easiness(parallel(4, 0.5, rare=2)))[action(X4=1)] == pytest.approx(0.01)


@pytest.mark.parametrize(("size", "variables"), [(5, 6), (10, 20), (12, 12)])
def test_the_example_after_lemma_1_as_a_bandit(size, variables):
    """q = 1/n, two gaps 1/n, the others at least 1/2: m is n, the gap-dependent threshold 2."""
    profile = Profile(two_gaps(size, variables))
    assert profile.q.tolist() == pytest.approx([1.0] + [1 / size] * variables)
    gaps = np.sort(profile.gaps)
    assert gaps[:2].tolist() == pytest.approx([1 / size, 1 / size])
    assert gaps[2:].min() == pytest.approx(0.5)
    assert (profile.threshold, profile.gap_dependent) == (size, 2)


def test_which_actions_can_be_learnt_by_watching():
    assert easiness(confounded(3, 0.5)).tolist() == [1.0] + [0.0] * 6
    bandit = sequential(0.5)
    q, scm = named(bandit, easiness(bandit)), bandit.glm.to_scm()
    assert q[action(X2=0)] == q[action(X2=1)] == 0
    joint = scm.distribution(["X1", "X3", "X2"])
    assert q[action(X1=1, X3=0)] == pytest.approx(joint[1, 0].min())
    assert q[action(X1=1)] == pytest.approx(0.5)
    assert min(q[action(X3=0)], q[action(X3=1)]) > 0


def test_profiles_come_from_settings_and_know_theorem_3s_class():
    settings = {"problem": "parallel", "variables": 10, "effect": 0.25, "rare": 8, "rare_chance": 0.01}
    profile = Profile.of(settings | {"epsilon": 0.0, "delta": 0.1, "algorithm": "ccpe_general", "alpha_o": 8.0})
    assert profile.in_class
    assert profile.gap_dependent == 8
    assert 0 < profile.lower < profile.hard * np.log(10) < profile.upper < profile.bandit_upper
    assert not Profile(parallel(10, 0.8)).in_class  # its means are too far apart
    for bandit in (two_gaps(10, 20), confounded(3, 0.25), sequential(0.3), two_layers(1)):
        assert not Profile(bandit).in_class


def test_the_models_of_feng_and_chen():
    for causes, (chances, weights) in FENG_CHEN.items():
        bandit = parallel_bglm(causes, 2)
        assert len(bandit.arms) == 1 + 2 * causes + 2 * causes * (causes - 1)
        assert bandit.means[0] == pytest.approx(np.dot(chances, weights))
        assert sum(weights) == pytest.approx(1)
    assert two_layers(1).glm.expectation("Y", {"X4": 1}) == pytest.approx(0.6 + 2 * 0.1 * (0.1 + 0.07 + 0.01))
    # The logistic scores keep the order of the linear probabilities, 4 (s - 1/2).
    linear, logistic = two_layers(1).glm, two_layers(1, "logistic").glm
    p = linear.to_scm().expectation("X5", given={"X2": 1, "X3": 0})
    q = logistic.to_scm().expectation("X5", given={"X2": 1, "X3": 0})
    assert np.log(q / (1 - q)) == pytest.approx(4 * (p - 0.5))


@pytest.mark.parametrize("wrong", [{"variables": 1}, {"rare": 2}, {"values": "zeros"}])
def test_wrong_options_are_refused(wrong):
    with pytest.raises(ValueError, match="expected >= 2"):
        PROBLEMS["parallel"](**{"variables": 3, "effect": 0.3} | wrong)


def test_the_problems_that_the_judges_need():
    assert rare_causes(0.05).means.max() == pytest.approx(0.2 + 0.2 + 0.5 * 0.05)
    assert constants_of(rare_causes(0.05).glm).freedom == pytest.approx(0.05)
    assert [len(all_settings(n).arms) for n in (2, 4)] == [9, 81]
    assert all_settings(3).means.max() == pytest.approx(0.9)
    gaps = Profile(graded(0.01)).gaps
    assert np.diff(gaps[2:]) == pytest.approx(np.full(3, 0.06 * 0.99))
    assert gaps[1] == gaps[2]
    bandit = chain(3, 1)
    assert bandit.glm.expectation("Y", {"X4": 1}) == pytest.approx(0.8)
    assert bandit.glm.expectation("Y", {"X3": 1}) == pytest.approx(0.2 + 0.6 * 0.8)
    odds = chain(1, 1, "logistic").glm.expectation("Y", {"X2": 1})
    assert math.log(odds / (1 - odds)) == pytest.approx(4 * 0.8 - 2)
