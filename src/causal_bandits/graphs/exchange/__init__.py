"""Convert graphs to and from other libraries: networkx, dagitty, pgmpy, y0 and causal-learn.

=============  ==================================  ==================================
form           an ADMG is                          a partially directed graph is
=============  ==================================  ==================================
networkx       a DiGraph with hidden nodes         a DiGraph; undirected: both arcs
dagitty        ``dag { X -> Y; X <-> Y }``         ``pdag { X -> Y; Y -- Z }``
pgmpy          a pgmpy.base.ADMG                   a pgmpy.base.PDAG
y0             an NxMixedGraph                     none: y0 has no such edge
causal-learn   a GeneralGraph                      a GeneralGraph
=============  ==================================  ==================================

A function raises ValueError, and names the edge, if the other library or the requested ``kind`` of graph has no such
edge. An ADMG has no undirected edges, a partially directed graph has no bidirected ones, and neither has edges with an
open end (a circle). Hidden nodes are projected out of an ADMG (`ADMG.latent_projection`): a hidden node with two
children and no parents becomes a bidirected edge. Importing this package imports none of the libraries.
"""

from causal_bandits.graphs.exchange.dagitty import from_dagitty, to_dagitty
from causal_bandits.graphs.exchange.libraries import (
    from_causal_learn,
    from_networkx,
    from_pgmpy,
    from_y0,
    to_causal_learn,
    to_networkx,
    to_pgmpy,
    to_y0,
)
from causal_bandits.graphs.exchange.reading import as_admg

__all__ = [
    "as_admg",
    "from_causal_learn",
    "from_dagitty",
    "from_networkx",
    "from_pgmpy",
    "from_y0",
    "to_causal_learn",
    "to_dagitty",
    "to_networkx",
    "to_pgmpy",
    "to_y0",
]
