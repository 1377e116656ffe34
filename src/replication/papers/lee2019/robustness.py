"""Do the paper's orders hold on random models? Three families of them, beside the paper (ledger L70)."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import pandas as pd

from experiments.results import Results
from replication.judging.judges.intervals import percent_below
from replication.papers.lee2019.gains import means_of
from replication.papers.lee2019.strategies import SOLVERS, STRATEGIES, TASKS, alike, regret

#: The families in words, in the order in which they are shown.
FAMILIES = {
    "hundredths_xor": "exclusive or",
    "noisy_gates": "random gates",
    "uniform_cpt": "any probabilities",
}


class Step(NamedTuple):
    """By how many percent one mean regret lies below another, with its 95 % interval."""

    larger: str
    smaller: str
    value: float
    low: float
    high: float


def orders(results: Results, experiment: str, solver: str) -> list[Step]:
    """Compare each strategy with the next, from BF down to POMIS+, over the random models."""
    task = experiment.rsplit("_", 1)[-1]
    kept = [s for s in reversed(STRATEGIES) if alike(task, s)[0] == s]
    found = []
    for larger, smaller in pairwise(kept):
        base, other = (regret(results, experiment, solver, s, by="draw").to_numpy() for s in (larger, smaller))
        percent = percent_below(base, other)
        found.append(Step(larger, smaller, percent.value, percent.low, percent.high))
    return found


def robustness(results: Results) -> pd.DataFrame:
    """Tabulate the strategies on random models of each family: regret, and the paper's orders (L70)."""
    rows = []
    for task, label in TASKS.items():
        for family in FAMILIES:
            experiment = f"{family}_{task}"
            if experiment not in results.plans:
                continue  # a smaller study
            for solver in SOLVERS:
                values = {s: regret(results, experiment, solver, s, by="draw") for s in STRATEGIES}
                pomis, plus = values["POMIS"], values["POMIS+"]
                percent = percent_below(pomis.to_numpy(), plus.to_numpy())
                nothing = [means[0] >= means.max() for means in means_of(task, family, pomis.index)]
                rows.append(
                    {
                        "task": label,
                        "family": family,
                        "solver": solver,
                        "doing nothing is optimal, %": f"{100 * sum(nothing) / len(nothing):.0f}",
                        **{strategy: f"{found.mean():.1f}" for strategy, found in values.items()},
                        "POMIS+ below POMIS, %": f"{percent.value:.1f} ({percent.low:.1f} to {percent.high:.1f})",
                        **{
                            f"{larger} > {smaller}, %": f"{value:.1f} ({low:.1f} to {high:.1f})"
                            for larger, smaller, value, low, high in orders(results, experiment, solver)
                        },
                        "models": len(pomis),
                        "of which POMIS+ lower": int((plus < pomis).sum()),
                    }
                )
    return pd.DataFrame(rows).fillna("")
