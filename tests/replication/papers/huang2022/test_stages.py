"""huang2022's stages: real users and videos, records drawn from them, and learned graphs."""

import gzip
import hashlib
import re
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from raw_samples import person, video
from scipy import stats

from causal_bandits import seeding
from causal_bandits.datasets import CountTable, DataError
from causal_bandits.problems.construction.huang2022 import constants
from causal_bandits.problems.construction.huang2022.constants import USER, VIDEO
from replication.papers.huang2022.stages import (
    FEATURES,
    TIERS,
    adult,
    count_adult,
    count_youtube,
    learn_graph,
    learned_graphs,
    records,
    split,
    youtube,
)

RAW = Path("data/raw")

# ------------------------------------------------------------------ real data


def test_the_raw_adult_file_is_the_published_one():
    published = re.search("`([0-9a-f]{64})`", (RAW / "README.md").read_text())[1]
    assert hashlib.sha256(gzip.decompress((RAW / "adult.data.gz").read_bytes())).hexdigest() == published


def test_adult_counts_are_those_behind_the_studys_numbers():
    """huang2022, E.2: "31,561 instances: 21,790 males and 10,771 females"; the sum says 32,561."""
    table = count_adult(RAW / "adult.data.gz")
    assert table.states == {
        "age": ("age < 37", "age >= 37"),
        "sex": ("Female", "Male"),
        "race": ("other than White", "White"),
        "income": ("<=50K", ">50K"),
    }
    counts = [1071, 43, 4390, 337, 1196, 160, 7198, 1428, 907, 108, 3224, 691, 847, 413, 5887, 4661]
    assert table.counts.ravel().tolist() == counts
    assert table.total == 32_561
    assert table.marginal(["sex"]).counts.tolist() == [10_771, 21_790]


def test_adult_counts_are_those_of_the_lines(tmp_path):
    """Twin: split at the sorted ages' middle, and count with loops."""
    rng = np.random.default_rng(5)
    people = [
        {
            "age": int(rng.integers(17, 60)),
            "sex": str(rng.choice(["Male", "Female"])),
            "race": str(rng.choice(["White", "Black", "Other"])),
            "income": str(rng.choice(["<=50K", ">50K"])),
            "workclass": str(rng.choice(["Private", "?"])),
        }
        for _ in range(301)
    ]
    (tmp_path / "adult.data").write_text("\r\n".join([*(person(**each) for each in people), "", ""]))
    table = count_adult(tmp_path / "adult.data")
    middle = sorted(each["age"] for each in people)[150]
    expected = np.zeros((2, 2, 2, 2), int)
    for each in people:
        ones = each["age"] >= middle, each["sex"] == "Male", each["race"] == "White", each["income"] == ">50K"
        expected[tuple(map(int, ones))] += 1
    np.testing.assert_array_equal(table.counts, expected)


def crawl(folder, *depths):
    """The files of a crawl's depths."""
    paths = [folder / f"{depth}.txt" for depth in range(len(depths))]
    for path, lines in zip(paths, depths, strict=True):
        path.write_text("\n".join(lines) + "\n")
    return list(map(str, paths))


def test_youtube_counts_are_those_of_the_lines_and_hold_every_record(tmp_path):
    """A quotation mark in an id is no quotation, and a line with an id alone is no record."""
    rng = np.random.default_rng(6)
    videos = [
        {
            "age": int(rng.integers(1, 700)),
            "category": str(rng.choice(["Music", " UNA "])),
            "length": int(rng.integers(1, 500)),
            "views": int(rng.integers(0, 9)),
            "rate": int(rng.integers(0, 501)) / 100,
            "ratings": int(rng.integers(0, 30)),
            "comments": int(rng.integers(-3, 30)),
            "related": int(rng.integers(0, 21)),
        }
        for _ in range(200)
    ]
    lines = [video(f'"v{i}', **each) for i, each in enumerate(videos)]
    table = count_youtube(*crawl(tmp_path, ["first", *lines[:80], "gone"], lines[80:]))
    for each in videos:
        each["age"] = each["age"] if each["category"] == "Music" else None
        each["comments"] = each["comments"] if each["comments"] >= 0 else None
    known = {name: sorted(each[name] for each in videos if each[name] is not None) for name in FEATURES}
    middle = {name: (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2 for name, v in known.items()}
    expected = np.zeros((3, 2, 2, 2, 2, 3), int)
    for each in videos:
        expected[tuple(2 if each[v] is None else int(each[v] >= middle[v]) for v in FEATURES)] += 1
    np.testing.assert_array_equal(table.counts, expected)
    assert table.total == 200
    assert table.states["comments"][-1] == "missing"


def test_what_the_shipped_youtube_counts_hold():
    table = CountTable.read(RAW / "youtube.csv")
    assert table.variables == FEATURES
    assert table.total == 1604
    for features, known in (
        (("age",), 1574),
        (table.variables, 1572),
        (("length", "ratings", "views", "comments"), 1602),
        (("age", "length", "ratings", "comments"), 1572),
    ):
        types = table.known(features)
        assert types.counts.shape == (2,) * len(features)
        assert types.total == known
        assert len(features) > 4 or (types.counts > 0).all()


def test_a_crawl_gives_the_shipped_counts_or_is_refused(tmp_path):
    depths = crawl(tmp_path, [video("a", comments=-1), video("b", category="UNA")], [video("c", views=90)])
    counted = count_youtube(*depths)
    shipped = CountTable(counted.states, counted.counts, {"licence": "none"})
    (tmp_path / "counts.csv").write_text(shipped.text())
    made = youtube([], None, str(tmp_path / "counts.csv"), *depths)
    assert made.equals(youtube([], None, str(tmp_path / "counts.csv")))
    assert made.to_pandas()["count"].sum() == 3
    with pytest.raises(DataError, match=r"0\.txt, .*1\.txt: counts differ from those of data/raw/youtube\.csv"):
        youtube([], None, "data/raw/youtube.csv", *depths)


# ------------------------------------------------------------------ records


def test_records_are_half_offline_with_videos_and_rewards(records_of_two_seeds):
    frame = pd.read_parquet(records_of_two_seeds["records"])
    assert frame.groupby(["seed", "online"]).size().tolist() == [5000] * 4
    offline, online = frame[~frame["online"]], frame[frame["online"]]
    assert online[[*constants.VIDEO, "reward"]].isna().all(axis=None)
    assert not offline.isna().any(axis=None)
    noise = offline["reward"] - sum(w * offline[v] for v, w in constants.WEIGHTS.items())
    assert noise.mean() == pytest.approx(0, abs=0.005)
    assert noise.std() == pytest.approx(constants.NOISE, abs=0.005)
    adult, pool = (pd.read_parquet(records_of_two_seeds[name]) for name in ("adult", "youtube"))
    pool = pool[(pool[list(constants.VIDEO)] < 2).all(axis=1)]
    for seed in (0, 1):
        mine = offline[offline["seed"] == seed]
        _has_the_joint_shares_of(mine, adult, constants.USER)
        _has_the_joint_shares_of(online[online["seed"] == seed], adult, constants.USER)
        _has_the_joint_shares_of(mine, pool, constants.VIDEO)
        cells = [
            np.ravel_multi_index(mine[list(v)].to_numpy(int).T, (2,) * 4) for v in (constants.USER, constants.VIDEO)
        ]
        table = pd.crosstab(*cells)
        frequent = table.loc[table.sum(axis=1) > 200, table.sum() > 200]
        assert stats.chi2_contingency(frequent).pvalue > 1e-4  # videos are shown whoever watches
    for half, columns in ((online, constants.USER), (offline, constants.VIDEO)):
        one, two = (half.loc[half["seed"] == seed, list(columns)].to_numpy(int) for seed in (0, 1))
        assert (one != two).any(axis=1).mean() > 0.5  # another draw for each seed


def _has_the_joint_shares_of(drawn, population, variables):
    variables = list(variables)
    expected = population.groupby(variables)["count"].sum()
    found = drawn[variables].astype(int).value_counts().reindex(expected.index, fill_value=0)
    assert found.sum() == len(drawn)
    assert stats.chisquare(found, expected * (len(drawn) / expected.sum())).pvalue > 1e-4


def small(counts):
    return CountTable(
        {"a": ("no", "yes"), "b": ("no", "yes", "missing")}, np.array(counts).reshape(2, 3), {"rule": "r"}
    )


@given(st.lists(st.integers(0, 30), min_size=6, max_size=6), st.data())
def test_halves_are_equal_and_never_more_than_there_is(counts, data):
    table = small(counts)
    if table.total < 2:
        return
    n = 2 * data.draw(st.integers(1, table.total // 2))
    seed = data.draw(st.integers(0, 2**32 - 1))
    offline, online = split(table, np.random.default_rng(seed), n)
    assert offline.total == len(online) == n // 2
    assert online.dtype == np.int8
    assert online.shape == (n // 2, 2)
    drawn = offline.counts.copy()
    np.add.at(drawn, tuple(online.T), 1)
    assert (drawn <= table.counts).all()
    if n == table.total:
        np.testing.assert_array_equal(drawn, table.counts)
    again, rows = split(table, np.random.default_rng(seed), n)
    assert again.text() == offline.text()
    np.testing.assert_array_equal(rows, online)
    assert offline.provenance["rule"] == "r"


@pytest.mark.parametrize("n", [0, -2, 3, 22])
def test_impossible_sizes_are_refused(n):
    with pytest.raises(ValueError, match=f"n is {n}, expected an even number from 2 to the 21 records"):
        split(small([1, 2, 3, 4, 5, 6]), np.random.default_rng(0), n)


def test_draws_have_the_distribution_of_drawing_records():
    """Twin: permute the records themselves. Compared are the offline counts of a cell and the first user's state."""
    table = small([3, 1, 4, 1, 5, 2])
    records = np.repeat(np.arange(6), table.counts.ravel())
    rng, trials = np.random.default_rng(1), 4000
    fast, plain = np.zeros((2, 6), np.int64), np.zeros((2, 6), np.int64)  # rows: offline count of cell 4; first user
    for _ in range(trials):
        offline, online = split(table, rng, 8)
        fast[0, offline.counts.ravel()[4]] += 1
        fast[1, 3 * online[0, 0] + online[0, 1]] += 1
        drawn = rng.permutation(records)[:8]
        plain[0, (drawn[:4] == 4).sum()] += 1
        plain[1, drawn[4]] += 1
    for row in range(2):
        both = np.stack([fast[row], plain[row]])
        assert stats.chi2_contingency(both[:, both.sum(axis=0) > 0]).pvalue > 1e-4
    np.testing.assert_allclose(fast[1] / trials, table.counts.ravel() / table.total, atol=0.03)


# ------------------------------------------------------------------ learned graphs


@cache
def generators(seed):
    return seeding.generators(1, "test/huang2022/discovery", seed)[0]


@pytest.fixture(scope="module")
def offline(tmp_path_factory):
    """Two seeds' records."""
    folder = tmp_path_factory.mktemp("records")
    pq.write_table(adult([], generators, "data/raw/adult.data.gz"), folder / "adult.parquet")
    pq.write_table(youtube([], generators, "data/raw/youtube.csv"), folder / "youtube.parquet")
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
    pq.write_table(adult([], generators, "data/raw/adult.data.gz"), tmp_path / "adult.parquet")
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
