"""Judges: what a replication's seeds say about a published number or statement.

Every judge divides what the truth can be into what makes the claim hold and what makes it fail, with one border that
does not move with the number of seeds. `holds` needs the whole 95 % interval of the replication on one side of the
border, `fails` on the other; else the claim is `open`. So each of the two is wrong in at most 2.5 % of cases, and fewer
seeds, whose interval is wider, only move an outcome towards `open`. (A test of "equal to the published value" does not
do that: few seeds cannot reject it. Nor does a test whose accepted range shrinks with the seeds.)

Where each judge's border lies is its precision, said in its docstring. Intervals are those of `judges.intervals`.
Values are one per seed, shape (n,); two policies' are paired by seed, which the caller has checked. Nothing here knows
of claims or results: `judging.generic` and the papers' own `claims` read these and call the judges.
"""

from __future__ import annotations

from replication.judging.judges.borders import Moments, judge_above, judge_above_apart, judge_mean_bound
from replication.judging.judges.exact import judge_exact, judge_member, judge_rounded
from replication.judging.judges.growth import judge_growth, judge_growth_bound, judge_trend
from replication.judging.judges.judgement import (
    LEVEL,
    LONGEST,
    WORST_FIRST,
    Basis,
    Because,
    Judgement,
    Needs,
    Outcome,
    fitted,
    not_run,
    noted,
    reason,
)
from replication.judging.judges.means import PRECISION, judge_mean, judge_zero
from replication.judging.judges.shares import judge_bound, judge_rate, judge_same

__all__ = [
    "LEVEL",
    "LONGEST",
    "PRECISION",
    "WORST_FIRST",
    "Basis",
    "Because",
    "Judgement",
    "Moments",
    "Needs",
    "Outcome",
    "fitted",
    "judge_above",
    "judge_above_apart",
    "judge_bound",
    "judge_exact",
    "judge_growth",
    "judge_growth_bound",
    "judge_mean",
    "judge_mean_bound",
    "judge_member",
    "judge_rate",
    "judge_rounded",
    "judge_same",
    "judge_trend",
    "judge_zero",
    "not_run",
    "noted",
    "reason",
]
