"""One outcome from several readings: the whole table, and what may not happen."""

from itertools import combinations_with_replacement, permutations, product

import pytest
from judgements import numbers

from replication.judging.judges import REASONS, Judgement, Outcome, Why, by_construction, fitted, not_run
from replication.judging.readings import or_direction, over_readings, tally

TOLD = (Outcome.HOLDS, Outcome.DEPENDS, Outcome.FAILS, Outcome.OPEN)

#: What two readings give together, and what the first gives where the second is not run.
TABLE = {
    (Outcome.HOLDS, Outcome.HOLDS): Outcome.HOLDS,
    (Outcome.HOLDS, Outcome.DEPENDS): Outcome.DEPENDS,
    (Outcome.HOLDS, Outcome.FAILS): Outcome.DEPENDS,
    (Outcome.HOLDS, Outcome.OPEN): Outcome.OPEN,
    (Outcome.HOLDS, None): Outcome.OPEN,
    (Outcome.DEPENDS, Outcome.DEPENDS): Outcome.DEPENDS,
    (Outcome.DEPENDS, Outcome.FAILS): Outcome.DEPENDS,
    (Outcome.DEPENDS, Outcome.OPEN): Outcome.DEPENDS,
    (Outcome.DEPENDS, None): Outcome.DEPENDS,
    (Outcome.FAILS, Outcome.FAILS): Outcome.FAILS,
    (Outcome.FAILS, Outcome.OPEN): Outcome.OPEN,
    (Outcome.FAILS, None): Outcome.OPEN,
    (Outcome.OPEN, Outcome.OPEN): Outcome.OPEN,
    (Outcome.OPEN, None): Outcome.OPEN,
}

TRIPLES = list(product(TOLD, repeat=3))


#: Why a claim may be open, except that it is fitted.
OPEN = REASONS[Outcome.OPEN][:-1]


def judged(outcome, why=Why.SEEDS, **rest):
    return Judgement(outcome, "told", why=why if outcome is Outcome.OPEN else None, **rest)


def combined(outcomes, missing=0):
    """Of readings with these outcomes and others that are not run."""
    run = {f"reading {i}": each if isinstance(each, Judgement) else judged(each) for i, each in enumerate(outcomes)}
    return over_readings(run | {f"missing {i}": not_run("left out") for i in range(missing)}).outcome


def test_the_table_is_whole():
    pairs = {*combinations_with_replacement(TOLD, 2), *((v, None) for v in TOLD)}
    assert set(TABLE) == pairs


@pytest.mark.parametrize(("pair", "verdict"), TABLE.items())
def test_two_readings(pair, verdict):
    run, missing = [v for v in pair if v], pair.count(None)
    for order in permutations(run):
        assert combined(order, missing) == verdict


@pytest.mark.parametrize("outcome", Outcome)
def test_one_reading_is_its_own_outcome(outcome):
    only = judged(outcome, replicated="3", ci_low=2.0, ci_high=4.0, n=7, ledger="L01")
    assert over_readings({"default": only}) == only


def test_three_readings_are_a_set():
    """Neither the order nor a reading that is as another changes anything."""
    for verdicts in TRIPLES:
        assert len({combined(order) for order in permutations(verdicts)}) == 1
        assert combined([*verdicts, verdicts[0]]) == combined(verdicts)
        found = set(verdicts)
        if len(found) == 2:
            assert combined(verdicts) == TABLE[tuple(sorted(found, key=TOLD.index))]
        if {Outcome.HOLDS, Outcome.FAILS} <= found:
            assert combined(verdicts) == Outcome.DEPENDS


def test_leaving_a_reading_out_never_improves():
    """Of what is known: it gives no `reproduced`, and nothing that fails then holds in direction."""
    known = {Outcome.HOLDS: 2, Outcome.DEPENDS: 1, Outcome.FAILS: 0}
    for verdicts, i in product(TRIPLES, range(3)):
        whole = combined(verdicts)
        less = combined(verdicts[:i] + verdicts[i + 1 :], 1)
        assert less is not Outcome.HOLDS
        if whole in known and less in known:
            assert known[less] <= known[whole]


def test_a_reading_that_cannot_be_told_any_more_moves_the_verdict_towards_inconclusive():
    """As fewer seeds do to one of them. Direction only is also what is left of a verdict that others decide."""
    for verdicts, i in product(TRIPLES, range(3)):
        assert combined([*verdicts[:i], Outcome.OPEN, *verdicts[i + 1 :]]) in (combined(verdicts), Outcome.OPEN)


@pytest.mark.parametrize("why", OPEN)
@pytest.mark.parametrize("outcome", TOLD)
def test_what_is_open_counts_as_not_run_whatever_the_cause(outcome, why):
    silent = judged(Outcome.OPEN, why=why)
    assert combined([outcome, silent]) == combined([outcome], 1) == TABLE[outcome, None]
    assert over_readings({"a": silent, "b": silent}).why is why


@pytest.mark.parametrize("outcome", TOLD)
def test_what_is_fitted_decides_nothing(outcome):
    assert combined([outcome, fitted(judged(outcome))]) == outcome
    found = over_readings({name: fitted(judged(outcome)) for name in "ab"})
    assert (found.outcome, found.why) == (Outcome.OPEN, Why.FITTED)


def test_readings_that_decide_nothing_are_counted_apart():
    identity = by_construction(judged(Outcome.HOLDS))
    many = [judged(Outcome.FAILS), judged(Outcome.OPEN), identity, identity, fitted(judged(Outcome.HOLDS))]
    assert numbers(tally(many)) == ["2", "1", "1", "2", "1"]  # that decide, fail, are open, by construction, fitted
    for readings, outcome in (
        ([identity, fitted(judged(Outcome.FAILS))], "holds"),
        ([judged(Outcome.FAILS), fitted(judged(Outcome.HOLDS))], "fails"),
        ([judged(Outcome.OPEN), identity], "open"),
    ):
        told = tally(readings)
        assert outcome in told
        assert not {"holds", "fails", "open"} - {outcome} & set(told.split())
        assert numbers(told) == ["1"]  # the other one
    assert numbers(tally([judged(Outcome.HOLDS)] * 2)) == ["2", "2"]


def test_a_claim_that_is_open_says_what_lasts_longest():
    """More seeds settle only what is open for want of seeds."""
    for first, second in product(OPEN, repeat=2):
        found = over_readings({"a": judged(Outcome.OPEN, why=first), "b": judged(Outcome.OPEN, why=second)})
        assert found.why is min(first, second, key=OPEN.index)


def test_the_default_is_shown_and_every_reading_is_kept():
    printed = judged(Outcome.HOLDS, replicated="1.5", ci_low=1.0, ci_high=2.0, n=9, ledger="L01")
    safest = judged(Outcome.FAILS, replicated="-3", ci_low=-4.0, ci_high=-2.0, ledger="L01 L02")
    found = over_readings({"printed": printed, "safest": safest, "best": not_run("best")})
    assert (found.replicated, found.ci_low, found.ci_high, found.n) == ("1.5", 1.0, 2.0, 9)
    assert found.ledger == "L01 L02"
    assert [name for name, _ in found.readings] == ["printed", "safest", "best"]
    assert [under.outcome for _, under in found.readings] == [Outcome.HOLDS, Outcome.FAILS, Outcome.OPEN]
    assert over_readings({"best": not_run("best"), "printed": printed}).replicated == "1.5"


def test_readings_are_counted():
    """The one test of the words in which they are."""
    found = [judged(Outcome.HOLDS)] * 5 + [judged(Outcome.OPEN)] * 3
    assert tally(found) == "holds under 5 of 8 readings, fails under none, 3 open"
    found = [judged(Outcome.FAILS), judged(Outcome.FAILS), fitted(judged(Outcome.HOLDS)), not_run("email")]
    assert tally(found) == "holds under none of 3 readings, fails under 2, 1 not run; 1 fitted"


def test_only_readings_that_are_all_by_construction_make_a_claim_so():
    made = by_construction(judged(Outcome.HOLDS))
    assert over_readings({"a": made, "b": made}).why is Why.BY_CONSTRUCTION
    assert over_readings({"a": made, "b": judged(Outcome.HOLDS)}).why is None


@pytest.mark.parametrize(
    ("number", "ordering", "outcome"),
    [
        (Outcome.FAILS, Outcome.HOLDS, Outcome.FAILS),
        (Outcome.FAILS, Outcome.OPEN, Outcome.FAILS),
        (Outcome.OPEN, Outcome.HOLDS, Outcome.OPEN),
        (Outcome.HOLDS, Outcome.FAILS, Outcome.HOLDS),
    ],
)
def test_an_ordering_does_not_lift_its_number(number, ordering, outcome):
    found = or_direction(judged(number), judged(ordering))
    assert found.outcome == outcome
    assert (found.reason == judged(number).reason) is (number is not Outcome.FAILS)


def test_what_does_not_hold_names_the_reading_that_comes_nearest():
    """Those picked with the number in view included, and said so; what is no number is passed over."""
    readings = {
        "as printed": judged(Outcome.FAILS, replicated="12.0"),
        "literally": judged(Outcome.FAILS, replicated="nothing"),
        "as before": judged(Outcome.FAILS, replicated="9.5"),
    }
    for number, off in ((10.0, "-5.0"), (0.0, "+9.5")):
        told = over_readings(readings, number).reason
        assert "as before" in told
        assert off in numbers(told)
    picked = readings | {"looked up": fitted(judged(Outcome.FAILS, replicated="10.1"), "in view")}
    told = over_readings(picked, 10.0).reason
    assert all(part in told for part in ("looked up", "fitted", "+1.0"))
    for other in (over_readings(readings), over_readings({"literally": readings["literally"]}, 10.0)):
        assert not any(name in other.reason for name in readings)
    held = over_readings({name: judged(Outcome.HOLDS, replicated="9.5") for name in "ab"}, 10.0)
    assert "-5.0" not in held.reason


def test_the_number_shown_is_that_of_all_defaults_and_the_reason_names_the_nearest():
    far, near, fit = (
        judged(o, replicated=v) for o, v in ((Outcome.FAILS, "30"), (Outcome.FAILS, "12"), (Outcome.FAILS, "10"))
    )
    found = over_readings({"far": far, "near": near, "picked": fitted(fit)}, 10.0)
    assert found.replicated == "30"
    assert "nearest: picked (fitted)" in found.reason
    assert "nearest: near, +20.0 %" in over_readings({"far": far, "near": near}, 10.0).reason
