"""Verdicts, on data whose answer is known."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from causal_bandits.evaluation import verdicts

RNG = np.random.default_rng(0)


def seeds(values):
    return pd.Series(np.asarray(values, dtype=float))


def test_the_prediction_interval_holds_its_level():
    """Published means of 1,000 trials drawn from the replication's own distribution: 95 % come out as reproduced."""
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(1000):
        replication, published = seeds(rng.normal(10, 3, 50)), rng.normal(10, 3, 1000).mean()
        hits += verdicts.judge_mean(published, replication, trials=1000).verdict == verdicts.REPRODUCED
    assert stats.binomtest(hits, 1000, 0.95).pvalue > 0.01


def test_a_mean_that_is_off_is_not_reproduced_and_says_by_how_much():
    judged = verdicts.judge_mean(20.0, seeds(RNG.normal(10, 1, 100)), trials=1000)
    assert judged.verdict == verdicts.NOT_REPRODUCED
    assert "replicated over published -5" in judged.why or "replicated over published -4" in judged.why
    assert judged.ci_low < float(judged.replicated) < judged.ci_high


def test_a_declared_margin_counts():
    near = seeds(RNG.normal(10, 0.01, 100))
    assert verdicts.judge_mean(10.5, near, trials=1000).verdict == verdicts.NOT_REPRODUCED
    assert verdicts.judge_mean(10.5, near, trials=1000, margin=0.1).verdict == verdicts.REPRODUCED
    wide = seeds(RNG.normal(10, 4, 100))  # the mean is near, but its interval reaches beyond the margin
    assert verdicts.judge_mean(11.05, wide, trials=10**9, margin=0.1).verdict == verdicts.NOT_REPRODUCED


def test_a_number_that_is_off_keeps_its_direction():
    higher, lower = seeds(RNG.normal(12, 1, 100)), seeds(RNG.normal(10, 1, 100))
    ordering = verdicts.judge_ordering(higher, lower)
    assert verdicts.judge_mean(20.0, lower, 1000, direction=ordering).verdict == verdicts.DIRECTION_ONLY
    reverse = verdicts.judge_ordering(lower, higher)
    assert verdicts.judge_mean(20.0, lower, 1000, direction=reverse).verdict == verdicts.NOT_REPRODUCED


def test_percentages_have_their_level():
    """Published reductions over 1,000 trials of the same two distributions: some 95 % come out as reproduced."""
    rng = np.random.default_rng(2)

    def pair(n):
        shared = rng.gamma(20, 1, n)
        return seeds(shared + rng.gamma(20, 1, n)), seeds(shared + rng.gamma(5, 1, n))

    hits = 0
    for _ in range(200):
        base, other = pair(1000)
        published = 100 * (1 - other.mean() / base.mean())
        hits += verdicts.judge_percentage(published, *pair(100), trials=1000).verdict == verdicts.REPRODUCED
    assert stats.binomtest(hits, 200, 0.95).pvalue > 0.01
    assert verdicts.relative_reduction(seeds([4, 4]), seeds([3, 3]))[0] == pytest.approx(25)


def test_a_calibrated_number_is_never_evidence():
    judged = verdicts.judge_mean(10.0, seeds(RNG.normal(10, 1, 100)), trials=1000, calibrated=True, ledger="L01")
    assert (judged.verdict, judged.ledger) == (verdicts.CALIBRATED, "L01")


@pytest.mark.parametrize(("shift", "verdict"), [(1.0, "reproduced"), (0.0, "not reproduced"), (-1.0, "not reproduced")])
def test_orderings_are_paired_by_seed(shift, verdict):
    """A difference of 1 under noise of 10 shared by both shows only when paired."""
    shared = RNG.normal(0, 10, 200)
    judged = verdicts.judge_ordering(seeds(shared + shift + RNG.normal(0, 0.5, 200)), seeds(shared))
    assert judged.verdict == verdict


def test_pairs_need_the_same_seeds():
    with pytest.raises(ValueError, match="same seeds"):
        verdicts.judge_ordering(seeds([1, 2, 3]), seeds([1, 2]))


def test_identity_is_exact():
    assert verdicts.judge_identity(seeds([1, 2]), seeds([1, 2])).verdict == verdicts.REPRODUCED
    judged = verdicts.judge_identity(seeds([1, 2]), seeds([1, 2 + 1e-12]))
    assert judged.verdict == verdicts.NOT_REPRODUCED
    assert "1 of 2 seeds differ" in judged.why


def test_an_unknown_verdict_is_refused():
    with pytest.raises(ValueError, match="'fine' is not one of reproduced"):
        verdicts.Judgement("fine", "")
