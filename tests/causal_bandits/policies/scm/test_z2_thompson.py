"""z2-TS: the compiled loop makes the choices of Algorithm 3 in plain NumPy."""

import numpy as np
import pytest
from fusing import even_handed_task, fusing_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from twins.scm import PlainZ2Thompson

from causal_bandits.play.run import play
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.scm.z2_thompson import Z2Thompson
from causal_bandits.problems.lee2019 import build
from causal_bandits.seeding import generators


@pytest.mark.parametrize("averaging", ["delta", "online_bootstrap"])
@settings(max_examples=25)
@given(bandit=fusing_bandits(), seed=st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(averaging, bandit, seed):
    """With the delta method, and with a bootstrap whose weights are given, only the choices are random."""
    compiled = play(Z2Thompson(60, averaging), bandit, 60, generators(1, "z2", seed))
    plain = PlainZ2Thompson(60, averaging)
    np.testing.assert_array_equal(compiled.arms, play(plain, bandit, 60, generators(1, "z2", seed)).arms)
    np.testing.assert_array_equal(compiled.extras["clipped"], np.cumsum([improper for improper, *_ in plain.log]))
    borrowed = np.diff(compiled.extras["borrowed"], prepend=0.0)[:-1]  # after a round: what the next one begins with
    np.testing.assert_allclose(borrowed, [weight for *_, weight in plain.log[1:]], atol=1e-5)


@pytest.mark.parametrize("averaging", ["delta", "online_bootstrap"])
@pytest.mark.parametrize(("task", "horizon"), [("frontdoor", 600), ("fourvar", 400)])
def test_choices_stay_equal_over_a_long_horizon(task, horizon, averaging):
    problem = even_handed_task(task)
    compiled = play(Z2Thompson(100, averaging), problem, horizon, generators(1, "long", 2))
    plain = PlainZ2Thompson(100, averaging)
    np.testing.assert_array_equal(compiled.arms, play(plain, problem, horizon, generators(1, "long", 2)).arms)
    assert plain.log[-1][1] >= 2  # expressions took part


def test_bootstrapped_runs_have_the_distribution_of_the_reference_on_other_seeds():
    """Algorithm 2 as it reads, in both: Kolmogorov-Smirnov on the plays of the best arm.

    With 300 quick runs for 30 slow ones the test has the power of two samples of 54.
    """
    problem = even_handed_task("frontdoor")
    best = problem.means.argmax()
    compiled, plain = Z2Thompson(40, "bootstrap"), PlainZ2Thompson(40, "bootstrap")
    plays = [
        [(play(policy, problem, 150, generators(1, name, s)).arms == best).sum() for s in range(seeds)]
        for name, policy, seeds in (("a", compiled, 300), ("b", plain, 30))
    ]
    assert max(taking_part for _, taking_part, _ in plain.log) == 2  # expressions
    assert stats.ks_2samp(*plays).pvalue > 1e-3


@pytest.mark.parametrize("task", ["frontdoor", "fourvar", "sixvar"])
def test_without_expressions_it_is_thompson_sampling(task, build_task):
    """L72: a trivial estimator's Beta(a + 1, b + 1) is the posterior; its parameters are the same but for rounding."""
    problem = build_task(task)
    policies = (("a", Z2Thompson(collections="none")), ("b", Thompson()))
    z2, ts = ([play(policy, problem, 150, generators(1, name, s)) for s in range(150)] for name, policy in policies)
    assert stats.ks_2samp(*([run.regrets.sum() for run in runs] for runs in (z2, ts))).pvalue > 1e-3
    assert {run.extras["borrowed"][-1] for run in z2} == {0}


@pytest.mark.parametrize(("task", "family", "draw"), [("fourvar", "uniform_cpt", 40), ("sixvar", "noisy_xor", 611)])
def test_samples_of_other_arms_lower_the_regret(task, family, draw):
    """By far more than its standard error on these draws; on others the parameters decide (ledger L01)."""
    problem = build(task, family=family, draw=draw).with_arms("possibly_optimal")
    z2, ts = (
        np.mean([play(policy, problem, 5000, generators(1, "gain", s)).regrets.sum() for s in range(15)])
        for policy in (Z2Thompson(), Thompson())
    )
    assert z2 < 0.95 * ts
