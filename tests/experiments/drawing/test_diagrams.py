import math

import matplotlib.pyplot as plt
import pytest
from matplotlib.patches import FancyArrowPatch

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph
from experiments.drawing.diagrams import draw_diagram

POSITIONS = {"A": (0, 0), "B": (1, 0), "C": (1, 1)}


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def drawn(axes):
    """Arrow heads and undirected lines by the places they join."""
    arrows = sorted(p.get_arrowstyle().arrow for p in axes.patches if isinstance(p, FancyArrowPatch))
    return arrows, [[tuple(point) for point in line.get_xydata()] for line in axes.lines]


def test_directed_and_bidirected_edges_are_arrows(axes):
    draw_diagram(axes, ADMG([("A", "B")], [("B", "C")]), POSITIONS)
    assert drawn(axes) == (["-|>", "<|-|>"], [])


def test_undirected_edges_are_lines_between_their_nodes(axes):
    draw_diagram(axes, PartiallyDirectedGraph("ABC", directed=["AB"], undirected=["CB", "AC"]), POSITIONS)
    assert drawn(axes) == (["-|>"], [[POSITIONS["A"], POSITIONS["C"]], [POSITIONS["B"], POSITIONS["C"]]])


def test_a_cycle_can_be_drawn(axes):
    """A consensus of graphs learned from several data sets may have one."""
    draw_diagram(axes, PartiallyDirectedGraph("ABC", directed=["AB", "BC", "CA"]), POSITIONS)
    assert drawn(axes) == (["-|>"] * 3, [])


def arrows_of(axes):
    """Head and path of every arrow, by its colour."""
    arrows = [p for p in axes.patches if isinstance(p, FancyArrowPatch)]
    return {p.get_edgecolor()[:3]: (p.get_arrowstyle().arrow, p.get_path().vertices) for p in arrows}


def test_an_edge_has_the_head_the_colour_and_the_bend_that_are_asked_of_it(axes):
    """Bent edges pass on the left of the straight line from the cause, or from the first end by name."""
    one, other, third = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)
    colours = {("B", "A"): one, frozenset("AB"): other, ("A", "C"): third}
    bends = {("B", "A"): 0.3}
    draw_diagram(axes, ADMG([("B", "A"), ("A", "C")], ["AB"]), POSITIONS, edge_colours=colours, bends=bends)
    (head, bent), (heads, by_default), (_, straight) = (arrows_of(axes)[colour] for colour in (one, other, third))
    assert (head, heads) == ("-|>", "<|-|>")
    assert bent[:, 1].min() < -0.1 < 0.1 < by_default[:, 1].max()
    for node, end in (("B", bent[0]), ("A", bent[2]), ("A", by_default[0]), ("B", by_default[2])):
        assert 0.2 < math.dist(POSITIONS[node], end) < 0.35  # at the outline
    assert straight[:3, 0] == pytest.approx(straight[:3, 1])  # the rest is the head
    assert straight[0, 0] == pytest.approx(0.24 / 2**0.5, abs=0.02)  # from the outline on


def test_nodes_stand_where_they_are_told_and_look_as_they_are_told(axes):
    graph = ADMG(nodes=["A", "X12", "income"])
    positions = {"A": (0, 0), "X12": (2, 1), "income": (4, -1)}
    draw_diagram(axes, graph, positions, node_colours={"X12": "red"}, dashed=["A"], shaded=["income"], title="t")
    nodes = dict(zip(graph.nodes, axes.patches, strict=True))
    assert {node: circle.center for node, circle in nodes.items()} == positions
    assert {node for node, circle in nodes.items() if circle.get_edgecolor()[:3] == (1.0, 0.0, 0.0)} == {"X12"}
    assert {node for node, circle in nodes.items() if circle.get_linestyle() == "--"} == {"A"}
    assert {node for node, circle in nodes.items() if circle.get_facecolor()[:3] != (1.0, 1.0, 1.0)} == {"income"}
    assert [text.get_text() for text in axes.texts] == ["$A$", "$X_{12}$", "income"]
    assert axes.get_xlim() == pytest.approx((-0.5, 4.5))
    assert axes.get_ylim() == pytest.approx((-1.6, 1.6))
    assert axes.get_title() == "t"
