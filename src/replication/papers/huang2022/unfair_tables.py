"""Make tables of unfair decisions: counts by every definition, their distance from the published ones."""

from __future__ import annotations

import numpy as np
import pandas as pd

from causal_bandits.play.unfairness import unfair
from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.results import Results
from replication.papers.huang2022.labels import DEFINITIONS, PICKED, POLICIES, settings_at
from replication.papers.huang2022.published import printed_counts

#: The policies of Table 1 whose counts are not 0, in the order of those counts.
COUNTED = ("ucb", "c_ucb", "d_ucb")
#: Counts that near are called near.
NEAR = 0.05


def mean_count(results: Results, experiment: str, algorithm: str, definition: str, tau: float) -> float:
    """Compute the mean number of rounds that are unfair by a definition."""
    return float(results.final(experiment, unfair(definition, tau), **settings_at(algorithm, tau)).mean())


def unfair_decisions(results: Results) -> pd.DataFrame:
    """Tabulate unfair rounds by every definition, mean over seeds, beside the published counts."""
    rows = []
    for experiment in ("email", "adult", "adult_bounds"):
        for algorithm, name in (*POLICIES.items(), ("fair_lin_ucb", "Fair-LinUCB")):
            cells = {"task": experiment, "policy": name}
            for definition, shown in DEFINITIONS.items():
                row = {**cells, "unfair if beyond tau": shown}
                for tau in THRESHOLDS:
                    row[f"tau = {tau:g}"] = f"{mean_count(results, experiment, algorithm, definition, tau):.0f}"
                rows.append(row)
            counts = printed_counts(results, experiment).get(algorithm, {})
            if known := {f"tau = {tau:g}": f"{count:g}" for tau, count in counts.items()}:
                rows.append({**cells, "unfair if beyond tau": "as published", **known})
    return pd.DataFrame(rows)


def definitions(results: Results) -> pd.DataFrame:
    """Tabulate how far every definition is from the 15 counts of Table 1 that are not 0, and its order."""
    rows = []
    for definition, shown in DEFINITIONS.items():
        found, published = (np.empty((len(THRESHOLDS), len(COUNTED))) for _ in range(2))
        row = {"definition": shown, "picked with the counts in view": "yes" if definition in PICKED else "no"}
        for k, algorithm in enumerate(COUNTED):
            for i, tau in enumerate(THRESHOLDS):
                found[i, k] = mean_count(results, "email", algorithm, definition, tau)
                published[i, k] = printed_counts(results, "email")[algorithm][tau]
                off = 100 * (found[i, k] / published[i, k] - 1)
                row[f"{POLICIES[algorithm]}, tau = {tau:g}"] = f"{off:+.0f} %"
        off = np.abs(found / published - 1)
        row["mean distance"] = f"{100 * off.mean():.0f} %"
        row[f"within {100 * NEAR:.0f} %"] = f"{int((off <= NEAR).sum())} of {off.size}"
        order = sum(bool((np.diff(counts) > 0).all()) for counts in found)
        row["published order at"] = f"{order} of {len(found)} thresholds"
        rows.append(row)
    return pd.DataFrame(rows)


def discrepancies(results: Results) -> pd.DataFrame:
    """Compute the largest exact discrepancies of the email campaign, the arm held fixed and not."""
    from replication.papers.huang2022.bandits import campaign  # both load Numba, which other tables do not need
    from replication.papers.huang2022.unfair_claims import largest_between_answers

    problem = campaign()
    exact, between = np.abs(problem.discrepancies), largest_between_answers(problem)
    context, arm = np.unravel_index(exact.argmax(), exact.shape)
    rows = [
        ("largest with the arm held fixed, over 8 users and 36 emails", f"{exact.max():.6f}"),
        ("at user", ", ".join(f"{v}={x + 1}" for v, x in problem.contexts[context].items())),
        ("and email", ", ".join(f"{v}={x + 1}" for v, x in problem.arms[arm].items())),
        ("how much it differs between emails, at most", f"{np.ptp(exact, axis=1).max():.6f}"),
        ("largest with the policy's own answer, whatever the policy", f"{between:.6f}"),
        ("smallest threshold of the paper", f"{min(THRESHOLDS):g}"),
        ("unfair pairs of user and email at it, the arm held fixed", str(int((exact > min(THRESHOLDS)).sum()))),
        ("thresholds at which an own answer can be unfair", ", ".join(f"{t:g}" for t in THRESHOLDS if between > t)),
    ]
    return pd.DataFrame(rows, columns=["quantity", "value"])
