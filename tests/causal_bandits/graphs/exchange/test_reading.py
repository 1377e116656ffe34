"""A causal diagram in whatever form it is given."""

import networkx as nx
import numpy as np
import pgmpy.base
import pytest
from pgmpy.models import DiscreteBayesianNetwork

from causal_bandits.graphs import ADMG
from causal_bandits.graphs.exchange import as_admg, from_networkx, to_pgmpy
from causal_bandits.identification import NotIdentifiable, identify


def test_what_is_no_graph_is_refused():
    with pytest.raises(TypeError, match="graph: a dict; expected an ADMG"):
        as_admg({"X": ["Y"]})
    with pytest.raises(ValueError, match="dagitty"):
        as_admg("X and Y")
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
    assert [as_admg(graph) for graph in (dag, network, to_pgmpy(BOW))] == [BOW] * 3
    assert from_networkx(network, ADMG) == BOW
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
