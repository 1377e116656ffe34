"""A causal diagram in whatever form it is given: round trips, what people write, and errors that name the edge."""

import re
import subprocess
import sys

import networkx as nx
import numpy as np
import pgmpy.base
import pytest
from hypothesis import given
from pgmpy.models import DiscreteBayesianNetwork
from strategies import admgs

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph
from causal_bandits.graphs.exchange import as_admg
from causal_bandits.identification import NotIdentifiable, identify

NAMES = ("A", "B1", "a_c", "dag", "U_AB", "x.y", "two words")  # not all are plain words


@given(admgs(names=NAMES))
def test_admgs_come_back(graph):
    assert as_admg(graph) is graph
    edges = [f'"{a}" -> "{b}"' for a, b in graph.directed] + [f'"{a}" <-> "{b}"' for a, b in graph.bidirected]
    text = "\n".join(["dag {", *(f'"{v}"' for v in graph), *edges, "}"])
    assert as_admg(text) == as_admg(graph.to_networkx()) == graph


def test_a_learned_graph_is_read_if_every_edge_is_directed():
    graph = PartiallyDirectedGraph("XYZW", [("X", "Z"), ("Z", "Y")])
    assert as_admg(graph) == ADMG([("X", "Z"), ("Z", "Y")], nodes="W")
    assert identify(graph, outcome="Y", treatment="X") == identify("X -> Z -> Y ; W", outcome="Y", treatment="X")
    with pytest.raises(ValueError, match=r"X -- Z: .*required="):
        identify(PartiallyDirectedGraph("XYZ", [("Z", "Y")], [("X", "Z")]), outcome="Y", treatment="X")


def test_dagitty_reads_what_people_write():
    text = """dag {
        bb="0,0,1,1"
        X [exposure,pos="-1.2,0.3"]
        Y [outcome]
        "my U" [latent]
        X -> {Z W} -> Y <- X ; X <- "my U" -> Y
        Y <-> W
    }"""
    directed = [("X", "Z"), ("X", "W"), ("Z", "Y"), ("W", "Y"), ("X", "Y")]
    assert as_admg(text) == ADMG(directed, [("X", "Y"), ("W", "Y")])
    assert as_admg("pdag{A<-B->C}") == ADMG([("B", "A"), ("B", "C")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pag { A @-> B }", "'pag'"),
        ("mag { A -> B }", "'mag'"),
        ("dag { A @-> B }", "A @-> B"),
        ("dag { A -- B }", "A -- B"),
        ("dag { A -> B B -> A }", " -> A"),
        ("dag { A -> }", "A ->"),
        ("dag { -> A }", "'->'"),
        ("dag { A -> <- B }", "'<-'"),
        ("dag { A -> B", "brace"),
        ("dag { A -> B } }", "'}'"),
        ("dag { A ~> B }", "'~> B }'"),
        ("digraph G [Z -> X; Z -> Y; X -> Y;]", "edges in brackets, [Z -> X"),
        ("diagraph { A -> B }", "'diagraph'"),
        ("nothing of the kind", "'nothing of the kind'"),
        ("graph { A -- B }", "'graph'"),
        ("digraph { subgraph cluster { A } A -> B }", "a subgraph"),
        ("dag { U -> Y [latent] }", "[latent] after an edge"),
        ("dag { X -> {A B} [u] }", "[u] after an edge or a group"),
        ("digraph { A -> B [dir=both] }", "[dir=both] after an edge"),
        ('dag { U [observed="perhaps"] ; U -> Y }', "node 'U': observed='perhaps'; expected true or false"),
        ("dag { X -> S ; S [selected] }", "S [selected]; the graph cannot say that the data are selected"),
        ("dag { U [latent,observed=yes] ; U -> Y }", "node 'U': latent=True, observed='yes'"),
    ],
)
def test_dagitty_says_what_it_cannot_read(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        as_admg(text)


@pytest.mark.parametrize(
    "option",
    [
        "latent",
        "latents",
        "l",
        "unobserved",
        "u",
        'l,pos="0.1,0.2"',
        'pos="0,1", latent',
        'observed="no"',
        "observed=False",
        "latent=1",
    ],
)
def test_every_way_to_say_latent_hides_the_node(option):
    """So that X and Y are confounded, and the effect is not taken for identified."""
    text = f"dag {{ U [{option}] X -> Y X <- U -> Y }}"
    assert as_admg(text) == ADMG([("X", "Y")], [("X", "Y")])


@pytest.mark.parametrize(
    "option",
    [
        'label="latent heat"',
        'latent="no"',
        'observed="yes"',
        "hidden=False",
        "e",
        "o",
        "exposure",
        'tip="u,l"',
    ],
)
def test_what_only_looks_like_latent_hides_nothing(option):
    assert as_admg(f"dag {{ T [{option}] T -> Y }}") == ADMG([("T", "Y")])


@pytest.mark.parametrize(
    "text",
    [
        "X -> Y <- Z",
        "X -> Y\nZ -> Y\n",
        "{ X -> Y Z -> Y }",
        "\ufeffdag { X -> Y Z -> Y }",
        "dag smoking { X -> Y Z -> Y }",
        'dag "my graph" { X -> Y ; Z -> Y }',
        "DAG{X->Y<-Z}",
        "digraph { X -> Y; Z -> Y; }",
        'strict digraph G { rankdir=LR; node [shape=circle]; edge [color=red];\n X -> Y [label="a ] b"]; Z -> Y }',
        "dag { // what is known\n X -> Y /* and\n more */ Z -> Y }",
        "Z -> {Y} X -> {Y}",
        "dag{'X' -> 'Y' [beta=0.2] Z -> 'Y'}",
    ],
)
def test_headers_of_every_kind_are_read(text):
    assert as_admg(text) == ADMG([("X", "Y"), ("Z", "Y")])


def test_a_node_may_have_the_name_of_a_statement_of_dot():
    assert as_admg("dag { node -> edge [beta=0.5] edge -> graph }") == ADMG([("node", "edge"), ("edge", "graph")])


def test_what_is_no_graph_is_refused():
    with pytest.raises(TypeError, match="graph: a dict; expected an ADMG"):
        as_admg({"X": ["Y"]})
    with pytest.raises(ValueError, match="dagitty"):
        as_admg("X and Y")
    with pytest.raises(ValueError, match="node 1"):
        as_admg(nx.DiGraph([(1, 2)]))
    for graph in (nx.Graph([("A", "B")]), pgmpy.base.ADMG([("A", "B")])):
        with pytest.raises(ValueError, match=r"expected a networkx\.DiGraph, got a"):
            as_admg(graph)
    with pytest.raises(ValueError, match="GML: "):
        as_admg("graph [ directed 1 node [ id 0 ]")
    with pytest.raises(ValueError, match="GML: a Graph; expected 'directed 1'"):
        as_admg('graph [ node [ id 0 label "X" ] node [ id 1 label "Y" ] edge [ source 0 target 1 ] ]')


BOW = ADMG([("X", "Y")], [("X", "Y")])
EDGES = [("X", "Y"), ("U", "X"), ("U", "Y")]


def test_latents_of_pgmpy_are_hidden():
    """They confound X and Y; without them the effect would be taken for identified."""
    dag = pgmpy.base.DAG(EDGES, latents={"U"})
    network = DiscreteBayesianNetwork(EDGES, latents={"U"})
    assert [as_admg(graph) for graph in (dag, network)] == [BOW] * 2
    marked = pgmpy.base.DAG()
    marked.add_node("U", latent=True)  # an attribute, which pgmpy does not count among its latents
    marked.add_edges_from(EDGES)
    assert as_admg(marked) == BOW
    with pytest.raises(NotIdentifiable):
        identify(network, outcome="Y", treatment="X")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("observed", "no"),
        ("observed", False),
        ("observed", 0),
        ("hidden", "True"),
        ("latent", 1),
        ("unobserved", "yes"),
    ],
)
def test_attributes_of_networkx_hide_a_node(name, value):
    graph = nx.DiGraph(EDGES)
    graph.nodes["U"][name] = value
    graph.nodes["X"]["observed"] = "yes"
    graph.nodes["Y"]["hidden"] = None
    assert as_admg(graph) == BOW


@pytest.mark.parametrize(
    ("name", "value"), [("hidden", "False"), ("observed", "yes"), ("latent", np.False_), ("hidden", 0)]
)
def test_a_false_attribute_hides_nothing(name, value):
    graph = nx.DiGraph([("T", "Y")])
    graph.nodes["T"][name] = value
    assert as_admg(graph) == ADMG([("T", "Y")])


def test_a_text_of_gml_is_read_as_dowhy_writes_it():
    text = (
        'graph[directed 1 node[ id "X" label "X"] node[ id "Y" label "Y"] '
        'node[ id "U" label "Unobserved Confounders" observed "no"] '
        'edge[source "X" target "Y"] edge[source "U" target "X"] edge[source "U" target "Y"]]'
    )
    assert as_admg(text) == BOW


def test_two_arrows_against_each_other_are_named():
    with pytest.raises(ValueError, match=r"a -- b \(a -> b and b -> a\): an ADMG has neither cycles"):
        as_admg(nx.DiGraph([("a", "b"), ("b", "a")]))


def test_hidden_nodes_of_any_shape_are_projected_out():
    """A hidden cause of three, with a cause of its own: what is left is the latent projection."""
    graph = ADMG([("A", "U"), ("U", "B"), ("U", "C"), ("U", "D")])
    expected = graph.latent_projection(list("ABCD"))
    assert as_admg(pgmpy.base.DAG(graph.directed, latents={"U"})) == expected
    digraph = graph.to_networkx()
    digraph.nodes["U"]["hidden"] = True
    assert as_admg(digraph) == expected


def test_importing_the_exchange_imports_none_of_the_libraries():
    code = (
        "import sys, causal_bandits.graphs.exchange; print(sorted({'networkx', 'pgmpy', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
