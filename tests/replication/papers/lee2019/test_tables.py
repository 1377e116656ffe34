"""lee2019's tables and Fig. 5, from made-up results with known answers."""

import subprocess
import sys
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from lee2019_results import ROOT, TABLE_1, made_up, scale

from replication.papers.lee2019 import figures, robustness, strategies, tables

TASKS = list(strategies.TASKS)
RANDOM = [f"{family}_{task}" for task in TASKS for family in robustness.FAMILIES]


def cells(frame, *columns):
    return list(frame[list(columns)].itertuples(index=False, name=None))


def test_table_1_has_every_printed_number_beside_the_policy_that_it_is_of():
    results = made_up(experiments=TASKS)
    scale(results, 1.1, ["sixvar"], algorithm="kl_ucb", arms="minimal")
    table = tables.table1(results)
    names = [(solver, strategy) for solver in ("TS", "KL-UCB") for strategy in ("POMIS+", "POMIS", "MIS", "BF")]
    other = table["strategy"] == "POMIS+, larger experiments first"
    assert cells(table[other], "solver", "Fig. 5a published", "Fig. 5c published", "Fig. 5c z") == [
        ("TS", "", "121.54", "+0.0"),
        ("KL-UCB", "", "247.05", "+0.0"),
    ]
    table = table[~other].reset_index(drop=True)
    assert cells(table, "solver", "strategy") == names
    for problem, label in strategies.TASKS.items():
        expected = [*TABLE_1[problem, "thompson"], *TABLE_1[problem, "kl_ucb"]]
        assert list(table[f"{label} published"]) == [f"{value:.2f}" for value in expected]
        for name, value, replicated, z in zip(
            names, expected, table[f"{label} replicated"], table[f"{label} z"], strict=True
        ):
            higher = (problem, *name) == ("sixvar", "KL-UCB", "MIS")
            assert float(replicated.partition(" ± ")[0]) == pytest.approx(1.1 * value if higher else value, abs=0.006)
            assert (float(z) > 5) if higher else float(z) == 0


def test_z_takes_in_the_noise_of_both_means():
    """By hand: seeds spread by s, drawn ones by S, 1,000 of each; a mean two apart."""
    results = made_up(experiments=["fourvar", "frontdoor", "sixvar"])
    table = results.finals["fourvar"]
    own = table["policy"] == results.policies("fourvar", algorithm="thompson", arms="brute_force")[0]
    table.loc[own, "cumulative_regret"] += 2
    values = table[own]
    joint = np.hypot(values["cumulative_regret"].std(), values["drawn_regret"].std()) / np.sqrt(1000)
    found = tables.table1(results).set_index(["solver", "strategy"]).loc[("TS", "BF"), "Fig. 5b z"]
    assert float(found) == pytest.approx(2 / joint, abs=0.051)


def test_table_1_says_what_is_not_run_or_of_another_horizon():
    results = made_up(experiments=TASKS, horizon=5000)
    assert set(tables.table1(results)["Fig. 5b z"]) == {"another horizon", ""}  # nothing for the other order
    results = made_up(experiments=TASKS)
    label = results.policies("fourvar", algorithm="thompson", arms="brute_force")[0]
    del results.plans["fourvar"].settings[label]
    table = tables.table1(results).set_index(["solver", "strategy"])
    assert table.loc[("TS", "BF"), "Fig. 5b replicated"] == "not run"
    assert (table["Fig. 5b replicated"] == "not run").sum() == 1


def test_merged_cells_are_those_of_strategies_with_the_same_arms():
    assert strategies.alike("frontdoor", "MIS") == ["POMIS", "MIS", "BF"]
    assert strategies.alike("fourvar", "POMIS") == ["POMIS", "MIS"]
    assert strategies.alike("fourvar", "BF") == ["BF"]
    assert strategies.alike("sixvar", "POMIS") == ["POMIS"]
    assert strategies.alike("frontdoor", "POMIS+") == ["POMIS+"]
    results = made_up(experiments=TASKS)
    missing = results.published_where(item="Table 1", experiment="fourvar").index
    results = replace(results, published=results.published.drop(missing))
    with pytest.raises(LookupError, match="Table 1 has no cell for TS MIS in fourvar"):
        strategies.printed(results, "fourvar", "TS", "MIS")


def test_policies_are_called_as_in_the_paper():
    assert strategies.played("KL-UCB", "POMIS+") == {"algorithm": "z2_kl_ucb", "arms": "possibly_optimal"}
    for solver in strategies.SOLVERS:
        for strategy in strategies.STRATEGIES:
            settings = {**strategies.played(solver, strategy), "averaging": "delta"}
            assert strategies.called(settings) == (solver, strategy)
    with pytest.raises(LookupError, match="none of the paper's solvers"):
        strategies.called({"algorithm": "z2_thompson", "arms": "minimal"})


def test_tables_load_nothing_that_they_do_not_use():
    code = "import sys, replication.papers.lee2019.tables; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT / "src")}
    )
    assert set(done.stdout.split()) & {"scipy.stats", "seaborn", "numba", "matplotlib"} == set()


def test_a_policy_is_found_by_its_settings_and_not_by_its_label():
    """Labels that say nothing give the same tables."""
    results = made_up(experiments=TASKS)
    before = [table(results) for table in (tables.table1, tables.regrets, tables.reductions)]
    for name, plan in results.plans.items():
        labels = {label: f"p{i}" for i, label in enumerate([*plan.settings, *plan.left_out])}
        object.__setattr__(plan, "settings", {labels[label]: s for label, s in plan.settings.items()})
        results.finals[name]["policy"] = results.finals[name]["policy"].map(labels)
    after = [table(results) for table in (tables.table1, tables.regrets, tables.reductions)]
    for a, b in zip(before, after, strict=True):
        pd.testing.assert_frame_equal(a, b)


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


def test_a_model_on_which_both_are_the_same_is_none_on_which_pomis_plus_is_lower():
    results = made_up(experiments=RANDOM)
    finals = results.finals["uniform_cpt_sixvar"].set_index("policy")
    (plus,), (pomis,) = (
        results.policies("uniform_cpt_sixvar", algorithm=algorithm, arms="possibly_optimal")
        for algorithm in ("z2_kl_ucb", "kl_ucb")
    )
    finals.loc[plus, "cumulative_regret"] = finals.loc[pomis, "cumulative_regret"].to_numpy()
    results.finals["uniform_cpt_sixvar"] = finals.reset_index()
    table = tables.robustness(results).set_index(["task", "family", "solver"])
    assert table.loc[("Fig. 5c", "uniform_cpt", "KL-UCB"), "of which POMIS+ lower"] == 0


def test_the_figure_of_random_models_shows_every_step_of_every_family():
    results = made_up(experiments=RANDOM)
    figure = figures.robustness(results)
    for axes, task, steps in zip(figure.axes, TASKS, (1, 2, 3), strict=True):
        marks = [line for line in axes.lines if line.get_marker() in figures.MARKS.values()]
        assert len(marks) == 3 * 2 * steps
        assert len(axes.get_xticklabels()) == steps
        highest = max(float(line.get_ydata()[0]) for line in marks)
        rows = [TABLE_1[task, solver] for solver in ("thompson", "kl_ucb")]
        pairs = [(row[i], row[i + 1]) for row in rows for i in range(3)]
        assert highest == pytest.approx(max(100 * (1 - low / high) for low, high in pairs), abs=0.01)
    plt.close(figure)


def test_figure_5_draws_what_is_played_and_published_and_their_difference():
    results = made_up(experiments=TASKS)
    label = results.policies("sixvar", algorithm="thompson", arms="brute_force")[0]
    del results.plans["sixvar"].settings[label]
    figure = figures.figure5(results)
    for axes, residuals, task, count in zip(figure.axes[:3], figure.axes[3:], TASKS, (4, 6, 7), strict=True):
        names = [text.get_text() for text in axes.texts if "=" not in text.get_text()]
        assert len(names) == count
        crosses = [line for line in axes.lines if line.get_marker() == "x"]
        assert [line.get_ydata()[0] for line in crosses] == [TABLE_1[task, "thompson"][0]]
        points = [line for line in axes.lines if line.get_marker() == "."]
        assert [list(line.get_xdata())[:2] for line in points] == [[1, 1001]] * (count - 1)
        lines = [line for line in residuals.lines if len(line.get_xdata()) == 100]
        assert len(lines) == count - 1 + (task == "sixvar")  # KL-UCB with POMIS+, with larger experiments first
        assert max(np.abs(line.get_ydata()).max() for line in lines) < 0.5  # made of the published curves
    same = [[text.get_text() for text in axes.texts if "=" in text.get_text()] for axes in figure.axes[:3]]
    assert same == [["BF = MIS = POMIS"], ["MIS = POMIS"], []]
    plt.close(figure)
