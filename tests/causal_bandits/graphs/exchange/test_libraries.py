"""Graphs as objects of other libraries: round trips, what each library says of them, and errors that name the edge."""

import re
import subprocess
import sys

import networkx as nx
import pgmpy.base
import pytest
from causallearn.graph.Edge import Edge as TheirEdge
from causallearn.graph.Endpoint import Endpoint
from causallearn.graph.GeneralGraph import GeneralGraph
from causallearn.graph.GraphNode import GraphNode
from causallearn.graph.NodeType import NodeType
from hypothesis import given, settings
from hypothesis import strategies as st
from named_graphs import NAMES, partially_directed_graphs
from strategies import admgs

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph, exchange

FORMS = ("networkx", "pgmpy", "y0", "causal_learn")


def there_and_back(graph, form):
    written = getattr(exchange, f"to_{form}")(graph)
    return getattr(exchange, f"from_{form}")(written, type(graph))


@settings(max_examples=300)
@given(admgs(names=NAMES[:-1]))
def test_admgs_come_back(graph):
    for form in FORMS:
        assert there_and_back(graph, form) == graph, form


@settings(max_examples=300)
@given(partially_directed_graphs())
def test_partially_directed_graphs_come_back(graph):
    for form in FORMS:
        if form == "y0" and graph.undirected:
            with pytest.raises(ValueError, match=re.escape(" -- ".join(min(graph.undirected)))):
                exchange.to_y0(graph)
        else:
            assert there_and_back(graph, form) == graph, form


@settings(max_examples=100)
@given(admgs(max_nodes=6), st.data())
def test_the_libraries_read_the_same_graph(graph, data):
    """Their own ancestors, districts and separations are ours: what is written means what it should."""
    theirs, y0 = exchange.to_pgmpy(graph), exchange.to_y0(graph)
    components = {frozenset(component) for component in graph.c_components()}
    assert {frozenset(v.name for v in district) for district in y0.districts()} == components
    assert {frozenset(theirs.get_district([v])) for v in graph} == components
    for v in graph:
        assert theirs.get_directed_parents([v]) == graph.parents(v)
    x, y, *given_ = data.draw(st.permutations(graph.nodes))
    given_ = given_[: data.draw(st.integers(0, 3))]
    separated = graph.is_d_separated(x, y, given_)
    assert nx.is_d_separator(exchange.to_networkx(graph), {x}, {y}, set(given_)) == separated
    assert theirs.is_mseparated([x], [y], set(given_)) == separated
    drawn = exchange.to_causal_learn(graph)
    assert drawn.get_num_nodes() == len(graph)
    assert {v for v in graph if drawn.is_ancestor_of(drawn.get_node(v), drawn.get_node(x))} == graph.ancestors(x)


@pytest.mark.parametrize("form", FORMS)
def test_an_edge_that_the_kind_cannot_hold_is_named(form):
    bow = ADMG([("A", "B"), ("B", "Y")], [("A", "Y")])
    with pytest.raises(ValueError, match=r"A <-> Y|U_AY"):
        getattr(exchange, f"from_{form}")(getattr(exchange, f"to_{form}")(bow), PartiallyDirectedGraph)
    if form != "y0":
        loose = PartiallyDirectedGraph("ABY", [("A", "B")], [("B", "Y")])
        with pytest.raises(ValueError, match="B -- Y"):
            getattr(exchange, f"from_{form}")(getattr(exchange, f"to_{form}")(loose), ADMG)


def test_hidden_nodes_of_any_shape_are_projected_out():
    """A hidden cause of three, with a cause of its own: what is left is the latent projection."""
    graph = ADMG([("A", "U"), ("U", "B"), ("U", "C"), ("U", "D")])
    latent = pgmpy.base.DAG(graph.directed, latents={"U"})
    assert exchange.from_pgmpy(latent, ADMG) == graph.latent_projection(list("ABCD"))
    digraph = exchange.to_networkx(graph)
    digraph.nodes["U"]["hidden"] = True
    assert exchange.from_networkx(digraph, ADMG) == graph.latent_projection(list("ABCD"))


def test_latent_nodes_of_causal_learn_are_hidden():
    nodes = [GraphNode(v) for v in "XYU"]
    x, y, u = nodes
    u.set_node_type(NodeType.LATENT)
    graph = GeneralGraph(nodes)
    for a, b in ((x, y), (u, x), (u, y)):
        graph.add_edge(TheirEdge(a, b, Endpoint.TAIL, Endpoint.ARROW))
    assert exchange.from_causal_learn(graph, ADMG) == ADMG([("X", "Y")], [("X", "Y")])


def test_a_circle_is_refused_and_other_classes_too():
    a, b = GraphNode("A"), GraphNode("B")
    learned = GeneralGraph([a, b])
    learned.add_edge(TheirEdge(a, b, Endpoint.CIRCLE, Endpoint.ARROW))
    with pytest.raises(ValueError, match="A o-> B"):
        exchange.from_causal_learn(learned, PartiallyDirectedGraph)
    with pytest.raises(ValueError, match="node 1"):
        exchange.from_networkx(nx.DiGraph([(1, 2)]), ADMG)
    with pytest.raises(ValueError, match=r"networkx\.DiGraph"):
        exchange.from_networkx(nx.Graph([("A", "B")]), ADMG)
    with pytest.raises(TypeError, match="Graph"):
        exchange.from_pgmpy(nx.Graph(), ADMG)


def test_importing_the_exchange_imports_none_of_the_libraries():
    code = (
        "import sys, causal_bandits.graphs.exchange; "
        "print(sorted({'networkx', 'pgmpy', 'y0', 'causallearn', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
