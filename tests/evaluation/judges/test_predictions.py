"""Prediction intervals of ensembles: by hand, at their level, and never better for fewer members."""

from itertools import pairwise

import numpy as np
import pytest

from causal_bandits.evaluation.judges import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    REPRODUCED,
    judge_predicted,
    judge_predicted_percentage,
)


def test_the_interval_of_a_normal_ensemble_by_hand():
    """t(2) = 4.3027; logarithms 0, 1, 2 have mean 1 and variance 1."""
    found = judge_predicted(np.e, np.exp([0.0, 1.0, 2.0]), 0.5)
    half = 4.30265 * np.sqrt(1 + 1 / 3 + 0.25)
    assert (np.log(found.ci_low), np.log(found.ci_high)) == pytest.approx((1 - half, 1 + half), abs=1e-4)
    assert (found.verdict, found.n, found.replicated) == (INCONCLUSIVE, 3, "2.72")
    assert "of 3 problems, of which 1 lie below it" in found.why


@pytest.mark.parametrize(
    ("published", "verdict"),
    [(100.0, REPRODUCED), (105.0, REPRODUCED), (125.0, NOT_REPRODUCED), (80.0, NOT_REPRODUCED)],
)
def test_a_narrow_ensemble_tells(published, verdict):
    members = 100 * np.exp(np.linspace(-0.05, 0.05, 40))
    assert judge_predicted(published, members, 0.01).verdict == verdict


def test_a_wide_ensemble_cannot_reproduce_what_lies_inside():
    members = 100 * np.exp(np.linspace(-0.8, 0.8, 40))
    found = judge_predicted(100, members, 0.01)
    assert found.verdict == INCONCLUSIVE
    assert "at most 20 to either side is asked for" in found.why
    assert judge_predicted(100, members, 0.01, precision=1.0).verdict == REPRODUCED
    assert judge_predicted(500, members, 0.01).verdict == NOT_REPRODUCED


def test_percentages_are_of_the_other_below_the_base():
    base, other = np.array([100.0, 200.0, 400.0]), np.array([60.0, 120.0, 240.0])
    found = judge_predicted_percentage(40, base, other, 0.01)
    assert found.replicated == "40.00"
    half = 4.30265 * 0.01
    assert (found.ci_low, found.ci_high) == pytest.approx((100 - 60 * np.exp(half), 100 - 60 * np.exp(-half)), abs=1e-3)
    assert found.verdict == REPRODUCED
    lower = judge_predicted_percentage(30, base, other * [1, 1.001, 0.999], 0.0)
    assert lower.verdict == NOT_REPRODUCED
    assert "of which 0 lie below it" in lower.why


def test_the_published_number_counts_for_what_its_trials_leave_open():
    members = 100 * np.exp(np.linspace(-0.01, 0.01, 40))
    assert judge_predicted(108, members, 0.0).verdict == NOT_REPRODUCED
    assert judge_predicted(108, members, 0.05).verdict == REPRODUCED


@pytest.mark.parametrize("n", [3, 10, 40])
def test_one_more_member_is_rejected_in_five_of_a_hundred(n):
    rng = np.random.default_rng(n)
    draws = np.exp(4 + 0.05 * rng.normal(size=(2000, n + 1)))
    rejected = np.mean([judge_predicted(d[0], d[1:], 0.0).verdict == NOT_REPRODUCED for d in draws])
    assert rejected == pytest.approx(0.05, abs=0.015)


def test_fewer_members_only_move_verdicts_towards_inconclusive():
    """At published numbers near and far, the rates of both other verdicts fall with the number of members."""
    rng = np.random.default_rng(0)
    draws = np.exp(4 + 0.08 * rng.normal(size=(400, 40)))
    for shift in (0.0, 0.3):
        published = np.exp(4 + shift)
        rates = [
            [np.mean([judge_predicted(published, d[:n], 0.0).verdict == v for d in draws]) for n in (40, 10, 4)]
            for v in (REPRODUCED, NOT_REPRODUCED)
        ]
        assert all(a >= b - 0.01 for rate in rates for a, b in pairwise(rate)), rates
    assert judge_predicted(55.0, np.array([55.0]), 0.1).verdict == INCONCLUSIVE


@pytest.mark.parametrize("wrong", [(0.0, [1.0, 2.0]), (1.0, [0.0, 2.0])])
def test_numbers_must_be_positive(wrong):
    with pytest.raises(ValueError, match="must be positive"):
        judge_predicted(wrong[0], np.array(wrong[1]), 0.1)
