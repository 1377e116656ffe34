"""What `make new-policy` copies runs as it stands, and a name that cannot be taken changes nothing."""

import shutil
import subprocess
import sys

import pytest
import yaml
from checkout import ROOT, Checkout

from experiments.settings import LOADER
from experiments.study import Study
from replication.tools.scaffold import KINDS, ScaffoldError, main, scaffold


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    """A copy of the checkout with its tests, in which an algorithm has been scaffolded."""
    study = Checkout(tmp_path_factory.mktemp("scaffold") / "study")
    shutil.copytree(ROOT / "tests", study.folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", study.folder)
    study.said = run(study, "-m", "replication.tools.scaffold", "night_owl").stdout
    return study


def run(study, *command):
    environment = {**study.environment, "PYTHONPATH": str(study.folder / "src")}
    done = subprocess.run(
        [sys.executable, *command], cwd=study.folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_it_runs_and_is_written_in_the_style_of_the_house(clone):
    files = ("src/causal_bandits/policies/scm/night_owl.py", "tests/causal_bandits/policies/scm/test_night_owl.py")
    for name in files:
        assert name in clone.said
    run(clone, "-m", "ruff", "check", "--no-cache", *files)
    run(clone, "-m", "ruff", "format", "--no-cache", "--check", *files)
    run(clone, "-m", "pytest", "-p", "no:cacheprovider", files[1])


def test_the_line_to_paste_plays_it(clone):
    """The study with this line is right, and the command to compare names a table that reads the experiment."""
    (line,) = [line for line in clone.said.splitlines() if line.startswith("      night_owl: ")]
    place = clone.folder / "config/papers/lee2019.yaml"
    text = place.read_text()
    before, task, after = text.partition("\n  frontdoor: &task\n")
    more, policies, after = after.partition("    policies: &strategies\n")
    place.write_text(before + task + more + policies + line + "\n" + after)
    try:
        run(clone, "-m", "replication", "lee2019")
        assert "night_owl" in yaml.load(place.read_text(), LOADER)["experiments"]["frontdoor"]["policies"]
    finally:
        place.write_text(text)
    quick = yaml.safe_load((ROOT / "config/quick.yaml").read_text())
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text()) | {"papers": ["lee2019"]}
    small = Study(config | {"scale": config["scale"] | quick["scale"]}, ROOT).papers["lee2019"]
    assert "frontdoor" in small["tables"]["comparison"]["experiments"]
    assert "--configfile config/quick.yaml -- lee2019_comparison" in clone.said
    assert f"{quick['pathvars']['figures']}/lee2019/comparison.md" in clone.said


def test_every_kind_has_one_that_learns(clone):
    """Compiled, since each kind's loop has a type of its own; the experiment to paste it into plays the kind."""
    assert set(KINDS) == {path.name for path in (ROOT / "src/causal_bandits/policies").glob("[a-z]*/")} - {"helpers"}
    files = [file for kind in KINDS for file in scaffold(f"{kind}_owl", kind, clone.folder)]
    run(clone, "-m", "ruff", "check", "--no-cache", *map(str, files))
    run(clone, "-m", "ruff", "format", "--no-cache", "--check", *map(str, files))
    run(clone, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *map(str, files[1::2]))
    for told in KINDS.values():
        place = clone.folder / f"config/papers/{told.paper}.yaml"
        settings = yaml.load(place.read_text(), LOADER)["experiments"][told.experiment]
        assert f'"{settings["problem"]}"' in told.problem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("kl_ucb", "src/causal_bandits/policies/classical/kl_ucb.py: exists; choose another name"),
        ("class", "'class': expected a name such as my_policy"),
        ("MyPolicy", "'MyPolicy': expected a name such as my_policy"),
        ("", "'': expected a name such as my_policy"),
    ],
)
def test_what_cannot_stand_is_refused_and_nothing_written(tmp_path, name, expected):
    for part in ("src/causal_bandits/policies", "tests/causal_bandits/policies", "tests/template"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ScaffoldError, match=expected):
        scaffold(name, root=tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_refusal_is_told_in_one_line(capsys):
    with pytest.raises(SystemExit) as refused:
        main(["class"])
    assert refused.value.code == 1
    told = capsys.readouterr().err
    assert "'class': expected a name such as my_policy" in told
    assert told.count("\n") == 1
