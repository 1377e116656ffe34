"""Simplify probability expressions by algebra.

Every rule is an identity of probabilities that holds for every graph:

======  =========================================================  ================================
rule    from                                                       to
======  =========================================================  ================================
cancel  f g / f                                                    g
chain   P(a | b, c) P(b | c)                                       P(a, b | c)
divide  P(a, b | c) / P(b | c)                                     P(a | b, c)
total   sum over a of P(a, b | c), a nowhere else                  P(b | c), or 1 if there is no b
pull    sum over a of f g, a not in f                              f times sum over a of g
push    sum over a of f g, where a is only in g, itself a sum      f times that sum, over a too
absorb  P(b | c) times sum over a of P(a | b, c) f                 sum over a of P(a, b | c) f
        (sum over a of P(a, b | c) f) / P(b | c)                   sum over a of P(a | b, c) f
======  =========================================================  ================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import count, permutations

from causal_bandits.identification.expression import (
    ONE,
    Expression,
    Probability,
    Product,
    Quotient,
    Sum,
    Value,
    product_of,
    sum_over,
    term,
)

#: The kinds of factors that remain once a product is taken apart.
_FACTORS = (Probability, Sum)


def simplify(expression: Expression) -> Expression:
    """Apply the rules above until none applies, then give bound values as few primes as possible.

    Two expressions that differ only in the order of factors or in the names of bound values become equal.

    Examples
    --------
    >>> a, b, c = (Value(name) for name in "ABC")
    >>> chain = Product((Probability([a]), Probability([b], given=[a]), Probability([c], given=[a, b])))
    >>> print(simplify(Sum(frozenset([b]), chain)))
    P(a, c)
    """
    if isinstance(expression, Probability):
        return expression
    bound = list(_bound(expression))
    if not bound:
        return _reduced(expression)
    # A value whose variable occurs nowhere else already has a unique name.
    others = Counter([value.variable for value in (*bound, *expression.free)])
    kept = frozenset([value for value in bound if not value.primes and others[value.variable] == 1])
    if len(kept) == len(bound):  # and the rules copy no sum, so all names stay unique
        return _reduced(expression)
    reduced = _reduced(renamed_apart(expression, count(1), kept))
    return _with_fewest_primes(reduced, reduced.free)


# ---------------------------------------------------------------------- bound values


def _bound(expression: Expression) -> Iterator[Value]:
    """Yield the values that the sums of the expression bind, once per sum."""
    if isinstance(expression, Product):
        for f in expression.factors:
            yield from _bound(f)
    elif isinstance(expression, Quotient):
        yield from _bound(expression.numerator)
        yield from _bound(expression.denominator)
    elif isinstance(expression, Sum):
        yield from expression.over
        yield from _bound(expression.summand)


def renamed_apart(
    expression: Expression,
    fresh: Iterator[int],
    kept: frozenset[Value] = frozenset(),
    renaming: Mapping[Value, Value] | None = None,
) -> Expression:
    """Give every bound value a unique name (negative primes), so that factors can move across sums.

    Parameters
    ----------
    expression : Expression
    fresh : iterator of int
        The negative primes, without their sign.
    kept : frozenset of Value
        Bound values that keep their names.
    renaming : mapping from Value to Value, optional
        The new names of values that the sums around this expression bind; None if no sum encloses it.
    """
    if isinstance(expression, Probability):
        return expression.substitute(renaming) if renaming else expression
    if isinstance(expression, Product):
        factors = [renamed_apart(f, fresh, kept, renaming) for f in expression.factors]
        return Product(tuple(factors)) if renaming is None else product_of(factors)
    if isinstance(expression, Quotient):
        above, below = (renamed_apart(f, fresh, kept, renaming) for f in (expression.numerator, expression.denominator))
        return Quotient(above, below)
    if isinstance(expression, Sum):
        apart = {old: Value(old.variable, -next(fresh)) for old in sorted(expression.over - kept)}
        over = frozenset(apart.values()) | (expression.over & kept)
        return Sum(over, renamed_apart(expression.summand, fresh, kept, {**(renaming or {}), **apart}))
    return expression


def _with_fewest_primes(expression: Expression, taken: frozenset[Value]) -> Expression:
    """Rename bound values x, x', x'', ... from outer to inner sums, avoiding the names already in use."""
    if isinstance(expression, Product):
        return product_of(_with_fewest_primes(f, taken) for f in expression.factors)
    if isinstance(expression, Quotient):
        return Quotient(
            _with_fewest_primes(expression.numerator, taken),
            _with_fewest_primes(expression.denominator, taken),
        )
    if isinstance(expression, Sum):
        renaming: dict[Value, Value] = {}
        visible = set(taken)
        for old in sorted(expression.over, key=lambda v: (v.variable, -v.primes)):
            renaming[old] = next(new for k in count() if (new := Value(old.variable, k)) not in visible)
            visible.add(renaming[old])
        # Several values of one variable in one sum can be named in any order; the order whose text sorts first is used.
        candidates = [
            _with_fewest_primes(expression.summand.substitute(chosen), frozenset(visible))
            for chosen in _same_variable_permutations(renaming)
        ]
        return Sum(frozenset(renaming.values()), candidates[0] if len(candidates) == 1 else min(candidates, key=str))
    return expression


def _same_variable_permutations(renaming: dict[Value, Value]) -> Iterator[dict[Value, Value]]:
    """Yield every assignment of the new names to the old values of the same variable."""
    if all(old == new for old, new in renaming.items()):
        yield {}
        return
    groups: dict[str, list[Value]] = {}
    for old in renaming:
        groups.setdefault(old.variable, []).append(old)
    chosen: list[dict[Value, Value]] = [{}]
    for olds in groups.values():
        news = [renaming[old] for old in olds]
        chosen = [c | dict(zip(olds, order, strict=True)) for c in chosen for order in permutations(news)]
    yield from chosen


# ---------------------------------------------------------------------- the rules


def _reduced(expression: Expression) -> Expression:
    if isinstance(expression, Sum):
        return _reduced_sum(expression.over, _reduced(expression.summand))
    if isinstance(expression, Probability):
        return expression
    above, below = _parts(expression)
    return _reduced_fraction([_reduced(f) for f in above], [_reduced(f) for f in below])


def _parts(expression: Expression) -> tuple[list[Expression], list[Expression]]:
    """List the factors above and below the fraction bar, with products and quotients taken apart."""
    above: list[Expression] = []
    below: list[Expression] = []
    _take_apart(expression, above, below)
    return above, below


def _take_apart(expression: Expression, above: list[Expression], below: list[Expression]) -> None:
    if isinstance(expression, Product):
        for f in expression.factors:
            if isinstance(f, _FACTORS):
                above.append(f)
            else:
                _take_apart(f, above, below)
    elif isinstance(expression, Quotient):
        _take_apart(expression.numerator, above, below)
        _take_apart(expression.denominator, below, above)
    else:
        above.append(expression)


def _fraction(above: list[Expression], below: list[Expression]) -> Expression:
    return Quotient(product_of(above), product_of(below)) if below else product_of(above)


def _reduced_fraction(above: list[Expression], below: list[Expression]) -> Expression:
    """Apply the rules cancel, chain, divide and absorb to the factors above and below the fraction bar."""
    above, below = _parts(_fraction(above, below))  # a reduced factor may itself be a product
    while True:
        found = (
            (below and _cancel(above, below))
            or _chain(above)
            or (below and (_chain(below) or _divide(above, below)))
            or _absorb(above, below)
        )
        if not found:
            return _fraction(above, below)


def _cancel(above: list[Expression], below: list[Expression]) -> bool:
    for i, f in enumerate(above):
        for j, g in enumerate(below):
            if f is g or f == g or (type(f) is type(g) is Sum and _same(f, g)):
                del above[i], below[j]
                return True
    return False


def _same(f: Expression, g: Expression) -> bool:
    return f.free == g.free and _with_fewest_primes(f, f.free) == _with_fewest_primes(g, g.free)


def _chained(f: Expression, g: Expression) -> Probability | None:
    """Return P(a, b | c) for P(a | b, c) and P(b | c), or None."""
    if isinstance(f, Probability) and isinstance(g, Probability) and f.do == g.do and f.given == g.of | g.given:
        return term(f.of | g.of, g.given, f.do)
    return None


def _divided(f: Expression, g: Expression) -> Probability | None:
    """Return P(a | b, c) for P(a, b | c) and P(b | c), or None."""
    if not (isinstance(f, Probability) and isinstance(g, Probability)):
        return None
    fits = f.do == g.do and f.given == g.given and g.of < f.of
    return term(f.of - g.of, f.given | g.of, f.do) if fits else None


def _chain(side: list[Expression]) -> bool:
    # The first term for each pair of (values, distribution): what a condition must equal.
    first: dict[tuple[frozenset[Value], frozenset[Value]], tuple[int, Probability]] = {}
    for j, g in enumerate(side):
        if isinstance(g, Probability):
            first.setdefault((g.of | g.given, g.do), (j, g))
    for i, f in enumerate(side):
        if isinstance(f, Probability) and (found := first.get((f.given, f.do))):
            j, condition = found
            joint = term(f.of | condition.of, condition.given, f.do)
            side[:] = [h for k, h in enumerate(side) if k not in (i, j)] + [joint]
            return True
    return False


def _divide(above: list[Expression], below: list[Expression]) -> bool:
    for i, f in enumerate(above):
        for j, g in enumerate(below):
            if (conditional := _divided(f, g)) is not None:
                above[i] = conditional
                del below[j]
                return True
    return False


def _absorb(above: list[Expression], below: list[Expression]) -> bool:
    for i, total in enumerate(above):
        if not isinstance(total, Sum):
            continue
        inner_above, inner_below = _parts(total.summand)
        for side, rule in ((above, _chained), (below, _divided)):
            for j, g in enumerate(side):
                for k, f in enumerate(inner_above):
                    if (merged := rule(f, g)) is None:
                        continue
                    summand = _reduced_fraction([*inner_above[:k], merged, *inner_above[k + 1 :]], inner_below)
                    above[i] = _reduced_sum(total.over, summand)
                    del side[j]
                    above[:], below[:] = _parts(_fraction(above, below))
                    return True
    return False


def _reduced_sum(over: frozenset[Value], summand: Expression) -> Expression:
    """Apply the rules total, push and pull to a sum whose summand is reduced already."""
    above, below = _parts(summand)
    for value in sorted(over):
        holders = [f for f in above if value in f.free]
        if len(holders) != 1 or any(value in f.free for f in below):
            continue
        holder, others = holders[0], [f for f in above if f is not holders[0]]
        if isinstance(holder, Probability) and value in holder.of:
            rest = holder.of - {value}
            smaller: Expression = term(rest, holder.given, holder.do) if rest else ONE
        elif isinstance(holder, Sum) and (others or below):
            smaller = _reduced_sum(holder.over | {value}, holder.summand)
        else:
            continue
        return _reduced_sum(over - {value}, _reduced_fraction([*others, smaller], below))
    if not over:
        return summand
    if len(above) == 1 and not below and isinstance(above[0], Sum):
        return _reduced_sum(over | above[0].over, above[0].summand)
    inside = ([f for f in above if f.free & over], [f for f in below if f.free & over])
    outside = ([f for f in above if not f.free & over], [f for f in below if not f.free & over])
    if not any(outside) or not any(inside):
        return sum_over(over, summand)
    return _reduced_fraction([*outside[0], _reduced_sum(over, _fraction(*inside))], outside[1])
