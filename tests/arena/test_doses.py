"""Wrong edges in doses: what is drawn, what learners make of it, and at which dose a graph stops to pay."""

import math
import re
from dataclasses import replace
from itertools import pairwise, permutations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_arena import ROOT, TABLES

from arena import dose_curves, wrong_graph_tables
from arena.dose_curves import LEARNERS, Curve, break_even, chance, crossings, curves, isotonic
from arena.dose_figure import dose
from causal_bandits.estimation.arm_cells import arm_cells, is_benign
from causal_bandits.estimation.of_bandit import estimators_of
from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.estimators import Search
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.registry import load
from causal_bandits.problems import arena as problems
from causal_bandits.problems.construction.arena import dosed, doses
from causal_bandits.problems.construction.arena.beliefs import drawn, generator, true_diagram
from causal_bandits.problems.construction.arena.diagrams import BELIEFS, REWARD, inner_edges, random_diagram, turnable
from causal_bandits.problems.construction.arena.doses import (
    HARMLESS,
    KINDS,
    MIXED,
    TREE_KINDS,
    believed,
    believed_tree,
    distance,
)
from causal_bandits.seeding import generators
from experiments.results import Plan, Results

sizes = st.tuples(st.integers(2, 6), st.integers(0, 3), st.integers(0, 10**6))
kinds = st.sampled_from([MIXED, *KINDS])

#: Algorithms that learn a mean for each state of the reward's believed causes, as they are configured.
BY_CAUSES = {"c_ts": {}, "c_ucb_arms": {"width": "bounded"}, "hac_ucb": {}}
#: What z2-TS is given here, for speed.
Z2 = {"z2_thompson": {"collections": "single", "replicates": 20}}


def plain_change(before, after):
    """The name of the one error that leads from a diagram to another, told by looking at both."""
    gone, new = before.directed - after.directed, after.directed - before.directed
    fewer, more = before.bidirected - after.bidirected, after.bidirected - before.bidirected
    if fewer or more:
        assert len(fewer) + len(more) == 1
        assert not gone
        assert not new
        return "overlooked" if fewer else "invented"
    if gone and new:
        assert {(b, a) for a, b in gone} == new
        return "turned"
    ((_, effect),) = gone or new
    return {
        (True, True): "cause_lost",
        (True, False): "missing",
        (False, True): "cause_invented",
        (False, False): "extra",
    }[bool(gone), effect == REWARD]


@settings(max_examples=60)
@given(sizes, kinds)
def test_errors_are_nested_distinct_and_counted(size, kind):
    nodes, confounders, number = size
    graph = random_diagram(nodes, confounders, np.random.default_rng(number))
    before, made_before = graph, 0
    for wrong in range(1, 7):
        belief, made = believed(graph, kind, wrong, np.random.default_rng(number))
        assert distance(graph, belief) == made
        assert belief.nodes == graph.nodes
        assert not belief.children(REWARD)
        if made == wrong:
            assert plain_change(before, belief) == kind or kind == MIXED
        else:
            assert (belief, made) == (before, made_before)
            assert kind != MIXED
        before, made_before = belief, made


def test_all_errors_of_a_kind_are_possible_and_no_others():
    """Against all diagrams of three variables and a reward, in which an edge may be anywhere."""
    rng = np.random.default_rng(1)
    for _ in range(25):
        graph = random_diagram(3, 2, rng)
        found = {name: {doses.changed(graph, change) for change in list_of(graph)} for name, list_of in KINDS.items()}
        plain = {name: set() for name in KINDS}
        pairs = [pair for pair in permutations(graph.nodes, 2) if pair[0] != REWARD]
        for pair in pairs:
            others = graph.directed - {pair, pair[::-1]}
            for directed in (others, others | {pair}):
                try:
                    other = ADMG(directed, graph.bidirected, graph.nodes)
                except ValueError:  # a cycle
                    continue
                if other != graph:
                    plain[plain_change(graph, other)].add(other)
            confounded = tuple(sorted(pair))
            other = ADMG(graph.directed, graph.bidirected ^ {confounded}, graph.nodes)
            plain[plain_change(graph, other)].add(other)
        assert found == plain


@given(sizes)
def test_turned_edges_are_turned_or_the_belief_is_the_diagram(size):
    nodes, confounders, number = size
    graph = random_diagram(nodes, confounders, np.random.default_rng(number))
    turned = BELIEFS["turned"](graph, np.random.default_rng(number))
    lost = BELIEFS["edge_lost"](graph, np.random.default_rng(number))
    assert bool(turnable(graph)) == bool(inner_edges(graph))
    if not inner_edges(graph):
        assert turned == lost == graph
        return
    assert plain_change(graph, turned) == "turned"
    assert plain_change(graph, lost) == "missing"


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(HARMLESS), st.integers(1, 4))
def test_a_belief_that_admits_the_truth_keeps_the_best_intervention(number, kind, wrong):
    bandit = dosed.diagram(3 + number % 2, 2, kind, wrong, number)
    best = SCMBandit(drawn(3 + number % 2, 2, number), REWARD).means.max()
    assert bandit.optimal_mean == pytest.approx(best, abs=1e-12)
    assert bandit.means.max() == pytest.approx(best, abs=1e-12)
    assert bandit.lost_for_good == 0


def test_other_kinds_rule_out_the_best_intervention_on_some_problems():
    for kind in (MIXED, "turned", "missing", "cause_lost", "overlooked"):
        assert any(dosed.diagram(3, 2, kind, 1, draw).lost_for_good > 0 for draw in range(60)), kind


def test_without_errors_runs_are_those_with_the_right_diagram():
    """The same arms, rewards and regrets; for algorithms that read the diagram too."""
    for algorithm, parameters in ({"thompson": {}} | Z2 | BY_CAUSES).items():
        for draw in range(3):
            runs = [
                play(load(algorithm)(**parameters), bandit, 60, generators(1, "dose", draw))
                for bandit in (dosed.diagram(4, 2, MIXED, 0, draw), problems.diagram(4, 2, "diagram", draw))
            ]
            for name in ("arms", "rewards", "regrets"):
                np.testing.assert_array_equal(getattr(runs[0], name), getattr(runs[1], name))


def test_a_learner_without_a_diagram_has_no_errors():
    for kind, arms in (("nothing", 3**4), ("single", 9)):
        assert len(dosed.diagram(4, 2, kind, 0, 5).arms) == len(problems.diagram(4, 2, kind, 5).arms) == arms


def test_what_is_read_of_a_wrong_diagram_is_the_belief():
    """Worlds and means are those of the true model; arms and expressions are those of a bandit on the belief."""
    for draw in range(12):
        bandit = dosed.diagram(4, 2, MIXED, 4, draw)
        belief, made = dosed.belief_of(true_diagram(4, 2, draw), 4, 2, MIXED, 4, draw)
        assert (bandit.scm.graph, bandit.truth, made) == (belief, true_diagram(4, 2, draw), 4)
        true = drawn(4, 2, draw)
        assert bandit.means.tolist() == [pytest.approx(true.expectation(REWARD, do=arm)) for arm in bandit.arms]
        estimators_of(bandit, Search("single"))  # expressions of the belief, on the true model's variables
        glm = dosed.exploration(5, 2, MIXED, 4, draw)
        same = problems.exploration(5, 2, draw)
        assert glm.means.tolist() == same.means.tolist()
        right = dosed.exploration(5, 2, MIXED, 0, draw)
        assert right.sequences == same.sequences
    assert any(
        dosed.exploration(5, 2, MIXED, 4, d).sequences != problems.exploration(5, 2, d).sequences for d in range(5)
    )


def test_cells_are_the_states_of_believed_causes():
    """Which variables they are of, and which arms share them, is the belief's; probabilities are the true model's."""
    shared = others = 0
    for draw in range(30):
        bandit, true = dosed.diagram(4, 2, MIXED, 4, draw), drawn(4, 2, draw)
        belief = bandit.scm.graph
        causes = sorted(belief.parents(REWARD))
        others += causes != sorted(true.graph.parents(REWARD))
        for pool in ("checked", "all"):
            cells = arm_cells(bandit, None, pool)
            stride = dict(zip(true.variables, cells.cells.stride.tolist(), strict=True))
            assert stride == {**dict.fromkeys(true.variables, 0), **{v: 2**i for i, v in enumerate(causes[::-1])}}
            for first in set(cells.base.tolist()):
                group = [a for a, base in enumerate(cells.base) if base == first]
                sets = [frozenset(bandit.arms[a]) for a in group]
                shared += pool == "checked" and len(set(sets)) > 1
                assert pool == "all" or len(group) == 1 or is_benign(belief, REWARD, causes, sets)
                assert cells.alone[group].tolist() == [len(group) == 1] * len(group)
            for a in np.flatnonzero(~cells.alone):
                exact = true.distribution(causes, do=bandit.arms[int(a)]).ravel()
                np.testing.assert_array_equal(cells.cells.weight[0, a], exact)
    assert shared > 2
    assert others > 20


@pytest.mark.parametrize(("algorithm", "parameters"), ({"thompson": {}, "kl_ucb": {}} | Z2 | BY_CAUSES).items())
def test_no_algorithm_reads_the_true_diagram(algorithm, parameters):
    """Told that its belief is true, a learner plays the same arms in the same worlds."""
    for draw in range(4):
        bandit = dosed.diagram(4, 2, MIXED, 4, draw)
        runs = [
            play(load(algorithm)(**parameters), told, 300, generators(1, "dose", draw))
            for told in (bandit, replace(bandit, truth=bandit.scm.graph))
        ]
        np.testing.assert_array_equal(runs[0].arms, runs[1].arms)
        np.testing.assert_array_equal(runs[0].rewards, runs[1].rewards)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(4, 12))
def test_errors_in_the_essential_graph_of_a_tree(number, nodes):
    bandit = dosed.tree(nodes, 0, number, states=2, epsilon=0.25, reward_gap=0.4)
    true, essential = bandit.dag, bandit.essential
    assert not essential.directed
    before = essential
    for wrong in range(1, 6):
        belief, made = believed_tree(essential, true, wrong, np.random.default_rng(number))
        assert made == wrong
        assert all((b, a) in true.directed for a, b in belief.directed)  # from effect to cause
        same = belief.undirected & essential.undirected
        extra = belief.adjacent - essential.adjacent
        missing = essential.adjacent - belief.adjacent
        assert len(belief.directed) + len(extra) + len(missing) == wrong
        assert len(same) == nodes - 1 - len(belief.directed) - len(missing)
        assert len(belief.adjacent ^ before.adjacent) + len(belief.directed ^ before.directed) == 1
        before = belief
    assert len(TREE_KINDS) == 3


def test_options_out_of_range_are_refused():
    graph = true_diagram(3, 2, 0)
    for kind, wrong in (("lost", 1), (MIXED, -1)):
        with pytest.raises(ValueError, match=f"kind='{kind}', wrong={wrong}"):
            believed(graph, kind, wrong, np.random.default_rng(0))
    essential = doses.PartiallyDirectedGraph(["A", "B"], [("A", "B")])
    with pytest.raises(ValueError, match="1 directed edges"):
        believed_tree(essential, ADMG([("A", "B")]), 1, np.random.default_rng(0))


# ---------------------------------------------------------------------- break-even


def test_the_crossing_of_curves_made_by_hand():
    def crossing(doses, values):
        return crossings(doses, values[np.newaxis])[0]

    assert crossing((0, 1), np.array([-1.0, 1.0])) == 0.5
    assert crossing((0, 1), np.array([1.0, 2.0])) == 0
    assert crossing((0, 1), np.array([-1.0, -2.0])) == math.inf
    # -0.5 and 0.5 pool to a block at 0, which the curve reaches at 1
    assert crossing((0, 1, 2, 3), np.array([-2.0, 0.5, -0.5, 1.0])) == 1
    assert crossing((0, 2, 8), np.array([-1.0, -1.0, 2.0])) == 4


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=8))
def test_the_rising_curve_is_the_nearest(values):
    rising = isotonic(np.array([values]))[0]
    assert (np.diff(rising) >= -1e-12).all()
    blocks = []  # pool adjacent violators
    for value in values:
        blocks.append([value])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    plain = [np.mean(block) for block in blocks for _ in block]
    np.testing.assert_allclose(rising, plain, atol=1e-9)


def a_curve(losses, alone, learner=LEARNERS[0]):
    frame = pd.DataFrame(losses, columns=[0, 1, 2])
    return Curve(learner, {"nodes": 3}, MIXED, (0, 1, 2), frame, "TS", pd.Series(alone), None, len(frame))


def test_the_break_even_dose_of_the_mean_and_of_most_problems():
    """Two of four problems lose all at one error; the mean breaks even early, half of the problems at 1."""
    curve = a_curve([[1, 9, 9], [1, 9, 9], [1, 1, 9], [1, 1, 1]], [2.0, 2.0, 2.0, 2.0])
    assert break_even(curve).value == pytest.approx(1 / 4)  # differences -1, 3, 5
    assert break_even(curve, typical=True).value == 1
    found = break_even(a_curve([[1, 1, 1]] * 5, [2.0] * 5))
    assert found == (math.inf, math.inf, math.inf)


def test_the_interval_of_the_break_even_dose_covers():
    rng = np.random.default_rng(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dose_curves, "RESAMPLES", 200)
        covered = 0
        for _ in range(150):
            means = np.array([-1.0, 0.5, 2.0])  # crosses 0 at 2/3
            losses = 5 + means + rng.exponential(size=(60, 1)) - 1 + rng.normal(0, 1, (60, 3))
            low, high = break_even(a_curve(losses, np.full(60, 5.0)))[1:]
            covered += low <= 2 / 3 <= high
    assert 0.88 < covered / 150 <= 0.995


def test_the_chance_of_an_error_up_to_which_a_diagram_pays():
    one = pd.Series([1.0, 1.0, 1.0])
    assert chance(one, 11 * one, 3 * one) == pytest.approx((0.2, 0.2, 0.2))
    assert chance(4 * one, 11 * one, 3 * one).value == 0
    assert chance(one, 2 * one, 3 * one).value == math.inf


# ---------------------------------------------------------------------- tables and figure, on made-up results


@pytest.fixture(scope="module")
def made():
    """Problem d costs 2 + d with the right graph, 5 more with every error, and 10 + d without a graph."""
    plans, finals = {}, {}

    def add(experiment, options, losses):
        if options in plans.get(experiment, {}).values():  # several learners share it
            return
        label = ",".join(f"{k}={v}" for k, v in options.items())
        plans.setdefault(experiment, {})[label] = options
        finals.setdefault(experiment, []).extend(
            {"policy": label, "draw": d, "cumulative_regret": float(loss), "lost_for_good": float(loss > 15)}
            | {"correct": float(loss < 8), "sample_complexity": 100.0 + loss}
            for d, loss in enumerate(losses)
        )

    for learner in LEARNERS:
        situations = [{"nodes": n, "confounders": 2} for n in ((3, 5) if learner.experiment[:4] == "dose" else ())]
        if not learner.on_diagrams:
            situations = [{"nodes": 10}]
        plain = learner.experiment in ("dose_tree", "dose_answers", "dose_sure")
        for situation in situations:
            for kind in ("cause_lost", "invented") if learner.experiment == "dose_kinds" else (MIXED,):
                for wrong in (1, 2) if learner.experiment == "dose_kinds" else (0, 1, 2, 4, 8):
                    own = {} if plain else {"kind": kind}
                    losses = [2 + 5 * wrong + d for d in range(20)]
                    add(learner.experiment, {**learner.algorithm, **situation, **own, "wrong": wrong}, losses)
            for i, (_, experiment, selected) in enumerate(learner.without):
                options = {**selected, **situation} | ({} if experiment.endswith("_alone") else {"wrong": 0})
                add(experiment, options, [10 + d + i for d in range(20)])
    frames = {name: pd.DataFrame(rows) for name, rows in finals.items()}
    return Results({}, frames, pd.DataFrame(), {}, {name: Plan(100, settings) for name, settings in plans.items()})


def test_curves_compare_the_same_problems_at_every_dose(made):
    found = list(curves(made))
    assert {c.learner.name for c in found} == {learner.name for learner in LEARNERS}
    for curve in found:
        assert curve.problems == 20
        assert (curve.losses.index == curve.alone.index).all()
        if curve.kind == MIXED:
            assert curve.doses == (0, 1, 2, 4, 8)
            assert len(curve.losses) == 20
        else:
            nodes = curve.situation["nodes"]
            possible = [dosed.belief_of(true_diagram(nodes, 2, d), nodes, 2, curve.kind, 2, d)[1] for d in range(20)]
            assert curve.losses.index.tolist() == [d for d, n in enumerate(possible) if n >= max(curve.doses)]
        if curve.learner.metric == "cumulative_regret":
            assert curve.against == curve.learner.without[0][0]
            assert curve.losses.loc[0].tolist() == [2 + 5 * k for k in curve.doses]
            assert (curve.alone == 10 + curve.losses.index).all()
        if curve.learner.metric == "sample_complexity":
            assert curve.losses.loc[0].tolist() == [100 + 2 + 5 * k for k in curve.doses]
            more = {"KL-LUCB": 10, "LUCB with radii of CCPE-General": 11}[curve.against]
            assert curve.differences[0].tolist() == [2 + 5 * k - more for k in curve.doses]


def test_a_run_without_an_answer_has_played_all_its_rounds(made):
    """In the mean it counts with them, in the median as endless; its answer counts as wrong."""
    finals = made.finals["dose_sure"].copy()
    cut = (finals["draw"] >= 14) & finals["policy"].str.contains("wrong=1")
    finals.loc[cut, ["correct", "sample_complexity"]] = np.nan
    results = Results({}, {**made.finals, "dose_sure": finals}, pd.DataFrame(), {}, made.plans)
    found = [c for c in curves(results) if c.learner.name == "CCPE-General" and c.situation["nodes"] == 5]
    wrong, rounds, other = found
    assert [c.learner.metric for c in found] == ["correct", "sample_complexity", "sample_complexity"]
    assert (rounds.losses == other.losses).all(axis=None)
    assert (wrong.losses.loc[14:, 1] == 1).all()
    assert (rounds.losses.loc[14:, 1] == results.horizon("dose_sure")).all()
    middle, low, high = dose_curves.rounds_to_answer(results, rounds, 1)
    assert (middle, low, high) == (116.5, 112, math.inf)  # 107 to 120 rounds and six without an end
    assert dose_curves.rounds_to_answer(results, rounds, 2)[0] == 121.5


def test_tables_and_figure_say_what_the_curves_are(made, monkeypatch):
    monkeypatch.setattr(dose_curves, "RESAMPLES", 200)
    breakeven = wrong_graph_tables.breakeven(made).set_index(["algorithm", "variables", "errors", "rounds"])
    row = breakeven.loc[("kl-UCB", 5, MIXED, 100)]
    assert row.iloc[1:5].tolist() == ["1.6", "1.6 to 1.6", "1.5", "1.5 to 1.5"]  # 2 + 5 k = 10; all lose at 2
    rows = breakeven.loc[[("CCPE-General", 5, MIXED, 100)]]  # its rounds, and not its answers
    assert (rows["measured"] == "rounds to the answer").all()
    assert rows["against"].tolist() == ["KL-LUCB", "LUCB with radii of CCPE-General"]
    assert rows["wrong edges at which the means are equal"].tolist() == ["1.6", "1.8"]  # 2 + 5 k = 10 or 11
    algorithms = [learner.name for learner in LEARNERS if not (learner.ends and learner.metric == "correct")]
    assert breakeven.index.get_level_values(0).unique().tolist() == list(dict.fromkeys(algorithms))
    table = wrong_graph_tables.doses(made)
    sure = table[table["measured"] != "regret"]
    assert not sure.duplicated(["algorithm", "measured", "against", "variables", "errors", "wrong edges"]).any()
    table = table[table["against"] != "LUCB with radii of CCPE-General"]
    table = table.set_index(["algorithm", "measured", "variables", "errors", "wrong edges"])
    row = table.loc[("z2-TS", "regret", 5, MIXED, 2)]
    assert row["mean"] == "21.5"
    assert row["over that without a graph"].startswith("1.1 (")
    assert row["larger, share of problems"] == "1.000"
    assert row["best intervention lost, share"] == "0.800"  # losses 12 to 31, of which those from 16 on
    row = table.loc[("CCPE-General", "rounds to the answer", 3, MIXED, 0)]
    assert row["rounds to the answer, median"].startswith("112 (")
    assert row["mean"] == "111.5"
    assert table.loc[("CCPE-General", "wrong answers", 3, MIXED, 1)]["mean"] == "0.950"  # a loss of 8 or more
    figure = dose(made)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles[:2] == ["TS, 3 variables, 100 rounds", "TS, 5 variables, 100 rounds"]
    line = next(line for line in figure.axes[1].lines if line.get_linewidth() == 2.4)
    assert line.get_xdata().tolist() == [0, 1, 2, 4, 8]
    assert line.get_ydata()[0] == pytest.approx(11.5 / 19.5)
    plt.close(figure)


def test_random_numbers_of_errors_do_not_depend_on_the_dose():
    first = generator("dose", 3, 5, 2, MIXED).random(3)
    assert (generator("dose", 3, 5, 2, MIXED).random(3) == first).all()
    chains = [dosed.belief_of(true_diagram(5, 2, 3), 5, 2, MIXED, wrong, 3)[0] for wrong in (0, 1, 2, 4, 8)]
    distances = [distance(a, b) for a, b in pairwise(chains)]
    assert distances == [1, 1, 2, 4]


# ---------------------------------------------------------------------- what its page says of the committed tables


@pytest.fixture(scope="module")
def breakeven():
    table = pd.read_csv(TABLES / "breakeven.csv")
    few = table["rounds"] == 100_000
    assert (table["of"][~few] == 1000).all()
    assert (table["of"][table["rounds"] == 100_000] == 200).all()
    return table.set_index(["algorithm", "variables", "errors", "rounds"]).sort_index()


def test_the_page_is_right_about_break_even_numbers(breakeven):
    means = breakeven["wrong edges at which the means are equal"] + " (" + breakeven["95 %"] + ")"
    page = (ROOT / "docs/papers/arena.md").read_text()
    for nodes, played in ((3, (1000, 10_000, 100_000)), (5, (1000, 10_000, 100_000)), (7, (1000, 10_000))):
        (row,) = [line for line in page.splitlines() if line.startswith(f"| {nodes} variables |")]
        assert all(means["TS", nodes, MIXED, rounds] in row for rounds in played)
    half = breakeven["wrong edges at which half of the problems lose"]["TS"]
    assert (half[3, MIXED, 10_000], breakeven.loc[("TS", 3, MIXED, 10_000), "95 % of that"]) == ("5.0", "4.6 to 5.4")
    assert half[5, MIXED, 10_000] == half[7, MIXED, 10_000] == "more than 8"
    for (nodes, kind, rounds), mean in means["TS"].items():
        if kind == "cause_lost":
            assert float(mean.split()[0]) < 1
            assert float(half[nodes, kind, rounds]) < 1.3
        elif (nodes, kind) == (3, "overlooked"):
            assert mean == "1.8 (1.5 to more than 2)"
        elif kind != MIXED:
            assert rounds == 10_000
            assert mean.startswith("more than ")
    others = [means[name, 5, MIXED, 10_000] for name in ("TS", "kl-UCB", "z2-TS", "z2-kl-UCB", "C-TS")]
    ends = [[float(end) for end in re.findall(r"[0-9.]+", mean)] for mean in others]
    assert [value for value, _, _ in ends[1:]] == [3.7, 4.2, 3.7, 4.2]
    assert [means[name, 5, MIXED, 10_000].split()[0] for name in ("C-UCB", "HAC-UCB")] == ["3.3", "3.4"]
    assert max(low for _, low, _ in ends) < min(high for _, _, high in ends)


def test_the_page_is_right_in_short():
    page = (ROOT / "docs/papers/arena.md").read_text()
    regrets = pd.read_csv(TABLES / "regrets.csv").query("problem == 'diagram'")
    told = regrets[regrets["knows, and plays"] == "the diagram, TS"]
    shares = 100 * told["over that without knowledge"].str.split().str[0].astype(float)
    assert len(told) == 9
    assert set(told["rounds"]) == {10_000}
    assert f"has {shares.min():.0f} to {shares.max():.0f} % of the regret" in " ".join(page.split())
    chances = pd.read_csv(TABLES / "chances.csv").query("variables == 5")
    lost = chances[chances["the error"].str.contains("cause of Y lost") & (chances["confounded pairs"] == "0")]
    (found,) = lost["the diagram pays up to a chance of"]
    assert round(float(found.split()[0])) == 20


def test_the_page_is_right_about_other_algorithms():
    table = pd.read_csv(TABLES / "doses.csv").set_index(["algorithm", "wrong edges"])
    over = table["over that without a graph"].str.split().str[0].astype(float)
    assert over["CN-UCB"].loc[0] == 14.2
    assert (over["CN-UCB"].loc[1:].min(), over["CN-UCB"].loc[1:].max()) == (11.2, 11.6)
    watching = table.loc["SR of 500 rounds, half watching", "mean"]
    assert (watching.min(), watching.max()) == (0.268, 0.291)
    alone = watching / over.loc["SR of 500 rounds, half watching"]
    assert alone.tolist() == pytest.approx([0.44] * 5, abs=5e-3)
    assert over["LinSEM-TS"].loc[[0, 1]].tolist() == [0.817, 14]
    assert table.loc[("LinSEM-TS", 1), "smaller, share of problems"] == 0.449
    for name, right in (("CCPE-General", 1.26), ("1,000 watching, then LUCB", 1.16)):
        own = table.loc[name]
        assert (own["of"] == 1000).all()
        assert (own["mean"][own["measured"] == "wrong answers"] == 0).all()
        rounds = own[own["measured"] == "rounds to the answer"]
        against_kl = rounds[rounds["against"] == "KL-LUCB"]
        assert against_kl.loc[8, "mean"] < against_kl.loc[0, "mean"]
        ratios = over[name][(own["measured"] == "rounds to the answer").to_numpy()]
        assert ratios[(rounds["against"] == "KL-LUCB").to_numpy()].between(0.32, 0.37).all()
        same_form = ratios[(rounds["against"] != "KL-LUCB").to_numpy()]
        assert same_form.loc[0] == right
        assert (same_form > 1.1).all()
