"""The shipped tables are made from the raw files; the command that makes them."""

import subprocess
import sys
from pathlib import Path

import pytest

from causal_bandits.datasets import CountTable
from replication.datasets import DATASETS, read_counts
from replication.datasets.__main__ import PROVENANCE, describe, main, make

SHIPPED = Path(__file__).parents[3] / "src/causal_bandits/datasets/counts"


def test_the_shipped_tables_come_from_the_raw_files(raw_data, tmp_path):
    make(raw_data, tmp_path)
    names = sorted([*(f"{name}.csv" for name in DATASETS), PROVENANCE])
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for name in names:
        assert (tmp_path / name).read_bytes() == (SHIPPED / name).read_bytes(), name


def test_the_shipped_provenance_describes_the_shipped_tables():
    assert (SHIPPED / PROVENANCE).read_text() == describe({name: read_counts(name) for name in DATASETS})


def test_the_command_makes_tables_that_can_be_read(small_raw, tmp_path):
    output = tmp_path / "tables"
    command = [sys.executable, "-m", "replication.datasets", "make", "--raw", small_raw, "--output", output]
    done = subprocess.run([*command, "--no-verify", "--rule", "mean_ge"], capture_output=True, text=True, check=True)
    assert "adult.csv: 4 records" in done.stdout
    table = CountTable.read(output / "youtube.csv")
    assert table.total == 8
    assert table.provenance["rule"] == "mean_ge"
    assert table.states["age"][-1] == "missing"
    assert table.provenance["data"].startswith("not the original files")
    assert "an id met before" not in (output / PROVENANCE).read_text()
    assert "`mean_ge`" in (output / PROVENANCE).read_text()


def test_the_command_says_what_is_wrong_and_writes_nothing(small_raw, tmp_path, capsys):
    output = tmp_path / "tables"

    def status(*more):
        with pytest.raises(SystemExit) as stop:
            main(["make", "--raw", str(small_raw), "--output", str(output), *more])
        return stop.value.code, capsys.readouterr().err

    code, text = status()
    assert code == 1
    assert "make: " in text
    assert "adult.data: 4 rows, expected 32561" in text
    (small_raw / "youtube/0303/1.txt").unlink()
    code, text = status("--no-verify")
    assert code == 1
    assert "1.txt: no such file" in text
    code, text = status("--rule", "mode")
    assert code == 2
    assert "--rule" in text
    assert not output.exists()
