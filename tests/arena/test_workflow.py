"""The arena's Snakefile plans what its configuration names, all of it is made, and somebody else's policy plays."""

import re
import subprocess
import sys

import matplotlib.pyplot as plt
import pytest
import yaml
from described import alt_text, collisions, complaints, illegible
from whole_arena import CONFIG, ROOT, load, play, study

from arena.figures import FIGURES
from arena.tables import TABLES
from experiments.drawing.plotting import style
from experiments.study import Study

#: A policy that its authors keep in a package of their own.
OWN = """
from dataclasses import dataclass
import numpy as np
from causal_bandits.models import SCMBandit

@dataclass(frozen=True)
class FirstArm:
    plays = SCMBandit

    def run(self, bandit, rounds, rng):
        for world in rounds:
            played = [bandit.play(world, i, 0) for i in range(len(world.uniforms))]
            rounds.record(np.zeros(len(played), dtype=int), np.array([float(reward) for _, reward in played]))
        return {}
"""


@pytest.mark.workflow
def test_a_plan_has_every_experiment_figure_and_table(tmp_path):
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "src/arena/Snakefile"), "--dry-run"]
    command += ["--cores", "1", "--directory", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    planned = {
        name: int(count) for name, count in re.findall(r"^(\w+) +(\d+)$", done.stdout + done.stderr, re.MULTILINE)
    }
    settings = study().papers["arena"]
    jobs = {kind: len(settings[f"{kind}s"]) for kind in ("experiment", "figure", "table")}
    assert planned == {**jobs, "all": 1, "total": sum(jobs.values()) + 1}
    assert list(tmp_path.glob("[!.]*")) == []  # a plan writes nothing


@pytest.mark.workflow
def test_all_figures_and_tables_are_made_of_few_short_runs(tmp_path):
    arena = study(replicates=5, horizon=120)
    settings = arena.papers["arena"]
    assert settings["figures"].keys() == settings["tables"].keys() == FIGURES.keys() == TABLES.keys()
    play(arena, tmp_path, settings["experiments"])
    for name, drawn in FIGURES.items():
        results = load(arena, tmp_path, "figures", name)
        with style():
            figure = drawn(results)
            assert complaints(figure, alt_text("arena", name)) == [], name
            assert (illegible(figure), collisions(figure)) == ([], []), name
            plt.close(figure)
        table = TABLES[name](results)
        assert len(table) >= 10
        assert (table.filter(regex="^(ratio|over|regret|right)").min() >= 0).all(), name


def test_a_policy_of_somebody_else_plays_beside_ours_by_its_import_path(tmp_path, monkeypatch):
    """The one line that the README shows, in a copy of the plan with fewer and smaller problems."""
    (tmp_path / "their_policies.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)
    shown = "    policies: &players\n"
    assert shown in (CONFIG.parent / "README.md").read_text()
    text = (CONFIG / "arena.yaml").read_text()
    assert text.count(shown) == 1
    settings = yaml.safe_load(text.replace(shown, f'{shown}      mine: {{algorithm: "their_policies:FirstArm"}}\n'))
    played = [*settings["tables"]["worth"]["experiments"], *settings["tables"]["limit"]["experiments"]]
    settings["experiments"] = {name: settings["experiments"][name] for name in played}
    for experiment in settings["experiments"].values():
        if "nodes" in experiment["grid"]:
            experiment["grid"] |= {"nodes": [3], "confounders": [0]}
    settings |= {"figures": {}, "tables": {name: settings["tables"][name] for name in ("worth", "limit")}}
    (tmp_path / "arena.yaml").write_text(yaml.safe_dump(settings))
    config = yaml.safe_load((CONFIG / "config.yaml").read_text())
    config |= {"files": str(tmp_path / "{paper}.yaml"), "scale": {"replicates": 5, "horizon": 100}}
    arena = Study(config, ROOT)
    play(arena, tmp_path, played)
    table = TABLES["worth"](load(arena, tmp_path, "tables", "worth"))
    (theirs,) = table[table["comparison"] == "FirstArm"].to_dict("records")
    (ours,) = table[(table["comparison"] == "best") & (table["rounds"] == 10_000)].to_dict("records")
    assert theirs["without"] == ours["without"]
    assert theirs["regret with"] > ours["regret with"]
    plays = TABLES["limit"](load(arena, tmp_path, "tables", "limit"))["plays"].tolist()
    assert {"FirstArm", "FirstArm, all interventions"} <= set(plays)
