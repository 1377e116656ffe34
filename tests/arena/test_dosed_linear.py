"""Linear models whose learners believe in wrong edges: which edges, what LinSEM-TS makes of them, what is refused."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.graphs.admg import ADMG
from causal_bandits.play.run import play
from causal_bandits.policies.linear_sem.helpers.rows import start_rows
from causal_bandits.policies.registry import load
from causal_bandits.problems.construction.arena.diagrams import REWARD
from causal_bandits.problems.construction.arena.dosed_linear import CAUTIOUS, DIRECTED, dosed_linear, linear_belief
from causal_bandits.problems.construction.arena.doses import KINDS, MIXED, distance
from causal_bandits.problems.construction.arena.linear_models import linear
from causal_bandits.seeding import generators


def errors(before, after):
    """The edges that are turned, missing and too many."""
    gone, new = set(before.directed - after.directed), set(after.directed - before.directed)
    turned = {(a, b) for a, b in gone if (b, a) in new}
    return turned, gone - turned, new - {(b, a) for a, b in turned}


@settings(max_examples=60)
@given(st.sampled_from([(2, 1), (4, 2), (6, 2), (6, 3)]), st.integers(0, 10**6))
def test_errors_are_nested_and_as_many_as_are_said(size, draw):
    nodes, width = size
    true = linear(width, nodes // width, draw=draw).sem.graph
    before, pairs = true, set()
    for wrong in range(1, 1 + min(nodes, 4)):
        belief, made = linear_belief(true, nodes, width, wrong, draw)
        if made < wrong:
            assert belief == before
            break
        turned, missing, extra = errors(before, belief)
        ((a, b),) = turned | missing | extra
        assert {a, b} not in map(set, pairs)
        pairs.add((a, b))
        assert distance(true, belief) == wrong
        assert not belief.children(REWARD)
        assert not belief.bidirected
        assert (REWARD in (a, b)) <= (not turned)
        before = belief


def test_four_errors_are_possible_and_all_kinds_occur():
    counts = Counter()
    for draw in range(1000):
        true = linear(2, 2, draw=draw).sem.graph
        belief, made = linear_belief(true, 4, 2, 4, draw)
        assert made == distance(true, belief) == 4
        turned, missing, extra = errors(true, belief)
        for kind, edges in (("turned", turned), ("missing", missing), ("extra", extra)):
            counts.update((kind, REWARD in edge) for edge in edges)
    assert set(counts) == {(kind, into) for kind in ("turned", "missing", "extra") for into in (False, True)} - {
        ("turned", True)
    }
    assert min(counts.values()) > 300
    assert set(DIRECTED) == set(KINDS) - {"overlooked", "invented"}


@pytest.mark.parametrize(("kind", "told"), [(MIXED, "graph"), (CAUTIOUS, "cautious")])
def test_without_errors_runs_are_those_of_the_plain_problem(kind, told):
    for draw in range(3):
        runs = [
            play(load("linsem_ts")(), bandit, 80, generators(1, "linear", draw))
            for bandit in (dosed_linear(4, 2, kind, 0, draw), linear(2, 2, told, draw=draw))
        ]
        for name in ("arms", "rewards", "regrets"):
            np.testing.assert_array_equal(getattr(runs[0], name), getattr(runs[1], name))


def test_what_is_learnt_are_the_rows_of_the_belief_in_the_true_world():
    for draw in range(20):
        bandit, true = dosed_linear(4, 2, MIXED, 4, draw), linear(2, 2, draw=draw)
        belief, _ = linear_belief(true.sem.graph, 4, 2, 4, draw)
        assert bandit.believed == belief != true.sem.graph
        np.testing.assert_array_equal(bandit.means, true.means)
        rows = start_rows(bandit, 1.0)
        names = [bandit.sem.variables[i] for i in rows.place]
        parents = np.split(rows.model.parent, rows.model.start[1:-1])
        read = ADMG([(names[p], v) for v, own in zip(names, parents, strict=True) for p in own], nodes=names)
        assert read.directed == belief.directed
        assert {v for v, learnt in zip(names, rows.learnt[:, 0], strict=True) if learnt} == belief.ancestors(REWARD)
        assert not rows.model.weight.any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((3, 2), "nodes=3, width=2: expected a positive multiple"),
        ((4, 0), "nodes=4, width=0"),
        ((4, 2, "turned", 1), "kind='turned', wrong=1: expected mixed, or cautious with 0"),
        ((4, 2, CAUTIOUS, 1), "kind='cautious', wrong=1"),
        ((4, 2, MIXED, -1), "wrong=-1"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        dosed_linear(*options)
