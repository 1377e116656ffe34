"""What deciding an open claim would cost: CPU time of more seeds, from what the study's jobs took."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from experiments.results import Results
from replication.judging.claims import Claim
from replication.judging.judges import Judgement

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


def seconds(
    paper: str, claim: Claim, judged: Judgement, results: Results, costs: Costs
) -> dict[tuple[str, str], float] | None:
    """Compute the CPU seconds of as many seeds or draws as would decide a claim.

    They stand by experiment and policy; None where they are not known.

    Parameters
    ----------
    paper : str
    claim : Claim
        Under the reading that is judged.
    judged : Judgement
        It says how many values it needs.
    results : Results
    costs : dict
        As `read_costs`.
    """
    needs = judged.needs
    if needs is None or needs.unit not in ("seed", "draw"):
        return None
    if needs.pooled:  # each policy plays as many times as many seeds as the whole
        wanted = {key: _seeds(results, *key) * needs.count / judged.n for key in needs.pooled}
    elif claim.experiment in results.plans:
        plan, finals = results.plans[claim.experiment], results.finals[claim.experiment]
        each = 1.0 if needs.unit == "seed" else finals["seed"].nunique() / finals["draw"].nunique()
        labels = {
            plan.only(chosen, claim.experiment)
            for point in claim.points() or [claim]
            for chosen in (point.policy, point.against)
            if chosen
        }
        wanted = {(claim.experiment, label): needs.count * each for label in labels}
    else:
        return None
    if not wanted or any((paper, *key) not in costs for key in wanted):
        return None
    return {key: costs[paper, *key] * seeds for key, seeds in wanted.items()}


def _seeds(results: Results, experiment: str, policy: str) -> int:
    finals = results.finals[experiment]
    return int((finals["policy"] == policy).sum())
