"""ADMGs and partially directed graphs to and from the forms of other libraries.

=============  ==================================  ==================================
form           an ADMG is                          a partially directed graph is
=============  ==================================  ==================================
networkx       a DiGraph with hidden nodes         a DiGraph; undirected: both arcs
dagitty        ``dag { X -> Y; X <-> Y }``         ``pdag { X -> Y; Y -- Z }``
pgmpy          a pgmpy.base.ADMG                   a pgmpy.base.PDAG
y0             an NxMixedGraph                     none: y0 has no such edge
causal-learn   a GeneralGraph                      a GeneralGraph
=============  ==================================  ==================================

What a form cannot say is a ValueError that names the edge. So is what a graph of the ``kind`` asked for cannot hold: an
undirected edge in an ADMG, a bidirected one in a partially directed graph, or an edge with an open end (a circle) in
either. Hidden nodes are projected out of an ADMG (`ADMG.latent_projection`): one with two children and no parents is
their bidirected edge. None of the libraries is needed to import this package.
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

__all__ = [
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
