"""Projections of lee2019: the usual one, and the paper's to the letter."""

from causal_bandits.graphs import possibly_optimal_intervention_sets
from causal_bandits.problems import lee2019 as problems
from replication.papers.lee2019.projections import LARGER, literal_projection


def test_figure_3_projects_onto_the_front_door_graph():
    assert LARGER.latent_projection(set("XYZ")) == problems.GRAPHS["frontdoor"]


def test_the_projection_to_the_letter_contradicts_the_paper():
    """Without a marginalised variable's own noise (E20): 13 arms instead of the 15 printed, and Fig. 3 is lost."""
    graph = problems.GRAPHS["sixvar"]
    keep = set(graph) - {"A", "C"}
    literal, usual = literal_projection(graph, keep), graph.latent_projection(keep)
    assert usual.bidirected - literal.bidirected == {("D", "E")}
    arms = [sum(2 ** len(s) for s in possibly_optimal_intervention_sets(g, "Y")) for g in (literal, usual)]
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
        expected = possibly_optimal_intervention_sets(projected, "Y")
        assert possibly_optimal_intervention_sets(graph, "Y", {removed}) == expected
