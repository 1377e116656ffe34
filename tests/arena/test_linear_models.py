"""The arena's linear problems: beliefs that leave the truth alone, sizes, and what is refused."""

import numpy as np
import pytest

from causal_bandits.problems.construction.arena.linear_models import TOLD_PARENTS, linear


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
    ],
)
def test_wrong_options_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
