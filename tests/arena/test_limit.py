"""The arena's small models with a known constant, and what is shown beside it, on made-up results."""

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from whole_arena import ROOT, TABLES

from arena import limit as module
from arena.network_tables import ARMS, networks_table
from causal_bandits.problems.construction.arena import networks
from causal_bandits.problems.construction.arena.limit_models import MODELS, limit
from experiments.results import Plan, Results

#: The least possible, and Lai and Robbins' constants of possibly optimal and of all arms, of models solved at once.
KNOWN = {
    "cause": (1.632325, 1.632325, 4.371910),
    "chain": (0.785121, 0.785121, 5.249508),
    "mediator": (0.514874, 1.773075, 4.705896),
    "sure_mediator": (0.785121, 0.962898, 2.464338),
    "direct": (1.382055, 1.382055, 3.676759),
}


@pytest.mark.parametrize("model", KNOWN)
def test_constants_are_known(model):
    found = module.constants(model)
    assert (found.full.upper, found.possibly_optimal, found.every) == pytest.approx(KNOWN[model], abs=5.1e-7)
    assert found.full.upper - found.full.lower <= 1e-3 * found.full.upper


def test_arms_by_what_is_told():
    assert [len(limit(model, "nothing").arms) for model in MODELS] == [3, 5, 3, 3, 3, 9]
    assert [len(limit(model).arms) for model in MODELS] == [2, 2, 2, 2, 2, 4]
    for model in MODELS:
        assert limit(model).optimal_mean == pytest.approx(limit(model, "nothing").means.max(), abs=1e-12)
    with pytest.raises(ValueError, match="model 'loop': expected one of cause, chain"):
        limit("loop")
    with pytest.raises(ValueError, match="told 'all': expected one of nothing, diagram"):
        limit("chain", "all")


def test_borrowing_cannot_pay_where_all_can_be_set():
    """On the arena's own random diagrams without confounders; with a cause of Y that no arm sets it can."""
    for draw in range(12):
        found = module.constants_of(module.random_problem(draw, 0))
        assert found.full.proven
        assert found.full.upper == pytest.approx(found.possibly_optimal, rel=1e-6)
        assert found.possibly_optimal < found.every
    found = module.constants_of(module.random_problem(3, 1))
    assert found.full.upper < 0.2 * found.possibly_optimal


def results_of(experiments):
    """Experiments by name: the horizon, and (settings, final regrets by seed or draw) of each policy."""
    curves, finals, plans = {}, {}, {}
    for name, (horizon, policies) in experiments.items():
        labels = [f"policy {i}" for i in range(len(policies))]
        plans[name] = Plan(horizon, {label: settings for label, (settings, _) in zip(labels, policies, strict=True)})
        finals[name] = pd.DataFrame(
            {"policy": label, "seed": i, "draw": i, "cumulative_regret": value}
            for label, (_, values) in zip(labels, policies, strict=True)
            for i, value in enumerate(values)
        )
        curves[name] = pd.DataFrame(
            {
                "policy": label,
                "metric": "cumulative_regret",
                "t": t,
                "mean": np.mean(values) * t / horizon,
                "ci_low": np.min(values) * t / horizon,
                "ci_high": np.max(values) * t / horizon,
            }
            for label, (_, values) in zip(labels, policies, strict=True)
            for t in (10, horizon // 10, horizon)
        )
    return Results(curves, finals, pd.DataFrame(), {}, plans)


@pytest.fixture(scope="module")
def made():
    rounds = 10**6
    thompson = [
        ({"algorithm": "thompson", "told": told, "model": "mediator"}, values)
        for told, values in (("nothing", [60.0, 70.0]), ("diagram", [10.0, 30.0]))
    ]
    solver = [({"algorithm": "kl_ucb", "told": "diagram", "model": "mediator"}, [40.0, 40.0])]
    return results_of({"limit": (rounds, thompson), "limit_solvers": (rounds, solver)})


def test_regret_is_held_against_the_constants_times_the_logarithm(made):
    table = module.limit_table(made).set_index("knows, and plays")
    assert list(table.index) == ["all arms, TS", "the diagram, TS", "the diagram, kl-UCB"]
    log = math.log(10**6)
    for name, regret, own in (
        ("all arms, TS", 65, 4.705896),
        ("the diagram, TS", 20, 1.773075),
        ("the diagram, kl-UCB", 40, 1.773075),
    ):
        row = table.loc[name]
        assert float(row["over the least possible"]) == pytest.approx(regret / (0.514874 * log), abs=0.005)
        assert float(row["over the least with its arms' rewards alone"]) == pytest.approx(
            regret / (own * log), abs=0.005
        )
    assert table.loc["the diagram, TS", "95 %"] == "-107.1 to 147.1"  # Student's t of two runs: 12.706 * 14.14 / 2**.5
    assert table.loc["the diagram, kl-UCB", "runs"] == 2


def test_the_figure_has_a_line_for_every_learner_and_constant(made):
    figure = module.limit_figure(made)
    (axes,) = figure.axes
    lines = {line.get_label(): line for line in axes.lines}
    assert lines["the diagram, TS"].get_ydata()[-1] == pytest.approx(20 / (0.514874 * math.log(10**6)), rel=1e-5)
    assert min(lines["the diagram, TS"].get_xdata()) >= 100
    assert len(axes.collections) == 3  # one band each
    assert axes.collections[0].get_paths()[0].vertices[:, 1].max() > lines["all arms, TS"].get_ydata().max()
    levels = [line.get_ydata()[0] for label, line in lines.items() if label.startswith("least")]
    assert levels == pytest.approx([1, 1.773075 / 0.514874, 4.705896 / 0.514874], rel=1e-5)
    plt.close(figure)


def test_networks_are_compared_by_runs_and_random_diagrams_by_problems():
    def told(values, **options):
        return [
            ({"algorithm": "thompson", "told": name, **options}, list(numbers))
            for name, numbers in zip(("single", "diagram"), values, strict=True)
        ]

    results = results_of(
        {
            "network_asia": (
                100,
                told(([10, 20], [5, 10]), task="asia")
                + [
                    ({"algorithm": "c_ts", "told": name, "task": "asia"}, values)
                    for name, values in (("single", [4, 4]), ("diagram", [1, 1]))
                ],
            ),
            "scale_free": (100, told(([4, 8], [8, 16]), nodes=8, confounders=4)),
        }
    )
    table = networks_table(results)
    assert list(table["problem"]) == ["asia", "asia", "scale_free: nodes 8, confounders 4"]
    assert list(table["algorithm"]) == ["TS", "C-TS", "TS"]
    assert list(table["second over first"]) == ["0.5 (0.5 to 0.5)", "0.25 (0.25 to 0.25)", "2 (2 to 2)"]
    assert list(table["intervals over"]) == ["2 runs", "2 runs", "2 problems"]
    assert table.loc[0, "one variable at most"].startswith("15.0 (")


# ---------------------------------------------------------------------- what its page says of the committed tables

#: Tasks with more than 100 possibly optimal arms, by network.
MANY_ARMS = {"insurance": ("accident", "medical"), "alarm": ("catecholamine", "pressure")}


def test_the_page_is_right_about_the_least_possible():
    table = pd.read_csv(TABLES / "limit.csv").set_index(["knows, and plays", "model"])
    over = table["over the least possible"]
    assert (table["rounds"] == 10**6).all()
    assert len(over["all arms, TS"]) == 3
    assert (over["all arms, TS"].min(), over["all arms, TS"].max()) == (4.28, 5.98)
    assert sorted(over["the diagram, TS"]) == [0.86, 1.29, 2.19]
    chain = table.loc[("the diagram, TS", MODELS["chain"][0])]
    assert float(chain["95 %"].split(" to ")[1]) < chain["regret"] / chain["over the least possible"]
    constants = pd.read_csv(TABLES / "constants.csv").set_index("model")["the first over the second"]
    assert constants[constants.index.str.startswith("random, all")].item() == "1.000 to 1.000"
    assert float(constants[MODELS["mediator"][0]]) < 1 / 3


def test_the_page_is_right_about_networks():
    every = pd.read_csv(TABLES / "networks.csv")
    table = every.query("algorithm == 'TS'").set_index("problem")
    assert (table["rounds"] == 10_000).all()
    regrets = every.set_index(["algorithm", "problem"])["possibly optimal"].str.split().str[0].astype(float)
    many = [f"{network}_{task}" for network, tasks in MANY_ARMS.items() for task in tasks]
    assert [round(end(regrets["C-TS"][many])) for end in (min, max)] == [10, 67]
    assert [math.floor(end(regrets["TS"][many]) + 0.5) for end in (min, max)] == [449, 2222]
    alone = ["erdos_renyi: nodes 8, confounders 0", "scale_free: nodes 8, confounders 0"]
    assert (regrets["C-TS"][alone] == regrets["TS"][alone]).all()
    for name in ("C-UCB", "HAC-UCB"):
        own = regrets[name]
        assert (own[["asia", "asia_smoke", "sachs"]] > regrets["TS"][["asia", "asia_smoke", "sachs"]]).all()
        larger = ["child", *many]
        larger.remove("insurance_medical")
        assert "insurance_medical" not in own
        assert (regrets["C-TS"][larger] < own[larger]).all()
        assert (own[larger] < regrets["TS"][larger]).all()
    ends = table["second over first"].str.extract(r"\((?P<low>\S+) to (?P<high>\S+)\)").astype(float)
    assert (ends.loc[["asia", "asia_smoke", "sachs", "child", "alarm_catecholamine"], "high"] < 0.4).all()
    assert (ends.loc[["insurance_accident", "insurance_medical"], "low"] > 1).all()


def test_the_page_is_right_about_algorithms_without_a_diagram():
    every = pd.read_csv(TABLES / "networks.csv").set_index(["algorithm", "problem"])
    by = {told: every[told].str.split().str[0].str.replace(",", "").astype(float) for told in list(ARMS.values())}
    untold = by["all variables set"]["UCB+, number of parents not told"]
    diagram, without = by["possibly optimal"]["TS"], by["all variables set"]["TS"]

    def whole(values, problems):
        return [math.floor(value + 0.5) for value in values[problems]]

    many = [f"{network}_{task}" for network, tasks in MANY_ARMS.items() for task in tasks]
    assert whole(untold, many) == [278, 117, 1067, 563]
    assert whole(diagram, many) == [685, 449, 2063, 2222]
    assert whole(without, many[:2]) == [607, 318]
    assert (untold[["asia", "asia_smoke"]] > diagram[["asia", "asia_smoke"]]).all()
    random = [f"{family}: nodes 8, confounders {n}" for n in (0, 4) for family in ("erdos_renyi", "scale_free")]
    assert whole(diagram, random) == [42, 11, 375, 129]
    assert whole(untold, random) == [87, 54, 172, 246]
    assert whole(without, random) == [405, 339, 618, 643]
    for name in many:  # more arms than UCB+ draws at first
        task = name if name in networks.TASKS else name.replace("_", ", ")
        bandit = networks.network(task, ROOT / f"data/networks/{networks.TASKS[task].file}.bif.gz", "all_set")
        assert len(bandit.arms) > 128
