"""lee2019's tables and Fig. 5, the gains of POMIS+, and arms of low reward (L195), from made-up results."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from judgements import counted, under
from lee2019_results import CLAIMS, TABLE_1, judged, made_up, scale
from loaded import loaded_by

from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS
from replication.judging import judges
from replication.judging.claims import final
from replication.judging.judges import Outcome
from replication.papers.lee2019 import policies, tables
from replication.papers.lee2019.claims import TS_PLUS, TS_POMIS
from replication.papers.lee2019.judges import _over_tasks

TASKS = list(policies.TASKS)
RANDOM = [f"{family}_{task}" for task in TASKS for family in policies.FAMILIES]


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
    unused = {"scipy", "jsonschema", "seaborn", "numba", "matplotlib"}
    assert unused.isdisjoint(loaded_by("replication.papers.lee2019.tables"))


def test_a_policy_is_found_by_its_settings_and_not_by_its_label():
    """Labels that say nothing give the same tables."""
    results = made_up(experiments=TASKS)
    before = [table(results) for table in (tables.table1, tables.regrets, tables.reductions)]
    results = replace(results)  # of which nothing is computed yet
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


def test_arms_are_low_by_lai_and_robbins():
    """ln(10,000) / kl(p, 0.5) = 100 at kl = 0.0921, which lies between p = 0.28 and 0.3."""
    assert tables.low_arms(np.array([0.5, 0.28, 0.3, 0.5])) == 1
    assert tables.low_arms(np.array([0.5, 0.5])) == 0


def test_gains_are_compared_by_the_number_of_low_arms():
    claim = CLAIMS["lee2019.low_arms.kl_ucb"].under("random gates")
    experiments = [f"noisy_gates_{task}" for task in GRAPHS]
    results = made_up(experiments=experiments)
    assert judged(results, claim).outcome != Outcome.HOLDS
    for task, name in zip(GRAPHS, experiments, strict=True):
        table = results.finals[name]
        draws = sorted(table["draw"].unique())
        low = pd.Series([tables.low_arms(m) for m in tables.means_of(task, "noisy_gates", draws)], index=draws)
        few = low.index[low < low.mean()]
        plus = table["policy"] == results.policies(name, algorithm="z2_kl_ucb")[0]
        table.loc[plus & table["draw"].isin(few), "cumulative_regret"] /= 2
    assert judged(results, claim).outcome == Outcome.HOLDS
    del results.plans[experiments[0]]
    assert judged(results, claim).outcome == Outcome.OPEN


@pytest.mark.parametrize("solver", ["ts", "kl_ucb"])
def test_a_gap_that_stays_as_it_is_does_not_grow(solver):
    """It grows in both readings as made up; doubled for both, in the difference alone; as it is, in neither."""
    claim = CLAIMS[f"lee2019.horizon.sixvar.{solver}"]
    results = made_up(experiments=["longer_sixvar"])
    assert judged(results, claim).outcome == judges.Outcome.HOLDS
    longer = results.finals["longer_sixvar"]
    for times, verdict in ((2.0, judges.Outcome.DEPENDS), (1.0, judges.Outcome.FAILS)):
        before = longer["cumulative_regret_after_10000"]
        longer["cumulative_regret"] = times * before * (1 + 0.001 * np.cos(np.pi * longer["seed"] / 2))
        assert judged(results, claim).outcome == verdict
    del results.plans["longer_sixvar"]
    assert judged(results, claim).outcome == judges.Outcome.OPEN


def test_the_gap_is_compared_on_the_same_runs():
    """Where seeds differ far more than the gap grows, only pairing shows that it grows."""
    claim = CLAIMS["lee2019.horizon.sixvar.ts"]
    results = made_up(experiments=["longer_sixvar"])
    table = results.finals["longer_sixvar"]
    plus = table["policy"] == results.policies("longer_sixvar", algorithm="z2_thompson")[0]
    for metric, growth in (("cumulative_regret_after_10000", 0.0), ("cumulative_regret", 5.0)):
        luck = 0.01 * ((table["seed"] + growth) % 7 - 3)
        table[metric] = 1000.0 - plus * (10.0 * (table["seed"] % 40) + growth + luck)
    assert judged(results, claim).outcome == judges.Outcome.HOLDS


def test_the_table_of_gaps_says_by_how_much_one_mean_is_below_the_other():
    """POMIS at 200 and POMIS+ at 150 on every seed: a quarter below, whatever the logarithm's sign."""
    places = [f"{moved}{task}" for task in TASKS for moved in ("", "small_gap_", "large_gap_")]
    results = made_up(experiments=places)
    for place in places:
        table = results.finals[place]
        for solver, (strategy, mean) in product(policies.SOLVERS, {"POMIS": 200.0, "POMIS+": 150.0}.items()):
            own = table["policy"] == results.policies(place, **policies.played(solver, strategy))[0]
            table.loc[own, "cumulative_regret"] = mean
    found = tables.gaps(results)
    assert len(found) == len(places)
    for solver in policies.SOLVERS:
        assert set(found[f"POMIS+ below POMIS, {solver}, %"]) == {"25.0"}


@pytest.mark.parametrize("than", ["small", "large"])
@pytest.mark.parametrize("solver", ["ts", "kl_ucb"])
def test_a_gain_is_compared_with_that_at_another_gap(than, solver):
    """POMIS+ is made to gain less there in one task, then in all; each task is a reading."""
    claim = CLAIMS[f"lee2019.gaps.{solver}.{than}"]
    tasks = ["frontdoor", "fourvar", "sixvar"]
    moved = [f"{than}_gap_{task}" for task in tasks]
    results = made_up(experiments=[*tasks, *moved])
    assert judged(results, claim).outcome != judges.Outcome.HOLDS
    algorithm = "z2_thompson" if solver == "ts" else "z2_kl_ucb"
    scale(results, 1.4, moved[:1], algorithm=algorithm)
    found = judged(results, claim)
    assert under(found, "front door").outcome == judges.Outcome.HOLDS
    assert counted(found, judges.Outcome.HOLDS) == 1
    scale(results, 1.4, moved[1:], algorithm=algorithm)
    assert judged(results, claim).outcome == judges.Outcome.HOLDS
    scale(results, 1 / 1.4**2, moved, algorithm=algorithm)
    assert judged(results, claim).outcome == judges.Outcome.FAILS
    del results.plans[moved[2]]
    assert judged(results, claim.default).outcome == judges.Outcome.OPEN


def test_a_gain_is_the_logarithm_of_two_means_with_the_error_of_a_ratio():
    """Simulated: over many samples the spread of the gain is what one sample's own error says."""
    rng = np.random.default_rng(0)
    results = made_up(experiments=["sixvar"], replicates=400)
    labels = [results.policies("sixvar", **policies.played("TS", s))[0] for s in ("POMIS", "POMIS+")]

    def drawn():
        base = rng.gamma(9, 20, 400)
        plus = 0.5 * base + rng.gamma(4, 10, 400)
        table = results.finals["sixvar"]
        for label, values in zip(labels, (base, plus), strict=True):
            table.loc[table["policy"] == label, "cumulative_regret"] = values
        return tables.gain(replace(results), "sixvar", "TS"), math.log(base.mean() / plus.mean())

    found = [drawn() for _ in range(200)]
    assert all(gain.mean() == pytest.approx(log) for gain, log in found)
    spread = np.std([log for _, log in found])
    assert np.mean([gain.std() / 20 for gain, _ in found]) == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize("without", [["POMIS"], ["POMIS+"], ["POMIS", "POMIS+"]])
def test_a_model_without_regret_has_no_gain(without):
    name = "noisy_gates_frontdoor"
    results = made_up(experiments=[name])
    table = results.finals[name]
    for strategy in without:
        (label,) = results.policies(name, **policies.played("TS", strategy))
        table.loc[(table["policy"] == label) & (table["draw"] == 3), "cumulative_regret"] = 0.0
    found = tables.random_gains(replace(results), [(final(name, TS_POMIS), final(name, TS_PLUS))])
    assert found["draw"].tolist() == [draw for draw in range(300) if draw != 3]
    assert np.isfinite(found["gain"]).all()


def test_every_task_counts_the_same_in_a_gain():
    """Ten times the instances of one task move neither the mean nor, much, its standard error."""
    rng = np.random.default_rng(0)
    few = pd.DataFrame({"task": ["frontdoor"] * 50 + ["fourvar"] * 50, "gain": rng.normal(0, 1, 100)})
    few.loc[few["task"] == "fourvar", "gain"] += 3.0
    more = pd.concat([few, *[few[few["task"] == "fourvar"]] * 9])
    before, after = (_over_tasks(part, ["frontdoor", "fourvar"]) for part in (few, more))
    assert after.mean == pytest.approx(before.mean)
    errors = [few.loc[few["task"] == task, "gain"].std() / math.sqrt(50) for task in ("frontdoor", "fourvar")]
    assert before.sd / math.sqrt(before.n) == pytest.approx(math.hypot(*errors) / 2)
    assert errors[0] / 2 < after.sd / math.sqrt(after.n) < before.sd / math.sqrt(before.n)


def test_the_gap_is_that_to_the_next_arm_that_is_worse():
    assert tables.gap(np.array([0.5, 0.7, 0.7, 0.6])) == pytest.approx(0.1)
    assert tables.gap(np.array([0.4, 0.4])) == 0
