"""z2ID as lee2019's Algorithm 1 reads, on sets of names: which experiments its formula takes terms from."""

from causal_bandits.identification import NotIdentifiable, identify


def z2id_sources(graph, outcome, treatment, collection, tried="maximal"):
    """The experiments that the formula reads, or None where the algorithm fails."""
    y, x = frozenset(outcome), frozenset(treatment)
    sources = [(z, z) for z in sorted({frozenset(z) for z in collection}, key=lambda z: (len(z), sorted(z)))]
    if not x and frozenset() not in {z for z, _ in sources}:  # lines 2 and 3
        return joined(sub(graph, s, frozenset(graph) - s, sources, tried) for s in graph.c_components())
    return sub(graph, y, x, sources, tried)  # line 4


def sub(graph, y, x, sources, tried):
    """Lines 5 to 14; each source is what is left of an experiment in the graph, and the whole experiment."""
    v = frozenset(graph)
    within = [(z, whole) for z, whole in sources if z <= x]
    if tried == "maximal":
        within = [(z, whole) for z, whole in within if not any(z < other for other, _ in within)]
    else:
        within.sort(key=lambda source: len(source[0]), reverse=True)
    for z, whole in within:  # line 6
        try:
            identify(graph.subgraph(v - z), outcome=y, treatment=x - z)  # line 7
        except NotIdentifiable:
            continue
        return {whole}
    an = graph.ancestors(y)
    if v != an:  # lines 8 and 9
        return sub(graph.subgraph(an), y, x & an, [(z & an, whole) for z, whole in sources], tried)
    w = v - x - graph.do(x).ancestors(y)
    if w:  # lines 10 and 11
        return sub(graph, y, x | w, sources, tried)
    components = graph.subgraph(v - x).c_components()
    if len(components) > 1:  # lines 12 and 13
        return joined(sub(graph, s, v - s, sources, tried) for s in components)
    return None  # line 14


def joined(parts):
    """All experiments of several parts; None if a part fails."""
    found = list(parts)
    return None if None in found else frozenset().union(*found)
