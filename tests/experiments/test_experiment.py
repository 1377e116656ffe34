"""One experiment: what is played, what is kept, and what the three files hold."""

import json
import runpy
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pyarrow.parquet as pq
import pytest

from experiments import experiment, files
from experiments.experiment import make
from experiments.key import StaleError
from experiments.study import ExperimentJob, PolicyJob, keyed_experiment

POLICIES = (
    PolicyJob("ts", "thompson", "causal_bandits.policies.classical.thompson:Thompson", {}, "minimal", {}, "a" * 16),
    PolicyJob(
        "z", "z2_kl_ucb", "causal_bandits.policies.scm.z2_kl_ucb:Z2KLUCB", {"replicates": 20}, "minimal", {}, "b" * 16
    ),
)
JOB = ExperimentJob(
    "paper/x",
    "lee2019/frontdoor",
    *(60, 3, 4, 11),
    tuple(replace(policy, options={"family": "uniform_cpt"}) for policy in POLICIES),
    key="c" * 16,
    seeds_per_draw=2,
)
NAMES = ("runs", "curves", "finals")


@pytest.fixture
def made(tmp_path, capsys):
    """Makes the three files in a folder, and says what was played."""

    def again(job=JOB, folder=tmp_path / "one", inputs=None, processes=1):
        make(job, inputs or {}, *(folder / f"{name}.parquet" for name in NAMES), processes)
        return [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines() if "playing" in line]

    return again


def bits(folder):
    return {name: files.content_digest(folder / f"{name}.parquet") for name in NAMES}


def test_everything_is_played_once_and_what_is_kept_changes_nothing(made, tmp_path):
    assert made() == ["ts: playing seeds 0 to 3", "z: playing seeds 0 to 3"]
    before = bits(tmp_path / "one")
    assert made() == []
    assert bits(tmp_path / "one") == before


@pytest.mark.parametrize("together", [1, 2, 3])
def test_processes_side_by_side_play_the_same(made, tmp_path, monkeypatch, together):
    job = replace(JOB, replicates=7, seeds_per_draw=together)
    made(job)
    monkeypatch.setattr(experiment, "SHARE", 1)
    made(replace(job, replicates=1), tmp_path / "two")
    assert made(job, tmp_path / "two", processes=3) == ["ts: playing seeds 1 to 6", "z: playing seeds 1 to 6"]
    assert bits(tmp_path / "two") == bits(tmp_path / "one")


@pytest.mark.parametrize(("kept", "together", "alone"), [(0, 1, [0]), (0, 3, [0, 1, 2]), (1, 3, [1, 2])])
def test_one_process_compiles_before_the_others_play(made, monkeypatch, kept, together, alone):
    played = []

    class InTurn:
        def __init__(self, processes):
            pass

        def __call__(self, calls):
            calls = list(calls)
            played.append([list(seeds) for _, (*_, seeds), _ in calls])
            return [function(*given) for function, given, _ in calls]

    monkeypatch.setattr(experiment, "SHARE", 1)
    job = replace(JOB, policies=JOB.policies[:1], replicates=7, seeds_per_draw=together)
    if kept:
        made(replace(job, replicates=kept))
    monkeypatch.setattr(experiment, "Parallel", InTurn)
    made(job, processes=3)
    first, rest = played
    assert first == [alone]
    assert len(rest) > 1
    assert [seed for share in [*first, *rest] for seed in share] == list(range(kept, 7))


def test_the_job_s_script_plays_on_the_cores_that_snakemake_gives_it(tmp_path, monkeypatch):
    played, script = [], Path(__file__).parents[2] / "workflow/scripts/experiment.py"
    monkeypatch.setattr(experiment, "make", lambda *of: played.append(of))
    given = {"log": [tmp_path / "log"], "params": SimpleNamespace(job=JOB), "input": {"path": "x"}, "output": NAMES}
    runpy.run_path(str(script), {"snakemake": SimpleNamespace(**given, threads=3)})
    assert played == [(JOB, {"path": "x"}, *NAMES, 3)]


@pytest.mark.parametrize(("processes", "together"), [(1, 1), (4, 1), (3, 7), (300, 1)])
def test_each_seed_is_played_once_and_those_of_a_problem_together(processes, together):
    shares = experiment._shares(range(3, 1000), processes, together)
    assert [seed for share in shares for seed in share] == list(range(3, 1000))
    assert len(shares) <= processes
    assert all(share.start % together == 0 for share in shares[1:])


@pytest.mark.parametrize(
    ("first", "played"),
    [
        (replace(JOB, replicates=3), ["ts: playing seeds 3 to 3", "z: playing seeds 3 to 3"]),
        (replace(JOB, replicates=7), []),
        (replace(JOB, policies=JOB.policies[:1]), ["z: playing seeds 0 to 3"]),
        (replace(JOB, policies=JOB.policies[::-1]), []),
        (
            replace(JOB, policies=(replace(JOB.policies[0], key="d" * 16), JOB.policies[1])),
            ["ts: playing seeds 0 to 3"],
        ),
    ],
    ids=["fewer seeds", "more seeds", "one policy", "another order", "another key"],
)
def test_what_is_kept_and_what_is_played_are_one(made, tmp_path, first, played):
    """Twin: the same experiment, played from nothing."""
    made(first)
    assert made() == played
    made(folder=tmp_path / "two")
    assert bits(tmp_path / "one") == bits(tmp_path / "two")


def test_damaged_runs_are_played_again(made, tmp_path):
    """All policies if the file is cut; if a page is damaged, the policy whose page it is."""
    made()
    before, path = bits(tmp_path / "one"), tmp_path / "one/runs.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    assert len(made()) == 2
    assert bits(tmp_path / "one") == before
    written, regret = path.read_bytes(), pq.ParquetFile(path).metadata.row_group(1).column(4)
    place = regret.dictionary_page_offset + regret.total_compressed_size - 3
    path.write_bytes(written[:place] + bytes([written[place] ^ 4]) + written[place + 1 :])
    assert made() == ["z: playing seeds 0 to 3"]
    assert bits(tmp_path / "one") == before


def test_runs_stand_policy_by_policy_each_in_a_row_group(made, tmp_path):
    """However many rows it has."""
    made()
    file = pq.ParquetFile(tmp_path / "one/runs.parquet")
    groups = [file.read_row_group(number) for number in range(file.num_row_groups)]
    assert [set(group["policy"].to_pylist()) for group in groups] == [{"ts"}, {"z"}]
    assert [len(group) for group in groups] == [12, 12]
    assert list(json.loads(file.schema_arrow.metadata[experiment.POLICIES])) == ["ts", "z"]


def test_a_stale_input_is_refused_and_nothing_is_written(made, tmp_path):
    table = files.pa.table({"x": [1]}).replace_schema_metadata({"key": "other"})
    files.write(table, tmp_path / "in.parquet")
    with pytest.raises(StaleError, match=r"in\.parquet: made by different code"):
        made(replace(JOB, inputs={"bounds": "mine"}), inputs={"bounds": tmp_path / "in.parquet"})
    assert not (tmp_path / "one").exists()


def test_the_three_files_agree(made, tmp_path):
    made()
    runs, curves, finals = (pd.read_parquet(tmp_path / f"one/{name}.parquet") for name in NAMES)
    assert set(runs.columns) == {
        *("experiment", "policy", "seed", "t", "cumulative_regret", "cumulative_reward", "draw", "settings", "extras")
    }
    assert (runs["draw"] == runs["seed"] // 2).all()
    last = runs[runs["t"] == 60].sort_values(["policy", "seed"])
    assert last["cumulative_regret"].tolist() == finals["cumulative_regret"].tolist()
    assert {name for extras in last["extras"] for name, _ in extras} <= set(finals.columns)
    mean = curves.query("metric == 'cumulative_regret' and t == 60").set_index("policy")["mean"]
    assert mean["z"] == pytest.approx(last[last["policy"] == "z"]["cumulative_regret"].mean())
    keys = {pq.read_schema(tmp_path / f"one/{name}.parquet").metadata[b"key"] for name in NAMES}
    assert keys == {JOB.key.encode()}


def test_policies_may_play_different_horizons_and_ask_for_simple_regret(made, tmp_path):
    """Both tables have the last round of each, the settings say which it is, and shorter runs begin longer ones."""
    policies = tuple(replace(POLICIES[0], label=f"ts,horizon={t}", horizon=t) for t in (20, 60))
    made(replace(JOB, policies=policies, metrics=("simple_regret",), seeds_per_draw=None))
    finals, curves = (pd.read_parquet(tmp_path / "one" / f"{name}.parquet") for name in ("finals", "curves"))
    assert dict(zip(finals["horizon"], finals["t"], strict=True)) == {20: 20, 60: 60}
    assert finals["simple_regret"].notna().all()
    rounds = curves[curves["metric"] == "simple_regret"].groupby("horizon")["t"].apply(list).to_dict()
    assert rounds == {20: [7, 13, 20], 60: [20, 40, 60]}
    regret = curves[(curves["metric"] == "cumulative_regret") & (curves["t"] == 20)]
    assert regret["mean"].nunique() == 1


def test_another_horizon_in_the_grid_moves_no_key_of_the_others():
    short, long = (replace(POLICIES[0], label=f"ts,horizon={t}", horizon=t) for t in (20, 60))
    one = keyed_experiment(replace(JOB, policies=(short,), horizon=20), [])
    both = keyed_experiment(replace(JOB, policies=(short, long), horizon=60), [])
    assert one.policies[0].key == both.policies[0].key != both.policies[1].key
