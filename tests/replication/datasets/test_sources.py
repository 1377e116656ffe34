"""Where counts come from: the shipped tables, raw files, downloads; and what the shipped tables count."""

import dataclasses
import hashlib
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from causal_bandits.datasets import DataError
from replication.datasets import DATASETS, DownloadError, download, read_counts, sources
from replication.datasets.adult import ORIGINALS

SHIPPED = Path(__file__).parents[3] / "src/causal_bandits/datasets/counts"


@pytest.mark.parametrize("name", sorted(DATASETS))
def test_table_and_file_agree(raw_data, name):
    for rule in ("median_ge", "mean_gt"):
        counted = read_counts(name, "file", raw_data / DATASETS[name].raw, rule=rule)
        if rule == "median_ge":
            assert counted.text() == read_counts(name).text()
        assert counted.provenance["rule"] == rule
        assert counted.total == read_counts(name).total
        assert counted.variables == DATASETS[name].variables


def test_what_the_shipped_adult_table_counts():
    """huang2022, E.2: "31,561 instances: 21,790 males and 10,771 females"; the sum says 32,561."""
    table = read_counts("adult")
    assert table.total == 32_561
    np.testing.assert_array_equal(table.marginal(["sex"]).counts, [10_771, 21_790])
    assert table.states["sex"] == ("Female", "Male")
    assert table.provenance["thresholds"] == {"age": 37}
    assert all(len(labels) == 2 for labels in table.states.values())


def test_what_the_shipped_youtube_table_counts():
    table = read_counts("youtube")
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


def test_wrong_names_and_missing_arguments_are_named(tmp_path):
    for arguments, message in (
        (("census",), "data set 'census' is not one of adult, youtube"),
        (("adult", "web"), "source 'web' is not one of table, file, download"),
        (("adult", "file"), "adult: source file needs a path"),
        (("adult", "download"), "adult: source download needs a cache folder"),
    ):
        with pytest.raises(ValueError, match=message):
            read_counts(*arguments)
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv: no such file"):
        read_counts("adult", path=tmp_path / "nowhere.csv")


def test_a_table_serves_its_own_rule_and_data_set_only():
    with pytest.raises(DataError, match=r"adult\.csv: made by the rule 'median_ge', expected 'mean_ge'"):
        read_counts("adult", rule="mean_ge")
    with pytest.raises(DataError, match=r"adult\.csv: not a table of youtube; it lacks length, views"):
        read_counts("youtube", path=SHIPPED / "adult.csv")


def test_an_unknown_rule_is_named(small_raw):
    with pytest.raises(ValueError, match="rule 'mode' is not one of"):
        read_counts("adult", "file", small_raw / "adult/adult.data", rule="mode", verify=False)


def test_youtube_has_no_download():
    with pytest.raises(DownloadError, match=r"youtube: no download.*source: table.*source: file"):
        read_counts("youtube", "download", cache="anywhere")


def test_a_download_is_checked_counted_and_kept(small_raw, tmp_path, monkeypatch, server):
    raw = small_raw / "adult/adult.data"
    server.content = raw.read_bytes()
    sha256 = hashlib.sha256(server.content).hexdigest()
    assert DATASETS["adult"].url.startswith("https://archive.ics.uci.edu/")
    monkeypatch.setitem(DATASETS, "adult", dataclasses.replace(DATASETS["adult"], url=server.url, sha256=sha256))
    monkeypatch.setitem(ORIGINALS, "data", (sha256, 4))
    with pytest.raises(ValueError, match="begins with https"):
        read_counts("adult", "download", cache=tmp_path / "cache")
    monkeypatch.setattr(sources, "download", partial(download, schemes=("http",)))
    for _ in range(2):
        table = read_counts("adult", "download", cache=tmp_path / "cache")
        assert table.text() == read_counts("adult", "file", raw).text()
    assert (tmp_path / "cache/adult.data").read_bytes() == server.content
    assert len(server.asked) == 1


def test_a_download_of_another_content_is_refused(small_raw, monkeypatch, tmp_path):
    monkeypatch.setattr(sources, "download", lambda *_: small_raw / "adult/adult.data")
    with pytest.raises(DataError, match="4 rows, expected 32561"):
        read_counts("adult", "download", cache=tmp_path)
