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

_Name = TypeVar("_Name", str, Value)  # what an axis is called


class Table:
    """A table of non-negative numbers with named axes."""

    def __init__(self, array: FloatArray, variables: Sequence[str]) -> None:
        self.array, self.axis = array, {v: i for i, v in enumerate(variables)}

    @classmethod
    def checked(cls, joint: ArrayLike, variables: Sequence[str], needed: Iterable[str], exactly: bool = True) -> Table:
        """Create a table, or raise an error that names what is wrong.

        ``exactly``: whether further variables are an error.
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
        """Sum over all other variables; axes in the order of ``variables``."""
        return einsum([(self.array, list(range(self.array.ndim)))], [self.axis[v] for v in variables])


def einsum(operands: Iterable[tuple[FloatArray, list[int]]], axes: list[int]) -> FloatArray:
    """Call `numpy.einsum` on arrays with their axes' numbers."""
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
) -> FloatArray:
    """Multiply the expressions, and sum the product over ``over``.

    The result has all ``axes``, of length one where it is constant. Values that are free beside ``over`` and ``axes``
    do not matter; the first is taken.
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
    """Evaluate an expression in P(v | S=1): an array with one axis per value, sorted.

    It is NaN where the expression divides by zero. `Expression.evaluate` refuses tables with such cells, which is right
    for exact distributions and too strict for samples.
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
    """Evaluate the parts as arrays that broadcast: one axis per value of any of them."""
    found = [evaluated(part, table) for part in parts]
    number = {v: i for i, v in enumerate(sorted({v for values, _ in found for v in values}))}
    return tuple(number), [aligned(values, array, number) for values, array in found]
