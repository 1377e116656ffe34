"""lee2019's tables and Fig. 5, from made-up results with known answers."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from lee2019_results import ROOT, TABLE_1, made_up, scale

from replication.papers.lee2019 import gains, policies, tables

TASKS = list(policies.TASKS)
RANDOM = [f"{family}_{task}" for task in TASKS for family in gains.FAMILIES]


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
    for problem, label in policies.TASKS.items():
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
