"""Sums of products of tables, against NumPy's own."""

import numpy as np

from causal_bandits.models.contraction import contract


def test_sums_of_products_equal_numpys():
    """Tables of one pattern twice, with other values: what is kept is the order of summation alone."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        lengths = rng.integers(1, 4, size=6)
        axes = [list(rng.permutation(6)[: rng.integers(0, 4)]) for _ in range(rng.integers(1, 6))]
        standing = sorted({axis for own in axes for axis in own})
        output = list(rng.permutation(standing)[: rng.integers(0, 4)])
        for _ in range(2):
            factors = [(rng.random(lengths[own] if own else ()), own) for own in axes]
            plain = np.einsum(*(part for factor in factors for part in factor), output)
            np.testing.assert_allclose(contract(factors, output), plain, rtol=1e-12)
