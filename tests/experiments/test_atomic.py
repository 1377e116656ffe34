"""A file is whole or not there, whatever ends its writer."""

import os
import signal
import subprocess
import sys

import pytest

from experiments.files import whole

KILLED = """
import os, signal, sys
from experiments.files import whole
with whole(sys.argv[1]) as temporary:
    temporary.write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def write_half(path):
    path.write_text("half")
    raise RuntimeError


def test_what_fails_leaves_what_was_there(tmp_path):
    output = tmp_path / "a.csv"
    output.write_text("before")
    with pytest.raises(RuntimeError), whole(output) as temporary:
        write_half(temporary)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert output.read_text() == "before"


def test_what_another_process_writes_stays(tmp_path):
    process = subprocess.Popen(["sleep", "60"])
    try:
        other = tmp_path / f".{process.pid}.a.csv"
        other.write_text("half")
        with whole(tmp_path / "a.csv") as temporary:
            temporary.write_text("all")
        assert other.exists()
    finally:
        process.kill()
    assert process.wait() == -signal.SIGKILL  # nothing else has ended it


def test_what_another_user_s_process_writes_stays(tmp_path, monkeypatch):
    """Of a process that is not ours the system says only that it is there."""

    def refused(process, number):
        raise PermissionError

    monkeypatch.setattr(os, "kill", refused)
    (tmp_path / ".1.a.csv").write_text("half")
    with whole(tmp_path / "a.csv") as temporary:
        temporary.write_text("all")
    assert (tmp_path / ".1.a.csv").exists()


def test_what_another_process_clears_away_first_is_no_error(tmp_path, monkeypatch):
    left = tmp_path / ".1.a.csv"
    left.write_text("half")

    def gone(process, number):
        left.unlink()
        raise ProcessLookupError

    monkeypatch.setattr(os, "kill", gone)
    with whole(tmp_path / "a.csv") as temporary:
        temporary.write_text("all")
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]


def test_what_a_killed_process_left_goes_when_its_output_is_written(tmp_path):
    for name in ("a.csv", "b.a.csv"):
        assert subprocess.run([sys.executable, "-c", KILLED, tmp_path / name], check=False).returncode < 0
    assert len(list(tmp_path.iterdir())) == 2
    with whole(tmp_path / "a.csv") as temporary:
        temporary.write_text("all")
    assert (tmp_path / "a.csv").read_text() == "all"
    left = sorted(path.name for path in tmp_path.iterdir())
    assert [name.removeprefix(left[0][:-8]) for name in left] == [".b.a.csv", "a.csv"]  # the other output's stays
