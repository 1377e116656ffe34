"""Bounds that are made to hold for a finite sample: limits by another route, and coverage on samples (ledger L93)."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest
from strategies import positive_scm

from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.confident_bounds import confident_bounds
from causal_bandits.graphs import ADMG

#: Fig. 2 of huang2024 without its hidden node C1.
GRAPH = ADMG(
    [("U1", "X1"), ("U2", "X2"), ("X1", "I1"), ("I1", "Y"), ("U1", "Y"), ("X2", "Y"), ("I1", "S")], [("I1", "Y")]
)
OBSERVED = ("U1", "U2", "X1", "X2", "I1", "Y")
CONTEXT, TREATMENT = ("U1", "U2"), ("X1", "X2")
EXAMPLE = BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y")


def test_limits_are_those_of_clopper_and_pearson_shared_among_all_statements():
    """Two sides of 16 cells with one substitute of two states: 32 statements, not 64."""
    counts = np.random.default_rng(0).integers(1, 60, size=(2,) * 6)
    lower, upper = confident_bounds(EXAMPLE, counts, OBSERVED, confidence=0.9)
    by_name = dict(zip(OBSERVED, range(6), strict=True))
    table = counts.transpose([by_name[v] for v in (*CONTEXT, *TREATMENT, "I1", "Y")])
    for cell in np.ndindex(2, 2, 2, 2):
        intervals = [
            binomtest(int(table[(*cell, i, 1)]), int(table[(*cell, i)].sum())).proportion_ci(1 - 2 * 0.1 / 32, "exact")
            for i in (0, 1)
        ]
        assert lower[cell] == pytest.approx(min(interval.low for interval in intervals))
        assert upper[cell] == pytest.approx(max(interval.high for interval in intervals))


def test_they_enclose_the_estimated_bounds_and_approach_the_exact_ones():
    counts = np.random.default_rng(1).integers(1, 60, size=(2,) * 6)
    estimated, sure = EXAMPLE.bounds(counts, OBSERVED), confident_bounds(EXAMPLE, counts, OBSERVED)
    assert (sure[0] < estimated[0]).all()
    assert (sure[1] > estimated[1]).all()
    many = confident_bounds(EXAMPLE, counts * 10**7, OBSERVED)
    np.testing.assert_allclose(many, estimated, atol=1e-3)
    narrow = confident_bounds(EXAMPLE, counts, OBSERVED, confidence=0.5)
    assert (narrow[0] > sure[0]).all()


def test_all_hold_at_once_as_often_as_they_should():
    """Few units on random models: the share of samples in which any effect lies outside stays below the error."""
    graph = ADMG([("C", "X"), ("C", "Y"), ("X", "Y"), ("W", "Y"), ("W", "S"), ("V", "Y"), ("V", "S")])
    variables = ["C", "V", "W", "X", "Y"]
    bce = BCE(graph, treatment=["X"], context=["C"], outcome="Y")
    assert set(bce.substitutes) == {frozenset("VW")}
    missed, narrow = {False: 0, True: 0}, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scm = positive_scm(graph, rng, max_states=2)
        joint = scm.distribution(variables, given={"S": 1})
        effect = np.array([[scm.expectation("Y", do={"X": x}, given={"C": c}) for x in (0, 1)] for c in (0, 1)])
        for counts in rng.multinomial(400, joint.ravel(), size=15).reshape(15, *joint.shape):
            for sure in (False, True):
                bounds = confident_bounds(bce, counts, variables, 0.8) if sure else bce.bounds(counts, variables)
                missed[sure] += bool((bounds[0] > effect).any() or (effect > bounds[1]).any())
            narrow += (bounds[1] - bounds[0]).min() < 0.9
    assert narrow > 400
    assert missed[True] <= 0.2 * 600
    assert missed[True] < missed[False]


def test_cells_without_data_and_graphs_without_substitutes_are_vacuous():
    lower, upper = confident_bounds(EXAMPLE, np.zeros((2,) * 6), OBSERVED)
    assert (lower == 0).all()
    assert (upper == 1).all()
    ones = np.zeros((2,) * 6)
    ones[..., 1] = 5
    lower, upper = confident_bounds(EXAMPLE, ones, OBSERVED)
    assert (lower > 0).all()
    assert (upper == 1).all()
    confounded = BCE(ADMG([("X", "Y")], [("X", "Y")], nodes="S"), treatment=["X"], context=(), outcome="Y")
    assert [float(b.min()) for b in confident_bounds(confounded, np.full((2, 2), 9), "XY")] == [0, 1]


@pytest.mark.parametrize(
    ("bce", "counts", "confidence", "message"),
    [
        (
            BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y", method="strict"),
            np.ones((2,) * 6),
            0.9,
            "method: 'strict', expected",
        ),
        (EXAMPLE, np.full((2,) * 6, 0.5), 0.9, "numbers that are not counts"),
        (EXAMPLE, np.ones((2,) * 6), 1.0, "confidence=1.0: expected"),
        (EXAMPLE, np.ones((2,) * 6), 0.0, "confidence=0.0: expected"),
        (EXAMPLE, np.ones((2, 2, 2, 2, 2, 3)), 0.9, "outcome: Y has 3 states"),
    ],
)
def test_what_has_no_limits_is_refused(bce, counts, confidence, message):
    with pytest.raises(ValueError, match=message):
        confident_bounds(bce, counts, OBSERVED, confidence)


def test_two_substitutes_share_the_error():
    """Either Z or W closes the back door; each of 2 arms has a lower and an upper limit from each."""
    graph = ADMG([("Z", "X"), ("Z", "W"), ("W", "Y"), ("X", "Y")], nodes="S")
    bce = BCE(graph, treatment=["X"], context=(), outcome="Y")
    assert bce.substitutes == (frozenset("W"), frozenset("Z"))
    counts = np.random.default_rng(0).integers(5, 60, size=(2, 2, 2, 2))  # X, W, Y, Z
    lower, upper = confident_bounds(bce, counts, "XWYZ", 0.9)
    error = 0.1 / (2 * 2 * 2)
    for x in range(2):
        least, most = [], []
        for axis in (2, 0):  # over Z, then over W
            cells = counts[x].sum(axis=axis)
            cells = cells if axis == 2 else cells.T  # the substitute, then Y
            least.append(min(beta.ppf(error, ones, zeros + 1) for zeros, ones in cells))
            most.append(max(beta.ppf(1 - error, ones + 1, zeros) for zeros, ones in cells))
        assert (lower[x], upper[x]) == pytest.approx((max(least), min(most)))
