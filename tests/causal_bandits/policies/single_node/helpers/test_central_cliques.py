"""Stages 1 and 2 on chordal components, with exact answers."""

from itertools import product

import numpy as np
import pytest
from single_node import moral_dag, skeleton

from causal_bandits.graphs import ADMG
from causal_bandits.graphs.chordal import comparable_edges, junction_tree
from causal_bandits.graphs.essential import essential_graph
from causal_bandits.policies.single_node.cn_ucb import effects_first
from causal_bandits.policies.single_node.helpers.central_cliques import find_in_component
from causal_bandits.policies.single_node.helpers.central_nodes import ExactInterventions


def test_exact_answers_find_a_clique_with_x_r_or_where_edges_are_comparable_none():
    rng, found = np.random.default_rng(0), {True: [], False: []}
    for _ in range(300):
        dag = moral_dag(rng, int(rng.integers(1, 10)))
        graph = skeleton(dag)
        comparable = comparable_edges(junction_tree(graph)) is not None
        for reward in dag:
            clique = find_in_component(graph, ExactInterventions(dag, [reward]), [])
            assert (comparable and clique is None) or reward in clique
            found[comparable].append(clique is not None)
    assert all(found[False])
    assert len(found[False]) > 300 < len(found[True])
    assert not all(found[True])  # they fall back to UCB on all arms (Algorithm 2, line 12)


def test_components_effects_first_find_a_clique_with_x_r_in_general_graphs():
    """Algorithm 2 on random DAGs with several chain components, of which some are no trees."""
    rng, several = np.random.default_rng(3), 0
    for _ in range(400):
        names = [f"X{i}" for i in rng.permutation(8)]
        edges = [(a, b) for a, b in product(names, names) if names.index(a) < names.index(b) and rng.random() < 0.3]
        dag = ADMG(edges, nodes=names)
        components = effects_first(essential_graph(dag))
        if any(comparable_edges(junction_tree(c)) for c in components):
            continue  # Theorem 3 promises nothing
        several += len(components) > 1 and any(c.number_of_edges() >= len(c) for c in components)
        for reward in dag:
            do = ExactInterventions(dag, [reward])
            found = (find_in_component(component, do, []) for component in components)
            assert reward in next(clique for clique in found if clique is not None)
    assert several > 30


@pytest.mark.parametrize("nodes", [15, 31, 63])
def test_stage_1_halves_a_path_of_cliques(nodes):
    """It asks no more of them than it takes to halve them down to one."""
    names = [f"X{i}" for i in range(nodes)]
    dag = ADMG([(a, b) for i, a in enumerate(names) for b in names[i + 1 : i + 3]], nodes=names)
    for reward in names[:: nodes // 7]:
        trace = []
        clique = find_in_component(skeleton(dag), ExactInterventions(dag, [reward]), trace)
        assert clique is None or reward in clique
        asked = [step for step in trace if step.stage == 1]
        assert len(asked) <= (nodes - 2).bit_length()
