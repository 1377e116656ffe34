"""The arena's linear problems: gaps and means by hand, beliefs that leave the truth alone, and what is refused."""

import numpy as np
import pytest

from replication.papers.arena.linear_models import TOLD_PARENTS, combinatorial, linear, unknown_linear


@pytest.mark.parametrize(
    ("graph", "best", "mean", "null", "arms"),
    [
        ("G1", {"X2", "X3", "X4"}, 0.84, 0.32, 21),
        ("G2", {"X1", "X2"}, 0.76, 0.44, 29),
        ("G3", {"X1", "X2"}, 0.64, 0.32, 16),
        ("G4", {"X1", "X2"}, 0.52, 0.20, 7),
        ("G5", {"X1", "X3"}, 0.762, 0.114, 11),
    ],
)
def test_means_of_the_combinatorial_problems_are_those_computed_by_hand(graph, best, mean, null, arms):
    bandit = combinatorial(graph)
    assert len(bandit.arms) == arms
    assert set(bandit.arms[int(bandit.means.argmax())]) == best
    assert (bandit.optimal_mean, bandit.means[0]) == pytest.approx((mean, null), abs=1e-12)
    assert list(bandit.arms)[:2] == [{}, dict.fromkeys([f"X{i}" for i in range(1, 4 if graph == "G1" else 3)], 1)]


def test_printed_gaps_take_the_roots_for_one():
    exact, printed = unknown_linear(3, 2), unknown_linear(3, 2, "printed")
    assert exact.means.tolist() == printed.means.tolist()
    told = unknown_linear(3, 2, "told")
    assert told._losses.tolist() == printed._losses.tolist()
    assert printed.told_noise == exact.told_noise == dict.fromkeys(exact.sem.variables, 0.5)
    assert told.told_noise == exact.told_noise | dict.fromkeys(["X1_1", "X1_2", "X1_3"], 1.0)
    gaps = {frozenset(arm): gap for arm, gap in zip(printed.arms, printed._losses.tolist(), strict=True)}
    middle = [f"X2_{i}" for i in (1, 2, 3)]
    # By hand: 3.5 or 2 in the middle; the reward adds 0.5 to their sum, halved without an intervention on it.
    for arm, gap in gaps.items():
        weight, inner = (1.0 if "Y" in arm else 0.5), sum(2.0 if v in arm else 3.5 for v in middle)
        assert gap == pytest.approx(11.0 - (weight * inner + 0.5), abs=1e-12)
    assert 4 * gaps[frozenset()] + sum(gaps[frozenset([v])] for v in [*middle, "Y"]) == pytest.approx(39)


def test_a_belief_leaves_the_truth_alone():
    for draw in range(4):
        true = linear(2, 2, draw=draw)
        edges = set(true.sem.graph.directed)
        assert set(true.believed.directed) == edges
        assert len(true.arms) == 16
        for told, size in (("cautious", 10), ("edge_lost", 5), ("edge_added", 7)):
            bandit = linear(2, 2, told, draw=draw)
            np.testing.assert_array_equal(bandit.means, true.means)
            believed = set(bandit.believed.directed)
            assert len(believed) == size
            assert believed < edges if told == "edge_lost" else believed > edges
    assert set(TOLD_PARENTS) == {"graph", "cautious", "edge_lost", "edge_added"}
    assert (linear(2, 2, draw=0).means != linear(2, 2, draw=1).means).any()


def test_weights_have_the_size_that_is_said_and_interventions_turn_them():
    first, second = [], []
    for draw in range(40):
        sem = linear(2, 2, draw=draw).sem
        for v in sem.intervenable:
            first += [*sem.row(v, 0).values()]
            second += [*sem.row(v, 1).values()]
    both = np.array([first, second])
    assert 0.2 < np.quantile(np.abs(both), 0.05) < np.quantile(np.abs(both), 0.95) < 1.1
    assert np.std(both.sum(axis=0)) == pytest.approx(0.1 * 2**0.5, rel=0.2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: linear(2, 2, "nothing"), "told 'nothing': expected one of graph"),
        (lambda: linear(0, 2), "width=0, layers=2"),
        (lambda: unknown_linear(3, 2, "both"), "expected exact, printed or told"),
        (lambda: combinatorial("G6"), "expected one of G1, G2, G3, G4, G5"),
    ],
)
def test_wrong_options_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
