"""Bounds of lu2021 by hand, and small graphs on which its statements fail."""

import pytest

from causal_bandits.problems.lu2021 import theorem4, theorem5
from replication.papers.lu2021 import theory


def test_counterexamples_are_those_of_the_ledger():
    assert any(
        (sorted(tree.directed), reward) == ([("X2", "X1")], "X2") for tree, reward in theory.more_than_lemma_1(3)
    )
    forests = theory.ancestors_in_other_components(3)
    assert [(sorted(dag.directed), reward) for dag, reward in forests] == [([("X1", "X3"), ("X2", "X3")], "X3")]
    assert [dag.nodes for dag, _ in theory.other_clique_numbers(1)] == [("X1",)]
    assert len(theory.other_clique_numbers(2)) == 3  # one node, and each of two without an edge
    assert theory.rewards_cut_off(3, strictly=True) == []
    cut = [(sorted(dag.directed), reward) for dag, reward in theory.rewards_cut_off(4, strictly=False)]
    # Q, Z, R, W of E42 are X1, X2, X3, X4
    assert ([("X1", "X2"), ("X1", "X3"), ("X2", "X3"), ("X2", "X4")], "X3") in cut
    children = [(sorted(dag.directed), reward) for dag, reward in theory.wrong_children(3, strictly=False)]
    assert children == [([("X1", "X2"), ("X1", "X3")], reward) for reward in ("X2", "X3")]


def test_bounds_by_hand():
    assert theory.lemma_1(8, degree=3) == 3 * 5
    assert theory.theorem_3(8, clique=3, degree=2) == 3 * 4 * 3
    assert theory.minimax(4, 3, 300) == pytest.approx(60 / 8)  # sqrt(4 * 3 * 300) = 60


@pytest.mark.parametrize("build", [theorem4, theorem5])
def test_the_only_rewarding_arm_has_the_mean_of_the_instances(build):
    bandit = build(6, 3, 800)
    assert theory.needle(6, 3, 800) == pytest.approx(0.0375)  # sqrt(18 / 800) = 0.15
    assert bandit.means.max() == pytest.approx(0.0375)
