"""Jobs in forked processes: the same outcome as in one's own, and an end when anybody concerned has gone."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from experiments.fork_server import ADDRESS, run
from experiments.joblog import taken

ROOT = Path(__file__).parents[3]

#: Modules of papers that jobs name.
IMPORTED = ("problems", "discovery", "tables", "figures", "claims")

#: What jobs call.
MODULE = """
import os, signal, sys, time
from pathlib import Path

def write(path, text):
    print("writing")
    Path(path).write_text(f"{text} {os.getpid()} {os.getppid()}")

IMPORTED_BY = os.getpid()

def loaded(path, algorithm):
    there = algorithm["path"].partition(":")[0] in sys.modules
    Path(path).write_text(f"{there} {os.getpid()} {os.getppid()} {IMPORTED_BY}")

def fail():
    raise ValueError("no good")

def vanish():
    os.kill(os.getpid(), signal.SIGKILL)

def wait(path):
    Path(path).write_text(str(os.getpid()))
    time.sleep(60)
"""

#: Starts the process that jobs fork from, runs each argument as a script of a job, all at once, and prints the codes.
STARTER = """
import subprocess, sys
from experiments.fork_server import start_server
server = start_server()
imported = "from experiments.fork_server import run"
jobs = [subprocess.Popen([sys.executable, "-c", f"{imported}; {job}"]) for job in sys.argv[1:]]
print(server.pid, *(job.pid for job in jobs), flush=True)
print(*(job.wait() for job in jobs), flush=True)
"""


@pytest.fixture
def start(tmp_path, monkeypatch):
    (tmp_path / "called.py").write_text(MODULE)
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'src'}:{tmp_path}")
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")  # as the workflow sets it
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(ADDRESS, raising=False)
    begun = []

    def started(*jobs):
        process = subprocess.Popen(
            [sys.executable, "-c", STARTER, *jobs], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        pids = [int(pid) for pid in process.stdout.readline().split()]
        begun.append((process, pids))
        return process, pids

    yield started
    for process, pids in begun:
        process.kill()
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.communicate()


def gone(pid, within=10.0):
    end = time.monotonic() + within
    while time.monotonic() < end:
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.02)
                continue
        return True
    return False


def appeared(path, within=60.0):
    end = time.monotonic() + within
    while not (path.exists() and path.read_text()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return path.read_text()


def test_jobs_are_forks_of_one_process_and_log_what_they_took(start, tmp_path):
    calls = [f"run('called:write', 'log{i}', path='out{i}', text='{i}')" for i in range(12)]
    process, (server, *_) = start(*calls)
    out, err = process.communicate(timeout=60)
    assert out.split() == ["0"] * 12, err
    pids = set()
    for i in range(12):
        text, pid, parent = (tmp_path / f"out{i}").read_text().split()
        assert (text, int(parent)) == (str(i), server)
        pids.add(pid)
        assert (tmp_path / f"log{i}").read_text().splitlines()[1] == "writing"
        assert taken(tmp_path / f"log{i}").cpu < 0.1  # nothing was imported
    assert len(pids) == 12
    assert gone(server)


def test_what_jobs_name_is_there_before_they_fork(start, tmp_path):
    named = {"path": "causal_bandits.seeding:stable_hash"}
    process, (server, _) = start(f"run('called:loaded', 'log', path='out', algorithm={named})")
    process.communicate(timeout=60)
    there, _, _, imported_by = (tmp_path / "out").read_text().split()
    assert (there, int(imported_by)) == ("True", server)


def test_after_an_edit_a_run_goes_on_with_the_code_that_it_began_with_or_ends(start, tmp_path, monkeypatch):
    """What the process holds would meet what is imported after the edit, and be recorded as the code before."""
    library, pipeline = "causal_bandits", "replication/pipeline"
    for name in ("__init__", "compiled", "lazy", "seeding", "provenance", "source_files"):
        (tmp_path / "src" / library).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / f"src/{library}/{name}.py", tmp_path / "src" / library)
    for name in ("../__init__", "__init__", "fork_server", "joblog", "time_limit"):
        (tmp_path / "src" / pipeline).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / f"src/{pipeline}/{name}.py", tmp_path / "src" / pipeline / f"{name}.py")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'src'}:{tmp_path}")
    calls = [
        f"run('called:loaded', 'log{i}', path='out{i}', algorithm={{'path': 'causal_bandits.{module}:X'}})"
        for i, module in enumerate(("seeding", "seeding", "compiled", "compiled"))
    ]
    edit = f"open('{tmp_path / 'src' / library / 'seeding.py'}', 'a').write('# edited\\n')"
    again = f"try:\n    {calls[2]}\nexcept SystemExit as end:\n    print(end)\n{calls[3]}"
    process, (server, _) = start(f"{calls[0]}; {edit}; {calls[1]}\n{again}")
    out, err = process.communicate(timeout=60)
    assert out.splitlines()[-1] == "1"
    assert "log2 tells why this job failed" in out
    assert "log3 tells why this job failed" in err
    for i in (0, 1):  # what is held
        held, _, parent, _ = (tmp_path / f"out{i}").read_text().split()
        assert (held, int(parent)) == ("True", server)
    for i in (2, 3):  # at the first time and at the second: nothing of it has been imported
        assert (
            f"edited since this run began: {tmp_path / 'src' / library / 'seeding.py'}; run again"
            in (tmp_path / f"log{i}").read_text()
        )
        assert not (tmp_path / f"out{i}").exists()


def test_what_forks_has_one_thread(start, tmp_path):
    """Though it has imported numpy, pyarrow, numba, matplotlib and what papers import."""
    items = [f"replication.papers.{paper}.{kind}:X" for paper in ("huang2022", "lu2021") for kind in IMPORTED]
    modules = ["experiments.simulate", "experiments.stages", "replication.judging.verdicts"]
    named = {"path": "", "modules": [f"{module}:X" for module in modules], "items": items}
    call = f"run('called:loaded', 'log', path='out', algorithm={named})"
    _, (server, *_) = start(f"{call}; run('called:wait', 'other', path='pid')")
    appeared(tmp_path / "pid")
    assert psutil.Process(server).num_threads() == 1


def test_who_hangs_up_ends_nothing_and_the_last_leaves_no_socket(start, tmp_path):
    hang_up = f"import os, socket; address = os.environ[{ADDRESS!r}]; socket.socket(socket.AF_UNIX).connect(address)"
    process, (server, _) = start(f"{hang_up}; run('called:write', 'log', path='out', text=address)")
    out, err = process.communicate(timeout=60)
    assert out.split() == ["0"], err
    assert gone(server)
    assert not Path((tmp_path / "out").read_text().split()[0]).parent.exists()


def test_a_folder_may_be_deep(start, tmp_path, monkeypatch):
    deep = tmp_path / ("t" * 110)  # a socket's path may have some 100 characters
    deep.mkdir()
    monkeypatch.chdir(deep)
    process, (server, _) = start("run('called:write', 'log', path='out', text='here')")
    out, err = process.communicate(timeout=60)
    assert out.split() == ["0"], err
    assert (deep / "out").read_text().split()[2] == str(server)


#: A client that connects with `sent` and then says nothing, while a job is asked for.
SILENT = """
import os, socket, sys
from experiments import fork_server
client = socket.socket(socket.AF_UNIX); client.connect(os.environ[fork_server.ADDRESS]); client.sendall({sent!r})
fork_server.run("called:write", "log", path="out", text="here")
"""


@pytest.mark.parametrize("sent", [b"", b"\0\0", b"\0\0\0\x40" + b"k" * 10])
def test_a_client_that_says_nothing_more_keeps_no_job_waiting(start, tmp_path, sent):
    """Whether it has sent nothing, a part of a message's length, or a part of the message."""
    process, _ = start(SILENT.format(sent=sent))
    out, err = process.communicate(timeout=60)
    assert out.split() == ["0"], err
    assert (tmp_path / "out").exists()


#: A client that sends a pickle which writes a file, after another key or instead of one.
FOREIGN = """
import os, socket, sys
from multiprocessing.connection import Connection
from pathlib import Path
from experiments import fork_server
class Writes:
    def __reduce__(self):
        return (Path.write_text, (Path("unpickled"), "x"))
client = socket.socket(socket.AF_UNIX); client.connect(os.environ[fork_server.ADDRESS])
connection = Connection(client.detach())
if {key!r}:
    connection.send_bytes({key!r})
try:
    connection.send(Writes())  # the server may have hung up already
    connection.recv_bytes()
except (EOFError, ConnectionError):
    fork_server.run("called:write", "log", path="out", text="here")
"""


@pytest.mark.parametrize("key", [b"", b"0" * 64])
def test_a_request_without_the_key_is_not_read(start, tmp_path, key):
    process, _ = start(FOREIGN.format(key=key))
    out, err = process.communicate(timeout=60)
    assert out.split() == ["0"], err
    assert (tmp_path / "out").exists()
    assert not (tmp_path / "unpickled").exists()


@pytest.mark.parametrize("mode", [0o777, 0o750, 0o701])
def test_a_folder_that_others_can_open_is_not_used(tmp_path, monkeypatch, mode):
    """Whoever may write there could listen in the server's place."""
    folder = tmp_path / "jobs"
    folder.mkdir()
    folder.chmod(mode)
    with socket.socket(socket.AF_UNIX) as listening:
        monkeypatch.chdir(folder)
        listening.bind("socket")
        monkeypatch.setenv(ADDRESS, str(folder / "socket"))
        with pytest.raises(SystemExit, match="is not a folder that this user alone can open"):
            run("called:write", "log")


def test_what_killed_runs_leave_is_removed_by_the_next(start, tmp_path):
    process, (server, _) = start("run('called:wait', 'log', path='pid')")
    appeared(tmp_path / "pid")
    os.kill(server, signal.SIGKILL)
    process.kill()
    process.wait()
    (left,) = (tmp_path / ".snakemake").glob("jobs-*")
    other, _ = start("run('called:write', 'log', path='out', text='here')")
    assert other.communicate(timeout=60)[0].split() == ["0"]
    assert not left.exists()
    assert list((tmp_path / ".snakemake").glob("jobs-*")) == []


def test_without_such_a_process_a_job_calls_for_itself(start, tmp_path):
    code = "import os; from experiments.fork_server import run; "
    code += "run('called:write', 'l', path='o', text=os.getpid())"
    subprocess.run([sys.executable, "-c", code], check=True)
    asking, playing, _ = (tmp_path / "o").read_text().split()
    assert asking == playing
    code = "from experiments.fork_server import run; run('called:fail', 'failed')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 1
    assert "ValueError: no good" in (tmp_path / "failed").read_text()


@pytest.mark.parametrize(
    ("call", "told", "logged"),
    [
        ("called:fail", "log tells why this job failed", "ValueError: no good"),
        ("called:none", "log tells why this job failed", "has no attribute 'none'"),
        ("nowhere:none", "log tells why this job failed", "No module named 'nowhere'"),
        ("called:vanish", "log: the process of this job was ended from outside", "started"),
    ],
)
def test_a_failure_ends_the_job_with_a_code_and_leaves_the_others(start, tmp_path, call, told, logged):
    process, _ = start(f"run('{call}', 'log')", "run('called:write', 'other', path='out', text='x')")
    out, err = process.communicate(timeout=60)
    assert out.split() == ["1", "0"]
    assert told in err
    assert logged in (tmp_path / "log").read_text()
    assert (tmp_path / "out").exists()


def test_a_job_ends_when_who_asked_for_it_is_killed(start, tmp_path):
    _, (_, asking) = start("run('called:wait', 'log', path='pid')")
    playing = int(appeared(tmp_path / "pid"))
    os.kill(asking, signal.SIGKILL)
    assert gone(playing)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_process_ends_with_the_one_that_started_it(start, tmp_path, number):
    process, (server, *_) = start("run('called:wait', 'log', path='pid')")
    appeared(tmp_path / "pid")
    process.send_signal(number)
    assert gone(server)
