"""Expressions: evaluation against sums written out, printing, the cells of data that they need, errors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_expressions import EXPERIMENTS, GRAPH, A, B, C, by_hand, expressions
from strategies import joint_tables, positive_scm

from causal_bandits.identification import JointTable, Probability, Product, Quotient, Sum, Value


@settings(max_examples=300)
@given(expressions(), st.integers(0, 2**32 - 1))
def test_evaluation_equals_sums_written_out(expression, seed):
    tables = joint_tables(positive_scm(GRAPH, np.random.default_rng(seed)), EXPERIMENTS)
    value = expression.evaluate(tables)
    for states in np.ndindex(value.shape):
        at = dict(zip(sorted(expression.free), states, strict=True))
        assert value[states] == pytest.approx(by_hand(expression, tables, at), rel=1e-10)


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


def test_names_that_differ_only_in_case_keep_it():
    formula = Sum(frozenset([A]), Product((Probability([C], [A, Value("a")]), Probability([A]))))
    assert str(formula) == "sum_{A} P(C | A, a) P(A)"
    assert formula.to_latex() == r"\sum_{A} P(C \mid A, a) P(A)"
    assert Probability([A]).to_text(["A", "a"]) == "P(A)"
    assert Probability([A]).to_text(["A", "B"]) == "P(a)"


def test_arguments_can_be_fixed_and_unknown_ones_are_named():
    scm = positive_scm(GRAPH, np.random.default_rng(1))
    tables = joint_tables(scm, [()])
    p = Probability([C], [A])
    assert p.arguments == ("A", "C")
    np.testing.assert_allclose(p.evaluate(tables, {"A": 1}), scm.distribution(["C"], given={"A": 1}))
    with pytest.raises(ValueError, match=r"B: P\(c \| a\) has A, C"):
        p.evaluate(tables, {"B": 0})


def test_missing_data_are_named():
    with pytest.raises(KeyError, match=r"P_\{a,b\}\(c\) .*do\(A, B\)"):
        Probability([C], do=[A, B]).evaluate({})
    with pytest.raises(ValueError, match=r"P\(c\): .*C"):
        Probability([C]).evaluate({frozenset(): JointTable(["A"], [0.5, 0.5])})


def test_an_empty_condition_is_refused():
    table = {frozenset(): JointTable("AB", [[0.5, 0.5], [0.0, 0.0]])}
    with pytest.raises(ValueError, match=r"P\(b \| a\): "):
        Probability([B], [A]).evaluate(table)
    with pytest.raises(ValueError, match=r"denominator P\(a\) "):
        Quotient(Probability([B]), Probability([A])).evaluate(table)


def test_a_sum_over_an_idle_value_counts_its_states():
    table = {frozenset(): JointTable("AB", np.full((3, 2), 1 / 6))}
    assert Sum(frozenset([A]), Probability([B])).evaluate(table, {"B": 0}) == pytest.approx(1.5)
    with pytest.raises(ValueError, match="states of C "):
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
    with pytest.raises(ValueError, match=r"repeated: .*outcome: "):
        Probability(*sides)
