"""What `make explain` tells of a claim, before anything has been run and afterwards."""

import shutil
from types import SimpleNamespace

import pytest
import yaml
from checkout import ROOT
from made_verdicts import row

from replication.judging.claims import claims_of, read
from replication.judging.verdict_tables import READING_COLUMNS, TableError, read_readings, write
from replication.judging.verdict_tables import read as read_verdicts
from replication.tools.explain import READINGS, VERDICTS, Explained, Read, main

CELL, PAIR = "huang2024.table1.7.cp", "lee2019.table1.frontdoor.ts.pomis"
READ = "huang2024.table1.7.biased"  # under several readings


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a checkout has beside its code; nothing has been run in it."""
    folder = tmp_path_factory.mktemp("explain")
    for part in ("config", "data", "docs/ledger"):
        shutil.copytree(ROOT / part, folder / part)
    return folder


@pytest.fixture
def told(folder):
    """What is told of a claim, by heading."""

    def parts(claim, **options):
        found, heading = {}, ""
        for line in Explained(claim, folder, **options).text().splitlines():
            heading = line[:13].strip() or heading
            found.setdefault(heading, []).append(line[13:])
        return found

    return parts


def test_a_cell_is_followed_to_its_test_and_its_ledger(told, folder):
    parts = told(CELL)
    line = read(folder / "data/published/huang2024.csv")[CELL].line
    assert parts["published"] == [f"0.657 (Table 1, index 7, CP), data/published/huang2024.csv:{line}"]
    claims, judge = parts["test"]
    path, line = claims.rsplit(":", 1)
    assert 'claim(cell("cp")' in (ROOT / path).read_text().splitlines()[int(line) - 1]
    path, line = judge.removeprefix("cell: ").rsplit(":", 1)
    assert (ROOT / path).read_text().splitlines()[int(line)].startswith("def cell(")
    assert parts["ledger"][0].startswith("L160: ")
    assert parts["shown in"] == [f"figures/huang2024/table1.{kind} (not made yet)" for kind in ("png", "csv")]
    assert parts["make again"] == ["snakemake --cores all -- results/huang2024/verdicts.csv"]
    assert not {"experiments", "policies", "runs", "tables"} & set(parts)


def test_a_mean_is_followed_to_its_experiment_its_policy_and_its_runs(told, folder):
    parts = told(PAIR)
    line = (folder / "config/papers/lee2019.yaml").read_text().splitlines().index("  frontdoor: &task") + 1
    assert parts["experiments"][0].startswith(f"frontdoor: config/papers/lee2019.yaml:{line}; 10000 rounds, 4000 seeds")
    assert parts["policies"][0].startswith("frontdoor/ts_pomis: thompson, ")
    run = "results/lee2019/frontdoor/runs.parquet"
    assert parts["runs"] == [f"{run} (not made yet)"]
    assert parts["make again"][0] == f"snakemake --cores all --force -- {run}"
    path, line = parts["test"][1].removeprefix("mean: ").rsplit(":", 1)
    assert (ROOT / path).read_text().splitlines()[int(line)].startswith("def mean(")  # its decorator is a line above


def test_a_committed_table_is_told_where_none_is_made(told, folder):
    committed = folder / "figures/huang2024/table1.csv"
    committed.parent.mkdir(parents=True)
    committed.touch()
    try:
        assert told(CELL)["shown in"][1] == "figures/huang2024/table1.csv"
        assert told(CELL, quick=True)["shown in"][1] == "figures/huang2024/table1.csv (of the committed run)"
    finally:
        shutil.rmtree(folder / "figures")


def test_the_small_study_has_places_and_sizes_of_its_own(told):
    parts = told(PAIR, quick=True)
    assert parts["runs"][0] == "results/quick/lee2019/frontdoor/runs.parquet (not made yet)"
    assert parts["make again"][0].startswith("snakemake --cores all --configfile config/quick.yaml --force -- ")


def test_outcome_and_readings_are_those_of_the_tables_at_hand(told, folder):
    nothing, committed, outcome, *_ = told(CELL)["outcome"]
    assert nothing == "not run yet: no row in results/huang2024/verdicts.csv"
    assert committed == "the committed run at published scale (data/reference/verdicts.csv):"
    reference = read_verdicts(ROOT / "data/reference/verdicts.csv")[CELL]
    assert outcome.startswith(f"{reference['outcome']}; replicated {reference['replicated']} [")
    assert len(told(READ)["readings"]) >= len(read_readings(ROOT / "data/reference/verdict_readings.csv")[READ])
    results = folder / "results/huang2024"
    results.mkdir(parents=True)
    try:
        write([row(CELL, outcome="depends", reason="one of two readings"), row("x")], results / VERDICTS)
        readings = [
            row(CELL) | {"reading": "a", "default": "yes"},
            row(CELL, "", "", "", outcome="open") | {"reading": "b", "default": ""},
        ]
        write(readings, results / READINGS, READING_COLUMNS)
        parts = told(CELL)
        assert parts["outcome"] == ["depends; replicated 10 [9, 11], n = 100", "one of two readings"]
        assert parts["readings"] == [
            "a (default): holds; replicated 10 [9, 11], n = 100",
            "b: open (seeds), n = 100",
        ]
        (results / VERDICTS).write_text("claim_id,verdict\n")
        with pytest.raises(TableError, match=r"results/huang2024/verdicts.csv:1: columns claim_id,verdict; expected"):
            told(CELL)
    finally:
        shutil.rmtree(folder / "results")


def test_a_claim_is_that_of_the_study_in_which_its_paper_was_judged_last(folder, monkeypatch, capsys):
    """Also if no other paper has been run."""
    monkeypatch.chdir(folder)
    (folder / "results/quick/huang2024").mkdir(parents=True)
    try:
        write([row(CELL, outcome="fails")], folder / "results/quick/huang2024" / VERDICTS)
        write([], folder / "results/quick/huang2024" / READINGS, READING_COLUMNS)
        assert main([CELL]) == 0
        said = capsys.readouterr().out
        assert "fails; replicated 10 [9, 11], n = 100" in said
        assert "results/quick/huang2024" in said
    finally:
        shutil.rmtree(folder / "results")


def test_what_no_item_prints_is_shown_where_all_its_experiments_are(tmp_path):
    shown = {"figures": {"one": ["a"], "both": ["b", "a", "c"]}, "tables": {"other": ["c"], "none": []}}
    settings = {kind: {name: {"experiments": e} for name, e in items.items()} for kind, items in shown.items()}
    printed = SimpleNamespace(place="Theorem 1")
    claim = SimpleNamespace(printed=printed, settings=settings, paper="p", figures="f", here=tmp_path)
    claim.root, claim._missing = tmp_path, str
    assert Explained.shown(claim, Read(["a", "b"], [], [])) == ["f/p/both.png"]


def test_the_beginning_of_ids_lists_them_and_nothing_lists_all(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    assert main(["lee2019.table1.sixvar.ts"]) == 0
    lines = capsys.readouterr().out.splitlines()
    strategies = ("pomis_plus", "pomis", "mis", "bf")
    assert [line.split()[0] for line in lines] == [f"lee2019.table1.sixvar.ts.{each}" for each in strategies]
    assert all(len(line.split()) > 5 for line in lines)  # with their statements
    assert main([]) == 0
    assert len(capsys.readouterr().out.splitlines()) > 400


def test_an_unknown_claim_is_told_with_those_that_are_nearest(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    with pytest.raises(SystemExit) as refused:
        main(["huang2024.table1.7.cq"])
    assert refused.value.code == 1
    said = capsys.readouterr().err
    assert "no claim 'huang2024.table1.7.cq'" in said
    assert CELL in said


PAPERS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["papers"]


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_is_explained(folder, paper):
    """What each claim's tests are said to read is played."""
    ids = list(read(folder / f"data/published/{paper}.csv"))
    explained = Explained(ids[0], folder)
    for explained.claim in claims_of(paper).values():
        found = explained.read()
        assert {experiment for experiment, _ in found.policies} <= set(found.experiments)
        for experiment, label in found.policies:
            assert label in explained.settings["experiments"][experiment]["policies"]
        assert explained.test()
