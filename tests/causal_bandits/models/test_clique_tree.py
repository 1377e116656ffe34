"""Message passing: the exact answers of `DiscreteSCM` for all single-node interventions, and named errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs

from causal_bandits.graphs import ADMG
from causal_bandits.models import DiscreteSCM
from causal_bandits.models.clique_tree import CliqueTree, TooWideError


def random_dag_scm(graph, rng):
    """Random tables of two or three states; some of their entries are zero."""
    graph = ADMG(graph.directed, nodes=graph.nodes)
    cards = {v: int(rng.integers(2, 4)) for v in graph}
    cpts = {}
    for v in graph:
        parents = sorted(graph.parents(v))
        rng.shuffle(parents)
        table = rng.dirichlet(np.ones(cards[v]), size=tuple(cards[p] for p in parents))
        table = np.where(rng.random(table.shape) < 0.2, 0.0, table) + 1e-300
        cpts[v] = (parents, table / table.sum(axis=-1, keepdims=True))
    return DiscreteSCM(graph, cpts)


@st.composite
def scms(draw, **sizes):
    return random_dag_scm(draw(admgs(**sizes)), np.random.default_rng(draw(st.integers(0, 2**32 - 1))))


@settings(max_examples=200)
@given(scms(max_nodes=7), st.integers(0, 2**32 - 1))
def test_every_effect_equals_that_of_the_enumerated_model(scm, seed):
    tree, rng = CliqueTree(scm), np.random.default_rng(seed)
    target = str(rng.choice(scm.variables))
    values = rng.normal(size=scm.cardinality(target))
    effects = tree.effects(target, values)
    for v in scm.variables:
        np.testing.assert_allclose(tree.of(v, tree.marginals), scm.distribution([v]), atol=1e-12)
        expected = [scm.distribution([target], {v: x}) @ values for x in range(scm.cardinality(v))]
        np.testing.assert_allclose(tree.of(v, effects), expected, atol=1e-12)


@settings(max_examples=60)
@given(scms(min_nodes=3, max_nodes=6), st.integers(0, 2**32 - 1))
def test_effects_on_top_of_another_intervention(scm, seed):
    tree, rng = CliqueTree(scm), np.random.default_rng(seed)
    target, base = (str(v) for v in rng.choice(scm.variables, 2, replace=False))
    values, do = rng.normal(size=scm.cardinality(target)), {base: int(rng.integers(scm.cardinality(base)))}
    effects = tree.effects(target, values, do)
    for v in scm.variables:
        expected = [scm.distribution([target], {**do, v: x}) @ values for x in range(scm.cardinality(v))]
        np.testing.assert_allclose(tree.of(v, effects), expected, atol=1e-12)
    np.testing.assert_array_equal(tree.effects(target, values), CliqueTree(scm).effects(target, values))


def test_long_chains_and_wide_stars_are_exact():
    """Copies with a known probability: what is left of an effect is a power of it."""
    n, kept = 2000, 0.999
    copy = kept * np.eye(2) + (1 - kept) / 2
    names = [f"X{i:04}" for i in range(n)]
    for parent_of in (lambda i: i - 1, lambda i: 0):
        parents = [() if i == 0 else (names[parent_of(i)],) for i in range(n)]
        graph = ADMG([(p, v) for v, own in zip(names, parents, strict=True) for p in own], nodes=names)
        cpts = {v: (own, copy if own else [0.5, 0.5]) for v, own in zip(names, parents, strict=True)}
        tree = CliqueTree(DiscreteSCM(graph, cpts))
        effects = tree.effects(names[-1], [0.0, 1.0])
        steps = n - 1 if parent_of(5) == 4 else 1
        np.testing.assert_allclose(tree.of(names[0], effects), 0.5 + np.array([-0.5, 0.5]) * kept**steps, atol=1e-12)
        np.testing.assert_allclose(tree.marginals, 0.5, atol=1e-12)


def test_a_model_that_is_too_wide_is_refused():
    names = [f"P{i:02}" for i in range(18)]
    table = np.full((2,) * 19, 0.5)
    graph = ADMG([(p, "Y") for p in names])
    scm = DiscreteSCM(graph, {**dict.fromkeys(names, ((), [0.5, 0.5])), "Y": (tuple(names), table)})
    with pytest.raises(TooWideError, match=r"would share a table of 524288 numbers; at most 65536"):
        CliqueTree(scm)
