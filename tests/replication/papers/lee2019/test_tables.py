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
from replication.papers.lee2019.gains import gaps
from replication.papers.lee2019.tables import borrowing, variants

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


def test_both_regrets_have_one_mean_and_two_spreads():
    table = tables.regrets(made_up(experiments=TASKS))
    assert len(table) == 3 * 8 + 2
    assert len(table.drop_duplicates(["task", "policy"])) == len(table)
    assert {float(cell.partition(" ± ")[0]) for cell in table["difference, paired"]} == {0.0}
    spreads = table[["standard deviation", "standard deviation, drawn"]].astype(float)
    own = float(spreads["standard deviation"][0])
    assert spreads["standard deviation, drawn"][0] == pytest.approx(np.hypot(own, 30), rel=0.1)


def test_searches_count_the_expressions_of_every_choice():
    table = tables.searches(None)
    six = table[table["task"] == "Fig. 5c"].set_index(["collections", "line 6 tries"])
    assert six["expressions"].loc["all"].to_dict() == {"maximal": 35, "largest": 33}
    assert six["of which the study uses"].loc["all"].to_dict() == {"maximal": 35, "largest": 26}
    assert set(six["expressions"].loc["minimal"]) == {24}
    assert set(six["expressions"].loc["single"]) == {11}
    assert set(table[table["task"] == "Fig. 5a"]["expressions"]) == {1}


def test_printed_equations_are_found_among_the_expressions():
    results = made_up(experiments=["fourvar"])
    table = tables.expressions("fourvar", results)
    printed = {(row["arms"], row["printed as"]) for _, row in table.iterrows() if row["printed as"]}
    assert printed == {("do()", "Eq. (1)"), ("do(B)", "Eq. (2)"), ("do(C)", "Eq. (3)"), ("do(C)", "Eq. (4)")}
    fourth = table[table["printed as"] == "Eq. (4)"].iloc[0]
    assert (fourth["data from"], fourth["free values"]) == ("{B}", "b")
    assert (table["no."] == 0).sum() == 3
    results.published.loc["lee2019.equation.3", "value"] = "P_c(y)"
    changed = tables.expressions("fourvar", results).set_index("printed as")
    assert changed.loc["Eq. (3)", "no."] == 0


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


def test_reductions_are_of_pomis_plus_below_pomis():
    results = made_up(experiments=TASKS)
    scale(results, 0.5, ["sixvar"], algorithm="z2_kl_ucb")
    table = tables.reductions(results)
    expected = [34.5, 39.2, 46.2, 61.0, 24.8, 24.8, 31.3, 31.3]  # twice: both orders of line 6
    assert list(table["published, %"]) == expected
    for stated, one in cells(table, "published, %", "replicated, %"):
        changed = 100 - (100 - stated) / 2 if stated == 31.3 else stated
        assert float(one.partition(" (")[0]) == pytest.approx(changed, abs=0.11)
    assert float(table["POMIS - POMIS+"][2].partition(" ± ")[0]) == pytest.approx(93.53 - 50.29, abs=0.006)
    assert set(table["seeds"]) == {1000}


def test_robustness_counts_models_of_each_family_and_steps_from_one_strategy_to_the_next():
    results = made_up(experiments=RANDOM)
    scale(results, 2, ["noisy_gates_fourvar"], algorithm="z2_thompson")
    table = tables.robustness(results)
    assert cells(table, "task", "family", "solver") == [
        (label, family, solver)
        for label in strategies.TASKS.values()
        for family in robustness.FAMILIES
        for solver in ("TS", "KL-UCB")
    ]
    assert dict(zip(table["task"], table["models"], strict=True)) == {"Fig. 5a": 300, "Fig. 5b": 200, "Fig. 5c": 100}
    found = table.set_index(["task", "family", "solver"])
    worse = found.loc["Fig. 5b", "noisy_gates", "TS"]
    shown = [float(worse[strategy]) for strategy in strategies.STRATEGIES]
    assert shown == pytest.approx([100.58, 93.53, 93.53, 183.15], abs=0.06)
    assert worse["POMIS > POMIS+, %"].startswith("-7.5 (")
    assert worse["BF > POMIS, %"].startswith(f"{100 * (1 - 93.53 / 183.15):.1f} (")
    assert worse["of which POMIS+ lower"] < 60
    six = found.loc["Fig. 5c", "uniform_cpt", "TS"]
    assert six["MIS > POMIS, %"].startswith(f"{100 * (1 - 161.54 / 212.24):.1f} (")
    assert set(found.loc["Fig. 5a", "BF > MIS, %"]) == {""}
    nothing = found["doing nothing is optimal, %"]
    assert nothing["Fig. 5a", "uniform_cpt", "TS"] not in ("0", "100")


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


def test_parts_that_are_changed_are_compared_by_seed_and_with_table_1():
    results = made_up(experiments=[f"variants_{task}" for task in TASKS], replicates=100)
    scale(results, 4, ["variants_fourvar"], algorithm="z2_kl_ucb", support="conditions")
    table = variants(results)
    first = table[table["changed"] == "nothing"]
    assert list(first["Table 1"]) == [f"{TABLE_1[task, s][0]:.2f}" for task in TASKS for s in ("thompson", "kl_ucb")]
    found = table.set_index(["task", "solver", "changed"])
    changed = found.loc["Fig. 5b", "KL-UCB", "support: conditions"]
    assert float(changed["above the study's choice, paired"].partition(" ± ")[0]) == pytest.approx(3 * 74.93, abs=0.01)
    assert float(changed["standard errors off"]) > 10
    others = found.drop(index=("Fig. 5b", "KL-UCB", "support: conditions"))
    assert set(others["standard errors off"].astype(float).abs()) == {0.0}
    assert set(found["ledger"]) == {"", "L08", "L10", "L14", "L08 L72"}


def test_gains_are_shown_with_the_gap_that_a_moved_noise_makes():
    results = made_up(experiments=[f"{moved}{task}" for task in TASKS for moved in ("", "small_gap_", "large_gap_")])
    table = gaps(results)
    assert list(table["moved"]) == [
        *("Z: 0.475", "nothing", "Z: 0.1"),
        *("Y: 0.4375", "nothing", "Y: 0.01"),
        *("Y: 0.5925", "nothing", "Y: 0.99"),
    ]
    small, paper, large = (table["gap to the next arm"].astype(float)[start::3].to_numpy() for start in range(3))
    np.testing.assert_allclose(paper / small, 4, rtol=0.01)
    np.testing.assert_allclose(large / paper, [4, 1.96, 0.98 / 0.74], rtol=0.01)
    assert float(table["POMIS+ below POMIS, TS, %"][1]) == pytest.approx(34.5, abs=0.1)
    assert float(table["gain, KL-UCB"][7].partition(" ± ")[0]) == pytest.approx(np.log(359.40 / 247.05), abs=0.006)


def test_expressions_that_count_are_counted_by_hand():
    results = made_up(experiments=TASKS, replicates=4)
    runs = results.finals["fourvar"]
    of = runs["policy"] == results.policies("fourvar", algorithm="z2_thompson")[0]
    runs.loc[of, "borrowed"] = [0.0, 0.5, 3999.5, 0.0]
    runs.loc[of, "clipped"] = [0, 3, 0, 1]
    table = borrowing(results).set_index(["task", "policy"])
    row = table.loc["Fig. 5b", "TS POMIS+"]
    assert row["runs in which an expression counts, %"] == "50.0"
    assert row["weight of expressions, %"] == "10.0"
    assert row["averages that no Beta distribution matches"] == 4
    assert (row["pairs of round and arm"], row["seeds"]) == (10000 * 5 * 4, 4)
    others = table.drop(index=("Fig. 5b", "TS POMIS+"))
    assert set(others["runs in which an expression counts, %"]) == {"100.0"}
    assert set(others["weight of expressions, %"]) == {"0.5"}
    assert list(table["pairs of round and arm"]) == [40000 * arms for arms in (3, 3, 5, 5, 15, 15)]


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
