"""Judges: what a replication's seeds say about a published number or statement.

Every judge divides what the truth can be into what makes the claim hold and what makes it fail, with one border that
does not move with the number of seeds. `reproduced` needs the whole 95 % interval of the replication on one side of the
border, `not reproduced` on the other; else it is `inconclusive`. So each of the two is wrong in at most 2.5 % of cases,
and fewer seeds, whose interval is wider, only move a verdict towards `inconclusive`. (A test of "equal to the published
value" does not do that: few seeds cannot reject it. Nor does a test whose accepted range shrinks with the seeds.)

Where each judge's border lies is its precision, said in its docstring. Intervals are those of `judges.intervals`.
Values are one per seed, shape (n,); two policies' are paired by seed, which the caller has checked.
"""

from __future__ import annotations

from replication.judging.judges.borders import (
    Moments,
    judge_above,
    judge_above_apart,
    judge_mean_bound,
    judge_ratio,
)
from replication.judging.judges.exact import judge_exact, judge_member, judge_rounded
from replication.judging.judges.growth import judge_growth, judge_trend
from replication.judging.judges.judgement import (
    BY_CONSTRUCTION,
    CALIBRATED,
    CALIBRATED_EVIDENCE,
    COMPUTED,
    CONTRADICTED,
    DIRECTION_ONLY,
    EVIDENCE,
    INCONCLUSIVE,
    LEVEL,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
    VERDICTS,
    Judgement,
    calibrated,
)
from replication.judging.judges.means import PRECISION, judge_mean, judge_percentage
from replication.judging.judges.predictions import judge_predicted
from replication.judging.judges.readings import expected_false, or_direction, over_readings
from replication.judging.judges.shares import judge_bound, judge_rate, judge_same

__all__ = [
    "BY_CONSTRUCTION",
    "CALIBRATED",
    "CALIBRATED_EVIDENCE",
    "COMPUTED",
    "CONTRADICTED",
    "DIRECTION_ONLY",
    "EVIDENCE",
    "INCONCLUSIVE",
    "LEVEL",
    "NOT_REPRODUCED",
    "NOT_TESTABLE",
    "PRECISION",
    "REPRODUCED",
    "SIMULATED",
    "VERDICTS",
    "Judgement",
    "Moments",
    "calibrated",
    "expected_false",
    "judge_above",
    "judge_above_apart",
    "judge_bound",
    "judge_exact",
    "judge_growth",
    "judge_mean",
    "judge_mean_bound",
    "judge_member",
    "judge_percentage",
    "judge_predicted",
    "judge_rate",
    "judge_ratio",
    "judge_rounded",
    "judge_same",
    "judge_trend",
    "or_direction",
    "over_readings",
]
