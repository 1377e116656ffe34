"""Expressions: evaluation against sums written out, simplification that changes no value, errors."""

from itertools import product as cartesian

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import joint_tables, positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.identification import (
    JointTable,
    Probability,
    Product,
    Quotient,
    Sum,
    Value,
    c_factor,
    simplify,
)

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


@settings(max_examples=300)
@given(expressions(), st.integers(0, 2**32 - 1))
def test_evaluation_and_simplification_agree_with_sums_written_out(expression, seed):
    tables = joint_tables(positive_scm(GRAPH, np.random.default_rng(seed)), EXPERIMENTS)
    simple = simplify(expression)
    assert simple.free <= expression.free
    value, simple_value = expression.evaluate(tables), simple.evaluate(tables)
    for states in np.ndindex(value.shape):
        at = dict(zip(sorted(expression.free), states, strict=True))
        expected = by_hand(expression, tables, at)
        assert value[states] == pytest.approx(expected, rel=1e-10)
        index = tuple(at[v] for v in sorted(simple.free))
        assert simple_value[index] == pytest.approx(expected, rel=1e-10)


@settings(max_examples=300)
@given(expressions())
def test_simplification_is_settled_after_one_pass(expression):
    once = simplify(expression)
    assert simplify(once) == once


D, E = Value("D"), Value("E")
P_AB, P_A, P_B, P_Y = Probability([A, B], [C]), Probability([A], [B, C]), Probability([B], [C]), Probability([D], [A])


@pytest.mark.parametrize(
    ("expression", "simple"),
    [
        (Quotient(Product((P_A, P_Y)), P_A), "P(d | a)"),  # cancel
        (Product((P_A, P_B)), "P(a, b | c)"),  # chain
        (Quotient(P_AB, P_B), "P(a | b, c)"),  # divide
        (Sum(frozenset([A]), P_AB), "P(b | c)"),  # total
        (Sum(frozenset([A]), Product((P_A, P_Y, Probability([C])))), "P(c) sum_{a} P(a | b, c) P(d | a)"),  # pull
        (Product((P_B, Sum(frozenset([A]), Product((P_A, P_Y))))), "sum_{a} P(a, b | c) P(d | a)"),  # absorb
        (Quotient(Sum(frozenset([A]), Product((P_AB, P_Y))), P_B), "sum_{a} P(a | b, c) P(d | a)"),
        (Quotient(Product((P_AB, Probability([D, E]))), Product((P_B, Probability([E])))), "P(a | b, c) P(d | e)"),
        (Sum(frozenset([A, B]), Product((P_Y, Probability([B])))), "sum_{a} P(d | a)"),  # total, of the second value
    ],
)
def test_every_rule_does_what_its_row_says(expression, simple):
    assert str(simplify(expression)) == simple


def test_bound_values_get_primes_only_where_they_must():
    inner = Sum(frozenset([A]), Product((Probability([B], [A]), Probability([A], [C]))))
    outer = Sum(frozenset([C]), Product((Probability([C], [A]), inner)))
    assert str(simplify(outer)) == "sum_{c} P(c | a) sum_{a'} P(a' | c) P(b | a')"
    assert simplify(outer).free == {A, B}
    renamed = outer.substitute({B: Value("B", 4)})
    assert renamed.free == {A, Value("B", 4)}


def test_expressions_that_differ_in_names_and_order_alone_become_equal():
    one = Sum(frozenset([A]), Product((Probability([B], [A]), Probability([A]))))
    other = Sum(frozenset([Value("A", 7)]), Product((Probability([Value("A", 7)]), Probability([B], [Value("A", 7)]))))
    assert simplify(one) == simplify(other)
    assert hash(simplify(one)) == hash(simplify(other))
    assert str(simplify(one)) == "P(b)"


@pytest.mark.parametrize(
    ("expression", "text", "latex"),
    [
        (
            Probability([Value("X1")], [Value("Age")], [Value("Z", 1)]),
            "P_{z'}(x1 | age)",
            r"P_{z'}(x_{1} \mid \mathrm{age})",
        ),
        (Probability([A], do=[B, C]), "P_{b,c}(a)", "P_{b,c}(a)"),
        (Quotient(Probability([A]), Probability([B])), "(P(a)) / (P(b))", r"\frac{P(a)}{P(b)}"),
        (
            Product((Sum(frozenset([A]), Probability([B], [A])), Sum(frozenset([A]), Probability([C], [A])))),
            "[sum_{a} P(b | a)] [sum_{a} P(c | a)]",
            r"\left[\sum_{a} P(b \mid a)\right] \left[\sum_{a} P(c \mid a)\right]",
        ),
        (Product(), "1", "1"),
    ],
)
def test_printing(expression, text, latex):
    assert str(expression) == text
    assert expression.to_latex() == latex
    assert expression._repr_latex_() == f"${latex}$"


def test_arguments_can_be_fixed_and_unknown_ones_are_named():
    scm = positive_scm(GRAPH, np.random.default_rng(1))
    tables = joint_tables(scm, [()])
    p = Probability([C], [A])
    assert p.arguments == ("A", "C")
    np.testing.assert_allclose(p.evaluate(tables, {"A": 1}), scm.distribution(["C"], given={"A": 1}))
    with pytest.raises(ValueError, match=r"no argument B: P\(c \| a\) has A, C"):
        p.evaluate(tables, {"B": 0})


def test_missing_data_are_named():
    with pytest.raises(KeyError, match=r"P_\{a,b\}\(c\) needs the distribution under do\(A, B\)"):
        Probability([C], do=[A, B]).evaluate({})
    with pytest.raises(ValueError, match=r"P\(c\): the table of its distribution has no C"):
        Probability([C]).evaluate({frozenset(): JointTable(["A"], [0.5, 0.5])})


def test_an_empty_condition_is_refused():
    table = {frozenset(): JointTable("AB", [[0.5, 0.5], [0.0, 0.0]])}
    with pytest.raises(ValueError, match=r"P\(b \| a\): its condition has probability zero"):
        Probability([B], [A]).evaluate(table)
    with pytest.raises(ValueError, match=r"the denominator P\(a\) is zero"):
        Quotient(Probability([B]), Probability([A])).evaluate(table)


def test_a_sum_over_an_idle_value_counts_its_states():
    table = {frozenset(): JointTable("AB", np.full((3, 2), 1 / 6))}
    assert Sum(frozenset([A]), Probability([B])).evaluate(table, {"B": 0}) == pytest.approx(1.5)
    with pytest.raises(ValueError, match="number of states of C is unknown"):
        Sum(frozenset([C]), Probability([B])).evaluate(table)


def test_cells_hold_free_values_fixed_but_for_outcomes():
    conditional, marginal = Probability([B], [A]), Probability([A])
    found = Sum(frozenset([A]), Product((conditional, marginal))).cells({"A": 2, "B": 3}, {"B": 1})
    assert found == {
        marginal: [({}, {"A": 0}), ({}, {"A": 1})],
        conditional: [({}, {"A": a, "B": b}) for a in (0, 1) for b in (0, 1, 2)],
    }
    forced = Probability([C], [A], [B])
    expected = [({"B": 1}, {"A": 2, "C": 0}), ({"B": 1}, {"A": 2, "C": 1})]
    assert forced.cells({"A": 3, "B": 2, "C": 2}, {"A": 2, "B": 1, "C": 0}) == {forced: expected}


@pytest.mark.parametrize("sides", [([A], [Value("A", 1)], []), ([A], [], [A]), ([], [A], [])])
def test_a_term_of_repeated_or_no_variables_is_refused(sides):
    with pytest.raises(ValueError, match="a term needs an outcome and different variables"):
        Probability(*sides)


def test_the_c_factor_conditions_only_on_what_matters():
    graph = ADMG([("A", "E"), ("B", "C"), ("C", "D"), ("C", "E"), ("D", "Y"), ("E", "Y")], [("A", "Y"), ("B", "Y")])
    q = c_factor(graph, frozenset("ABY"), frozenset(graph.nodes))
    assert str(q) == "P(y | a, b, d, e) P(a) P(b)"  # the term that lee2019 quotes for Fig. 5d
