"""Every repair of lu2021's Algorithms 1 to 9, each with the smallest input on which the printed form fails.

Smallest: no graph with fewer nodes fails in that way; where a test searches all smaller ones, it says so.
"""

from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, product

import networkx as nx
import pytest
from single_node import skeleton

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.chordal import comparable_edges, grouped, junction_tree
from causal_bandits.graphs.essential import chain_components, essential_graph
from causal_bandits.policies.single_node.cn_ucb import effects_first
from causal_bandits.policies.single_node.helpers.central_cliques import find_in_component, find_sub_junction_tree
from causal_bandits.policies.single_node.helpers.central_nodes import ExactInterventions, find_in_tree, find_sub_tree
from replication.papers.lu2021 import policies, theory
from replication.papers.lu2021.policies import undirected_edges


def repaired(dag, reward):
    return find_in_tree(skeleton(dag), ExactInterventions(dag, [reward]), [])


def test_l100_algorithm_6_goes_to_and_fro_on_a_tie():
    pair = nx.Graph(["AB"])
    q = dict.fromkeys("AB", Fraction(1, 2))
    with pytest.raises(policies.NeverEndsError, match="Algorithm 6"):
        policies.central_node(pair, q)
    assert policies.central_node(pair, q, strictly=True) == "A"


def test_l101_algorithm_3_never_rules_out_a_node_without_neighbours():
    """Line 23 rules a node out only where a neighbour is an effect: a component of one node is tested for ever."""
    graph, do = skeleton(ADMG(nodes="A")), ExactInterventions(ADMG(nodes=list("AB")), ["B"])
    with pytest.raises(policies.NeverEndsError, match=r"Algorithm 3$"):
        policies.find_sub_tree(graph, do)
    assert find_sub_tree(graph, do, []) is None


def all_trees(n):
    names = list("ABCDEFG"[:n])
    for parents in product(*(range(i) for i in range(1, n))):
        yield ADMG([(names[parent], names[i]) for i, parent in enumerate(parents, start=1)], nodes=names)


def never_ends(search):
    try:
        search()
    except policies.NeverEndsError:
        return True
    return False


def test_l102_algorithm_3_gives_ruled_out_nodes_their_weight_back():
    """Line 25: B rules out its side, C that of A with B's again, and so on. All trees of four nodes or fewer end."""
    dag = ADMG(["AB", "AC", "BD", "BE"])
    do = ExactInterventions(dag, ["A"])
    assert never_ends(lambda: policies.find_sub_tree(skeleton(dag), do, first="C"))
    assert do.asked == list("BCB")  # where it has been before
    assert repaired(dag, "A").node == "A"
    for tree in (tree for n in range(1, 5) for tree in all_trees(n)):
        for reward, first in product(tree, repeat=2):
            answers = ExactInterventions(tree, [reward])
            assert not never_ends(partial(policies.find_sub_tree, skeleton(tree), answers, first))


def test_l102_algorithm_4_gives_ruled_out_nodes_their_weight_back():
    """Line 13: A's children are ruled out once A has led to B, and come back with E. Again four nodes are too few."""
    dag = ADMG(["AB", "AC", "AD", "BE"])
    do = ExactInterventions(dag, ["B"])
    assert never_ends(lambda: policies.find_key_node(skeleton(dag), "A", set("ABCDE"), do, first="E"))
    assert repaired(dag, "B").node == "B"
    for tree in (tree for n in range(1, 5) for tree in all_trees(n)):
        for reward, first in product(tree, repeat=2):
            answers, root = ExactInterventions(tree, [reward]), tree.topological_order[0]
            assert not never_ends(partial(policies.find_key_node, skeleton(tree), root, set(tree), answers, first))


def test_with_its_repairs_the_printed_form_finds_x_r_on_all_small_trees():
    mended = ("L101", "L102")
    for tree in (tree for n in range(1, 6) for tree in all_trees(n)):
        for reward, first in product(tree, repeat=2):
            answers, graph = ExactInterventions(tree, [reward]), skeleton(tree)
            root, nodes = policies.find_sub_tree(graph, answers, first, repaired=mended)
            found = policies.find_key_node(graph, root, nodes, answers, first, repaired=mended)
            assert found in (reward, None)  # None: L105
            assert repaired(tree, reward).node == reward


def test_l103_algorithm_3_does_not_end_where_no_node_is_an_ancestor():
    dag = ADMG(["AB"], nodes=list("ABC"))  # X_R = C, another component
    with pytest.raises(policies.NeverEndsError, match="line 3 does not check"):
        policies.find_sub_tree(nx.Graph(["AB"]), ExactInterventions(dag, ["C"]), first="A")
    assert find_sub_tree(nx.Graph(["AB"]), ExactInterventions(dag, ["C"]), []) is None


def test_l105_algorithm_4_does_not_say_what_it_returns_when_one_is_left():
    dag = ADMG(["AB"])
    do = ExactInterventions(dag, ["B"])
    assert policies.find_key_node(skeleton(dag), "A", set("AB"), do, first="A") is None
    assert repaired(dag, "B").node == "B"


def test_l106_algorithm_5_stops_at_the_wrong_component():
    """E44: A -> C <- B is a causal forest of three components. A is an ancestor of X_R = C, alone in its own."""
    dag = ADMG(["AC", "BC"])
    first = chain_components(essential_graph(dag))[0]
    do = ExactInterventions(dag, ["C"])
    assert policies.find_sub_tree(first, do) == ("A", {"A"})
    assert policies.find_key_node(first, "A", {"A"}, do) is None  # one node is left: A
    assert [sorted(component) for component in effects_first(essential_graph(dag))] == [["C"], ["B"], ["A"]]


def test_l107_algorithm_7_cuts_x_r_off_with_an_upstream_clique():
    """E42: Q -> Z -> R, Q -> R, Z -> W. Z is an ancestor of X_R = R; the clique QRZ is upstream of WZ, so it is cut."""
    dag = ADMG(["QZ", "ZR", "QR", "ZW"])
    graph, small = skeleton(dag), ("W", "Z")
    assert comparable_edges(junction_tree(graph)) is None  # what Theorem 3 asks for
    assert not essential_graph(dag).directed
    assert policies.find_sub_junction_tree(graph, ExactInterventions(dag, ["R"]), first=small) == (small, {small})
    assert policies.algorithm_2(graph, ExactInterventions(dag, ["R"]), first=small) == small  # without R
    assert find_in_component(graph, ExactInterventions(dag, ["R"]), []) == ("Q", "R", "Z")


def test_l109_algorithm_8_follows_a_child_that_only_shares_an_ancestor():
    """E43: B -> C, B -> D, X_R = C. B is in both cliques, so the child BD looks as if it led to X_R."""
    dag = ADMG(["BC", "BD"])
    graph, do = skeleton(dag), ExactInterventions(dag, ["C"])
    assert comparable_edges(junction_tree(graph)) is None
    assert policies.algorithm_2(graph, do, first=("B", "C")) == ("B", "D")
    assert find_in_component(graph, ExactInterventions(dag, ["C"]), []) == ("B", "C")


def all_junction_trees(dag):
    """Of a causal tree with at least two nodes: all trees of its edges whose neighbours share a node."""
    cliques = sorted(junction_tree(skeleton(dag)))
    meeting = [(a, b) for a, b in combinations(cliques, 2) if set(a) & set(b)]
    for chosen in combinations(meeting, len(cliques) - 1):
        junction = nx.Graph(list(chosen))
        junction.add_nodes_from(cliques)
        if nx.is_connected(junction):
            yield junction


def test_l108_algorithm_8_loses_x_r_where_the_junction_tree_is_a_path():
    """A -> B -> C, D with the junction tree AB - BD - BC, even with L109: C's clique for D. Three nodes are too few."""
    dag = ADMG(["AB", "BC", "BD"])
    junction = nx.Graph(list(pairwise([("A", "B"), ("B", "D"), ("B", "C")])))
    assert sorted(junction_tree(skeleton(dag))) == sorted(junction)

    def answer(tree, reward, first, junction):
        do = ExactInterventions(tree, [reward])
        return policies.algorithm_2(skeleton(tree), do, first, junction=junction, repaired=["L109"])

    assert answer(dag, "D", ("A", "B"), junction) == ("B", "C")
    found = find_sub_junction_tree(grouped(junction), ExactInterventions(dag, ["D"]), [])
    assert found.parents == [-1, 0, 0]  # BC is a child of the clique above it, not of its like
    assert find_in_component(skeleton(dag), ExactInterventions(dag, ["D"]), []) == ("B", "D")
    for tree in (tree for n in (2, 3) for tree in all_trees(n)):
        for smaller, reward in product(all_junction_trees(tree), tree):
            for first in smaller:
                ask = partial(answer, tree, reward, first, smaller)
                assert never_ends(ask) or reward in ask()  # L101 is not mended


def test_l101_algorithm_8_keeps_a_clique_without_ancestors():
    """Line 12 sets all remaining cliques to one, the central one with them. Two nodes, which are one clique, end."""
    dag, cliques = ADMG(["AB", "BC"]), {("A", "B"), ("B", "C")}
    with pytest.raises(policies.NeverEndsError, match="Algorithm 8"):
        policies.find_key_clique(skeleton(dag), ("A", "B"), cliques, ExactInterventions(dag, ["A"]), first=("B", "C"))
    pair = ADMG(["AB"])
    for reward in pair:
        answers = ExactInterventions(pair, [reward])
        assert policies.find_key_clique(skeleton(pair), ("A", "B"), {("A", "B")}, answers) == ("A", "B")


def test_algorithm_2_gives_a_clique_without_x_r_where_edges_are_comparable():
    """E46: the first graph of the pipeline's search, which no smaller one precedes; the repaired form gives none."""
    assert theory.wrong_cliques(4, strictly=True) == []
    dag, reward = theory.wrong_cliques(5, strictly=True)[0]
    graph = skeleton(dag)
    junction = junction_tree(graph)
    assert comparable_edges(junction) is not None
    given = []
    for first in junction:
        try:
            given.append(policies.algorithm_2(graph, ExactInterventions(dag, [reward]), first))
        except policies.NeverEndsError:
            given.append(None)
    assert any(clique is not None and reward not in clique for clique in given)
    repaired_clique = find_in_component(graph, ExactInterventions(dag, [reward]), [])
    assert repaired_clique is None or reward in repaired_clique


def test_a_tree_is_recovered_only_where_the_root_is_intervened_on_or_stands_next():
    path = ADMG([("X1", "X2"), ("X2", "X3"), ("X3", "X4"), ("X4", "X5")])
    assert undirected_edges(path, "X5") == 1  # the centre X3 is an ancestor: X2 -> X3 is known, X1 - X2 is not
    assert undirected_edges(path, "X1") == 0
    assert undirected_edges(ADMG([("X1", "X2")]), "X2") == 0
