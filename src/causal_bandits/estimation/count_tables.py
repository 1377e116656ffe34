"""Tables of counts or probabilities with named axes, and expressions evaluated on them.

`limits` gives the range of the values that an expression may have where a table lacks units. `plug_in` evaluates one on
relative frequencies, for many tables at once; a backward pass gives the derivatives with respect to the counts, from
which the delta method computes standard errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.identification.expression import Expression, Probability, Product, Quotient, Sum, Value

_Name = TypeVar("_Name", str, Value)  # the name of an axis


class Table:
    """A table of non-negative numbers with named axes."""

    def __init__(self, array: FloatArray, variables: Sequence[str]) -> None:
        self.array, self.axis = array, {v: i for i, v in enumerate(variables)}

    @classmethod
    def checked(cls, joint: ArrayLike, variables: Sequence[str], needed: Iterable[str], exactly: bool = True) -> Table:
        """Create a table, or raise an error that states what is wrong.

        With ``exactly``, variables that are not ``needed`` are an error too.
        """
        array, needed = np.asarray(joint, dtype=np.float64), set(needed)
        missing, more = sorted(needed.difference(variables)), sorted(set(variables) - needed)
        if missing:
            raise ValueError(f"the table has no {', '.join(missing)} (it has {', '.join(variables)})")
        if more and exactly:
            raise ValueError(f"the table has {', '.join(more)}, which the graph does not have")
        if len(set(variables)) < len(variables) or array.ndim != len(variables):
            raise ValueError(f"the table has {array.ndim} axes for the variables {', '.join(variables)}")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise ValueError("the table holds negative numbers or numbers that are not finite")
        return cls(array, variables)

    def shape(self, variables: Iterable[str]) -> tuple[int, ...]:
        """Return the number of states of each variable."""
        return tuple(self.array.shape[self.axis[v]] for v in variables)

    def marginal(self, variables: Sequence[str]) -> FloatArray:
        """Sum over all variables except ``variables``, which become the axes in this order."""
        return einsum([(self.array, list(range(self.array.ndim)))], [self.axis[v] for v in variables])


def einsum(operands: Iterable[tuple[FloatArray, list[int]]], axes: list[int]) -> FloatArray:
    """Call `numpy.einsum` on arrays with the indices of their axes."""
    interleaved: list[Any] = [item for operand in operands for item in operand]
    return np.asarray(np.einsum(*interleaved, axes), dtype=np.float64)


def aligned(variables: Sequence[_Name], array: FloatArray, number: Mapping[_Name, int]) -> FloatArray:
    """Give ``array`` an axis of length one for each variable of ``number`` that it lacks.

    Its own axes, ``variables``, are in the order of ``number``.
    """
    size = dict(zip(variables, array.shape, strict=True))
    return array.reshape([size.get(v, 1) for v in number])


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return the quotient; NaN where the denominator is zero."""
    undefined = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator > 0))


def summed_product(
    table: Table, expressions: Iterable[Expression], over: frozenset[str], axes: Sequence[str]
) -> tuple[FloatArray, FloatArray]:
    """Multiply the expressions, and sum the product over ``over``; return lower and upper limits.

    The results have all ``axes``, of length one where they are constant. Free values other than ``over`` and
    ``axes`` do not matter; their first state is used.
    """
    operands: list[tuple[FloatArray, FloatArray, list[int]]] = []
    present: set[str] = set()
    for expression in expressions:
        values, low, high = limits(expression, table)
        kept = [v.primes == 0 and (v.variable in axes or v.variable in over) for v in values]
        names = [v.variable for v, keep in zip(values, kept, strict=True) if keep]
        index = tuple(slice(None) if keep else 0 for keep in kept)
        operands.append((low[index], high[index], [table.axis[v] for v in names]))
        present.update(names)
    left = [v for v in axes if v in present - over]
    numbers, repeats = [table.axis[v] for v in left], prod(table.shape(over - present))

    def summed(arrays: Iterable[tuple[FloatArray, list[int]]]) -> FloatArray:
        sums = einsum(arrays, numbers) if operands else np.ones(())
        return aligned(left, sums * repeats, {v: i for i, v in enumerate(axes)})

    lower = summed((low, at) for low, _, at in operands)
    if not any(np.isinf(high).any() for _, high, _ in operands):
        return lower, summed((high, at) for _, high, at in operands)
    with np.errstate(invalid="ignore"):  # 0 times infinity: treated as infinity
        upper = summed((high, at) for _, high, at in operands)
    return lower, np.where(np.isnan(upper), np.inf, upper)


def limits(expression: Expression, table: Table) -> tuple[tuple[Value, ...], FloatArray, FloatArray]:
    """Evaluate an expression in P(v | S=1): return its values, sorted, and two arrays with one axis per value.

    Where the table has no unit with a term's condition, the term may be any probability. So the arrays are the smallest
    and the largest value that the expression can have, which are equal where all terms are known; the largest is
    infinite where a denominator may be zero. `Expression.evaluate` refuses tables with such cells, which is right for
    exact distributions and too strict for samples.
    """
    if isinstance(expression, Probability):
        values = tuple(sorted(v for v in expression.free if v.variable in table.axis))  # all but S
        joint = table.marginal([v.variable for v in values])
        outcomes = tuple(i for i, v in enumerate(values) if v in expression.of)
        share = ratio(joint, joint.sum(axis=outcomes, keepdims=True))
        return values, np.nan_to_num(share, nan=0.0), np.nan_to_num(share, nan=1.0)
    if isinstance(expression, Sum):
        values, *ends = limits(expression.summand, table)
        repeats = prod(table.shape(v.variable for v in expression.over.difference(values)))
        over = tuple(i for i, v in enumerate(values) if v in expression.over)
        low, high = (repeats * end.sum(axis=over) for end in ends)
        return tuple(v for v in values if v not in expression.over), low, high
    if isinstance(expression, Quotient):
        values, (above, below) = _limits_together((expression.numerator, expression.denominator), table)
        high = np.nan_to_num(ratio(above[1], below[0]), nan=np.inf, posinf=np.inf)
        known = (above[0] == above[1]) & (below[0] == below[1])
        low = np.where(known, high, np.nan_to_num(ratio(above[0], below[1]), nan=0.0))
        return values, np.where(np.isinf(low), 0.0, low), high
    if isinstance(expression, Product):
        values, pairs = _limits_together(expression.factors, table)
        one = np.ones([1] * len(values))
        low, high = (reduce(multiplied, [pair[end] for pair in pairs], one) for end in (0, 1))
        return values, low, high
    raise TypeError(f"cannot evaluate an expression of type {type(expression).__name__}")


def multiplied(a: FloatArray, b: FloatArray) -> FloatArray:
    """Multiply non-negative numbers; 0 times infinity is 0."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(a * b, nan=0.0, posinf=np.inf)


def _limits_together(
    parts: Sequence[Expression], table: Table
) -> tuple[tuple[Value, ...], list[tuple[FloatArray, FloatArray]]]:
    """Evaluate the parts as arrays that broadcast: one axis per value of any of them."""
    found = [limits(part, table) for part in parts]
    number = {v: i for i, v in enumerate(sorted({v for values, _, _ in found for v in values}))}
    return tuple(number), [(aligned(values, low, number), aligned(values, high, number)) for values, low, high in found]


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
