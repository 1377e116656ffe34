"""Tidy tables against plain pandas, bit by bit, and settings as columns."""

import dataclasses
import json
import math
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from experiments import aggregate
from experiments.jobs import ExperimentJob, PolicyJob

values = st.one_of(st.floats(-1e6, 1e6), st.just(np.nan), st.integers(-5, 5).map(float))


@st.composite
def runs(draw):
    """Runs of a few policies: own numbers of seeds and checkpoints, a metric that some lack, rows in any order."""
    rows = []
    for policy in draw(st.lists(st.sampled_from(["b", "a", "a,x=1", "a,x=0.5"]), min_size=1, unique=True)):
        for seed in range(draw(st.integers(1, 6))):
            for t in range(10, 10 * draw(st.integers(1, 3)) + 1, 10):
                own = {"extra": draw(values)} if policy != "b" else {"extra": None}
                rows.append({"experiment": "p/e", "policy": policy, "seed": seed, "t": t, "regret": draw(values)} | own)
    frame = pd.DataFrame(draw(st.permutations(rows)))
    return frame.astype({"seed": "int32", "t": "int32", "extra": float})


def table(frame):
    encoded = pa.Table.from_pandas(frame, preserve_index=False)
    for name in ("experiment", "policy"):
        position = encoded.schema.get_field_index(name)
        encoded = encoded.set_column(position, name, encoded[name].cast(pa.string()).dictionary_encode())
    return encoded


def by_pandas(frame):
    """The same summary, written with pandas."""
    last = frame["t"] == frame.groupby(["policy", "seed"])["t"].transform("max")
    if not last.all():  # what stands in last rows alone is an outcome
        frame = frame.drop(columns=[m for m in ("regret", "extra") if frame.loc[~last, m].isna().all()])
    tidy = frame.melt(["experiment", "policy", "seed", "t"], var_name="metric").dropna(subset="value")
    tidy = tidy.sort_values(["policy", "seed", "t"], kind="stable")
    groups = tidy.groupby(["experiment", "policy", "metric", "t"])["value"]
    result = groups.agg(n="size", mean="mean", std="std").reset_index()
    half = stats.t.ppf(0.975, np.maximum(result["n"] - 1, 1)) * result["std"] / np.sqrt(result["n"])
    return result.assign(ci_low=result["mean"] - half, ci_high=result["mean"] + half)


@given(runs())
@settings(max_examples=100)
def test_curves_equal_a_groupby_bit_by_bit(frame):
    found = aggregate.summarise(table(frame)).to_pandas()
    expected = by_pandas(frame)
    assert list(found.columns) == list(expected.columns)
    assert found.to_dict("list").keys() == expected.to_dict("list").keys()
    for name in expected.columns:
        np.testing.assert_array_equal(found[name].to_numpy(), expected[name].to_numpy(), err_msg=name)


@given(runs())
@settings(max_examples=100)
def test_finals_are_the_last_row_of_each_policy_and_seed(frame):
    found = aggregate.last_rows(table(frame)).to_pandas()
    ordered = frame.sort_values(["policy", "seed", "t"])
    expected = ordered.drop_duplicates(["policy", "seed"], keep="last").reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


@pytest.mark.parametrize("n", [2, 3, 8, 100, 1000])
def test_half_widths_are_those_of_students_t(n):
    half = aggregate.half_width(np.array([2.0]), np.array([n]))[0]
    assert half == stats.t.ppf(0.975, n - 1) * 2.0 / np.sqrt(n)


def test_one_seed_has_no_interval():
    assert np.isnan(aggregate.half_width(np.array([np.nan]), np.array([1]))).all()


def test_means_lose_no_digits_over_many_seeds():
    block = np.array([1e8, 1.0, -1e8] * 1000)[:, None]
    _, mean, std = aggregate.moments(block)
    assert mean[0] == pytest.approx(1 / 3, rel=1e-12)
    assert std[0] == pytest.approx(np.std(block, ddof=1), rel=1e-12)
    small = np.array([1.0] + 10_000 * [1e-16])[:, None]  # each is lost beside 1.0, together they are not
    assert aggregate.moments(small)[1][0] == pytest.approx(math.fsum(small[:, 0]) / len(small), rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("given", "kind", "expected"),
    [
        ([0.1, 2], pa.float64(), [0.1, 2.0]),
        ([3, None], pa.int64(), [3, None]),
        ([True, None, False], pa.bool_(), [True, None, False]),
        (["safest", None], pa.string(), ["safest", None]),
        ([1.0, "theorem_3"], pa.string(), ["1.0", "theorem_3"]),
        ([True, 1], pa.string(), ["true", "1"]),
        ([None, None], pa.string(), [None, None]),
    ],
)
def test_a_column_has_one_type(given, kind, expected):
    column = aggregate.as_column(given)
    assert (column.type, column.to_pylist()) == (kind, expected)


@dataclasses.dataclass(frozen=True)
class X:
    tau: float = 0.3


@dataclasses.dataclass(frozen=True)
class Y:
    pass


def policy(label, algorithm, parameters=None, **options):
    return PolicyJob(label, algorithm, f"{__name__}:{algorithm.upper()}", parameters or {}, None, options)


def job(*policies, left_out=(), **changes):
    made = ExperimentJob("p/e", "email", 20, 2, 1, 7, policies, tuple(left_out), "0" * 16)
    return dataclasses.replace(made, **changes)


JOB = job(policy("b", "x", {"tau": 0.1}), policy("a", "y", size=10), left_out=[policy("c", "x")])


def small_runs(**more):
    columns = {"experiment": "p/e", "policy": ["a", "a", "b", "b"], "seed": 0, "t": [10, 20, 10, 20], "regret": 1.0}
    return pd.DataFrame(columns | more).astype({"seed": "int32", "t": "int32"})


@given(runs())
@settings(max_examples=50)
def test_finals_have_the_sums_at_milestones(frame):
    """Those of the run's own row at that round; nothing where the run ended before."""
    frame = frame.assign(cumulative_regret=frame["regret"], cumulative_reward=1.0 * frame["t"])
    made = job(*(policy(label, "y") for label in frame["policy"].unique()), milestones=(10, 20))
    with tempfile.TemporaryDirectory() as folder:
        aggregate.aggregate(table(frame), made, Path(folder, "curves"), Path(folder, "finals"))
        found = pq.read_table(Path(folder, "finals")).to_pandas()
    known = {(r.policy, r.seed, r.t): (r.cumulative_regret, r.cumulative_reward) for r in frame.itertuples()}
    assert found.sort_values(["policy", "seed"]).index.tolist() == list(range(len(found)))
    for row in found.itertuples():
        for rounds in (10, 20):
            expected = known.get((row.policy, row.seed, rounds), (np.nan, np.nan))
            got = [getattr(row, aggregate.milestone(metric, rounds)) for metric in aggregate.SUMS]
            np.testing.assert_array_equal(np.array(got, dtype=float), expected)


def test_settings_stand_as_columns_and_in_the_metadata(tmp_path):
    aggregate.aggregate(table(small_runs()), JOB, tmp_path / "curves", tmp_path / "finals")
    for name in ("curves", "finals"):
        frame = pq.read_table(tmp_path / name).to_pylist()
        assert {(r["policy"], r["algorithm"], r["tau"], r["size"]) for r in frame} == {
            ("a", "y", None, 10),
            ("b", "x", 0.1, None),
        }
        assert pq.read_schema(tmp_path / name).names[-4:] == ["algorithm", "tau", "problem", "size"]
        metadata = pq.read_schema(tmp_path / name).metadata
        assert list(json.loads(metadata[b"settings"])) == ["b", "a"]  # the configuration's order, not the rows'
        assert json.loads(metadata[b"left_out"]) == {"c": {"algorithm": "x", "tau": 0.3, "problem": "email"}}
        assert json.loads(metadata[b"defaults"]) == {"x": {"tau": 0.3}, "y": {}}
        assert metadata[b"key"] == b"0" * 16


@pytest.mark.parametrize("name", ["tau", "seed", "policy"])
def test_a_setting_called_like_a_column_is_refused(tmp_path, name):
    """A metric's name, and those that the tidy tables keep."""
    runs = table(small_runs(tau=1.0) if name == "tau" else small_runs())
    with pytest.raises(ValueError, match=f"the setting '{name}' has the name of a column of the runs"):
        aggregate.aggregate(
            runs, job(policy("a", "y"), policy("b", "y", **{name: 0.1})), tmp_path / "curves", tmp_path / "finals"
        )


def test_the_number_of_a_draw_stands_once(tmp_path):
    made = job(policy("a", "y", draw=0), policy("b", "y", draw=0))
    aggregate.aggregate(table(small_runs(draw=0)), made, tmp_path / "curves", tmp_path / "finals")
    assert pq.read_schema(tmp_path / "finals").names.count("draw") == 1
