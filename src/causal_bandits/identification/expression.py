"""Probability expressions: the formulas that identification returns.

A term ``P_z(a | b)`` belongs to the distribution ``P_z`` of one intervention set Z. Expressions combine terms by
products, quotients and sums over bound values. They are immutable and compare by content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from operator import attrgetter
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: The cells of data that must not be empty before an expression is used; see `Expression.cells`.
SUPPORTS = ("values", "conditions")


class Value(NamedTuple):
    """A value of a variable: ``x`` has no prime; ``x'`` is another value of the same variable."""

    variable: str
    primes: int = 0

    @property
    def label(self) -> str:
        """The variable's name with its primes; `Expression.evaluate` takes its arguments by this name."""
        return self.variable + "'" * self.primes

    def text(self, case: Callable[[str], str] = str.lower) -> str:
        """Write the value as papers do, in lower case."""
        return case(self.variable) + "'" * self.primes

    def latex(self, case: Callable[[str], str] = str.lower) -> str:
        """Write the value as LaTeX: lower case, a trailing number as subscript, longer names upright."""
        name, number = re.fullmatch(r"(.*?)_?(\d*)", case(self.variable)).groups()  # type: ignore[union-attr]
        name = name if len(name) <= 1 else rf"\mathrm{{{name}}}"
        return name + (f"_{{{number}}}" if number else "") + "'" * self.primes


class JointTable(NamedTuple):
    """The distributions of one intervention set.

    Attributes
    ----------
    variables : sequence of str
        The variable of each axis, including the intervened variables.
    probabilities : array
        ``P_z(rest)`` for every z. For each index along the intervened axes, the entries sum to one.
    """

    variables: Sequence[str]
    probabilities: ArrayLike


Distributions = Mapping[frozenset[str], JointTable]


class _Factor(NamedTuple):
    """An array with one axis per value; the axes are sorted by value."""

    values: tuple[Value, ...]
    array: NDArray[np.float64]


def case_of(names: Iterable[str]) -> Callable[[str], str]:
    """Return how to write names as values: in lower case, or as they are if two of them differ only in case."""
    distinct = set(names)
    return str.lower if len({name.lower() for name in distinct}) == len(distinct) else str


class Expression:
    """An algebraic expression built from terms of named distributions.

    Its subclasses are `Probability`, `Product`, `Quotient` and `Sum`. (An abstract base class would make every
    ``isinstance`` slow, and simplification calls it often.)
    """

    #: The rank of this kind of expression in the order of a product's factors.
    _rank: ClassVar[int]

    @property
    def free(self) -> frozenset[Value]:
        """The free values: those that no sum binds. They are the arguments of the expression."""
        raise NotImplementedError

    @property
    def terms(self) -> frozenset[Probability]:
        """All probability terms in the expression."""
        raise NotImplementedError

    def substitute(self, renaming: Mapping[Value, Value]) -> Expression:
        """Rename free values. The caller must choose new names that no sum binds."""
        raise NotImplementedError

    def _compute(self, distributions: Distributions) -> _Factor:
        raise NotImplementedError

    def _render(self, latex: bool, case: Callable[[str], str] = str.lower) -> str:
        raise NotImplementedError

    @property
    def arguments(self) -> tuple[str, ...]:
        """The labels of the free values, sorted; these are the axes of the array that `evaluate` returns."""
        return tuple(value.label for value in sorted(self.free))

    @property
    def experiments(self) -> frozenset[frozenset[str]]:
        """The intervention sets whose distributions the expression needs."""
        return frozenset(term.experiment for term in self.terms)

    def cells(
        self, cardinality: Mapping[str, int], values: Mapping[str, int], support: str = "values"
    ) -> dict[Probability, list[tuple[dict[str, int], dict[str, int]]]]:
        """List the cells of data that each term needs (ledger L10).

        Parameters
        ----------
        cardinality : mapping from variable to its number of states
        values : mapping from label to state
            The states of the expression's free values, by `Value.label`. They are held fixed, except in a term that
            gives the probability of such a value: there the value runs over all its states.
        support : str
            ``values``: the cells of all values of a term. ``conditions``: only those of its conditions.

        Returns
        -------
        dict from term to list of (do, values)
            ``do`` (variable to the state it is set to) identifies the data set, ``values`` one of its marginal cells.
        """
        fixed = {v: values[v.label] for v in self.free}
        needed: dict[Probability, list[tuple[dict[str, int], dict[str, int]]]] = {}
        for term in sorted(self.terms, key=str):
            shown = term.of | term.given if support == "values" else term.given
            running = sorted((term.do | shown) - (fixed.keys() - term.of))
            needed[term] = []
            for states in product(*(range(cardinality[v.variable]) for v in running)):
                at = fixed | dict(zip(running, states, strict=True))
                do, cell = ({v.variable: at[v] for v in side} for side in (term.do, shown))
                needed[term].append((do, cell))
        return needed

    def evaluate(self, distributions: Distributions, values: Mapping[str, int] | None = None) -> NDArray[np.float64]:
        """Compute the expression from exact distributions.

        Parameters
        ----------
        distributions : mapping from frozenset of str to JointTable
            The joint table of every intervention set in `experiments`; the observational one has the key
            ``frozenset()``.
        values : mapping from str to int, optional
            Arguments to fix, by label (``"X"``, or ``"X'"`` for a free value in addition to x).

        Returns
        -------
        array, one axis per label in `arguments` that ``values`` does not fix, in that order

        Raises
        ------
        KeyError
            If a needed intervention set is missing.
        ValueError
            If a table lacks a variable, ``values`` names something that is not an argument, or a condition has
            probability zero.

        Examples
        --------
        >>> p = Probability(of=(Value("Y"),), given=(Value("X"),))
        >>> p.evaluate({frozenset(): JointTable("XY", [[0.1, 0.3], [0.3, 0.3]])}, {"X": 0, "Y": 1}).round(12).item()
        0.75
        """
        fixed = dict(values or {})
        unknown = sorted(fixed.keys() - set(self.arguments))
        if unknown:
            raise ValueError(f"no argument {', '.join(unknown)}: {self} has {', '.join(self.arguments) or 'none'}")
        factor = self._compute(distributions)
        index = tuple(fixed.get(value.label, slice(None)) for value in factor.values)
        return np.asarray(factor.array[index])

    def to_latex(self) -> str:
        """Write the expression as LaTeX, without dollar signs."""
        return self._render(True, self._case())

    def to_text(self, variables: Iterable[str] = ()) -> str:
        """Write the expression; names keep their case if two of its own or of ``variables`` differ only in case."""
        return self._render(False, self._case(variables))

    def _repr_latex_(self) -> str:
        return f"${self.to_latex()}$"

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return str(self)

    def _case(self, variables: Iterable[str] = ()) -> Callable[[str], str]:
        return case_of({value.variable for term in self.terms for value in term.free}.union(variables))

    def _written(self, latex: bool, case: Callable[[str], str]) -> str:
        return self._place[-1] if not latex and case is str.lower else self._render(latex, case)

    @cached_property
    def _place(self) -> tuple[int, bool, str]:
        """The sort key among the factors of a product (see `product_of`); its last item is the text."""
        return self._rank, False, self._render(latex=False)


@dataclass(frozen=True, repr=False)
class Probability(Expression):
    """One term ``P_do(of | given)``.

    Parameters
    ----------
    of, given, do : iterable of Value
        Values of distinct variables. ``do`` has the values of the whole intervention set and so identifies the
        distribution.
    """

    _rank = 0

    of: frozenset[Value]
    given: frozenset[Value]
    do: frozenset[Value]

    def __init__(self, of: Iterable[Value], given: Iterable[Value] = (), do: Iterable[Value] = ()) -> None:
        of, given, do = frozenset(of), frozenset(given), frozenset(do)
        free = of | given | do
        if not of or len({variable for variable, _ in free}) < len(of) + len(given) + len(do):
            names = [variable for variable, _ in (*of, *given, *do)]
            repeated = sorted({name for name in names if names.count(name) > 1})
            raise ValueError(
                f"a term needs an outcome and distinct variables; repeated: {repeated}, outcome: {sorted(of)}"
            )
        self.__dict__.update(of=of, given=given, do=do, free=free)  # bypasses a frozen class's attribute checks

    @cached_property
    def free(self) -> frozenset[Value]:  # noqa: D102
        return self.of | self.given | self.do

    @property
    def terms(self) -> frozenset[Probability]:  # noqa: D102
        return frozenset([self])

    @property
    def experiment(self) -> frozenset[str]:
        """The intervention set of the term's distribution."""
        return frozenset(value.variable for value in self.do)

    def substitute(self, renaming: Mapping[Value, Value]) -> Probability:  # noqa: D102
        if renaming.keys().isdisjoint(self.free):
            return self
        of, given, do = (frozenset([renaming.get(v, v) for v in side]) for side in (self.of, self.given, self.do))
        return term(of, given, do)

    @cached_property
    def _place(self) -> tuple[int, bool, str]:
        return self._rank, not self.given, self._render(latex=False)

    def _compute(self, distributions: Distributions) -> _Factor:
        if self.experiment not in distributions:
            raise KeyError(f"{self} needs the distribution under do({', '.join(sorted(self.experiment))})")
        variables, probabilities = distributions[self.experiment]
        values = tuple(sorted(self.free))
        missing = sorted({v.variable for v in values}.difference(variables))
        if missing:
            raise ValueError(f"{self}: the table of its distribution has no {', '.join(missing)}")
        axis = {name: i for i, name in enumerate(variables)}
        kept = [axis[v.variable] for v in values]
        joint = np.einsum(np.asarray(probabilities, dtype=np.float64), range(len(axis)), kept)
        condition = joint.sum(axis=tuple(i for i, v in enumerate(values) if v in self.of), keepdims=True)
        if self.given and (condition <= 0).any():
            raise ValueError(f"{self}: its condition has probability zero for some values")
        return _Factor(values, joint / condition if self.given else joint)

    def _render(self, latex: bool, case: Callable[[str], str] = str.lower) -> str:
        do = _listing(self.do, latex, case, ",") if self.do else ""
        subscript = f"_{{{do}}}" if len(do) > 1 else f"_{do}" if do else ""
        given = (r" \mid " if latex else " | ") + _listing(self.given, latex, case, ", ") if self.given else ""
        return f"P{subscript}({_listing(self.of, latex, case, ', ')}{given})"


@lru_cache(maxsize=1 << 14)  # the steps of simplification create the same terms many times
def term(of: frozenset[Value], given: frozenset[Value], do: frozenset[Value]) -> Probability:
    """Return the term ``P_do(of | given)``, the same object for the same values."""
    return Probability(of, given, do)


@dataclass(frozen=True, repr=False)
class Product(Expression):
    """A product; the empty product is 1. Build it with `product_of`, which orders the factors."""

    _rank = 2

    factors: tuple[Expression, ...] = ()

    @cached_property
    def free(self) -> frozenset[Value]:  # noqa: D102
        return frozenset().union(*(f.free for f in self.factors))

    @property
    def terms(self) -> frozenset[Probability]:  # noqa: D102
        return frozenset().union(*(f.terms for f in self.factors))

    def substitute(self, renaming: Mapping[Value, Value]) -> Expression:  # noqa: D102
        return product_of(f.substitute(renaming) for f in self.factors)

    def _compute(self, distributions: Distributions) -> _Factor:
        return _combine(np.multiply, *(f._compute(distributions) for f in self.factors))

    def _render(self, latex: bool, case: Callable[[str], str] = str.lower) -> str:
        if not self.factors:
            return "1"
        # Sums come last. Brackets are needed only if there are several of them.
        several = sum(isinstance(f, Sum) for f in self.factors) > 1
        left, right = (r"\left[", r"\right]") if latex else ("[", "]")
        return " ".join(
            f"{left}{f._written(latex, case)}{right}" if several and isinstance(f, Sum) else f._written(latex, case)
            for f in self.factors
        )


@dataclass(frozen=True, repr=False)
class Quotient(Expression):
    """A quotient of two expressions."""

    _rank = 1

    numerator: Expression
    denominator: Expression

    @cached_property
    def free(self) -> frozenset[Value]:  # noqa: D102
        return self.numerator.free | self.denominator.free

    @property
    def terms(self) -> frozenset[Probability]:  # noqa: D102
        return self.numerator.terms | self.denominator.terms

    def substitute(self, renaming: Mapping[Value, Value]) -> Expression:  # noqa: D102
        return Quotient(self.numerator.substitute(renaming), self.denominator.substitute(renaming))

    def _compute(self, distributions: Distributions) -> _Factor:
        denominator = self.denominator._compute(distributions)
        if (denominator.array <= 0).any():
            raise ValueError(f"the denominator {self.denominator} is zero for some values")
        return _combine(np.divide, self.numerator._compute(distributions), denominator)

    def _render(self, latex: bool, case: Callable[[str], str] = str.lower) -> str:
        numerator, denominator = self.numerator._written(latex, case), self.denominator._written(latex, case)
        return rf"\frac{{{numerator}}}{{{denominator}}}" if latex else f"({numerator}) / ({denominator})"


@dataclass(frozen=True, repr=False)
class Sum(Expression):
    """The sum of ``summand`` over all states of the values ``over``, which it binds."""

    _rank = 3

    over: frozenset[Value]
    summand: Expression

    @cached_property
    def free(self) -> frozenset[Value]:  # noqa: D102
        return self.summand.free - self.over

    @property
    def terms(self) -> frozenset[Probability]:  # noqa: D102
        return self.summand.terms

    def substitute(self, renaming: Mapping[Value, Value]) -> Expression:  # noqa: D102
        unbound = {old: new for old, new in renaming.items() if old not in self.over}
        return Sum(self.over, self.summand.substitute(unbound))

    def _compute(self, distributions: Distributions) -> _Factor:
        summand = self.summand._compute(distributions)
        axes = tuple(i for i, value in enumerate(summand.values) if value in self.over)
        repeats = prod(_states(value, distributions) for value in self.over.difference(summand.values))
        return _Factor(tuple(v for v in summand.values if v not in self.over), repeats * summand.array.sum(axis=axes))

    def _render(self, latex: bool, case: Callable[[str], str] = str.lower) -> str:
        over = _listing(self.over, latex, case, ",")
        return (rf"\sum_{{{over}}} " if latex else f"sum_{{{over}}} ") + self.summand._written(latex, case)


ONE = Product()


_place = attrgetter("_place")


def product_of(factors: Iterable[Expression]) -> Expression:
    """Build a product in the usual order: conditional terms, joint terms, quotients, sums."""
    listed = list(factors)
    return listed[0] if len(listed) == 1 else Product(tuple(sorted(listed, key=_place)))


def sum_over(over: Iterable[Value], summand: Expression) -> Expression:
    """Build a sum; return the summand itself if there is nothing to sum over."""
    bound = frozenset(over)
    return Sum(bound, summand) if bound else summand


@lru_cache(maxsize=1 << 14)  # sets of values compare faster if equal values are the same object
def _unprimed(variable: str) -> Value:
    return Value(variable)


def values_of(variables: Iterable[str]) -> frozenset[Value]:
    """Return the unprimed value of each variable."""
    return frozenset(map(_unprimed, variables))


@lru_cache(maxsize=4096)  # simplification writes the same terms again and again
def _listing(values: frozenset[Value], latex: bool, case: Callable[[str], str], separator: str) -> str:
    return separator.join([v.latex(case) if latex else v.text(case) for v in sorted(values)])


def _states(value: Value, distributions: Distributions) -> int:
    """Look up the number of states of a variable in any table that has it."""
    for variables, probabilities in distributions.values():
        if value.variable in variables:
            return int(np.shape(probabilities)[list(variables).index(value.variable)])
    raise ValueError(f"the number of states of {value.variable} is unknown: no table has this variable")


def _combine(operation: np.ufunc, *factors: _Factor) -> _Factor:
    """Apply a binary operation from left to right, with the axes matched by value."""
    values = tuple(sorted(set().union(*(f.values for f in factors))))

    def aligned(factor: _Factor) -> NDArray[np.float64]:
        size = dict(zip(factor.values, factor.array.shape, strict=True))
        return factor.array.reshape([size.get(v, 1) for v in values])

    result = np.ones((1,) * len(values)) if not factors else aligned(factors[0])
    for factor in factors[1:]:
        result = operation(result, aligned(factor))
    return _Factor(values, result)


__all__ = [
    "ONE",
    "Distributions",
    "Expression",
    "JointTable",
    "Probability",
    "Product",
    "Quotient",
    "Sum",
    "Value",
    "product_of",
    "sum_over",
    "values_of",
]
