"""The figure of networks, read back on made-up results."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from described import alt_text, collisions, complaints
from whole_arena import ROOT

from arena import network_figure
from arena.network_figure import Played, networks_figure, played
from arena.style import hues
from arena.wording import mean_interval
from causal_bandits.problems.construction.arena.random_graphs import erdos_renyi
from experiments.drawing import plotting
from experiments.results import Plan, Results

TASKS = ("asia", "asia_smoke", "insurance_medical")
ARMS = {"asia": "11 | 8", "asia, smoke hidden": "9 | 8", "insurance, medical": "21 | 2,448"}
ALGORITHMS = {"thompson": "TS", "kl_ucb": "kl-UCB", "c_ts": "C-TS", "hac_ucb": "HAC-UCB"}
DRAWS = 3


@pytest.fixture(scope="module")
def made():
    """Each algorithm has regrets of its own; one on the possibly optimal sets has an interval to below 0."""
    rng, plans, finals = np.random.default_rng(3), {}, {}
    for experiment, problems in {
        "network_asia": [{"problem": "network", "task": task} for task in TASKS],
        "erdos_renyi": [{"problem": "erdos_renyi", "nodes": 4, "degree": 2.0, "confounders": c} for c in (0, 2)],
    }.items():
        for options in problems:
            for i, algorithm in enumerate(ALGORITHMS):
                for told, regret in (("single", 500.0), ("diagram", 50.0)):
                    settings = {"algorithm": algorithm, **options, "told": told}
                    label = ",".join(map(str, settings.values()))
                    wide = label == "c_ts,network,insurance_medical,diagram"
                    plans.setdefault(experiment, {})[label] = settings
                    values = [1.0, 1.0, 90.0] if wide else regret * (1 + i) * rng.uniform(0.9, 1.1, DRAWS)
                    finals.setdefault(experiment, []).extend(
                        {"policy": label, "seed": d, "draw": d, "cumulative_regret": v} for d, v in enumerate(values)
                    )
    files = {name: str(ROOT / f"data/networks/{name}.bif.gz") for name in ("asia", "insurance")}
    frames = {name: pd.DataFrame(rows) for name, rows in finals.items()}
    return Results({}, frames, pd.DataFrame(), files, {name: Plan(100, plan) for name, plan in plans.items()})


def test_each_algorithm_has_a_hollow_and_a_filled_mark_at_its_means(made):
    with plotting.style():
        figure = networks_figure(made)
        figure.canvas.draw()
    (axes,) = figure.axes
    names = [" ".join(label.get_text().split()) for label in axes.get_yticklabels()]
    random = [f"Erdős and Rényi, 4 variables, {c} pairs confounded" for c in (0, 2)]
    assert names == [*ARMS, *random]
    colour = {algorithm: colour for algorithm, (colour, _) in hues(ALGORITHMS.values()).items()}
    where = {}
    for experiment, plan in made.plans.items():
        for label, settings in plan.settings.items():
            row = TASKS.index(settings["task"]) if "task" in settings else 3 + (settings["confounders"] == 2)
            key = row, colour[ALGORITHMS[settings["algorithm"]]], settings["told"]
            where[key] = mean_interval(made.final(experiment, policy=label))
    marks = [line for line in axes.lines if line.get_marker() == "o"]
    assert len(marks) == len(where)
    least = axes.get_xlim()[0]
    for line in marks:
        ((mean,), (y,)) = line.get_data()
        told = "single" if line.get_markerfacecolor() == "white" else "diagram"
        wanted = where.pop((round(y), line.get_color(), told))
        assert mean == wanted[0]
        beside = [own for own in axes.lines if own.get_linewidth() == 2.4 and own.get_ydata()[0] == y]
        assert [max(wanted[1], least), wanted[2]] in [own.get_xdata().tolist() for own in beside]
    (triangle,) = [line for line in axes.lines if line.get_marker() == "<"]
    assert (triangle.get_xdata()[0], triangle.get_color()) == (least, colour["C-TS"])
    assert complaints(figure, alt_text("arena", "networks")) == []
    assert collisions(figure) == []
    plt.close(figure)


def test_numbers_of_arms_stand_at_the_right(made):
    figure = networks_figure(made)
    (axes,) = figure.axes
    (beside,) = axes.child_axes
    shown = [label.get_text() for label in beside.get_yticklabels()]
    assert shown[:3] == list(ARMS.values())
    for text, confounders in zip(shown[3:], (0, 2), strict=True):
        mean = np.mean([len(erdos_renyi(4, 2.0, confounders, draw=d).arms) for d in range(DRAWS)])
        assert text == f"9 | {mean:,.0f}"
    assert {p.told for p in played(made)} == {"single", "diagram"}
    plt.close(figure)


def test_further_arms_have_marks_of_their_own_and_a_gap_where_they_are_not_played(made, monkeypatch):
    more = [
        Played("asia", "UCB+, number of parents told", "nothing", 12345, 700.0, 690.0, 710.0),
        Played("asia", "UCB+, number of parents told", "all_set", 64, 70.0, 60.0, 80.0),
    ]
    found = [*played(made), *more]
    monkeypatch.setattr(network_figure, "played", lambda _: found)
    figure = networks_figure(made)
    (axes,) = figure.axes
    rows = [label.get_text() for label in axes.child_axes[0].get_yticklabels()]
    assert rows[:2] == ["11 | 8 | 12,345 | 64", "9 | 8 | – | –"]
    marks = {line.get_marker(): (*line.get_xdata(), line.get_markerfacecolor()) for line in axes.lines}
    assert marks["s"] == (700, "white")
    assert marks["D"][0] == 70
    assert marks["D"][1] != "white"
    assert "UCB+, number of parents told" in [text.get_text() for text in figure.legends[0].get_texts()]
    plt.close(figure)
