"""The estimates that ignore the biases, against sums written out."""

from itertools import product

import numpy as np
import pytest

from causal_bandits.estimation.biased import adjusted, conditional_probability


@pytest.mark.parametrize("seed", range(10))
def test_baselines_equal_sums_written_out(seed):
    table = np.random.default_rng(seed).integers(1, 30, size=(2, 2, 2, 2, 2))
    names = ["Z", "C", "Y", "X", "V"]

    def p(**at):
        return table[tuple(at.get(v, slice(None)) for v in names)].sum() / table.sum()

    probability = conditional_probability(table, names, treatment=["X"], context=["C"], outcome="Y")
    given_context = adjusted(table, names, treatment=["X"], context=["C"], outcome="Y", covariates=["Z", "C"])
    marginal = adjusted(table, names, treatment=["X"], context=["C"], outcome="Y", covariates=["Z"], conditional=False)
    for c, x in product((0, 1), repeat=2):
        assert probability[c, x] == pytest.approx(p(C=c, X=x, Y=1) / p(C=c, X=x))
        assert given_context[c, x] == pytest.approx(
            sum(p(C=c, X=x, Z=z, Y=1) / p(C=c, X=x, Z=z) * p(C=c, Z=z) / p(C=c) for z in (0, 1))
        )
        assert marginal[c, x] == pytest.approx(sum(p(X=x, Z=z, Y=1) / p(X=x, Z=z) * p(Z=z) for z in (0, 1)))


def test_baselines_without_data_are_not_a_number():
    table = np.ones((2, 2, 2))  # Z, X, Y
    table[1, 0] = 0
    assert np.isnan(adjusted(table, "ZXY", treatment=["X"], context=[], outcome="Y", covariates=["Z"])).tolist() == [
        True,
        False,
    ]
    assert np.isnan(conditional_probability(table, "ZXY", treatment=["X"], context=["Z"], outcome="Y")).tolist() == [
        [False, False],
        [True, False],
    ]
    table[1] = 0  # no weight on z=1
    np.testing.assert_allclose(adjusted(table, "ZXY", treatment=["X"], context=[], outcome="Y", covariates=["Z"]), 0.5)


def test_a_baseline_names_the_missing_column():
    with pytest.raises(ValueError, match="the table has no U2"):
        conditional_probability(np.ones((2, 2, 2)), ["U1", "X1", "Y"], treatment=["X1"], context=["U2"], outcome="Y")
