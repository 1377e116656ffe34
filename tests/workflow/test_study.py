"""The study as its reader has it: small and whole, compared with the reference, copied, on any number of cores."""

import re
import shutil

import pandas as pd
import pytest

pytestmark = pytest.mark.workflow

QUICK = ("--configfile", "config/quick.yaml", "--config", "scale={replicates: 3, when: small}")


def test_a_small_study_agrees_with_the_reference_of_the_whole_one(copy):
    """The runs of both are there side by side; an output that is edited by hand is found."""
    study = copy()
    verdicts = pd.read_csv(study.folder / "results/verdicts.csv")
    assert list(verdicts["outcome"]) == ["holds", "open", "holds", "open"]
    study.run("-m", "replication.tools.reference")
    assert "4 agree, 0 differ" in study.run("-m", "replication.tools.verify").stdout
    study.snakemake(*QUICK)
    small = pd.read_csv(study.folder / "results/quick/verdicts.csv")
    assert small.loc[3, "why"] == "not run"
    assert set(pd.read_parquet(study.folder / "results/quick/toy/given/finals.parquet")["seed"]) == {0, 1, 2}
    assert "2 agree, 0 differ, 1 not in this configuration" in study.run("-m", "replication.tools.verify").stdout
    study.edit("results/quick/verdicts.csv", ",0,holds,,", ",0,fails,,")
    done = study.run("-m", "replication.tools.verify", check=False)
    assert done.returncode == 1
    assert "differs: toy.arms: reference 3 (n = 0, holds); here 3 (n = 0, fails)" in done.stdout


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
    assert jobs == {"data": 1, "bounds": 1, "experiment": 2, "figure": 1, "table": 1, "verdicts": 1}, text


def test_cores_the_order_of_policies_and_the_folder_do_not_matter(finished, copy, tmp_path):
    """Where there is no reference the summary says so, and the run has succeeded nevertheless."""
    study = copy()

    def reverse(settings):
        for experiment in settings["experiments"].values():
            experiment["policies"] = dict(reversed(experiment["policies"].items()))

    study.change_paper(reverse, "toy")
    done = study.snakemake("--directory", tmp_path, cores=1)
    assert re.search(
        r"\nfindings +holds +open\ntoy +2 +2\n\nnot compared with the whole study's verdicts: ", done.stdout
    )
    tables = sorted((finished.folder / "results/toy").glob("*/[cfs]*.parquet"))
    assert len(tables) == 6
    for path in tables:
        one, two = (
            pd.read_parquet(folder / path.relative_to(finished.folder)) for folder in (tmp_path, finished.folder)
        )
        pd.testing.assert_frame_equal(one[sorted(one)], two[sorted(two)], check_exact=True)
