"""What every policy of the registry promises."""

import dataclasses
import gc
from typing import NamedTuple

import numpy as np
import pytest
from linear_models import layered
from numba.core.runtime import _nrt_python, rtsys
from single_node import small_tree

from causal_bandits.models import ContextualBandit, SCMBandit
from causal_bandits.models.fair import FairBandit
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.play.run import play
from causal_bandits.policies.base import IncrementalPolicy, StepwisePolicy
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


@dataclasses.dataclass
class Optimistic(IncrementalPolicy):
    """The same without a horizon."""

    first: float = 1.0

    def start(self, arms):
        return Sums(np.ones(arms), np.full(arms, self.first))

    def choose(self, state, rng):
        return self.expectations(state).argmax()

    def learn(self, state, arm, reward):
        state.plays[arm] += 1
        state.rewards[arm] += reward

    def expectations(self, state):
        return state.rewards / state.plays


class Sums(NamedTuple):
    plays: np.ndarray
    rewards: np.ndarray


TASKS = {
    "frontdoor": SCMBandit,
    "fourvar": SCMBandit,
    "sixvar": SCMBandit,
    "contextual": ContextualBandit,
    "fair": FairBandit,
    "exploration": GLMBandit,
    "single_node": SingleNodeBandit,
    "linear": LinearSEMBandit,
}
POLICIES = {"plain Python": Greedy, "incremental": Optimistic} | {name: load(name) for name in sorted(ALGORITHMS)}
PAIRS = [(name, task) for name in POLICIES for task, kind in TASKS.items() if issubclass(kind, POLICIES[name].plays)]
#: Where the defaults do not fit into so few rounds, or take long.
PARAMETERS = {
    "cn_ucb": {"repeats": 2},
    "ga_lcb": {"cycles": 10},
    "raps": {"too_short": "cut off"},
}
#: Their confidence levels depend on the horizon (so says their paper), so a longer run may begin otherwise.
KNOWING_THE_HORIZON = {
    "bglm_ofu",
    "blm_lr",
    "c_ucb_arms",
    "cn_ucb",
    "explore_ends",
    "ga_lcb",
    "gaussian_ucb",
    "hac_ucb",
    "linsem_ucb",
    "oam",
    "oam_pcb",
    "raps",
    "ucb_pcb",
    "ucb_plus",
    "ucb_plus_unknown",
}


@pytest.fixture(params=PAIRS, ids="-".join)
def pair(request):
    return request.param


@pytest.fixture
def policy(pair):
    return POLICIES[pair[0]](**PARAMETERS.get(pair[0], {}))


@pytest.fixture
def task(pair, build_task, contextual_task, fair_task, exploration_task):
    others = {"contextual": contextual_task, "fair": fair_task, "exploration": exploration_task}
    others["single_node"] = small_tree(0)
    others["linear"] = layered(2, 2, (1.0, 0.5), (0.5, 1.0))
    return others[pair[1]] if pair[1] in others else build_task(pair[1])


def test_a_run_has_one_entry_per_round(policy, task):
    run = play(policy, task, HORIZON, generators(1, "contract", 0))
    assert run.arms.shape == run.rewards.shape == run.regrets.shape == (HORIZON,)
    assert run.arms.min() >= 0
    assert run.arms.max() < len(task.arms)
    assert (run.regrets >= 0).all()
    for name, values in run.extras.items():
        assert values.shape == (HORIZON,), name


def test_the_same_seed_gives_the_same_run_and_another_seed_another(policy, task):
    first, again, other = (play(policy, task, HORIZON, generators(1, "contract", s)) for s in (5, 5, 6))
    np.testing.assert_array_equal(first.arms, again.arms)
    np.testing.assert_array_equal(first.rewards, again.rewards)
    assert (first.rewards != other.rewards).any()


def test_global_random_state_is_neither_read_nor_moved(policy, task):
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first = play(policy, task, HORIZON, generators(1, "contract", 1))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    np.random.seed(1)  # noqa: NPY002
    np.testing.assert_array_equal(first.arms, play(policy, task, HORIZON, generators(1, "contract", 1)).arms)


def test_every_policy_faces_the_same_worlds(policy, task):
    """The environment's generator gives the worlds, and nothing to the policy; regret is that of the arms in them."""
    streams, fresh = generators(1, "contract", 2), generators(1, "contract", 2).environment
    run = play(policy, task, HORIZON, streams)
    world = task.worlds(0, HORIZON, fresh)
    assert [task.play(world, t, int(run.arms[t]))[1] for t in range(HORIZON)] == run.rewards.tolist()
    assert task.regrets(world, run.arms).tolist() == run.regrets.tolist()
    assert streams.environment.random() == fresh.random()


@pytest.mark.parametrize("block", [1, 7, 150])
def test_blocks_of_rounds_do_not_matter(policy, task, block):
    """Nothing is lost or counted twice where one block ends and the next begins."""
    whole, parts = (play(policy, task, HORIZON, generators(1, "blocks", 0), block=b) for b in (HORIZON, block))
    for name in ("arms", "rewards", "regrets"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))
    assert whole.extras.keys() == parts.extras.keys()
    for name, values in whole.extras.items():
        np.testing.assert_array_equal(values, parts.extras[name], err_msg=name)
    assert whole.outcome == parts.outcome


def test_a_longer_horizon_begins_with_the_shorter_run(pair, policy, task):
    if pair[0] in KNOWING_THE_HORIZON:
        pytest.skip("its confidence level depends on the horizon")
    short = play(policy, task, HORIZON, generators(1, "contract", 3))
    long = play(policy, task, 2 * HORIZON, generators(1, "contract", 3))
    np.testing.assert_array_equal(short.arms, long.arms[:HORIZON])


def test_a_run_leaves_the_hyper_parameters_as_they_were(policy, task):
    before = dataclasses.asdict(policy)
    play(policy, task, 50, generators(1, "contract", 4))
    assert dataclasses.asdict(policy) == before


def test_a_policy_declares_what_it_records(policy, task):
    """Claims are bound to it before any job starts."""
    run = play(policy, task, HORIZON, generators(1, "declared", 0))
    assert set(run.extras) == set(getattr(policy, "extras", ()))
    assert set(run.outcome) <= set(getattr(policy, "outcomes", ()))


def held():
    """Arrays of compiled code that have not been freed."""
    gc.collect()
    stats = rtsys.get_allocation_stats()
    return stats.mi_alloc - stats.mi_free


def test_compiled_code_frees_the_arrays_that_it_makes(policy, task):
    """A kernel counts no references: an array that a function returned to it would stay, or a generator from Python."""
    if hasattr(policy, "budget"):  # then the run ends, and the answer is chosen
        policy = dataclasses.replace(policy, budget=300)
    play(policy, task, HORIZON, generators(1, "freed", 0))  # what is made once stays
    _nrt_python.memsys_enable_stats()
    try:
        before = held()
        play(policy, task, HORIZON, generators(1, "freed", 1))
        assert held() == before
    finally:
        _nrt_python.memsys_disable_stats()
