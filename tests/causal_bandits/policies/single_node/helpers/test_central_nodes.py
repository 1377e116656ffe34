from collections import Counter
from itertools import product
from math import floor, log2

import networkx as nx
import numpy as np
import pytest
from single_node import moral_dag, skeleton

from causal_bandits.graphs import ADMG
from causal_bandits.graphs.essential import chain_components, essential_graph
from causal_bandits.policies.single_node.cn_ucb import effects_first
from causal_bandits.policies.single_node.helpers.central_cliques import find_in_component
from causal_bandits.policies.single_node.helpers.central_nodes import (
    Effect,
    ExactInterventions,
    Rooted,
    find_in_tree,
    find_key_node,
)


def all_trees(n):
    """Every shape of a directed tree with n nodes, from every root; names, which break ties, shuffled."""
    rng = np.random.default_rng(n)
    for tree in nx.nonisomorphic_trees(n):
        for root in range(n):
            names = [f"X{i}" for i in rng.permutation(n)]
            yield ADMG([(names[a], names[b]) for a, b in nx.bfs_edges(tree, root)], nodes=names)


def most_interventions(n, degree):
    """What Algorithms 3 and 4 can take with halving: see E41."""
    halvings = floor(log2(n))
    return (halvings + 1) + halvings * (1 + degree)


def test_exact_answers_find_x_r_on_every_tree_with_at_most_seven_nodes():
    for tree in (tree for n in range(1, 8) for tree in all_trees(n)):
        graph = skeleton(tree)
        for reward in tree:
            do = ExactInterventions(tree, [reward])
            key = find_in_tree(graph, do, [])
            assert key.node == reward
            assert set(key.subtree) == tree.descendants(reward)
            assert len(do.asked) <= most_interventions(len(tree), max(d for _, d in graph.degree))
            if len(tree) > 1:
                assert reward in find_in_component(graph, ExactInterventions(tree, [reward]), [])


def test_lemma_1_is_too_small_for_a_pair():
    """E41: K B (2 + d) log2 n + B are three interventions for n = 2, and stages 1 and 2 take four."""
    dag = ADMG(["BA"])
    do = ExactInterventions(dag, ["A"])
    assert find_in_tree(skeleton(dag), do, []).node == "A"
    assert len(do.asked) <= 4
    counts = []
    for names in (["AB"], ["BA"]):
        for reward in "AB":
            do = ExactInterventions(ADMG(names), [reward])
            find_in_tree(nx.Graph(["AB"]), do, [])
            counts.append(len(do.asked))
    assert max(counts) == 4 > (2 + 1) * log2(2)


@pytest.mark.parametrize("search", ["forest", "general"])
def test_components_effects_first_find_x_r_in_causal_forests(search):
    """With v-structures an ancestor of X_R may be all that a component has of it (L106)."""
    rng, several = np.random.default_rng(1), 0
    for _ in range(200):
        names = [f"X{i}" for i in rng.permutation(7)]
        edges = [(a, b) for a, b in product(names, names) if names.index(a) < names.index(b) and rng.random() < 0.25]
        dag = ADMG(edges, nodes=names)
        components = effects_first(essential_graph(dag))
        assert {frozenset(c) for c in components} == {frozenset(c) for c in chain_components(essential_graph(dag))}
        if any(c.number_of_edges() >= len(c) for c in components):
            continue  # not a causal forest
        several += len(components) > 1
        for reward in dag:
            do, key = ExactInterventions(dag, [reward]), None
            for component in components:
                key = find_in_tree(component, do, []) if search == "forest" else find_in_component(component, do, [])
                if key:
                    break
            assert (key.node == reward) if search == "forest" else (reward in key)
    assert several > 100


class Staged(ExactInterventions):
    """Writes down the stages that ask."""

    def on(self, stage, node, watched=()):
        self.stages = [*getattr(self, "stages", []), stage]
        return super().on(stage, node, watched)


@pytest.mark.parametrize("edges", [["AB", "BC", "BD"], ["AB", "BC", "AC", "CD", "DE"]])
def test_stage_1_asks_until_it_knows_where_to_look_then_stage_2(edges):
    """Rounds are counted by stage; the second graph has a clique of three."""
    dag = ADMG(edges)
    for reward in dag:
        for search in (find_in_component, find_in_tree) if len(edges) < len(dag) else (find_in_component,):
            do, trace = Staged(dag, [reward]), []
            search(skeleton(dag), do, trace)
            assert do.stages == sorted(do.stages)
            assert set(do.stages) == {step.stage for step in trace} == {1, 2}


def test_a_component_that_is_no_tree_is_refused():
    with pytest.raises(ValueError, match="is not a tree: 3 nodes, 3 edges; such graphs need graph='general'"):
        find_in_tree(nx.Graph(["AB", "BC", "CA"]), ExactInterventions(ADMG(["AB", "BC", "AC"]), ["A"]), [])


class RandomAnswers:
    """As often wrong as right; counts how often it was asked about each node."""

    def __init__(self, rng, ancestor=0.3, moved=0.5):
        self.rng, self.ancestor, self.moved, self.asked = rng, ancestor, moved, Counter()

    def on(self, stage, node, watched=()):
        self.asked[node] += 1
        moved = frozenset(v for v in sorted(watched) if self.rng.random() < self.moved)
        return Effect(self.rng.random() < self.ancestor, moved)


def test_wrong_answers_end_the_search():
    """No answers, however wrong, keep either search going; a tree's asks about a node three times at most (L191)."""
    rng = np.random.default_rng(2)
    for _ in range(300):
        dag = moral_dag(rng, 9)
        graph = skeleton(dag)
        find_in_component(graph, RandomAnswers(rng), [])
        if graph.number_of_edges() == len(graph) - 1:
            find_in_tree(graph, do := RandomAnswers(rng), [])
            assert max(do.asked.values()) <= 3


def test_a_star_stays_below_lemma_1_whatever_the_answers():
    """L191; with right answers stage 1 intervenes twice at most."""
    star, rng = nx.star_graph([f"X{i:02}" for i in range(60)]), np.random.default_rng(3)
    for ancestor, moved in rng.random((200, 2)):
        find_in_tree(star, do := RandomAnswers(rng, ancestor, moved), [])
        assert do.asked.total() <= (2 + star.degree["X00"]) * log2(len(star))
    for root in ("X00", "X01"):  # the centre, and a leaf
        dag = ADMG(list(nx.bfs_edges(star, root)))
        for reward in dag:
            find_in_tree(star, ExactInterventions(dag, [reward]), trace := [])
            assert sum(step.stage == 1 for step in trace) <= 2


#: A root with three leaves below it, the leaves numbered 1 to 3.
STAR = Rooted(["root", "a", "b", "c"], [-1, 0, 0, 0])


@pytest.mark.parametrize(
    ("ancestors", "first_child", "expected"),
    [
        ({"root"}, False, "root"),
        ({"root", "b"}, False, "b"),
        # Noisy tests: more than one child looks like an ancestor. Algorithm 4 overwrites, Algorithm 8 breaks.
        ({"root", "a", "c"}, False, "c"),
        ({"root", "a", "b"}, False, "b"),
        ({"root", "a", "c"}, True, "a"),
        ({"root", "b", "c"}, True, "b"),
    ],
)
def test_of_several_children_that_look_like_ancestors_the_last_counts_or_the_first(ancestors, first_child, expected):
    """Algorithm 4, lines 18 to 30, and Algorithm 8, line 19."""
    asked, left = [], []

    def tests(position):
        asked.append(STAR.nodes[position])
        return STAR.nodes[position] in ancestors

    found = find_key_node(STAR, tests, lambda centre, rest: left.append((centre, rest)), first_child=first_child)
    assert found == expected
    children = ["a", "b", "c"]
    stopped = children.index(expected) + 1 if first_child else 3
    assert asked == ["root", *children[:stopped]]
    assert left == [(0, [STAR.nodes.index(expected)])]
