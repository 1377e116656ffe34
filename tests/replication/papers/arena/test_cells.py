"""Problems on which arms may, or may not, share cells; and regrets beside those of a second program."""

import math

import numpy as np
import pandas as pd
import pytest
from whole import ROOT

from causal_bandits.estimation.arm_cells import is_benign
from causal_bandits.play.run import play
from causal_bandits.policies.registry import load
from causal_bandits.seeding import generators
from experiments.selection import selection
from replication.papers.arena.cells import benign, random_cells, worst
from replication.papers.arena.diagrams import REWARD, random_diagram

SECOND = pd.read_csv(ROOT / "data/tables/arena_cells.csv")


def player_of(settings):
    """The player that the reference file selects, told that Z is all that matters."""
    algorithm, *parameters = selection(settings, "arena_cells.csv").items()
    shared = {} if algorithm[1] == "thompson" else {"cells": ("Z",), "pool": "all"}
    return load(algorithm[1])(**shared | dict(parameters))


PLAYERS = {row.says: player_of(row.settings) for row in SECOND.itertuples()}
PROBLEMS = {
    "cells_benign": (benign(3000), 3000),
    "cells_worst": (worst(), 5000),
    "cells_random": (random_cells(), 1000),
}


def regrets(problem, player, runs):
    bandit, horizon = PROBLEMS[problem]
    return [play(PLAYERS[player], bandit, horizon, generators(1, "cells", seed)) for seed in range(runs)]


def test_the_two_environments_have_the_stated_means():
    gap = math.sqrt(20 * math.log(3000) / 3000)
    np.testing.assert_allclose(benign(3000).means, [0.5 + 0.9995 * gap, *[0.5 + 0.0005 * gap] * 19])
    np.testing.assert_allclose(worst().means, [17 / 24] * 10 + [0.25] * 10)
    assert 0.998 < 0.5 + math.sqrt(20 * math.log(500) / 500) < 1
    assert is_benign(benign(3000).scm.graph, "Y", ("Z",), [frozenset("X")])
    assert not is_benign(worst().scm.graph, "Y", ("Z",), [frozenset("X")])
    assert (random_cells().means != random_cells(draw=1).means).any()


@pytest.mark.parametrize(
    ("problem", "player", "other", "half"), SECOND[["experiment", "says", "regret", "half_width"]].to_numpy().tolist()
)
def test_regrets_are_those_of_a_second_program(problem, player, other, half):
    """Of 20 runs, within 3.3 standard errors of the difference; the other program had 300 runs, or 30.

    Where no interval was given it counts as exact.
    """
    own = np.array([run.regrets.sum() for run in regrets(problem, player, 20)])
    error = math.hypot(own.std(ddof=1) / math.sqrt(len(own)), (0.0 if math.isnan(half) else half) / 1.96)
    assert abs(own.mean() - other) < 3.3 * error + 0.1


def test_ties_decide_how_late_it_switches():
    """All runs switch: taking the first of tied arms after some 1,118 rounds, one at random after some 3,004."""
    for player, low, high in (("HAC-UCB, first of ties", 1050, 1180), ("HAC-UCB", 2800, 3250)):
        switched = [run.outcome["switched"] for run in regrets("cells_worst", player, 20)]
        assert low < np.median(switched) < high


def test_the_papers_slack_blinds_the_tests():
    """No run switches in 5,000 rounds, and none could: the slack is above the largest distance of two intervals."""
    assert all(run.outcome == {} for run in regrets("cells_worst", "HAC-UCB, the paper's slack", 10))


def test_how_often_the_parents_of_the_reward_may_be_the_cells_of_random_diagrams():
    """With do() and interventions on single variables: in a minority of 200 diagrams where pairs are confounded."""
    names = [f"X{i}" for i in range(1, 6)]
    sets = [frozenset(), *(frozenset([v]) for v in names)]
    found = []
    for confounders in (0, 1, 2, 3):
        graphs = [random_diagram(5, confounders, np.random.default_rng([confounders, d])) for d in range(200)]
        found.append(sum(is_benign(g, REWARD, sorted(g.parents(REWARD)), sets) for g in graphs))
    assert found[0] == 200
    assert all(30 < count < 110 for count in found[1:])
    assert found[3] < found[1]


@pytest.mark.parametrize(
    "wrong", [lambda: benign(100), lambda: benign(3000, 128), lambda: worst(5), lambda: random_cells(1)]
)
def test_sizes_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match="expected"):
        wrong()
