"""One verdict from several readings: the whole table, and what may not happen."""

from itertools import combinations_with_replacement, permutations, product

import pytest

from replication.judging.judges import (
    BY_CONSTRUCTION,
    CALIBRATED,
    CALIBRATED_EVIDENCE,
    COMPUTED,
    CONTRADICTED,
    DIRECTION_ONLY,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
    VERDICTS,
    Judgement,
    calibrated,
    expected_false,
    or_direction,
    over_readings,
)

TOLD = (REPRODUCED, DIRECTION_ONLY, NOT_REPRODUCED, CONTRADICTED, INCONCLUSIVE)

#: What two readings give together, and what the first gives where the second is not run.
TABLE = {
    (REPRODUCED, REPRODUCED): REPRODUCED,
    (REPRODUCED, DIRECTION_ONLY): DIRECTION_ONLY,
    (REPRODUCED, NOT_REPRODUCED): DIRECTION_ONLY,
    (REPRODUCED, CONTRADICTED): DIRECTION_ONLY,
    (REPRODUCED, INCONCLUSIVE): INCONCLUSIVE,
    (REPRODUCED, None): DIRECTION_ONLY,
    (DIRECTION_ONLY, DIRECTION_ONLY): DIRECTION_ONLY,
    (DIRECTION_ONLY, NOT_REPRODUCED): DIRECTION_ONLY,
    (DIRECTION_ONLY, CONTRADICTED): DIRECTION_ONLY,
    (DIRECTION_ONLY, INCONCLUSIVE): DIRECTION_ONLY,
    (DIRECTION_ONLY, None): DIRECTION_ONLY,
    (NOT_REPRODUCED, NOT_REPRODUCED): NOT_REPRODUCED,
    (NOT_REPRODUCED, CONTRADICTED): NOT_REPRODUCED,
    (NOT_REPRODUCED, INCONCLUSIVE): INCONCLUSIVE,
    (NOT_REPRODUCED, None): INCONCLUSIVE,
    (CONTRADICTED, CONTRADICTED): CONTRADICTED,
    (CONTRADICTED, INCONCLUSIVE): INCONCLUSIVE,
    (CONTRADICTED, None): INCONCLUSIVE,
    (INCONCLUSIVE, INCONCLUSIVE): INCONCLUSIVE,
    (INCONCLUSIVE, None): INCONCLUSIVE,
}

TRIPLES = list(product(TOLD, repeat=3))


def judged(verdict, evidence=SIMULATED, **rest):
    return Judgement(verdict, f"why {verdict}", evidence, **rest)


def combined(verdicts, missing=()):
    return over_readings({f"reading {i}": judged(v) for i, v in enumerate(verdicts)}, missing).verdict


def test_the_table_is_whole():
    pairs = {*combinations_with_replacement(TOLD, 2), *((v, None) for v in TOLD)}
    assert set(TABLE) == pairs


@pytest.mark.parametrize(("pair", "verdict"), TABLE.items())
def test_two_readings(pair, verdict):
    run, missing = [v for v in pair if v], ["not run"] if None in pair else []
    for order in permutations(run):
        assert combined(order, missing) == verdict


@pytest.mark.parametrize("verdict", VERDICTS)
def test_one_reading_is_its_own_verdict(verdict):
    only = judged(verdict, replicated="3", ci_low=2.0, ci_high=4.0, n=7, fact="f", ledger="L01")
    assert over_readings({"default": only}) == only


def test_three_readings_are_a_set():
    """Neither the order nor a reading that is as another changes anything."""
    for verdicts in TRIPLES:
        assert len({combined(order) for order in permutations(verdicts)}) == 1
        assert combined([*verdicts, verdicts[0]]) == combined(verdicts)
        found = set(verdicts)
        if len(found) == 2:
            assert combined(verdicts) == TABLE[tuple(sorted(found, key=TOLD.index))]
        if REPRODUCED in found and found & {NOT_REPRODUCED, CONTRADICTED}:
            assert combined(verdicts) == DIRECTION_ONLY


def test_leaving_a_reading_out_never_improves():
    """Of what is known: it gives no `reproduced`, and nothing that fails then holds in direction."""
    known = {REPRODUCED: 2, DIRECTION_ONLY: 1, NOT_REPRODUCED: 0, CONTRADICTED: 0}
    for verdicts, i in product(TRIPLES, range(3)):
        whole = combined(verdicts)
        less = combined(verdicts[:i] + verdicts[i + 1 :], ["left out"])
        assert less not in (REPRODUCED, CONTRADICTED)
        if whole in known and less in known:
            assert known[less] <= known[whole]


def test_a_reading_that_cannot_be_told_any_more_moves_the_verdict_towards_inconclusive():
    """As fewer seeds do to one of them. Direction only is also what is left of a verdict that others decide."""
    for verdicts, i in product(TRIPLES, range(3)):
        assert combined([*verdicts[:i], INCONCLUSIVE, *verdicts[i + 1 :]]) in (combined(verdicts), INCONCLUSIVE)


@pytest.mark.parametrize("verdict", TOLD)
def test_what_cannot_be_tested_counts_as_not_run(verdict):
    assert combined([verdict, NOT_TESTABLE]) == combined([verdict], ["not run"]) == TABLE[verdict, None]
    assert combined([NOT_TESTABLE, NOT_TESTABLE]) == NOT_TESTABLE


@pytest.mark.parametrize("verdict", TOLD)
def test_what_is_calibrated_decides_nothing(verdict):
    assert combined([verdict, CALIBRATED]) == verdict
    assert combined([CALIBRATED, CALIBRATED]) == CALIBRATED


def test_nothing_run_is_not_testable_and_says_what_is_missing():
    found = over_readings({}, ["alpha = 9", "one theta"])
    assert (found.verdict, found.why) == (NOT_TESTABLE, "not in this configuration: alpha = 9, one theta")


def test_the_default_is_shown_and_every_reading_is_told():
    found = over_readings(
        {
            "printed": judged(REPRODUCED, replicated="1.5", ci_low=1.0, ci_high=2.0, n=9, ledger="L01", fact="a"),
            "safest": judged(NOT_REPRODUCED, replicated="-3", ci_low=-4.0, ci_high=-2.0, ledger="L01 L02", fact="b"),
        },
        ["best"],
    )
    assert (found.replicated, found.ci_low, found.ci_high, found.n) == ("1.5", 1.0, 2.0, 9)
    assert (found.ledger, found.fact) == ("L01 L02", "a b")
    assert found.why == (
        "why reproduced; by reading: printed: holds (1.5, 1 to 2); safest: does not hold (-3, -4 to -2); best: not run"
    )


def test_the_evidence_is_the_weakest():
    def evidence(*kinds):
        return over_readings({str(i): judged(REPRODUCED, kind) for i, kind in enumerate(kinds)}).evidence

    assert evidence(COMPUTED, COMPUTED) == COMPUTED
    assert evidence(COMPUTED, SIMULATED) == SIMULATED
    assert evidence(BY_CONSTRUCTION, BY_CONSTRUCTION) == BY_CONSTRUCTION
    assert evidence(BY_CONSTRUCTION, SIMULATED, COMPUTED) == SIMULATED


def test_a_calibrated_number_is_no_evidence():
    found = calibrated(judged(REPRODUCED, replicated="2"), "chosen to come near")
    assert (found.verdict, found.evidence, found.replicated) == (CALIBRATED, CALIBRATED_EVIDENCE, "2")


@pytest.mark.parametrize(
    ("number", "ordering", "verdict"),
    [
        (NOT_REPRODUCED, REPRODUCED, DIRECTION_ONLY),
        (NOT_REPRODUCED, DIRECTION_ONLY, DIRECTION_ONLY),
        (NOT_REPRODUCED, NOT_REPRODUCED, NOT_REPRODUCED),
        (NOT_REPRODUCED, INCONCLUSIVE, INCONCLUSIVE),
        (INCONCLUSIVE, REPRODUCED, INCONCLUSIVE),
        (REPRODUCED, NOT_REPRODUCED, REPRODUCED),
    ],
)
def test_a_number_that_is_off_keeps_its_direction(number, ordering, verdict):
    assert or_direction(judged(number), judged(ordering)).verdict == verdict


def test_false_rejections_are_expected_of_what_is_sampled_and_tested():
    rows = [(REPRODUCED, SIMULATED, 0.025)] * 30 + [(INCONCLUSIVE, SIMULATED, 0.05)] * 10
    rows += [(NOT_TESTABLE, SIMULATED, 1), (CALIBRATED, CALIBRATED_EVIDENCE, 1), (REPRODUCED, BY_CONSTRUCTION, 1)]
    assert expected_false([*rows, (NOT_REPRODUCED, COMPUTED, 1)]) == pytest.approx(1.25)


def test_readings_have_the_level_of_the_least_careful():
    """Of those that tell something."""
    strict, other = judged(REPRODUCED), judged(REPRODUCED, level=0.05)
    assert over_readings({"one": strict, "other": other}).level == 0.05
    untold = judged(REPRODUCED, BY_CONSTRUCTION, level=0.05)
    assert over_readings({"one": strict, "other": untold}).level == strict.level


def test_unknown_words_are_refused():
    with pytest.raises(ValueError, match="'fine' is not one of reproduced"):
        Judgement("fine", "", SIMULATED)
    with pytest.raises(ValueError, match="'guessed' is not one of computed"):
        Judgement(REPRODUCED, "", "guessed")


def test_what_could_not_come_out_otherwise_lifts_no_refuted_number():
    refuted, empty = judged(NOT_REPRODUCED), judged(REPRODUCED, BY_CONSTRUCTION)
    found = over_readings({"one": refuted, "other": empty})
    assert (found.verdict, found.evidence) == (NOT_REPRODUCED, SIMULATED)
    assert over_readings({"other": empty}).verdict == REPRODUCED
    assert over_readings({"other": empty, "one": judged(REPRODUCED)}).evidence == SIMULATED
