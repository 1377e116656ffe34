"""Prediction intervals of ensembles: by hand, at their level, and never better for fewer members."""

from itertools import pairwise

import numpy as np
import pytest

from replication.judging.judges import Because, Outcome, judge_predicted


def test_the_interval_of_a_normal_ensemble_by_hand():
    """t(2) = 4.3027; 100, 110 and 120 have mean 110 and variance 100."""
    found = judge_predicted(111.0, np.array([100.0, 110.0, 120.0]), 5.0)
    half = 4.30265 * np.sqrt(100 * (1 + 1 / 3) + 25)
    assert (found.ci_low, found.ci_high) == pytest.approx((110 - half, 110 + half), abs=1e-3)
    assert (found.outcome, found.n, found.replicated) == (Outcome.OPEN, 3, "110.00")


@pytest.mark.parametrize(
    ("published", "verdict"),
    [(100.0, Outcome.HOLDS), (105.0, Outcome.HOLDS), (125.0, Outcome.FAILS), (80.0, Outcome.FAILS)],
)
def test_a_narrow_ensemble_tells(published, verdict):
    assert judge_predicted(published, np.linspace(95, 105, 40), 1.0).outcome == verdict
    assert judge_predicted(-published, -np.linspace(95, 105, 40), 1.0).outcome == verdict


def test_a_wide_ensemble_cannot_reproduce_what_lies_inside():
    members = np.linspace(50, 150, 40)
    found = judge_predicted(100, members, 1.0)
    assert (found.outcome, found.because) == (Outcome.OPEN, Because.OMITTED)
    assert judge_predicted(100, members, 1.0, precision=1.0).outcome == Outcome.HOLDS
    assert judge_predicted(500, members, 1.0).outcome == Outcome.FAILS


def test_the_published_number_counts_for_what_its_trials_leave_open():
    members = np.linspace(99, 101, 40)
    assert judge_predicted(108, members, 0.0).outcome == Outcome.FAILS
    assert judge_predicted(108, members, 5.0).outcome == Outcome.HOLDS


@pytest.mark.parametrize("n", [3, 10, 40])
def test_one_more_member_is_rejected_in_five_of_a_hundred(n):
    rng = np.random.default_rng(n)
    draws = 100 + 5 * rng.normal(size=(2000, n + 1))
    rejected = np.mean([judge_predicted(d[0], d[1:], 0.0).outcome == Outcome.FAILS for d in draws])
    assert rejected == pytest.approx(0.05, abs=0.015)


def test_fewer_members_only_move_verdicts_towards_inconclusive():
    """At published numbers near and far, the rates of both other verdicts fall with the number of members."""
    rng = np.random.default_rng(0)
    draws = 100 + 8 * rng.normal(size=(400, 40))
    for published in (100, 135):
        rates = [
            [np.mean([judge_predicted(published, d[:n], 0.0).outcome == v for d in draws]) for n in (40, 10, 4)]
            for v in (Outcome.HOLDS, Outcome.FAILS)
        ]
        assert all(a >= b - 0.01 for rate in rates for a, b in pairwise(rate)), rates
    assert judge_predicted(55.0, np.array([55.0]), 0.1).outcome == Outcome.OPEN
    assert judge_predicted(55.0, np.array([54.9999, 55.0001]), 0.001).outcome == Outcome.HOLDS


def test_what_makes_no_sense_is_refused():
    with pytest.raises(ValueError, match="precision=0: expected a positive number"):
        judge_predicted(1.0, np.array([1.0, 2.0]), 0.1, precision=0)
