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


def side_by_side(outcomes, **claims):
    """The matrix of claims with these outcomes: one for all, or one for each reading."""
    rows = [{"claim_id": name, "headline": "yes", **row(outcomes[name])} for name in claims]
    readings = {name: {r: row(o) for r, o in of.items()} for name, of in outcomes.items() if isinstance(of, dict)}
    return matrix([*rows, {"claim_id": "no headline", "headline": ""}], readings, claims)


def row(found):
    if isinstance(found, dict):
        return {"outcome": "not read", "why": ""}
    trivial = found == "by construction"
    return {"outcome": "holds" if trivial else found, "why": found if trivial else ""}


ON_WIDTH = claim(under(WIDTH, test))
ON_BOTH = claim(under((reading(1), reading(2, ORDER["last"]), reading(3, ORDER["last"], WIDTH["wide"])), test))
ON_NEITHER = claim(test(1))
ON_WIDTH_AS_DEFAULT = claim(test(1), untested=(WIDTH,))


def shown(found):
    return dict(zip(found.readings, found.outcomes, strict=True))


def test_a_headline_has_under_a_reading_the_outcome_of_the_test_that_has_its_options():
    outcomes = {
        "width": {"narrow": "fails", "wide": "holds"},
        "both": {"first, narrow": "open", "last": "fails", "last, wide": "holds"},
        "neither": "holds",
    }
    found = side_by_side(outcomes, width=ON_WIDTH, both=ON_BOTH, neither=ON_NEITHER)
    assert shown(found) == {
        DEFAULTS: ["fails", "open", "holds"],
        "wide": ["holds", "", "holds"],
        "last": ["fails", "fails", "holds"],
        "wide, last": ["holds", "holds", "holds"],
    }
    assert found.sentence() == (
        "One reading makes all 3 headlines hold. Under wide, last, 3 hold. "
        "Under all defaults, 1 holds, 1 is contradicted, 1 is open."
    )
    assert found.table().splitlines()[3] == "| wide | holds | - | holds |"


def test_if_each_reading_contradicts_a_headline_the_best_is_that_under_which_most_hold_with_the_fewest_departures():
    outcomes = {
        "width": {"narrow": "fails", "wide": "holds"},
        "both": {"first, narrow": "fails", "last": "depends", "last, wide": "fails"},
        "neither": "fails",
    }
    found = side_by_side(outcomes, width=ON_WIDTH, both=ON_BOTH, neither=ON_NEITHER)
    assert found.best == "wide"
    assert found.sentence() == (
        "No reading makes all 3 headlines hold: each contradicts at least one. Under wide, 1 holds, 1 is contradicted, "
        "1 is not tested. Under all defaults, none holds, 3 are contradicted."
    )


def test_what_is_not_tested_or_open_decides_nothing():
    outcomes = {"width": {"narrow": "fails", "wide": "holds"}, "fixed": "holds"}
    found = side_by_side(outcomes, width=ON_WIDTH, fixed=ON_WIDTH_AS_DEFAULT)
    assert shown(found) == {DEFAULTS: ["fails", "holds"], "wide": ["holds", ""]}
    assert found.sentence() == (
        "Whether one reading makes all 2 headlines hold is not decided. Under wide, 1 holds, 1 is not tested. "
        "Under all defaults, 1 holds, 1 is contradicted."
    )
    assert ON_WIDTH_AS_DEFAULT.cited == "L01"


def test_what_is_true_by_construction_is_counted_by_itself():
    outcomes = {"width": {"narrow": "fails", "wide": "by construction"}, "neither": "holds"}
    found = side_by_side(outcomes, width=ON_WIDTH, neither=ON_NEITHER)
    assert shown(found)["wide"] == ["by construction", "holds"]
    assert found.sentence() == (
        "One reading contradicts none of the 2 headlines, but makes some true by construction. "
        "Under wide, 1 holds, 1 is true by construction. Under all defaults, 1 holds, 1 is contradicted."
    )


def test_without_gaps_there_is_nothing_to_compare():
    assert side_by_side({"neither": "holds"}, neither=ON_NEITHER) is None
