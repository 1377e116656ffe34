"""Random graphs whose names are not plain words."""

from hypothesis import strategies as st

from causal_bandits.graphs import PartiallyDirectedGraph

NAMES = ("A", "B1", "a_c", "dag", "U_AB", "x.y", "two words", "Y")


@st.composite
def partially_directed_graphs(draw):
    """Random graphs, cyclic ones too, some of whose edges have no direction."""
    nodes = draw(st.permutations(NAMES))[: draw(st.integers(1, 7))]
    pairs = [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :]]
    kinds = draw(st.lists(st.integers(0, 4), min_size=len(pairs), max_size=len(pairs)))
    edges = {kind: [pair for pair, k in zip(pairs, kinds, strict=True) if k == kind] for kind in range(5)}
    return PartiallyDirectedGraph(nodes, edges[0] + [(b, a) for a, b in edges[1]], edges[2])
