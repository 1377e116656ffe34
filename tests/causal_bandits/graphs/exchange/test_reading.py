"""A causal diagram in whatever form it is given."""

import pytest
from hypothesis import given, settings
from strategies import admgs

from causal_bandits.graphs.exchange import as_admg, to_dagitty, to_networkx


@settings(max_examples=200, deadline=None)
@given(admgs())
def test_every_form_gives_the_same_graph(graph):
    assert as_admg(graph) is graph
    assert as_admg(to_dagitty(graph)) == graph
    assert as_admg(to_networkx(graph)) == graph


def test_what_is_no_graph_is_refused():
    with pytest.raises(TypeError, match="graph: a dict; expected an ADMG"):
        as_admg({"X": ["Y"]})
    with pytest.raises(ValueError, match="dagitty"):
        as_admg("X -> Y")
