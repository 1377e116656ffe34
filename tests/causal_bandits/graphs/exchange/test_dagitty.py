"""Graphs in the language of dagitty: round trips, what people write, and errors that name the edge."""

import re

import pytest
from hypothesis import given
from named_graphs import NAMES, partially_directed_graphs
from strategies import admgs

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph
from causal_bandits.graphs.exchange.dagitty import from_dagitty, to_dagitty


@given(admgs(names=NAMES[:-1]))
def test_admgs_come_back(graph):
    assert from_dagitty(to_dagitty(graph), ADMG) == graph


@given(partially_directed_graphs())
def test_partially_directed_graphs_come_back(graph):
    assert from_dagitty(to_dagitty(graph), PartiallyDirectedGraph) == graph


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
    assert from_dagitty(text, ADMG) == ADMG(directed, [("X", "Y"), ("W", "Y")])
    assert from_dagitty("pdag{A--B->C}", PartiallyDirectedGraph) == PartiallyDirectedGraph(
        "ABC", [("B", "C")], [("A", "B")]
    )


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
        ("dag { U [latent,observed=yes] ; U -> Y }", "node 'U': latent=True, observed='yes'"),
    ],
)
def test_dagitty_says_what_it_cannot_read(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        from_dagitty(text, ADMG)


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
    assert from_dagitty(text, ADMG) == ADMG([("X", "Y")], [("X", "Y")])


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
        "selected",
        'tip="u,l"',
    ],
)
def test_what_only_looks_like_latent_hides_nothing(option):
    assert from_dagitty(f"dag {{ T [{option}] T -> Y }}", ADMG) == ADMG([("T", "Y")])


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
    assert from_dagitty(text, ADMG) == ADMG([("X", "Y"), ("Z", "Y")])


def test_a_node_may_have_the_name_of_a_statement_of_dot():
    assert from_dagitty("dag { node -> edge [beta=0.5] edge -> graph }", ADMG) == ADMG(
        [("node", "edge"), ("edge", "graph")]
    )


def test_a_name_that_dagitty_cannot_quote_is_refused():
    with pytest.raises(ValueError, match='say "A"'):
        to_dagitty(ADMG(nodes=['say "A"']))
