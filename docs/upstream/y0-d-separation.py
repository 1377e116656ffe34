"""y0 takes variables for d-separated though a path through a bidirected collider is open. Prints that, or "mended"."""

from y0.algorithm.conditional_independencies import are_d_separated
from y0.dsl import Variable
from y0.graph import NxMixedGraph


def defect() -> str | None:
    """A <-> B <-> C: conditioning on the collider B connects A and C, as in the graph with hidden causes drawn."""
    a, b, c = map(Variable, "ABC")
    mixed = NxMixedGraph.from_str_edges(directed=[], undirected=[("A", "B"), ("B", "C")])
    hidden = NxMixedGraph.from_str_edges(directed=[("U", "A"), ("U", "B"), ("V", "B"), ("V", "C")])
    said, drawn = (are_d_separated(graph, a, c, conditions=[b]).separated for graph in (mixed, hidden))
    return (
        f"A <-> B <-> C, given B: separated: {said}; with both hidden causes drawn: {drawn}" if said != drawn else None
    )


if __name__ == "__main__":
    print(defect() or "mended")
