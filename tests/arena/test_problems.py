"""The arena's random problems: their families, and what a learner is told of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.models import SCMBandit
from causal_bandits.problems import arena
from causal_bandits.problems.construction.arena.beliefs import TOLD
from causal_bandits.problems.construction.arena.diagrams import FAMILIES, REWARD, random_diagram


def drawn(family, nodes, confounders=0, count=200):
    rng = np.random.default_rng([nodes, confounders])
    return [random_diagram(nodes, confounders, family, rng) for _ in range(count)]


def test_diagrams_are_of_their_families():
    causes = [len(graph.parents(REWARD)) for graph in drawn("own", 7, count=800)]
    assert [causes.count(k) / 800 for k in range(1, 5)] == pytest.approx([0.25] * 4, abs=0.06)
    assert all(len(graph.parents(v)) <= 2 for graph in drawn("own", 7) for v in graph if v != REWARD)
    for nodes, share in ((5, 0.5), (20, 0.15)):  # min(1/2, 3/n) of all pairs
        edges = [len(graph.directed) for graph in drawn("erdos_renyi", nodes, count=1000)]
        assert np.mean(edges) == pytest.approx(share * (nodes + 1) * nodes / 2, rel=0.03)
    free, most = drawn("scale_free", 20), {}
    assert all([len(g.parents(v)) for v in g.topological_order[2:]] == [2] * 19 for g in free)
    for family in ("scale_free", "erdos_renyi"):  # hubs, though the second has more edges
        most[family] = np.mean([max(len(g.children(v)) for v in g) for g in drawn(family, 20)])
    assert most["scale_free"] > most["erdos_renyi"] + 1


@settings(max_examples=60)
@given(st.integers(2, 8), st.integers(0, 3), st.sampled_from(FAMILIES), st.integers(0, 10**6))
def test_diagrams_have_a_reward_with_causes_and_no_effects(nodes, confounders, family, number):
    graph = random_diagram(nodes, confounders, family, np.random.default_rng(number))
    assert (len(graph), len(graph.bidirected)) == (nodes + 1, confounders)
    assert graph.parents(REWARD)
    assert not graph.children(REWARD)
    assert not confounders or any(REWARD in pair for pair in graph.bidirected)


def test_draws_take_turns_in_diagrams_and_tables():
    """Two tables: uniform probabilities, and noisy gates, whose probabilities are near 0 or 1."""
    for draw in range(16):
        bandit = arena.diagram(5, 0, draw=draw)
        inner = [np.asarray(bandit.scm.cpt(v)[1]) for v in bandit.scm.variables if bandit.scm.cpt(v)[0]]
        near = all(((table < 0.11) | (table > 0.89)).all() for table in inner)
        assert near == (draw // 4 % 2 == 1)
        assert arena.tables_of(draw) == ("noisy_gates" if near else "uniform_cpt")
        if draw % 4 == 3:
            assert [len(bandit.truth.parents(v)) for v in bandit.truth.topological_order[2:]] == [2] * 4


@settings(max_examples=40)
@given(st.integers(2, 4), st.integers(0, 3), st.integers(0, 10**6))
def test_a_learner_is_held_against_the_best_of_all_interventions_whatever_it_is_told(nodes, pairs, number):
    every = arena.diagram(nodes, pairs, "nothing", draw=number)
    best = SCMBandit(every.scm, REWARD).means.max()
    arms = {}
    for told in TOLD:
        bandit = arena.diagram(nodes, pairs, told, draw=number)
        arms[told] = len(bandit.arms)
        assert bandit.scm.graph == every.scm.graph
        assert bandit.optimal_mean == pytest.approx(best, abs=1e-12)
        if told in ("nothing", "diagram"):  # the best intervention is among the arms
            assert bandit.means.max() == pytest.approx(best, abs=1e-12)
    assert arms["diagram"] <= arms["nothing"] == 3**nodes
    assert (arms["single"], arms["all_set"]) == (1 + 2 * nodes, 2**nodes)
    assert arms["few_or_all"] == arms["single"] + arms["all_set"]


def test_exploration_has_actions_on_one_variable_and_exact_means():
    for draw in range(8):
        bandit = arena.exploration(5, 2, draw=draw)
        assert len(bandit.arms) == 1 + 2 * 5
        scm = bandit.glm.to_scm()
        for arm, mean in zip(bandit.arms, bandit.means, strict=True):
            assert scm.expectation(REWARD, do=arm) == pytest.approx(mean, abs=1e-12)


def test_what_a_learner_adjusts_by_may_be_no_diagram_or_another_problems():
    """Without edges nothing is adjusted; another problem's diagram is of the same family, and seldom the true one."""
    true, empty, other = ([arena.exploration(5, 2, belief=b, draw=draw) for draw in range(8)] for b in arena.BELIEFS)
    for problems in zip(true, empty, other, strict=True):
        assert len({tuple(problem.means.tolist()) for problem in problems}) == 1
    assert all(problem.belief == problem.glm.graph for problem in true)
    for problem in empty:
        assert problem.belief.nodes == problem.glm.graph.nodes
        assert not problem.belief.directed | problem.belief.bidirected
        assert all(not any(sequence.covariates) for sequence in problem.sequences if sequence)
    assert all(len(problem.belief.bidirected) == 2 for problem in other)
    assert sum(problem.belief != problem.glm.graph for problem in other) >= 7


def test_options_out_of_range_are_refused():
    with pytest.raises(ValueError, match="belief 'none': expected one of true, empty, other"):
        arena.exploration(3, 0, belief="none")
    with pytest.raises(ValueError, match="told 'all': expected one of nothing, single, all_set, few_or_all, diagram"):
        arena.diagram(3, 0, "all")
    for nodes, confounders, family in ((1, 0, "own"), (3, 7, "own"), (3, 0, "small_world")):
        with pytest.raises(ValueError, match=f"nodes={nodes}, confounders={confounders}, family='{family}': expected"):
            random_diagram(nodes, confounders, family, np.random.default_rng(0))
