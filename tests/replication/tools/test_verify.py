"""The study at hand against the reference: equal on equal seeds, as near as chance explains on fewer."""

import csv
import functools
import itertools
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from made_verdicts import TABLE, left_out, publish, row, write_readings
from scipy import stats

from experiments import files
from experiments.config import read_yaml
from replication.judging import scale
from replication.judging.verdict_tables import COLUMNS, READING_COLUMNS, write
from replication.tools import reference, verify

ROOT = Path(__file__).parents[3]
FACTORS = (1.01, 2, 10)


def test_what_counts_as_published_scale_is_what_the_configuration_has():
    of_study = read_yaml(ROOT / "config/config.yaml", "config/config.yaml")["scale"]
    assert all(of_study[name] in values for name, values in scale.PUBLISHED.items())


def compared(ours, theirs):
    return verify.compare({one["claim_id"]: one for one in theirs}, {one["claim_id"]: one for one in ours}, {}, {})


def equal(ours, theirs, alike=verify.same):
    return verify.compare_equal({one["claim_id"]: one for one in theirs}, {one["claim_id"]: one for one in ours}, alike)


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("10.00005", "10", True),
        ("10.01", "10", False),
        ("1e-17", "-2e-17", True),
        ("", "10", False),
        ("400001", "400000", False),  # counts
        ("difference 1.24 (3.00 against 1.76)", "difference 1.24 (3.00 against 1.77)", True),
    ],
)
def test_numbers_are_compared_as_six_digits_are_printed(ours, theirs, same):
    assert verify.same(ours, theirs) is same


@pytest.mark.parametrize("column", [name for name in COLUMNS if name != "claim_id"])
def test_every_cell_is_compared_at_published_scale(column):
    (line,) = equal([row() | {column: "8.9"}], [row()])
    assert line.startswith(f"p.a: {column}: '8.9'; reference ")


@pytest.mark.parametrize("column", ["reason", "ci_low", "ci_high", "place", "row", "column", "ledger"])
def test_words_and_intervals_are_not_compared_in_a_smaller_study(column):
    assert compared([row(n="8") | {column: "8.9"}], [row()]).agree == ["p.a"]


def test_outcomes_that_agree_in_a_smaller_study_do_so_for_the_same_reason():
    assert compared([row(n="8", outcome="fails", why="slip")], [row(outcome="fails", why="error")]).differ


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("paired by seed, 2,000 seeds", "paired by seed, 2,000 seeds", True),
        ("log explains 99.14 %", "log explains 99.15 %", True),
        ("log explains 99.14 %", "log explains 99.17 %", False),
        ("of 30 models", "of 31 models", False),
        ("at most 2.2e-16", "at most 1.1e-16", True),
        ("at most 2.2e-05", "at most 2.1e-05", False),
        ("the interval lies above 3.65", "the interval contains 3.65", False),
        ("the interval lies above 3.65", "the interval lies above 3.65, 4", False),
    ],
)
def test_reasons_are_compared_by_words_and_printed_digits(ours, theirs, same):
    assert verify.same_text(ours, theirs) is same


def test_fewer_seeds_ask_for_what_chance_explains():
    quick = row(value="12", low="9", high="15", n="8")
    assert compared([quick], [row()]).agree == ["p.a"]
    # One value: a two-sided test at 1 %, of both standard errors.
    widths = [3 / stats.t.ppf(0.975, 7) * stats.t.ppf(0.995, 7), 1 / stats.t.ppf(0.975, 99) * stats.t.ppf(0.995, 99)]
    border = 10 + np.hypot(*widths)
    for value, agree in ((border - 0.01, True), (border + 0.01, False)):
        found = compared([row(value=str(value), low=str(value - 3), high=str(value + 3), n="8")], [row()])
        assert (found.agree == ["p.a"]) is agree
        assert bool(found.differ) is not agree


def test_a_whole_study_on_fewer_seeds_rarely_differs_by_chance():
    rng, claims, wrong = np.random.default_rng(0), 40, 0
    for _ in range(200):
        tables = []
        for n in (5, 200):
            draws = rng.normal(3, 1, (claims, n))
            mean, half = draws.mean(1), stats.t.ppf(0.975, n - 1) * draws.std(1, ddof=1) / n**0.5
            rows = zip(mean, mean - half, mean + half, strict=True)
            tables.append([row(f"p.{i}", *map(repr, map(float, r)), str(n)) for i, r in enumerate(rows)])
        wrong += bool(compared(*tables).differ)
    assert stats.binomtest(wrong, 200, verify.CHANCE).pvalue > 0.001


def test_opposite_verdicts_differ_where_there_is_no_value():
    ordering = {"value": "", "low": "", "high": ""}
    theirs = row(outcome="fails", n="0", **ordering)
    assert compared([row(outcome="holds", n="8", **ordering)], [theirs]).differ
    assert compared([row(outcome="open", n="8", **ordering)], [theirs]).unmeasured == ["p.a"]


def counted(value, reason="told", **more):
    return row(value=value, low="", high="", n="0", basis="exact") | {"reason": reason} | more


@pytest.mark.parametrize(
    ("ours", "theirs", "agree"),
    [
        (counted("endless on 2, wrong on 1 of 8"), counted("endless on 32, wrong on 6 of 100"), True),
        (counted("endless on 8, wrong on 1 of 8"), counted("endless on 10, wrong on 6 of 100"), False),
        (counted("0", "fails; of 9 models"), counted("626", "fails; of 1,000 models"), False),
        (counted("6", "fails; of 9 models"), counted("626", "fails; of 1,000 models"), True),
        (counted("28", "of 30"), counted("27", "of 30"), False),  # of as many trials they are equal
        (counted("28"), counted("27"), False),
        (counted("{A}"), counted("{B}"), False),
    ],
)
def test_counts_of_fewer_trials_are_compared_as_shares(ours, theirs, agree):
    found = compared([ours], [theirs])
    assert (found.agree, bool(found.differ)) == (["p.a"] if agree else [], not agree)


@pytest.mark.parametrize(("gap", "agree"), [("12.00", True), ("30.00", False)])
def test_an_ordering_is_compared_by_its_difference(gap, agree):
    theirs = row(value="difference 10.00 (30.00 against 20.00)")
    ours = row(value=f"difference {gap} (32.00 against 20.00)", low="9", high="15", n="8")
    found = compared([ours], [theirs])
    assert (found.agree, bool(found.differ)) == ((["p.a"], False) if agree else ([], True))


@pytest.mark.parametrize(("value", "agree"), [("8 of 8", True), ("7 of 8", True), ("2 of 8", False)])
def test_a_rate_with_an_interval_is_compared_as_a_share(value, agree):
    found = compared([row(value=value, low="0.6", high="1", n="8")], [row(value="200 of 200", low="0.98", high="1")])
    assert (found.agree, bool(found.differ)) == ((["p.a"], False) if agree else ([], True))


def test_a_reading_without_a_value_is_passed_over():
    """As that of a policy that the paper does not name, which is first as the default."""
    empty = row(value="", low="", high="", n="0", outcome="open", why="omitted")
    for value, agree in (("12", True), ("30", False)):
        theirs, ours = (
            {"p.a": {"given": empty, "b": other}} for other in (row(), row(value=value, low="9", high="15", n="8"))
        )
        found = verify.compare({"p.a": empty}, {"p.a": empty}, theirs, ours)
        assert (found.agree, bool(found.differ)) == ((["p.a"], False) if agree else ([], True))


def test_simulated_values_without_seeds_are_not_compared_in_a_smaller_study():
    none = {"value": "0 and 0", "low": "", "high": "", "n": "0"}
    theirs = row(outcome="fails", **none | {"value": "1 and 2"})
    assert compared([row(outcome="open", **none)], [theirs]).unmeasured == ["p.a"]
    assert compared([row(outcome="holds", **none)], [theirs]).differ


def test_claims_that_one_side_lacks():
    found = compared([row("p.a"), row("p.new"), left_out("p.out")], [row("p.a"), row("p.b"), row("p.out")])
    assert found.differ == ["p.b: missing", "p.new: not in the reference"]
    assert found.left_out == ["p.out"]
    assert not compared([row("p.a")], [row("p.a"), row("q.a")]).differ  # the study at hand may have fewer papers
    assert not compared([row("p.a"), row("q.a")], [row("p.a")]).differ  # so may the reference
    assert compared([row("p.a")], [row("q.a")]).differ == ["no claim could be compared"]
    assert compared([left_out("p.a")], [row("p.a")]).differ == ["no claim could be compared"]


def test_a_claim_that_is_played_under_some_readings_is_compared():
    partly = row("p.a", n="8", low="7", high="13", outcome="open", why="not run")
    assert compared([partly], [row()]).agree == ["p.a"]
    assert compared([partly | {"replicated": "99", "ci_low": "98", "ci_high": "100"}], [row()]).differ


def test_a_smaller_study_is_compared_under_one_reading():
    """The reference shows the reading nearest to the published number where all fail, a smaller study the first."""
    expected, found = {"p.a": row("p.a", "30", "29", "31", outcome="fails")}, {"p.a": row(n="8", outcome="open")}
    theirs = {"p.a": {"first": row(), "second": row(value="30")}}
    ours = {"p.a": {"left out": left_out("p.a"), "first": row(n="8", value="10.5"), "second": row(n="8", value="29")}}
    assert compared(found.values(), expected.values()).differ
    assert verify.compare(expected, found, theirs, ours).agree == ["p.a"]
    far = {"p.a": {"first": row(value="90", low="89", high="91")}}
    assert verify.compare(expected, found, far, ours).differ


def test_at_published_scale_everything_is_there_and_played():
    here = [row("p.a"), left_out("p.b"), row("r.a")]
    assert [line.split(": ")[:2] for line in equal(here, [row("p.a"), row("p.b"), row("q.a")])] == [
        ["q.a", "missing"],
        ["r.a", "not in the reference"],
        *(["p.b", column] for column in ("replicated", "ci_low", "ci_high", "n", "outcome", "why")),
    ]


def test_the_reference_is_made_from_results_and_verified(checkout, capsys):
    assert reference.main([]) == 0
    columns = list(reference.read_columns("data/reference/columns.csv"))
    assert columns == [("p/e/finals.parquet", "value"), ("p/e/finals.parquet", "")]
    assert list(reference.tables_under(Path("data/reference/figures"), ["p"])) == ["p/table1.csv"]
    assert verify.main([]) == 0
    assert "2 agree, 0 differ" in capsys.readouterr().out
    write([row(), row("p.b", value="2")], "results/verdicts.csv")
    assert verify.main([]) == 1
    printed = capsys.readouterr().out
    assert "differs: p.b: replicated: '2'; reference '1'" in printed
    assert "1 of 1 tables are identical" in printed


def test_on_another_processor_last_digits_may_differ(checkout, capsys):
    """If those of a table do; else no letter of a text may differ."""
    assert reference.main([]) == 0
    Path("figures/p/table1.csv").write_text("x,regret\n1,30.60 ± 0.50\n")
    write([row(value="10.00005"), row("p.b", value="1")], "results/verdicts.csv")
    write_readings(value="10.00005")
    assert verify.main([]) == 1
    assert "0 agree" not in capsys.readouterr().out
    files.write(files.pa.table(TABLE | {"value": [1.5, None, -3.250001]}), "results/p/e/finals.parquet")
    assert verify.main([]) == 0
    printed = capsys.readouterr().out
    assert "some bits differ, which alone is not a disagreement: p/e/finals.parquet" in printed
    assert "0 of 1 tables are identical" in printed


def scaled(cell, factor):
    """A cell with every number multiplied."""
    return verify.NUMBER.sub(lambda number: f"{float(number[0].replace(',', '')) * factor:.6g}", cell)


def mutants(folder):
    """Give each column of each table below a folder, times each factor: its name, and what writes the table so."""
    for path in sorted(Path(folder).rglob("*.csv")):
        header, *rows = list(csv.reader(path.read_text().splitlines()))
        for place, factor in itertools.product(range(len(header)), FACTORS):
            wrong = [[scaled(c, factor) if i == place else c for i, c in enumerate(cells)] for cells in rows]
            if wrong != rows:
                text = "".join(f"{','.join(cells)}\n" for cells in [header, *wrong])
                yield f"{path}: {header[place]} x {factor}", functools.partial(path.write_text, text)
    for path, name, factor in itertools.product(Path(folder).rglob("finals.parquet"), ("seed", "value"), FACTORS):
        wrong = files.pa.table(TABLE | {name: [x and x * factor for x in TABLE[name]]})
        yield f"{path}: {name} x {factor}", functools.partial(files.write, wrong, path)


@pytest.mark.parametrize("folder", ["results", "figures/p"])
def test_no_column_of_any_table_can_be_multiplied_unnoticed(checkout, folder):
    shutil.rmtree("results/quick")
    assert reference.main([]) == 0
    tried, passed = 0, []
    for name, change in list(mutants(folder)):
        before = {path: path.read_bytes() for path in Path(folder).rglob("*.*")}
        change()
        tried += 1
        passed += [name] if verify.main([]) == 0 else []
        for path, content in before.items():
            path.write_bytes(content)
        assert verify.main([]) == 0
    assert (passed, tried) == ([], {"results": 30, "figures/p": 6}[folder])


@pytest.mark.parametrize(
    "other",
    [
        {"policy": ["a", "c", None]},
        {"kept": [True, True, True]},
        {"value": [1.5, 0.0, -3.25]},
        {"value": [-3.25, None, 1.5]},
        {"value": [1.5, None, 3.25]},
    ],
)
def test_other_words_missing_values_and_exchanged_rows_of_a_table_differ(checkout, other):
    assert reference.main([]) == 0
    files.write(files.pa.table(TABLE | other), "results/p/e/finals.parquet")
    assert verify.main([]) == 1


def test_tables_of_the_reference_are_required(checkout, capsys):
    """Verdicts that are copied from the reference, without any table, do not agree."""
    assert reference.main([]) == 0
    Path("results/p/e/finals.parquet").unlink()
    assert verify.main([]) == 1
    printed = capsys.readouterr().out
    assert "differs: p/e/finals.parquet: missing" in printed
    assert "0 of 1 tables are identical" in printed


@pytest.mark.parametrize("column", ["statement", "published", "kind", "headline", "shown", "in_view"])
def test_what_a_verdict_repeats_of_its_claim_is_what_the_claim_says(checkout, monkeypatch, column):
    claim = SimpleNamespace(headline=True, shown="mean", in_view="seen")
    monkeypatch.setattr(verify, "claims_of", lambda paper: {"p.a": claim})
    own = row(headline=verify.HEADLINE, shown="mean", in_view="seen")
    assert verify.compare_given({"p.a": own}, Path("data/published")) == []
    (line,) = verify.compare_given({"p.a": own | {column: "another"}}, Path("data/published"))
    assert line.startswith(f"p.a: {column}: 'another'; data/published/p.csv or claims.py says ")


def test_in_a_smaller_study_a_claim_has_the_numbers_of_one_of_its_readings(checkout, capsys):
    assert reference.main([]) == 0
    scale.write({"replicates": 8}, "results/scale.json")
    assert verify.main([]) == 0
    for cells in ({"value": "10.1"}, {"low": "8.9"}, {"high": "11.1"}, {"n": "99"}):
        write([row(**cells), row("p.b", value="1")], "results/verdicts.csv")
        assert verify.main([]) == 1
        assert "is the value of none of its readings" in capsys.readouterr().out


@pytest.mark.parametrize("value", ["100", "-80"])
def test_a_value_does_not_widen_its_own_interval(value):
    assert compared([row(value=value, low="9", high="11", n="8")], [row()]).differ


def changed(path, change):
    Path(path).write_bytes(change(Path(path).read_bytes()))


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda: changed("results/verdicts.csv", lambda b: b""), "results/verdicts.csv: empty"),
        (lambda: changed("results/verdicts.csv", lambda b: b.splitlines(True)[0]), "verdicts.csv: no verdicts"),
        (lambda: changed("results/verdicts.csv", lambda b: b[:-3]), "results/verdicts.csv: its last line"),
        (lambda: changed("results/verdicts.csv", lambda b: "\ufeff".encode() + b), "byte order mark"),
        (lambda: changed("results/verdicts.csv", lambda b: b.replace(b"told", b"\xe9")), "not UTF-8"),
        (lambda: changed("results/verdicts.csv", lambda b: b.replace(b",why", b"", 1)), "results/verdicts.csv:1:"),
        (lambda: changed("results/verdicts.csv", lambda b: b.replace(b",100,", b",,")), "n: ''"),
        (
            lambda: changed("results/verdict_readings.csv", lambda b: b.replace(b"holds", b"fails")),
            "p.a: one: outcome: 'fails'",
        ),
        (
            lambda: changed("results/verdict_readings.csv", lambda b: b.replace(b"told", b"lied")),
            "p.a: one: reason",
        ),
        (lambda: changed("results/verdicts.csv", lambda b: b.replace(b"told", b"lied")), "p.a: reason: 'lied'"),
        (lambda: changed("results/verdict_readings.csv", lambda b: b.splitlines(True)[0]), "p.a: one: missing"),
        (
            lambda: changed("data/reference/columns.csv", lambda b: b"a\n"),
            "data/reference/columns.csv: columns a; expected",
        ),
        (
            lambda: Path("results/scale.json").unlink(),
            "results/scale.json: No such file or directory; expected",
        ),
        (lambda: changed("results/scale.json", lambda b: b[:-5]), "results/scale.json: Unterminated"),
        (
            lambda: changed("figures/p/table1.csv", lambda b: b"x\n2\n"),
            "figures/p/table1.csv: 2 lines differ, first 'x'; reference 'x,regret'",
        ),
        (lambda: Path("figures/p/table1.csv").unlink(), "figures/p/table1.csv: missing"),
        (lambda: write([row()], "results/verdicts.csv"), "p.b: missing"),
        (lambda: write([row(), left_out("p.b")], "results/verdicts.csv"), "p.b: why: 'not run'; reference ''"),
        (lambda: publish(a="Rewritten."), "p.a: statement: ''; data/published/p.csv or claims.py says 'Rewritten.'"),
        (lambda: write([row(published="7"), row("p.b", "1")], "results/verdicts.csv"), "p.a: published: '7'"),
        (
            lambda: write([row("p.a"), row("p.b", "1"), row("p.c")], "results/verdicts.csv"),
            "p.c: not in data",
        ),
    ],
)
def test_what_is_damaged_missing_or_rewritten_is_not_verified(checkout, capsys, damage, told):
    """Exit 1, and a line that says what it is."""
    reference.main([])
    assert verify.main([]) == 0
    damage()
    capsys.readouterr()
    assert verify.main([]) == 1
    printed = capsys.readouterr()
    lines = [*printed.out.splitlines(), *printed.err.splitlines()]  # the latter of a damaged table
    assert any(told in line for line in lines), lines


def test_a_paper_without_committed_verdicts_is_compared_with_nothing_and_the_others_are(checkout, capsys):
    reference.main([])
    write([row("q.a"), row("p.a"), row("p.b", "1")], "results/verdicts.csv")
    capsys.readouterr()
    assert verify.main([]) == 0
    told = capsys.readouterr().out
    assert "q: no committed verdicts; compared with nothing" in told
    assert "2 agree, 0 differ" in told
    write([row("q.a")], "results/verdicts.csv")
    assert verify.main([]) == 0
    assert capsys.readouterr().out == "q: no committed verdicts; compared with nothing\n"


def test_the_newer_of_both_studies_is_verified(checkout, capsys):
    reference.main([])
    write([row(n="8", low="7", high="13")], "results/quick/verdicts.csv")
    write([], "results/quick/verdict_readings.csv", READING_COLUMNS)
    assert verify.main([]) == 1  # a claim is missing
    assert "results/quick/verdicts.csv against" in capsys.readouterr().out


def test_the_scale_is_read_from_what_the_run_recorded_whatever_its_folder_is_called(checkout, capsys):
    """A smaller study in results/ is compared by chance, a whole one in results/quick value by value."""
    reference.main([])
    small = [row(value="10.2", low="7", high="13", n="8"), row("p.b", value="1")]
    write(small, "results/verdicts.csv")
    assert verify.main([]) == 1
    assert "p.a: replicated: '10.2'; reference '10'" in capsys.readouterr().out
    scale.write({"replicates": 8}, "results/scale.json")
    write([], "results/verdict_readings.csv", READING_COLUMNS)
    assert verify.main([]) == 0
    assert "2 agree, 0 differ" in capsys.readouterr().out
    write(small, "results/quick/verdicts.csv")
    write([], "results/quick/verdict_readings.csv", READING_COLUMNS)
    assert verify.main([]) == 0
    assert "results/quick/verdicts.csv against" in capsys.readouterr().out
    scale.write({}, "results/quick/scale.json")
    assert verify.main([]) == 1
    assert "p.a: replicated: '10.2'; reference '10'" in capsys.readouterr().out


@pytest.mark.parametrize("less", [{"horizon": 100}, {"replicates": 20}, {"when": "small"}])
def test_a_smaller_study_cannot_become_the_reference(checkout, capsys, less):
    scale.write({"when": "asked"} | less, "results/scale.json")
    assert reference.main([]) == 1
    assert f"results/scale.json: {less}; expected the study at published scale" in capsys.readouterr().err
    assert not Path("data/reference").exists()
