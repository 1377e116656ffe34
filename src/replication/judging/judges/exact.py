"""Judges of computed results: counts, sets, formulas and numbers without sampling error."""

from __future__ import annotations

from collections.abc import Collection

from replication.judging.judges.judgement import Judgement, Outcome, reason


def judge_exact(published: str, computed: str, *, implied_by: str = "") -> Judgement:
    """Judge a computed count, set or formula, for which level and precision are exact.

    Parameters
    ----------
    implied_by : str
        If the computed value follows from what the paper itself states: the place in the paper, which the reason then
        cites.
    """
    same = published == computed
    return _computed(same, "computed, without sampling" + ("" if same else ": a different value"), computed, implied_by)


def judge_rounded(published: str, computed: float, *, implied_by: str = "") -> Judgement:
    """Judge a printed number against a computed one: they must agree to the printed digits.

    No sampling; precision: half a unit of the last printed digit. ``implied_by`` as in `judge_exact`.
    """
    digits = len(published.strip().partition(".")[2])
    same = abs(computed - float(published)) <= 0.5 * 10.0**-digits * (1 + 1e-9)
    why = f"computed, without sampling; {'equal' if same else 'not equal'} to the printed digits"
    return _computed(same, why, f"{computed:.{digits + 1}f}", implied_by)


def judge_member(published: str, among: Collection[str], *, implied_by: str = "") -> Judgement:
    """Judge "this is one of them", for example a formula among all valid ones: computed, exact."""
    same = published in among
    why = f"computed, without sampling: {'one' if same else 'none'} of {len(among)}"
    return _computed(same, why, published if same else " | ".join(sorted(among)), implied_by)


def _computed(same: bool, why: str, shown: str, implied_by: str) -> Judgement:
    if implied_by and not same:
        why = f"a different value follows from {implied_by}"
    return Judgement(Outcome.HOLDS if same else Outcome.FAILS, reason(why), shown)
