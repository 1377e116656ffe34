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
def test_the_orders_are_drawn_once_whichever_policies_are_played(results, left):
    finals, plan = results.finals["scaling"], results.plans["scaling"]
    played = {name: own for name, own in plan.settings.items() if name.startswith(left)}
    plans = {"scaling": Plan(5000, played)}
    finals = {"scaling": finals[finals["policy"].isin(played)]}
    figure = figures.sweeps(Results({}, finals, pd.DataFrame(), {}, plans))
    drawn = [np.asarray(line.get_ydata(), dtype=float).tolist() for line in figure.axes[0].lines]
    for order in ("upper", "bandit_upper"):
        expected = [getattr(Profile.of(own), order) for name, own in played.items() if name.startswith(left[0])]
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
    drawn = ("wrong_answers", "fixed_budget", "observation_thresholds")
    for name in {experiment for figure in drawn for experiment in paper["figures"][figure]["experiments"]}:
        shown = figures._problem(name, {"variables": 5, "rare": 3, "rare_chance": 0.1})
        assert "_" not in shown.replace("$q_a$", "")
        assert shown != name


def test_wrong_answers_have_a_row_for_every_policy():
    general, bglm = {"algorithm": "ccpe_general"}, {"algorithm": "ccpe_bglm", "radius": "bare", "c": 0.0}
    lucb = {"algorithm": "lucb", "alpha": 0.7071}
    settings = {
        "pac_parallel": [
            (general | {"alpha_o": 8.0, "alpha_i": 2.0}, "CCPE-General, theoretical radii"),
            (general | {"alpha_o": 0.7071, "alpha_i": 0.7071}, "CCPE-General, Hoeffding"),
            (general | {"alpha_o": 0.1, "alpha_i": 0.1}, "CCPE-General, factors 0.1"),
            (lucb | {"bounds": "lucb1"}, "LUCB1"),
            (lucb | {"bounds": "kl"}, "KL-LUCB"),
            ({"algorithm": "track_and_stop"}, "Track-and-Stop"),
        ],
        "pac_rare_causes": [
            (bglm | {"alpha_o": 0.7071, "alpha_i": 0.7071, "chance": 0.02}, "CCPE-BGLM, bare, chance 0.02"),
            (lucb | {"bounds": "xiong", "chance": 0.2}, "LUCB, Hoeffding, chance 0.2"),
        ],
        "pac_bglm": [
            (bglm | {"alpha_o": 0.05, "alpha_i": 0.15}, "CCPE-BGLM, far narrower"),
            (bglm | {"alpha_o": 3.16, "alpha_i": 0.7071}, r"CCPE-BGLM, bare$/\sqrt{\eta}$"),
            (bglm | {"alpha_o": 8.5, "alpha_i": 2.0, "radius": "printed", "c": 1.0}, "CCPE-BGLM, printed, $c=1$"),
        ],
    }
    plans = {name: Plan(9, {str(i): own for i, (own, _) in enumerate(rows)}) for name, rows in settings.items()}
    runs = {
        name: pd.concat(
            pd.DataFrame(
                {"policy": str(i), "seed": range(50), "t": 9, "correct": (np.arange(50) >= 5 * i).astype(float)}
            )
            for i in range(len(rows))
        )
        for name, rows in settings.items()
    }
    with style():
        figure = figures.wrong_answers(Results({}, runs, pd.DataFrame(), {}, plans))
        assert collisions(figure) == illegible(figure) == []
    names = [label.get_text() for axes in figure.axes for label in axes.get_yticklabels()]
    assert names == [name for rows in settings.values() for _, name in rows]
    shares = [float(container[0].get_xdata()[0]) for axes in figure.axes for container in axes.containers]
    assert shares == pytest.approx([i / 10 for rows in settings.values() for i in range(len(rows))])
    assert max(shares) < figure.axes[0].get_xlim()[1] == figure.axes[1].get_xlim()[1]
    headings = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert headings == ["parallel graph", "rare causes", "linear model, two layers"]
    plt.close(figure)


def test_thresholds_are_drawn_problem_by_problem(results):
    names = ("epsilon", "scaling", "two_gaps")  # epsilon changes no threshold, and is left out
    finals, plans = (dict.fromkeys(names, of["scaling"]) for of in (results.finals, results.plans))
    other = Results({}, finals, pd.DataFrame(), {}, plans)
    figure = figures.observation_thresholds(other)
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["5 variables", "10 variables", "two gaps"]
    actions, doubled, thresholds, _ = (line.get_xdata().tolist() for line in axes.lines)
    assert (actions, doubled, thresholds) == ([11, 21, 21], [4, 4, 4], [2, 2, 2])
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
