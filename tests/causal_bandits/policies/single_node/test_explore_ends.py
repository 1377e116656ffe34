"""Exploring the ends of the path of Theorems 4 and 5: what it takes, and that it beats Eq. 4 (E45)."""

from functools import partial

import numpy as np
import pytest

from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.play.run import play
from causal_bandits.policies.single_node.explore_ends import ExploreEnds
from causal_bandits.problems import lu2021 as problems
from causal_bandits.seeding import generators
from replication.papers.lu2021 import theory

NODES, STATES, HORIZON = 500, 2, 1000


@pytest.mark.parametrize("build", [problems.theorem4, problems.theorem5])
def test_the_exact_regret_is_that_of_runs_on_every_kind_of_instance(build):
    found = []
    for draw in range(6):
        bandit = build(NODES, STATES, HORIZON, draw=draw)
        found += [play(ExploreEnds(), bandit, HORIZON, generators(1, "ends", s)).regrets.sum() for s in range(20)]
    exact, bound = (
        f(NODES, STATES, HORIZON) for f in (partial(theory.regret_at_the_ends, explored=0.3), theory.minimax)
    )
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert abs(np.mean(found) - exact) < 4 * error
    assert np.mean(found) + 4 * error < bound
    assert exact < bound


def test_the_bound_holds_where_few_arms_are_left_out():
    """With ten nodes four arms are too many of twenty: Eq. 4 is no smaller there."""
    assert theory.regret_at_the_ends(10, 2, HORIZON, 0.3) > theory.minimax(10, 2, HORIZON)


def test_the_horizon_does_not_matter():
    ratios = [theory.regret_at_the_ends(1000, 2, t, 0.3) / theory.minimax(1000, 2, t) for t in (10**5, 10**7)]
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-3)


def test_it_explores_the_ends_evenly_and_then_plays_one_arm():
    bandit = problems.theorem4(6, 2, 1000, draw=3)
    run = play(ExploreEnds(0.4), bandit, 1000, generators(1, "ends", 0))
    ends = [i for i, v in enumerate(bandit.variables) if len(bandit.dag.parents(v)) + len(bandit.dag.children(v)) == 1]
    arms = np.concatenate([bandit.arms_of(i) for i in ends])
    assert sorted(set(run.arms[:400])) == sorted(arms)
    assert set(np.bincount(run.arms[:400])[arms]) == {100}
    assert len(set(run.arms[400:])) == 1
    best = max(arms, key=lambda a: run.rewards[:400][run.arms[:400] == a].mean())
    assert run.arms[-1] == best


def test_a_variable_without_neighbours_is_an_end():
    bandit = problems.theorem4(4, 2, 600)
    a, b, c, _ = bandit.variables
    apart = PartiallyDirectedGraph(bandit.variables, undirected=[(a, b), (b, c)])
    run = play(ExploreEnds(0.5), bandit.with_told(bandit.told._replace(essential=apart)), 600, generators(1, "ends", 0))
    assert set(run.arms[:300]) == {arm for i in (0, 2, 3) for arm in bandit.arms_of(i)}


def test_a_graph_without_ends_is_refused():
    bandit = problems.theorem4(4, 2, 100)
    names = bandit.variables
    square = PartiallyDirectedGraph(names, undirected=list(zip(names, [*names[1:], names[0]], strict=True)))
    with pytest.raises(ValueError, match="no variable has fewer than two neighbours"):
        play(ExploreEnds(), bandit.with_told(bandit.told._replace(essential=square)), 100, generators(1, "ends", 0))
