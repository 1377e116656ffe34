from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from causal_bandits import seeding
from causal_bandits.problems.construction.huang2022.constants import USER, VIDEO
from replication.papers.huang2022.data import joint_counts, records
from replication.papers.huang2022.discovery import TIERS, learn_graph, learned_graphs


@cache
def generators(seed):
    return seeding.generators(1, "test/huang2022/discovery", seed)[0]


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    """Two seeds' records of the shipped tables."""
    folder = tmp_path_factory.mktemp("records")
    for name in ("adult", "youtube"):
        table = joint_counts([], generators, path=f"src/causal_bandits/datasets/counts/{name}.csv")
        pq.write_table(table, folder / f"{name}.parquet")
    drawn = records(range(2), generators, str(folder / "adult.parquet"), str(folder / "youtube.parquet"))
    pq.write_table(drawn, folder / "records.parquet")
    return str(folder / "records.parquet")


@pytest.mark.parametrize("learner", ["pc", "ges"])
def test_learned_graphs_find_what_makes_the_reward(offline, learner):
    table = learn_graph([0, 1], generators, offline, learner)
    assert table.column_names == ["learner", "seed", "source", "target", "kind"]
    assert set(table["learner"].to_pylist()) == {learner}
    tier = {v: i for i, variables in enumerate(TIERS["in_time"]) for v in variables}
    for seed in (0, 1):
        edges = [row for row in table.to_pylist() if row["seed"] == seed]
        causes = {row["source"] for row in edges if row["target"] == "reward"}
        assert causes == {"age", "income", "ratings", "views"}
        # The video is drawn apart from the user.
        assert not [row for row in edges if row["source"] in USER and row["target"] in VIDEO]
        for row in edges:
            early, late = tier[row["source"]], tier[row["target"]]
            assert early <= late if row["kind"] == "directed" else early == late


@pytest.mark.parametrize("learner", ["pc", "ges"])
def test_the_rewards_parents_come_out_whatever_videos_the_offline_users_saw(tmp_path, learner):
    """L62: the 16 types of video equally often, instead of drawn from the pool."""
    adult = joint_counts([], generators, path="src/causal_bandits/datasets/counts/adult.csv")
    pq.write_table(adult, tmp_path / "adult.parquet")
    types = dict(zip(VIDEO, np.indices((2,) * len(VIDEO), np.int8).reshape(len(VIDEO), -1), strict=True))
    pq.write_table(pa.table({**types, "count": np.ones(16, np.int64)}), tmp_path / "youtube.parquet")
    drawn = records(range(2), generators, str(tmp_path / "adult.parquet"), str(tmp_path / "youtube.parquet"))
    pq.write_table(drawn, tmp_path / "records.parquet")
    table = learn_graph([0, 1], generators, str(tmp_path / "records.parquet"), learner).to_pylist()
    for seed in (0, 1):
        causes = {row["source"] for row in table if row["seed"] == seed and row["target"] == "reward"}
        assert causes == {"age", "income", "ratings", "views"}


def test_seeds_are_learned_apart(offline):
    both = learn_graph([0, 1], generators, offline, "pc")
    alone = learn_graph([1], generators, offline, "pc")
    assert [row for row in both.to_pylist() if row["seed"] == 1] == alone.to_pylist()


def test_a_graph_without_edges_has_a_row(tmp_path):
    rng = np.random.default_rng(0)
    n = 400
    columns = {v: rng.integers(0, 2, n, dtype=np.int8) for v in (*USER, *VIDEO)}
    table = pa.table(
        {"seed": np.zeros(n, np.int32), "online": np.zeros(n, bool), **columns, "reward": rng.standard_normal(n)}
    )
    path = str(tmp_path / "records.parquet")
    pq.write_table(table, path)
    learned = learn_graph([0], generators, path, "pc", significance=1e-6)
    assert learned.to_pylist() == [{"learner": "pc", "seed": 0, "source": None, "target": None, "kind": "none"}]
    pq.write_table(learned, tmp_path / "learned.parquet")
    (graph,) = learned_graphs(tmp_path / "learned.parquet")
    assert not graph.adjacent
    assert set(graph.nodes) == {*USER, *VIDEO, "reward"}
    with pytest.raises(ValueError, match="no offline records for seed 5"):
        learn_graph([5], generators, path, "pc")
    with pytest.raises(ValueError, match="bins 1"):
        learn_graph([0], generators, path, "pc", reward_bins=1)


def test_other_tiers_leave_more_directions_open(offline):
    """Without tiers sex and income stay adjacent, and what is born with a user no longer comes first."""
    table = learn_graph([0], generators, offline, "pc", tiers="none").to_pylist()
    ends = {frozenset((row["source"], row["target"])) for row in table}
    assert frozenset(("sex", "income")) in ends
    last = learn_graph([0], generators, offline, "pc", tiers="reward_last").to_pylist()
    assert not [row for row in last if row["source"] == "reward"]
    with pytest.raises(ValueError, match="tiers='first': expected one of in_time, reward_last, none"):
        learn_graph([0], generators, offline, "pc", tiers="first")
