"""How many seeds would tell: the number that is said suffices."""

import numpy as np

from replication.judging import judges
from replication.judging.judges import Outcome


def test_how_many_seeds_would_tell_counts_with_the_skewness_that_they_show():
    rare = np.zeros(1000)
    rare[:3] = 100.0
    judged = judges.judge_mean_bound(0.45, rare, worst=100)
    told = judged.needs.count
    for factor, verdict in ((0.8, Outcome.OPEN), (1.1, Outcome.HOLDS)):
        n = round(told * factor)
        values = np.zeros(n)
        values[: round(0.003 * n)] = 100.0
        assert judges.judge_mean_bound(0.45, values, worst=100).outcome == verdict, told


def test_what_one_value_is_of_is_said():
    values = np.random.default_rng(0).normal(1, 10, 50)
    for judged in (
        judges.judge_mean(1, values, 1000, unit="draw"),
        judges.judge_above(values, np.zeros(50), unit="draw"),
    ):
        assert judged.needs.unit == "draw"


def test_how_many_seeds_would_tell_is_told():
    rng = np.random.default_rng(1)
    judged = judges.judge_mean(100, rng.normal(100, 30, 100), 1000)
    assert judged.outcome == Outcome.OPEN
    told = judged.needs.count
    values = (lambda v: 100 + 30 * (v - v.mean()) / v.std(ddof=1))(rng.normal(size=2 * told))
    assert judges.judge_mean(100, values, 1000).outcome == Outcome.HOLDS
