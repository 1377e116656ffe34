"""UCI Adult: layout, missing values, and every way in which a file can be wrong."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from raw_samples import person

from causal_bandits.datasets import DataError
from replication.datasets import count_adult, load_adult
from replication.datasets.adult import COLUMNS, NUMBERS, ORIGINALS


def load(path, **options):
    return load_adult(path, **{"verify": False} | options)


def test_values_missing_values_and_lines_that_are_no_records(adult_file):
    path = adult_file("|1x3 Cross validator", person(age=20), person(workclass="?", income=">50K."), "", person(), "")
    frame, report = load(path)
    assert list(frame.columns) == list(COLUMNS)
    assert list(frame["age"]) == [20, 39, 39]
    assert frame["age"].dtype == np.int64
    assert list(frame["income"]) == ["<=50K", ">50K", "<=50K"]
    assert frame["workclass"].isna().tolist() == [False, True, False]
    assert (report.lines, report.rows, report.blank, report.comments) == (6, 3, 2, 1)
    assert report.missing["workclass"].places == ["adult.data:3"]
    assert not report.left_out
    assert "missing: 1 x workclass (adult.data:3)" in str(report)


def test_a_missing_number_is_nan(adult_file):
    frame, _ = load(adult_file(person(age="?"), person(age=30)))
    assert np.isnan(frame["age"][0])
    assert frame["age"][1] == 30


def test_windows_line_ends_change_neither_values_nor_hash(adult_file):
    lines = [person(age=20), person(age=30), ""]
    unix, one = load(adult_file(*lines))
    windows, other = load(adult_file(*lines, end="\r\n"))
    pd.testing.assert_frame_equal(unix, windows)
    assert one == other


@pytest.mark.parametrize(
    ("line", "message", "reason"),
    [
        ("39, Private, 77516", "3 columns, expected 15", "not 15 columns"),
        (person() + ", more", "16 columns, expected 15", "not 15 columns"),
        (person(age="old"), "age is 'old', expected a whole number", "age is no number"),
        (person(age=-3), "age is '-3', expected a whole number", "age is no number"),
        (person(age=""), "age is '', expected a whole number", "age is no number"),
        (person(race=""), "race is empty", "race is empty"),
        (person(sex="M"), "sex is 'M', expected Female or Male", "sex is no known value"),
        (person(income="50K"), "income is '50K', expected <=50K or >50K", "income is no known value"),
    ],
)
def test_a_bad_line_is_named_or_counted(adult_file, line, message, reason):
    path = adult_file(person(), line, person())
    with pytest.raises(DataError, match=r"adult\.data, line 2: ") as error:
        load(path)
    assert message in str(error.value)
    frame, report = load(path, on_bad="count")
    assert len(frame) == report.rows == 2
    assert {name: (tally.count, tally.places) for name, tally in report.left_out.items()} == {
        reason: (1, ["adult.data:2"])
    }


def test_only_the_first_few_places_are_remembered(adult_file):
    _, report = load(adult_file(*["x"] * 9), on_bad="count")
    assert report.left_out["not 15 columns"].count == 9
    assert report.left_out["not 15 columns"].places == [f"adult.data:{i}" for i in range(1, 6)]
    assert "9 x not 15 columns (adult.data:1, adult.data:2, adult.data:3, adult.data:4, adult.data:5, ...)" in str(
        report
    )


@pytest.mark.parametrize("keep", range(1, len(person())))
def test_a_file_cut_inside_its_last_line_is_an_error_wherever_it_is_cut(adult_file, keep):
    path = adult_file(person(), person()[:keep], last_end=False)
    with pytest.raises(DataError, match=r"adult\.data, line 2: .*cut off"):
        load(path)


def test_a_file_that_lacks_only_the_last_line_end_is_read(adult_file):
    frame, _ = load(adult_file(person(), person(), last_end=False))
    assert len(frame) == 2


@pytest.mark.parametrize(("part", "rows"), [("data", 32561), ("test", 16281)])
def test_a_file_with_fewer_rows_than_the_original_is_an_error(adult_file, part, rows):
    with pytest.raises(DataError, match=rf"adult\.data: 2 rows, expected {rows} .*line 2: cut off"):
        load_adult(adult_file(person(), person()), part)


def test_a_wrong_hash_is_an_error_that_can_be_switched_off(adult_file, monkeypatch):
    path = adult_file(person(), person(age=50))
    right = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setitem(ORIGINALS, "data", (right, 2))
    assert len(load_adult(path)[0]) == 2
    adult_file(person(), person(age=51))
    with pytest.raises(DataError, match=f"adult.data: SHA-256 [0-9a-f]{{64}}, expected {right}.*verify=False"):
        load_adult(path)
    assert len(load(path)[0]) == 2


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"adult\.data: no such file"):
        load(tmp_path / "adult.data")


def test_an_empty_file_has_no_rows(adult_file):
    frame, report = load(adult_file(last_end=False))
    assert (len(frame), report.lines, report.rows) == (0, 0, 0)
    assert list(frame.columns) == list(COLUMNS)


def test_counts_are_those_of_pandas(adult_file):
    rng = np.random.default_rng(5)
    lines = [
        person(
            age=rng.integers(17, 60),
            sex=rng.choice(["Male", "Female"]),
            race=rng.choice(["White", "Black", "Other"]),
            income=rng.choice(["<=50K", ">50K"]),
        )
        for _ in range(300)
    ]
    path = adult_file(*lines)
    table = count_adult(path, verify=False)
    frame = pd.read_csv(path, header=None, names=COLUMNS, skipinitialspace=True)
    coded = pd.DataFrame(
        {
            "age": (frame["age"] >= frame["age"].median()).astype(int),
            "sex": (frame["sex"] == "Male").astype(int),
            "race": (frame["race"] == "White").astype(int),
            "income": (frame["income"] == ">50K").astype(int),
        }
    )
    expected = coded.value_counts()
    assert table.total == 300
    for cell, n in zip(table.cells, table.counts.ravel(), strict=True):
        assert n == expected.get(tuple(cell), 0)
    assert table.provenance["data"].startswith("not the original files")


@pytest.mark.parametrize(("part", "rows", "men"), [("data", 32561, 21790), ("test", 16281, 10860)])
def test_the_real_files_agree_with_pandas(raw_data, part, rows, men):
    path = raw_data / f"adult/adult.{part}"
    frame, report = load_adult(path, part)
    assert (len(frame), report.rows, report.blank) == (rows, rows, 1)
    assert report.comments == (part == "test")
    expected = pd.read_csv(
        path, header=None, names=COLUMNS, skipinitialspace=True, na_values="?", skiprows=int(part == "test")
    )
    expected["income"] = expected["income"].str.rstrip(".")
    for name in COLUMNS:
        if name in NUMBERS:
            np.testing.assert_array_equal(frame[name], expected[name])
        else:
            assert (frame[name].fillna("?") == expected[name].fillna("?")).all(), name
    assert (frame["sex"] == "Male").sum() == men


def test_the_real_file_cut_anywhere_is_refused(raw_data, tmp_path):
    content = (raw_data / "adult/adult.data").read_bytes()
    path = tmp_path / "adult.data"
    path.write_bytes(content.replace(b"\n", b"\r\n"))
    assert len(load_adult(path)[0]) == 32561
    for size in (*range(len(content) - 140, len(content), 23), len(content) // 2):
        path.write_bytes(content[:size])
        with pytest.raises(DataError, match=r"adult\.data"):
            load_adult(path)
