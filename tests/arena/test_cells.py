"""Problems on which arms may, or may not, share cells, and when HAC-UCB gives up sharing there."""

import math

import numpy as np
import pytest

from causal_bandits.estimation.arm_cells import is_benign
from causal_bandits.play.run import play
from causal_bandits.policies.scm.hac_ucb import HACUCB
from causal_bandits.problems.construction.arena.cells import benign, random_cells, worst
from causal_bandits.problems.construction.arena.diagrams import REWARD, random_diagram
from causal_bandits.seeding import generators

#: Told that Z is all that matters.
PLAYERS = {
    "HAC-UCB": HACUCB(cells=("Z",), pool="all"),
    "HAC-UCB, first of ties": HACUCB(cells=("Z",), pool="all", ties="first"),
    "HAC-UCB, the paper's slack": HACUCB(cells=("Z",), pool="all", slack="paper"),
}
PROBLEMS = {
    "cells_worst": (worst(), 5000),
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
