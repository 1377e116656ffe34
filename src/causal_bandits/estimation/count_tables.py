"""Tables of counts or probabilities with named axes, and expressions evaluated on them; cells may be empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.identification.expression import Expression, Probability, Product, Quotient, Sum, Value

_Name = TypeVar("_Name", str, Value)  # what an axis is called


class Table:
    """A table of non-negative numbers with named axes."""

    def __init__(self, array: FloatArray, variables: Sequence[str]) -> None:
        self.array, self.axis = array, {v: i for i, v in enumerate(variables)}

    @classmethod
    def checked(cls, joint: ArrayLike, variables: Sequence[str], needed: Iterable[str], exactly: bool = True) -> Table:
        """The table, or an error that names what is wrong. ``exactly``: whether other variables are refused."""
        array, needed = np.asarray(joint, dtype=np.float64), set(needed)
        missing, more = sorted(needed.difference(variables)), sorted(set(variables) - needed)
        if missing:
            raise ValueError(f"the table has no {', '.join(missing)} (it has {', '.join(variables)})")
        if more and exactly:
            raise ValueError(f"the table has {', '.join(more)}, which the graph's selected data have not")
        if len(set(variables)) < len(variables) or array.ndim != len(variables):
            raise ValueError(f"the table has {array.ndim} axes for the variables {', '.join(variables)}")
        if not (np.isfinite(array).all() and (array >= 0).all()):
            raise ValueError("the table holds negative numbers or numbers that are not finite")
        return cls(array, variables)

    def shape(self, variables: Iterable[str]) -> tuple[int, ...]:
        """How many states each variable has."""
        return tuple(self.array.shape[self.axis[v]] for v in variables)

    def marginal(self, variables: Sequence[str]) -> FloatArray:
        """Summed over all others; axes in the order given."""
        return einsum([(self.array, list(range(self.array.ndim)))], [self.axis[v] for v in variables])


def einsum(operands: Iterable[tuple[FloatArray, list[int]]], axes: list[int]) -> FloatArray:
    """`numpy.einsum` of arrays with their axes' numbers."""
    interleaved: list[Any] = [item for operand in operands for item in operand]
    return np.asarray(np.einsum(*interleaved, axes), dtype=np.float64)


def aligned(variables: Sequence[_Name], array: FloatArray, number: Mapping[_Name, int]) -> FloatArray:
    """``array``, whose axes are some of ``number`` in its order, with an axis of length one for each of the others."""
    size = dict(zip(variables, array.shape, strict=True))
    return array.reshape([size.get(v, 1) for v in number])


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """The quotient; NaN where the denominator is zero."""
    undefined = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator > 0))


def summed_product(
    table: Table, expressions: Iterable[Expression], over: frozenset[str], axes: Sequence[str]
) -> FloatArray:
    """The product of the expressions, summed over ``over``, with all ``axes`` (of length one where it is constant).

    A value that is free beside these may be any: the first.
    """
    operands: list[tuple[FloatArray, list[int]]] = []
    present: set[str] = set()
    for expression in expressions:
        values, array = evaluated(expression, table)
        kept = [v.primes == 0 and (v.variable in axes or v.variable in over) for v in values]
        names = [v.variable for v, keep in zip(values, kept, strict=True) if keep]
        operands.append((array[tuple(slice(None) if keep else 0 for keep in kept)], [table.axis[v] for v in names]))
        present.update(names)
    left = [v for v in axes if v in present - over]
    summed = einsum(operands, [table.axis[v] for v in left]) if operands else np.ones(())
    return aligned(left, summed * prod(table.shape(over - present)), {v: i for i, v in enumerate(axes)})


def evaluated(expression: Expression, table: Table) -> tuple[tuple[Value, ...], FloatArray]:
    """An expression in P(v | S=1) as an array with one axis per value, sorted; NaN where it divides by zero.

    `Expression.evaluate` refuses tables with such cells: right for exact distributions, too strict for samples.
    """
    if isinstance(expression, Probability):
        values = tuple(sorted(v for v in expression.free if v.variable in table.axis))  # all but S
        joint = table.marginal([v.variable for v in values])
        outcomes = tuple(i for i, v in enumerate(values) if v in expression.of)
        return values, ratio(joint, joint.sum(axis=outcomes, keepdims=True))
    if isinstance(expression, Sum):
        values, array = evaluated(expression.summand, table)
        repeats = prod(table.shape(v.variable for v in expression.over.difference(values)))
        summed = array.sum(axis=tuple(i for i, v in enumerate(values) if v in expression.over))
        return tuple(v for v in values if v not in expression.over), repeats * summed
    if isinstance(expression, Quotient):
        values, (above, below) = _evaluated_together((expression.numerator, expression.denominator), table)
        return values, ratio(above, below)
    if isinstance(expression, Product):
        values, arrays = _evaluated_together(expression.factors, table)
        return values, reduce(np.multiply, arrays, np.ones([1] * len(values)))
    raise TypeError(f"an expression of type {type(expression).__name__}")


def _evaluated_together(parts: Sequence[Expression], table: Table) -> tuple[tuple[Value, ...], list[FloatArray]]:
    """The parts as arrays that broadcast against each other, one axis per value of any of them."""
    found = [evaluated(part, table) for part in parts]
    number = {v: i for i, v in enumerate(sorted({v for values, _ in found for v in values}))}
    return tuple(number), [aligned(values, array, number) for values, array in found]
