"""What deciding an open claim would cost: CPU time of more seeds, from what the study's jobs took."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from replication.judging.claims import Claim
from replication.judging.judges import Needs
from replication.pipeline.results import Results

#: CPU seconds per seed, by paper, experiment and policy.
Costs = Mapping[tuple[str, str, str], float]

#: The name under which a job of verdicts is given what jobs took (``data/reference/jobs.csv``).
COSTS = "costs"


def read_costs(path: str | Path) -> dict[tuple[str, str, str], float]:
    """CPU seconds per seed, by paper, experiment and policy, of the simulations that were measured."""
    found = {}
    with Path(path).open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            stage, _, rest = row["series"].partition("/")
            seeds = int(row["seeds"])
            if stage == "simulate" and seeds:
                paper, experiment, policy = rest.split("/", 2)
                found[paper, experiment, policy] = float(row["seconds"]) / seeds
    return found


def minutes(paper: str, claim: Claim, needs: Needs, results: Results, costs: Costs) -> float | None:
    """CPU minutes of as many seeds or draws as a claim needs, of all its policies; None where that is not known.

    Parameters
    ----------
    paper : str
    claim : Claim
        Under the reading that needs most.
    needs : Needs
    results : Results
    costs : dict
        As `read_costs`.
    """
    if claim.experiment not in results.plans or needs.unit not in ("seed", "draw"):
        return None
    plan, seeds = results.plans[claim.experiment], results.finals[claim.experiment]
    labels = {
        plan.only(chosen, claim.experiment)
        for point in claim.points() or [claim]
        for chosen in (point.policy, point.against)
        if chosen
    }
    keys = [(paper, claim.experiment, label) for label in labels]
    if not keys or any(key not in costs for key in keys):
        return None
    each = 1.0 if needs.unit == "seed" else seeds["seed"].nunique() / seeds["draw"].nunique()
    return sum(costs[key] for key in keys) * needs.count * each / 60
