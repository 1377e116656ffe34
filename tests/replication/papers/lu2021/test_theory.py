"""Small graphs on which statements of lu2021 fail."""

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
