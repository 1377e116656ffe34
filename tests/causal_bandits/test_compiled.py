"""A damaged file in the cache of compiled functions is no error and no wrong number: the function is compiled again."""

import errno
import shutil
import subprocess
import sys

import pytest

from causal_bandits import compiled
from causal_bandits.provenance import SOURCE

MODULE = "from causal_bandits.compiled import jit\n@jit\ndef double(x): return 2 * x\n"
#: For every line that it reads, import the module anew and call the function, whose cache is then read anew.
CALLS = """
import importlib, sys
for line in sys.stdin:
    sys.modules.pop("causal_bandits.doubling", None)
    double = importlib.import_module("causal_bandits.doubling").double
    print(double(20), bool(double.stats.cache_hits), flush=True)
"""
COMPILED, LOADED = "40 False", "40 True"


def package(place, module, text):
    """Write a package with what compiles and one module; returns the environment of a process that uses it."""
    folder = place / "source/causal_bandits"
    folder.mkdir(parents=True)
    for name in ("__init__.py", "compiled.py", "lazy.py", "provenance.py", "source_files.py"):
        shutil.copy(SOURCE / "causal_bandits" / name, folder)
    (folder / f"{module}.py").write_text(text)
    return {"PYTHONPATH": str(folder.parent), "NUMBA_CACHE_DIR": str(place / "kernels")}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="module")
def call(place):
    """Call the function, imported anew; returns its value and whether the cache had it."""
    environment = package(place, "doubling", MODULE)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, "-c", CALLS], env=environment, **pipes) as process:

        def called():
            process.stdin.write("\n")
            return process.stdout.readline().strip()

        yield called
        process.stdin.close()
        assert process.wait() == 0


def flipped(data):
    place = len(data) // 2
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_what_is_damaged_is_compiled_again(call, place, suffix):
    shutil.rmtree(place / "kernels", ignore_errors=True)
    assert call() == COMPILED
    assert call() == LOADED
    (path,) = (place / "kernels").rglob(f"*.{suffix}")
    whole = path.read_bytes()
    for damage in (b"", whole[: len(whole) // 2], flipped(whole), b"no pickle"):
        path.write_bytes(damage)
        assert call() == COMPILED, damage[:20]
        assert call() == LOADED, "what was damaged has not been written anew"


#: A function that takes seconds to compile, and three processes that need it at a time.
SLOW = """
from causal_bandits.compiled import jit
import numpy as np
@jit
def slow(x): return np.sort(x)[1]
"""
QUICK = SLOW.replace("np.sort(x)", "x")
CALL = """
import sys, numpy as np
from causal_bandits import compiled
compiled.PATIENCE = float(sys.argv[1])
from causal_bandits.slowly import slow
print(slow(np.arange(3.0)), bool(slow.stats.cache_hits))
"""


#: A process that says at once what it compiles, meets a function that cannot be compiled, and stays.
FAILS = """
import sys, numpy as np
from causal_bandits import compiled
compiled.SILENCE = 0.0
from causal_bandits.slowly import slow
try:
    slow("text")
except Exception:
    print("failed", flush=True)
input()
"""
#: Is there nobody who compiles it?
LOCK = """
import sys
from pathlib import Path
from causal_bandits import compiled
compiled.PATIENCE = 0.0
print(compiled._locked(Path(sys.argv[1]), "slow") is not None)
"""


@pytest.fixture
def start(tmp_path):
    """Start processes side by side, whose cache is empty at first; returns what each says."""
    environment = {}

    def started(processes, patience=60.0, text=SLOW):
        environment.update(environment or package(tmp_path, "slowly", text))
        command = [sys.executable, "-c", CALL, str(patience)]
        pipes = {"stdout": subprocess.PIPE, "text": True, "env": environment}
        running = [subprocess.Popen(command, **pipes) for _ in range(processes)]
        said = [process.communicate()[0].strip() for process in running]
        assert not any(process.returncode for process in running)
        return sorted(said)

    return started


@pytest.mark.skipif(compiled.fcntl is None, reason="needs locks of files")
def test_of_processes_that_need_a_function_at_a_time_one_compiles_it(start):
    assert start(3) == ["1.0 False", "1.0 True", "1.0 True"]


@pytest.mark.skipif(compiled.fcntl is None, reason="needs locks of files")
def test_a_process_does_not_wait_for_ever(start, tmp_path):
    """Another process holds the lock and never compiles."""
    assert start(1, text=QUICK) == ["1.0 False"]
    (lock,) = tmp_path.rglob("*slow-*.lock")
    for kernel in lock.parent.glob("*slow-*.nb?"):
        kernel.unlink()
    hold = "import fcntl, sys; fcntl.lockf(file := open(sys.argv[1], 'w'), 2); print('held', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        assert start(1, patience=0.2) == ["1.0 False"]
        holder.communicate("\n")


@pytest.mark.skipif(compiled.fcntl is None, reason="needs locks of files")
@pytest.mark.parametrize(
    ("error", "waits"), [(errno.ENOLCK, 0), (errno.ENOSYS, 0), (errno.EPERM, 0), (errno.EAGAIN, 3), (errno.EACCES, 3)]
)
def test_only_a_lock_that_another_process_has_is_waited_for(error, waits, monkeypatch, tmp_path):
    def refused(*_):
        raise OSError(error, "refused")

    monkeypatch.setattr(compiled.fcntl, "lockf", refused)
    clock = iter(range(10))
    monkeypatch.setattr(compiled.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(compiled, "PATIENCE", 4)
    slept = []
    monkeypatch.setattr(compiled.time, "sleep", slept.append)
    assert compiled._locked(tmp_path / "kept" / "slow.lock", "slow") is None
    assert len(slept) == waits


def test_a_long_compilation_is_announced_and_a_failed_one_keeps_nobody_waiting(tmp_path):
    environment = package(tmp_path, "slowly", SLOW)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", FAILS], env=environment, **pipes) as process:
        assert process.stdout.readline() == "failed\n"
        (lock,) = tmp_path.rglob("*slow-*.lock")
        free = subprocess.run(
            [sys.executable, "-c", LOCK, str(lock)], env=environment, capture_output=True, text=True, check=True
        )
        assert free.stdout == "True\n"
        _, said = process.communicate("\n")
    assert said.splitlines() == [f"compiling causal_bandits.slowly.slow, once; it is kept in {lock.parent}"]


#: A user's own functions, one with a loop that Numba lifts out, compiled before and after ours.
OTHERS = """
import numba, numpy as np
from causal_bandits import compiled
compiled.SILENCE = 0.0
from causal_bandits.slowly import slow
@numba.jit(forceobj=True)
def lifted(n):
    total = 0
    for i in range(n):
        total += i
    return [total]
@numba.njit
def wrapped(x): return slow(x)
print(lifted(4), wrapped(np.arange(3.0)), lifted(3))
"""


def test_functions_of_others_compile_as_without_us(tmp_path):
    environment = package(tmp_path, "slowly", QUICK)
    command = [sys.executable, "-W", "ignore", "-c", OTHERS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("[6] 1.0 [3]\n", 0), done.stderr
    assert [line.partition(", once")[0] for line in done.stderr.splitlines()] == [
        "compiling causal_bandits.slowly.slow"
    ]


def test_a_kernel_that_may_return_an_array_is_refused():
    def parts(x):
        return x[0], x

    with pytest.raises(TypeError, match="parts: returns what is not said; a kernel returns numbers or None"):
        compiled.kernel(parts)
    parts.__annotations__["return"] = "tuple[float, FloatArray]"
    with pytest.raises(TypeError, match=r"parts: returns tuple\[float, FloatArray\]; a kernel returns numbers or None"):
        compiled.kernel(parts)


def test_a_loop_is_written_at_the_top_level():
    def play(x) -> float:
        return x

    class Held:
        def play(x) -> float:
            return x

    for function in (play, Held.play):
        function.__annotations__["return"] = "float"
        with pytest.raises(TypeError, match="play: a loop is written at a module's top level"):
            compiled.loop(function)


#: A loop over numbers that draws from a generator, and one whose helper it calls.
LOOP = """
from __future__ import annotations
import numpy as np
from causal_bandits.compiled import kernel, loop
@kernel
def more(x, rng) -> float:
    return x + rng.random()
@loop
def fill(out, rng) -> int:
    '''Write numbers.'''
    for i in range(len(out)):
        out[i] = more(i, rng)
    return len(out)
"""
USES = """
import inspect, sys
import numpy as np
from causal_bandits.drawing import fill
rng, out = np.random.default_rng(1), np.empty(3)
held = sys.getrefcount(rng), sys.getrefcount(out)
results = [fill(out, rng) for _ in range(50)]
assert results == [3] * 50
assert (sys.getrefcount(rng), sys.getrefcount(out)) == held, "a loop kept what it was given"
assert 2 <= out[2] < 3
print(fill.__name__, fill.__module__, fill.__doc__, list(inspect.signature(fill).parameters))
print(bool(fill.stats.cache_hits))
"""


def test_a_loop_is_called_by_python_keeps_nothing_and_is_kept_on_disk(tmp_path):
    environment = package(tmp_path, "drawing", LOOP)
    said = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", USES], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said.append(done.stdout.strip())
    known = "fill causal_bandits.drawing Write numbers. ['out', 'rng']"
    assert said == [f"{known}\nFalse", f"{known}\nTrue"]


def test_a_kernel_that_makes_an_array_is_refused(tmp_path):
    text = """
from __future__ import annotations
import numpy as np
from causal_bandits.compiled import kernel
@kernel
def total(n: int) -> float:
    made = np.empty(n)
    return made[0]
"""
    environment = package(tmp_path, "making", text)
    command = [sys.executable, "-c", "from causal_bandits.making import total; total(3)"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert "No implementation of function Function(<built-in function empty>)" in done.stderr
