"""HAC-UCB: the choices and the switch of a plain twin, C-UCB before and UCB after it, and how blind the slack makes."""

import math

import numpy as np
import pytest
from cell_bandits import NAMED, chain, direct
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits
from twins.cells import PlainHACUCB

from causal_bandits.estimation.cells import POOLS, groups_of_arms, observed_parents
from causal_bandits.play.run import play
from causal_bandits.policies.scm import hac_ucb
from causal_bandits.policies.scm.hac_ucb import HACUCB, exploring_rounds, paper_slack
from causal_bandits.seeding import generators


def assert_same_run(compiled, plain, bandit, seed, horizon):
    a, b = (play(policy, bandit, horizon, generators(1, "hac", seed)) for policy in (compiled, plain))
    np.testing.assert_array_equal(a.arms, b.arms)
    np.testing.assert_array_equal(a.rewards, b.rewards)
    assert a.outcome == b.outcome
    return a


@settings(max_examples=20)
@given(bandits(max_nodes=3), st.sampled_from(POOLS), st.sampled_from(["random", "first"]), st.integers(0, 10**6))
def test_runs_equal_those_of_the_plain_reference(bandit, pool, ties, seed):
    z = observed_parents(bandit)
    plain = PlainHACUCB(z, tuple(groups_of_arms(bandit, z, pool).tolist()), ties)
    assert_same_run(HACUCB(None, ties, pool=pool), plain, bandit, seed, 60)


def test_it_switches_where_the_plain_reference_does():
    """On random models in which Z does not separate the arms from Y: some switch, at the same round."""
    rng, switched = np.random.default_rng(0), []
    for seed in range(20):
        arms = int(rng.integers(2, 4))
        rows = np.full((arms, 2), 0.5) + rng.uniform(-0.02, 0.02, size=(arms, 1)) * [1, -1]
        means = rng.beta(0.1, 0.1, size=(arms, 1)) + np.zeros(2)
        ties = ("random", "random", "first")[seed % 3]
        run = assert_same_run(
            HACUCB(NAMED, ties), PlainHACUCB(NAMED, (0,) * arms, ties), direct(rows, means), seed, 500
        )
        switched.append(run.outcome.get("switched", -1))
    assert 3 <= sum(t > 0 for t in switched) <= 17


def test_how_long_it_explores():
    """E = 2, 3, 3, 4, 5 rounds of each of 20 arms; halves go to the even number."""
    rounds = {500: 2, 1000: 3, 2000: 3, 3000: 4, 5000: 5}
    assert {t: exploring_rounds(20, t) / 20 for t in rounds} == rounds
    assert exploring_rounds(2, 1) == 2 * 2  # 1 / 2 + 1
    assert exploring_rounds(2, 9) == 2 * 2  # 3 / 2 + 1 = 2.5
    bandit = chain([[0.5, 0.5], [0.2, 0.8], [0.9, 0.1]], [0.2, 0.8])
    run = play(HACUCB(), bandit, 100, generators(1, "explore", 0))
    assert exploring_rounds(3, 100) == 12
    assert run.arms[:12].tolist() == [0, 1, 2] * 4


def test_where_z_separates_the_arms_from_the_reward_it_hardly_ever_switches():
    """Of 500 runs on random models at most a few do; the arms' own intervals hold then."""
    rng = np.random.default_rng(1)
    switched = 0
    for seed in range(500):
        bandit = chain(rng.dirichlet(np.ones(2), size=3), rng.random(2))
        switched += "switched" in play(HACUCB(), bandit, 200, generators(1, "benign", seed)).outcome
    assert switched <= 3


def test_after_the_switch_only_the_arms_own_rewards_count():
    """Two arms with the same law of Z and opposite rewards: pooled they are equal, alone 0 and 1."""
    bandit = direct([[0.0, 1.0], [0.0, 1.0]], [[0.5, 0.0], [0.5, 1.0]])
    run = play(HACUCB(NAMED), bandit, 2000, generators(1, "after", 0))
    at = int(run.outcome["switched"])
    assert 44 < at < 400
    before, after = run.arms[exploring_rounds(2, 2000) : at], run.arms[at:]
    assert 0.2 < before.mean() < 0.8  # ties at random
    n, half = float(run.arms.tolist().count(0)), math.sqrt(math.log(2000))
    assert after.mean() > 0.97
    assert half / math.sqrt(n) < 1 + half / math.sqrt(len(run.arms) - n) + 0.2  # arm 0 is as wide as it must be


# ---------------------------------------------------------------------- the slack of the paper


def test_the_slack_is_one_or_more_below_some_250_000_rounds():
    """With 20 arms and two states; s >= 1 exactly as long as T <= (K |Z| log T)^2."""
    assert paper_slack(20, 2, 5000) == pytest.approx(math.sqrt(40 * math.log(5000)) / 5000**0.25)
    assert paper_slack(20, 2, 246_638) >= 1 > paper_slack(20, 2, 246_639)
    for t in (10, 1000, 200_000, 246_000):
        assert paper_slack(20, 2, t) > 1


def test_the_slack_is_that_of_the_arms_and_of_the_states_of_z(monkeypatch):
    """Two arms, and three states."""
    asked = []
    monkeypatch.setattr(hac_ucb, "paper_slack", lambda *of: asked.append(of) or 0.0)
    bandit = direct(np.full((2, 3), 1 / 3), np.full((2, 3), 0.5))
    play(HACUCB(NAMED, slack="paper"), bandit, 100, generators(1, "slack", 0))
    assert asked == [(2, 3, 100)]


def test_with_the_papers_slack_it_never_leaves_c_ucb_here():
    """In worlds in which it switches without: with the slack it plays the arms of C-UCB to the end."""
    bandit = direct([[0.0, 1.0], [0.0, 1.0]], [[0.5, 0.0], [0.5, 1.0]])
    for seed in range(5):
        without, with_slack = (
            play(HACUCB(NAMED, slack=slack), bandit, 2000, generators(1, "slack", seed)) for slack in ("none", "paper")
        )
        at = int(without.outcome["switched"])
        assert with_slack.outcome == {}
        np.testing.assert_array_equal(without.arms[:at], with_slack.arms[:at])
        assert with_slack.regrets.sum() > 10 * without.regrets[at:].sum()
