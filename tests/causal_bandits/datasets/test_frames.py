"""Counting data frames: of pandas, of what looks like polars, and of plain columns."""

from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from causal_bandits.datasets import from_frame
from causal_bandits.datasets.frames import has_order


def random_columns(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(5, 60))
    return {
        "text": rng.choice(["no", "perhaps", "yes"], rows).tolist(),
        "number": rng.choice([-1, 0, 7], rows).tolist(),
        "truth": rng.choice([False, True], rows).tolist(),
    }


@pytest.mark.parametrize("seed", range(100))
def test_counts_are_those_of_a_cross_table(seed):
    columns = random_columns(seed)
    table = from_frame(columns)
    assert table.total == len(columns["text"])
    assert table.states["number"] == tuple(str(v) for v in sorted(set(columns["number"])))
    frame = pd.DataFrame(columns)
    for names in np.ndindex(*table.counts.shape):
        wanted = pd.Series(True, index=frame.index)
        for (variable, labels), state in zip(table.states.items(), names, strict=True):
            wanted &= frame[variable].astype(str) == labels[state]
        assert table.counts[names] == wanted.sum()


def forms(columns):
    """The same columns as frames of several libraries and types."""
    frame = pd.DataFrame(columns)
    yield "pandas", frame
    yield "pandas, floats", frame.astype({"number": float})
    yield "pandas, own types", frame.convert_dtypes()
    yield "pandas, categories", frame.astype({"text": "category"})
    yield "pandas, objects", frame.astype(object)
    yield "numpy", {name: np.array(values) for name, values in columns.items()}


def test_the_form_of_the_frame_does_not_matter():
    columns = random_columns(3)
    expected = from_frame(columns)
    for form, frame in forms(columns):
        found = from_frame(frame)
        assert found.states == expected.states, form
        np.testing.assert_array_equal(found.counts, expected.counts, err_msg=form)


def counted_one_by_one(columns):
    """Each record's values as text, counted."""
    return Counter(zip(*(map(str, column) for column in columns.values()), strict=True))


@pytest.mark.parametrize("seed", range(60))
def test_every_type_of_whole_numbers_is_counted(seed):
    """Also numbers far apart, at both ends of a type, and of which few occur."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(rng.choice(["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "b"]))
    ends = (0, 1) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    some = [int(v) for v in {ends[0], ends[1], (ends[0] + ends[1]) // 2, min(ends[1], 5)}]
    if seed % 2:
        some = [v for v in range(max(ends[0], ends[1] - 9), ends[1] + 1) if rng.random() < 0.5] or [ends[1]]
    columns = {
        "v": rng.permutation(np.array(rng.choice(np.array(some, dtype=object), 40).tolist(), dtype=kind)),
        "w": rng.integers(0, 3, 40),
    }
    expected = counted_one_by_one({name: column.tolist() for name, column in columns.items()})
    for frame in (columns, pd.DataFrame(columns), {name: column.tolist() for name, column in columns.items()}):
        table = from_frame(frame)
        assert table.states["v"] == tuple(str(v) for v in sorted(set(columns["v"].tolist())))
        for place in np.ndindex(*table.counts.shape):
            labels = tuple(table.states[name][i] for name, i in zip(columns, place, strict=True))
            assert table.counts[place] == expected[labels]


class Enum:
    """What polars' Enum and pandas' CategoricalDtype have in common."""

    categories = ("low", "high")


class Column(list):
    dtype = Enum()


class Shared:
    """The categories of polars' Categorical are those of all such columns of a process."""

    categories = ("yellow", "high", "red", "low")

    def __str__(self):
        return "Categorical"


def test_categories_that_columns_share_are_no_states():
    column = Column(["low", "high", "low"])
    column.dtype = Shared()
    assert from_frame({"dose": column}).states == {"dose": ("high", "low")}
    assert not has_order(column)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"dose": pd.Categorical(["high", "high"], categories=["low", "high"])}),
        {"dose": Column(["high", "high"])},
    ],
)
def test_the_order_of_categories_is_kept_and_unseen_ones_too(frame):
    table = from_frame(frame)
    assert table.states == {"dose": ("low", "high")}
    assert table.counts.tolist() == [0, 2]
    given = from_frame(frame, states={"dose": ["high", "middle", "low"]})
    assert given.counts.tolist() == [2, 0, 0]


@pytest.mark.parametrize(
    ("frame", "arguments", "message"),
    [
        ({"a": [1, None, 0]}, {}, "column 'a': 1 of 3 values are missing"),
        (pd.DataFrame({"a": [1.0, np.nan, np.nan]}), {}, "column 'a': 2 of 3 values are missing"),
        (pd.DataFrame({"a": ["x", pd.NA]}), {}, "column 'a': 1 of 2 values are missing"),
        (pd.DataFrame({"a": pd.Categorical(["x", None])}), {}, "column 'a': 1 of 2 values are missing"),
        (pd.DataFrame({"a": [1, 2]}).convert_dtypes().shift(), {}, "column 'a': 1 of 2 values are missing"),
        ({"a": [0.5, 1.0]}, {}, "column 'a': 0.5 is not a whole number"),
        ({"a": ["x", 1]}, {}, "column 'a': values of types int, str"),
        ({"a": [0]}, {"variables": ["b"]}, "column 'b': not in the frame \\(it has a\\)"),
        (pd.DataFrame([[0, 1]], columns=["a", "a"]), {"variables": ["a"]}, "column 'a': twice"),
        ({"a": ["x"]}, {"states": {"a": ["y"]}}, "the value 'x' is not among its states"),
        ({"a": ["x"]}, {"states": {"b": ["y"]}}, "states: b not among the columns"),
        ({"a": ["1"]}, {"states": {"a": [1, "1"]}}, "are the same as strings"),
        ({"a": [0], "b": [0, 1]}, {}, "different lengths"),
        ({f"v{i}": list(range(9)) for i in range(10)}, {}, "3486784401 joint states"),
        ({"#a": [0, 1]}, {}, "'#a' cannot name a variable"),
        ({"a": np.arange(300)}, {}, "a has 300 states; expected at most 127"),
    ],
)
def test_what_cannot_be_counted_is_named(frame, arguments, message):
    with pytest.raises(ValueError, match=message):
        from_frame(frame, **arguments)


def test_every_kind_of_frame_is_counted_alike():
    """Columns named by numbers and with spaces, structured arrays, pyarrow tables, and polars' lazy frames."""
    samples = np.array([(0, 1), (1, 1), (1, 0), (1, 1)], dtype=[("X", np.int8), ("Y", np.int8)])
    expected = [[0, 1], [1, 2]]
    kinds = [
        samples,
        pd.DataFrame(samples),
        pa.table({v: samples[v] for v in ("X", "Y")}),
        {v: samples[v] for v in "XY"},
    ]
    assert [from_frame(frame).counts.tolist() for frame in kinds] == [expected] * 4
    numbered = from_frame(pd.DataFrame(samples).rename(columns={"X": 0, "Y": "blood pressure, systolic"}))
    assert numbered.counts.tolist() == expected
    assert numbered.variables == ("0", "blood pressure, systolic")


class Lazy:
    """A frame as polars has it if it was not collected: it may not be asked for a column."""

    def __init__(self, frame):
        self._frame = frame

    def collect_schema(self):
        raise NotImplementedError

    def collect(self):
        return self._frame


def test_a_lazy_frame_is_collected():
    assert from_frame(Lazy({"a": [0, 1, 1]})).counts.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        ([[1, 2]], TypeError, "frame: a list; expected a pandas or polars DataFrame"),
        (None, TypeError, "frame: a NoneType"),
        (np.zeros((2, 2)), TypeError, "frame: a ndarray"),
        ({"a": 1}, TypeError, "column 'a': 1; expected a sequence"),
        ({"a": "yes"}, TypeError, "column 'a': 'yes'; expected a sequence"),
        ({}, ValueError, "the frame has no columns"),
        ({"a": []}, ValueError, "column 'a': no records, so its values are unknown"),
        ({"a": [[1], [2]]}, ValueError, "column 'a': values of types list; expected categories"),
    ],
)
def test_what_is_no_frame_is_named(frame, error, message):
    with pytest.raises(error, match=message):
        from_frame(frame)


def test_an_empty_frame_with_known_states_counts_nothing():
    assert from_frame({"a": []}, states={"a": [0, 1]}).counts.tolist() == [0, 0]
