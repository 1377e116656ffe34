"""Sums over replicates are added up in one order, however many replicates there are."""

import numpy as np
import pytest

from causal_bandits.estimation.tape import LANES, sum_of_products


def plain(products):
    """Lane by lane, then the lanes as a balanced tree."""
    lanes = np.zeros(LANES)
    for block in products.reshape(-1, LANES):
        lanes += block
    for half in (64, 32, 16, 8):
        lanes = lanes[:half] + lanes[half:]
    pairs = lanes[::2] + lanes[1::2]
    return (pairs[0] + pairs[1]) + (pairs[2] + pairs[3])


@pytest.mark.parametrize("blocks", range(1, 14))
def test_products_are_summed_in_one_order(blocks):
    rng, memory = np.random.default_rng(blocks), np.empty(LANES)
    for _ in range(40):
        table = rng.random((3, blocks * LANES), dtype=np.float32)
        a, b = table[0].astype(float), table[2].astype(float)
        assert sum_of_products(table, 0, 2, memory) == plain(a * b)
        assert sum_of_products(table, 2, 0, memory) == plain(a * b)  # row 0 is a row too
        assert sum_of_products(table, 2, -1, memory) == plain(b)
