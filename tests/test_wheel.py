"""The wheel: what is in it, what it needs, and that it works where nothing of the study is installed."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from checkout import link_kernels_of_installed
from packaging.requirements import Requirement
from test_environment import locked

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

#: What the study needs and the library does not.
STUDY = ("altair", "jinja2", "matplotlib", "pgmpy", "pyarrow", "seaborn", "snakemake", "yaml")

#: Imports all of the library, and plays a compiled policy.
USE = """
import importlib, importlib.util, pkgutil, sys
import causal_bandits
packages = ("graphs", "identification", "models", "estimation", "policies", "play", "datasets")
for name in packages:
    package = importlib.import_module(f"causal_bandits.{name}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
print("there:", [name for name in %(study)r if importlib.util.find_spec(name)])

assert all(getattr(causal_bandits, name) for name in causal_bandits.__all__)
from causal_bandits.play.run import play
from causal_bandits.graphs import ADMG
from causal_bandits.models import SCMBandit, uniform_cpt
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.seeding import generators
import numpy as np

scm = uniform_cpt(ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")]), np.random.default_rng(1))
run = play(Thompson(), SCMBandit(scm).with_arms("possibly_optimal"), 500, generators(0, "wheel", 0))
print("rounds:", len(run.arms))
"""


def run_bare(python, folder, code, compiled=True):
    """Run a program in the bare environment, with what is compiled already or nothing; returns what it prints."""
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "kernels")}
    if compiled:
        link_kernels_of_installed(site, folder / "kernels")
    command = [str(python), "-I", "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return path


def test_it_holds_the_package_with_its_types_and_tables_and_nothing_else(wheel):
    files = set(zipfile.ZipFile(wheel).namelist())
    assert {name.partition("/")[0] for name in files} == {
        "causal_bandits",
        f"causal_bandits-{PROJECT['version']}.dist-info",
    }
    sources = {
        str(path.relative_to(ROOT / "src")) for path in (ROOT / "src/causal_bandits").rglob("*") if path.is_file()
    }
    expected = {name for name in sources if "__pycache__" not in name}
    assert {name for name in files if ".dist-info/" not in name} == expected
    assert "causal_bandits/py.typed" in expected
    assert wheel.stat().st_size < 1_000_000


def test_it_needs_what_the_library_imports_and_offers_the_rest_as_extras(wheel):
    archive = zipfile.ZipFile(wheel)
    metadata = archive.read(f"causal_bandits-{PROJECT['version']}.dist-info/METADATA").decode()
    lines = [line.removeprefix("Requires-Dist: ") for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    needed = {r.name for r in map(Requirement, lines) if r.marker is None}
    assert needed == {"lazy-loader", "networkx", "numba", "numpy", "opt-einsum", "pandas", "scipy"}
    extras = {line.removeprefix("Provides-Extra: ") for line in metadata.splitlines() if line.startswith("Provides-Ex")}
    assert extras == {"discovery", "slurm", "study"}


def test_its_description_has_no_links_that_a_package_index_cannot_follow(wheel):
    metadata = zipfile.ZipFile(wheel).read(f"causal_bandits-{PROJECT['version']}.dist-info/METADATA").decode()
    _, _, description = metadata.partition("\n\n")
    assert description.startswith("# causal-bandits")
    assert re.findall(r"\]\((?!https?://)[^)]*\)|(?:src|href)=", description) == []


@pytest.fixture(scope="module")
def bare(wheel, tmp_path_factory):
    """A new environment with the wheel and what it needs, at the locked versions."""
    uv = shutil.which("uv") or shutil.which("uv", path=ROOT / ".uv/bin")
    if uv is None:
        pytest.skip("no uv, which makes environments")
    folder = tmp_path_factory.mktemp("bare")
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{name}=={version}\n" for name, version in locked().items()))
    python = folder / "venv/bin/python"
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, str(folder / "venv")], check=True)
    install = [uv, "pip", "install", "--quiet", "--python", str(python)]
    done = subprocess.run(
        [*install, "--constraint", str(constraints), *PROJECT["dependencies"]],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"the package index does not answer: {done.stderr.strip().splitlines()[-1]}")
    # Nothing more may be needed: the rest works without the index.
    subprocess.run([*install, "--offline", str(wheel)], check=True)
    return python


def test_it_works_where_nothing_of_the_study_is_installed(bare, tmp_path):
    printed = run_bare(bare, tmp_path, USE % {"study": STUDY}, compiled=False)
    assert printed == ["there: []", "rounds: 500"]


def test_the_guide_runs_from_the_wheel_alone(bare, tmp_path):
    """Its answers are doctests."""
    text = (ROOT / "docs/guide/which_tool.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    code = f"""
import doctest
answers = doctest.DocTestParser().get_doctest({chr(10).join(blocks)!r}, {{}}, "guide", "guide", 0)
flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
failed, tried = doctest.DocTestRunner(optionflags=flags).run(answers)
assert tried > 40, tried
assert not failed
"""
    run_bare(bare, tmp_path, code)


def test_the_tutorial_runs_from_the_wheel_alone(bare, tmp_path):
    """The researcher's, with one run instead of 20; not the blocks that draw, learn a graph or compare with pgmpy."""
    text = (ROOT / "docs/tutorials/researcher.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    code = [block for block in blocks if not re.search("plt|discovery|pgmpy", block)]
    assert len(code) >= 9
    assert len(blocks) - len(code) == 5
    played = "\n".join(code)
    assert played.count("range(20)") == 1
    run_bare(bare, tmp_path, played.replace("range(20)", "range(1)"))


def test_examples_of_algorithms_need_the_wheel_alone():
    """`tests/test_doctests.py` runs them; above, all that they import is imported where nothing else is."""
    files = (ROOT / "src/causal_bandits/policies").rglob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    imported = set(re.findall(r"^ +>>> (?:from|import) ([\w.]+)", text, re.MULTILINE))
    assert "causal_bandits.policies" in imported
    tops = {name.partition(".")[0] for name in imported}
    assert tops - sys.stdlib_module_names == {"causal_bandits", "numpy"}
    assert "causal_bandits.discovery" not in imported
