"""Binarisation against pandas, for every rule."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.datasets import DataError
from replication.datasets import RULES, binarise, indicator

VALUES = st.lists(
    st.one_of(st.integers(-5, 5).map(float), st.floats(-1e6, 1e6), st.just(float("nan"))), min_size=1, max_size=40
)


@given(VALUES, st.sampled_from(sorted(RULES)))
def test_rules_split_where_pandas_says(values, rule):
    series = pd.Series(values, dtype=float)
    if series.isna().all():
        with pytest.raises(DataError, match="x: expected finite numbers to split, got none"):
            binarise(series.to_numpy(), rule, "x")
        return
    feature = binarise(series.to_numpy(), rule, "x")
    if rule.startswith("median"):
        assert feature.threshold == series.median()
    else:
        assert feature.threshold == pytest.approx(series.mean(), rel=1e-9, abs=1e-9)
    compare = series.ge if rule.endswith("ge") else series.gt
    expected = compare(feature.threshold).astype(int).where(series.notna(), 2)
    np.testing.assert_array_equal(feature.states, expected)
    assert feature.states.dtype == np.int8
    assert len(feature.labels) == 2 + series.isna().any()


def test_labels_name_rule_and_threshold():
    values = np.array([1.0, 2, 2, 7])
    assert binarise(values, "median_ge", "age").labels == ("age < 2", "age >= 2")
    assert binarise(values, "median_gt", "age").labels == ("age <= 2", "age > 2")
    assert binarise(values, "mean_ge", "age").labels == ("age < 3", "age >= 3")
    np.testing.assert_array_equal(binarise(values, "median_ge").states, [0, 1, 1, 1])
    np.testing.assert_array_equal(binarise(values, "median_gt").states, [0, 0, 0, 1])
    assert binarise(np.array([1, np.nan, 3])).labels[2] == "missing"


def test_what_cannot_be_split_is_refused():
    with pytest.raises(ValueError, match="rule 'mode' is not one of median_ge"):
        binarise(np.array([1.0]), "mode")
    with pytest.raises(DataError, match="views: expected finite numbers to split, got infinite"):
        binarise(np.array([1.0, np.inf]), name="views")


def test_indicators():
    feature = indicator(["White", None, "Black"], "White", ("others", "White"))
    np.testing.assert_array_equal(feature.states, [1, 2, 0])
    assert feature.labels == ("others", "White", "missing")
    assert indicator(["White"], "White", ("others", "White")).labels == ("others", "White")
