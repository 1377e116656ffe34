"""YouTube crawls: layout, what belongs to every crawl, and every way in which a file can be wrong."""

import hashlib

import numpy as np
import pandas as pd
import pytest
from raw_samples import video

from causal_bandits.datasets import DataError
from replication.datasets import count_youtube, load_youtube
from replication.datasets.youtube import ORIGINALS, VARIABLES


def load(folder, **options):
    return load_youtube(folder, **{"verify": False} | options)


def places(tallies):
    return {name: (tally.count, tally.places) for name, tally in tallies.items()}


def test_what_belongs_to_every_crawl_is_reported_and_not_lost(crawl):
    folder = crawl(
        [video("a", related=20), "b", video("c", age=" 0 ", category=" UNA ", related=0)],
        [video("d", comments=-1), video("a", views=999), "", video("e", category=" Music ")],
    )
    frame, report = load(folder)
    assert list(frame["id"]) == ["a", "c", "d", "e"]
    assert list(frame["depth"]) == [0, 0, 1, 1]
    assert list(frame["category"]) == ["Music", "UNA", "Music", "Music"]
    np.testing.assert_array_equal(frame["age"], [700, np.nan, 700, 700])
    np.testing.assert_array_equal(frame["comments"], [3, 3, np.nan, 3])
    assert list(frame["views"]) == [50] * 4
    assert places(report.left_out) == {"an id alone": (1, ["0.txt:2"]), "an id met before": (1, ["1.txt:2"])}
    assert places(report.missing) == {"age": (1, ["0.txt:3"]), "comments": (1, ["1.txt:1"])}
    assert (report.lines, report.rows, report.blank) == (7, 4, 1)


def test_windows_line_ends_change_neither_values_nor_hash(crawl):
    depths = [[video("a"), "b"], [video("c", related=0)]]
    unix, one = load(crawl(*depths))
    windows, other = load(crawl(*depths, end="\r\n"))
    pd.testing.assert_frame_equal(unix, windows)
    assert one == other


@pytest.mark.parametrize(
    ("line", "message", "reason"),
    [
        ("x\tsomeone\t700", "3 columns, expected at least 9", "fewer than 9 columns"),
        (video("x", length="long"), "length is 'long', expected a whole number", "length is no number"),
        (video("x", views="1.5"), "views is '1.5', expected a whole number", "views is no number"),
        (video("x", age=""), "age is '', expected a whole number", "age is no number"),
        (video("x", rate="nan"), "rate is 'nan', expected 0 to 5", "rate is no rate"),
        (video("x", rate=5.01), "rate is '5.01', expected 0 to 5", "rate is no rate"),
    ],
)
def test_a_bad_line_is_named_or_counted(crawl, line, message, reason):
    folder = crawl([video("a"), line], [video("b")])
    with pytest.raises(DataError, match=r"0\.txt, line 2: ") as error:
        load(folder)
    assert message in str(error.value)
    frame, report = load(folder, on_bad="count")
    assert list(frame["id"]) == ["a", "b"]
    assert places(report.left_out) == {reason: (1, ["0.txt:2"])}


@pytest.mark.parametrize("keep", range(1, len(video("b", related=0)) + 1))
def test_a_file_cut_inside_the_nine_columns_is_an_error_wherever_it_is_cut(crawl, keep):
    folder = crawl([video("a"), video("b", related=0)[:keep]], last_end=False)
    with pytest.raises(DataError, match=r"0\.txt, line 2: .*cut off"):
        load(folder, depths=[0])


def test_a_missing_depth_is_named(crawl):
    with pytest.raises(FileNotFoundError, match=r"1\.txt: no such file"):
        load(crawl([video("a")]))


def test_hashes_are_checked_unless_switched_off(crawl, monkeypatch):
    folder = crawl([video("a")], [video("b")], [video("c")])
    with pytest.raises(DataError, match=r"0\.txt: SHA-256 [0-9a-f]{64}, expected a6415bc9.*verify=False"):
        load_youtube(folder)
    for name in ("0.txt", "1.txt"):
        monkeypatch.setitem(ORIGINALS, name, hashlib.sha256((folder / name).read_bytes()).hexdigest())
    assert len(load_youtube(folder)[0]) == 2
    with pytest.raises(DataError, match=r"2\.txt: a hash is known for 0\.txt, 1\.txt"):
        load_youtube(folder, depths=[0, 1, 2])
    assert len(load(folder, depths=[0, 1, 2])[0]) == 3


def test_counts_are_those_of_pandas_and_hold_every_record(crawl):
    rng = np.random.default_rng(6)
    lines = [
        video(
            f"v{i}",
            age=rng.integers(1, 700),
            category=rng.choice(["Music", " UNA "]),
            length=rng.integers(1, 500),
            views=rng.integers(0, 9),
            rate=rng.integers(0, 501) / 100,
            ratings=rng.integers(0, 30),
            comments=rng.integers(-3, 30),
        )
        for i in range(200)
    ]
    folder = crawl(lines[:80], lines[80:])
    table = count_youtube(folder, verify=False)
    frame, _ = load(folder)
    coded = {}
    for name in VARIABLES:
        values = frame[name]
        assert values.isna().any() == (name in ("age", "comments"))
        coded[name] = (values >= values.median()).astype(int).where(values.notna(), 2)
    expected = pd.DataFrame(coded).astype(int).value_counts()
    assert table.total == 200
    for cell, n in zip(table.cells, table.counts.ravel(), strict=True):
        assert n == expected.get(tuple(cell), 0)
    complete = frame.dropna()
    assert table.known(("age", "comments")).total == len(complete)


def test_the_real_crawl(raw_data):
    frame, report = load_youtube(raw_data / "youtube/0303")
    assert report.rows == len(frame) == 1604
    assert report.lines == 1607
    assert places(report.left_out) == {"an id alone": (3, ["1.txt:37", "1.txt:74", "1.txt:535"])}
    assert {name: tally.count for name, tally in report.missing.items()} == {"age": 30, "comments": 2}
    unavailable = frame["category"] == "UNA"
    assert (frame["age"].isna() == unavailable).all()
    assert frame.loc[~unavailable, "age"].between(1, 746).all()  # days from 15 February 2005 to 3 March 2007
