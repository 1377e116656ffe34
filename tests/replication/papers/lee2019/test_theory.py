"""Theorems 4 and 5 of lee2019, on models (L195)."""

from itertools import product

import numpy as np
import pytest
from lee2019_results import CLAIMS, judged

from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.identification.estimators import reward_expressions
from causal_bandits.identification.expression import Product
from causal_bandits.models.families import FAMILIES
from causal_bandits.problems import lee2019 as problems
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS
from causal_bandits.problems.lee2019 import build
from replication.judging.judges import Outcome
from replication.papers.lee2019 import theory
from replication.papers.lee2019.figures import LARGER
from replication.papers.lee2019.theory import literal_projection


def test_theorem_4_fails_where_sets_are_dropped_instead_of_projected(monkeypatch):
    """Without Z, do(X) can be the best in the front-door graph; the POMISs of the graph itself have no set with X."""

    def dropped(graph, fixed):
        return frozenset(s for s in possibly_optimal_intervention_sets(graph, outcome="Y") if not s & set(fixed))

    claim = CLAIMS["lee2019.theorem4"].tested(theory.theorem_4(draws=1))
    monkeypatch.setattr(theory, "projected_pomis", dropped)
    found = judged(None, claim)
    assert found.outcome == Outcome.FAILS
    assert int(found.replicated) > 0


def test_theorem_5_finds_an_expression_that_is_wrong():
    """Squares and those of other arms are no effects."""
    graph = GRAPHS["fourvar"]
    found = reward_expressions(graph, outcome="Y", non_manipulable={"A"})
    scm = build("fourvar", family=next(iter(FAMILIES)), draw=0).scm
    tables = theory._tables(scm, found)
    for chosen, (trivial, *others) in found.items():
        assert not any(theory.misses(e, scm, tables, chosen) for e in (trivial, *others))
        for expression in others:
            assert theory.misses(Product((expression, trivial)), scm, tables, chosen)


def test_tables_are_the_exact_joint_distributions():
    graph = GRAPHS["frontdoor"]
    scm = build("frontdoor", family=next(iter(FAMILIES)), draw=1).scm
    tables = theory._tables(scm, [frozenset(), frozenset("X")])
    for chosen, table in tables.items():
        for states in product(range(2), repeat=3):
            at = dict(zip(graph.nodes, states, strict=True))
            rest = [v for v in graph.nodes if v not in chosen]
            exact = scm.distribution(rest, {v: at[v] for v in chosen})[tuple(at[v] for v in rest)]
            assert np.asarray(table.probabilities)[states] == pytest.approx(exact)


def test_figure_3_projects_onto_the_front_door_graph():
    assert LARGER.latent_projection(set("XYZ")) == problems.GRAPHS["frontdoor"]


def test_the_projection_to_the_letter_contradicts_the_paper():
    """Without a marginalised variable's own noise (E20): 13 arms instead of the 15 printed, and Fig. 3 is lost."""
    graph = problems.GRAPHS["sixvar"]
    keep = set(graph) - {"A", "C"}
    literal, usual = literal_projection(graph, keep), graph.latent_projection(keep)
    assert usual.bidirected - literal.bidirected == {("D", "E")}
    arms = [sum(2 ** len(s) for s in possibly_optimal_intervention_sets(g, outcome="Y")) for g in (literal, usual)]
    assert arms == [13, 15]
    assert LARGER.latent_projection(set("XYZ")).bidirected - literal_projection(LARGER, set("XYZ")).bidirected == {
        ("X", "Y")
    }
    # Fig. 4 cannot tell: every variable of Fig. 2a with two children has a confounder.
    fourvar = problems.GRAPHS["fourvar"]
    for removed in "ABC":
        kept = set(fourvar) - {removed}
        assert literal_projection(fourvar, kept) == fourvar.latent_projection(kept)


def test_figure_4_projections_explain_the_sets():
    """Theorem 4: the POMISs under N are those of the projected graph."""
    graph = problems.GRAPHS["fourvar"]
    for removed in "ABC":
        projected = graph.latent_projection(set(graph) - {removed})
        expected = possibly_optimal_intervention_sets(projected, outcome="Y")
        assert possibly_optimal_intervention_sets(graph, outcome="Y", non_manipulable={removed}) == expected
