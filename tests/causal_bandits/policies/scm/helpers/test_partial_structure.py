"""What is learned of a diagram: with exact probabilities all that is asked is right; its parts by hand."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs, positive_scm

from causal_bandits.graphs import ADMG, possibly_optimal_intervention_sets
from causal_bandits.models import SCMBandit, uniform_cpt
from causal_bandits.policies.scm.helpers.partial_structure import (
    Cut,
    HiddenCauses,
    Observed,
    Problem,
    Times,
    Values,
    cut_sets,
    learned_edges,
    reduction,
    without_cycles,
    worth_playing,
)
from causal_bandits.policies.scm.partial_discovery import SourceThresholds


class Exact:
    """Every intervention is played for ever."""

    def __init__(self, bandit, names):
        self.scm, self.names = bandit.scm, names

    def play(self, do, times):
        k = max(self.scm.cardinality(v) for v in self.names)
        frequency = np.zeros((len(self.names), len(self.names), k, k))
        for i, a in enumerate(self.names):
            own = self.scm.distribution([a], do=do)
            frequency[i, i, np.arange(len(own)), np.arange(len(own))] = own
            for j, b in enumerate(self.names):
                if a != b:
                    joint = self.scm.distribution([a, b], do=do)
                    frequency[i, j, : joint.shape[0], : joint.shape[1]] = joint
        return Observed(math.inf, frequency)


def learned_exactly(bandit, confounders, draws, rng):
    names = tuple(v for v in bandit.scm.graph.nodes if v != "Y" and v not in bandit.non_manipulable)
    problem = Problem(names, "Y", {v: bandit.scm.cardinality(v) for v in names})
    values, exact = Values(problem, rng), Exact(bandit, (*names, "Y"))
    times, thresholds = Times(1, 1, 1), SourceThresholds(1e-9, 1e-9, 0.0)
    cuts = [Cut.at(problem, chosen, values) for chosen in cut_sets(problem, draws, len(names), rng)]
    graph, answers = learned_edges(problem, cuts, exact, times, thresholds), {}
    hidden = HiddenCauses(problem, graph, values, exact, times, thresholds)

    def confounded(a, b):
        answers[a, b] = hidden(a, b)
        return answers[a, b]

    return worth_playing(graph, "Y", confounders, confounded), answers


@settings(max_examples=80)
@given(admgs(min_nodes=2, max_nodes=5), st.integers(0, 10**6), st.booleans(), st.booleans())
def test_with_exact_probabilities_edges_answers_and_sets_are_right(graph, seed, far_from_zero, hidden_too):
    """Variables that no arm sets count as hidden: the last one by name is such a variable in half of the cases."""
    rng = np.random.default_rng(seed)
    bandit = SCMBandit(positive_scm(graph, rng, 2) if far_from_zero else uniform_cpt(graph, rng), "Y")
    if hidden_too and len(graph) > 2:
        bandit = SCMBandit(bandit.scm, "Y", frozenset({max(set(graph) - {"Y"})}))
    shown = graph.latent_projection(set(graph) - bandit.non_manipulable)
    true = shown.subgraph(shown.ancestors({"Y"}))
    for confounders in ("on_demand", "all"):
        learned, answers = learned_exactly(bandit, confounders, 10**6, rng)
        assert learned.graph == ADMG(true.directed, nodes=true.nodes)
        assert all(said == (pair in true.bidirected) for pair, said in answers.items())
        assert learned.sets == possibly_optimal_intervention_sets(graph, "Y", bandit.non_manipulable)
        pairs = math.comb(len(true), 2)
        assert learned.asked == len(answers) <= pairs
        if confounders == "all":
            assert learned.asked == pairs
    learned, answers = learned_exactly(bandit, "none", 10**6, rng)
    assert learned.sets == possibly_optimal_intervention_sets(ADMG(true.directed, nodes=true.nodes), "Y")
    assert (learned.asked, answers) == (0, {})


def test_random_sets_find_true_edges_alone_and_more_sets_find_more():
    rng, found = np.random.default_rng(0), []
    names = ["A", "B", "C", "D", "E", "Y"]
    for _ in range(25):
        graph = ADMG([pair for pair in combinations(names, 2) if rng.random() < 0.5], nodes=names)
        bandit = SCMBandit(uniform_cpt(graph, rng), "Y")
        few, many = (learned_exactly(bandit, "none", draws, rng)[0].graph for draws in (3, 30))
        assert few.directed | many.directed <= graph.directed
        found.append((len(few.directed), len(many.directed), len(graph.subgraph(graph.ancestors({"Y"})).directed)))
    few, many, all_of_them = np.sum(found, axis=0)
    assert few < 0.5 * many
    assert many > 0.4 * all_of_them


def test_sets_are_all_or_drawn():
    problem = Problem(("A", "B", "C"), "Y", dict.fromkeys("ABC", 2))
    assert [len(s) for s in cut_sets(problem, 8, 3, np.random.default_rng(0))] == [0, 1, 1, 1, 2, 2, 2]
    assert cut_sets(Problem((), "Y", {}), 8, 1, np.random.default_rng(0)) == []
    several = Problem(tuple("ABCDEFGH"), "Y", dict.fromkeys("ABCDEFGH", 2))
    found = cut_sets(several, 200, 2, np.random.default_rng(0))
    assert len(found) == len(set(found)) < 200
    assert max(map(len, found)) == 7
    names = tuple(f"X{i}" for i in range(40))
    found = cut_sets(Problem(names, "Y", dict.fromkeys(names, 2)), 500, 2, np.random.default_rng(0))
    assert len(found) == 500
    assert np.mean([len(s) for s in found]) == pytest.approx(30, abs=0.5)  # each variable with probability 3/4


def test_cycles_are_broken_where_they_are_weakest():
    assert without_cycles([("A", "B"), ("B", "C"), ("C", "A"), ("A", "C")]) == [("A", "B"), ("B", "C"), ("A", "C")]
    assert reduction([("A", "B"), ("B", "C"), ("A", "C")]) == [("A", "B"), ("B", "C")]
    assert reduction([]) == []
