"""The tutorials run, and print what their pages show."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tutorial
from checkout import ROOT, link_kernels

from experiments.key import compiled_folder

TUTORIALS = sorted(path for path in (ROOT / "docs/tutorials").glob("*.md") if path.stem != "index")


@pytest.mark.workflow
@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_prints_what_its_page_shows(path, tmp_path):
    assert len(tutorial.blocks(path.read_text(encoding="utf-8"))) >= 5
    copy = tmp_path / "study"
    shutil.copytree(
        ROOT, copy, ignore=shutil.ignore_patterns(".*", "_build", "figures", "results", "__pycache__"), symlinks=True
    )
    (copy / ".venv").symlink_to(ROOT / ".venv")
    (copy / "workflow/bootstrap.sh").write_text("")  # the environment is there
    # Under `make test` a make of the tutorial would be a child of it, take its ARGS, and say which folder it enters.
    made = ("MAKE", "MFLAGS", "ARGS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(made)} | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(copy / "src"),
        "MPLBACKEND": "agg",
        # Blocks of Python, too, use what is compiled; the study's jobs find their folder themselves.
        "NUMBA_CACHE_DIR": os.path.join(link_kernels(copy), compiled_folder().name),
    }
    command = [sys.executable, tutorial.__file__, str(path)]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
