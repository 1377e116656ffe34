"""lee2019: what the published table holds, and that problems, figures and claims fit it."""

import csv
from pathlib import Path

import numpy as np
import pytest

from causal_bandits.graphs import possibly_optimal_intervention_sets
from causal_bandits.models import FAMILIES
from causal_bandits.problems import lee2019 as problems
from causal_bandits.problems import make
from replication.papers.lee2019 import strategies
from replication.papers.lee2019.projections import LARGER, literal_projection

ROOT = Path(__file__).parents[4]
PUBLISHED = list(csv.DictReader((ROOT / "data/published/lee2019.csv").open()))


def test_claim_ids_are_unique_and_of_known_kinds():
    ids = [row["claim_id"] for row in PUBLISHED]
    assert len(set(ids)) == len(ids)
    kinds = {"mean", "percentage", "ordering", "identity", "count", "sets", "expression", "membership", "trend"}
    assert {row["kind"] for row in PUBLISHED} == kinds


def test_published_percentages_follow_from_table_1_up_to_rounding():
    """Their own check: the reductions that the text states are those of the table's cells, within rounding of both."""
    regret = {(r["column"], r["policy"]): float(r["value"]) for r in PUBLISHED if r["item"] == "Table 1"}
    reductions = [row for row in PUBLISHED if row["kind"] == "percentage"]
    assert len(reductions) == 6
    for row in reductions:
        plus, pomis = (regret[row["column"], row[side]] for side in ("policy", "against"))
        low, high = 100 * (1 - (plus + 0.005) / (pomis - 0.005)), 100 * (1 - (plus - 0.005) / (pomis + 0.005))
        assert low - 0.05 <= float(row["value"]) <= high + 0.05, row["claim_id"]


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


def test_sets_are_written_as_the_published_table_writes_them():
    assert strategies.written([{"C", "A"}, (), {"A"}]) == "{} {A} {A,C}"


def test_every_family_and_draw_is_reproducible_and_different():
    for family in FAMILIES:
        means = [problems.build("fourvar", family=family, draw=draw).means for draw in (0, 0, 1)]
        np.testing.assert_array_equal(means[0], means[1])
        assert not np.allclose(means[0], means[2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"family": "noisy_xor"}, "give a family and a draw together"),
        ({"draw": 3}, "give a family and a draw together"),
        ({"family": "noisy_xor", "draw": 0, "noise": {"Y": 0.1}}, "noise only without them"),
        (
            {"family": "noisy_or", "draw": 0},
            "'noisy_or' is not one of hundredths_xor, negated_xor, noisy_gates, noisy_xor, skewed_cpt, uniform_cpt",
        ),
    ],
)
def test_a_problem_of_two_minds_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        problems.build("frontdoor", **arguments)


@pytest.mark.parametrize("task", strategies.TASKS)
def test_without_a_family_a_problem_is_the_papers(task):
    np.testing.assert_array_equal(problems.build(task).means, make(f"lee2019/{task}").means)
    moved = problems.build(task, noise={"Y": 0.3})
    np.testing.assert_array_equal(moved.means, make(f"lee2019/{task}", noise={"Y": 0.3}).means)
