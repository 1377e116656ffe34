"""What `python -m causal_bandits.precompile` compiles is all that a later process needs, on another bandit too."""

import os
import subprocess
import sys

import pytest

from causal_bandits.policies.registry import ALGORITHMS
from causal_bandits.precompile import main, precompile

NAMES = ("kl_ucb",)
#: Plays the algorithms on bandits that are none of the command's, and prints what is compiled meanwhile.
LATER = """
import sys
import numpy as np
from numba.core import event

from causal_bandits import ADMG, OnlineBandit, SCMBandit, generators, load
from causal_bandits.models import uniform_cpt
from causal_bandits.play import play

class Compiled(event.Listener):
    def on_start(self, event):
        print(event.data["dispatcher"].py_func)

    def on_end(self, event):
        pass

event.register("numba:compile", Compiled())
graph = ADMG([("A", "B"), ("A", "Y"), ("B", "Y")], [("B", "Y")])
play(load("kl_ucb")(), SCMBandit(uniform_cpt(graph, np.random.default_rng(3)), "Y"), 50, generators(0, "later", 0))
online = OnlineBandit(load("kl_ucb")(), ["red", "green"])
for arm in (0, 1):
    online.update(arm, 1.0)
online.act()
print("played")
"""


def test_a_later_process_compiles_nothing(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def output(*arguments):
        command = [sys.executable, *arguments]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.splitlines()

    lines = [line.split() for line in output("-m", "causal_bandits.precompile", *NAMES)]
    assert [(name, unit) for name, _, unit in lines] == [(name, "s") for name in NAMES]
    assert all(float(seconds) > 0.2 for _, seconds, _ in lines), "nothing was compiled"
    assert output("-c", LATER) == ["played"]


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_every_algorithm_plays_one_of_the_small_bandits(name):
    """It fails where no bandit is of the kind that it plays, or its run is refused."""
    assert precompile(name) > 0


def test_a_wrong_name_is_refused_before_anything_is_compiled(capsys):
    with pytest.raises(SystemExit):
        main(["thompson", "tomson"])
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "no algorithm 'tomson'; expected any of bglm_ofu, " in printed.err
    assert "z2_thompson" in printed.err
