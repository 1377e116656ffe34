"""Two runs with two seeds are compared claim by claim."""

from checkout import ROOT, read_yaml
from committed import REFERENCED
from made_verdicts import row

from replication.judging.claims import Experiment, Final, claims_of
from replication.judging.confirmation import FRESH_PROBLEMS, beside, compared, other_runs, report
from replication.judging.verdict_tables import headlines

NAMES = ("one", "other")


def table(**outcomes):
    return {
        id_: row(id_, outcome=outcome, kind="mean", why="seeds" if outcome == "open" else "")
        for id_, outcome in outcomes.items()
    }


def test_what_holds_again_is_counted_by_kind_and_what_differs_is_listed_with_both_values():
    first, second = table(a="holds", b="holds", c="fails", d="open"), table(a="holds", b="open", c="fails", d="holds")
    second["e"] = row("e", outcome="fails")  # a claim that the first run did not have
    assert compared(second, first) == [(after, before) for before, after in compared(first, second)]
    told = report(compared(first, second), NAMES)
    assert "| numbers | 1 of 2 | 0 of 0 | 1 of 1 | 0 of 1 | 2 of 4 |" in told
    assert told.count("| claim | one |  | other |  |") == 1
    assert "| curves |" not in told  # none was tested
    assert "2 of 4 claims have another outcome:" in told
    assert "| b | holds | 10 (9 to 11) | open (seeds) | 10 (9 to 11) |" in told
    assert "| d | open (seeds) |" in told
    assert "| a |" not in told
    assert "No claim has another outcome." in report(compared(first, first), NAMES)


def test_what_is_true_by_construction_is_not_counted():
    first, second = table(a="holds", b="holds"), table(a="holds", b="open")
    for rows in (first, second):
        rows["b"]["why"] = "by construction"
    told = report(compared(first, second), NAMES)
    assert "1 of 1" in told
    assert "| b |" not in told


def test_an_outcome_that_flipped_is_shown_with_the_first_one():
    first, second = table(a="holds", b="fails"), table(a="open", b="fails")
    rows = beside(second, {"with the first seed": first, "elsewhere": table(a="fails")})
    assert [each["elsewhere"] for each in rows.values()] == ["with the first seed: holds; elsewhere: fails", ""]
    for each in rows.values():
        each["headline"] = "yes"
    lines = headlines(rows.values(), {}).splitlines()[2:]
    assert lines[0].endswith("open (seeds) (with the first seed: holds; elsewhere: fails) |")
    assert lines[1].endswith("fails |")


def test_the_run_with_fresh_problems_has_each_claim_that_is_tested_on_random_problems():
    drawn = ("lee2019/", "lu2021/", "huang2022/email_users")
    expected = set()
    for paper in REFERENCED:
        experiments = read_yaml(ROOT / f"config/papers/{paper}.yaml")["experiments"]
        random = {
            name
            for name, experiment in experiments.items()
            if "seeds_per_draw" in experiment and experiment["problem"].startswith(drawn)
        }
        for id_, claim in claims_of(paper).items():
            read = {*claim.reads(Experiment), *(final.experiment for final in claim.reads(Final))}
            if read & random:
                expected.add(id_)
    assert other_runs(ROOT)[FRESH_PROBLEMS].keys() == expected
