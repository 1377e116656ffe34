"""Tables of counts or probabilities with named axes, and expressions evaluated on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any, TypeVar

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
