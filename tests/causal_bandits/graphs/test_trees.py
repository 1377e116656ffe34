import time

import numpy as np
import pytest

from causal_bandits.graphs.trees import branch, central_node, walk, walked


def random_tree(rng, n):
    neighbours = [[] for _ in range(n)]
    labels = rng.permutation(n).tolist()
    for i in range(1, n):
        a, b = labels[i], labels[int(rng.integers(i))]
        neighbours[a].append(b)
        neighbours[b].append(a)
    return neighbours


def test_no_branch_of_a_central_node_weighs_more_than_half_on_ten_thousand_trees():
    """Definition 2, with weights some of which are zero and some of which tie."""
    rng = np.random.default_rng(0)
    for _ in range(10_000):
        n = int(rng.integers(1, 13))
        neighbours = random_tree(rng, n)
        weights = rng.integers(0, 4, n).tolist()
        start = int(rng.integers(n))
        centre = central_node(neighbours, weights, start=start)
        assert central_node(neighbours, weights, start=start, order=walked(neighbours, start)) == centre
        for y in neighbours[centre]:
            assert 2 * sum(weights[x] for x in branch(neighbours, centre, y)) <= sum(weights)


def test_a_branch_is_what_is_connected_once_the_edge_is_cut():
    path = [[1], [0, 2, 4], [1, 3], [2], [1]]
    assert sorted(branch(path, 1, 2)) == [2, 3]
    assert sorted(branch(path, 2, 1)) == [0, 1, 4]
    assert list(walk(path, 3)) == [(3, -1), (2, 3), (1, 2), (4, 1), (0, 1)]


@pytest.mark.parametrize("shape", ["path", "star"])
def test_time_grows_with_the_nodes(shape):
    def seconds(n):
        before = range(-1, n - 1) if shape == "path" else [-1] + [0] * (n - 1)
        neighbours = [[] for _ in range(n)]
        for node, other in enumerate(before):
            if other >= 0:
                neighbours[node].append(other)
                neighbours[other].append(node)
        start = time.process_time()
        central_node(neighbours, [1] * n)
        return time.process_time() - start

    seconds(100)
    assert seconds(100_000) < 2  # quadratic time would take minutes


@pytest.mark.parametrize(
    ("neighbours", "weights", "message"),
    [
        ([[1], [0]], [1], "weight.* 2 nodes"),
        ([[1], [0]], [1, -1], "weight.* 2 nodes"),
        ([[1, 2], [0, 2], [0, 1]], [1, 1, 1], "3 nodes, 3 edges"),
        ([[1, 2], [0, 2], [0, 1], []], [1, 1, 1, 1], "3 of 4 nodes"),
    ],
)
def test_refuses(neighbours, weights, message):
    with pytest.raises(ValueError, match=message):
        central_node(neighbours, weights)


def test_a_branch_of_exactly_half_is_not_entered():
    """Of two central nodes the one nearer to the start is found (lu2021, Definition 2 with a tie; L100)."""
    path = [[1], [0, 2], [1, 3], [2]]
    assert central_node(path, [1, 1, 1, 1]) == 1
    assert central_node(path, [1, 1, 1, 1], start=3) == 2
    assert central_node([[1], [0]], [1, 1]) == 0
    assert central_node([[1], [0]], [1, 1], start=1) == 1
    assert central_node([[1], [0]], [1, 2]) == 1
