"""One judgement: what makes no sense is refused, and what a reason keeps."""

from dataclasses import replace

import pytest

from replication.judging.judges import LONGEST, Judgement, Outcome, Why, by_construction, fitted, not_run, reason
from replication.judging.judges.judgement import noted


def judged(outcome, **rest):
    return Judgement(outcome, "told", **rest)


def test_a_fitted_number_is_no_evidence():
    for before in (judged(Outcome.HOLDS, replicated="2"), judged(Outcome.OPEN, why=Why.SEEDS, replicated="2")):
        found = fitted(before, "chosen to come near")
        assert (found.outcome, found.why, found.replicated) == (Outcome.OPEN, Why.FITTED, "2")


def test_only_what_holds_is_true_by_construction():
    assert by_construction(judged(Outcome.HOLDS)).why is Why.BY_CONSTRUCTION
    failed = judged(Outcome.FAILS)
    assert by_construction(failed) is failed


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"outcome": "better"}, "'better' is not one of holds, depends"),
        ({"why": Why.OMITTED}, "holds, why: omitted"),
        ({"outcome": Outcome.OPEN}, "open, why: None"),
        ({"outcome": Outcome.OPEN, "why": Why.ERROR}, "open, why: error"),
        ({"outcome": Outcome.DEPENDS, "why": Why.SLIP}, "depends, why: slip; expected one of none"),
        ({"reason": ""}, "a reason of 0 characters"),
        ({"reason": "x" * (LONGEST + 1)}, f"a reason of {LONGEST + 1} characters"),
    ],
)
def test_a_judgement_that_makes_no_sense_is_refused(changed, message):
    with pytest.raises(ValueError, match=message):
        replace(judged(Outcome.HOLDS), **changed)


def test_a_reason_keeps_the_clauses_that_fit():
    long = "x" * (LONGEST - 4)
    assert reason("first", long, "last") == "first; last"
    assert reason("", "first", "", "last") == "first; last"
    with pytest.raises(ValueError, match="expected at most"):
        reason(long, long) and reason(long + long)


def test_clauses_are_added_to_the_same_judgement_as_far_as_they_fit():
    before = judged(Outcome.HOLDS, replicated="2", ci_low=1.0, ci_high=3.0, n=5)
    found = noted(before, "x" * LONGEST, "", "by seed")
    assert found == replace(before, reason=found.reason)
    assert found.reason == f"{before.reason}; by seed"


def test_what_is_not_run_says_what_and_is_cut_where_that_is_too_long():
    for what in ("email", "x" * LONGEST, "x" * (LONGEST + 1)):
        found = not_run(what)
        assert (found.outcome, found.why) == (Outcome.OPEN, Why.NOT_RUN)
        assert len(found.reason) == min(len(what), LONGEST)
        assert (found.reason == what) is (len(what) <= LONGEST)
