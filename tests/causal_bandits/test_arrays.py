"""Sums are the same in all versions of Python."""

from causal_bandits.arrays import plain_sum


def test_floats_are_added_one_by_one():
    assert plain_sum([0.1] * 10) == 0.9999999999999999  # from Python 3.12 on, sum gives 1
    assert plain_sum(x for x in ()) == 0.0
