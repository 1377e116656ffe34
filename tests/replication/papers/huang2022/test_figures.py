"""The figures of huang2022 on made-up results."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
from made_huang2022 import NOTHING, f_ucb, learnt_graphs, results

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
    assert list(drawn) == ["UCB", "C-UCB", "D-UCB", "F-UCB, safest arm", "F-UCB, best arm", "F-UCB, published"]
    assert (drawn["F-UCB, published"].get_xdata()[0], heights(drawn["F-UCB, published"])) == (5000, [355.21])
    assert heights(drawn["UCB"]) == [10_000]
    assert heights(drawn["D-UCB"]) == [12_000]
    assert heights(drawn["F-UCB, safest arm"]) == [f_ucb(0.3) - 60]
    assert heights(drawn["F-UCB, best arm"]) == [f_ucb(0.3, reading=1) - 60]
    assert drawn["F-UCB, safest arm"].get_color() == COLOURS["red"]
    plt.close("all")


def test_readings_are_drawn_by_threshold_beside_what_is_printed():
    found = results()
    for axes, (experiment, (_, table)) in zip(figures.readings(found).axes, figures.TASKS.items(), strict=True):
        drawn = {line.get_label(): line for line in axes.get_lines()}
        assert heights(drawn["safest"]) == [f_ucb(tau, experiment) - 60 for tau in THRESHOLDS]
        printed = found.published_where(place=table, column="regret of F-UCB")["value"]
        assert heights(drawn["published"]) == [float(value) for value in printed]
        assert set(drawn) == {*figures.READINGS, "published"}
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
