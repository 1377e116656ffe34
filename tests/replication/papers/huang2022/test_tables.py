"""Tables and figures of huang2022 on made-up results, cell by cell, and those that are computed."""

from dataclasses import replace
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from made_huang2022 import made

from causal_bandits.play.run import play
from causal_bandits.play.unfairness import fair_regret
from causal_bandits.policies.contextual.d_ucb import DUCB
from causal_bandits.policies.fair.f_ucb import FUCB
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from causal_bandits.problems.huang2022 import adult_video_bandit, email, user_counts
from causal_bandits.seeding import generators
from experiments.drawing.plotting import COLOURS
from experiments.results import Results
from replication.papers.huang2022 import bandits, figures, tables
from replication.papers.huang2022.bounds import theorem_2
from replication.papers.huang2022.data import joint_counts
from replication.papers.huang2022.published import DEFINITIONS, POLICIES, printed_counts, printed_regret
from replication.papers.huang2022.sensitivity_tables import OPEN
from replication.papers.huang2022.theory import d_ucb_bound, f_ucb_bound

NOTHING = Results({}, {}, pd.DataFrame(), {}, {})
GRAPHS = ("email", "adult_bounds", "adult")
ALGORITHMS = ("ucb", "c_ucb", "d_ucb", "f_ucb", "fair_lin_ucb")
FALLBACKS = ("safest", "best")
PAIRS = ((1.0, 1.0), (1.0, 0.5), ("theorem_3", 1.0), ("theorem_3", 0.5))
SCALES = [(fallback, *scales) for scales in PAIRS for fallback in FALLBACKS]


def number(experiment, settings):
    """A regret of its own for every policy: 10,000s the experiment, 1,000s the algorithm, 100s tau, 10s the reading."""
    value = 10_000 * (1 + GRAPHS.index(experiment)) + 1000 * ALGORITHMS.index(settings["algorithm"])
    if settings["algorithm"] == "f_ucb":
        reading = SCALES.index(tuple(settings[name] for name in OPEN))
        value += round(1000 * settings["tau"]) + 10 * reading
    return value + 500 * settings.get("context_free", False) + 40 * (settings.get("alpha") == 10)


def count(experiment, settings, definition, tau):
    """The regret's number, and 1,000,000s the definition, 100,000s tau."""
    which = list(DEFINITIONS).index(definition)
    return 1_000_000 * which + 100_000 * round(10 * tau) + number(experiment, settings)


@cache
def results():
    return made(number, count, seeds=8)


def f_ucb(tau, experiment="email", reading=0):
    return 10_000 * (1 + GRAPHS.index(experiment)) + 3000 + round(1000 * tau) + 10 * reading


def mean_of(cell):
    """What stands before the half width."""
    value, _, half = cell.partition(" ± ")
    assert 0 < float(half) < 3
    return float(value)


def test_table_1():
    table = tables.table1(results())
    assert table["tau"].tolist() == [f"{tau:g}" for tau in THRESHOLDS]
    assert table["F-UCB regret published"].tolist() == ["392.12", "363.55", "355.21", "317.80", "313.89"]
    finals = results().finals["email"]
    for i, tau in enumerate(THRESHOLDS):
        row = table.loc[i]
        assert mean_of(row["F-UCB regret, 8 trials"]) == pytest.approx(f_ucb(tau), abs=2)
        first = finals[(finals["policy"] == f"f_ucb,tau={tau:g}") & (finals["seed"] < 5)]["cumulative_regret"]
        assert row["F-UCB regret, 5 trials"] == f"{first.mean():.2f}"
        for k, name in enumerate(POLICIES.values()):
            regret = f_ucb(tau) if name == "F-UCB" else 10_000 + 1000 * k
            at = 100_000 * round(10 * tau) + regret
            assert row[f"{name} unfair, arm held fixed"] == f"{at:.0f}"
            assert row[f"{name} unfair, own answer"] == f"{1_000_000 + at:.0f}"
            assert row[f"{name} unfair, drawn rewards"] == f"{6_000_000 + at:.0f}"
    assert table["UCB unfair published"].tolist() == ["3030", "1383", "482", "141", "18"]
    assert table["D-UCB unfair published"].tolist() == ["3473", "1818", "739", "234", "47"]


def test_table_2():
    table = tables.table2(results())
    assert table["graph"].str.startswith("income descends").tolist() == [True] * 5 + [False] * 5
    assert table["F-UCB regret published"].tolist() == ["361.43", "332.10", "323.12", "303.32", "296.19"] * 2
    assert table["Fair-LinUCB unfair published"].tolist() == ["2053", "1221", "602", "82", "6"] * 2
    cells = [(experiment, tau) for experiment in ("adult_bounds", "adult") for tau in THRESHOLDS]
    for (experiment, tau), row in zip(cells, table.to_dict("records"), strict=True):
        assert row["tau"] == f"{tau:g}"
        assert mean_of(row["F-UCB regret, 8 trials"]) == pytest.approx(f_ucb(tau, experiment), abs=2)
        fair = 10_000 * (1 + GRAPHS.index(experiment)) + 4000
        for alpha, more in ((1, 0), (10, 40)):
            found = row[f"Fair-LinUCB regret, alpha = {alpha} (published: around 250)"]
            assert mean_of(found) == pytest.approx(fair + more, abs=2)
        for name, regret in (("F-UCB", f_ucb(tau, experiment)), ("Fair-LinUCB", fair)):
            for which, shown in ((0, "arm held fixed"), (1, "own answer"), (6, "drawn rewards")):
                expected = 1_000_000 * which + 100_000 * round(10 * tau) + regret
                assert row[f"{name} unfair, {shown}"] == f"{expected:.0f}"


def test_readings_stand_beside_each_other():
    table = tables.readings(results())
    published = table[table["fallback"] == "as published"]
    assert published["task"].tolist() == ["email", "adult_bounds", "adult"]
    assert published["tau = 0.5"].tolist() == ["313.89", "296.19", "296.19"]
    rows = table.drop(published.index).to_dict("records")
    assert len(rows) == 3 * len(SCALES)
    for row in rows:
        reading = SCALES.index(
            (row["fallback"], *(float(x) if x != "theorem_3" else x for x in list(row.values())[2:4]))
        )
        for tau in THRESHOLDS:
            cell, empty = row[f"tau = {tau:g}"], row[f"tau = {tau:g}, empty"]
            if row["task"] == "adult_bounds" and tau == 0.1 and row["alpha_r"] == "theorem_3":
                assert cell == empty == "no safe policy"
            else:
                expected = f_ucb(tau, row["task"], reading)
                assert mean_of(cell) == pytest.approx(expected, abs=2)
                assert empty == f"{expected / 2:.0f}"


def test_unfair_rounds_by_every_definition_and_as_published():
    table = tables.unfair_decisions(results())
    titles = {title: which for which, title in enumerate(DEFINITIONS.values())}
    order = {name: i for i, name in enumerate((*POLICIES.values(), "Fair-LinUCB"))}
    published = table[table["unfair if beyond tau"] == "as published"]
    assert published[["task", "policy", "tau = 0.1"]].to_numpy().tolist() == [
        ["email", "UCB", "3030"],
        ["email", "C-UCB", "3176"],
        ["email", "D-UCB", "3473"],
        ["email", "F-UCB", "0"],
        *(
            [task, policy, n]
            for task in ("adult", "adult_bounds")
            for policy, n in (("F-UCB", "0"), ("Fair-LinUCB", "2053"))
        ),
    ]
    counted = table.drop(published.index)
    assert len(counted) == 3 * 5 * len(DEFINITIONS)
    for row in counted.to_dict("records"):
        for tau in THRESHOLDS:
            policy = 10_000 * (1 + GRAPHS.index(row["task"])) + 1000 * order[row["policy"]]
            policy += round(1000 * tau) if row["policy"] == "F-UCB" else 0
            expected = 1_000_000 * titles[row["unfair if beyond tau"]] + 100_000 * round(10 * tau) + policy
            assert row[f"tau = {tau:g}"] == f"{expected:.0f}"


def test_bounds_stand_beside_the_regret_that_they_are_about():
    table = tables.theory(results()).to_dict("records")
    safe = max(min(abs(d) for d in row) for row in email().discrepancies)
    expected = [d_ucb_bound(5000, 12), *(f_ucb_bound(5000, 12, tau, safe) for tau in THRESHOLDS for _ in range(2))]
    measured = [12_000, *(f_ucb(tau, reading=reading) for tau in THRESHOLDS for reading in (7, 5))]
    for row, bound, regret in zip(table, expected, measured, strict=True):
        assert row["bound on regret"] == f"{bound.regret:.0f}"
        assert row["holds with probability at least"] == f"{bound.probability:.4f}"
        assert float(row["bound by the proof"]) >= float(row["bound on regret"])
        assert mean_of(row["regret measured"]) == pytest.approx(regret, abs=2)
        assert row["rounds"] == 5000
    assert [row["statement"] for row in table][:2] == ["Theorem 1", "Theorem 3, tau = 0.1"]


def test_the_largest_discrepancies_are_found():
    """The arm held fixed: the largest, its user and email, how much it differs; with the policy's answer, likewise."""
    largest, *_, differs, answered, smallest, unfair, thresholds = tables.discrepancies(NOTHING)["value"]
    assert (largest, differs, unfair) == ("0.007292", "0.000000", "0")
    assert (answered, smallest, thresholds) == ("0.239931", "0.1", "0.1, 0.2")


def test_definitions_are_as_far_from_the_counts_as_they_are():
    published = {
        "ucb": [3030, 1383, 482, 141, 18],
        "c_ucb": [3176, 1487, 594, 185, 27],
        "d_ucb": [3473, 1818, 739, 234, 47],
    }

    def near(experiment, settings, definition, tau):
        """Drawn rewards: 4 % too many; the worst arm: twice as many; all others none."""
        if settings["algorithm"] not in published or experiment != "email":
            return 0
        value = published[settings["algorithm"]][THRESHOLDS.index(tau)]
        return {"drawn": 1.04 * value, "worst": 2 * value}.get(definition, 0)

    table = tables.definitions(made(number, near, seeds=8)).set_index("definition")
    drawn, worst, exact = (table.loc[DEFINITIONS[d]] for d in ("drawn", "worst", "exact"))
    assert (drawn["mean distance"], drawn["within 5 %"], drawn["published order at"]) == (
        "4 %",
        "15 of 15",
        "5 of 5 thresholds",
    )
    assert (worst["mean distance"], worst["within 5 %"], worst["UCB, tau = 0.1"]) == ("100 %", "0 of 15", "+100 %")
    assert (exact["C-UCB, tau = 0.5"], exact["published order at"]) == ("-100 %", "0 of 5 thresholds")
    picked = table["picked with the counts in view"]
    assert picked[picked == "yes"].index.tolist() == [DEFINITIONS["drawn_answer"], DEFINITIONS["worst"]]


def test_what_is_printed_is_found_by_what_its_claim_is_bound_to():
    found = results()
    assert printed_regret(found, "email", 0.2) == "363.55"
    assert printed_regret(found, "adult", 0.2) == printed_regret(found, "adult_bounds", 0.2) == "332.10"
    with pytest.raises(ValueError, match=r"email: no regret of F-UCB is published at tau = 0.25"):
        printed_regret(found, "email", 0.25)
    assert printed_counts(found, "email")["d_ucb"][0.5] == 47
    assert printed_counts(found, "adult")["fair_lin_ucb"][0.5] == 6
    assert set(printed_counts(found, "adult")) == {"f_ucb", "fair_lin_ucb"}


def test_the_proof_of_theorem_3_asks_what_its_scale_does_not_have():
    table = tables.conditions(NOTHING)
    assert table["at least 1 + alpha_c"].tolist() == ["no"] * 5
    assert table["at least alpha_c"].tolist() == ["yes"] * 5
    safe = np.abs(email().discrepancies).min(axis=1).max()
    assert table["(tau - Delta_0)(alpha_r - 1)"].tolist() == [f"{2 - (tau - safe):.3f}" for tau in THRESHOLDS]


def test_the_bound_of_theorem_3_stands_beside_what_fair_play_loses():
    found = made(lambda *of: 440_000.0, seeds=3, experiments=("unconstrained",))
    cells = dict(tables.unconstrained(found).to_numpy().tolist())
    assert cells["Theorem 3's bound"] == "428323"
    assert cells["expected regret of the best fair policy, exact"] == "475000"
    assert cells["seeds above the bound"] == "3 of 3"
    assert sum(str(quantity).startswith("regret of F-UCB") for quantity in cells) == 2
    below = made(lambda *of: 420_000.0, seeds=3, experiments=("unconstrained",))
    assert dict(tables.unconstrained(below).to_numpy().tolist())["seeds above the bound"] == "0 of 3"


def test_missed_rounds_stand_beside_what_the_level_allows():
    table = tables.eq_12(made(lambda *of: 70.0, seeds=9, experiments=("rare",)))
    assert table["F-UCB's fallback"].tolist() == ["safest arm"] * 2 + ["best arm"] * 2
    assert set(table["runs with more missed"]) == {"9"}
    assert set(table["of 5000 rounds missed, mean"]) == {"10.0"}
    assert set(table["allowed in expectation"]) == {"6.6"}
    few = tables.eq_12(made(lambda *of: 35.0, seeds=9, experiments=("rare",)))
    assert set(few["runs with more missed"]) == {"0"}


def test_users_of_other_distributions_stand_beside_uniform_ones():
    def regret(experiment, settings):
        value = {"ucb": 500, "c_ucb": 400, "d_ucb": 300, "f_ucb": 900, "fair_lin_ucb": 100}[settings["algorithm"]]
        value -= 700 * (settings.get("fallback") == "best")
        return value + 50 * (experiment == "email_users")

    table = tables.users(made(regret, seeds=20, experiments=("email", "email_users"))).set_index("what")
    assert mean_of(table.loc["ucb", "uniform users"]) == pytest.approx(500, abs=2)
    assert mean_of(table.loc["f_ucb_best", "users of any distribution"]) == pytest.approx(250, abs=2)
    column = table["users of any distribution"]
    assert column["ucb above c_ucb"] == column["f_ucb above ucb"] == "20 of 20 distributions"


def test_what_fairness_costs_is_exact_beside_what_is_paid():
    table = tables.price(
        made(lambda _, s: 2000.0 + 100 * bool(s.get("stochastic")), seeds=5, experiments=("straddling",))
    )
    exact = table[table["policy"] == "best fair arm, exact"].set_index("tau")["regret"]
    # The best arm is worth (0.35 + 0.90) / 2 a round, the best at tau = 0.1 (0.20 + 0.25) / 2.
    assert exact["0.1"] == "8000"
    assert exact.astype(float).tolist() == sorted(exact.astype(float), reverse=True)
    mixes = table[table["policy"] == "best fair mix of arms, exact"].set_index("tau")["regret"].astype(float)
    assert (mixes < exact.astype(float)).all()
    assert table.groupby(["tau", "policy"]).size()["0.3"].to_dict() == {
        "best fair arm, exact": 1,
        "best fair mix of arms, exact": 1,
        "F-UCB, safest arm": 2,
        "F-UCB, best arm": 2,
        "F-UCB, safest arm, arms mixed": 2,
    }
    paid = table[(table["policy"] == "F-UCB, safest arm, arms mixed") & (table["alpha_c"] == "0.5")].set_index("tau")
    assert set(paid["alpha_r"]) == {"theorem_3"}
    assert mean_of(paid.loc["0.3", "regret"]) == pytest.approx(2100, abs=2)
    assert paid.loc["0.3", "regret against the best fair arm"] == "1800.00 ± 0.00"


def test_parameters_of_fair_lin_ucb_stand_beside_its_regret():
    def regret(experiment, settings):
        return 100 * settings["alpha"] + 10 * settings["alpha_max"] + settings["gamma"]

    table = tables.fair_lin_ucb(made(regret, seeds=5, experiments=("fair_lin_ucb",)))
    assert len(table) == 13
    for row in table.to_dict("records"):
        expected = 100 * float(row["alpha"]) + 10 * float(row["alpha_max"]) + float(row["gamma"])
        assert mean_of(row["regret"]) == pytest.approx(expected, abs=3)


def test_the_scale_of_the_bonus_that_comes_nearest_to_each_printed_regret():
    """Regrets of 200 times the scale on the email campaign, and 400 times on Adult-Video."""

    def regret(experiment, settings):
        return settings["alpha_r"] * (200 if experiment == "email_bonus" else 400)

    table = tables.bonus(made(regret, seeds=20, experiments=("email_bonus", "adult_bonus")))
    assert len(table) == 2 * 2 * 5 + 6
    d_ucb = table[table["policy"] == "D-UCB"].set_index(["task", "tau"])
    assert d_ucb.loc["email", "nearest scale"].tolist() == ["2", "1.8", "1.8", "1.6", "1.6", "1.8"]
    assert d_ucb.loc[("adult", "0.1"), ["published", "nearest scale", "scale 1"]].tolist() == ["361.43", "0.9", "400"]
    both = table[table["task"] == "both"]
    assert [float(cell.rstrip(" %")) > 10 for cell in both["mean miss at it"]] == [True, True]


def test_with_an_empty_set_and_the_best_arm_f_ucb_is_d_ucb():
    """So table `bonus` scales D-UCB's bonus by F-UCB's alpha_r."""
    problem = email()
    f_ucb, d_ucb = (
        play(policy, problem, 500, generators(1, "same", 0)) for policy in (FUCB(tau=0.0, fallback="best"), DUCB())
    )
    np.testing.assert_array_equal(f_ucb.arms, d_ucb.arms)


def test_tables_4_and_5_are_the_models():
    four = tables.table4(NOTHING).set_index("variable")
    assert four.loc["I3"].tolist() == ["(1, 2, 3, 4)", "(1, 2)"]
    assert four.loc["I4"].tolist() == ["(1, 2)", "(1, 2, 3, 4)"]
    assert four.loc["A2"].tolist() == ["(1, 2, 3, 4)"] * 2
    five = tables.table5(NOTHING).set_index("(X1, X2, X3)")
    assert five.loc["(1, 0, 1)"].tolist() == ["0.1", "0.4", "0.2", "0.3"]


def test_data_are_counted(tmp_path):
    rows = pd.DataFrame({"a": [0, 1, 2], "b": [1, 1, 0], "count": [5, 7, 2], "rule": "median_ge"})
    rows.to_parquet(tmp_path / "both.parquet")
    files = dict.fromkeys(("data_adult", "data_youtube"), str(tmp_path / "both.parquet"))
    table = tables.data(replace(NOTHING, files=files))
    assert table.to_numpy().tolist()[:2] == [
        ["adult", "14", "a", "5", "7", "2", "median_ge"],
        ["adult", "14", "b", "2", "12", "0", "median_ge"],
    ]
    assert table["data"].tolist() == ["adult", "adult", "youtube", "youtube"]


@pytest.fixture
def graphs(tmp_path):
    """Two seeds' graphs: the stated parents and sex -> income; one parent less, and sex - race."""
    stated = [("directed", v, "reward") for v in ("age", "income", "ratings", "views")]
    edges = [(0, *e) for e in [*stated, ("directed", "sex", "income")]]
    edges += [(1, *e) for e in [*stated[:3], ("undirected", "race", "sex")]]
    frame = pd.DataFrame(edges, columns=["seed", "kind", "source", "target"]).assign(learner="pc")
    frame.to_parquet(tmp_path / "graphs.parquet")
    return replace(NOTHING, files=dict.fromkeys(("discovery_pc", "discovery_ges"), str(tmp_path / "graphs.parquet")))


def test_learnt_edges_and_what_came_out(graphs):
    table = tables.discovery(graphs)
    cells = {key: value for learner, key, value in table.to_numpy().tolist() if learner == "PC"}
    assert cells["age -> reward"] == "1.00"
    assert cells["views -> reward"] == cells["sex -> income"] == cells["race - sex"] == "0.50"
    assert cells["parents of the reward exactly as stated"] == cells["minimal d-separation set as stated"] == "0.50"
    assert (cells["their mean precision"], cells["their mean recall"]) == ("1.00", "0.88")
    assert cells["income descends from sex"] == "0.50"
    assert cells["pairs of nodes joined differently, between seeds"] == "3.0"
    assert table["learner"].tolist() == ["PC"] * len(cells) + ["GES"] * len(cells)


def test_other_ways_to_learn_stand_beside_each_other(graphs):
    table = tables.learning(graphs)
    assert table["what"].tolist() == ["discovery pc", "discovery ges"]
    assert set(table["seeds"]) == {"2"}
    assert set(table["parents of the reward exactly as stated"]) == {"0.50"}
    assert set(table["sex and income adjacent"]) == set(table["income descends from sex"]) == {"0.50"}
    assert set(table["edge out of the reward"]) == {"0.00"}


# ------------------------------------------------------------------ figures


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


# ------------------------------------------------------------------ computed without runs


@pytest.fixture
def adult(tmp_path):
    path = tmp_path / "adult.parquet"
    pq.write_table(
        joint_counts([], lambda seed: None, "adult", path="src/causal_bandits/datasets/counts/adult.csv"), path
    )
    return str(path)


def test_unfair_rounds_rest_on_the_coupling(adult):
    table = bandits.couplings(replace(NOTHING, files={"data_adult": adult}))
    assert table["tau = 0.1"].tolist() == ["1023", "1204", "1699"]
    assert (table[[f"tau = 0.{i}" for i in (2, 3, 4, 5)]] == "0").all(axis=None)


def test_the_studys_coupling_is_that_of_the_bandit(adult):
    counts = user_counts(adult)
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = bandits.Incomes(own, own[:, ::-1])
    both = bandits.both_high(incomes)["one noise for both (the study's)"]
    exact = adult_video_bandit(counts, income_descends_from_sex=True).discrepancies
    ours = np.abs(bandits.discrepancies(incomes, both)).ravel()
    np.testing.assert_allclose(np.abs(exact), np.repeat(ours[:, None], 16, axis=1), atol=1e-12)


def test_no_coupling_takes_a_discrepancy_beyond_the_weight_of_income(adult):
    """Among all couplings, in steps between Frechet's bounds, the largest is that of opposite noise."""
    counts = user_counts(adult)
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = bandits.Incomes(own, own[:, ::-1])
    least, most = np.maximum(own + incomes.other - 1, 0), np.minimum(own, incomes.other)
    largest = [np.abs(bandits.discrepancies(incomes, least + s * (most - least))).max() for s in np.linspace(0, 1, 21)]
    sizes = bandits.discrepancies_by_coupling(counts)
    assert max(largest) == sizes["opposite noise"].max() <= 0.2
    assert sizes["one noise for both (the study's)"].max() == pytest.approx(largest[-1])
    assert largest == sorted(largest, reverse=True)


def test_couplings_are_those_of_drawn_noise():
    """Incomes of two worlds, drawn with one noise, two, and one and its complement."""
    rng = np.random.default_rng(0)
    own, other = np.array([[[0.3]], [[0.7]]]), np.array([[[0.5]], [[0.6]]])
    noise, second = rng.random((2, 400_000))
    drawn = {"one noise for both (the study's)": noise, "independent noise": second, "opposite noise": 1 - noise}
    computed = bandits.both_high(bandits.Incomes(own, other))
    assert computed.keys() == drawn.keys()
    for name, there in drawn.items():
        disc = bandits.discrepancies(bandits.Incomes(own, other), computed[name])
        for i in (0, 1):
            here_high, there_high = noise < own[i, 0, 0], there < other[i, 0, 0]
            for income in (0, 1):
                change = 0.2 * (there_high[here_high == income].mean() - income)
                assert disc[i, 0, 0, income] == pytest.approx(change, abs=2e-3)


def test_theorem_2_misses_only_where_z_descends_from_s(tmp_path):
    path = tmp_path / "models.parquet"
    pq.write_table(theorem_2(range(150), np.random.default_rng), path)
    descends, none = tables.theorem_2(replace(NOTHING, files={"bounds_theorem_2": str(path)})).to_dict("records")
    assert descends["models"] + none["models"] == 150
    assert none["models"] > 20
    assert descends["missed by Theorem 2"] > descends["models"] / 2
    assert float(descends["by at most"]) > 0.3
    assert (none["missed by Theorem 2"], none["by at most"]) == (0, "0.000")
    assert descends["missed by the corrected bounds"] == none["missed by the corrected bounds"] == 0
