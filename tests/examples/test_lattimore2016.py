"""The example of a paper in a folder of its own: small, and its numbers are those of an independent plain version."""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from checkout import link_kernels_of_own
from twins import parallel

from experiments.experiment import make
from experiments.study import Study

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/lattimore2016"
GUIDE = (ROOT / "docs/guide/paper.md").read_text(encoding="utf-8")
PLAIN = {
    "causal": (parallel.algorithm_1, 400),
    "rejects": (parallel.successive_rejects, 100),
    "ucb": (parallel.ucb, 60),
    "thompson": (parallel.thompson, 60),
}


def lines(*suffixes):
    return sum(len(path.read_text().splitlines()) for path in FOLDER.iterdir() if path.suffix in suffixes)


def test_it_is_as_small_as_the_guide_says():
    assert lines(".py") <= 200
    assert lines(".yaml", ".csv") <= 60


@pytest.fixture(scope="module")
def study():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    return Study(config | {"papers": [str(FOLDER)], "scale": {"replicates": 400}}, ROOT)


@pytest.mark.parametrize("m", [2, 34])
def test_its_numbers_are_those_of_the_plain_version(study, m, tmp_path):
    """Of 400 rounds, with as many seeds as the plain loops can play in a few seconds each."""
    job = study.experiment_job("lattimore2016", "by_m")
    job = replace(job, policies=tuple(policy for policy in job.policies if policy.options["m"] == m), left_out=())
    tables = [tmp_path / f"{name}.parquet" for name in ("runs", "curves", "finals")]
    make(job, {}, *tables)
    finals = pd.read_parquet(tables[2])
    for name, (play, seeds) in PLAIN.items():
        ours = finals.loc[finals["policy"] == f"{name},m={m}", "simple_regret"]
        plain = [play(parallel.Parallel(m), job.horizon, np.random.default_rng(seed)) for seed in range(seeds)]
        error = np.hypot(ours.sem(), np.std(plain, ddof=1) / np.sqrt(seeds))
        assert abs(ours.mean() - np.mean(plain)) <= 4 * error + 1e-9, name


def told(start):
    """The guide's commands, from the line that begins with ``start``."""
    commands = re.findall(r"^ {4,}(\S.*)$", GUIDE, re.MULTILINE)
    found = [command for command in commands if command.startswith(start)]
    assert found, start
    return found


def run(command, folder):
    words = shlex.split(command)
    given = dict(word.split("=") for word in words if word.partition("=")[0].isupper())
    program, *arguments = words[len(given) :]
    program = sys.executable if program == "python" else str(Path(sys.executable).with_name(program))
    done = subprocess.run(
        [program, *arguments], cwd=folder, env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def somewhere(tmp_path_factory):
    """A folder outside the checkout with a copy of the example, as a stranger has it."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "checkout").symlink_to(ROOT)
    (folder / "lattimore2016").mkdir()
    for path in FOLDER.iterdir():
        if path.is_file():
            (folder / "lattimore2016" / path.name).write_bytes(path.read_bytes())
    link_kernels_of_own(folder / "lattimore2016")
    return folder


@pytest.mark.workflow
def test_the_commands_of_the_guide_run_in_their_order(somewhere):
    before = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False)
    (check,) = told("python -m replication ./lattimore2016")
    assert "lattimore2016: 2 experiments, 1 figure, 3 claims" in run(check, somewhere)
    small, whole = told("snakemake")
    assert small.startswith(whole)
    said = run(small, somewhere)
    assert "lattimore2016: no committed verdicts, compared with nothing" in said
    assert (somewhere / "figures/lattimore2016/regret.png").stat().st_size > 10_000
    verdicts = pd.read_csv(somewhere / "results/verdicts.csv")
    assert list(verdicts["claim_id"]) == ["lattimore2016.m", "lattimore2016.many", "lattimore2016.decay"]
    assert set(verdicts["why"].dropna()) <= {"seeds"}
    (explain,) = told("python -m replication.tools.explain")
    explained = run(explain, somewhere)
    assert "lattimore2016.yaml" in explained
    assert "--config 'papers=[./lattimore2016]' --force -- results/lattimore2016" in explained
    (report,) = told("python -m replication.tools.report")
    run(report, somewhere)
    assert "Learning Good Interventions" in (somewhere / "results/report.html").read_text()
    after = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert after.stdout == before.stdout


@pytest.mark.workflow
def test_its_algorithm_passes_the_tests_of_every_algorithm():
    (command,) = told("PYTHONPATH")
    assert " passed" in run(f"{command} -n 0 -p no:cacheprovider", ROOT)


@pytest.mark.workflow
def test_it_is_part_of_a_workflow_of_ones_own(somewhere):
    module = 'module study:\n    snakefile: "checkout/Snakefile"\n    config: {"papers": ["./lattimore2016"]}\n\n'
    (somewhere / "Snakefile").write_text(f"{module}use rule * from study as study_*\n")
    assert "lattimore2016: play by_m" in run("snakemake --cores 1 --dry-run --forceall study_all", somewhere)


@pytest.mark.workflow
def test_a_paper_without_claims_yet_is_played_and_says_so(somewhere):
    for name in ("claims.py", "lattimore2016.csv"):
        (somewhere / "lattimore2016" / name).unlink()
    (check,) = told("python -m replication ./lattimore2016")
    assert "no claims yet" in run(check, somewhere)
    assert "no claims yet: compared with nothing" in run(told("snakemake")[0], somewhere)


@pytest.mark.parametrize(
    ("paper", "said"),
    [
        ("./owls", "'./owls' is no folder; expected a paper's slug, or the path of its folder"),
        ("./Owls", "the folder's name becomes a package; expected a-z, 0-9 and _ alone"),
        ("./json", "another package is called 'json'; expected another name"),
        ("./owl", "no such file; expected the paper's settings"),
    ],
)
def test_what_is_wrong_with_a_folder_is_told_in_one_line(paper, said, tmp_path):
    for name in ("Owls", "json", "owl"):
        (tmp_path / name).mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "replication", paper], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
