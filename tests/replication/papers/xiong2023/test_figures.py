"""The figures of xiong2023 on made-up results."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import yaml
from described import collisions, illegible
from made_xiong2023 import SHARED
from made_xiong2023 import results as made
from plans import plan_of

from experiments.drawing.plotting import style
from experiments.results import Plan, Results
from experiments.study import Study
from replication.papers.xiong2023 import figures, policies
from replication.papers.xiong2023.theory import Profile

ROOT = Path(__file__).parents[4]


def study():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    return Study({**config, "papers": ["xiong2023"]}, ROOT)


@pytest.fixture
def results():
    return made()


@pytest.mark.parametrize(("count", "rows"), [(1, 1), (3, 2), (4, 3)])
def test_panels_of_sweeps_fill_rows_of_two_with_the_legend_as_the_last(results, count, rows):
    finals, plan = results.finals["scaling"], results.plans["scaling"]
    plans, tables_ = {}, {}
    for experiment in list(figures.SWEEPS)[:count]:
        setting = figures.SWEEPS[experiment][0]
        more = {} if setting in SHARED else {setting: 5}
        tables_[experiment] = finals
        plans[experiment] = Plan(5000, {name: more | own for name, own in plan.settings.items()})
    figure = figures.sweeps(Results({}, tables_, pd.DataFrame(), {}, plans))
    axes = figure.axes
    assert len(axes) == 2 * rows
    assert axes[-1].get_legend()
    assert [panel.get_title() for panel in axes[:count]] == [figures.SWEEPS[name][1] for name in plans]
    assert [panel.axison for panel in axes] == [True] * count + [False] * (2 * rows - count)
    lucb1 = [np.asarray(line.get_xydata()).tolist() for line in axes[0].lines]
    assert [[5, 1000], [10, 2000]] in lucb1
    assert [[5, 250], [10, 1000]] in lucb1
    assert [label.get_text() for label in axes[0].get_xticklabels()] == ["5", "10"]
    plt.close(figure)


@pytest.mark.parametrize("left", [("lucb1", "ccpe"), ("lucb1",), ("ccpe",)])
def test_the_order_is_drawn_once_whichever_policies_are_played(results, left):
    finals, plan = results.finals["scaling"], results.plans["scaling"]
    played = {name: own for name, own in plan.settings.items() if name.startswith(left)}
    plans = {"scaling": Plan(5000, played)}
    finals = {"scaling": finals[finals["policy"].isin(played)]}
    figure = figures.sweeps(Results({}, finals, pd.DataFrame(), {}, plans))
    drawn = [np.asarray(line.get_ydata(), dtype=float).tolist() for line in figure.axes[0].lines]
    expected = [Profile.of(own).upper for name, own in played.items() if name.startswith(left[0])]
    assert drawn.count(expected) == 1
    plt.close(figure)


def test_every_policy_of_the_figures_is_played_somewhere():
    made = study()
    plans = [plan_of(made, "xiong2023", name) for name in made.papers["xiong2023"]["experiments"]]
    played = [settings for plan in plans for settings in plan.settings.values()]
    for name, (chosen, _, _) in policies.POLICIES.items():
        assert any(chosen.items() <= settings.items() for settings in played), name


def test_figures_name_every_problem_in_words():
    """No tick or title is the key of an experiment."""
    paper = study().papers["xiong2023"]
    drawn = ("against_lucb1", "fixed_budget")
    for name in {experiment for figure in drawn for experiment in paper["figures"][figure]["experiments"]}:
        shown = figures._problem(name, {"variables": 5, "rare": 3, "effect": 0.3, "epsilon": 0.1, "delta": 0.5})
        assert "_" not in shown
        assert shown != name


def test_problems_are_sorted_by_rounds_of_ccpe_general_over_those_of_lucb1():
    general, bound = (
        {"algorithm": "ccpe_general", "divisor": 5.0},
        {"algorithm": "lucb", "bounds": "lucb1", "alpha": 2.0},
    )
    theory, narrow = {"alpha_o": 8.0, "alpha_i": 2.0}, {"alpha_o": 0.7071, "alpha_i": 0.7071}
    plans, finals = {}, {}
    for name, rounds in (("two_gaps", (300, 50, 100)), ("confounded", (50, 20, 100)), ("lower_bound", (None, 40, 200))):
        own = {"rare": 4} if name == "lower_bound" else {}
        kinds = ((general | theory, rounds[0]), (general | narrow, rounds[1]), (bound, rounds[2]))
        played = {str(i): (settings | own, mean) for i, (settings, mean) in enumerate(kinds) if mean}
        plans[name] = Plan(9, {label: settings for label, (settings, _) in played.items()})
        runs = [
            pd.DataFrame({"policy": label, "seed": range(50), "t": mean + np.arange(50) % 2})
            for label, (_, mean) in played.items()
        ]
        finals[name] = pd.concat(runs)
    with style():
        figure = figures.against_lucb1(Results({}, finals, pd.DataFrame(), {}, plans))
        assert collisions(figure) == illegible(figure) == []
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["Theorem 3's class, 4 rare", "confounded graph", "parallel, two gaps"]
    drawn = [np.asarray(container[0].get_xdata(), float) for container in axes.containers]
    np.testing.assert_allclose(drawn[0], [50.5 / 100.5, 300.5 / 100.5])
    np.testing.assert_allclose(drawn[1], [40.5 / 200.5, 20.5 / 100.5, 50.5 / 100.5])
    plt.close(figure)


def test_shares_of_wrong_answers_stand_on_one_scale(results):
    """Of two problems one is answered wrongly twice as often."""
    plan, finals = {}, []
    for watch in (0.0, 0.5):
        for budget in (100, 1000):
            label = f"{watch},{budget}"
            plan[label] = {"algorithm": "successive_rejects", "watch": watch, "budget": budget}
            wrong = int(4000 * (1 + watch) / budget)
            finals.append(pd.DataFrame({"policy": label, "seed": range(100), "t": budget, "right": wrong}))
    made = pd.concat(finals)
    runs = {
        name: made.assign(correct=(made["seed"] >= times * made["right"] / 2).astype(float)).drop(columns="right")
        for name, times in (("budget_parallel", 1), ("budget_confounded", 2))
    }
    figure = figures.fixed_budget(Results({}, runs, pd.DataFrame(), {}, dict.fromkeys(runs, Plan(1000, plan))))
    easy, hard = figure.axes
    assert easy.get_ylim() == hard.get_ylim()
    for axes, shares in ((easy, [(0.2, 0.02), (0.3, 0.03)]), (hard, [(0.4, 0.04), (0.6, 0.06)])):
        drawn = [tuple(container[0].get_ydata()) for container in axes.containers]
        assert drawn == [pytest.approx(pair) for pair in shares]
    plt.close(figure)
