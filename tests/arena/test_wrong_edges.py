"""Wrong edges: what is drawn, and what learners make of it."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.registry import load
from causal_bandits.problems import arena
from causal_bandits.problems.construction.arena import wrong_edges
from causal_bandits.problems.construction.arena.diagrams import FAMILIES, REWARD, random_diagram
from causal_bandits.problems.construction.arena.wrong_edges import HARMLESS, KINDS, MIXED, believed
from causal_bandits.seeding import generators


def distance(graph, other):
    """Count the pairs of variables at which two diagrams differ: in directed edges, and in hidden causes."""
    directed = {(min(edge), max(edge)) for edge in graph.directed ^ other.directed}
    return len(directed) + len(graph.bidirected ^ other.bidirected)


def plain_change(before, after):
    """The name of the one error that leads from a diagram to another, told by looking at both."""
    gone, new = before.directed - after.directed, after.directed - before.directed
    fewer, more = before.bidirected - after.bidirected, after.bidirected - before.bidirected
    if fewer or more:
        assert (len(fewer) + len(more), gone, new) == (1, frozenset(), frozenset())
        return "overlooked" if fewer else "invented"
    if gone and new:
        assert {(b, a) for a, b in gone} == new
        return "turned"
    ((_, effect),) = gone or new
    names = {(True, True): "cause_lost", (True, False): "missing", (False, True): "cause_invented"}
    return names.get((bool(gone), effect == REWARD), "extra")


@settings(max_examples=60)
@given(st.integers(2, 6), st.integers(0, 3), st.sampled_from([MIXED, *KINDS]), st.integers(0, 10**6))
def test_errors_are_nested_distinct_and_counted(nodes, confounders, kind, number):
    graph = random_diagram(nodes, confounders, FAMILIES[number % 4], np.random.default_rng(number))
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
        graph = random_diagram(3, 2, "own", rng)
        found = {name: {wrong_edges.changed(graph, change) for change in of(graph)} for name, of in KINDS.items()}
        plain = {name: set() for name in KINDS}
        for pair in permutations(graph.nodes, 2):
            if pair[0] == REWARD:
                continue
            others = graph.directed - {pair, pair[::-1]}
            for directed in (others, others | {pair}):
                try:
                    other = ADMG(directed, graph.bidirected, graph.nodes)
                except ValueError:  # a cycle
                    continue
                if other != graph:
                    plain[plain_change(graph, other)].add(other)
            other = ADMG(graph.directed, graph.bidirected ^ {tuple(sorted(pair))}, graph.nodes)
            plain[plain_change(graph, other)].add(other)
        assert found == plain


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.sampled_from(HARMLESS), st.integers(1, 4))
def test_a_belief_that_admits_the_truth_keeps_the_best_intervention(number, kind, wrong):
    bandit = arena.diagram(3 + number % 2, 2, kind=kind, wrong=wrong, draw=number)
    best = SCMBandit(bandit.scm, REWARD).means.max()
    assert bandit.optimal_mean == pytest.approx(best, abs=1e-12)
    assert bandit.means.max() == pytest.approx(best, abs=1e-12)
    assert bandit.lost_for_good == 0


@pytest.mark.parametrize("kind", [MIXED, *(kind for kind in KINDS if kind not in HARMLESS)])
def test_other_kinds_rule_out_the_best_intervention_on_some_problems(kind):
    """And what they lose for good is the distance to the best of all interventions, by brute force."""
    lost = 0
    for draw in range(150):
        bandit = arena.diagram(4, 3, kind=kind, wrong=1, draw=draw)
        best = SCMBandit(bandit.scm, REWARD).means.max()
        assert bandit.lost_for_good == pytest.approx(best - bandit.means.max(), abs=1e-9)
        lost += bandit.lost_for_good > 0
    assert lost


@pytest.mark.parametrize("algorithm", ["thompson", "kl_ucb", "c_ts", "hac_ucb"])
def test_no_algorithm_reads_the_true_diagram(algorithm):
    """Told that its belief is true, a learner plays the same arms in the same worlds."""
    for draw in range(4):
        bandit = arena.diagram(4, 2, wrong=4, draw=draw)
        assert bandit.scm.graph != bandit.truth
        runs = [
            play(load(algorithm)(), told, 300, generators(1, "wrong", draw))
            for told in (bandit, replace(bandit, truth=bandit.scm.graph))
        ]
        np.testing.assert_array_equal(runs[0].arms, runs[1].arms)
        np.testing.assert_array_equal(runs[0].rewards, runs[1].rewards)


def test_a_wrong_diagram_changes_what_is_adjusted_for_and_not_the_model():
    right, wrong = (arena.exploration(5, 2, number, draw=3) for number in (0, 6))
    assert right.means.tolist() == wrong.means.tolist()
    assert right.belief == right.glm.graph != wrong.belief
    assert right.sequences != wrong.sequences


def test_options_out_of_range_are_refused():
    graph = random_diagram(3, 2, "own", np.random.default_rng(0))
    for kind, wrong in (("lost", 1), (MIXED, -1)):
        with pytest.raises(ValueError, match=f"kind='{kind}', wrong={wrong}"):
            believed(graph, kind, wrong, np.random.default_rng(0))
