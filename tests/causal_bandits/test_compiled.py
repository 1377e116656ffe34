"""Compiled functions are kept on disk by numba, and the library leaves the process that imports it alone."""

import os
import subprocess
import sys

import pytest

from causal_bandits import compiled


def said_by(code, **environment):
    """Run a program in a process of its own; returns the lines that it prints."""
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", code]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.splitlines()


#: What belongs to the process before and after an import and a play; numba's own listeners and settings among it.
HOST = """
import os, signal, sys, threading, warnings
import numba, numpy as np
from numba.core import event

def host():
    settings = {name: value for name, value in vars(numba.config).items() if name.isupper()}
    listeners = {kind: list(those) for kind, those in event._registered.items() if those}
    rest = list(warnings.filters), dict(os.environ), threading.enumerate(), np.geterr(), signal.getsignal(signal.SIGINT)
    return {"settings": settings, "listeners": listeners, "rest": rest, "excepthook": sys.excepthook}

before = host()
from causal_bandits import generators
from causal_bandits.play import play
from causal_bandits.policies import KLUCB, Thompson
from causal_bandits.policies.classical import kl_ucb, thompson
from causal_bandits.problems import make
names = {module: set(vars(module)) for module in (kl_ucb, thompson)}
for policy in (Thompson(), KLUCB()):
    play(policy, make("lee2019/frontdoor").with_arms("possibly_optimal"), 50, generators(0, "host", seed=0))
after = host()
print([key for key in before if before[key] != after[key]])
print([names[module] ^ set(vars(module)) for module in names])
print([name for module in names for name in vars(module) if name.endswith("inner")], int(numba.config.OPT))
"""


def test_import_and_play_change_nothing_of_the_process():
    assert said_by(HOST, NUMBA_OPT="3") == ["[]", "[set(), set()]", "[] 3"]


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


#: A loop over numbers that draws from a generator, and helpers that it calls.
LOOP = """
from __future__ import annotations
import numpy as np
from causal_bandits.compiled import kernel, loop, random_word
@kernel
def more(x, rng) -> float:
    return x + rng.random()
@loop
def fill(out, words, rng) -> int:
    '''Write numbers.'''
    for i in range(len(out)):
        out[i] = more(i, rng)
        words[i] = random_word(rng)
    return len(out)
"""
USES = """
import inspect, sys
import numpy as np
from drawing import fill
rng, out, words = np.random.default_rng(1), np.empty(3), np.empty(3, dtype=np.uint64)
held = sys.getrefcount(rng), sys.getrefcount(out)
results = [fill(out, words, rng) for _ in range(50)]
assert results == [3] * 50
assert (sys.getrefcount(rng), sys.getrefcount(out)) == held, "a loop kept what it was given"
twin = np.random.default_rng(1)
for _ in range(150):
    uniform, word = twin.random(), twin.integers(0, 2**64 - 1, dtype=np.uint64, endpoint=True)
assert (out[2], words[2]) == (2 + uniform, word)
print(fill.__name__, fill.__module__, fill.__doc__, list(inspect.signature(fill).parameters))
print(bool(fill.stats.cache_hits))
"""
DIFFERENT = "from numba.core.options import DefaultOptions\ndel DefaultOptions._nrt\n"


@pytest.fixture
def drawing(tmp_path):
    """The environment of a process that can import `LOOP`."""
    (tmp_path / "drawing.py").write_text(LOOP)
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "NUMBA_CACHE_DIR": str(tmp_path / "kept")}


def test_a_loop_is_called_by_python_keeps_nothing_and_is_kept_on_disk(drawing):
    known = "fill drawing Write numbers. ['out', 'words', 'rng']"
    assert [said_by(USES, **drawing) for _ in range(2)] == [[known, "False"], [known, "True"]]


def test_where_numba_differs_values_are_the_same_and_one_warning_says_so(drawing):
    warned = (
        "import warnings\nwith warnings.catch_warnings(record=True) as caught:\n    warnings.simplefilter('always')\n"
        "    import drawing\nprint(len(caught), 'two to three times as long' in str(caught[0].message))\n"
    )
    assert said_by(DIFFERENT + warned + USES, **drawing)[0] == "1 True"


#: Processes that joblib starts use what theirs has kept.
WORKERS = """
import numpy as np
from joblib import Parallel, delayed

def hits():
    from drawing import fill
    fill(np.empty(3), np.empty(3, dtype=np.uint64), np.random.default_rng(1))
    return bool(fill.stats.cache_hits)

if __name__ == "__main__":
    print(hits(), Parallel(2)(delayed(hits)() for _ in range(2)))
"""


def test_workers_use_the_same_cache(drawing, tmp_path):
    (tmp_path / "workers.py").write_text(WORKERS)
    (said,) = said_by(f"import runpy; runpy.run_path({str(tmp_path / 'workers.py')!r}, run_name='__main__')", **drawing)
    assert said == "False [True, True]"


def test_a_kernel_that_makes_an_array_is_refused(drawing, tmp_path):
    (tmp_path / "making.py").write_text(
        "from __future__ import annotations\nimport numpy as np\nfrom causal_bandits.compiled import kernel\n"
        "@kernel\ndef total(n: int) -> float:\n    made = np.empty(n)\n    return made[0]\n"
    )
    command = [sys.executable, "-c", "from making import total; total(3)"]
    done = subprocess.run(command, env=os.environ | drawing, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "No implementation of function Function(<built-in function empty>)" in done.stderr


def test_a_bandit_plays_the_same_without_compilation():
    program = (
        "from causal_bandits import CausalBandit\nfrom causal_bandits.policies import KLUCB, Thompson\n"
        "for policy in (Thompson(), KLUCB()):\n"
        "    bandit = CausalBandit('dag { x -> y }', outcome='y', states={'x': range(5)}, policy=policy)\n"
        "    for _ in range(20):\n"
        "        choice = bandit.act()\n"
        "        bandit.update(choice, {'y': choice.do['x'] % 2})\n"
        "        print(choice, choice.probability)\n"
    )
    assert said_by(program, NUMBA_DISABLE_JIT="1") == said_by(program)
