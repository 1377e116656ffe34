"""What packages of others add to the study is checked before any job; jobs have the digest of its code."""

import shutil
import sys
from pathlib import Path

import pytest
import yaml
from checkout import change_yaml
from others_packages import install, install_coins

from causal_bandits import provenance
from experiments import ConfigError, Study, job_specs, others
from replication.papers.arena.problems import PROBLEMS
from experiments import files
from experiments.simulate import simulate

ROOT = Path(__file__).parents[3]
COINS = {
    "problem": "coins",
    "options": {"largest": 0.4},
    "seeds_per_draw": 1,
    "horizon": 60,
    "replicates": 3,
    "batch": 3,
    "policies": {"turns": {"algorithm": "turns", "grid": {"step": [1, 2]}}, "kl_ucb": {"algorithm": "kl_ucb"}},
}


@pytest.fixture
def study(tmp_path):
    """Builds a study of a small arena with entries."""
    root = tmp_path / "checkout"
    shutil.copytree(ROOT / "config", root / "config")
    for part in ("docs", "src", "workflow"):
        (root / part).symlink_to(ROOT / part)
    shutil.copytree(ROOT / "data", root / "data")
    published = root / "data/published/arena.csv"  # the claims of what is not played here
    published.write_text(published.read_text().splitlines(keepends=True)[0])

    def small(settings):
        settings["experiments"] = {"cells_benign": settings["experiments"]["cells_benign"] | {"replicates": 4}}
        for kind in ("figures", "tables", "readings"):
            settings.pop(kind)

    change_yaml(root / "config/papers/arena.yaml", small)

    def build(entries, papers=("arena",)):
        return Study({"papers": list(papers), "seed": 1, "scale": {"extras": True}, "entries": entries}, root)

    return build


@pytest.fixture
def coins(tmp_path, monkeypatch):
    """The package, under a name that is fresh in each test; returns its folder."""
    package = f"coins_{tmp_path.name}".replace("-", "_").lower()
    install_coins(tmp_path, monkeypatch, package)
    job_specs.digest.cache_clear()
    yield tmp_path / package
    job_specs.digest.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]


def job(study, policy="turns,step=2"):
    job_specs.digest.cache_clear()
    return study({"duel": COINS}).simulate_job("arena", "duel", policy)


def test_an_entry_is_checked_and_played(study, coins, tmp_path):
    made = study({"duel": COINS})
    made.check()
    simulated = made.simulate_job("arena", "duel", "turns,step=2")
    package = coins.name
    assert simulated["algorithm"] == f"{package}.turns:Turns"
    assert (simulated["problems"], simulated["problem"]) == (others.BUILDERS, f"{package}.problems:coins")
    assert simulated["settings"]["problem"] == "coins"
    assert simulated["versions"][package.replace("_", "-")] == "0.3"
    simulate(tmp_path / "0-2.parquet", simulated, {}, 0, 2)
    runs = files.read(tmp_path / "0-2.parquet").to_pandas()
    last = runs[runs["t"] == 60]
    assert list(last["draw"]) == [0, 1, 2]
    # Arms are do(X=0) and do(X=1); step 2 always plays the first, so the regret is 60 times the bias drawn.
    bandits = [sys.modules[f"{package}.problems"].coins(0.4, draw=d) for d in range(3)]
    expected = [60 * (bandit.optimal_mean - bandit.means[0]) for bandit in bandits]
    assert last["cumulative_regret"].tolist() == pytest.approx(expected)
    assert min(expected) > 0
    assert made.papers["arena"]["tables"][others.TABLE]["experiments"] == ["duel"]


def test_an_edit_in_the_package_plays_its_jobs_again_and_no_others(study, coins):
    before, ours = job(study)["code"], job(study, "kl_ucb")
    assert job(study)["code"] == before
    with (coins / "choice.py").open("a") as file:  # which the algorithm imports
        file.write("# a comment\n")
    assert job(study)["code"] == before
    with (coins / "choice.py").open("a") as file:
        file.write("FIRST = 1\n")
    edited = job(study)
    assert edited["code"] != before
    assert job(study, "kl_ucb")["code"] == ours["code"]
    with (coins / "problems.py").open("a") as file:  # which both play
        file.write("FIRST = 1\n")
    assert job(study)["code"] != edited["code"]
    assert job(study, "kl_ucb")["code"] != ours["code"]


def test_an_edit_in_this_library_plays_an_entry_again(coins, tmp_path, monkeypatch):
    modules = [f"{coins.name}.turns"]
    before = others.code_digest(modules)
    source = tmp_path / "source"
    for package in ("causal_bandits", "replication"):
        shutil.copytree(provenance.SOURCE / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "SOURCE", source)
    assert others.code_digest(modules) == before
    with (source / "causal_bandits/policies/base.py").open("a") as file:
        file.write("FIRST = 1\n")
    assert others.code_digest(modules) != before


def test_a_module_that_stands_alone_has_a_digest_and_a_compiled_one_is_refused(tmp_path, monkeypatch):
    (tmp_path / "lonely_entry.py").write_text("from causal_bandits.policies.base import StepwisePolicy\n")
    (tmp_path / "bare_entry").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert others.code_digest(["lonely_entry"]) == others.code_digest(["lonely_entry"])
    with pytest.raises(ConfigError, match=r"bare_entry.absent: no Python source of this module was found"):
        others.code_digest(["bare_entry.absent"])
    with pytest.raises(ConfigError, match=r"math: no Python source of this package was found"):
        others.code_digest(["math"])


def without(key):
    return {"duel": {name: value for name, value in COINS.items() if name != key}}


WRONG = {
    "a name of ours": ({"cells_benign": COINS}, "entries.cells_benign: the arena has an experiment of this name"),
    "like nothing": ({"duel": {"like": "cell"}}, "entries.duel.like: 'cell' is unknown; expected one of: cells_benign"),
    "a policy of both": (
        {"duel": {"like": "cells_benign", "policies": {"ucb": {"algorithm": "turns"}}}},
        "entries.duel.policies.ucb: 'cells_benign' has a policy of this name",
    ),
    "no policies": ({"duel": {"like": "cells_benign", "policies": 3}}, "duel.policies: 3; expected policies by label"),
    "a key missing": (without("horizon"), "with an overlay's entries: experiments.duel: 'horizon' is a required"),
    "unknown policy": (
        {"duel": COINS | {"policies": {"a": {"algorithm": "turn"}}}},
        "experiments.duel.policies.a.algorithm: 'turn' is unknown; expected one of: .* thompson, .* turns, ",
    ),
    "unknown problem": (
        {"duel": COINS | {"problem": "coin"}},
        "experiments.duel.problem: 'coin' is unknown; .* coins, ",
    ),
    "wrong option": ({"duel": COINS | {"options": {"largest": 2}}}, "problem 'coins': largest=2: expected 0 to 0.5"),
    "wrong parameter": (
        {"duel": COINS | {"policies": {"a": {"algorithm": "turns", "parameters": {"step": 0.5}}}}},
        "experiments.duel.policies.a.parameters.step: 0.5 is not a int",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_an_entry_is_one_line(study, coins, case):
    entries, message = WRONG[case]
    with pytest.raises(ConfigError, match=message) as refused:
        study(entries).check()
    assert "\n" not in str(refused.value)


def test_entries_play_in_the_arena_only(study, coins):
    with pytest.raises(ConfigError, match="entries: play in the arena; expected 'arena' among the papers"):
        study({"duel": COINS}, ["lee2019"])


def test_like_takes_what_is_not_said_and_puts_ours_beside(study, coins):
    entry = {"like": "cells_benign", "replicates": 2, "batch": 2, "policies": {"turns": {"algorithm": "turns"}}}
    papers = study({"duel": entry}).papers["arena"]["experiments"]
    duel, benign = papers["duel"], papers["cells_benign"]
    assert list(duel["policies"]) == ["turns", *benign["policies"]]
    assert (duel["problem"], duel["horizon"], duel["replicates"]) == (benign["problem"], benign["horizon"], 2)
    assert duel["on_request"] is True
    assert "like" not in duel


@pytest.mark.parametrize(
    ("group", "line", "module", "message"),
    [
        (others.FAMILIES, "{p}.problems:absent", "x = 1\n", "cannot be imported .AttributeError"),
        (others.FAMILIES, "{p}.problems:x", "x = 1\n", "draws no problem: it is a int; expected a function"),
        (others.FAMILIES, "{p}.problems:x", "class x: pass\n", "draws no problem: expected a function that takes"),
        (others.FAMILIES, "{p}.problems:x", "def x(a, /): pass\n", "draws no problem: expected a function that takes"),
        (others.POLICIES, "{p}.problems:x", "x = 1\n", "is no algorithm: it is a int; expected a dataclass"),
    ],
)
def test_what_cannot_be_played_names_package_and_entry(study, tmp_path, monkeypatch, group, line, module, message):
    package = f"bad_{tmp_path.name}".replace("-", "_").lower()
    path = line.format(p=package)
    install(tmp_path, monkeypatch, package, {group: [f"mine = {path}"]}, problems=module)
    used = {"problem": "mine"} if group == others.FAMILIES else {"policies": {"a": {"algorithm": "mine"}}}
    entry = {"like": "cells_benign", "policies": {}} | used
    with pytest.raises(ConfigError, match=f"^package .* 0.3: entry point 'mine' of the group '{group}': .*{message}"):
        study({"duel": entry}).check()


def test_a_family_of_a_name_of_ours_is_refused_though_nobody_plays_it(study, tmp_path, monkeypatch):
    assert "diagram" in PROBLEMS
    install(tmp_path, monkeypatch, "taking_names", {others.FAMILIES: ["diagram = taking_names.problems:x"]})
    with pytest.raises(ConfigError, match=r"package taking-names 0.3: .* this study has the name 'diagram' itself"):
        study({"duel": {"like": "cells_benign"}}).check()


def test_the_names_of_our_families_are_read_right():
    assert others._ours() == set(PROBLEMS)
    assert set(yaml.safe_load((ROOT / "config/config.yaml").read_text())["papers"]) >= {others.ARENA}
