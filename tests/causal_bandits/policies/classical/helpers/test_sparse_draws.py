"""The search for arms that can still win: it finds the leaves that looking at all of them finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.compiled import jit
from causal_bandits.policies.classical.helpers.sparse_draws import contender, following, share_beyond, skipped
from causal_bandits.policies.classical.helpers.tournament import tournament

call_skipped = jit(skipped.py_func)


@jit
def contenders(quantiles, winners, largest):
    leaf = contender(quantiles, winners, largest, 1)
    found = [0]
    while leaf:
        found.append(leaf - len(winners) // 2)
        leaf = contender(quantiles, winners, largest, following(leaf))
    return found[1:]


@given(st.lists(st.integers(0, 9).map(float), min_size=1, max_size=40), st.integers(-1, 9))
def test_the_leaves_above_the_largest_draw_are_found_from_left_to_right(keys, largest):
    quantiles = np.array(keys)
    found = contenders(quantiles, tournament(quantiles), float(largest))
    assert list(found) == np.flatnonzero(quantiles > largest).tolist()


def test_arms_beyond_are_as_many_as_the_share_says():
    """Arms before the next one beyond: the mean of 50,000 gaps within five standard errors of (1 - p) / p."""
    share, rng = share_beyond(300), np.random.default_rng(1)
    gaps = [call_skipped(share, rng) for _ in range(50_000)]
    assert abs(np.mean(gaps) - (1 - share.p) / share.p) < 5 * np.std(gaps) / np.sqrt(50_000)


def test_few_arms_have_the_largest_share():
    assert share_beyond(2).p == 0.25
    assert np.isclose(share_beyond(10_000).p, 10_000**-0.6)
