"""A job's log says when it ran, what it took, and why it failed."""

import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from experiments import joblog
from experiments.joblog import logged, taken

SRC = Path(__file__).parents[3] / "src"
ENDED = re.compile(r"ended after (\d+\.\d\d) s; (\d+\.\d\d) s of CPU, (\d+) MB\n")


def test_what_is_printed_and_what_it_took_stand_in_the_log(tmp_path):
    """A process of its own: 100 MB are touched, a quarter of a second computed and a quarter slept."""
    path = tmp_path / "job.log"
    code = (
        "import time\n"
        "from experiments.joblog import logged\n"
        f"with logged({str(path)!r}):\n"
        "    held = b'x' * 100_000_000\n"
        "    while time.process_time() < 0.25: pass\n"
        "    time.sleep(0.25)\n"
        "    print('something')\n"
    )
    held = np.ones(50_000_000)  # 400 MB of the process that starts it do not count
    before = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": str(SRC)})
    most = time.perf_counter() - before
    del held
    started, said, ended = path.read_text().splitlines(keepends=True)
    assert time.strptime(started.split()[1], "%Y-%m-%dT%H:%M:%S%z")
    assert said == "something\n"
    seconds, cpu, peak = map(float, ENDED.fullmatch(ended).groups())
    assert 0.25 <= seconds < most
    assert 0.25 <= cpu < 2
    assert 100 < peak < 200


def test_a_failure_stands_there_whole_and_is_raised_again(tmp_path):
    with pytest.raises(ValueError, match="no such seed"), logged(tmp_path / "job.log"):
        raise ValueError("no such seed")
    text = (tmp_path / "job.log").read_text()
    assert "Traceback" in text
    assert "ValueError: no such seed" in text
    assert ENDED.search(text)


@pytest.mark.parametrize(("platform", "unit"), [("linux", 10**3), ("darwin", 10**6)])
def test_the_peak_stands_in_megabytes_on_every_system(tmp_path, monkeypatch, platform, unit):
    """Linux tells it in KiB for this process alone; elsewhere the operating system's own units are told apart."""
    status = tmp_path / "status"
    status.write_text("VmPeak:\t9 kB\nVmHWM:\t3000000000 kB\nVmRSS:\t8 kB\n")
    monkeypatch.setattr(joblog, "_STATUS", status)
    with logged(tmp_path / "here.log"):
        pass
    assert taken(tmp_path / "here.log").peak_mb == 3_072_000
    status.unlink()
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(joblog.resource, "getrusage", lambda who: SimpleNamespace(ru_maxrss=3_000_000 * unit))
    with logged(tmp_path / "there.log"):
        pass
    assert taken(tmp_path / "there.log").peak_mb == 3_000_000
