"""The draw of offline records and online users."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from causal_bandits.datasets import CountTable, load_counts
from replication.papers.huang2022.data import split


def small(counts):
    return CountTable(
        {"a": ("no", "yes"), "b": ("no", "yes", "missing")}, np.array(counts).reshape(2, 3), {"rule": "r"}
    )


@given(st.lists(st.integers(0, 30), min_size=6, max_size=6), st.data())
def test_halves_are_equal_and_never_more_than_there_is(counts, data):
    table = small(counts)
    if table.total < 2:
        return
    n = 2 * data.draw(st.integers(1, table.total // 2))
    seed = data.draw(st.integers(0, 2**32 - 1))
    offline, online = split(table, np.random.default_rng(seed), n)
    assert offline.total == len(online) == n // 2
    assert online.dtype == np.int8
    assert online.shape == (n // 2, 2)
    drawn = offline.counts.copy()
    np.add.at(drawn, tuple(online.T), 1)
    assert (drawn <= table.counts).all()
    if n == table.total:
        np.testing.assert_array_equal(drawn, table.counts)
    again, rows = split(table, np.random.default_rng(seed), n)
    assert again.text() == offline.text()
    np.testing.assert_array_equal(rows, online)
    assert offline.provenance["rule"] == "r"


@pytest.mark.parametrize("n", [0, -2, 3, 22])
def test_impossible_sizes_are_refused(n):
    with pytest.raises(ValueError, match=f"n is {n}, expected an even number from 2 to the 21 records"):
        split(small([1, 2, 3, 4, 5, 6]), np.random.default_rng(0), n)


def test_draws_have_the_distribution_of_drawing_records():
    """Twin: permute the records themselves. Compared are the offline counts of a cell and the first user's state."""
    table = small([3, 1, 4, 1, 5, 2])
    records = np.repeat(np.arange(6), table.counts.ravel())
    rng, trials = np.random.default_rng(1), 4000
    fast, plain = np.zeros((2, 6), np.int64), np.zeros((2, 6), np.int64)  # rows: offline count of cell 4; first user
    for _ in range(trials):
        offline, online = split(table, rng, 8)
        fast[0, offline.counts.ravel()[4]] += 1
        fast[1, 3 * online[0, 0] + online[0, 1]] += 1
        drawn = rng.permutation(records)[:8]
        plain[0, (drawn[:4] == 4).sum()] += 1
        plain[1, drawn[4]] += 1
    for row in range(2):
        both = np.stack([fast[row], plain[row]])
        assert stats.chi2_contingency(both[:, both.sum(axis=0) > 0]).pvalue > 1e-4
    np.testing.assert_allclose(fast[1] / trials, table.counts.ravel() / table.total, atol=0.03)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_the_papers_split_of_the_shipped_table(seed):
    table = load_counts("adult")
    offline, online = split(table, np.random.default_rng(seed))
    assert offline.total == len(online) == 5000
    share = table.marginal(["sex"]).counts[1] / table.total
    assert offline.marginal(["sex"]).counts[1] / 5000 == pytest.approx(share, abs=0.04)
    assert online[:, 1].mean() == pytest.approx(share, abs=0.04)
    # The order of users is random: no run of equal rows as in the sorted cells.
    assert (np.diff(online[:, 0]) != 0).mean() > 0.4
