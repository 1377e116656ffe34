"""The arena's players over all problems that they share: what is compared, tables and figure, on made-up results."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.stats import trim_mean
from whole_arena import TABLES, study

from arena import profiles
from arena.profiles import FAMILIES, field, random_play
from arena.summaries import interquartile_means
from causal_bandits.models import SCMBandit
from causal_bandits.problems import arena as problems
from experiments.results import Plan, Results

TREE = {"states": 2, "epsilon": 0.25, "reward_gap": 0.4}
SITUATIONS = {
    "diagram": [{"confounders": c, "nodes": 3} for c in (0, 2)],
    "kl_ucb": [{"confounders": c, "nodes": 3} for c in (0, 2)],
    "tree": [{"nodes": n} for n in (5, 6)],
    "offline": [{"bias": 0.0, "samples": 300}, {"bias": 0.5, "samples": 300}],
}
HORIZON, DRAWS = 100, 5


def regret(player, situation, draw):
    return (player + 1.0) * (situation + 1) + 0.1 * draw * (-1) ** player


@pytest.fixture(scope="module")
def made():
    """Every player of every family in two situations with five draws; z2-TS misses the second one."""
    plans, finals = {}, {}
    for family in FAMILIES:
        for i, player in enumerate(family.players):
            name = player.experiment or family.kind
            if name in plans and family.kind != name and name == "diagram":
                continue  # those on diagrams play there already
            for s, situation in enumerate(SITUATIONS[family.kind]):
                if s == 1 and player.experiment == "borrowing":
                    continue
                label = f"{player.name}, {situation}"
                options = TREE if family.kind == "tree" else {}
                plans.setdefault(name, {}).setdefault(label, {**player.algorithm, **situation, **options})
                finals.setdefault(name, {})[label] = [
                    {"policy": label, "seed": d, "draw": d, "cumulative_regret": regret(i, s, d)} for d in range(DRAWS)
                ]
    tables = {name: pd.DataFrame([row for rows in by.values() for row in rows]) for name, by in finals.items()}
    return Results({}, tables, pd.DataFrame(), {}, {name: Plan(HORIZON, found) for name, found in plans.items()})


def test_random_play_is_exact():
    for draw in range(3):
        scm = problems.diagram(3, 2, "nothing", draw).scm
        means = SCMBandit(scm, "Y").with_arms("brute_force").means
        assert random_play("diagram", (("nodes", 3), ("confounders", 2)), draw) == pytest.approx(
            means.max() - means.mean()
        )
        for bias in (0.0, 1.0):
            bandit = problems.offline(bias, 200, draw=draw)
            by_context = [
                p * (max(row) - sum(row) / len(row))
                for p, row in zip(bandit.context_probabilities, bandit.means, strict=True)
            ]
            assert random_play("offline", (), draw) == pytest.approx(sum(by_context))
        tree = problems.tree(6, draw, **TREE)
        losses = [max(tree.means) - mean for mean in tree.means]
        assert random_play("tree", (("nodes", 6), *TREE.items()), draw) == pytest.approx(np.mean(losses))


def test_scores_are_regrets_over_random_play_of_who_plays_everywhere(made):
    diagrams, _, tree, offline = (field(made, family) for family in FAMILIES)
    names = [player.name for player in FAMILIES[0].players]
    assert [player.name for player in diagrams.players] == names[:-1]  # z2-TS misses a situation
    assert [stratum.shape for stratum in diagrams.scores.strata] == [(len(names) - 1, 1, DRAWS)] * 2
    for s, situation in enumerate(SITUATIONS["diagram"]):
        for draw in range(DRAWS):
            most = HORIZON * random_play("diagram", (("nodes", 3), ("confounders", situation["confounders"])), draw)
            assert diagrams.scores.strata[s][2, 0, draw] == pytest.approx(regret(2, s, draw) / most)
    for found in (tree, offline):  # one stratum: a draw moves with all its situations
        assert [stratum.shape for stratum in found.scores.strata] == [(len(found.players), 2, DRAWS)]
    assert offline.scores.strata[0][1, 1, 3] == pytest.approx(
        regret(1, 1, 3) / (HORIZON * random_play("offline", (), 3))
    )


def test_a_draw_that_one_has_not_played_is_left_out(made):
    finals = dict(made.finals)
    label = next(label for label in made.plans["tree"].settings if label.startswith("nothing, TS") and "5" in label)
    finals["tree"] = finals["tree"][(finals["tree"]["policy"] != label) | (finals["tree"]["draw"] != 2)]
    found = field(Results({}, finals, made.published, {}, made.plans), FAMILIES[2])
    assert found.problems == 2 * (DRAWS - 1)


def test_tables_have_a_row_for_each_player_and_pair(made):
    table, pairs = profiles.ranks_table(made), profiles.pairs_table(made)
    counts = [len(field(made, family).players) for family in FAMILIES]
    assert table.groupby("problems of", sort=False).size().tolist() == counts
    assert pairs.groupby("problems of", sort=False).size().tolist() == [n * (n - 1) // 2 for n in counts]
    tree = table[table["problems of"] == FAMILIES[2].name].reset_index()
    scores = field(made, FAMILIES[2]).scores.values
    for i, row in tree.iterrows():  # the regret of each is larger than that of the one before
        assert row["mean rank"] == f"{i + 1} ({i + 1} to {i + 1})"
        assert row["interquartile mean of regret over random play"].split()[0] == f"{trim_mean(scores[i], 0.25):.3g}"
        assert (row["rounds"], row["situations"], row["problems"]) == (HORIZON, 2, 2 * DRAWS)
    pairs = pairs[pairs["problems of"] == FAMILIES[2].name]
    assert set(pairs["the one has less regret, share"]) == {"1.00"}
    assert set(pairs["95 %"]) == {"1.00 to 1.00"}


def test_the_figure_has_a_profile_and_a_mean_for_every_player(made):
    figure = profiles.profiles_figure(made)
    assert len(figure.axes) == 2 * len(FAMILIES)
    for family, curves, dots in zip(FAMILIES, figure.axes[::2], figure.axes[1::2], strict=True):
        here = field(made, family)
        assert [label.get_text() for label in dots.get_yticklabels()] == [player.name for player in here.players]
        lines = [line for line in curves.lines if len(line.get_xdata()) > 2]
        colours = [line.get_color() for line in lines]
        assert len(set(colours)) == len(lines) == len(here.players)
        assert [label.get_color() for label in dots.get_yticklabels()] == colours
        for values, line in zip(here.scores.values, lines, strict=True):
            shares = [(values <= level).mean() for level in line.get_xdata()]
            np.testing.assert_allclose(line.get_ydata(), shares)
            assert shares[-1] == 1
        middle = [line.get_xdata()[0] for line in dots.lines if line.get_marker() == "o"]
        np.testing.assert_allclose(middle, interquartile_means(here.scores).value)
    plt.close(figure)


def test_players_of_a_family_share_problems_and_rounds():
    """As the configuration has them, whatever its experiments are called."""
    whole = study().papers["arena"]["experiments"]
    for family in FAMILIES:
        used = {player.experiment or family.kind for player in family.players}
        of = {name: whole[name] for name in used}
        assert len({experiment["horizon"] for experiment in of.values()}) == 1
        assert len({experiment["replicates"] for experiment in of.values()}) == 1
        assert len({experiment["problem"] for experiment in of.values()}) == 1


# ---------------------------------------------------------------------- what its page says of the committed tables


def test_the_page_is_right_about_what_lies_behind_the_means():
    pairs = pd.read_csv(TABLES / "pairs.csv").set_index(["problems of", "the one", "the other"])
    pairs = pairs.sort_index().assign(**pairs["95 %"].str.extract(r"(?P<low>\S+) to (?P<high>\S+)").astype(float))
    beliefs, solvers = (pairs.loc[family.name] for family in FAMILIES[:2])
    share = "the one has less regret, share"
    lost = "the diagram, a cause of Y lost, TS"
    for nothing in ("nothing: all interventions, TS", "nothing: one variable at most, TS"):
        assert 0.4 <= 1 - beliefs.loc[(nothing, lost), share] <= 0.6
    assert beliefs.loc[("the diagram, TS", "the diagram, an edge between causes lost, TS"), "high"] < 0.5
    good = ["the diagram, TS", "the diagram, z2-TS", "the diagram and P(parents of Y | arm), C-TS"]
    others = ["the diagram, kl-UCB", "the diagram, z2-kl-UCB"]
    others += [f"the diagram and P(parents of Y | arm), {name}" for name in ("C-UCB", "HAC-UCB")]
    for pair, row in solvers.iterrows():
        if set(pair) <= {*good}:
            assert row["low"] < 0.5 < row["high"]
        elif pair[0] in good and pair[1] in others:
            assert row["low"] > 0.5
        elif pair[1] in good and pair[0] in others:
            assert row["high"] < 0.5
    table = pd.read_csv(TABLES / "ranks.csv")
    means = table["interquartile mean of regret over random play"].str.split().str[0].astype(float)
    first = table["problems of"] == FAMILIES[0].name
    assert table.loc[means[first].idxmax(), "knows, and plays"] == lost
    offline = pairs.loc[FAMILIES[3].name].loc["bounds by the diagram, LinUCB-PCB", "the data at their word, LinUCB"]
    assert offline["low"] < offline[share] == 0.5 < offline["high"]
