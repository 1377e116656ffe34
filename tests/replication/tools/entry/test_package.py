"""A package that the scaffold writes: its style, its own tests, and what cannot be written."""

import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from others_packages import register

from replication.tools.entry import package
from replication.tools.entry.__main__ import main
from replication.tools.scaffold import ScaffoldError

ROOT = Path(__file__).parents[4]


def test_the_package_is_in_the_style_of_the_house_and_its_overlay_is_one(tmp_path):
    folder = tmp_path / "my_entry"
    files = package.write("night_owl", folder)
    assert sorted(path for path in folder.rglob("*") if path.is_file()) == sorted(files)
    for command in (["check"], ["format", "--check"]):
        arguments = ["-m", "ruff", *command, "--no-cache", "--config", str(ROOT / "pyproject.toml")]
        done = subprocess.run(
            [sys.executable, *arguments, str(folder / "src")],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ,
        )
        assert done.returncode == 0, done.stdout
    overlay = yaml.safe_load((folder / "arena.yaml").read_text())
    assert overlay["papers"] == ["arena"]
    assert list(overlay["entries"]["night_owl"]["policies"]) == ["night_owl", "thompson", "kl_ucb"]
    assert 'night_owl = "my_entry.night_owl:NightOwl"' in (folder / "pyproject.toml").read_text()


def test_the_tests_of_the_package_pass_once_it_is_installed(tmp_path, monkeypatch):
    folder = tmp_path / "an_entry"
    files = package.write("night_owl", folder)
    points = tomllib.loads((folder / "pyproject.toml").read_text())["project"]["entry-points"]
    groups = {group: [f"{name} = {path}" for name, path in named.items()] for group, named in points.items()}
    assert groups == {"causal_bandits.policies": ["night_owl = an_entry.night_owl:NightOwl"]}
    register(folder / "src", monkeypatch, "an_entry", groups)
    (test,) = [path for path in files if path.name.startswith("test_")]
    tests = runpy.run_path(str(test))
    tests["test_the_installed_package_registers_it"]()
    tests["test_it_learns"]()
    for exploration in (-0.1, 1.1):
        tests["test_a_probability_out_of_range_is_an_error"](exploration)


@pytest.mark.parametrize(
    ("name", "folder", "message"),
    [
        ("ucb", "my_entry", "ucb: this study has an algorithm of this name"),
        ("Owl", "my_entry", "'Owl': expected a name such as my_policy"),
        ("owl", "9", "its name becomes the package's; expected one such as my_entry"),
        ("owl", "numpy", "a package numpy is installed; expected another name"),
        ("owl", "full", "exists; expected a new folder or an empty one"),
    ],
)
def test_what_cannot_be_written_changes_nothing(tmp_path, name, folder, message):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/notes").write_text("")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ScaffoldError, match=message):
        package.write(name, tmp_path / folder)
    assert sorted(tmp_path.rglob("*")) == before
    assert main(["new", name, str(tmp_path / folder)]) == 1
