"""The figures of huang2022 on made-up results."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from made_huang2022 import NOTHING, f_ucb, learnt_graphs, made, results

from causal_bandits.play.unfairness import fair_regret
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.drawing.plotting import COLOURS
from replication.papers.huang2022 import figures


@pytest.fixture
def graphs(tmp_path):
    return replace(NOTHING, files=learnt_graphs(tmp_path))


def heights(line):
    return [float(y) for y in line.get_ydata()]


def test_figure_2b_draws_the_papers_policies_and_the_other_fallback():
    (axes,) = figures.figure2b(results()).axes
    drawn = {line.get_label(): line for line in axes.get_lines()}
    assert list(drawn) == ["UCB", "C-UCB", "D-UCB", "F-UCB", "F-UCB, fallback best", "F-UCB, published"]
    assert (drawn["F-UCB, published"].get_xdata()[0], heights(drawn["F-UCB, published"])) == (5000, [355.21])
    assert heights(drawn["UCB"]) == [10_000]
    assert heights(drawn["D-UCB"]) == [12_000]
    assert heights(drawn["F-UCB"]) == [f_ucb(0.3) - 60]
    assert heights(drawn["F-UCB, fallback best"]) == [f_ucb(0.3, reading=1) - 60]
    assert drawn["F-UCB"].get_color() == COLOURS["red"]
    plt.close("all")


def test_empty_sets_are_drawn_by_threshold():
    figure = figures.empty_sets(results())
    drawn = [(experiment, tau) for experiment in ("email", "adult", "adult_bounds") for tau in THRESHOLDS]
    for axes, (experiment, tau) in zip(figure.axes, drawn, strict=True):
        line, diagonal = axes.get_lines()  # the diagonal above, or it would be covered
        assert heights(diagonal) == [0, axes.get_xlim()[1]]
        assert heights(line) == [f_ucb(tau, experiment) - 60]
    assert [axes.get_title() for axes in figure.axes[:5]] == [f"$\\tau={tau:g}$" for tau in THRESHOLDS]
    plt.close("all")


def test_figure_3_draws_both_learners_and_labels_what_not_all_seeds_have(graphs):
    pc, ges = figures.figure3(graphs).axes
    assert pc.get_title() == "PC, edges of at least half of 2 seeds"
    shares = sorted(text.get_text() for text in ges.texts if text.get_text() in ("0.50", "1.00"))
    assert shares == ["0.50"] * 3
    for text in (text for text in ges.texts if text.get_text() == "0.50"):
        off = [np.hypot(*np.subtract(text.xyann, centre)) for centre in figures.ADULT_POSITIONS.values()]
        assert min(off) > figures.RADIUS + 0.1, "a label on an edge leaves the nodes"
    plt.close("all")


def test_the_price_of_fairness_is_drawn_by_threshold():
    found = made(lambda _, s: 1000.0 * s["tau"] if "tau" in s else 0.0, seeds=3, experiments=("straddling",))
    curves = found.curves["straddling"]
    fair = [curves[curves["metric"] == "empty_set"].assign(metric=fair_regret(tau)) for tau in THRESHOLDS]
    found = replace(found, curves={"straddling": pd.concat([curves, *fair])})
    for axes, tau in zip(figures.price(found).axes, 2 * THRESHOLDS, strict=True):
        assert [heights(line)[0] for line in axes.get_lines()] == 2 * [1000 * tau - 60]
        assert [line.get_linestyle() for line in axes.get_lines()] == ["-", "--"]
    plt.close("all")
