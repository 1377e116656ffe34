"""Read a causal diagram in whatever form it is given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.exchange.dagitty import from_dagitty
from causal_bandits.graphs.exchange.libraries import from_networkx, from_pgmpy

if TYPE_CHECKING:
    import networkx as nx

#: How a string in the Graph Modelling Language begins.
_GML = re.compile(r"\s*graph\s*\[")
#: Every form in which public functions accept a causal diagram.
GraphLike: TypeAlias = "ADMG | str | nx.DiGraph[str]"


def as_admg(graph: GraphLike) -> ADMG:
    """Read a causal diagram: an ADMG, a dagitty string, or a networkx DiGraph.

    Parameters
    ----------
    graph : ADMG, str or networkx.DiGraph
        See `from_dagitty` and `from_networkx`; a pgmpy graph (`from_pgmpy`) and a GML string, as DoWhy uses, are read
        as well. Latent nodes (``[latent]``, an attribute ``hidden`` or ``observed="no"``, pgmpy's ``latents``) are
        projected out.

    Raises
    ------
    TypeError
        If ``graph`` is none of these.
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
        return from_networkx(_from_gml(graph), ADMG) if _GML.match(graph) else from_dagitty(graph, ADMG)
    if any(base.__module__.startswith("pgmpy.") for base in type(graph).__mro__):
        return from_pgmpy(graph, ADMG)
    if hasattr(graph, "is_directed") and hasattr(graph, "nodes"):
        return from_networkx(graph, ADMG)
    raise TypeError(
        f"graph: a {type(graph).__name__}; expected an ADMG, a dagitty string or a networkx DiGraph; "
        "causal_bandits.graphs.exchange reads graphs of other libraries"
    )


def _from_gml(text: str) -> nx.DiGraph[str]:
    import networkx as nx

    try:
        graph = nx.parse_gml(text)
    except nx.NetworkXError as error:
        raise ValueError(f"GML: {error}") from None
    if not graph.is_directed() or graph.is_multigraph():
        raise ValueError(f"GML: a {type(graph).__name__}; expected 'directed 1' and no multigraph")
    return nx.DiGraph(graph)
