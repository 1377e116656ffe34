"""lee2019's figures, from made-up results with known answers."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from lee2019_results import TABLE_1, made_up

from replication.papers.lee2019 import figures, policies

TASKS = list(policies.TASKS)
RANDOM = [f"{family}_{task}" for task in TASKS for family in policies.FAMILIES]


def test_fig_2_marks_territories_and_borders(monkeypatch):
    """By hand, as the paper draws them: of a set that is a POMIS the border is the set itself."""
    drawn = {}

    def record(axes, graph, positions, *, node_colours, bends, title):
        drawn[title[:3], title.split("is ")[1]] = [
            {v for v, colour in node_colours.items() if colour == figures.COLOURS[name]} for name in ("red", "blue")
        ]

    monkeypatch.setattr(figures, "draw_diagram", record)
    plt.close(figures.figure2(None))
    assert drawn == {
        ("(a)", "a POMIS"): [set("ABCY"), set()],
        ("(b)", "a POMIS"): [set("BCY"), set("A")],
        ("(c)", "not a POMIS"): [set("Y"), set("AC")],
        ("(d)", "a POMIS"): [set("Y"), set("AC")],
    }


def test_fig_4_marks_the_edges_that_a_projection_adds(monkeypatch):
    """By hand: what A causes, or shares a cause with, and so on; without C only B -> C -> Y becomes an edge."""
    drawn = {}

    def record(axes, graph, positions, *, edge_colours, bends, title):
        drawn[title] = (set(graph), edge_colours)

    monkeypatch.setattr(figures, "draw_diagram", record)
    plt.close(figures.figure4(None))
    expected = {
        "(a) without $A$": ("BCY", [frozenset("BC"), frozenset("CY")]),
        "(b) without $B$": ("ACY", [frozenset("AC"), frozenset("CY")]),
        "(c) without $C$": ("ABY", [("B", "Y")]),
    }
    red = figures.COLOURS["red"]
    assert drawn == {title: (set(nodes), dict.fromkeys(added, red)) for title, (nodes, added) in expected.items()}


@pytest.mark.parametrize("task", TASKS)
def test_every_node_stands_in_a_place_of_its_own(task):
    places = figures.POSITIONS[task]
    assert len(set(places.values())) == len(places)


def test_the_figure_of_random_models_shows_every_step_of_every_family():
    results = made_up(experiments=RANDOM)
    figure = figures.robustness(results)
    for axes, task, steps in zip(figure.axes, TASKS, (1, 2, 3), strict=True):
        marks = [line for line in axes.lines if line.get_marker() in figures.MARKS.values()]
        assert len(marks) == 3 * 2 * steps
        assert len(axes.get_yticklabels()) == steps
        highest = max(float(line.get_xdata()[0]) for line in marks)
        rows = [TABLE_1[task, solver] for solver in ("thompson", "kl_ucb")]
        pairs = [(row[i], row[i + 1]) for row in rows for i in range(3)]
        assert highest == pytest.approx(max(100 * (1 - low / high) for low, high in pairs), abs=0.01)
    plt.close(figure)


def test_figure_5_draws_what_is_played_and_published_and_their_difference():
    results = made_up(experiments=TASKS)
    label = results.policies("sixvar", algorithm="thompson", arms="brute_force")[0]
    del results.plans["sixvar"].settings[label]
    figure = figures.figure5(results)
    for axes, residuals, task, count in zip(figure.axes[::2], figure.axes[1::2], TASKS, (4, 6, 7), strict=True):
        names = [text.get_text() for text in axes.texts if "=" not in text.get_text()]
        assert len(names) == count
        crosses = [line for line in axes.lines if line.get_marker() == "x"]
        assert [line.get_ydata()[0] for line in crosses] == [TABLE_1[task, "thompson"][0]]
        points = [line for line in axes.lines if line.get_marker() == "."]
        assert [list(line.get_xdata())[:2] for line in points] == [[1, 1001]] * (count - 1)
        lines = [line for line in residuals.lines if len(line.get_xdata()) == 100]
        assert len(lines) == count - 1 + (task == "sixvar")  # KL-UCB with POMIS+, with larger experiments first
        assert max(np.abs(line.get_ydata()).max() for line in lines) < 0.5  # made of the published curves
    same = [[text.get_text() for text in axes.texts if "=" in text.get_text()] for axes in figure.axes[::2]]
    assert same == [["BF = MIS = POMIS"], ["MIS = POMIS"], []]
    plt.close(figure)
