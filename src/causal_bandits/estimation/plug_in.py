"""Identification formulas evaluated on counts: their values, and how they change with each count.

A formula is evaluated on relative frequencies, for many tables at once. A backward pass gives the derivatives with
respect to the counts, from which the delta method computes standard errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.count_tables import aligned, einsum, ratio
from causal_bandits.identification.expression import Expression, Probability, Product, Quotient, Sum, Value


class Evaluated(NamedTuple):
    """The values of a formula, evaluated on one or more tables of counts.

    Attributes
    ----------
    values : tuple of Value
        The axes of ``array`` after the first, sorted.
    array : float64 array, shape (tables, states of value 1, ...)
        NaN where the formula divides by zero and the quotient matters, that is, has a weight other than zero.
    pull : callable
        Adds the derivatives with respect to the counts to its second argument, shape (n, *table); its first, shape
        (n, states of value 1, ...), weights the entries of ``array``. For one table only.
    """

    values: tuple[Value, ...]
    array: FloatArray
    pull: Callable[[FloatArray, FloatArray], None]


def plug_in(expression: Expression, counts: FloatArray, variables: Sequence[str]) -> Evaluated:
    """Evaluate an expression on relative frequencies.

    Parameters
    ----------
    expression : Expression
        In observational terms. A value whose variable has no axis (a selection node) is left out.
    counts : float64 array, shape (tables, states of variable 1, ...)
    variables : sequence of str
        The axes of ``counts`` after the first.
    """
    if isinstance(expression, Probability):
        return _probability(expression, counts, list(variables))
    if isinstance(expression, Sum):
        return _sum(expression, counts, variables)
    if isinstance(expression, Quotient):
        return _quotient(expression, counts, variables)
    if isinstance(expression, Product):
        return _product(expression, counts, variables)
    raise TypeError(f"cannot evaluate an expression of type {type(expression).__name__}")


def _probability(expression: Probability, counts: FloatArray, variables: list[str]) -> Evaluated:
    values = tuple(sorted(v for v in expression.free if v.variable in variables))
    kept = [1 + variables.index(v.variable) for v in values]
    joint = einsum([(counts, list(range(counts.ndim)))], [0, *kept])
    of = tuple(1 + i for i, v in enumerate(values) if v in expression.of)
    condition = joint.sum(axis=of, keepdims=True)

    def pull(weight: FloatArray, into: FloatArray) -> None:
        per_unit = np.divide(weight, condition, out=np.zeros_like(weight), where=condition > 0)
        share = ratio(joint, condition)
        change = per_unit - _times(per_unit, share).sum(axis=of, keepdims=True)
        in_order = np.argsort(kept)
        shape = [1] * into.ndim
        shape[0] = len(change)
        for i in in_order:
            shape[kept[i]] = change.shape[1 + i]
        into += change.transpose([0, *(1 + in_order)]).reshape(shape)

    return Evaluated(values, ratio(joint, condition), pull)


def _sum(expression: Sum, counts: FloatArray, variables: Sequence[str]) -> Evaluated:
    values, array, pull_summand = plug_in(expression.summand, counts, variables)
    axes = tuple(1 + i for i, v in enumerate(values) if v in expression.over)
    states = dict(zip(variables, counts.shape[1:], strict=True))
    repeats = prod(states[v.variable] for v in expression.over.difference(values))

    def pull(weight: FloatArray, into: FloatArray) -> None:
        spread = repeats * np.expand_dims(weight, axes)
        pull_summand(np.broadcast_to(spread, (len(weight), *array.shape[1:])), into)

    return Evaluated(
        tuple(v for v in values if v not in expression.over), np.asarray(repeats * array.sum(axis=axes)), pull
    )


def _quotient(expression: Quotient, counts: FloatArray, variables: Sequence[str]) -> Evaluated:
    parts = [plug_in(part, counts, variables) for part in (expression.numerator, expression.denominator)]
    values, (above, below) = _side_by_side(parts)
    array = ratio(above, below)

    def pull(weight: FloatArray, into: FloatArray) -> None:
        per_unit = _times(weight, ratio(np.ones_like(below), below))
        for part, change in zip(parts, (per_unit, -_times(per_unit, array)), strict=True):
            part.pull(_gathered(change, part, values), into)

    return Evaluated(values, array, pull)


def _product(expression: Product, counts: FloatArray, variables: Sequence[str]) -> Evaluated:
    parts = [plug_in(part, counts, variables) for part in expression.factors]
    values, arrays = _side_by_side(parts)
    array = _times(np.ones((len(counts),) + (1,) * len(values)), *arrays)

    def pull(weight: FloatArray, into: FloatArray) -> None:
        for i, part in enumerate(parts):
            change = _times(weight, *arrays[:i], *arrays[i + 1 :])
            part.pull(_gathered(change, part, values), into)

    return Evaluated(values, array, pull)


def _times(*factors: FloatArray) -> FloatArray:
    """Multiply arrays; zero times NaN is zero, since an empty cell matters only if its weight is not zero."""
    result = factors[0]
    for factor in factors[1:]:
        result = np.where((result == 0) | (factor == 0), 0.0, result * factor)
    return result


def _side_by_side(parts: Sequence[Evaluated]) -> tuple[tuple[Value, ...], list[FloatArray]]:
    """Give the parts the same axes: one per value of any of them, after the axis of the tables."""
    values = tuple(sorted({v for part in parts for v in part.values}))
    number = {v: i for i, v in enumerate(values)}
    arrays = []
    for part in parts:
        shape = aligned(part.values, part.array[0], number).shape
        arrays.append(part.array.reshape(len(part.array), *shape))
    return values, arrays


def _gathered(weight: FloatArray, part: Evaluated, values: Sequence[Value]) -> FloatArray:
    """Sum the weights over the axes that a part lacks, and repeat them along those that the weights lack."""
    missing = tuple(1 + i for i, v in enumerate(values) if v not in part.values)
    summed = np.nan_to_num(weight).sum(axis=missing)
    return np.broadcast_to(summed, (len(weight), *part.array.shape[1:]))
