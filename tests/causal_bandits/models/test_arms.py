"""Sparse arms, and runs on ten thousand variables that stay small."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.models import Arms

NAMES = [f"X{i}" for i in range(6)]


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3))))
def test_arms_give_back_what_they_were_made_of(assignments):
    arms = Arms(NAMES, assignments)
    assert list(arms) == assignments
    assert [arms[i] for i in range(-len(arms), 0)] == assignments
    with pytest.raises(IndexError):
        arms[len(assignments)]


@given(st.permutations(range(6)), st.sets(st.integers(0, 5)).map(sorted), st.integers(0, 6))
def test_arms_on_single_variables_are_those_made_one_by_one(order, states, count):
    chosen = order[:count]
    found = Arms.single(NAMES, np.array(chosen, dtype=np.int64), states)
    expected = Arms(NAMES, [*({NAMES[v]: state} for v in chosen for state in states), {}])
    assert list(found) == list(expected)
    for ours, plain in zip(found.compiled, expected.compiled, strict=True):
        assert (ours.dtype, ours.tolist()) == (plain.dtype, plain.tolist())


def test_an_unknown_variable_is_named():
    with pytest.raises(ValueError, match="no variable 'Q' in the model"):
        Arms(NAMES, [{"Q": 0}])


def test_thirty_thousand_arms_on_ten_thousand_variables_take_less_than_a_megabyte():
    names = [f"X{i}" for i in range(10_000)]
    arms = Arms(names, ({names[i // 3]: i % 3} for i in range(30_000)))
    assert sum(array.nbytes for array in arms.compiled) < 1_000_000
    assert arms[29_999] == {"X9999": 2}


PROGRAM = """
from functools import cached_property
from pathlib import Path
import numpy as np
from causal_bandits.play.run import play
from causal_bandits.graphs import ADMG
from causal_bandits.models import Arms, DiscreteSCM, SCMBandit
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.seeding import generators

N = 10_000
names = [f"X{i:05}" for i in range(N - 1)] + ["Y"]
rng = np.random.default_rng(0)
rows = {v: rng.uniform(0.2, 0.8, (2, 1)) for v in names}
tables = {v: np.concatenate([1 - one, one], axis=1) for v, one in rows.items()}
cpts = {v: ((names[i - 1],), tables[v]) if i else ((), tables[v][0]) for i, v in enumerate(names)}

class Chain(SCMBandit):
    @cached_property
    def means(self):
        ahead, means = np.array([0.0, 1.0]), {}
        for v in reversed(names):
            means[v], ahead = ahead, tables[v] @ ahead  # of Y given v, and given v's parent
        return np.array([means[v][state] for arm in self.arms for v, state in arm.items()])

class Unknowing(StepwisePolicy):
    def start(self, problem, horizon): self.t = 0
    def answer(self): return {"sample_complexity": self.t} if self.t == 20_000 else None
    def select(self, t, context, rng): return int(rng.integers(30_000)) % (2 * N - 2)
    def update(self, arm, states, reward): self.t += 1

    def run(self, bandit, rounds, rng):  # as `StepwisePolicy.run`, without naming the states of all variables
        self.start(bandit, rounds.horizon)
        from causal_bandits.models.bandit import play_round
        for world in rounds:
            arms, rewards = np.empty(rounds.size, dtype=np.int64), np.empty(rounds.size)
            for i in range(rounds.size):
                if self.answer():
                    rounds.record(arms[:i], rewards[:i])
                    return self.answer()
                arms[i] = self.select(self.t, None, rng)
                rewards[i] = play_round(world, i, int(arms[i]))
                self.update(int(arms[i]), {}, rewards[i])
            rounds.record(arms, rewards)

scm = DiscreteSCM(ADMG([(a, b) for a, b in zip(names, names[1:])]), cpts)
bandit = Chain(scm, "Y", arm_strategy=Arms(names, ({v: s} for v in names[:-1] for s in (0, 1))))
assert scm.variables == tuple(names)
run = play(Unknowing(), bandit, 10**7, generators(0, "large", 0))
assert len(run.arms) == 20_000 and run.outcome == {"sample_complexity": 20_000}
error = run.rewards.mean() - bandit.means[run.arms].mean()
assert abs(error) < 4 * 0.5 / 20_000**0.5, error
status = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) / 1024)
"""


# The kernel's own figure of this process: what `getrusage` tells of a child counts its parent's memory before exec.
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's account of a process's memory")
def test_ten_thousand_variables_and_an_unknown_number_of_rounds_fit_in_one_gibibyte():
    environment = {"PYTHONPATH": str(Path(__file__).parents[3] / "src")}
    for _ in range(2):  # the first may have to compile the kernels, which takes memory of its own
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        if float(done.stdout) < 1024:
            break
    assert float(done.stdout) < 1024, done.stdout  # MiB; the uniforms of all rounds would be 1,526
