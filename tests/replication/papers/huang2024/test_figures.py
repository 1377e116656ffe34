"""The figures of huang2024 on made-up results."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_huang2024 import level_files, made, regret
from matplotlib.patches import FancyBboxPatch

from replication.papers.huang2024 import figures


def drawn(axes):
    """The last value of every line, by what the legend calls it."""
    handles, names = axes.get_legend_handles_labels()
    lines = (getattr(handle, "lines", [handle])[0] for handle in handles)
    return {name: np.asarray(line.get_ydata(), float) for name, line in zip(names, lines, strict=True)}


def test_the_boxes_of_fig_1_stand_apart_and_in_view():
    figure = figures.figure1(made(regret))
    (axes,) = figure.axes
    boxes = [box.get_bbox() for box in axes.patches if isinstance(box, FancyBboxPatch)]
    assert len(boxes) == 7
    assert all(axes.viewLim.contains(*corner) for box in boxes for corner in box.get_points())
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    plt.close(figure)


def test_fig_4_draws_the_policies_of_its_caption():
    figure = figures.figure4(made(regret))
    found = {name: float(y[-1]) for name, y in drawn(figure.axes[0]).items()}
    expected = {"LinUCB": 101, "LinUCB-PCB": 201, "LinUCB_Biased": 121, "LinUCB_CP": 141}
    assert found == pytest.approx(expected, abs=0.5)
    plt.close(figure)


def test_pairs_draws_both_forced_explorations():
    figure = figures.pairs(made(regret))
    found = [{name: float(y[-1]) for name, y in drawn(axes).items()} for axes in figure.axes]
    expected = {"OAM": 301, "OAM-PCB as printed": 401, "OAM-PCB, arms left out": 404}
    assert found[0] == pytest.approx(expected, abs=0.5)
    assert found[1] == pytest.approx({name: value + 5 for name, value in expected.items()}, abs=0.5)
    assert found[2] == pytest.approx({"UCB": 501, "UCB-PCB": 601}, abs=0.5)
    plt.close(figure)


def test_levels_are_drawn_with_their_coverage(tmp_path):
    figure = figures.levels(made(regret, files=level_files(tmp_path)))
    regrets, coverage = (drawn(axes) for axes in figure.axes)
    np.testing.assert_allclose(regrets["LinUCB_CP"], 141 + 10 * np.isin(np.arange(12), (6, 7, 8)), atol=0.5)
    assert coverage["as estimated: all 16 cells at once"].tolist() == [75.0] + [100.0] * 11
    assert coverage["valid for a sample: of the cells"].tolist() == [100.0] * 12
    plt.close(figure)


def test_alpha_draws_every_width_once():
    figure = figures.alpha(made(regret))
    base = {"LinUCB": 100, "LinUCB-PCB": 200, "LinUCB_Biased": 120, "LinUCB_CP": 140}
    found = drawn(figure.axes[0])
    assert found.keys() == base.keys()
    for name, y in found.items():
        np.testing.assert_allclose(y, base[name] + np.array([0.25, 0.5, 1, 2]), atol=0.5)
    plt.close(figure)


def test_fig_2_tells_users_items_and_the_reward_apart(monkeypatch):
    drawn = {}
    monkeypatch.setattr(figures, "draw_diagram", lambda axes, graph, positions, **looks: drawn.update(looks))
    plt.close(figures.figure2(None))
    colours = {name: figures.COLOURS[name] for name in ("green", "blue", "red")}
    kinds = {"U1": "green", "U2": "green", "X1": "blue", "X2": "blue", "Y": "red"}
    assert drawn["node_colours"] == {node: colours[kind] for node, kind in kinds.items()}
    assert (drawn["shaded"], drawn["dashed"]) == (["S"], ["C1"])
