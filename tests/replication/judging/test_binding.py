"""What can be wrong with a claim is said before any job starts: where, what, and what was expected."""

from dataclasses import replace
from pathlib import Path

import pytest
from made_claims import BF, CLAIMS, DECLARED, PLUS, POMIS, PRINTED, SIZE, printed, publish

from experiments.config import home_of
from experiments.settings import ConfigError
from replication.judging import claims
from replication.judging.binding import bind
from replication.judging.checks import above, above_at, growth, mean, percentage, rate
from replication.judging.claims import (
    COLUMNS,
    Checkpoint,
    Experiment,
    Final,
    Milestone,
    Policy,
    along,
    check,
    claim,
    claims_of,
    final,
    read,
    under,
)
from replication.judging.gaps import Gap
from replication.judging.judges import judge_exact


def bound(test=None, id_="baseline", rows=None, tests=None, **about):
    """Bind all claims of the made-up paper, one of them with another test."""
    changed = {} if test is None else {id_: claim(test, **about)}
    rows = {name: printed(name) for name in PRINTED} if rows is None else rows
    bind(home_of("made2000", Path()), rows, {**CLAIMS, **changed} if tests is None else tests, DECLARED)


@check
def reading(printed, results, *arguments):
    """A judge that reads its arguments."""
    return judge_exact(printed.value, "")


def test_the_committed_form_is_right():
    bound()


@pytest.mark.parametrize(
    ("test", "about", "message"),
    [
        (
            mean(final("email", PLUS.policy), trials=5),
            {},
            "experiment: 'email' is unknown; expected one of: frontdoor,",
        ),
        (reading(Experiment("email")), {}, "experiment: 'email' is unknown"),
        (mean(final("frontdoor", Policy("ucb")), trials=5), {}, "ucb matches none of experiment 'frontdoor'"),
        (mean(final("frontdoor", Policy("thompson")), trials=5), {}, "thompson matches 3 policies \\(ts_bf; ts_mis;"),
        (mean(POMIS.of("reward"), trials=5), {}, "metric: 'reward' of ts_pomis; expected one of: correct, cum"),
        (mean(replace(POMIS, rounds=5000), trials=5), {}, "rounds: 5000 of frontdoor; expected 10000"),
        (above_at(BF, POMIS, Checkpoint(150)), {}, "150 is not a checkpoint of frontdoor; expected one, such as 100"),
        (reading(BF, Milestone(7)), {}, "7 is not a milestone of frontdoor, which has 5000"),
        (reading(SIZE(n=10), Milestone(7)), {}, "7 is not a milestone of sizes, which has none"),
        (above(SIZE(n=100), SIZE(n=10), by="draw"), {}, "by: sizes has no seeds_per_draw; expected 'seed'"),
        (rate(POMIS.of("correct")), {}, "value: '44.40'; expected a number above 0 and at most 1 for rate\\(\\)"),
        (mean(POMIS, trials=5), {"ledger": "L1x"}, "'L1x' is not the id of an entry"),
        (mean(POMIS, trials=5), {"headline": True}, "statement: '' is empty; a headline needs a plain sentence"),
        (mean(POMIS, trials=5), {"shown": "44"}, "only a headline that is an ordering may have its own text"),
        (mean(POMIS, trials=5), {"in_view": "L01: better"}, "expected an entry's id and what the other choice gives"),
        (mean(POMIS, trials=5), {"fault": "typo"}, "fault: 'typo'; expected one of: error, slip, misprint"),
    ],
)
def test_a_wrong_test_says_what_was_expected(test, about, message):
    with pytest.raises(ConfigError, match=f"^papers/made2000/claims.py:[0-9]+: baseline: .*{message}"):
        bound(test, **about)


def test_a_number_must_be_one():
    with pytest.raises(ConfigError, match="value: '>'; expected a number for mean"):
        bound(mean(POMIS, trials=5), "order")
    with pytest.raises(ConfigError, match=r"value: '44\.40'; expected"):
        bound(rate(POMIS.of("correct")))
    bound(percentage(PLUS, POMIS, trials=5))


def test_what_is_wrong_under_a_reading_names_it():
    readings = Gap("L18", "how estimates are averaged", {"one": "minimum_variance", "two": "median"})
    with pytest.raises(ConfigError, match="baseline: reading 'two': z2_thompson averaging=median matches none"):
        bound(under(readings, lambda averaging: mean(PLUS(averaging=averaging), trials=5)))


def test_a_claim_without_a_test_and_a_test_without_a_claim_are_named():
    with pytest.raises(ConfigError, match=r"csv:0: growth: expected a test of this id in papers/made2000/claims\.py"):
        bound(tests={name: each for name, each in CLAIMS.items() if name != "growth"})
    with pytest.raises(ConfigError, match=r"claims\.py:[0-9]+: growth: expected a row with this id in data/published"):
        bound(rows={name: printed(name) for name in PRINTED if name != "growth"})
    bound(rows={}, tests={})  # no claims yet


def test_a_headline_that_orders_shows_its_sides():
    with pytest.raises(ConfigError, match="shown: '' is empty; a headline that is an ordering needs its sides"):
        bound(above(BF, PLUS), "order", headline=True)


def test_a_reading_changes_something_and_a_setting_increases():
    with pytest.raises(ValueError, match="the reading 'two' changes nothing"):
        under(Gap("L01", "the number of trials", {"one": 1, "two": 2}), lambda _: mean(POMIS, trials=5))
    for points in ([10], [100, 10], [10, 10]):
        with pytest.raises(ValueError, match="expected at least two values, increasing"):
            along(SIZE, n=points)


def test_all_that_a_test_reads_is_found_in_its_arguments():
    test = growth(along(SIZE, n=[10, 100]), "sqrt")
    assert [final.policy.settings for final in test.reads(Final)] == [{"n": 10}, {"n": 100}]
    nested = reading({"a": [(BF, PLUS)]})
    assert list(nested.reads(Final)) == [BF, PLUS]


def test_the_line_of_a_claim_is_its_own():
    first, second = (claim(mean(POMIS, trials=n)) for n in (1, 2))
    other = claim(mean(POMIS, trials=3))
    assert first.line == second.line == other.line - 1


@pytest.mark.parametrize(
    ("rows", "header", "message"),
    [
        ({}, ("id", "place"), ":1: no column statement, .*expected id,place"),
        ({}, (*COLUMNS, "judge"), ":1: unknown 'judge'"),
        ({"": {"kind": "mean"}}, COLUMNS, ":2: id: '' is not a name"),
        ({"a": {"kind": "count"}}, COLUMNS, ":2: a: kind: 'count' is unknown; expected one of: mean, percentage"),
    ],
)
def test_a_malformed_table_is_refused(tmp_path, rows, header, message):
    with pytest.raises(ConfigError, match=message):
        read(publish(tmp_path / "p.csv", rows, header))


def test_a_table_is_read_in_order_and_ids_are_distinct(tmp_path):
    path = publish(tmp_path / "p.csv")
    assert list(read(path)) == list(PRINTED)
    assert (read(path)["plus"].number, read(path)["plus"].line) == (29.08, 3)
    path.write_text(path.read_text() + path.read_text().splitlines()[1] + "\n")
    with pytest.raises(ConfigError, match="baseline: id: also in line 2; expected distinct ids"):
        read(path)
    path.write_text(f"{','.join(COLUMNS)}\na,b\n")
    with pytest.raises(ConfigError, match=":2: a: 2 cells; expected 9"):
        read(path)


def test_a_paper_without_claims_has_none_yet(tmp_path, monkeypatch):
    assert read(tmp_path / "none.csv") == {}
    assert claims_of("none2000") == {}
    monkeypatch.setattr(claims, "module_of", lambda paper, name: object())
    with pytest.raises(ConfigError, match=r"papers/none2000/claims\.py: .*expected a dictionary CLAIMS"):
        claims_of("none2000")
