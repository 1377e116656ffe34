"""The arena's own Snakefile plans what its configuration names, by the rules of the study, and no verdict."""

import re
import subprocess
import sys

import pytest
from whole_arena import CONFIG, ROOT, study


@pytest.mark.workflow
def test_a_plan_has_every_experiment_figure_and_table(tmp_path):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "src/arena/Snakefile"), "--dry-run"]
    command += ["--cores", "1", "--directory", str(tmp_path), "--configfile", str(CONFIG / "small.yaml")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    planned = {
        name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.MULTILINE)
    }
    settings = study().papers["arena"]
    assert planned == {
        "experiment": len(settings["experiments"]),
        "figure": len(settings["figures"]),
        "table": len(settings["tables"]),
        "all": 1,
        "total": sum(len(settings[kind]) for kind in ("experiments", "figures", "tables")) + 1,
    }
    assert list(tmp_path.glob("[!.]*")) == []  # a plan writes nothing
