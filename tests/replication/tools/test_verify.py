"""The study at hand against the reference: equal on equal seeds, as near as chance explains on fewer."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from replication.judging.verdict_tables import COLUMNS, NOT_RUN, overview, write
from replication.pipeline import files
from replication.tools import reference, verify

ROOT = Path(__file__).parents[3]


def row(claim="p.a", value="10", low="9", high="11", n="100", verdict="reproduced", **more):
    known = dict.fromkeys(COLUMNS, "") | {"claim_id": claim, "paper": claim.split(".")[0], "evidence": "simulated"}
    return known | {"replicated": value, "ci_low": low, "ci_high": high, "n": n, "verdict": verdict} | more


def compared(ours, theirs):
    return verify.compare({one["claim_id"]: one for one in theirs}, {one["claim_id"]: one for one in ours})


def test_equal_seeds_ask_for_equal_values_and_verdicts():
    assert compared([row()], [row()]).agree == ["p.a"]
    assert compared([row(value="10.00005")], [row()]).agree == ["p.a"]
    assert compared([row(value="")], [row(value="")]).agree == ["p.a"]
    (line,) = compared([row(value="10.01")], [row()]).differ
    assert line == ("p.a: reference 10 (n = 100, reproduced); at hand 10.01 (n = 100, reproduced); tolerance 0.0001")
    (line,) = compared([row(verdict="direction only")], [row()]).differ
    assert line.endswith("(n = 100, direction only); tolerance 0.0001, and a verdict that agrees")
    assert compared([row(value="")], [row()]).differ
    assert compared([row(n="")], [row(n="", value="10.1")]).differ


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
    theirs = row(verdict="not reproduced", n="", **ordering)
    assert compared([row(verdict="reproduced", n="8", **ordering)], [theirs]).differ
    assert compared([row(verdict="inconclusive", n="8", **ordering)], [theirs]).unmeasured == ["p.a"]


def test_simulated_rows_without_n_are_those_of_fewer_seeds_in_a_smaller_study():
    none = {"value": "0 and 0", "low": "", "high": "", "n": "0"}
    theirs = [row("p.a"), row("p.b", verdict="not reproduced", **none)]
    ours = row("p.b", verdict="inconclusive", **none)
    smaller = row("p.a", value="12", low="9", high="15", n="8")
    assert compared([smaller, ours], theirs).unmeasured == ["p.b"]
    assert compared([smaller, row("p.b", verdict="reproduced", **none)], theirs).differ
    assert compared([row("p.a"), ours], theirs).differ  # of the whole study all is asked
    computed = [one | {"evidence": "computed"} for one in (ours, theirs[1])]
    assert compared([smaller, computed[0]], [theirs[0], computed[1]]).differ


def test_claims_that_one_side_lacks():
    found = compared(
        [row("p.a"), row("p.new"), row("p.out", why=f"{NOT_RUN}x")], [row("p.a"), row("p.b"), row("p.out")]
    )
    assert found.differ == ["p.b: not among the verdicts at hand", "p.new: not in the reference"]
    assert found.left_out == ["p.out"]
    assert not compared([row("p.a")], [row("p.a"), row("q.a")]).differ  # the study at hand may have fewer papers
    assert not compared([row("p.a"), row("q.a")], [row("p.a")]).differ  # so may the reference


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with results and a README, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    Path("data/published").mkdir(parents=True)
    Path("data/published/p.csv").write_text("claim_id\np.a\np.b\n")
    Path("README.md").write_text(f"before\n{reference.BEGIN}old\n{reference.END}after\n")
    Path("results/p/e/runs/a").mkdir(parents=True)
    write([row(), row("p.b", value="1")], "results/verdicts.csv")
    Path("results/verdicts.md").write_text("# Verdicts\n")
    files.write(files.pa.table({"x": [1.5]}), "results/p/e/finals.parquet")
    files.write(files.pa.table({"x": [1.5]}), "results/p/e/runs/a/0-1.parquet")
    files.write(files.pa.table({"x": [1.5]}), "results/quick/p/counts.parquet")  # of the other study
    return tmp_path


def test_the_reference_is_made_from_results_and_verified(checkout, capsys):
    assert reference.main([]) == 0
    rows = list(reference.read_verdicts("data/reference/verdicts.csv").values())
    assert Path("README.md").read_text() == f"before\n{reference.BEGIN}\n{overview(rows)}\n\n{reference.END}after\n"
    assert list(reference.read_digests("data/reference/digests.csv")) == ["p/e/finals.parquet"]
    assert list(reference.digests(Path("results"))) == ["p/e/finals.parquet"]
    assert verify.main([]) == 0
    assert "2 agree, 0 differ" in capsys.readouterr().out
    write([row(), row("p.b", value="2")], "results/verdicts.csv")
    files.write(files.pa.table({"x": [1.25]}), "results/p/e/finals.parquet")
    assert verify.main([]) == 1
    printed = capsys.readouterr().out
    assert "differs: p.b: reference 1 (n = 100, reproduced); at hand 2 " in printed
    assert "not the same to the bit, which alone means nothing: p/e/finals.parquet" in printed
    assert "0 of 1 tables hold the same bits" in printed


def test_the_newer_of_both_studies_is_verified(checkout, capsys):
    reference.main([])
    write([row(n="8", low="7", high="13")], "results/quick/verdicts.csv")
    assert verify.main([]) == 1  # a claim is missing
    assert "results/quick/verdicts.csv against" in capsys.readouterr().out


def test_what_cannot_be_the_reference_is_refused(checkout, capsys):
    write([row(why=f"{NOT_RUN}email")], "results/verdicts.csv")
    with pytest.raises(SystemExit, match=r"^1$"):
        reference.main([])
    assert "results/verdicts.csv: p.a was left out; expected the whole study" in capsys.readouterr().err
    write([row()], "results/verdicts.csv")
    for lines in ("nothing\n", reference.BEGIN, reference.END):
        Path("README.md").write_text(lines)
        with pytest.raises(SystemExit):
            reference.main([])
        assert "no lines" in capsys.readouterr().err
    assert not Path("data/reference").exists()
    with pytest.raises(SystemExit):
        verify.main(["--results", "elsewhere"])
    assert "no verdicts.csv in elsewhere or elsewhere/quick" in capsys.readouterr().err


def test_the_committed_reference_is_what_the_readme_shows_and_whole_for_each_of_its_papers():
    rows = reference.read_verdicts(ROOT / reference.FOLDER / reference.VERDICTS)
    text = (ROOT / "README.md").read_text()
    papers = {row["paper"] for row in rows.values()}
    published = reference.published_papers(ROOT / reference.PUBLISHED)
    assert papers <= set(published)
    assert reference.shown(text, list(rows.values()), published) == text
    claims = []
    for paper in papers:
        with (ROOT / reference.PUBLISHED / f"{paper}.csv").open(newline="") as file:
            claims += [line["claim_id"] for line in csv.DictReader(file)]
    assert sorted(rows) == sorted(claims)
    digests = reference.read_digests(ROOT / reference.FOLDER / reference.DIGESTS)
    assert {Path(table).parts[0] for table in digests} == papers


def test_the_readme_names_the_papers_that_the_reference_lacks():
    text = f"{reference.BEGIN}{reference.END}"
    assert "claims changed: q, r.\n" in reference.shown(text, [row()], ["p", "q", "r"])
    assert "changed" not in reference.shown(text, [row()], ["p"])
