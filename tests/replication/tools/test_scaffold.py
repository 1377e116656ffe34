"""What `make new-policy` writes: it runs as it stands, and a name that cannot be taken changes nothing.

That its tests and those of every policy pass is tested by the student's tutorial, which runs them.
"""

import csv
import shutil
import subprocess
import sys

import pytest
import yaml
from checkout import ROOT, Checkout

from replication.config import Study
from replication.pipeline.settings import LOADER
from replication.tools import scaffold as tool
from replication.tools.scaffold import CHECKED, ScaffoldError, main, planned, scaffold, to_compare

SMALL = {"horizon": 60, "replicates": 2, "extras": False}


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


def test_it_is_written_in_the_style_of_the_house(clone):
    files = ("src/causal_bandits/policies/night_owl.py", "tests/causal_bandits/policies/test_night_owl.py")
    run(clone, "-m", "ruff", "check", "--no-cache", *files)
    run(clone, "-m", "ruff", "format", "--no-cache", "--check", *files)


def test_the_package_names_it_to_type_checkers(clone):
    """Where the modules stand in order, and the exports are what `causal_bandits.policies` promises."""
    run(clone, "-m", "ruff", "check", "--no-cache", "--select", "I,RUF022", "src/causal_bandits/policies/__init__.py")
    run(clone, "-c", "from causal_bandits import policies; policies.NightOwl; assert 'NightOwl' in policies.__all__")


def test_what_it_says_to_do_next_names_what_it_wrote(clone):
    for name in ("src/causal_bandits/policies/night_owl.py", "tests/causal_bandits/policies/test_night_owl.py"):
        assert name in clone.said
        assert (clone.folder / name).exists()
    assert "-- lee2019_comparison" in clone.said
    assert "results/quick/figures/lee2019/comparison.md" in clone.said
    assert "docs/algorithms/night_owl.md" in clone.said
    assert (clone.folder / "tests/test_algorithm_pages.py").exists()


def test_nothing_else_changes(clone):
    """One line more in the registry and in the paper's file, two in the package's exports."""
    package = "src/causal_bandits/policies"
    for name, more in ((f"{package}/registry.py", 1), (f"{package}/__init__.py", 2), ("config/papers/lee2019.yaml", 1)):
        before, after = ((folder / name).read_text().splitlines() for folder in (ROOT, clone.folder))
        added = [line for line in after if line not in before]
        assert len(added) == more
        assert [line for line in after if line not in added] == before


@pytest.mark.workflow
def test_it_stands_in_the_comparison(clone):
    overlay = clone.overlay(papers=["lee2019"], scale=SMALL)
    clone.snakemake("lee2019_comparison", *overlay)
    with (clone.folder / "figures/lee2019/comparison.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum("night_owl" in " ".join(row.values()) for row in rows) == 3  # in each of the three tasks


@pytest.mark.parametrize(
    ("name", "experiment", "expected"),
    [
        ("kl_ucb", "lee2019/frontdoor", "kl_ucb: is registered already"),
        ("class", "lee2019/frontdoor", "'class': expected a name such as my_policy"),
        ("MyPolicy", "lee2019/frontdoor", "'MyPolicy': expected a name such as my_policy"),
        ("", "lee2019/frontdoor", "'': expected a name such as my_policy"),
        ("night_owl", "lee2019/frontdor", "no 'frontdor'; expected one of: frontdoor, fourvar"),
        ("night_owl", "lee2020/frontdoor", "there is no config/papers/lee2020.yaml"),
        ("night_owl", "lee2019/sixvar", "experiments.sixvar: no policies of its own"),
        ("choice", "lee2019/frontdoor", "src/causal_bandits/policies/choice.py: exists"),
    ],
)
def test_what_cannot_stand_is_refused_and_nothing_written(tmp_path, name, experiment, expected):
    for part in ("src/causal_bandits/policies", "config/papers", "tests/causal_bandits/policies"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(ScaffoldError, match=expected):
        scaffold(name, experiment, tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_refusal_is_told_in_one_line(capsys):
    with pytest.raises(SystemExit) as refused:
        main(["class"])
    assert refused.value.code == 1
    told = capsys.readouterr().err
    assert "'class': expected a name such as my_policy" in told
    assert told.count("\n") == 1


def test_the_study_is_checked_before_anything_is_written(tmp_path, monkeypatch):
    """Here the problem has an option that is called like the algorithm's hyper-parameter."""
    for part in (*CHECKED, "tests/causal_bandits/policies"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    monkeypatch.setattr(tool, "_POLICY", tool._POLICY.replace("exploration", "epsilon"))
    message = (
        r"lu2021/far cannot play night_owl: .*the option of the problem 'epsilon' is called like the hyper-parameter"
    )
    with pytest.raises(ScaffoldError, match=message) as refused:
        scaffold("night_owl", "lu2021/far", tmp_path)
    assert "\n" not in str(refused.value)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


PAPERS = yaml.safe_load((ROOT / "config/config.yaml").read_text())["papers"]


@pytest.mark.parametrize("slug", PAPERS)
def test_what_it_says_to_do_next_plays_the_experiment(slug):
    """For every experiment: the target is one of the small study, and it reads the experiment."""
    paper = yaml.load((ROOT / f"config/papers/{slug}.yaml").read_text(), LOADER)
    quick = yaml.safe_load((ROOT / "config/quick.yaml").read_text())
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text()) | {"papers": [slug]}
    scales = [{**quick["scale"], "extras": extras} for extras in (False, True)]
    small, with_extras = (Study(config | {"scale": config["scale"] | scale}, ROOT).papers[slug] for scale in scales)
    compared = paper.get("tables", {}).get("comparison", {}).get("experiments", [])
    for experiment in paper["experiments"]:
        command, table = to_compare(f"{slug}/{experiment}", ROOT)
        played = with_extras if "config/extras.yaml" in command else small
        target = command.rpartition(" -- ")[2]
        assert experiment in played["experiments"]
        if experiment in compared:
            assert (target, table) == (f"{slug}_comparison", f"results/quick/figures/{slug}/comparison.md")
            assert "comparison" in played["tables"]
        else:
            assert target == table == f"results/quick/{slug}/{experiment}/finals.parquet"


@pytest.mark.parametrize("slug", PAPERS)
def test_every_experiment_with_policies_of_its_own_takes_one_more(tmp_path, slug):
    """The line stands where it is meant, whatever comments, anchors and aliases are there."""
    for part in ("src/causal_bandits/policies", "config/papers"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    config = tmp_path / f"config/papers/{slug}.yaml"
    text, seen = config.read_text(), []
    for experiment, settings in yaml.load(text, LOADER)["experiments"].items():
        config.write_text(text)
        policies, name = settings["policies"], f"night_owl_{experiment}"
        if any(policies is other for other in seen):  # an alias or a merge
            with pytest.raises(ScaffoldError, match="no policies of its own"):
                planned(name, f"{slug}/{experiment}", tmp_path)
            continue
        seen.append(policies)
        texts = planned(name, f"{slug}/{experiment}", tmp_path)
        arms = {"arms": "possibly_optimal"} if all("arms" in policy for policy in policies.values()) else {}
        expected = {name: {"algorithm": name} | arms} | policies
        assert yaml.load(texts[config.relative_to(tmp_path)], LOADER)["experiments"][experiment]["policies"] == expected
