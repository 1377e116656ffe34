"""Natural bounds: the numbers of the bow graph, and intervals from samples."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom
from strategies import positive_scm

from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.natural import natural_bounds
from causal_bandits.graphs import ADMG

JOINT = [[0.41, 0.14], [0.15, 0.30]]


def test_on_the_bow_graph_they_say_what_bce_does_not():
    lower, upper = natural_bounds(JOINT, ["X", "Y"], treatment=["X"], context=[], outcome="Y")
    np.testing.assert_allclose(lower[:, 1], [0.14, 0.30])
    np.testing.assert_allclose(upper[:, 1], [0.59, 0.85])
    selected = ADMG([("X", "Y"), ("X", "S")], [("X", "Y")])
    assert [
        bound.tolist() for bound in BCE(selected, treatment=["X"], context=[], outcome="Y").bounds(JOINT, ["X", "Y"])
    ] == [[0, 0], [1, 1]]


def test_limits_from_samples_hold_as_often_as_they_say_and_close_in():
    graph, missed = ADMG([("C", "X"), ("C", "Y"), ("X", "Y")], [("X", "Y")]), 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scm = positive_scm(graph, rng)
        joint = scm.distribution(graph.nodes)
        exact = natural_bounds(joint, graph.nodes, treatment=["X"], context=["C"], outcome="Y")
        counts = rng.multinomial(300, joint.ravel()).reshape(joint.shape)
        lower, upper = natural_bounds(counts, graph.nodes, treatment=["X"], context=["C"], outcome="Y", confidence=0.9)
        missed += not ((lower <= exact[0]).all() and (exact[1] <= upper).all())
        wide = natural_bounds(
            np.rint(joint * 1e9), graph.nodes, treatment=["X"], context=["C"], outcome="Y", confidence=0.9
        )
        np.testing.assert_allclose(wide, exact, atol=1e-3)
    assert missed <= 32  # 20 of 200 may miss


@pytest.mark.parametrize(
    ("joint", "treatment", "context", "confidence", "message"),
    [
        (JOINT, [], [], None, "treatment: no variable given"),
        (JOINT, ["X"], ["X"], None, "two roles"),
        (JOINT, ["X"], ["C"], None, "the table has no C"),
        (JOINT, ["X"], [], 0.9, "not counts"),
        ([[1, 2], [3, 4]], ["X"], [], 1.0, "confidence=1.0"),
    ],
)
def test_wrong_input_is_named(joint, treatment, context, confidence, message):
    with pytest.raises(ValueError, match=message):
        natural_bounds(joint, ["X", "Y"], treatment=treatment, context=context, outcome="Y", confidence=confidence)


def exact_limit(ones, units, error):
    """The lower limit of Clopper and Pearson by its definition: the share at which ``ones`` or more has this chance."""
    return 0.0 if ones == 0 else brentq(lambda p: binom.sf(ones - 1, units, p) - error, 0, 1, xtol=1e-14)


def test_limits_are_those_of_the_definition_shared_among_all_cells_and_both_sides():
    counts = np.array([[[3, 7], [0, 10]], [[20, 5], [9, 1]]])  # C, X, Y
    lower, upper = natural_bounds(counts, "CXY", treatment=["X"], context=["C"], outcome="Y", confidence=0.9)
    for c, x, y in np.ndindex(2, 2, 2):
        units = int(counts[c].sum())
        expected = (exact_limit(int(n), units, 0.1 / 16) for n in (counts[c, x, y], counts[c, x, 1 - y]))
        assert (lower[c, x, y], 1 - upper[c, x, y]) == pytest.approx(tuple(expected), abs=1e-10)
