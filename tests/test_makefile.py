"""The study's commands call what the README says, and fail where anything that they call fails."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TARGETS = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
#: Notes how it is called, but for the time; fails if called as FAIL says.
PROGRAM = (
    '#!/bin/sh\nall="$*"\nname="$(basename "$0") ${all%--before *}"\necho "$name" >>"$CALLS"\n[ "$name" != "$FAIL" ]\n'
)
PROGRAMS = [f".venv/bin/{name}" for name in ("python", "snakemake", "ruff", "mypy", "lint-imports", "snakefmt")]
#: What a run, the documentation, the tests and Python leave in a checkout.
MADE = "results/verdicts.csv results/p/verdicts.csv results/report.html logs/p/e.log docs/_build/html/index.html"
MADE += " docs/api/generated/a.rst .snakemake/log/a .mypy_cache/a .pytest_cache/a .ruff_cache/a .hypothesis/a"
MADE += " src/p/__pycache__/a.pyc tests/__pycache__/a.pyc workflow/__pycache__/a.pyc"
KEPT = ["CITATION.cff", "figures/p/a.png", "figures/p/a.csv", "src/p/a.py", "docs/a.md", "results.md"]


@pytest.fixture
def checkout(tmp_path):
    """A checkout with the Makefile, programs that only note how they are called, and what these would have made."""
    for path in (*PROGRAMS, *MADE.split(), *KEPT):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(PROGRAM)
        (tmp_path / path).chmod(0o755)
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "workflow/bootstrap.sh").write_text(PROGRAM)
    return tmp_path


def make(folder, *arguments, fail=""):
    """Run a command; returns its exit code, and how it called programs."""
    log = folder / "calls"
    log.write_text("")
    environment = {"PATH": os.environ["PATH"], "CALLS": str(log), "FAIL": fail}
    done = subprocess.run(
        ["make", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    calls = log.read_text().splitlines()
    log.unlink()
    return done.returncode, calls


@pytest.mark.parametrize("target", TARGETS)
def test_a_command_fails_where_what_it_calls_fails(checkout, target):
    code, calls = make(checkout, target)
    assert code == 0
    assert calls or target == "clean"
    for call in set(calls):
        code, until = make(checkout, target, fail=call)
        assert (code, call in until) == (2, True), call


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        (["quick"], ["snakemake .* --configfile config/quick.yaml ", r"python .*\.summary --results results/quick $"]),
        (["quick", "ARGS=--dry-run"], ["snakemake .*--configfile config/quick.yaml .*--dry-run$"]),
        (["reproduce"], ["snakemake (?!.*--configfile)", r"python .*\.summary --results results $"]),
        (["reproduce", "ARGS=lee2019"], ["snakemake (?!.*--configfile).* lee2019$"]),
        (["arena"], ["snakemake .*--snakefile src/arena/Snakefile .*--configfile src/arena/config/small.yaml"]),
        (["arena", "WHOLE=1"], ["snakemake (?!.*--configfile).*--snakefile src/arena/Snakefile"]),
        (["explain", "CLAIM=a.b"], [r"python -m replication\.tools\.explain a\.b"]),
        (["new-policy", "NAME=mine", "KIND=glm"], [r"python -m replication\.tools\.scaffold mine --kind glm"]),
    ],
    ids=" ".join,
)
def test_what_a_command_calls_once_the_environment_stands(checkout, arguments, called):
    _, (environment, *calls) = make(checkout, *arguments)
    assert environment == "bootstrap.sh study"
    assert len(calls) == len(called)
    for call, pattern in zip(calls, called, strict=True):
        assert re.match(pattern, call), call


def test_clean_removes_what_commands_made_and_nothing_else(checkout):
    assert make(checkout, "clean") == (0, [])
    left = {path.relative_to(checkout).as_posix() for path in checkout.rglob("*") if path.is_file()}
    assert left == {*PROGRAMS, *KEPT, "Makefile", "workflow/bootstrap.sh"}
