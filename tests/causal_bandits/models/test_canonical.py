"""Canonical SCMs: 0/1 vectors by enumeration, interventional distributions of the same SCM, and what is too large."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import admgs, bandits, positive_scm
from twins.canonical import PlainCanonical, probability

from causal_bandits.graphs import ADMG
from causal_bandits.models import ARM_STRATEGIES, SCMBandit
from causal_bandits.models.canonical import (
    LARGEST_COMPONENT,
    CanonicalSCM,
    canonical_arms,
    cell_probabilities,
)
from causal_bandits.models.families import uniform_cpt


@st.composite
def of_more_states(draw):
    """Bandits whose variables but the reward have two or three states."""
    scm = positive_scm(draw(admgs(max_nodes=3)), np.random.default_rng(draw(st.integers(0, 10**6))))
    assume(scm.cardinality("Y") == 2)
    return SCMBandit(scm, "Y", arm_strategy=draw(st.sampled_from(sorted(ARM_STRATEGIES))))


def built(bandit):
    """Its canonical arms, if no component is too large."""
    graph = bandit.scm.graph
    causes = graph.subgraph(graph.ancestors({bandit.reward}))
    for component in causes.c_components():
        sizes = [
            bandit.scm.cardinality(v) ** math.prod(map(bandit.scm.cardinality, causes.parents(v))) for v in component
        ]
        assume(math.prod(sizes) <= LARGEST_COMPONENT)
    return canonical_arms(bandit)


def drawn(arms, rng):
    """Random distributions of all hidden variables."""
    sizes = np.diff(arms.hidden_start)
    return np.concatenate([rng.dirichlet(np.ones(size)) for size in sizes])


def by_hidden(plain, q):
    """The same distributions by the twin's hidden variables; the order of values is found by their responses."""
    canonical, found = CanonicalSCM(plain.graph, plain.k), {}
    parts = iter(np.split(q, canonical.hidden_start[1:-1]))
    for component in canonical.components:
        keys = [h for h in plain.values if h == component or (len(component) == 1 and h[0] == component[0])]
        for key in keys:
            own, values = next(parts), plain.values[key]
            if len(component) == 1:
                found[key] = own
                continue
            responses = zip(*(map(tuple, canonical.response(v).tolist()) for v in component), strict=True)
            place = {response: u for u, response in enumerate(responses)}
            found[key] = own[[place[tuple(tuple(value[v].values()) for v in component)] for value in values]]
    return found


@settings(max_examples=200)
@given(st.one_of(bandits(), of_more_states()), st.integers(0, 10**6))
def test_probabilities_of_cells_and_means_are_those_of_all_responses_enumerated(bandit, seed):
    arms = built(bandit)
    q = drawn(arms, np.random.default_rng(seed))
    plain = PlainCanonical(bandit)
    own = by_hidden(plain, q)
    found, at = cell_probabilities(arms, q), 0
    for x, arm in enumerate(bandit.arms):
        cells = plain.cells(arm)
        assert arms.cells.arm_start[x + 1] - arms.cells.arm_start[x] == len(cells)
        expected = [probability(factors, own) for factors in cells.values()]
        np.testing.assert_allclose(found[at : at + len(cells)], expected, rtol=0, atol=1e-12)
        assert sum(expected) == pytest.approx(1)
        assert arms.rewarded[at : at + len(cells)].tolist() == [("Y", 1) in v for v in cells]
        for number, v in enumerate(cells):
            states = np.array([dict(v).get(name, 0) for name in bandit.scm.variables])
            assert arms.stride[x] @ states == number
        at += len(cells)
        rewarded = sum(p for p, v in zip(expected, cells, strict=True) if ("Y", 1) in v)
        assert sum(probability(f, own) for f in plain.ways(arm)) == pytest.approx(rewarded)
        rows = np.add.reduceat(q[arms.member], arms.row_start[:-1])
        events = range(arms.events.arm_start[x], arms.events.arm_start[x + 1])
        ways = [rows[arms.events.row[arms.events.start[k] : arms.events.start[k + 1]]].prod() for k in events]
        assert sum(ways) == pytest.approx(rewarded)


def test_what_does_not_cause_the_reward_is_left_out():
    graph = ADMG([("X", "Y"), ("Y", "W"), ("X", "W")], [("Y", "W")])
    arms = canonical_arms(SCMBandit(uniform_cpt(graph, np.random.default_rng(0)), arm_strategy="brute_force"))
    assert arms.size == 2 + 4
    assert not arms.stride[:, 3].any() or not arms.stride[:, 2].any()


def test_a_component_above_the_limit_is_named_with_its_size():
    names = [f"X{i}" for i in range(4)]
    graph = ADMG([(v, "Y") for v in names], [("X0", "Y")])
    bandit = SCMBandit(uniform_cpt(graph, np.random.default_rng(0)), arm_strategy="possibly_optimal")
    with pytest.raises(ValueError, match=rf"X0, Y.*{2 * 2**16} values.*at most {LARGEST_COMPONENT}"):
        canonical_arms(bandit)


def test_a_single_variable_may_have_any_number_of_parents():
    names = [f"X{i}" for i in range(4)]
    graph = ADMG([(v, "Y") for v in names])
    bandit = SCMBandit(uniform_cpt(graph, np.random.default_rng(0)), arm_strategy="possibly_optimal")
    assert canonical_arms(bandit).size == 4 * 2 + 16 * 2


def test_too_many_cells_are_refused():
    names = [f"X{i:02}" for i in range(17)]
    graph = ADMG(zip(names, [*names[1:], "Y"], strict=True))
    scm = uniform_cpt(graph, np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"joint values of their free variables; expected at most 65536"):
        canonical_arms(SCMBandit(scm, arm_strategy="possibly_optimal"))
