"""The arena: what its random problems promise, how players are compared, and that all of it is made."""

import math
import re
from unittest.mock import patch

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from described import alt_text, complaints
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logit
from whole_arena import ROOT, TABLES, make_item, play, study

from arena import dose_curves, limit, tables, wrong_graph_tables
from arena.figures import other_problems, worth
from arena.players import PLAYERS, TOLD, answered, compared, median, ratio, until_sure
from arena.style import plain_ticks
from causal_bandits import provenance
from causal_bandits.models import SCMBandit
from causal_bandits.models.sampling import sample_many
from causal_bandits.problems import arena as problems
from causal_bandits.problems.construction.arena.beliefs import true_diagram
from causal_bandits.problems.construction.arena.diagrams import BELIEFS, REWARD, inner_edges, random_diagram
from experiments.drawing import plotting
from experiments.drawing.tabulate import tabulate
from experiments.results import Plan, Results

sizes = st.tuples(st.integers(2, 4), st.integers(0, 3), st.integers(0, 10**6))


@settings(max_examples=60)
@given(sizes)
def test_a_learner_is_held_against_the_best_of_all_interventions_whatever_it_is_told(size):
    nodes, confounders, number = size
    best = SCMBandit(problems.diagram(nodes, confounders, "nothing", number).scm, REWARD).means.max()
    for told in TOLD:
        bandit = problems.diagram(nodes, confounders, told, number)
        assert bandit.optimal_mean == pytest.approx(best, abs=1e-12)
        if told in ("nothing", "diagram", "cautious"):  # right: the best intervention is among the arms
            assert bandit.means.max() == pytest.approx(best, abs=1e-12)


def test_what_a_learner_is_told_changes_its_arms_and_not_the_problem():
    for number in range(20):
        told = {name: problems.diagram(4, 2, name, number) for name in TOLD}
        models = [bandit.scm for bandit in told.values()]
        assert len({bandit.truth or bandit.scm.graph for bandit in told.values()}) == 1
        for v in models[0].variables:
            tables = [np.asarray(model.cpt(v)[1]) for model in models]
            assert all((table == tables[0]).all() for table in tables)
        assert len(told["nothing"].arms) == 3**4
        assert len(told["single"].arms) == 1 + 2 * 4


def test_wrong_beliefs_do_miss_the_best_intervention():
    """Else being wrong could not cost anything; and they never do where nothing is wrong."""
    missed = {told: [] for told in TOLD}
    for number in range(60):
        for told, found in missed.items():
            bandit = problems.diagram(4, 2, told, number)
            found.append(bandit.optimal_mean - bandit.means.max() > 1e-9)
    for told, (_, knowledge) in TOLD.items():
        least = 1 if told in ("turned", "edge_lost") else 3  # which seldom do
        assert sum(missed[told]) >= least if knowledge == "wrong" else told == "single" or not any(missed[told]), told


@given(sizes, st.sampled_from(sorted(BELIEFS)))
def test_diagrams_and_beliefs_have_the_reward_last(size, belief):
    nodes, confounders, number = size
    graph = random_diagram(nodes, confounders, np.random.default_rng(number))
    assert (len(graph), len(graph.bidirected)) == (nodes + 1, confounders)
    assert len(graph.parents(REWARD)) == 2
    assert not graph.children(REWARD)
    assert all(len(graph.parents(v)) <= 2 for v in graph)
    assert not confounders or any(REWARD in pair for pair in graph.bidirected)
    believed = BELIEFS[belief](graph, np.random.default_rng(number))
    assert believed.nodes == graph.nodes
    assert not believed.children(REWARD)
    wrong = len(graph.directed ^ believed.directed)
    turned = 2 if inner_edges(graph) else 0
    assert wrong == {"turned": turned, "edge_lost": turned // 2, "cause_lost": 1}.get(belief, 0)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 7))
def test_offline_data_are_biased_and_the_bandit_is_not(number, arms):
    means = problems.offline(0.0, 100, arms, number).means
    for bias in (0.5, 1.0):
        np.testing.assert_allclose(problems.offline(bias, 100, arms, number).means, means, atol=1e-12)


def test_offline_estimates_are_right_without_bias_and_bounds_with_it():
    """On so many units that sampling hardly counts; the valid bounds hold all means on nearly all samples."""
    off, valid = {0.0: [], 1.0: []}, []
    for number in range(30):
        for bias, found in off.items():
            bandit = problems.offline(bias, 10**7, 4, number)
            found.append(np.abs(bandit.prior["naive"] - bandit.means).max())
            for side, sign in (("lower", 1), ("upper", -1)):
                assert (sign * (bandit.means - bandit.prior[side]) > -0.01).all()
        small = problems.offline(1.0, 1000, 4, number)
        valid.append(
            bool(((small.prior["safe_lower"] <= small.means) & (small.means <= small.prior["safe_upper"])).all())
        )
    assert max(off[0.0]) < 0.02
    assert min(off[1.0]) > 0.05
    assert np.mean(valid) > 0.9


def test_exploration_is_played_on_the_model_that_is_described():
    for number in range(10):
        bandit = problems.exploration(5, 2, number)
        assert len(bandit.arms) == 1 + 2 * 5
        for v in bandit.glm.graph:  # between rare and common where half of the weights count
            assert -1.5 <= logit(bandit.glm.range_of(v)).mean() <= 0.5
        scm = bandit.glm.to_scm()
        for a, arm in enumerate(bandit.arms):
            assert bandit.means[a] == pytest.approx(scm.expectation(REWARD, do=arm))
        draws = np.random.default_rng(number).random((4000, len(scm.variables)))
        seen = sample_many(scm.compiled, draws, scm.assignment_row({}))[:, scm.variables.index(REWARD)].mean()
        assert seen == pytest.approx(bandit.means[0], abs=0.05)


def test_options_out_of_range_are_refused():
    with pytest.raises(ValueError, match="told 'all'"):
        problems.diagram(3, 0, "all")
    with pytest.raises(ValueError, match="confounders=7"):
        problems.diagram(3, 7)
    with pytest.raises(ValueError, match="bias=2"):
        problems.offline(2, 100)


def test_a_ratio_of_paired_means_has_an_interval_that_holds():
    """Exact where one is a multiple of the other; else it covers the ratio of the expectations as often as it says."""
    rng = np.random.default_rng(1)
    other = pd.Series(rng.gamma(2.0, size=50))
    assert ratio(3 * other, other) == pytest.approx((3, 3, 3))
    covered = 0
    for _ in range(400):
        common, own = rng.gamma(4.0, size=80), rng.gamma(2.0, size=80)
        _, low, high = ratio(pd.Series(common + own), pd.Series(common))
        covered += low <= math.nextafter(6 / 4, 2) <= high
    assert 0.91 < covered / 400 < 0.99


#: Of these settings of an experiment one value is played, the first that is there.
ONE = {
    "nodes": (5, 3, 10, 8, 4),
    "samples": (300,),
    "confounders": (4, 2),
    "bias": (1.0,),
    "scale": (0.1,),
    "model": ("mediator",),
    "task": ("asia", "sachs", "child", "insurance_accident", "alarm_catecholamine"),
}
#: Of these, in experiments whose names begin so, the values that are played.
SOME = {
    "dose": {"wrong": (0, 2)},
    "dose_kinds": {"kind": ("cause_lost", "invented")},
    "cells_random": {"ties": ("first",), "width": ("bounded",)},
}


def one_situation_each(experiments):
    """Keep of each experiment one problem, played by all its policies, and few wrong edges."""
    for name, experiment in experiments.items():
        of = {label: {**p.get("parameters", {}), **p["options"]} for label, p in experiment["policies"].items()}
        kept = {}
        for setting, values in ONE.items():
            there = {own[setting] for own in of.values() if setting in own}
            kept |= {setting: (next(value for value in values if value in there),)} if there else {}
        for start, some in SOME.items():
            kept |= some if name.startswith(start) else {}
        experiment["policies"] = {
            label: policy
            for label, policy in experiment["policies"].items()
            if all(of[label].get(setting, values[0]) in values for setting, values in kept.items())
        }


def test_all_of_it_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "git_commit", lambda: "unknown")  # two processes for every run
    monkeypatch.setattr(limit, "RANDOM", (("random, some", 0, 2), ("random, one", 1, 1)))
    monkeypatch.setattr(dose_curves, "RESAMPLES", 50)
    monkeypatch.setitem(plotting._STYLE, "savefig.dpi", 50)
    monkeypatch.setitem(plotting._STYLE, "savefig.bbox", None)  # else it is drawn twice
    whole = study(horizon=30, replicates=2)
    one_situation_each(whole.papers["arena"]["experiments"])
    play(whole, tmp_path)
    for name in whole.wanted("arena", "figures"):
        with patch.object(plotting.plt, "close") as closed:  # called with the figure when its files are written
            (png,) = make_item(whole, tmp_path, "figures", name, plotting.draw, [".png"])
        assert png.stat().st_size > 10_000
        (figure,) = closed.call_args.args
        known = whole.papers["arena"]["experiments"]
        assert complaints(figure, alt_text("arena", name), known, partial=True) == [], name
        plt.close(figure)
    names = {}
    for name in whole.wanted("arena", "tables"):
        csv, *_ = make_item(whole, tmp_path, "tables", name, tabulate, [".csv", ".md", ".tex"])
        names[name] = pd.read_csv(csv, keep_default_na=False)
    shown = {name for table in ("regrets", "answers", "sure") for name in names[table]["knows, and plays"]}
    assert shown == {player.name for players in PLAYERS.values() for player in players}


# ---------------------------------------------------------------------- how players are compared, on made-up results

#: Two situations of each kind of problem; who does not play in the second.
MADE = {
    "diagram": [{"confounders": 0, "nodes": 3}, {"confounders": 2, "nodes": 3}],
    "kl_ucb": [{"confounders": 0, "nodes": 3}],
    "tree": [{"nodes": 10}, {"nodes": 30}],
    "offline": [{"bias": 0.0, "samples": 300}, {"bias": 0.5, "samples": 300}],
    "exploration": [{"confounders": 0, "nodes": 5}, {"confounders": 2, "nodes": 5}],
    "sure": [{"confounders": 0, "nodes": 5}, {"confounders": 2, "nodes": 5}],
}
ABSENT = "nothing, TS"


@pytest.fixture(scope="module")
def made():
    """Player number p of its kind has p + 1 times the regret that draws have; early in the run its square."""
    plans, curves, finals = {}, {}, {}
    for kind, situations in MADE.items():
        for i, player in enumerate(PLAYERS[kind], 1):
            name = player.experiment or kind
            for situation in situations[: 1 if player.name == ABSENT else None]:
                label = f"{player.name}, {situation}"
                plans.setdefault(name, {})[label] = {**player.algorithm, **situation}
                curves.setdefault(name, []).extend(
                    {"policy": label, "metric": "cumulative_regret", "t": t, "mean": mean}
                    for t, mean in ((9, 0.5), (10, float(i**2)), (100, 2.5 * i))
                )
                finals.setdefault(name, []).extend(
                    {"policy": label, "seed": 2 * d + s, "draw": d, "cumulative_regret": i * (d + s + 0.5)}
                    | {"correct": [1.0, 0.0, math.nan, 1.0][d], "sample_complexity": 10.0 * i + d}
                    | {"lost_for_good": float(d == 3)}
                    for d in range(4)
                    for s in range(2)
                )
    return Results(
        {name: pd.DataFrame(rows) for name, rows in curves.items()},
        {name: pd.DataFrame(rows) for name, rows in finals.items()},
        pd.DataFrame(),
        {},
        {name: Plan(100, settings) for name, settings in plans.items()},
    )


@pytest.mark.parametrize("kind", tables.PLAYED)
def test_players_are_held_against_who_knows_nothing(made, kind):
    frame = compared(made, kind)
    numbers = {player.name: i for i, player in enumerate(PLAYERS[kind], 1)}
    played = [(s, p.name) for s in MADE[kind] for p in PLAYERS[kind] if p.name != ABSENT or s == MADE[kind][0]]
    assert [(row.situation, row.player.name) for row in frame.itertuples()] == played
    for row in frame.itertuples():
        own = numbers[row.player.name]
        (other,) = [numbers[p.name] for p in PLAYERS[kind] if p.algorithm == row.player.against] or [None]
        half = own * 3.182446 * (5 / 3) ** 0.5 / 2  # Student's t; a draw's mean regret is 1, 2, 3 or 4 times own
        assert (row.n, row.mean, row.low, row.high) == pytest.approx((4, 2.5 * own, 2.5 * own - half, 2.5 * own + half))
        if other is None:
            assert math.isnan(row.ratio)
            continue
        assert (row.ratio, row.ratio_low, row.ratio_high) == pytest.approx((own / other,) * 3)
        assert (row.less, row.early) == (float(own < other), pytest.approx((own / other) ** 2))


def test_answers_are_right_wrong_or_not_given(made):
    frame = answered(made)
    assert len(frame) == 2 * len(PLAYERS["exploration"])
    found = frame[["right", "low", "high", "ended", "n"]].drop_duplicates().to_numpy().tolist()
    assert found == [pytest.approx([0.5, 0.0676, 0.9324, 0.75, 4], abs=1e-4)]


def test_tables_say_who_was_best_and_what_it_cost(made):
    regrets = tables.regrets(made)
    assert list(regrets["problem"].unique()) == list(tables.PLAYED)
    row = regrets.set_index(["problem", "situation", "knows, and plays"]).loc[
        "tree", "nodes 30", "that effects show, RAPS"
    ]
    assert row.to_dict() == {
        "knowledge": "right",
        "arms": "61",
        "rounds": 100,
        "regret": "7.5",
        "95 %": "1.3 to 13.7",
        "over that without knowledge": "3 (3 to 3)",
        "less regret, share of problems": "0.00",
        "problems": 4,
    }
    choice = tables.choice(made).set_index(["problem", "situation"])
    assert choice.loc["tree", "nodes 10"].to_dict() == {
        "rounds": 100,
        "without knowledge": "nothing, UCB: 2 (0 to 5)",
        "with right knowledge": "that effects show, RAPS: 8 (1 to 14)",
        "the worst with right knowledge": "the reward's cause, UCB: 12 (2 to 23)",
        "the worst with wrong knowledge": "",
    }
    last = PLAYERS["offline"][-1].name
    assert choice.loc["offline", "bias 0.0, samples 300"].iloc[-1] == ""  # at bias 0 the data are right
    assert choice.loc["offline", "bias 0.5, samples 300"].iloc[-1].startswith(f"{last}: 15 (")
    assert list(tables.answers(made)["95 %"].unique()) == ["0.068 to 0.932"]


def test_tables_say_what_a_belief_leaves_out_and_when_it_pays(made):
    beliefs = wrong_graph_tables.beliefs(made).set_index(["situation", "knows, and plays"])
    row = beliefs.loc["confounders 2, nodes 3", "the diagram, an edge turned, TS"]
    number = next(i for i, p in enumerate(PLAYERS["diagram"], 1) if p.name == "the diagram, an edge turned, TS")
    true = [true_diagram(3, 2, draw) for draw in range(4)]
    assert row["nothing to be wrong about, share"] == f"{sum(not inner_edges(g) for g in true) / 4:.3f}"
    told = [len(problems.diagram(3, 2, "turned", draw).arms) for draw in range(4)]
    assert float(row["arms"]) == pytest.approx(sum(told) / 4, abs=0.06)
    assert (row["best intervention lost, share"], row["regret of that"]) == ("0.250", "0.2")
    assert row["regret in all"] == f"{2.5 * number:.1f}"
    assert row["regret where the best is kept"] == f"{2 * number:.1f}"  # 1, 2 and 3 times its number
    chances = wrong_graph_tables.chances(made).set_index(["variables", "confounded pairs", "the error"])
    # told nothing 1, one variable 2, the diagram 3: it never pays
    assert set(chances["the diagram pays up to a chance of"]) == {"0.0 %"}
    assert set(chances["against"]) == {TOLD["nothing"][0]}
    assert (3, "0, 2", TOLD["turned"][0]) in chances.index


def test_runs_without_an_answer_count_as_endless(made):
    """Rounds 10 i + 0, 1, endless, 3; so the median is between the second and the third."""
    frame = until_sure(made)
    for i, row in enumerate(frame[frame["situation"] == MADE["sure"][0]].itertuples(), 1):
        assert (row.rounds, row.low, row.high, row.right, row.ended) == (10 * i + 2, 10 * i, math.inf, 0.5, 0.75)
    assert tables.sure(made)["95 %"][0] == "10 to no answer"


def test_the_interval_of_a_median_is_of_order_statistics():
    assert median(np.array([3.0, 1.0, math.inf])) == (3, 1, math.inf)
    assert median(np.full(4, math.inf))[0] == math.inf
    middle, low, high = median(np.arange(1.0, 41.0))
    assert (middle, low, high) == (20.5, 14, 27)  # the usual ranks for 40 values


def test_the_first_figure_has_a_panel_per_number_of_confounders_and_a_row_for_every_belief(made):
    figure = worth(made)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        f"{c} pairs of variables confounded" for c in (0, 2)
    ]
    names = [player.name for player in PLAYERS["diagram"] if player.against]
    numbers = [i for i, player in enumerate(PLAYERS["diagram"], 1) if player.against]
    assert [" ".join(label.get_text().split()) for label in figure.axes[0].get_yticklabels()] == names
    for axes in figure.axes:
        for marker, power in (("o", 1), ("|", 2)):  # at the horizon, and early; beyond 50 at the edge
            shown = {line.get_ydata()[0]: line.get_xdata()[0] for line in axes.lines if line.get_marker() == marker}
            assert shown == {row: min(own**power, 50) for row, own in enumerate(numbers)}
    plt.close(figure)


def test_the_figure_has_a_row_for_every_player_and_a_point_where_its_ratio_is(made):
    figure = other_problems(made)
    panels = {axes.get_title(loc="left"): axes for axes in figure.axes}
    assert len(panels) == len(figure.axes) == 4
    axes = panels["Where the reward comes from"]
    names = [player.name for player in PLAYERS["tree"] if player.against]
    assert [" ".join(label.get_text().split()) for label in axes.get_yticklabels()] == names
    lines = [line for line in axes.lines if line.get_marker() == "None" and line.get_linewidth() == 0.6]
    assert [line.get_ydata()[0] for line in lines] == [0.5, 1.5, 2.5]  # between the rows
    for marker, power in (("o", 1), ("|", 2)):  # at the horizon, and early
        marks = [line for line in axes.lines if line.get_marker() == marker]
        shown = {(line.get_xdata()[0], round(float(line.get_ydata()[0]))) for line in marks}
        assert shown == {(own**power, row) for row, own in enumerate((2, 3, 4, 5))}
    answers = panels["Which arm is best, at a fixed budget"]
    assert len(answers.get_yticklabels()) == len(PLAYERS["exploration"])
    assert {line.get_xdata()[0] for line in answers.lines if line.get_marker() == "D"} == {0.5}
    sure = panels["Which arm is best, until sure"]
    labels = [" ".join(label.get_text().split()) for label in sure.get_yticklabels()]
    assert labels == [player.name for player in PLAYERS["sure"]]
    assert {line.get_xdata()[0] for line in sure.lines if line.get_marker() == "D"} == {12, 22, 32, 42, 52}
    plt.close(figure)


@pytest.mark.parametrize(
    ("ends", "labels"),
    [
        ((0.3, 4.0), ["0.5", "1", "2"]),
        ((0.005, 30.0), ["0.01", "0.1", "1", "10"]),
        ((5e3, 2e6), ["10,000", "100,000", "$10^6$"]),
    ],
)
def test_logarithmic_axes_have_plain_numbers(ends, labels):
    figure, axes = plt.subplots()
    axes.set_xscale("log")
    axes.set_xlim(ends)
    plain_ticks(axes.xaxis)
    figure.canvas.draw()
    low, high = ends
    shown = [t.label1.get_text() for t in axes.xaxis.get_major_ticks() if low <= t.get_loc() <= high]
    assert shown == labels
    assert not any(tick.label1.get_text() for tick in axes.xaxis.get_minor_ticks())
    plt.close(figure)


# ---------------------------------------------------------------------- what its page says of the committed tables


@pytest.fixture(scope="module")
def committed():
    """The committed ratios to the regret without knowledge, with their intervals, by kind, situation and player."""
    table = pd.read_csv(TABLES / "regrets.csv")
    found = table["over that without knowledge"].str.extract(r"(?P<ratio>\S+) \((?P<low>\S+) to (?P<high>\S+)\)")
    table = table.assign(less=table["less regret, share of problems"], **found.astype(float))
    return table.set_index(["problem", "knows, and plays", "situation"]).sort_index()


def over(nodes, confounders):
    return [f"confounders {c}, nodes {n}" for c in confounders for n in nodes]


def test_the_page_is_right_about_diagrams(committed):
    names = ("the diagram", "the edges, any pair confounded", "the diagram, a cause of Y lost")
    told = {name: committed.loc["diagram", f"{name}, TS"] for name in names}
    right, cautious = told["the diagram"], told["the edges, any pair confounded"]
    assert (right["high"] < 1).all()
    assert (cautious["high"] < 1).all()
    assert (cautious["ratio"] > right["ratio"]).all()
    grid = right["ratio"].loc[over((3, 5, 7), (0, 2, 4))].to_numpy().reshape(3, 3)
    assert (np.diff(grid, axis=0) > 0).all()
    assert (np.diff(grid, axis=1) < 0).all()
    for kind, solver in (("diagram", "TS"), ("kl_ucb", "kl-UCB")):
        plain, borrowing = (committed.loc[kind, f"the diagram, {prefix}{solver}"] for prefix in ("", "z2-"))
        assert (np.maximum(plain["low"], borrowing["low"]) < np.minimum(plain["high"], borrowing["high"])).all()
    few = over((3,), (0, 2, 4))
    assert (told["the diagram, a cause of Y lost"].loc[few, "low"] > 2).all()
    at = "confounders 4, nodes 5"
    overlooked = committed.loc["diagram", "the edges, no pair confounded, TS"].loc[at]
    assert overlooked["high"] < right.loc[at, "low"]
    assert not committed.index.get_level_values(1).str.contains("an edge wrong").any()


def test_the_page_is_right_about_what_beliefs_leave_out():
    """Exactly: arms, on how many of the 40 problems the best is lost, and the regret of that."""

    def of(nodes, confounders, told):
        bandits = [problems.diagram(nodes, confounders, told, draw) for draw in range(40)]
        arms = np.mean([len(bandit.arms) for bandit in bandits])
        lost = [bandit.lost_for_good for bandit in bandits]
        return arms, sum(loss > 0 for loss in lost), 10_000 * np.mean(lost)

    assert of(3, 0, "diagram")[0] == of(5, 0, "diagram")[0] == 4
    assert of(3, 0, "cause_lost")[1] == 34
    for told, few, more in (("turned", [0, 1, 1], 0), ("edge_lost", [0, 1, 0], 0)):
        assert [of(3, confounders, told)[1] for confounders in (0, 2, 4)] == few
        assert [of(5, confounders, told)[1] for confounders in (0, 2, 4)] == [more] * 3
    arms, lost, regret = of(5, 4, "unconfounded")
    assert (arms, lost, round(regret, 1)) == (4, 2, 4.9)
    assert round(of(5, 4, "diagram")[0], 1) == 10.7
    assert (of(5, 2, "unconfounded")[1], round(of(5, 2, "unconfounded")[2])) == (8, 338)


def test_the_page_is_right_about_trees(committed):
    sizes = [f"nodes {n}" for n in (10, 30, 100)]
    tree = committed.loc["tree"]
    assert (tree.loc["the reward's cause, UCB"]["high"] < 0.02).all()
    assert (tree.loc["nothing, TS"]["high"] < 1).all()
    for player in ("the essential graph, CN-UCB", "that effects show, RAPS"):
        assert (tree.loc[player]["low"] > 1).all()
        assert (np.diff(tree.loc[player].loc[sizes, "ratio"]) < 0).all()


def test_the_page_is_right_about_offline_data(committed):
    def of(player, samples):
        return committed.loc["offline", player].loc[[f"bias {bias}, samples {samples}" for bias in (0.0, 0.5, 1.0)]]

    assert (of("bounds by the diagram, UCB-PCB", 30000)["high"] < 0.5).all()
    few = of("bounds by the diagram, UCB-PCB", 300)
    assert (few["ratio"] > 0.7).all()
    assert ((few["high"] < 1) == [True, True, False]).all()
    for bounds in ("bounds by the diagram", "bounds valid at 95 %"):
        assert (of(f"{bounds}, LinUCB-PCB", 300)["high"] > 1).all()
    least = committed.loc["offline"].groupby("situation")["regret"].min()
    for samples in (300, 30000):
        naive = of("the data at their word, LinUCB", samples)
        biased_and_many = np.array([False, False, samples == 30000])
        assert ((naive["regret"] == least[naive.index]) == ~biased_and_many).all()
        assert ((naive["low"] > 1) == biased_and_many).all()


def test_the_page_is_right_about_best_arms():
    table = pd.read_csv(TABLES / "answers.csv").set_index(["knows, and plays", "situation"])
    table = table.assign(**table["95 %"].str.extract(r"(?P<low>\S+) to (?P<high>\S+)").astype(float))
    for nodes, budget, more in ((20, "500", True), (5, "500", False), (5, "2,000", False)):
        alone = table.loc[f"nothing, SR of {budget} rounds"].loc[over((nodes,), (0, 2))]
        watching = table.loc[f"the diagram, SR of {budget}, half watching"].loc[over((nodes,), (0, 2))]
        assert ((watching["low"] > alone["high"]) == more).all()
        assert (watching["high"] > alone["low"]).all()
    assert {name for name, _ in table.index} == {player.name for player in PLAYERS["exploration"]}


def test_the_page_is_right_about_the_chance_of_an_error():
    table = pd.read_csv(TABLES / "chances.csv", dtype=str)
    table = table.set_index(["the error", "variables", "confounded pairs"]).sort_index()
    lost = table.loc[TOLD["cause_lost"][0]].loc[[("3", "0"), ("5", "0"), ("7", "0")]]
    assert lost["the diagram pays up to a chance of"].tolist() == ["4.8 %", "20.1 %", "77.9 %"]
    assert lost["95 %"].tolist() == ["3.1 % to 7.6 %", "14.7 % to 27.8 %", "60.3 % to 94.1 %"]
    for told in ("turned", "edge_lost"):
        assert (table.loc[TOLD[told][0], "the diagram pays up to a chance of"] == "any").all()


def test_the_page_is_right_about_rounds_until_sure():
    table = pd.read_csv(TABLES / "sure.csv")
    rounds = table["rounds to the answer, median"].str.replace(",", "").astype(int)
    assert (rounds.min(), rounds.max()) == (3013, 94_195)
    assert (table["right"] == 1).all()
    assert (table["answers"] == 1).all()
    by = rounds.groupby([table["situation"], table["knows, and plays"]]).first().unstack()
    for player in ("the diagram, CCPE-General", "the diagram, 1,000 watching, then LUCB"):
        assert (by[player] < by["nothing, KL-LUCB"] / 2).all()
    over = table["mean rounds over those of LUCB with radii of CCPE-General"].dropna()
    over = over.str.extract(r"^(?P<value>\S+) \((?P<low>\S+) to (?P<high>\S+)\)$").astype(float)
    over = over.set_index(
        table["knows, and plays"][over.index] + table["situation"][over.index].str.extract(r"(\d+)$")[0]
    )
    ccpe, watching = "the diagram, CCPE-General", "the diagram, 1,000 watching, then LUCB"
    for nodes, ends in ((5, (1.42, 1.73)), (10, (1.17, 1.28)), (20, (0.802, 0.89))):
        assert sorted(over["value"][f"{ccpe}{nodes}"]) == list(ends)
    assert (over.loc[[f"{ccpe}5", f"{ccpe}10", f"{watching}5"], "low"] > 1).all()
    assert (over.loc[f"{ccpe}20", "high"] < 1).all()
    assert sorted(over["value"][f"{watching}5"]) == [1.28, 1.41]
    assert (over.loc[f"{watching}20", "low"] < 1).all()
    assert (over.loc[f"{watching}20", "high"] > 1).all()


def test_the_page_is_right_about_a_lost_edge_of_a_linear_model():
    regret = pd.read_csv(TABLES / "linear_told.csv").set_index(["algorithm", "told"])
    table = regret.loc["LinSEM-TS"]
    assert [round(table.loc[told, "regret"]) for told in ("edge_lost", "graph")] == [1061, 57]
    ends = table["95 %"].str.extract(r"(\S+) to (\S+)").astype(float)
    assert ends.loc["edge_added", 0] < table.loc["graph", "regret"] < ends.loc["edge_added", 1]
    maximum = regret.xs("graph", level="told").loc[["LinSEM-UCB, forward", "LinSEM-UCB, ascent"]]
    assert maximum["regret"].round().tolist() == [952, 32]
    assert maximum["median"].round().tolist() == [25, 20]
    assert (regret["problems"] == 40).all()


def test_the_page_is_right_about_what_to_use():
    """Every row of its first table, in order."""
    page = (ROOT / "docs/papers/arena.md").read_text()
    gained = [row.split("|")[3].strip() for row in page.split("*What should I use?*")[1].split("\n") if row[:2] == "| "]
    gained = [[float(n) for n in re.findall(r"[0-9.]+(?= to| %| times)", row)] for row in gained[2:9]]
    regret = pd.read_csv(TABLES / "regrets.csv")
    regret = regret.set_index(["problem", "knows, and plays", "situation"]).sort_index()

    def ends(own, other):
        percent = 100 * own / other
        return [round(float(percent.min())), round(float(percent.max()))]

    mean = regret["regret"]
    all_arms = mean["diagram", "nothing: all interventions, TS"]
    assert gained[0] == ends(mean["diagram", "the diagram, TS"], all_arms)
    assert gained[1] == ends(mean["diagram", "the edges, any pair confounded, TS"], all_arms)
    networks = pd.read_csv(TABLES / "networks.csv").set_index(["algorithm", "problem"])
    number = networks[["possibly optimal", "all variables set"]].apply(lambda c: c.str.split().str[0].astype(float))
    many = ["insurance_accident", "insurance_medical", "alarm_catecholamine", "alarm_pressure"]
    optimal = number["possibly optimal"]
    assert gained[2] == ends(optimal["C-TS"][many], optimal["TS"][many])
    every = number["all variables set"]
    for confounders, said in ((0, gained[3][:2]), (4, gained[3][2:])):
        random = [f"{family}: nodes 8, confounders {confounders}" for family in ("erdos_renyi", "scale_free")]
        assert said == ends(every["UCB+, number of parents not told"][random], every["TS"][random])
    times = mean["tree", "the essential graph, CN-UCB"] / mean["tree", "nothing, TS"]
    assert gained[4] == [round(float(times.min()), 1), round(float(times.max()), 1)]
    much = [f"bias {bias}, samples 30000" for bias in (0.0, 0.5, 1.0)]
    bounds = mean["offline", "bounds by the diagram, LinUCB-PCB"][much]
    assert gained[5] == ends(bounds, mean["offline", "nothing, LinUCB"][much])
    over = regret["over that without knowledge"]["offline", "bounds by the diagram, LinUCB-PCB"][much]
    assert (over.str.extract(r"to (\S+)\)")[0].astype(float) > 1).sum() == 1
    right = pd.read_csv(TABLES / "answers.csv").set_index(["knows, and plays", "situation"])["right"]
    large = [f"confounders {confounders}, nodes 20" for confounders in (0, 2)]
    watching, nothing = (
        right[name][large] for name in ("the diagram, SR of 500, half watching", "nothing, SR of 500 rounds")
    )
    assert gained[6] == [*ends(watching, 1), *ends(nothing, 1)]
