"""One judgement: what makes no sense is refused, what a reason keeps, how many values would tell."""

from dataclasses import replace

import pytest

from replication.judging.judges import LONGEST, Basis, Because, Judgement, Needs, Outcome, fitted, not_run, reason
from replication.judging.judges.judgement import noted


def judged(outcome, **rest):
    return Judgement(outcome, "told", Basis.SIMULATED, **rest)


def test_a_fitted_number_is_no_evidence():
    found = fitted(
        judged(Outcome.OPEN, because=Because.SEEDS, replicated="2", needs=Needs(3, "seed")), "chosen to come near"
    )
    assert (found.outcome, found.basis, found.replicated) == (Outcome.OPEN, Basis.FITTED, "2")
    assert (found.because, found.needs) == (Because.SEEDS, Needs(3, "seed"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"outcome": "better"}, "'better' is not one of holds, depends"),
        ({"basis": "guess"}, "'guess' is not one of exact, simulated"),
        ({"because": Because.OMITTED}, "holds because of omitted"),
        ({"outcome": Outcome.OPEN}, "open because of None"),
        ({"outcome": Outcome.OPEN, "because": Because.OMITTED, "needs": Needs(3, "seed")}, "seeds would not settle it"),
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
    before = judged(Outcome.HOLDS, replicated="2", n=5)
    found = noted(before, "x" * LONGEST, "", "by seed")
    assert found == replace(before, reason=found.reason)
    assert found.reason == f"{before.reason}; by seed"


def test_what_is_not_run_says_what_and_is_cut_where_that_is_too_long():
    for what in ("email", "x" * LONGEST, "x" * (LONGEST + 1)):
        found = not_run(what)
        assert (found.outcome, found.because) == (Outcome.OPEN, Because.NOT_RUN)
        assert len(found.reason) == min(len(what), LONGEST)
        assert (found.reason == what) is (len(what) <= LONGEST)


def test_a_need_says_number_and_unit():
    assert str(Needs(1234, "draw")) == "about 1,234 draws would decide"
