"""F-UCB: the very choices of the plain twin, and arms that are fair beyond doubt wherever there are some."""

import numpy as np
import pytest
from contextual_strategies import fair_bandits
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from twins.contextual import PlainFUCB

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.play.run import play
from causal_bandits.policies.fair.f_ucb import FUCB, best_mix, mixed
from causal_bandits.seeding import generators

#: Settings under which sets of fair arms are empty, full and between within a few dozen rounds.
TAUS = st.sampled_from([0.0, 0.02, 0.1, 0.3])
SCALES = st.sampled_from([0.0, 0.05, 0.2, 1.0])


def test_choices_equal_those_of_the_plain_reference():
    """On instances that meet every case: empty, full and other sets of fair arms, identifiable discrepancies or not."""
    met = set()

    @settings(max_examples=120)
    @given(
        fair_bandits(),
        TAUS,
        st.sampled_from(["safest", "best"]),
        SCALES,
        SCALES,
        st.booleans(),
        st.sampled_from(["anytime", "horizon"]),
        st.integers(0, 10**6),
    )
    def check(problem, tau, fallback, alpha_r, alpha_c, minimal, confidence, seed):
        assume(tau > 0 or alpha_c > 0)  # whether an estimate of exactly zero is beyond zero is left to rounding
        separator = minimal_separator(problem) if minimal else tuple(problem.weights)
        compiled = FUCB(tau, fallback, alpha_r, alpha_c, None if minimal else separator, confidence)
        plain = PlainFUCB(separator, confidence, tau=tau, fallback=fallback, alpha_r=alpha_r, alpha_c=alpha_c)
        a, b = (play(policy, problem, 30, generators(1, "f", seed)) for policy in (compiled, plain))
        np.testing.assert_array_equal(a.arms, b.arms)
        np.testing.assert_array_equal(a.rewards, b.rewards)
        assert a.extras["empty_set"].tolist() == np.cumsum([not fair for fair, _ in plain.log]).tolist()
        for t, (fair, _) in enumerate(plain.log):
            assert not fair or a.arms[t] in fair
            kind = "empty" if not fair else "full" if len(fair) == len(problem.arms) else "between"
            met.add((kind, bool(problem.descendants)))

    check()
    assert met == {(kind, b) for kind in ("empty", "full", "between") for b in (True, False)}


@given(st.integers(2, 7), st.integers(0, 10**6))
def test_the_best_mix_of_arms_is_that_of_the_linear_program(n, seed):
    rng = np.random.default_rng(seed)
    index, unfairness, tau = rng.random(n), rng.random(n), rng.random()
    unfairness[0] = tau * rng.random()
    fair, other, share = best_mix(index, unfairness, tau, np.empty(n), rng)
    weights = np.zeros(n)
    weights[fair] += 1 - share
    weights[other] += share
    assert weights @ unfairness <= tau + 1e-12
    best = linprog(-index, A_ub=[unfairness], b_ub=[tau], A_eq=np.ones((1, n)), b_eq=[1])
    assert weights @ index == pytest.approx(-best.fun, abs=1e-9)


def test_mixed_arms_come_with_their_shares():
    index, unfairness = np.array([0.2, 1.0, 0.1]), np.array([0.1, 0.5, 0.0])
    rng = np.random.default_rng(1)
    drawn = np.bincount([mixed(index, unfairness, 0.2, np.empty(3), rng) for _ in range(4000)], minlength=3)
    # The mix of arms 0 and 1 with 1/4 of arm 1 has the value 0.4; that of 2 and 1 with 2/5 has 0.46.
    assert drawn[0] == 0
    assert abs(drawn[1] - 1600) < 5 * np.sqrt(4000 * 0.24)


def test_where_no_arm_is_fair_none_are_mixed(fair_task):
    a, b = (
        play(FUCB(tau=0.0, alpha_c=9.0, stochastic=stochastic), fair_task, 200, generators(1, "mix", 0))
        for stochastic in (False, True)
    )
    assert a.extras["empty_set"][-1] >= 199
    np.testing.assert_array_equal(a.arms[1:], b.arms[1:])


def test_theorem_3_sets_the_scale_of_the_reward(fair_task):
    safe = np.abs(fair_task.discrepancies).min(axis=1).max()
    named = play(FUCB(tau=0.4, alpha_r="theorem_3"), fair_task, 300, generators(1, "three", 0))
    given_number = play(FUCB(tau=0.4, alpha_r=2 / (0.4 - safe)), fair_task, 300, generators(1, "three", 0))
    np.testing.assert_array_equal(named.arms, given_number.arms)
    with pytest.raises(ValueError, match="the fairest policy's discrepancy"):
        play(FUCB(tau=float(safe), alpha_r="theorem_3"), fair_task, 10, generators(1, "three", 0))
