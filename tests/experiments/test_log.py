"""What a job prints, and its traceback, are in its log."""

import gc

import pytest

from experiments.files import logged


def fails():
    print("said")
    raise ValueError("why")


def test_output_and_traceback_are_written_once_and_the_job_ends(tmp_path, capsys):
    with pytest.raises(SystemExit, match="1"), logged(tmp_path / "log"):
        fails()
    text = (tmp_path / "log").read_text()
    assert text.startswith("said\nTraceback")
    assert text.endswith("ValueError: why\n")
    assert capsys.readouterr().out == ""


def test_at_the_end_nothing_is_searched_for_garbage(tmp_path):
    gc.unfreeze()  # what the suite froze
    with logged(tmp_path / "log"):
        print("said")
    assert gc.get_freeze_count() > 10_000  # as the suite had it
    assert (tmp_path / "log").read_text() == "said\n"
