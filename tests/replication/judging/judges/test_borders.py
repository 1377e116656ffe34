"""The judges of orderings: pairs of seeds, and differences too small to matter."""

import numpy as np
import pytest

from replication.judging import judges
from replication.judging.judges import Outcome


@pytest.mark.parametrize(
    ("shift", "verdict"), [(1, Outcome.HOLDS), (0.1, Outcome.OPEN), (0, Outcome.FAILS), (-1, Outcome.FAILS)]
)
def test_orderings_are_paired_by_seed(shift, verdict):
    """A difference of 1 under noise of 10 shared by both shows only when paired."""
    rng = np.random.default_rng(0)
    shared = rng.normal(10, 10, 200)
    assert judges.judge_above(shared + shift + rng.normal(0, 0.5, 200), shared).outcome == verdict


def test_a_difference_too_small_to_matter_is_none():
    """A hundredth of the smaller's mean; a tenth of the difference that is claimed."""
    smaller = np.random.default_rng(0).normal(100, 10, 100)
    tiny = smaller + 0.5 + np.random.default_rng(1).normal(0, 0.1, 100)
    assert judges.judge_above(tiny, smaller).outcome == Outcome.FAILS
    assert judges.judge_above(tiny, smaller, claimed=0.5).outcome == Outcome.HOLDS
    assert judges.judge_above(tiny, smaller, claimed=20).outcome == Outcome.FAILS


def test_unpaired_moments_have_the_interval_of_the_fewer_seeds():
    """By hand: t = 2.26216 for ten, plus 3 (1 + 2 t^2) / (6 sqrt(10)), times the root of 1/100 + 1/10."""
    for few, many in ((10, 100), (100, 10)):
        at = judges.judge_above_apart(judges.Moments(10.0, 1.0, few), judges.Moments(5.0, 1.0, many))
        assert (at.ci_low, at.ci_high) == pytest.approx((3.66056, 6.33944), abs=1e-4)
        assert at.n == 10
