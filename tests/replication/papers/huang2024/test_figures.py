"""The figures of huang2024 on made-up results."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_huang2024 import EFFECT, TABLE_1, level_files, made, regret, samples
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
    left, right = figure.axes
    ratios = {bars.get_label(): np.asarray(bars.lines[0].get_xdata(), float) for bars in left.containers}
    twice = 10 * np.isin(np.arange(12), (6, 7, 8))
    np.testing.assert_allclose(ratios["LinUCB_CP"], (141 + twice) / (101 + twice), atol=0.01)
    coverage = {line.get_label(): list(line.get_xdata()) for line in right.lines}
    assert coverage == {"all 16 cells": [75.0] + [100.0] * 11, "a cell": [75.0] + [100.0] * 11}
    plt.close(figure)


def test_table_1_is_drawn_row_by_row_as_printed_and_as_replicated(tmp_path):
    ours = {"lower": 0.2, "upper": 0.7, "cp": 0.4, "biased": 0.5}
    path = samples(tmp_path / "bounds.parquet", {name: np.full(16, value) for name, value in ours.items()}, 4, sd=0.0)
    figure = figures.figure_table1(made(regret, files={"bounds_contextual": path}))
    (axes,) = figure.axes
    lines = [line for line in axes.lines if len(line.get_xdata()) == 16]
    shown = {(line.get_marker(), line.get_markerfacecolor() == "white"): line.get_xdata() for line in lines}
    np.testing.assert_allclose(shown["^", False], 0.4)
    np.testing.assert_allclose(shown["D", False], EFFECT)
    for marker, column in (("^", "cp"), ("s", "biased"), ("D", "truth")):
        np.testing.assert_allclose(shown[marker, True], TABLE_1[column])
    printed = [segment[:, 0].tolist() for segment in axes.collections[1].get_segments()]
    np.testing.assert_allclose(printed, np.transpose([TABLE_1["lower"], TABLE_1["upper"]]))
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
