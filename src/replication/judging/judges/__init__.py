"""Judges: tests of published numbers and statements against a replication's seeds.

Every judge divides the possible truths into those under which the claim holds and those under which it fails, with one
boundary that does not move with the number of seeds. `holds` requires the replication's whole 95 % interval to lie on
one side of the boundary, `fails` on the other; otherwise the claim is `open`. So each of the two is wrong in at most
2.5 % of cases, and fewer seeds, whose interval is wider, only move an outcome towards `open`. (A test of "equal to the
published value" does not behave like this, since few seeds cannot reject it. Nor does a test whose accepted range
shrinks as seeds are added.)

The position of a judge's boundary is its precision, which its docstring states. Intervals are those of
`judges.intervals`. There is one value per seed, shape (n,); the values of two policies are paired by seed, which the
caller has checked. The judges know nothing about claims or results: `judging.checks` and the papers' own `claims` read
these and call the judges.
"""

from __future__ import annotations

from replication.judging.judges.borders import Moments, judge_above, judge_above_apart, judge_mean_bound
from replication.judging.judges.exact import judge_exact, judge_member, judge_rounded
from replication.judging.judges.growth import judge_growth, judge_growth_bound, judge_trend
from replication.judging.judges.judgement import (
    FAULTS,
    LEVEL,
    LONGEST,
    REASONS,
    WORST_FIRST,
    Judgement,
    Outcome,
    Why,
    by_construction,
    fitted,
    not_run,
    noted,
    opened,
    reason,
)
from replication.judging.judges.means import PRECISION, judge_mean, judge_zero
from replication.judging.judges.shares import judge_bound, judge_rate, judge_same

__all__ = [
    "FAULTS",
    "LEVEL",
    "LONGEST",
    "PRECISION",
    "REASONS",
    "WORST_FIRST",
    "Judgement",
    "Moments",
    "Outcome",
    "Why",
    "by_construction",
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
    "opened",
    "reason",
]
