"""lee2019: what the published table holds, and that problems, figures and claims fit it."""

import csv
import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import yaml

from causal_bandits.graphs import possibly_optimal_intervention_sets
from causal_bandits.models import FAMILIES
from experiments.selection import selection
from replication.papers.lee2019 import labels, problems
from replication.papers.lee2019.graphs import LARGER
from replication.papers.lee2019.projections import literal_projection
from replication.papers.lee2019.strategies import STRATEGIES

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


def test_the_search_comes_near_what_the_claims_are_about():
    """Its baselines are the policies of the claims that it names, and these claims alone count as calibrated by it."""
    settings = yaml.safe_load((ROOT / "config/papers/lee2019.yaml").read_text())
    rows = {row["claim_id"]: row for row in PUBLISHED}
    targets = [
        (problem, target)
        for problem, search in settings["calibration"]["problems"].items()
        for target in search["targets"].values()
    ]
    found = [
        (problem, {"algorithm": "kl_ucb", "arms": STRATEGIES[strategy].arms, "claim": claim})
        for problem, recovery in settings["recovery"].items()
        for strategy, claim in recovery["claims"].items()
    ]
    targets += found
    for problem, target in targets:
        row = rows[target["claim"]]
        chosen = {"algorithm": target["algorithm"], "arms": target["arms"]}
        task = problem.removesuffix("_families")
        assert (row["experiment"], selection(row["policy"], "")) == (task, chosen)
    fitted = {row["claim_id"] for row in PUBLISHED if row["item"] == "Table 1" and row["evidence"] == "calibrated"}
    assert {target["claim"] for _, target in targets} == fitted
    for task in chain(*labels.ENSEMBLES.values()):
        document = json.loads((ROOT / f"data/instances/lee2019/{task}.json").read_text())
        named = {(target["claim"], target["published"]) for target in document["targets"].values()}
        assert named == {(t["claim"], float(rows[t["claim"]]["value"])) for p, t in targets if p == task}
        if task in settings["recovery"]:
            continue
        assert document["tolerance"] == settings["calibration"]["tolerance"]
        assert document["searched"] == {
            "families": settings["calibration"]["problems"][task]["families"],
            "candidates_per_family": settings["calibration"]["problems"][task]["candidates"],
        }


@pytest.mark.parametrize("name", ["frontdoor", "fourvar", "frontdoor_families", "fourvar_families"])
def test_members_are_their_draws_and_all_are_played(name):
    task, path = name.removesuffix("_families"), ROOT / f"data/instances/lee2019/{name}.json"
    members = json.loads(path.read_text())["members"]
    for number, member in enumerate(members):
        committed = problems.build(task, ensemble=path, draw=number)
        drawn = problems.build(task, family=member["family"], draw=member["draw"])
        np.testing.assert_allclose(committed.means, drawn.means, atol=1e-12)
    settings = yaml.safe_load((ROOT / "config/papers/lee2019.yaml").read_text())["experiments"][f"ensemble_{name}"]
    assert settings["replicates"] == settings["seeds_per_draw"] * len(members)
    assert len(members) >= 30


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
    assert labels.written([{"C", "A"}, (), {"A"}]) == "{} {A} {A,C}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either an ensemble's file, or a family and a draw"),
        ({"family": "noisy_xor"}, "either an ensemble's file, or a family and a draw"),
        (
            {"family": "noisy_or", "draw": 0},
            "'noisy_or' is not one of hundredths_xor, negated_xor, noisy_gates, noisy_xor, skewed_cpt, uniform_cpt",
        ),
    ],
)
def test_a_problem_without_parameters_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        problems.build("frontdoor", **arguments)


def test_every_family_and_draw_is_reproducible_and_different():
    for family in FAMILIES:
        means = [problems.build("fourvar", family=family, draw=draw).means for draw in (0, 0, 1)]
        np.testing.assert_array_equal(means[0], means[1])
        assert not np.allclose(means[0], means[2])
