"""Features with two states: numbers split at a threshold, categories into one and the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_bandits.datasets import CountTable, DataError
from causal_bandits.datasets.tables import MISSING

#: State of a missing value.
MISSING_STATE = 2


@dataclass(frozen=True)
class Rule:
    """State 1 iff the value is at or above (or strictly above) a threshold of its column.

    Parameters
    ----------
    threshold : callable
        Array of a column's known values to the threshold.
    strict : bool
        Whether the threshold itself gets state 0.
    """

    threshold: Callable[[NDArray[np.float64]], np.floating]
    strict: bool


#: The rule of the study; the paper names none (ledger L30).
MEDIAN_GE = "median_ge"
RULES = {
    MEDIAN_GE: Rule(np.median, strict=False),
    "median_gt": Rule(np.median, strict=True),
    "mean_ge": Rule(np.mean, strict=False),
    "mean_gt": Rule(np.mean, strict=True),
}


@dataclass(frozen=True)
class Feature:
    """A column of states.

    Parameters
    ----------
    states : ndarray of int8, shape (rows,)
        0, 1, or 2 where the value is missing.
    labels : tuple of str
        What each state means; ``missing`` is among them only where a value is missing.
    threshold : float or None
        Where a number was split.
    """

    states: NDArray[np.int8]
    labels: tuple[str, ...]
    threshold: float | None = None


def binarise(values: NDArray[np.float64], rule: str = MEDIAN_GE, name: str = "value") -> Feature:
    """Split a column of numbers in two.

    Parameters
    ----------
    values : ndarray, shape (rows,)
        NaN where missing; the threshold is that of the others.
    rule : str
        A key of `RULES`.
    name : str
        The column's name, for the labels.

    Raises
    ------
    ValueError
        If the rule is unknown.
    DataError
        If no value is known or one is infinite.
    """
    if rule not in RULES:
        raise ValueError(f"rule {rule!r} is not one of {', '.join(RULES)}")
    known = ~np.isnan(values)
    if not known.any() or np.isinf(values).any():
        raise DataError(f"{name}: expected finite numbers to split, got {'infinite ones' if known.any() else 'none'}")
    threshold = float(RULES[rule].threshold(values[known]))
    above = values > threshold if RULES[rule].strict else values >= threshold
    below_sign, above_sign = ("<=", ">") if RULES[rule].strict else ("<", ">=")
    labels = (f"{name} {below_sign} {threshold:.15g}", f"{name} {above_sign} {threshold:.15g}")
    return _feature(above, known, labels, threshold)


def indicator(values: Sequence[str | None], one: str, labels: tuple[str, str]) -> Feature:
    """Give state 1 where a category is ``one``, 0 where it is any other.

    Parameters
    ----------
    values : sequence of str or None
        None where missing.
    one : str
    labels : tuple of str
        What the states 0 and 1 mean.
    """
    known = np.array([value is not None for value in values], dtype=bool)
    return _feature(np.array([value == one for value in values], dtype=bool), known, labels)


def _feature(
    ones: NDArray[np.bool_], known: NDArray[np.bool_], labels: tuple[str, str], threshold: float | None = None
) -> Feature:
    states = np.where(known, ones, MISSING_STATE).astype(np.int8)
    return Feature(states, labels if known.all() else (*labels, MISSING), threshold)


def count(columns: Mapping[str, Feature], provenance: Mapping[str, Any]) -> CountTable:
    """Count the joint states of columns of the same records; their thresholds join the provenance."""
    states = {name: column.labels for name, column in columns.items()}
    counts = np.zeros(tuple(map(len, states.values())), np.int64)
    np.add.at(counts, tuple(column.states for column in columns.values()), 1)
    thresholds = {name: column.threshold for name, column in columns.items() if column.threshold is not None}
    return CountTable(states, counts, {**provenance, "thresholds": thresholds})
