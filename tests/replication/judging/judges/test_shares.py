"""The judges of shares of seeds: equality, rates, bounds on every run."""

import numpy as np
import pytest

from replication.judging import judges
from replication.judging.judges import Outcome, Why


def test_equality_is_exact_and_one_seed_refutes_it():
    values = np.arange(736.0)
    off = values.copy()
    off[3] += 1e-12
    assert judges.judge_same(values, values).outcome == Outcome.HOLDS
    refuted = judges.judge_same(values, off, constructed=True)
    assert (refuted.outcome, refuted.why) == (Outcome.FAILS, None)
    made = judges.judge_same(values[:2], values[:2], constructed=True)
    assert (made.outcome, made.why) == (Outcome.HOLDS, Why.BY_CONSTRUCTION)


@pytest.mark.parametrize(
    ("hits", "n", "at_least", "verdict"),
    [
        (1000, 1000, 0.99, Outcome.HOLDS),
        (100, 100, 0.99, Outcome.OPEN),
        (736, 736, 1.0, Outcome.HOLDS),
        (735, 735, 1.0, Outcome.OPEN),
        (71, 71, 1.0, Outcome.OPEN),
        (999, 1000, 1.0, Outcome.FAILS),
        (999, 1000, 0.9999, Outcome.OPEN),
        (990, 1000, 0.9999, Outcome.FAILS),
        (1000, 1000, 0.9999, Outcome.HOLDS),
    ],
)
def test_rates(hits, n, at_least, verdict):
    assert judges.judge_rate(np.arange(n) < hits, at_least).outcome == verdict


def test_a_bound_that_nothing_can_break_stays_open():
    values = np.full(100, 3.0)
    assert judges.judge_bound(10, values, worst=10).outcome == Outcome.OPEN
    assert judges.judge_mean_bound(10, values, worst=10).outcome == Outcome.OPEN
    assert judges.judge_bound(5, values, worst=10, probability=-0.5).outcome == Outcome.OPEN
    assert judges.judge_bound(5, values, worst=10).why is Why.SEEDS
    assert judges.judge_bound(3, np.full(736, 3.0), worst=10).outcome == Outcome.HOLDS
    assert judges.judge_bound(2, values, worst=10, probability=0.5).outcome == Outcome.FAILS
    mixed = np.arange(100) / 10
    assert judges.judge_bound(7, mixed, worst=10, probability=0.5).outcome == Outcome.HOLDS
    assert judges.judge_bound(7, mixed, worst=10).outcome == Outcome.FAILS


def test_a_run_without_end_breaks_a_bound():
    values = np.append(np.full(99, 3.0), np.inf)
    judged = judges.judge_bound(5, values, worst=np.inf)
    assert (judged.outcome, judged.replicated) == (Outcome.FAILS, "99 of 100")
    assert judges.judge_bound(5, values, worst=np.inf, probability=0.9).outcome == Outcome.HOLDS
    assert judges.judge_bound(5, np.full(100, np.inf), worst=np.inf, probability=0.9).outcome == Outcome.FAILS
    with pytest.raises(ValueError, match="1 of 2 values are NaN"):
        judges.judge_bound(5, np.array([1, np.nan]), worst=np.inf)
