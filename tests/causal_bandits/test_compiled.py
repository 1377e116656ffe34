"""A damaged file in the cache of compiled functions is no error and no wrong number: the function is compiled again."""

import shutil
import subprocess
import sys

import pytest

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


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="module")
def call(place):
    """Call the function, imported anew; returns its value and whether the cache had it."""
    package = place / "source/causal_bandits"
    package.mkdir(parents=True)
    for name in ("__init__.py", "compiled.py", "lazy.py", "provenance.py", "source_files.py"):
        shutil.copy(SOURCE / "causal_bandits" / name, package)
    (package / "doubling.py").write_text(MODULE)
    environment = {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(place / "kernels")}
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
