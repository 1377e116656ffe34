"""Formulas that are typed in ASCII are set with signs and indices, and names of other things stay."""

import doctest

import pytest

from replication.tools.report import formulas
from replication.tools.report.formulas import LETTERS, SIGNS, formula


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("at least sqrt(nKT) / 8", "at least √(nKT) / 8"),
        ("like sqrt n, not square roots", "like √n, not square roots"),
        ("finds X_R's clique in T_1", "finds X<sub>R</sub>&#39;s clique in T<sub>1</sub>"),
        ("(log n)^2, KB log2 n", "(log n)<sup>2</sup>, KB log<sub>2</sub> n"),
        ("K t^1.1, 3^n.", "K t<sup>1.1</sup>, 3<sup>n</sup>."),
        ("max{Delta_a, epsilon/2}^2", "max{Δ<sub>a</sub>, ε/2}<sup>2</sup>"),
        ("m_{eps,Delta} <= 2, an epsilon-optimal arm", "m<sub>ε,Δ</sub> ≤ 2, an ε-optimal arm"),
        ("sum_{a'} P_b(y|a') P_{}(a')", "∑<sub>a&#39;</sub> P<sub>b</sub>(y|a&#39;) P<sub>{}</sub>(a&#39;)"),
        ("P_z'", "P<sub>z&#39;</sub>"),
        ("f_{n,1/s(t))^2}", "f_{n,1/s(t))<sup>2</sup>}"),  # what is nested stays as it is typed
    ],
)
def test_formulas_are_set(typed, shown):
    assert formula(typed) == shown


@pytest.mark.parametrize(
    "text",
    [
        "f_ucb_03, d_ucb, LinUCB_CP, v_structures, rare_chance, alpha.csv, log_squared, a_b_c",
        "deltas, logistic, sums, Thompson's beta2, |A| and 1 - 2",
        "a beta distribution, by the delta method",
    ],
)
def test_names_stay(text):
    assert formula(text) == text.replace("'", "&#39;")


def test_markup_is_escaped():
    assert formula("<i>_R & tau") == "&lt;i&gt;_R &amp; τ"


def test_a_sign_leads_back_to_what_is_typed():
    """As the search of the report does, in which the last name of a sign is taken."""
    typed = {sign: name for name, sign in (LETTERS | SIGNS).items()}
    assert (typed["ε"], typed["√"], typed["≤"]) == ("epsilon", "sqrt", "<=")


def test_examples():
    assert doctest.testmod(formulas).failed == 0
