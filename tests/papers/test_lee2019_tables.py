"""lee2019's tables and Fig. 5, from made-up results with known answers."""

import subprocess
import sys
from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from lee2019_results import ROOT, TABLE_1, made_up, scale

from causal_bandits.papers.lee2019 import figures, strategies, tables
from causal_bandits.papers.lee2019.borrowing import borrowing

COMMITTED = ["frontdoor", "fourvar", "sixvar"]
RANDOM = [f"{family}_{task}" for task in COMMITTED for family in ("uniform_cpt", "noisy_xor")]


def cells(frame, *columns):
    return list(frame[list(columns)].itertuples(index=False, name=None))


def percent(cell):
    return float(cell.removesuffix(" %"))


def test_table_1_has_every_printed_number_beside_the_policy_that_it_is_of():
    results = made_up(experiments=COMMITTED)
    scale(results, 1.1, ["sixvar"], algorithm="kl_ucb", arms="minimal")
    table = tables.table1(results)
    names = [(solver, strategy) for solver in ("TS", "KL-UCB") for strategy in ("POMIS+", "POMIS", "MIS", "BF")]
    assert cells(table, "solver", "strategy") == names
    for problem, label in (("frontdoor", "Fig. 5a"), ("fourvar", "Fig. 5b"), ("sixvar", "Fig. 5c")):
        expected = [*TABLE_1[problem, "thompson"], *TABLE_1[problem, "kl_ucb"]]
        assert list(table[f"{label} published"]) == [f"{value:.2f}" for value in expected]
        for name, value, replicated, miss in zip(
            names, expected, table[f"{label} replicated"], table[f"{label} deviation"], strict=True
        ):
            higher = (problem, *name) == ("sixvar", "KL-UCB", "MIS")
            assert float(replicated.partition(" ± ")[0]) == pytest.approx(1.1 * value if higher else value, abs=0.006)
            assert percent(miss) == (10.0 if higher else 0.0)


def test_table_1_says_what_is_not_run_or_of_another_horizon():
    results = made_up(experiments=COMMITTED, horizon=5000)
    assert set(tables.table1(results)["Fig. 5b deviation"]) == {"another horizon"}
    results = made_up(experiments=COMMITTED)
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
    results = made_up(experiments=COMMITTED)
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


def test_reductions_are_of_pomis_plus_below_pomis():
    table = tables.reductions(made_up(experiments=COMMITTED))
    assert cells(table, "task", "solver", "published, %") == [
        ("Fig. 5a", "TS", "34.5"),
        ("Fig. 5a", "KL-UCB", "39.2"),
        ("Fig. 5b", "TS", "46.2"),
        ("Fig. 5b", "KL-UCB", "61.0"),
        ("Fig. 5c", "TS", "24.8"),
        ("Fig. 5c", "KL-UCB", "31.3"),
    ]
    for stated, found in cells(table, "published, %", "replicated, %"):
        assert float(found.partition(" (")[0]) == pytest.approx(float(stated), abs=0.11)
    assert float(table["POMIS - POMIS+"][2].partition(" ± ")[0]) == pytest.approx(93.53 - 50.29, abs=0.006)
    assert set(table["seeds"]) == {1000}


def test_robustness_counts_instances_of_each_family():
    results = made_up(experiments=RANDOM)
    scale(results, 2, ["noisy_xor_fourvar"], algorithm="z2_thompson")
    table = tables.robustness(results)
    families = ["uniform_cpt", "uniform_cpt", "noisy_xor", "noisy_xor"]
    assert list(table["family"]) == families * 3
    assert list(table["solver"]) == ["TS", "KL-UCB"] * 6
    worse = table[(table["task"] == "Fig. 5b") & (table["family"] == "noisy_xor") & (table["solver"] == "TS")].iloc[0]
    assert (worse["POMIS+"], worse["POMIS"], worse["MIS"], worse["BF"]) == ("100.6", "93.5", "93.5", "183.2")
    assert worse["POMIS+ below POMIS, %"].startswith("-7.5 (")
    assert worse["of which POMIS+ lower"] < 15
    others = table.drop(worse.name)
    assert set(others["instances"]) == {25}
    assert (others["of which POMIS+ lower"] > 20).all()


def test_averages_are_compared_with_the_online_bootstrap():
    results = made_up(experiments=[*COMMITTED, "averaging_frontdoor", "averaging_fourvar"])
    scale(results, 2, ["averaging_fourvar"], averaging="bootstrap")
    scale(results, 3, ["sixvar"], algorithm="z2_kl_ucb", averaging="delta")
    table = tables.averages(results)
    columns = ("task", "instance", "rounds", "policy", "method")
    whole = [(task, "committed", 10000, f"{s} POMIS+", "delta") for task in COMMITTED for s in ("TS", "KL-UCB")]
    short = [("frontdoor", "uniform_cpt", 4000), ("fourvar", "committed", 1000)]
    assert cells(table, *columns) == whole + [(*at, "TS POMIS+", m) for at in short for m in ("bootstrap", "delta")]
    differences = [float(cell.partition(" ± ")[0]) for cell in table["difference, paired"]]
    assert np.flatnonzero(differences).tolist() == [5, 8]
    assert differences[5] == pytest.approx(2 * 247.05, abs=0.01)
    assert differences[8] == pytest.approx(50.29, abs=0.01)


def test_calibration_compares_each_baseline_with_its_own_runs():
    results = made_up(experiments=COMMITTED)
    scale(results, 1.5, ["sixvar"], algorithm="kl_ucb", arms="minimal")
    table = tables.calibration(results)
    assert len(table) == 2 + 4 + 6
    assert list(table["baseline"][:2]) == ["TS POMIS", "KL-UCB POMIS"]
    off = table[table["miss in the study"].map(percent) != 0]
    assert cells(off, "task", "baseline", "published", "miss in the study") == [
        ("Fig. 5c", "KL-UCB MIS", "469.30", "+50.0 %")
    ]
    assert set(table["instance"]) == {"uniform_cpt 232", "uniform_cpt 40", "noisy_xor 611"}


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


def test_expressions_that_count_are_counted_by_hand():
    results = made_up(experiments=[*COMMITTED, *RANDOM], replicates=4)
    runs = results.finals["fourvar"]
    of = runs["policy"] == results.policies("fourvar", algorithm="z2_thompson", averaging="online_bootstrap")[0]
    runs.loc[of, "borrowed"] = [0.0, 1000.0, 3000.0, 0.0]
    runs.loc[of, "clipped"] = [0, 3, 0, 1]
    table = borrowing(results)
    row = table[(table["task"] == "Fig. 5b") & (table["policy"] == "TS POMIS+") & (table["instance"] == "committed")]
    row = row.set_index("averaging").loc["online_bootstrap"]
    assert row["runs in which an expression counts, %"] == "50.0"
    assert row["weight of expressions, %"] == "10.0"
    assert row["averages that no Beta distribution matches"] == 4
    assert (row["pairs of round and arm"], row["seeds"]) == (10000 * 5 * 4, 4)
    others = table.drop(table.index[(table["weight of expressions, %"] == "10.0")])
    assert set(others["runs in which an expression counts, %"]) == {"100.0"}
    assert set(others["weight of expressions, %"]) == {"0.5"}
    arms = {"Fig. 5a": 3, "Fig. 5b": 5, "Fig. 5c": 15}
    for task, pairs, seeds in cells(table, "task", "pairs of round and arm", "seeds"):
        assert pairs == 10000 * arms[task] * seeds
    assert sorted(set(table["instance"])) == ["committed", "noisy_xor", "uniform_cpt"]
    assert len(table) == 3 * (4 + 2 + 2)


def test_figure_5_marks_the_printed_numbers_and_draws_what_is_played():
    results = made_up(experiments=COMMITTED)
    label = results.policies("sixvar", algorithm="thompson", arms="brute_force")[0]
    del results.plans["sixvar"].settings[label]
    figure = figures.figure5(results)
    for axes, task, left_out in zip(figure.axes, COMMITTED, (0, 0, 1), strict=False):
        crosses = {(line.get_color(), line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "x"}
        colours = figures.STRATEGY_COLOURS.values()
        expected = {
            (colour, value)
            for solver in ("thompson", "kl_ucb")
            for colour, value in zip(colours, TABLE_1[task, solver], strict=True)
        }
        assert crosses == expected
        curves = {(line.get_color(), line.get_ydata()[-1]) for line in axes.lines if line.get_marker() != "x"}
        assert curves <= expected
        assert len(curves) == 8 - left_out
    texts = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert texts[:3] == [["BF = MIS = POMIS"], ["MIS = POMIS"], []]
    plt.close(figure)


def test_tables_load_nothing_that_they_do_not_use():
    code = "import sys, causal_bandits.papers.lee2019.tables; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT / "src")}
    )
    assert set(done.stdout.split()) & {"scipy.stats", "seaborn", "numba", "matplotlib"} == set()


def test_a_policy_is_found_by_its_settings_and_not_by_its_label():
    """Labels that say nothing give the same tables."""
    results = made_up(experiments=COMMITTED)
    before = [table(results) for table in (tables.table1, tables.reductions, tables.averages, tables.calibration)]
    for name, plan in results.plans.items():
        labels = {label: f"p{i}" for i, label in enumerate([*plan.settings, *plan.left_out])}
        object.__setattr__(plan, "settings", {labels[label]: s for label, s in plan.settings.items()})
        results.finals[name]["policy"] = results.finals[name]["policy"].map(labels)
    after = [table(results) for table in (tables.table1, tables.reductions, tables.averages, tables.calibration)]
    for a, b in zip(before, after, strict=True):
        pd.testing.assert_frame_equal(a, b)
