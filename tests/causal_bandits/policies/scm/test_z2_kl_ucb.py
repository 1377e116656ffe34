"""z2-kl-UCB: the compiled loop makes the choices of Algorithm 3 in plain NumPy."""

import numpy as np
import pytest
from fusing import confounded_pair, even_handed_task, fusing_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from twins.scm import PlainZ2KLUCB, exploration, upper_bound

from causal_bandits.play.run import play
from causal_bandits.policies.scm.z2_kl_ucb import Z2KLUCB
from causal_bandits.seeding import generators


@pytest.mark.parametrize("averaging", ["delta", "online_bootstrap"])
@settings(max_examples=25)
@given(bandit=fusing_bandits(), c=st.sampled_from([0.0, 3.0, 10.0]), seed=st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(averaging, bandit, c, seed):
    """With the delta method, and with a bootstrap whose weights are given, only the choices are random."""
    compiled = play(Z2KLUCB(60, averaging, c=c), bandit, 60, generators(1, "z2", seed))
    plain = PlainZ2KLUCB(60, averaging, c=c)
    np.testing.assert_array_equal(compiled.arms, play(plain, bandit, 60, generators(1, "z2", seed)).arms)
    counted = compiled.extras["clipped"][len(bandit.arms) :]
    np.testing.assert_array_equal(counted, np.cumsum([improper for improper, *_ in plain.log]))
    borrowed = np.diff(compiled.extras["borrowed"], prepend=0.0)[len(bandit.arms) - 1 : -1]  # what the next round has
    np.testing.assert_allclose(borrowed, [weight for *_, weight in plain.log], atol=1e-5)


@pytest.mark.parametrize("averaging", ["delta", "online_bootstrap"])
@pytest.mark.parametrize(("task", "horizon"), [("frontdoor", 600), ("fourvar", 400)])
def test_choices_stay_equal_over_a_long_horizon(task, horizon, averaging):
    problem = even_handed_task(task)
    compiled = play(Z2KLUCB(100, averaging), problem, horizon, generators(1, "long", 2))
    plain = PlainZ2KLUCB(100, averaging)
    np.testing.assert_array_equal(compiled.arms, play(plain, problem, horizon, generators(1, "long", 2)).arms)
    assert plain.log[-1][1] >= 2  # expressions took part


@pytest.mark.parametrize(("solver", "tolerance"), [("early", 4e-6), ("early", 1e-3), ("warm", 1e-8), ("warm", 1e-5)])
def test_choices_stay_equal_where_the_solver_stops_before_the_minimum(solver, tolerance):
    problem, settings = even_handed_task("fourvar"), {"solver": solver, "tolerance": tolerance}
    compiled = play(Z2KLUCB(2, "delta", **settings), problem, 400, generators(1, "stops", 2))
    plain = PlainZ2KLUCB(2, "delta", **settings)
    np.testing.assert_array_equal(compiled.arms, play(plain, problem, 400, generators(1, "stops", 2)).arms)
    borrowed = np.diff(compiled.extras["borrowed"], prepend=0.0)[len(problem.arms) - 1 : -1]
    np.testing.assert_allclose(borrowed, [weight for *_, weight in plain.log], atol=1e-5)
    exact = play(Z2KLUCB(2, "delta"), problem, 400, generators(1, "stops", 2))
    assert np.abs(exact.extras["borrowed"] - compiled.extras["borrowed"]).max() > 1e-3


def test_where_nothing_identifies_it_is_kl_ucb_with_the_betas_of_the_arms():
    """Every average is trivial: mean (ones + 1) / (n + 2), worth n + 3 plays."""
    problem = confounded_pair()
    run = play(Z2KLUCB(), problem, 300, generators(1, "trivial", 0))
    arms, rewards = run.arms, run.rewards
    for t in range(len(problem.arms), 300):
        n = np.bincount(arms[:t], minlength=len(problem.arms))
        mean = (np.bincount(arms[:t], rewards[:t], minlength=len(problem.arms)) + 1) / (n + 2)
        f = exploration((n + 3).sum(), 3.0)
        index = [upper_bound(p, f / plays) for p, plays in zip(mean, n + 3, strict=True)]
        assert index[arms[t]] == pytest.approx(max(index), abs=1e-9)


def test_arms_with_equal_averages_are_chosen_equally_often():
    """After one failure each, arms without expressions tie: the next is any of them."""
    problem = confounded_pair()
    after_failures = []
    for s in range(600):
        run = play(Z2KLUCB(), problem, 4, generators(1, "tie", s))
        if not run.rewards[:3].any():
            after_failures.append(run.arms[3])
    assert len(after_failures) > 30
    assert stats.chisquare(np.bincount(after_failures, minlength=3)).pvalue > 1e-3
