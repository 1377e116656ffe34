"""Expressions in terms of counts, with every sum pushed inward as far as possible by variable elimination."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeAlias

from causal_bandits.identification.expression import Expression, Probability, Product, Quotient, Sum, Value


@dataclass(frozen=True, eq=False)
class Count:
    """The number of samples under ``do`` that agree with ``values``."""

    do: frozenset[Value]
    values: frozenset[Value]

    @property
    def free(self) -> frozenset[Value]:
        """The values that are not summed over."""
        return self.do | self.values


@dataclass(frozen=True, eq=False)
class Reciprocal:
    """The reciprocal of a node."""

    of: Node

    @cached_property
    def free(self) -> frozenset[Value]:
        """The values that are not summed over."""
        return self.of.free


@dataclass(frozen=True, eq=False)
class Times:
    """The product of nodes; one if there are none."""

    factors: Sequence[Node]

    @cached_property
    def free(self) -> frozenset[Value]:
        """The values that are not summed over."""
        return frozenset().union(*(f.free for f in self.factors))


@dataclass(frozen=True, eq=False)
class Total:
    """The sum of a node over the states of a value."""

    over: Value
    of: Node

    @cached_property
    def free(self) -> frozenset[Value]:
        """The values that are not summed over."""
        return self.of.free - {self.over}


Node: TypeAlias = Count | Reciprocal | Times | Total


def nested(expression: Expression, cardinality: Mapping[str, int]) -> Node:
    """Push every sum of an expression inward as far as possible, the cheapest value first.

    Parameters
    ----------
    expression : Expression
        All its bound values have distinct names (see `simplify.renamed_apart`).
    cardinality : mapping from str to int
        States of each variable.

    Raises
    ------
    TypeError
        If the expression contains a part of an unknown type.
    """
    factors, over = _opened(expression, cardinality)
    left = set(over)

    def states_touched(value: Value) -> tuple[int, Value]:
        scope = frozenset().union(*(f.free for f in factors if value in f.free)) & left
        return prod(cardinality[v.variable] for v in scope), value

    while left:
        value = min(left, key=states_touched)
        left.remove(value)
        concerned = [f for f in factors if value in f.free]
        factors = [*(f for f in factors if value not in f.free), Total(value, Times(concerned))]
    return Times(factors)


def _opened(expression: Expression, cardinality: Mapping[str, int]) -> tuple[list[Node], list[Value]]:
    """Return the factors and the bound values of an expression."""
    if isinstance(expression, Probability):
        joint = Count(expression.do, expression.of | expression.given)
        return [joint, Reciprocal(Count(expression.do, expression.given))], []
    if isinstance(expression, Sum):
        factors, over = _opened(expression.summand, cardinality)
        return factors, [*expression.over, *over]
    if isinstance(expression, Quotient):
        factors, over = _opened(expression.numerator, cardinality)
        return [*factors, Reciprocal(nested(expression.denominator, cardinality))], over
    if isinstance(expression, Product):
        parts = [_opened(f, cardinality) for f in expression.factors]
        return [f for factors, _ in parts for f in factors], [v for _, over in parts for v in over]
    raise TypeError(f"{type(expression).__name__} cannot be compiled")
