"""Draw causal diagrams: directed edges solid, bidirected ones dashed and bent, undirected ones grey."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch

from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from experiments.drawing.plotting import COLOURS

Point = tuple[float, float]
Positions = Mapping[str, Point]

#: A directed edge as (cause, effect), a bidirected one as a frozenset of its ends.
DrawnEdge = Edge | frozenset[str]


def draw_diagram(
    axes: Axes,
    graph: ADMG | PartiallyDirectedGraph,
    positions: Positions,
    *,
    node_colours: Mapping[str, str] | None = None,
    edge_colours: Mapping[DrawnEdge, str] | None = None,
    dashed: Collection[str] = (),
    shaded: Collection[str] = (),
    bends: Mapping[DrawnEdge, float] | None = None,
    title: str = "",
    radius: float = 0.24,
) -> None:
    """Draw ``graph`` into ``axes``.

    Parameters
    ----------
    axes : Axes
    graph : ADMG or PartiallyDirectedGraph
    positions : mapping from node to (x, y)
        In units in which neighbouring nodes are about 1 apart.
    node_colours, edge_colours : mapping to colour
        Outlines of nodes, directed and bidirected edges to draw thick in that colour; all others are thin and black.
    dashed : collection of str
        Nodes with a dashed outline (non-manipulable or hidden variables).
    shaded : collection of str
        Nodes filled grey (marginalised variables).
    bends : mapping from edge to float
        How far an edge bends, as a fraction of its length; positive: to the left on the way from the cause (or from the
        end that is first by name). Default: 0, for bidirected edges 0.35.
    title : str
    radius : float
        Radius of the nodes; words need a larger one than letters.
    """
    node_colours, edge_colours, bends = node_colours or {}, edge_colours or {}, bends or {}
    circles = {}
    for node in graph.nodes:
        colour = node_colours.get(node, COLOURS["black"])
        circles[node] = axes.add_patch(
            Circle(
                positions[node],
                radius,
                facecolor="#D9D9D9" if node in shaded else "white",
                edgecolor=colour,
                linewidth=2.2 if node in node_colours else 1.0,
                linestyle="--" if node in dashed else "-",
                zorder=2,
            )
        )
        axes.annotate(_label(node), positions[node], ha="center", va="center", color=COLOURS["black"], zorder=3)
    bidirected = graph.bidirected if isinstance(graph, ADMG) else frozenset()
    for edges, is_directed in ((graph.directed, True), (bidirected, False)):
        for edge in sorted(edges):
            key: DrawnEdge = edge if is_directed else frozenset(edge)
            bend = bends.get(key, 0.0 if is_directed else 0.35)
            # Edges end at the nodes' outlines; matplotlib has to search for the point where a bent edge meets them.
            start, end = positions[edge[0]], positions[edge[1]]
            if not bend:
                start, end = _between(start, end, radius)
            arrow = FancyArrowPatch(
                start,
                end,
                patchA=circles[edge[0]] if bend else None,
                patchB=circles[edge[1]] if bend else None,
                arrowstyle="-|>" if is_directed else "<|-|>",
                linestyle="-" if is_directed else (0, (3, 1.5)),
                connectionstyle=f"arc3,rad={-bend}",
                color=edge_colours.get(key, COLOURS["black"]),
                linewidth=1.8 if key in edge_colours else 1.0,
                mutation_scale=10,
                shrinkA=1,
                shrinkB=1,
                zorder=1,
            )
            axes.add_patch(arrow)
    if isinstance(graph, PartiallyDirectedGraph):
        for a, b in sorted(graph.undirected):
            axes.plot(*zip(positions[a], positions[b], strict=True), color=COLOURS["grey"], zorder=0)
    xs, ys = zip(*(positions[node] for node in graph.nodes), strict=True)
    beside, above = max(0.5, radius + 0.1), max(0.6, radius + 0.1)
    axes.set_xlim(min(xs) - beside, max(xs) + beside)
    axes.set_ylim(min(ys) - above, max(ys) + above)
    axes.set_aspect("equal")
    axes.set_axis_off()
    axes.set_title(title)


def _between(start: Point, end: Point, radius: float) -> tuple[Point, Point]:
    """Return the part of a straight line that is outside the circles around its ends."""
    part = radius / math.dist(start, end)
    (x, y), (u, v) = start, end
    return (x + part * (u - x), y + part * (v - y)), (u + part * (x - u), v + part * (y - v))


def _label(node: str) -> str:
    """Format a letter in italics, its number as a subscript, and a word as it is."""
    if len(node) == 1:
        return f"${node}$"
    return f"${node[0]}_{{{node[1:]}}}$" if node[1:].isdigit() else node
