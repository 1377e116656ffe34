"""Means without the joint distribution are those that the joint distribution gives."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models import SCMBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.wide_bandit import WideSCMBandit, arms_on, set_means
from causal_bandits.problems.construction.arena.diagrams import random_diagram


def random_scm(number, nodes=4, confounders=2):
    """Two to three states, and hidden causes of three; the reward Y is binary."""
    rng = np.random.default_rng(number)
    graph = random_diagram(nodes, confounders, "erdos_renyi", rng)
    states = {v: 2 if v == "Y" else int(rng.integers(2, 4)) for v in graph}
    hidden = {f"U{i}": pair for i, pair in enumerate(sorted(graph.bidirected))}
    cpts = {u: CPT((), rng.dirichlet(np.ones(3))) for u in hidden}
    for v in graph:
        parents = [*sorted(graph.parents(v)), *(u for u, pair in hidden.items() if v in pair)]
        shape = [states.get(p, 3) for p in parents]
        cpts[v] = CPT(parents, rng.dirichlet(np.ones(states[v]), size=shape))
    return DiscreteSCM(graph, cpts)


@settings(max_examples=12)
@given(st.integers(0, 10**6))
def test_means_and_the_best_of_all_interventions(number):
    scm = random_scm(number)
    fixed = frozenset({"X2"}) if number % 2 else frozenset()
    plain = SCMBandit(scm, "Y", fixed)  # all sets
    wide = WideSCMBandit(scm, "Y", fixed, plain.arms)
    np.testing.assert_allclose(wide.means, plain.means, atol=1e-12)
    assert wide.optimal_mean == pytest.approx(plain.optimal_mean, abs=1e-12)
    few = WideSCMBandit(scm, "Y", fixed, arms_on(scm, [(), ("X1",)]))
    assert few.optimal_mean == pytest.approx(plain.optimal_mean, abs=1e-12)
    assert [tuple(arm) for arm in few.arms] == [(), *[("X1",)] * scm.cardinality("X1")]


def test_a_set_that_causes_nothing_has_its_axes():
    scm = DiscreteSCM(
        ADMG([("X", "Y"), ("Y", "Z")]),
        {"X": ((), [0.5, 0.5]), "Y": (("X",), [[1, 0], [0.5, 0.5]]), "Z": (("Y",), [[0.1, 0.2, 0.7], [1, 0, 0]])},
    )
    np.testing.assert_allclose(set_means(scm, ["Z", "X"], "Y"), [[0, 0, 0], [0.5, 0.5, 0.5]])


def test_sixty_variables_are_no_obstacle():
    """A chain with 3^60 joint states: the mean is a product of small matrices."""
    rng = np.random.default_rng(0)
    names = [f"X{i:02}" for i in range(60)]
    rows = {v: rng.dirichlet(np.ones(3), size=() if i == 0 else (3,)) for i, v in enumerate(names)}
    cpts = {v: CPT(names[max(i - 1, 0) : i], rows[v]) for i, v in enumerate(names)}
    rewarded = rng.random(3)
    cpts["Y"] = CPT([names[-1]], np.stack([1 - rewarded, rewarded], axis=-1))
    chain = DiscreteSCM(ADMG([*pairwise(names), (names[-1], "Y")]), cpts)
    bandit = WideSCMBandit(chain, "Y", frozenset(), arms_on(chain, [(), (names[30],)]))
    expected = np.eye(3)
    for v in names[31:]:
        expected = expected @ rows[v]
    np.testing.assert_allclose(bandit.means[1:], expected @ rewarded, atol=1e-12)
    assert bandit.optimal_mean == pytest.approx(rewarded.max())
