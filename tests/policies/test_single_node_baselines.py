"""Gaussian UCB and Thompson sampling on many arms, and RAPS: the very choices of plain twins that look at every arm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from single_node import copying_bandits, small_tree
from twins.single_node import PlainGaussianThompson, PlainGaussianUCB, PlainRAPS

from causal_bandits.evaluation.play import play
from causal_bandits.models.single_node import Told
from causal_bandits.policies.experiments import TooFewRoundsError
from causal_bandits.policies.explore_ends import ExploreEnds
from causal_bandits.policies.gaussian_thompson import GaussianThompson, Posterior, _tail, choose, threshold
from causal_bandits.policies.gaussian_ucb import GaussianUCB
from causal_bandits.policies.raps import RAPS
from causal_bandits.policies.tournament import rematch, runner_up, tournament
from causal_bandits.seeding import generators


def assert_same_choices(compiled, plain, bandit, seed, horizon):
    a = play(compiled, bandit, horizon, generators(1, "twins", seed))
    b = play(plain, bandit, horizon, generators(1, "twins", seed))
    np.testing.assert_array_equal(a.arms, b.arms)
    np.testing.assert_array_equal(a.rewards, b.rewards)
    return a


@settings(max_examples=40)
@given(copying_bandits(), st.booleans(), st.sampled_from([1.0, 2.0]), st.integers(0, 10**6))
def test_ucb_makes_the_choices_of_the_plain_one(bandit, reward_only, exponent, seed):
    compiled = GaussianUCB("reward" if reward_only else "all", exponent)
    assert_same_choices(compiled, PlainGaussianUCB(reward_only, exponent), bandit, seed, 150)


@settings(max_examples=40)
@given(copying_bandits(), st.floats(-1, 1), st.floats(0.1, 3), st.integers(0, 10**6))
def test_thompson_makes_the_choices_of_the_plain_one(bandit, mean, sd, seed):
    assert_same_choices(GaussianThompson(mean, sd), PlainGaussianThompson(mean, sd), bandit, seed, 150)


@settings(max_examples=15)
@given(copying_bandits(max_nodes=4), st.integers(0, 10**6))
def test_raps_makes_the_choices_of_the_plain_one(bandit, seed):
    told = Told(epsilon=0.9, reward_gap=0.9)  # few samples: mistakes are made, and the twins make the same
    bandit = bandit.with_told(told)
    times = RAPS().samples(bandit)
    assert_same_choices(RAPS(too_short="cut off"), PlainRAPS(), bandit, seed, 14 * times)


def test_thompson_draws_fewer_arms_and_chooses_as_if_it_drew_all():
    """Chi-square of 20,000 choices against those of drawing every arm."""
    rng = np.random.default_rng(4)
    mean, sd = rng.normal(size=40), rng.uniform(0.2, 1.5, size=40)
    share = threshold(40)
    most = mean + share.a * sd
    posterior = Posterior(mean, sd, most, tournament(most), np.full(40, -1))
    lazy = np.bincount([choose(posterior, share, t, rng) for t in range(20_000)], minlength=40)
    full = np.bincount((mean + sd * rng.standard_normal((200_000, 40))).argmax(axis=1), minlength=40)
    often = full > 100
    table = np.array([[*lazy[often], lazy[~often].sum()], [*full[often], full[~often].sum()]])
    assert stats.chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize("a", [0.7, 2.0])
def test_numbers_beyond_the_threshold_are_normal(a):
    """Kolmogorov-Smirnov against the normal distribution given that it exceeds ``a``."""
    rng = np.random.default_rng(5)
    drawn = [_tail(a, rng) for _ in range(5000)]
    assert min(drawn) > a
    assert stats.kstest(drawn, stats.truncnorm(a, np.inf).cdf).pvalue > 1e-3


@settings(max_examples=100)
@given(st.lists(st.sampled_from([-np.inf, 0.0, 0.5, 1.0]), min_size=1, max_size=20), st.data())
def test_a_tournament_has_the_first_of_the_largest_keys_on_top(keys, data):
    keys = np.array(keys)
    winners = tournament(keys)
    for _ in range(10):
        assert winners[1] == np.argmax(keys)
        assert runner_up(keys, winners) == np.delete(keys, winners[1]).max(initial=-np.inf)
        changed = data.draw(st.integers(0, len(keys) - 1))
        keys[changed] = data.draw(st.floats(-1, 2))
        rematch(keys, winners, changed)
    assert winners[1] == np.argmax(keys)


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


def test_the_oracle_plays_the_reward_variable_alone():
    bandit = small_tree(0)
    run = play(GaussianUCB("reward"), bandit, 500, generators(1, "oracle", 0))
    assert set(run.arms) == set(bandit.arms_of(bandit.rewarding[0]).tolist())
    everywhere = play(GaussianUCB(), bandit, 500, generators(1, "oracle", 0))
    assert run.regrets.sum() < everywhere.regrets.sum()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GaussianUCB("some"), "arms='some': expected one of all, reward"),
        (lambda: GaussianUCB(exponent=0), "exponent=0: expected a number above 0"),
        (lambda: ExploreEnds(1.0), "explored=1.0: expected a share between 0 and 1"),
        (lambda: GaussianThompson(prior_sd=0), "prior_sd=0: must be > 0"),
        (lambda: RAPS(too_short="stop"), "too_short='stop': expected one of refuse, cut off"),
        (lambda: RAPS(1.0), "confidence=1.0: expected a number between 0 and 1"),
    ],
)
def test_wrong_settings_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
