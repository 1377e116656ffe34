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
from experiments.study import ExperimentJob, PolicyJob

finite = st.one_of(st.floats(-1e6, 1e6), st.integers(-5, 5).map(float))
values = st.one_of(finite, st.just(np.nan))


@st.composite
def runs(draw):
    """Runs of a few policies: own numbers of seeds and checkpoints, a metric that some lack, rows in any order."""
    rows = []
    for policy in draw(st.lists(st.sampled_from(["b", "a", "a,x=1", "a,x=0.5"]), min_size=1, unique=True)):
        for seed in range(draw(st.integers(1, 6))):
            for t in range(10, 10 * draw(st.integers(1, 3)) + 1, 10):
                own = {"extra": draw(values)} if policy != "b" else {"extra": None}
                sums = {"cumulative_regret": draw(finite), "cumulative_reward": 1.0 * t}
                rows.append({"experiment": "p/e", "policy": policy, "seed": seed, "t": t} | sums | own)
    frame = pd.DataFrame(draw(st.permutations(rows)))
    return frame.astype({"seed": "int32", "t": "int32", "extra": float})


def tidy(frame, made=None):
    """Curves and finals of some runs, each policy added by itself, as a job does it."""
    made = made or job(*(policy(label, "y") for label in sorted(frame["policy"].unique())))
    collected = aggregate.Tidy(made)
    for each in made.policies:
        rows = frame[frame["policy"] == each.label].sort_values(["seed", "t"]).drop(columns=["experiment", "policy"])
        own = rows.drop(columns=[name for name in ("extra",) if name in rows and each.label == "b"])
        collected.add(each.label, pa.Table.from_pandas(own, preserve_index=False))
    with tempfile.TemporaryDirectory() as folder:
        collected.write(Path(folder, "curves"), Path(folder, "finals"))
        return [pq.read_table(Path(folder, name)) for name in ("curves", "finals")]


def by_pandas(frame):
    """The same summary, written with pandas."""
    last = frame["t"] == frame.groupby(["policy", "seed"])["t"].transform("max")
    if not last.all():  # what stands in last rows alone is an outcome
        frame = frame.drop(columns=[m for m in ("extra",) if frame.loc[~last, m].isna().all()])
    tidy = frame.melt(["experiment", "policy", "seed", "t"], var_name="metric").dropna(subset="value")
    groups = tidy.groupby(["experiment", "policy", "metric", "t"])["value"]
    result = groups.agg(n="size", mean="mean", std="std").reset_index()
    half = stats.t.ppf(0.975, np.maximum(result["n"] - 1, 1)) * result["std"] / np.sqrt(result["n"])
    return result.assign(ci_low=result["mean"] - half, ci_high=result["mean"] + half)


@given(runs())
@settings(max_examples=100)
def test_curves_equal_a_groupby(frame):
    """Rows in the same order; sums of values that cancel have rounding errors of the largest value's size."""
    found, expected = tidy(frame)[0].to_pandas(), by_pandas(frame)
    assert list(found.columns)[: len(expected.columns)] == list(expected.columns)
    for name in ("experiment", "policy", "metric", "t", "n"):
        assert found[name].tolist() == expected[name].tolist()
    for name in ("mean", "std", "ci_low", "ci_high"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, atol=1e-8, err_msg=name)


@given(runs())
@settings(max_examples=100)
def test_finals_are_the_last_row_of_each_policy_and_seed(frame):
    expected = frame.sort_values(["policy", "seed", "t"])
    expected = expected.drop_duplicates(["policy", "seed"], keep="last").reset_index(drop=True)
    found = tidy(frame)[1].to_pandas()
    for name in expected.columns:
        if name in found or expected[name].notna().any():
            assert found[name].astype(expected[name].dtype).equals(expected[name])


def test_runs_that_end_at_different_rounds_are_averaged_while_they_last():
    """By hand: seed 0 ends at 15 between checkpoints, seed 1 at 20, the horizon, seed 2 at 10."""
    rows = [(0, 10, 1.0, None), (0, 15, 2.0, 7.0), (1, 10, 3.0, None), (1, 20, 6.0, 8.0), (2, 10, 8.0, 9.0)]
    frame = pd.DataFrame(rows, columns=["seed", "t", "cumulative_regret", "sample_complexity"])
    frame = frame.assign(experiment="p/e", policy="a", cumulative_reward=0.0).astype({"seed": "int32", "t": "int32"})
    curves, finals = (each.to_pandas() for each in tidy(frame, job(policy("a", "y"), milestones=(10,))))
    assert set(curves["metric"]) == {"cumulative_regret", "cumulative_reward"}  # not what runs have at their ends only
    regret = curves[curves["metric"] == "cumulative_regret"]
    assert regret[["t", "n", "mean"]].values.tolist() == [[10, 3, 4.0], [20, 1, 6.0]]
    assert regret["std"].iloc[0] == pytest.approx(math.sqrt(13))  # of 1, 3 and 8
    assert math.isnan(regret["std"].iloc[1])
    assert finals[["seed", "t", "cumulative_regret", "sample_complexity"]].values.tolist() == [
        *([0, 15, 2, 7], [1, 20, 6, 8], [2, 10, 8, 9])
    ]
    assert finals["cumulative_regret_after_10"].tolist() == [1, 3, 8]


@pytest.mark.parametrize("n", [2, 3, 8, 100, 1000])
def test_half_widths_are_those_of_students_t(n):
    half = aggregate.half_width(np.array([2.0]), np.array([n]))[0]
    assert half == stats.t.ppf(0.975, n - 1) * 2.0 / np.sqrt(n)


def test_one_seed_has_no_interval():
    assert np.isnan(aggregate.half_width(np.array([np.nan]), np.array([1]))).all()


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
    columns = {"experiment": "p/e", "policy": ["a", "a", "b", "b"], "seed": 0, "t": [10, 20, 10, 20]}
    sums = {"cumulative_regret": 1.0, "cumulative_reward": 1.0}
    return pd.DataFrame(columns | sums | more).astype({"seed": "int32", "t": "int32"})


@given(runs())
@settings(max_examples=50)
def test_finals_have_the_sums_at_milestones(frame):
    """Those of the run's own row at that round; nothing where the run ended before."""
    made = job(*(policy(label, "y") for label in frame["policy"].unique()), milestones=(20, 10))
    found = tidy(frame, made)[1].to_pandas()
    known = {(r.policy, r.seed, r.t): (r.cumulative_regret, r.cumulative_reward) for r in frame.itertuples()}
    assert found.sort_values(["policy", "seed"]).index.tolist() == list(range(len(found)))
    for row in found.itertuples():
        for rounds in (10, 20):
            expected = known.get((row.policy, row.seed, rounds), (np.nan, np.nan))
            got = [getattr(row, aggregate.milestone(metric, rounds)) for metric in aggregate.SUMS]
            np.testing.assert_array_equal(np.array(got, dtype=float), expected)


def test_settings_stand_as_columns_and_in_the_metadata():
    for table in tidy(small_runs(), JOB):
        assert {(r["policy"], r["algorithm"], r["tau"], r["size"]) for r in table.to_pylist()} == {
            ("a", "y", None, 10),
            ("b", "x", 0.1, None),
        }
        assert table.schema.names[-4:] == ["algorithm", "tau", "problem", "size"]
        metadata = table.schema.metadata
        assert list(json.loads(metadata[b"settings"])) == ["b", "a"]  # the configuration's order, not the rows'
        assert json.loads(metadata[b"left_out"]) == {"c": {"algorithm": "x", "tau": 0.3, "problem": "email"}}
        assert json.loads(metadata[b"defaults"]) == {"x": {"tau": 0.3}, "y": {}}
        assert metadata[b"key"] == b"0" * 16


@pytest.mark.parametrize("name", ["tau", "seed", "policy"])
def test_a_setting_called_like_a_column_is_refused(name):
    """A metric's name, and those that the tidy tables keep."""
    frame = small_runs(tau=1.0) if name == "tau" else small_runs()
    with pytest.raises(ValueError, match=f"the setting '{name}' has the name of a column of the runs"):
        tidy(frame, job(policy("a", "y"), policy("b", "y", **{name: 0.1})))


def test_the_number_of_a_draw_stands_once():
    made = job(policy("a", "y", draw=0), policy("b", "y", draw=0))
    assert tidy(small_runs(draw=0), made)[1].schema.names.count("draw") == 1
