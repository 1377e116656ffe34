"""Random single-node bandits and graphs that several test modules share."""

import networkx as nx
import numpy as np
from hypothesis import strategies as st
from strategies import admgs

from causal_bandits.graphs import ADMG
from causal_bandits.models import DiscreteSCM
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.problems.construction.lu2021.shapes import chordal
from causal_bandits.problems.lu2021 import assumed, tree


@st.composite
def copying_bandits(draw, max_nodes=7):
    """A random tree or chordal DAG whose model holds the assumptions with small constants."""
    n, rng = draw(st.integers(1, max_nodes)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["interval", "clique_tree", "nested"]))
    states = draw(st.integers(2, 3))
    return assumed(chordal(n, kind, draw(st.integers(2, 3)), rng), rng, states, epsilon=0.1, reward_gap=0.1)


def small_tree(draw):
    """Eight nodes with three states."""
    return tree(8, draw=draw, epsilon=0.2, reward_gap=0.3)


def skeleton(dag):
    graph = nx.Graph(sorted(dag.directed))
    graph.add_nodes_from(dag.nodes)
    return graph


def moral_dag(rng, n):
    names = [f"X{i}" for i in rng.permutation(n)]
    parents = {names[0]: set()}
    for i, name in enumerate(names[1:], start=1):
        other = names[int(rng.integers(i))]
        parents[name] = {other} | {p for p in sorted(parents[other]) if rng.random() < 0.5}
    return ADMG([(p, v) for v, causes in parents.items() for p in causes], nodes=names)


@st.composite
def single_node_bandits(draw, max_nodes=5, **options):
    """Random DAG, tables and one or two reward variables."""
    drawn = draw(admgs(max_nodes=max_nodes))
    graph, rng = ADMG(drawn.directed, nodes=drawn.nodes), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    states = int(rng.integers(2, 4))
    cpts = {}
    for v in graph:
        parents = sorted(graph.parents(v))
        cpts[v] = (parents, rng.dirichlet(np.ones(states), size=(states,) * len(parents)))
    chosen = rng.choice(graph.nodes, size=min(len(graph), int(rng.integers(1, 3))), replace=False)
    rewards = {str(v): rng.uniform(0, 0.5, size=states).tolist() for v in chosen}
    return SingleNodeBandit(DiscreteSCM(graph, cpts), rewards, **options)
