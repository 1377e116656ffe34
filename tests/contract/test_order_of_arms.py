"""The order in which arms are listed changes no result but by chance: ties are broken at random, never by position."""

import dataclasses
import os

import numpy as np
import pytest

from causal_bandits.graphs import ADMG
from causal_bandits.models import ContextualBandit, DiscreteSCM, SCMBandit
from causal_bandits.models.arms import Arms
from causal_bandits.models.fair import FairBandit
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.play.run import play
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.policies.registry import ALGORITHMS, load
from causal_bandits.problems.lu2021 import tree
from causal_bandits.seeding import generators

SEEDS, HORIZON = 100, 150
#: Standard errors between means that chance does not explain, in some thousand comparisons.
APART = 5.0
PARAMETERS = {
    "cn_ucb": {"repeats": 2},
    "raps": {"too_short": "cut off"},
    "successive_rejects": {"budget": HORIZON, "watch": 0.5},
    "f_ucb": {"stochastic": True},
    "ucb_plus": {"subset": False},
    "z2_thompson": {"replicates": 20},
    "z2_kl_ucb": {"replicates": 20},
}


@dataclasses.dataclass
class ByPosition(StepwisePolicy):
    """Breaks ties by position, as no policy should."""

    def start(self, problem, horizon):
        self.ones, self.plays = np.zeros(len(problem.arms)), np.ones(len(problem.arms))

    def select(self, t, context, rng):
        return int(np.argmax(self.ones / self.plays))

    def update(self, arm, states, reward):
        self.ones[arm] += reward
        self.plays[arm] += 1


def backwards(bandit):
    """Return the bandit with its arms in another order, and the old number of each new arm."""
    if isinstance(bandit, SCMBandit):
        arms = list(bandit.arms)[::-1]
        return bandit.with_arms(Arms(bandit.scm.variables, arms)), np.arange(len(arms))[::-1]
    if isinstance(bandit, GLMBandit):
        return GLMBandit(bandit.glm, list(bandit.arms)[::-1]), np.arange(len(bandit.arms))[::-1]
    if isinstance(bandit, SingleNodeBandit):
        name = dict(zip(bandit.variables, bandit.variables[::-1], strict=True))
        tables = {v: bandit.scm.cpt(v) for v in bandit.variables}
        graph = ADMG([(name[a], name[b]) for a, b in bandit.dag.directed], nodes=bandit.variables)
        scm = DiscreteSCM(graph, {name[v]: ([name[p] for p in cpt.parents], cpt.table) for v, cpt in tables.items()})
        other = dataclasses.replace(bandit, scm=scm, rewards={name[v]: m for v, m in bandit.rewards.items()})
        old = {frozenset((name[v], x) for v, x in arm.items()): a for a, arm in enumerate(bandit.arms)}
        return other, np.array([old[frozenset(arm.items())] for arm in other.arms])
    fields = {f.name: getattr(bandit, f.name) for f in dataclasses.fields(bandit) if f.init}
    other = type(bandit)(**fields | {"manipulable": bandit.manipulable[::-1], "prior": {}})
    number = {frozenset(arm.items()): a for a, arm in enumerate(bandit.arms)}
    old = np.array([number[frozenset(arm.items())] for arm in other.arms])
    return other.with_prior({key: values[:, old] for key, values in bandit.prior.items()}), old


@pytest.fixture(scope="module")
def bandits(build_task, contextual_task, fair_task, exploration_task):
    """A bandit of each kind, by seed: the law of lu2021's instances has random names."""
    fixed = {
        SCMBandit: build_task("frontdoor").with_arms("brute_force"),
        GLMBandit: exploration_task,
        FairBandit: fair_task,
        ContextualBandit: contextual_task,
    }
    kinds = {kind: (lambda seed, bandit=bandit: bandit) for kind, bandit in fixed.items()}
    return kinds | {SingleNodeBandit: lambda seed: tree(6, draw=seed % 20, epsilon=0.2, reward_gap=0.3)}


def apart(policy, make):
    """How many standard errors lie between both orders' mean plays of an arm, and mean regrets, at most."""
    found = []
    for turned in (False, True):
        rows = []
        for seed in range(SEEDS):
            bandit = make(seed)
            old = np.arange(len(bandit.arms))
            if turned:
                bandit, old = backwards(bandit)
            run = play(policy, bandit, HORIZON, generators(1, "order", seed + turned * SEEDS))
            plays = np.bincount(old[run.arms], minlength=len(old))
            rows.append([*(() if isinstance(bandit, SingleNodeBandit) else plays), run.regrets.sum()])
        found.append(np.array(rows, dtype=float))
    one, other = found
    error = np.sqrt((one.var(axis=0, ddof=1) + other.var(axis=0, ddof=1)) / SEEDS)
    return float((np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.maximum(error, 1e-9)).max())


@pytest.mark.parametrize("name", [*sorted(ALGORITHMS), *os.environ.get("POLICIES", "").split()])
def test_no_policy_prefers_arms_by_their_position(name, bandits):
    policy = load(name)(**PARAMETERS.get(name, {}))
    for kind, make in bandits.items():
        if issubclass(kind, policy.plays):
            assert apart(policy, make) < APART, kind.__name__


def test_a_policy_that_breaks_ties_by_position_would_be_found(bandits):
    assert apart(ByPosition(), bandits[GLMBandit]) > 2 * APART
