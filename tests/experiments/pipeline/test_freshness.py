"""Times that would mislead Snakemake are set right."""

import os
import time

import pytest

from experiments.freshness import MARK, begin, outdated


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_outdated_output_is_older_than_the_mark_and_the_mark_than_all_others(folder):
    (folder / "old").touch()
    (folder / "good").touch()
    begin([])
    outdated([folder / "old", folder / "gone"])
    assert (folder / "old").stat().st_mtime < MARK.stat().st_mtime < (folder / "good").stat().st_mtime


def test_the_mark_has_another_content_at_every_start(folder):
    """By the same content Snakemake would take it for unchanged."""
    begin([])
    before = MARK.read_bytes()
    begin([])
    assert MARK.read_bytes() != before


def test_times_of_the_future_are_set_to_now_and_others_stay(folder):
    paths = [folder / "results/a/b.parquet", folder / "results/past"]
    paths[0].parent.mkdir(parents=True)
    for path, when in zip(paths, (time.time() + 1e6, 1e9), strict=True):
        path.touch()
        os.utime(path, (when, when))
    begin([folder / "results", folder / "none"])
    assert paths[0].stat().st_mtime <= time.time()
    assert paths[1].stat().st_mtime == 1e9
