"""What an edit reruns: exactly what depends on it."""

import os
import shutil
from collections import Counter
from contextlib import contextmanager

import pandas as pd
import pytest
import yaml
from checkout import Checkout, jobs_of

from experiments.files import content_digest

pytestmark = pytest.mark.workflow

TASKS, STRATEGIES = 3, 4
#: Fig. 5; Table 1, the tables of curves, predicted curves, both regrets, reductions, expressions that count, and all
#: policies.
DOWNSTREAM = {"aggregate": TASKS, "figure": 1, "table": 7, "verdicts": 1, "all_verdicts": 1, "all": 1}


@contextmanager
def edited(study, path, line="EDITED = True"):
    file = study.folder / path
    before = file.read_bytes()
    study.append(path, line)
    try:
        yield
    finally:
        file.write_bytes(before)


def test_the_small_study_makes_every_output(finished):
    published = pd.read_csv(finished.folder / "data/published/lee2019.csv")
    verdicts = pd.read_csv(finished.folder / "results/verdicts.csv")
    assert list(verdicts["claim_id"]) == list(published["claim_id"])
    found = verdicts.groupby("basis")["outcome"].agg(set).to_dict()
    assert found == {
        "exact": {"holds", "fails"},
        "identity": {"holds"},
        "simulated": {"open"},
    }
    assert set(verdicts.loc[verdicts["outcome"] == "open", "because"]) == {"not run"}  # at this horizon
    for figure in range(1, 6):
        for suffix in ("pdf", "png", "svg"):
            assert (finished.folder / f"figures/lee2019/fig{figure}.{suffix}").stat().st_size > 1000
    table = pd.read_csv(finished.folder / "figures/lee2019/table1.csv")
    assert list(table["strategy"]) == ["POMIS+", "POMIS", "MIS", "BF"] * 2
    logs = list((finished.folder / "logs/simulate").rglob("*.log"))
    assert len(logs) == 2 * TASKS * STRATEGIES


def test_a_touch_or_an_edit_in_the_registry_reruns_nothing(finished):
    for folder in ("src", "workflow", "data"):
        for path in (finished.folder / folder).rglob("*.*"):
            os.utime(path)
    with edited(finished, "src/causal_bandits/policies/registry.py"):
        jobs, text = finished.planned(*finished.small)
    assert not jobs, text


def test_results_copied_into_a_fresh_clone_are_not_played_again(finished, tmp_path):
    """All times are new, in whatever order: contents count. Without Snakemake's records tables may be made again."""
    clone = Checkout(tmp_path / "clone")
    clone.overlay(**yaml.safe_load((finished.folder / "overlay.yaml").read_text()))
    for part in ("results", "figures", ".snakemake/metadata"):
        shutil.copytree(finished.folder / part, clone.folder / part, copy_function=shutil.copy)
    jobs, text = clone.planned(*finished.small)
    assert not jobs, text
    shutil.rmtree(clone.folder / ".snakemake")
    jobs, text = clone.planned(*finished.small)
    assert set(jobs) <= set(DOWNSTREAM), text


def test_an_edit_in_a_rule_s_script_or_in_the_published_numbers_reruns_what_reads_them(finished):
    with edited(finished, "workflow/scripts/table.py"):
        jobs, text = finished.planned(*finished.small)
    assert jobs == Counter(table=11, all=1), text
    finished.edit("data/published/lee2019.csv", "one merged cell for", "one  merged cell for")
    jobs, text = finished.planned(*finished.small)
    finished.edit("data/published/lee2019.csv", "one  merged cell for", "one merged cell for")
    assert {"figure", "table", "verdicts", "all_verdicts"} < set(jobs), text
    assert not {"simulate", "aggregate"} & set(jobs), text
    with edited(finished, "data/published/curves/lee2019_fig5.csv", line=""):
        jobs, text = finished.planned(*finished.small)
    assert (jobs["data"], jobs["figure"], jobs["table"], jobs["verdicts"]) == (1, 1, 2, 1), text
    assert not {"simulate", "aggregate"} & set(jobs), text


def test_deleted_tidy_tables_are_made_again(finished):
    paths = [finished.folder / f"results/lee2019/{name}.parquet" for name in ("frontdoor/finals", "fourvar/curves")]
    for path in paths:
        path.rename(path.with_suffix(".hidden"))
    jobs, text = finished.planned(*finished.small)
    for path in paths:
        path.with_suffix(".hidden").rename(path)
    assert jobs["aggregate"] == 2, text
    assert not jobs["simulate"], text


def test_an_edit_in_one_algorithm_reruns_its_simulations_and_what_is_downstream(finished):
    with edited(finished, "src/causal_bandits/policies/kl_ucb.py"):
        jobs, text = finished.planned(*finished.small)
    assert jobs == Counter(DOWNSTREAM) + Counter(simulate=TASKS * STRATEGIES), text
    assert "runs/kl_ucb_pomis/" in text
    assert "output: results/lee2019/frontdoor/runs/ts_" not in text


def test_an_edit_in_a_figure_reruns_no_simulation(finished):
    with edited(finished, "src/replication/papers/lee2019/figures.py"):
        jobs, text = finished.planned(*finished.small)
    assert jobs == Counter(figure=6, all=1), text


def test_another_hyper_parameter_reruns_that_policy_alone(finished):
    path = finished.folder / "config/papers/lee2019.yaml"
    before = path.read_text()
    finished.change_paper(
        lambda settings: settings["experiments"]["sixvar"]["policies"]["kl_ucb_bf"].update(parameters={"c": 0.0})
    )
    jobs, text = finished.planned(*finished.small)
    path.write_text(before)
    assert jobs == Counter(DOWNSTREAM | {"simulate": 1, "aggregate": 1}), text
    assert "runs/kl_ucb_bf/" in text


def test_a_new_algorithm_is_one_file_one_line_and_one_entry(finished):
    """A student's plain-Python policy, run through the same config; nothing that exists is played again."""
    module = finished.folder / "src/causal_bandits/policies/greedy.py"
    module.write_text(
        "from dataclasses import dataclass\n"
        "import numpy as np\n"
        "from causal_bandits.policies.base import StepwisePolicy\n"
        "@dataclass\n"
        "class Greedy(StepwisePolicy):\n"
        "    first: float = 1.0\n"
        "    def start(self, problem, horizon):\n"
        "        self.mean, self.n = np.full(len(problem.arms), self.first), np.zeros(len(problem.arms))\n"
        "    def select(self, t, context, rng):\n"
        "        return int(np.argmax(self.mean))\n"
        "    def update(self, arm, states, reward):\n"
        "        self.n[arm] += 1\n"
        "        self.mean[arm] += (reward - self.mean[arm]) / self.n[arm]\n"
    )
    registry, config = "src/causal_bandits/policies/registry.py", finished.folder / "config/papers/lee2019.yaml"
    before = {path: (finished.folder / path).read_text() for path in (registry, config)}
    finished.edit(registry, "] = {\n", '] = {\n    "greedy": "causal_bandits.policies.greedy:Greedy",\n')
    finished.change_paper(
        lambda s: s["experiments"]["frontdoor"]["policies"].update(greedy={"algorithm": "greedy", "arms": "minimal"})
    )
    target = "results/lee2019/frontdoor/finals.parquet"
    done = finished.snakemake(*finished.small, "--", target)
    finals = pd.read_parquet(finished.folder / target)
    for path, text_before in before.items():
        (finished.folder / path).write_text(text_before)
    assert jobs_of(done) == Counter(simulate=1, aggregate=1)
    assert (finals["policy"] == "greedy").sum() == 6


def test_the_runs_of_another_policy_in_place_are_not_believed(finished):
    """The last test of this file: a file that says of itself that it is another policy's is played again."""
    target = "results/lee2019/frontdoor/finals.parquet"
    folder = finished.folder / "results/lee2019/frontdoor/runs"
    runs = next((folder / "kl_ucb_pomis").iterdir())
    right = content_digest(runs)
    runs.write_bytes((folder / "kl_ucb_bf" / runs.name).read_bytes())
    jobs = jobs_of(finished.snakemake(*finished.small, "--", target))
    assert jobs["simulate"] == 1
    assert content_digest(runs) == right
    assert jobs_of(finished.snakemake(*finished.small, "--", target)) == Counter()
