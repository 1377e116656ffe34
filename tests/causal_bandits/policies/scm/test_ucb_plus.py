"""UCB+ for a known number of parents: its subset by hand, a plain twin, and what sharing does to estimates."""

import math
import random
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.subsets import ucb_plus
from unknown_graph import unknown_graph

from causal_bandits.graphs import ADMG
from causal_bandits.models import CPT, DiscreteSCM, SCMBandit
from causal_bandits.models.arms import Arms
from causal_bandits.models.families import uniform_cpt
from causal_bandits.play.run import play
from causal_bandits.policies.scm.ucb_plus import (
    Indices,
    Interventions,
    UCBPlus,
    _play,
    largest_interventions,
    reward_parents,
)
from causal_bandits.seeding import generators


@settings(max_examples=30)
@given(
    st.integers(1, 2),
    st.none() | st.integers(0, 2),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["one", "infinite"]),
    st.integers(0, 10**6),
)
def test_it_plays_the_arms_of_the_plain_twin(size, parents, share, divided, subset, unplayed, seed):
    bandit = unknown_graph(3, 1 if parents is None else min(parents, 2), 2, size, draw=seed)
    policy = UCBPlus(parents, 0.3, divided, share, subset, unplayed)
    run = play(policy, bandit, 300, generators(1, "ucb+", seed))
    assert run.arms.tolist() == ucb_plus(policy, bandit, generators(1, "ucb+", seed), 300)


def test_the_subset_has_the_size_of_the_authors_settings():
    own = Interventions(np.arange(1512), 8, 3, 3)
    assert UCBPlus(1).size(own, 2000) == 31  # ceil(8 * 3 / 3 * ln(2000) / 2)
    assert UCBPlus(2).size(own, 2000) == 320  # ceil(28 * 9 / 3 * ln(2000) / 2)
    assert UCBPlus(3).size(own, 2000) == 1512  # 56 * 27 * ln(2000) / 2 are more than there are
    assert UCBPlus(4).size(own, 2000) == UCBPlus(1, subset=False).size(own, 2000) == 1512
    assert UCBPlus(1).size(own, 1) == 1
    assert len(unknown_graph().arms) == 1512
    assert own.sets == 56


def test_only_arms_that_set_the_most_variables_count():
    scm = unknown_graph(3, 1, 2, 1).scm
    arms = [{}, {"X1": 0}, {"X1": 0, "X2": 1}, {"X2": 0, "X3": 1}]
    own = largest_interventions(SCMBandit(scm, "Y", arm_strategy=Arms(scm.variables, arms)))
    assert (own.arms.tolist(), own.n, own.v, own.m) == ([2, 3], 3, 2, 2)


def test_parents_that_cannot_be_set_are_replaced_by_their_own():
    """X1 -> X3 -> Y <- X2, X4 -> X3: without X3 the reward has three parents."""
    graph = ADMG([("X1", "X3"), ("X4", "X3"), ("X3", "Y"), ("X2", "Y")])
    scm = uniform_cpt(graph, np.random.default_rng(3))
    for fixed, k in ((set(), 2), ({"X3"}, 3), ({"X3", "X4"}, 2), ({"X2"}, 1)):
        arms = Arms(scm.variables, [{}, {"X1": 0}])
        assert reward_parents(SCMBandit(scm, "Y", frozenset(fixed), arms)) == k
    with pytest.raises(ValueError, match="parents=None: expected a number of parents"):
        UCBPlus(None).size(Interventions(np.arange(4), 2, 2, 2), 100)


# ---------------------------------------------------------------------- beside the code of UCB+'s authors

NAMES = [f"X{i}" for i in range(8)]


def authors_environment(seed):
    """Eight variables with three states, one of them the reward's cause; drawn in the order of the authors' code."""
    rng, order = np.random.default_rng(seed), list(range(8))
    rng.shuffle(order)
    edges = [(a, b) for a, b in combinations(order, 2) if rng.random() < 2 / 8]
    (cause,) = rng.choice(np.arange(8), size=1, replace=False)
    graph = ADMG([*((NAMES[a], NAMES[b]) for a, b in edges), (NAMES[cause], "Y")], nodes=[*NAMES, "Y"])
    cpts = {}
    for x in range(8):
        own = sorted(a for a, b in edges if b == x)
        base, rows = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(3), size=(3,) * len(own))
        cpts[NAMES[x]] = CPT([NAMES[a] for a in own], 0.3 * base + 0.7 * rows)
    cpts["Y"] = CPT([NAMES[cause]], rng.dirichlet(np.ones(2), size=3))
    scm = DiscreteSCM(graph, cpts)
    values = product(combinations(NAMES, 3), product(range(3), repeat=3))
    return SCMBandit(scm, arm_strategy=Arms(scm.variables, [dict(zip(xs, s, strict=True)) for xs, s in values]))


def authors_subset(seed):
    """31 different arms from Python's generator: variables, then states."""
    rng, found = random.Random(seed), {}
    while len(found) < 31:
        chosen = rng.sample(range(8), 3)
        found.setdefault(tuple(sorted((NAMES[i], rng.randint(1, 3) - 1) for i in chosen)))
    return list(found)


def test_ucb_plus_has_the_measured_regret_in_the_authors_environments():
    """100 (22): 20 environments, three subsets; 6 of the 60 runs drew no optimal arm."""
    subsets, regrets, without = [authors_subset(s) for s in range(3)], np.empty((20, 3)), 0
    for e in range(20):
        bandit = authors_environment(e)
        number = {tuple(sorted(arm.items())): a for a, arm in enumerate(bandit.arms)}
        for s, subset in enumerate(subsets):
            arms = np.array([number[arm] for arm in subset])
            without += bandit.means[arms].max() < bandit.means.max() - 1e-9
            world = bandit.worlds(0, 2000, np.random.default_rng([e, s]))
            start = Indices(np.zeros(31), np.zeros(31), np.full(31, math.inf))
            played, _ = _play(world, arms, start, 0.1 / 56 * math.log(2000), True)
            regrets[e, s] = bandit.regrets(world, played).sum()
    own = regrets.mean(axis=1)
    assert without == 6
    assert own.mean() == pytest.approx(100, abs=15)
    assert own.std(ddof=1) / math.sqrt(20) == pytest.approx(22, abs=4)
