"""Read a causal diagram in whatever form it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.exchange.dagitty import from_dagitty
from causal_bandits.graphs.exchange.libraries import from_networkx

if TYPE_CHECKING:
    import networkx as nx

#: Every form that public functions take a causal diagram in.
GraphLike: TypeAlias = "ADMG | str | nx.DiGraph[str]"


def as_admg(graph: GraphLike) -> ADMG:
    """Read a causal diagram: an ADMG, a text in the language of dagitty, or a networkx DiGraph.

    Parameters
    ----------
    graph : ADMG, str or networkx.DiGraph
        See `from_dagitty` and `from_networkx`. Nodes that are latent there (``[latent]``, an attribute ``hidden``) are
        projected out.

    Raises
    ------
    TypeError
        If it is none of these.
    ValueError
        If the text cannot be read, or the graph has a cycle or edges that a causal diagram does not have.

    Examples
    --------
    >>> as_admg("dag { X -> Y ; X <-> Y }")
    ADMG(directed=[('X', 'Y')], bidirected=[('X', 'Y')], nodes=['X', 'Y'])
    """
    if isinstance(graph, ADMG):
        return graph
    if isinstance(graph, str):
        return from_dagitty(graph, ADMG)
    if hasattr(graph, "is_directed") and hasattr(graph, "nodes"):
        return from_networkx(graph, ADMG)
    raise TypeError(f"graph: a {type(graph).__name__}; expected an ADMG, a text of dagitty or a networkx DiGraph")
