"""The study as its reader has it: small and whole, compared with the reference, copied, on any number of cores."""

import re
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from checkout import ROOT

pytestmark = pytest.mark.workflow


def make(study, target):
    """Run a target of the Makefile, whose environment is the one of this process."""
    if not (study.folder / ".venv").exists():
        shutil.copy(ROOT / "Makefile", study.folder)
        (study.folder / ".venv").symlink_to(sys.prefix)
        (study.folder / "workflow/bootstrap.sh").write_text("")
    done = subprocess.run(
        ["make", target],
        cwd=study.folder,
        env=study.environment | {"PYTHONPATH": str(study.folder / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_small_study_agrees_with_the_reference_of_the_whole_one(copy):
    """The runs and logs of both are there side by side; an output that is edited by hand is found."""
    study = copy()
    verdicts = pd.read_csv(study.folder / "results/verdicts.csv")
    assert list(verdicts["outcome"]) == ["holds", "open", "holds", "open", "open", "open"]
    for folder in ("results", "figures"):  # what another study left
        shutil.copytree(study.folder / folder / "toy", study.folder / folder / "stray")
    study.run("-m", "replication.tools.reference")
    assert "stray" not in (study.folder / "data/reference/columns.csv").read_text()
    assert "6 agree, 0 differ" in study.run("-m", "replication.tools.verify").stdout
    logs = {path: path.read_bytes() for path in (study.folder / "logs").rglob("*.*")}
    assert logs
    study.edit("config/quick.yaml", "replicates: 8", "replicates: 3")
    for _ in range(2):  # the second time there is nothing to do
        assert "\nverdicts: results/quick/verdicts.md\nfigures and tables: results/quick/figures/\n" in make(
            study, "quick"
        )
    assert {path: path.read_bytes() for path in logs} == logs
    assert (study.folder / "logs/quick/toy/given.log").exists()
    small = pd.read_csv(study.folder / "results/quick/verdicts.csv")
    assert small.loc[3, "why"] == "not run"
    assert set(pd.read_parquet(study.folder / "results/quick/toy/given/finals.parquet")["seed"]) == {0, 1, 2}
    assert "5 agree, 0 differ, 1 not in this configuration" in study.run("-m", "replication.tools.verify").stdout
    study.edit("results/quick/verdicts.csv", ",0,holds,,", ",0,fails,,")
    done = study.run("-m", "replication.tools.verify", check=False)
    assert done.returncode == 1
    assert "differs: toy.arms: reference 3 (n = 0, holds); here 3 (n = 0, fails)" in done.stdout


def test_the_toy_reads_what_papers_read(finished):
    """A stage's table in a judge, readings of two gaps with their ledger ids, a fitted number, and runs that end."""
    verdicts, readings = (
        pd.read_csv(finished.folder / f"results/{name}.csv", index_col="claim_id")
        for name in ("verdicts", "verdict_readings")
    )
    names = ["of X, ones", "others", "of Y where X = 1", "of Y where X = 1, others"]
    assert list(readings.loc["toy.shares", "reading"]) == names
    assert verdicts.loc["toy.shares", "ledger"] == f"L{17} L{19}"
    assert verdicts.loc["toy.rounds", ["outcome", "why"]].tolist() == ["open", "fitted"]
    assert "\n| fitted | 1 |\n" in (finished.folder / "results/verdicts.md").read_text()
    ends = pd.read_parquet(finished.folder / "results/toy/answered/finals.parquet")["sample_complexity"]
    curve = pd.read_parquet(finished.folder / "results/toy/answered/curves.parquet")
    curve = curve[curve["metric"] == "cumulative_regret"]
    assert ends.nunique() > 2
    assert list(curve["n"]) == [(ends >= t).sum() for t in curve["t"]]


def test_results_of_another_folder_are_not_made_again(finished, copy):
    """All times are new, in whatever order: with Snakemake's records contents count."""
    study = copy("clone")
    for part in ("results", "figures"):
        shutil.rmtree(study.folder / part)
        shutil.copytree(finished.folder / part, study.folder / part, copy_function=shutil.copy)
    jobs, text = study.planned()
    assert not jobs, text


def test_stale_results_are_refused_by_whoever_reads_them(copy):
    """By figure, table and verdicts, though Snakemake has no record and takes them for new."""
    study = copy()
    shutil.rmtree(study.folder / ".snakemake")
    study.edit("config/papers/toy.yaml", "c: [0.0, 3.0]", "c: [0.0, 3.0, 2.0]")
    done = study.snakemake("--touch", check=False)
    assert done.returncode == 0
    readers = {"figures/regret": "figures/toy/regret.png", "tables/regret": "figures/toy/regret.csv"}
    readers["verdicts"] = "results/toy/verdicts.csv"
    for target in readers.values():
        (study.folder / target).unlink()
    again = ("--rerun-triggers", "mtime", "--keep-going", *readers.values())
    assert study.snakemake(*again, check=False).returncode == 1
    for reader in readers:
        text = (study.folder / f"logs/toy/{reader}.log").read_text()
        assert "results/toy/given/curves.parquet: made by different code or with a different configuration" in text
        assert "delete the file and run the same command again" in text
    cure = re.search(r"run it with (--forcerun [\w ]+)", text)[1].split()
    jobs, text = study.planned(*again, *cure)
    assert jobs == {"data": 1, "bounds": 1, "experiment": 3, "figure": 1, "table": 1, "verdicts": 1}, text


def test_stale_missing_and_unrecorded_files_are_not_verified(copy):
    """Each file has the key that the checkout gives it; a folder that is copied without its records may be anything."""
    study = copy()
    study.run("-m", "replication.tools.reference")
    records = study.folder / ".snakemake/metadata"

    def told():
        done = study.run("-m", "replication.tools.verify", check=False)
        lines = [line.removeprefix("differs: ") for line in done.stdout.splitlines() if line.startswith("differs: ")]
        assert done.returncode == bool(lines), done
        return lines

    assert told() == []
    with study.edited("src/replication/papers/toy/figures.py", "X = 1"):
        assert told() == [
            "2 of 15 files, first figures/toy/graph.png: made by other code or with other settings; run the study again"
        ]
    with study.edited("data/toy.json", lambda text: text.replace("0.7", "0.8")):
        assert told()[0].startswith("10 of 15 files, first results/toy/data/samples.parquet: made by other code")
    (study.folder / "figures/toy/graph.png").unlink()
    shutil.rmtree(records)
    assert told() == [
        "1 of 15 files, first figures/toy/graph.png: missing",
        "6 of 15 files, first figures/toy/regret.png: not recorded, so perhaps old; --forcerun figure table verdicts",
    ]
    study.snakemake("--forcerun", "figure", "table", "verdicts")
    assert told() == []


def test_cores_the_order_of_policies_and_the_folder_do_not_matter(finished, copy, tmp_path):
    """Where there is no reference the summary says so, and the run has succeeded nevertheless."""
    study = copy()

    def reverse(settings):
        for experiment in settings["experiments"].values():
            experiment["policies"] = dict(reversed(experiment["policies"].items()))

    study.change_paper(reverse, "toy")
    done = study.snakemake("--directory", tmp_path, cores=1)
    assert re.search(r"\nhold +numbers .*\ntoy .*\n\ntoy: no committed verdicts, compared with nothing\n", done.stdout)
    tables = sorted((finished.folder / "results/toy").glob("*/[cfs]*.parquet"))
    assert len(tables) == 8
    for path in tables:
        one, two = (
            pd.read_parquet(folder / path.relative_to(finished.folder)) for folder in (tmp_path, finished.folder)
        )
        pd.testing.assert_frame_equal(one[sorted(one)], two[sorted(two)], check_exact=True)
