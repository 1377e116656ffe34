"""The shipped counts of Adult and YouTube are made from the raw files, and from no others."""

import hashlib
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from raw_samples import person, video

from causal_bandits.datasets import CountTable, DataError, load_counts
from replication import datasets
from replication.datasets import ADULT, ADULT_COLUMNS, COUNTS, FEATURES, YOUTUBE, main, make

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "src/causal_bandits/datasets/counts"


@pytest.fixture(scope="module")
def raw_data():
    """The folder of the real raw files; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("CAUSAL_BANDITS_RAW_DATA") or ROOT.parent / "shared/data")
    for file in (*ADULT.files, *YOUTUBE.files):
        if not (folder / file).is_file():
            pytest.skip(f"no raw file {file}; CAUSAL_BANDITS_RAW_DATA names the folder that has it")
    return folder


@pytest.fixture
def raw(tmp_path, monkeypatch):
    """A function that writes people and the videos of two depths as raw files, and takes them for the originals."""

    def write(people, *depths, end="\n"):
        for name, source, files in (("ADULT", ADULT, [people]), ("YOUTUBE", YOUTUBE, depths)):
            hashes = {}
            for place, lines in zip(source.files, files, strict=True):
                (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / place).write_bytes((end.join(lines) + end).encode())
                hashes[place] = hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()
            monkeypatch.setattr(datasets, name, source._replace(files=hashes))
        return tmp_path

    return write


def test_the_shipped_tables_come_from_the_raw_files(raw_data, tmp_path):
    make(raw_data, tmp_path)
    names = sorted(f"{name}.csv" for name in COUNTS)
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name in names:
        assert (tmp_path / name).read_bytes() == (SHIPPED / name).read_bytes(), name


def test_what_the_shipped_adult_table_counts():
    """huang2022, E.2: "31,561 instances: 21,790 males and 10,771 females"; the sum says 32,561."""
    table = load_counts("adult")
    assert table.total == 32_561
    np.testing.assert_array_equal(table.marginal(["sex"]).counts, [10_771, 21_790])
    assert table.states["sex"] == ("Female", "Male")
    assert table.provenance["thresholds"] == {"age": 37}
    assert all(len(labels) == 2 for labels in table.states.values())


def test_what_the_shipped_youtube_table_counts():
    table = load_counts("youtube")
    assert table.total == 1604
    assert set(table.provenance["thresholds"]) == set(table.variables)
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


def test_other_files_are_refused_and_nothing_is_written(raw, tmp_path, capsys):
    folder, output = raw([person()], [video("a")], [video("b")]), tmp_path / "tables"
    (folder / "youtube/0303/1.txt").write_text(video("c") + "\n")
    with pytest.raises(SystemExit) as stop:
        main([str(folder), str(output)])
    assert stop.value.code == 1
    assert "1.txt: SHA-256" in capsys.readouterr().err
    (folder / "youtube/0303/1.txt").unlink()
    with pytest.raises(SystemExit):
        main([str(folder), str(output)])
    assert "1.txt" in capsys.readouterr().err
    assert not output.exists()
    with pytest.raises(DataError, match=r"adult\.data: SHA-256 [0-9a-f]{64}, expected 5b002646"):
        datasets.read_lines(folder, ADULT)


def test_adult_counts_are_those_of_pandas(raw):
    rng = np.random.default_rng(5)
    lines = [
        person(
            age=rng.integers(17, 60),
            sex=rng.choice(["Male", "Female"]),
            race=rng.choice(["White", "Black", "Other"]),
            income=rng.choice(["<=50K", ">50K"]),
            workclass=rng.choice(["Private", "?"]),
        )
        for _ in range(300)
    ]
    folder = raw([*lines, ""], [video("a")], [video("b")], end="\r\n")
    table = datasets.count_adult(folder)
    frame = pd.read_csv(folder / "adult/adult.data", header=None, names=ADULT_COLUMNS, skipinitialspace=True)
    coded = pd.DataFrame(
        {
            "age": (frame["age"] >= frame["age"].median()).astype(int),
            "sex": (frame["sex"] == "Male").astype(int),
            "race": (frame["race"] == "White").astype(int),
            "income": (frame["income"] == ">50K").astype(int),
        }
    )
    _has_the_cells_of(table, coded)
    report = table.provenance["report"]
    assert (report["lines"], report["rows"], report["blank"]) == (301, 300, 1)
    missing = [f"adult.data:{i}" for i, line in enumerate(lines, start=1) if "?" in line]
    assert report["missing"] == {"workclass": {"count": len(missing), "first": missing[:5]}}


def test_youtube_counts_are_those_of_pandas_and_hold_every_record(raw):
    rng = np.random.default_rng(6)
    records = [
        {
            "age": rng.integers(1, 700),
            "category": rng.choice(["Music", " UNA "]),
            "length": rng.integers(1, 500),
            "views": rng.integers(0, 9),
            "rate": rng.integers(0, 501) / 100,
            "ratings": rng.integers(0, 30),
            "comments": rng.integers(-3, 30),
        }
        for _ in range(200)
    ]
    lines = [video(f"v{i}", **record) for i, record in enumerate(records)]
    table = datasets.count_youtube(raw([person()], [*lines[:80], "gone"], lines[80:]))
    frame = pd.DataFrame(records)
    frame["age"] = frame["age"].where(frame["category"] == "Music")
    frame["comments"] = frame["comments"].where(frame["comments"] >= 0)
    coded = {v: (frame[v] >= frame[v].median()).astype(int).where(frame[v].notna(), 2) for v in FEATURES}
    _has_the_cells_of(table, pd.DataFrame(coded))
    assert table.known(("age", "comments")).total == len(frame.dropna())
    assert table.provenance["report"]["left_out"] == {"an id alone": {"count": 1, "first": ["0.txt:81"]}}


def _has_the_cells_of(table, coded):
    expected = coded.value_counts()
    assert table.total == len(coded)
    for cell, n in zip(table.cells, table.counts.ravel(), strict=True):
        assert n == expected.get(tuple(cell), 0)


def test_the_command_makes_tables_that_can_be_read(raw, tmp_path, capsys):
    folder = raw([person(age=20), person(age=40, sex="Female")], [video("a", comments=-1)], [video("b", views=9)])
    assert main([str(folder), str(tmp_path / "tables")]) == 0
    assert "adult.csv: 2 records" in capsys.readouterr().out
    table = CountTable.read(tmp_path / "tables/youtube.csv")
    assert table.total == 2
    assert table.states["comments"][-1] == "missing"
