"""Readings fill what a paper leaves open; its headlines are put side by side under all of them."""

import pytest

from replication.judging.checks import mean
from replication.judging.claims import Policy, claim, final, under
from replication.judging.gaps import Gap, reading
from replication.judging.matrix import DEFAULTS, matrix

WIDTH = Gap("L01", "how wide", {"narrow": 1, "wide": 2})
ORDER = Gap("L02", "in which order", {"first": 1, "last": 2, "random": 3})


def test(trials):
    return mean(final("played", Policy("ucb")), trials=trials)


test.__test__ = False


def names(tests):
    return [each.name for each in tests]


def test_a_reading_is_named_by_what_is_not_a_default():
    assert names(under(WIDTH, test)) == ["narrow", "wide"]
    several = under((reading(1), reading(2, WIDTH["wide"]), reading(3, ORDER["last"], WIDTH["wide"])), test)
    assert names(several) == ["narrow, first", "wide", "wide, last"]
    assert claim(several, "L06 L01").cited == "L06 L01 L02"
    assert names(under((reading(2, WIDTH["wide"]),), test, default=test(9))) == ["narrow", "wide"]
    assert names(claim(test(1)).tests) == [""]


@pytest.mark.parametrize(
    ("readings", "message"),
    [
        (lambda: (reading(1, WIDTH["wide"]), reading(2)), "the first reading is 'wide'; expected that of all defaults"),
        (lambda: (reading(1), reading(2, WIDTH["wide"]), reading(3, WIDTH["wide"])), "'wide' changes nothing"),
        (lambda: (reading(1), reading(1, WIDTH["wide"])), "'wide' changes nothing"),
        (lambda: (reading(1), reading(2, WIDTH["wide"], WIDTH["narrow"])), "expected one option of each gap"),
        (
            lambda: (reading(1), reading(2, WIDTH["broad"])),
            "how wide: 'broad' is unknown; expected one of: narrow, wide",
        ),
    ],
)
def test_readings_that_cannot_be_meant(readings, message):
    with pytest.raises(ValueError, match=message):
        under(readings(), test)


def side_by_side(outcomes):
    """The matrix of claims on a width, on a width and an order, and on neither; their outcomes by reading."""
    claims = {
        "width": claim(under(WIDTH, test)),
        "both": claim(under((reading(1), reading(2, ORDER["last"]), reading(3, ORDER["last"], WIDTH["wide"])), test)),
        "neither": claim(test(1)),
        "other": claim(under(Gap("L06", "of no headline", {"a": 1, "b": 2}), test)),
    }
    rows = [{"claim_id": name, "headline": "yes" if name != "other" else "", "outcome": "holds"} for name in claims]
    return matrix(rows, {name: {r: {"outcome": o} for r, o in of.items()} for name, of in outcomes.items()}, claims)


def test_a_headline_has_under_a_reading_the_outcome_of_the_test_that_has_its_options():
    found = side_by_side(
        {
            "width": {"narrow": "fails", "wide": "holds"},
            "both": {"first, narrow": "open", "last": "fails", "last, wide": "holds"},
        }
    )
    assert dict(zip(found.readings, found.outcomes, strict=True)) == {
        DEFAULTS: ["fails", "open", "holds"],
        "wide": ["holds", "", "holds"],
        "last": ["fails", "fails", "holds"],
        "wide, last": ["holds", "holds", "holds"],
    }
    assert found.sentence() == "All 3 headlines hold in the tests under: wide, last."
    assert found.table().splitlines()[3] == "| wide | holds | - | holds |"


def test_the_best_reading_departs_least_and_may_be_one_that_no_headline_was_tested_under_alone():
    found = side_by_side(
        {
            "width": {"narrow": "fails", "wide": "holds"},
            "both": {"first, narrow": "fails", "last": "fails", "last, wide": "fails"},
        }
    )
    assert found.best == "wide"
    told = (
        "In no combination of readings that was tested do all 3 headlines hold. "
        "Under all defaults 1 does; at most 2 do, under: wide."
    )
    assert found.sentence() == told


def test_without_gaps_there_is_nothing_to_compare():
    rows = [{"claim_id": "neither", "headline": "yes", "outcome": "holds"}]
    assert matrix(rows, {}, {"neither": claim(test(1))}) is None
