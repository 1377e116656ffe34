"""Tables of counts: the round trip through a file, marginals against plain sums, and files that are wrong."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.datasets import CountTable, DataError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
IDENTIFIERS = st.text("abcdefXYZ_é", min_size=1, max_size=6)


@st.composite
def tables(draw, min_variables=1):
    names = draw(st.lists(IDENTIFIERS, min_size=min_variables, max_size=4, unique=True))
    states = {}
    for name in names:
        labels = draw(st.lists(st.text(max_size=5), min_size=1, max_size=3, unique=True))
        states[name] = (*labels, "missing") if "missing" not in labels and draw(st.booleans()) else tuple(labels)
    shape = tuple(map(len, states.values()))
    size = int(np.prod(shape))
    counts = draw(st.lists(st.integers(0, 2**40), min_size=size, max_size=size))
    provenance = draw(st.dictionaries(IDENTIFIERS, JSON, max_size=3))
    return CountTable(states, np.array(counts).reshape(shape), provenance)


@given(table=tables())
def test_round_trip(tmp_path_factory, table):
    path = tmp_path_factory.getbasetemp() / "round_trip.csv"
    path.write_text(table.text())
    again = CountTable.read(path)
    assert again.states == table.states
    assert list(again.states) == list(table.states)
    assert again.provenance == table.provenance
    np.testing.assert_array_equal(again.counts, table.counts)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert CountTable.read(path).text() == table.text()


@given(tables(), st.data())
def test_marginals_and_known_records_by_plain_loops(table, data):
    chosen = data.draw(st.lists(st.sampled_from(table.variables), min_size=1, unique=True))
    marginal, known = table.marginal(chosen), table.known(chosen)
    sums = {}
    for cell, n in zip(table.cells.tolist(), table.counts.ravel().tolist(), strict=True):
        labels = tuple(table.states[name][cell[table.variables.index(name)]] for name in chosen)
        sums[labels] = sums.get(labels, 0) + n
    for result, expected in (
        (marginal, sums),
        (known, {labels: n for labels, n in sums.items() if "missing" not in labels}),
    ):
        assert result.variables == tuple(chosen)
        found = {
            tuple(result.states[name][state] for name, state in zip(chosen, cell, strict=True)): n
            for cell, n in zip(result.cells.tolist(), result.counts.ravel().tolist(), strict=True)
        }
        assert found == expected


def test_marginals_of_what_is_not_there_are_refused(table):
    for names in (["age", "height"], ["age", "age"], []):
        with pytest.raises(ValueError, match="expected distinct variables among age, sex"):
            table.marginal(names)


@pytest.fixture
def table():
    return CountTable({"age": ("young", "old"), "sex": ("F", "M")}, np.array([[1, 2], [3, 4]]), {"rule": "median_ge"})


def test_the_file_is_plain(table):
    assert table.text() == (
        '# states: {"age": ["young", "old"], "sex": ["F", "M"]}\n'
        '# rule: "median_ge"\n'
        "age,sex,count\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1,0,3", "1,0,-3", "line 6: count is '-3', expected a whole number >= 0"),
        ("1,0,3", "1,0,3.5", "line 6: count is '3.5', expected a whole number >= 0"),
        ("1,0,3", "1,0,", "line 6: count is '', expected a whole number >= 0"),
        ("1,0,3", "1,0,99999999999999999999", "line 6: count is '99999999999999999999', expected a whole number"),
        ("1,0,3", "2,0,3", "line 6: age is '2', expected a state from 0 to 1"),
        ("1,0,3", "old,0,3", "line 6: age is 'old', expected a state from 0 to 1"),
        ("1,0,3", "0,1,3", r"line 6: the cell \(0, 1\) already occurs in line 5"),
        ("1,0,3", "1,0", "line 6: 2 columns, expected 3"),
        ("1,0,3\n", "", r"3 cells, expected 4; the first missing one is \(1, 0\)"),
        ("1,1,4\n", "", r"3 cells, expected 4; the first missing one is \(1, 1\)"),
        ("age,sex,count", "age,count", "line 3: column sex is missing; expected age,sex,count"),
        ("age,sex,count", "age,sex", "line 3: column count is missing; expected age,sex,count"),
        ("age,sex,count", "sex,age,count", "line 3: columns sex, age, count; expected age,sex,count"),
        ("age,sex,count\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n", "", "line 3: column age, sex, count is missing"),
        ("# states", "# other", "no line '# states: "),
        ('["F", "M"]', '"FM"', "the states of sex are 'FM', expected a list"),
        ("# rule:", "# rule", "line 2: .* expected '# key: JSON value'"),
        ('"median_ge"', '"median_ge', "line 2: .* expected '# key: JSON value'"),
        ("# rule", "# states", "line 2: states occurs twice"),
    ],
)
def test_a_wrong_file_is_an_error_that_names_file_and_line(table, tmp_path, old, new, message):
    path = tmp_path / "adult.csv"
    text = table.text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(DataError, match=rf"adult\.csv(, |: ){message}"):
        CountTable.read(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"adult\.csv: no such file"):
        CountTable.read(tmp_path / "adult.csv")


@pytest.mark.parametrize(
    ("states", "counts", "provenance", "message"),
    [
        ({"a": ("x", "y")}, [1, 2, 3], {}, "shape"),
        ({}, [], {}, "shape"),
        ({"a": ("x", "y")}, [1, -2], {}, "integers >= 0"),
        ({"a": ("x", "y")}, [1.0, 2.0], {}, "integers >= 0"),
        ({"a": tuple(map(str, range(128)))}, [0] * 128, {}, "128 states"),
        ({"#a": ("x", "y")}, [1, 2], {}, "'#a' cannot name a variable"),
        ({"count": ("x", "y")}, [1, 2], {}, "'count' cannot name a variable"),
        ({"a": ("x", "x")}, [1, 2], {}, "have the same meaning"),
        ({"a": ("x", "y")}, [1, 2], {"states": 1}, "'states' cannot be a key of the provenance"),
    ],
)
def test_impossible_tables_are_refused(states, counts, provenance, message):
    with pytest.raises(ValueError, match=message):
        CountTable(states, np.array(counts), provenance)


def test_nothing_is_written_half(table, tmp_path):
    bad = CountTable(table.states, table.counts, {"rule": object()})
    with pytest.raises(TypeError):
        (tmp_path / "x.csv").write_text(bad.text())
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "x.csv").write_text(table.text())
    assert json.loads((tmp_path / "x.csv").read_text().split("\n")[1].removeprefix("# rule: ")) == "median_ge"


def test_names_with_spaces_commas_and_quotes_come_back_from_a_file(tmp_path):
    table = CountTable({"blood pressure": ("low", "high"), 'a, "b"': ("0", "1")}, np.array([[1, 2], [3, 4]]))
    (tmp_path / "table.csv").write_text(table.text())
    read = CountTable.read(tmp_path / "table.csv")
    assert read.states == table.states
    assert read.counts.tolist() == [[1, 2], [3, 4]]
    assert repr(read) == """CountTable(blood pressure (2 states), a, "b" (2 states); 10 records)"""
