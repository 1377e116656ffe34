"""What every policy of the registry promises, and those of one's own whose import paths are in ``POLICIES``."""

import dataclasses
import gc
import os
import sys
from copy import deepcopy as copy
from fnmatch import fnmatchcase

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys
from single_node import small_tree

from causal_bandits.models import BinaryGLM, ContextualBandit, SCMBandit
from causal_bandits.models.fair import FairBandit
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.play.measures.measure import Measure
from causal_bandits.play.run import play, play_sums
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.policies.registry import ALGORITHMS, load
from causal_bandits.seeding import generators

HORIZON = 400


@dataclasses.dataclass
class Greedy(StepwisePolicy):
    """What a student may write: plain Python, mutable, not clever."""

    first: float = 1.0

    def start(self, problem, horizon):
        self.mean, self.plays = np.full(len(problem.arms), self.first), np.zeros(len(problem.arms))

    def select(self, t, context, rng):
        return int(np.argmax(self.mean))

    def update(self, arm, states, reward):
        self.plays[arm] += 1
        self.mean[arm] += (reward - self.mean[arm]) / self.plays[arm]


TASKS = {
    "frontdoor": SCMBandit,
    "fourvar": SCMBandit,
    "sixvar": SCMBandit,
    "contextual": ContextualBandit,
    "fair": FairBandit,
    "exploration": GLMBandit,
    "single_node": SingleNodeBandit,
}
OWN = os.environ.get("POLICIES", "").split()
POLICIES = {"plain Python": Greedy} | {name: load(name) for name in [*sorted(ALGORITHMS), *OWN]}
PAIRS = [(name, task) for name in POLICIES for task, kind in TASKS.items() if issubclass(kind, POLICIES[name].plays)]
#: Where the defaults do not fit into so few rounds, or take long.
PARAMETERS = {
    "cn_ucb": {"repeats": 2},
    "raps": {"too_short": "cut off"},
    "successive_rejects": {"budget": 300},
}
#: Their confidence levels depend on the horizon (so says their paper), so a longer run may begin otherwise.
KNOWING_THE_HORIZON = {
    "c_ucb_arms",
    "cn_ucb",
    "explore_ends",
    "gaussian_ucb",
    "hac_ucb",
    "oam",
    "oam_pcb",
    "raps",
    "ucb_pcb",
    "ucb_plus",
    "ucb_plus_unknown",
}


@pytest.fixture(scope="module", params=PAIRS, ids="-".join)
def pair(request):
    return request.param


def made(pair):
    return POLICIES[pair[0]](**PARAMETERS.get(pair[0], {}))


@pytest.fixture(scope="module")
def policy(pair):
    return made(pair)


@pytest.fixture(scope="module")
def task(pair, build_task, contextual_task, fair_task, exploration_task):
    others = {"contextual": contextual_task, "fair": fair_task, "exploration": exploration_task}
    others["single_node"] = small_tree(0)
    return others[pair[1]] if pair[1] in others else build_task(pair[1])


@pytest.fixture(scope="module")
def streams(pair):
    return generators(1, "contract", 0)


@pytest.fixture(scope="module")
def run(policy, task, streams):
    np.random.seed(0)  # noqa: NPY002
    return play(policy, task, HORIZON, streams)


def assert_same_runs(one, other):
    for name in ("arms", "rewards", "regrets"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.extras.keys() == other.extras.keys()
    for name, values in one.extras.items():
        np.testing.assert_array_equal(values, other.extras[name], err_msg=name)
    assert one.outcome == other.outcome


def assert_declared(policy, outcome):
    declared = getattr(policy, "outcomes", ())
    assert [name for name in outcome if not any(fnmatchcase(name, pattern) for pattern in declared)] == []


def test_a_run_has_one_entry_per_round_and_what_its_policy_declares(pair, policy, task, run):
    """Claims are bound to what is declared before any job starts. Hyper-parameters stay as they were."""
    rounds = len(run.arms)
    assert rounds == HORIZON or (rounds < HORIZON and run.outcome)
    assert run.arms.shape == run.rewards.shape == run.regrets.shape
    assert run.arms.min() >= 0
    assert run.arms.max() < len(task.arms)
    assert (run.regrets >= 0).all()
    assert {values.shape for values in run.extras.values()} <= {(rounds,)}
    assert set(run.extras) == set(getattr(policy, "extras", ()))
    assert_declared(policy, run.outcome)
    assert dataclasses.asdict(policy) == dataclasses.asdict(made(pair))


@pytest.mark.parametrize("name", ["successive_rejects", "lucb", "ccpe_general", "track_and_stop"])
def test_a_run_that_ends_with_an_answer_has_what_its_policy_declares(name):
    bandit = GLMBandit(BinaryGLM({"A": 0.5, "B": 0.5, "Y": 0.05}, {"Y": {"A": 0.9}}), [{}, {"A": 1}, {"B": 1}])
    policy = load(name)(**{"successive_rejects": {"budget": 300}, "ccpe_general": {"alpha_o": 0.5}}.get(name, {}))
    run = play(policy, bandit, 5000, generators(1, "ended", 0))
    assert run.outcome["answer"] == 1
    assert [run.outcome[f"pulls_{a}"] for a in range(3)] == np.bincount(run.arms, minlength=3).tolist()
    assert_declared(policy, run.outcome)


def test_the_seed_gives_the_run_and_the_global_random_state_has_no_part_in_it(policy, task, run):
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    again, other = (play(policy, task, HORIZON, generators(1, "contract", s)) for s in (0, 6))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert_same_runs(run, again)
    assert (run.rewards != other.rewards).any()


def test_every_policy_faces_the_same_worlds(task, run, streams):
    """The environment's generator gives the worlds, and nothing to the policy; regret is that of the arms in them."""
    fresh = generators(1, "contract", 0).environment
    world = task.worlds(0, HORIZON, fresh)  # a run that ends early may have taken fewer
    assert [task.play(world, t, int(arm))[1] for t, arm in enumerate(run.arms)] == run.rewards.tolist()
    assert task.regrets(world, run.arms).tolist() == run.regrets.tolist()
    assert len(run.arms) < HORIZON or copy(streams.environment).random() == fresh.random()


@pytest.mark.parametrize("block", [1, 150])
def test_blocks_of_rounds_do_not_matter(policy, task, run, block):
    """Nothing is lost or counted twice where one block ends and the next begins."""
    assert_same_runs(run, play(policy, task, HORIZON, generators(1, "contract", 0), block=block))


class Watching(Measure):
    """Draws as much as it likes, and queries every context in every round."""

    of, names = object, ("watched",)

    def __init__(self, bandit, rng):
        self.rng = rng
        if isinstance(bandit, ContextualBandit):
            self.queries = np.tile(np.arange(len(bandit.contexts)), (len(bandit.contexts), 1))

    def update(self, played):
        return {"watched": self.rng.random(len(played.arms))}


def test_what_is_measured_and_kept_changes_nothing_that_is_played(policy, task, run):
    """Nor do checkpoints, where the sums are those of the rounds."""
    watched = play(policy, task, HORIZON, generators(1, "contract", 0), [Watching])
    assert watched.extras.pop("watched")[-1] > 0
    assert_same_runs(run, watched)
    ends = np.array([1, 7, 150, HORIZON])
    kept = play_sums(policy, task, HORIZON, generators(1, "contract", 0), ends, [Watching], block=90)
    assert kept.outcome == run.outcome
    for name in ("rewards", "regrets"):
        sums = np.cumsum(getattr(run, name))
        played = np.append(ends[ends < len(sums)], len(sums))
        np.testing.assert_allclose(getattr(kept, name), sums[played - 1])


def test_a_longer_horizon_begins_with_the_shorter_run(pair, policy, task, run):
    if pair[0] in {*KNOWING_THE_HORIZON, *OWN}:
        pytest.skip("its confidence level depends on the horizon")
    longer = play(policy, task, 2 * HORIZON, generators(1, "contract", 0))
    np.testing.assert_array_equal(run.arms, longer.arms[: len(run.arms)])


def held():
    """Arrays of compiled code that have not been freed."""
    gc.collect()
    gc.freeze()  # what is left stays, and need not be looked at next time
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free


def test_compiled_code_keeps_neither_the_arrays_that_it_makes_nor_its_generators(policy, task, run):
    """A kernel counts no references: an array that a function returned to it would stay, or a generator from Python."""
    play(policy, task, HORIZON, generators(1, "freed", 0))  # what is made once stays
    _nrt_python.memsys_enable_stats()
    try:
        before, streams = held(), generators(1, "freed", 1)
        counted = [sys.getrefcount(stream) for stream in streams]
        play(policy, task, HORIZON, streams)
        assert held() == before
        assert [sys.getrefcount(stream) for stream in streams] == counted
    finally:
        _nrt_python.memsys_disable_stats()
