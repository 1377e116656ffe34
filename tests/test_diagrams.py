import matplotlib.pyplot as plt
import pytest
from matplotlib.patches import FancyArrowPatch

from causal_bandits.diagrams import draw_diagram
from causal_bandits.graphs import ADMG, PartiallyDirectedGraph

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
