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
    ],
)
def test_dagitty_says_what_it_cannot_read(text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        from_dagitty(text, ADMG)


def test_a_name_that_dagitty_cannot_quote_is_refused():
    with pytest.raises(ValueError, match='say "A"'):
        to_dagitty(ADMG(nodes=['say "A"']))
