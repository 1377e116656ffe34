"""Random expressions, and their values straight from the definitions."""

from itertools import product as cartesian

import numpy as np
from hypothesis import strategies as st

from causal_bandits.graphs import ADMG
from causal_bandits.identification import Probability, Product, Quotient, Sum, Value

GRAPH = ADMG([("A", "B"), ("B", "C"), ("A", "C")], [("A", "C")])
A, B, C = (Value(name) for name in "ABC")
EXPERIMENTS = [frozenset(), frozenset("A"), frozenset("B")]


@st.composite
def probabilities(draw, primes=1):
    do = draw(st.sampled_from(EXPERIMENTS))
    value = {v: Value(v, draw(st.integers(0, primes))) for v in "ABC"}
    rest = [v for v in "ABC" if v not in do]
    roles = draw(st.lists(st.integers(0, 2), min_size=len(rest), max_size=len(rest)).filter(lambda r: 0 in r))
    of, given_ = ([value[v] for v, role in zip(rest, roles, strict=True) if role == k] for k in (0, 1))
    return Probability(of, given_, [value[v] for v in do])


@st.composite
def expressions(draw, depth=3):
    kind = draw(st.integers(0, 3)) if depth else 0
    if kind == 0:
        return draw(probabilities())
    if kind == 1:
        return Product(tuple(draw(st.lists(expressions(depth=depth - 1), min_size=1, max_size=3))))
    if kind == 2:
        return Quotient(draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1)))
    summand = draw(expressions(depth=depth - 1))
    over = draw(st.sets(st.sampled_from(sorted(summand.free)), max_size=2)) if summand.free else set()
    return Sum(frozenset(over), summand)


def by_hand(expression, tables, at):
    """The value at one assignment, straight from the definition of each kind of node."""
    if isinstance(expression, Probability):
        variables, table = tables[expression.experiment]

        def mass(values):
            fixed = {v.variable: at[v] for v in values | expression.do}
            return table[tuple(fixed.get(v, slice(None)) for v in variables)].sum()

        below = mass(expression.given) if expression.given else 1.0
        return mass(expression.of | expression.given) / below
    if isinstance(expression, Product):
        return np.prod([by_hand(f, tables, at) for f in expression.factors])
    if isinstance(expression, Quotient):
        return by_hand(expression.numerator, tables, at) / by_hand(expression.denominator, tables, at)
    over = sorted(expression.over)
    size = dict(zip(*((tables[frozenset()].variables, tables[frozenset()].probabilities.shape)), strict=True))
    return sum(
        by_hand(expression.summand, tables, at | dict(zip(over, states, strict=True)))
        for states in cartesian(*(range(size[v.variable]) for v in over))
    )
