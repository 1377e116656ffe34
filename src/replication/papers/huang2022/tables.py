"""Build the tables of huang2022, and list all of them by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from causal_bandits.arrays import FloatArray
from causal_bandits.discovery import edge_frequencies, parent_recovery, structural_hamming_distance
from causal_bandits.play.unfairness import unfair
from causal_bandits.problems.construction.huang2022.constants import EMAIL_STATES, SUBJECT_LENGTH, THRESHOLDS, WEIGHTS
from experiments import files
from experiments.drawing.tabulate import comparison, plus_minus
from experiments.results import Results
from replication.papers.huang2022.discovery import learned_graphs, learned_separator
from replication.papers.huang2022.policies import (
    COUNTED,
    COUNTS,
    DEFINITIONS,
    LEARNERS,
    NAMES,
    PICKED,
    PRINTED_IN,
    ROUNDS,
    TRIALS,
    by_threshold,
    printed_counts,
    printed_regret,
    settings_at,
)
from replication.papers.huang2022.study_tables import (
    bonus,
    conditions,
    eq_12,
    fair_lin_ucb,
    learning,
    price,
    readings,
    theorem_2,
    theory,
    unconstrained,
    users,
)
from replication.papers.huang2022.theory import campaign
from replication.papers.huang2022.unfair_claims import couplings, largest_between_answers

#: Definitions of an unfair decision that Tables 1 and 2 show; table `unfair` has all.
SHOWN = {"exact": "arm held fixed", "answer": "own answer", "drawn": "drawn rewards"}


def table1(results: Results) -> pd.DataFrame:
    """Build Table 1: regret of F-UCB and unfair decisions on the email campaign, published and replicated."""
    rows = []
    for tau in THRESHOLDS:
        row = {"tau": f"{tau:g}", **_regrets(results, "email", tau)}
        for algorithm, name in NAMES.items():
            row |= _unfair(results, "email", algorithm, name, tau)
        rows.append(row)
    return pd.DataFrame(rows)


def table2(results: Results) -> pd.DataFrame:
    """Build Table 2: F-UCB and Fair-LinUCB on Adult-Video, with and without Theorem 2's bounds."""
    rows = []
    for experiment, title in (
        ("adult_bounds", "income descends from sex, as learnt"),
        ("adult", "no edge, identifiable"),
    ):
        for tau in THRESHOLDS:
            row = {"graph": title, "tau": f"{tau:g}", **_regrets(results, experiment, tau)}
            for algorithm, name in (("f_ucb", "F-UCB"), ("fair_lin_ucb", "Fair-LinUCB")):
                row |= _unfair(results, experiment, algorithm, name, tau)
            for alpha in (1.0, 10.0):
                regret = results.final(experiment, algorithm="fair_lin_ucb", alpha=alpha)
                row[f"Fair-LinUCB regret, alpha = {alpha:g} (published: around 250)"] = plus_minus(regret)
            rows.append(row)
    return pd.DataFrame(rows)


def _regrets(results: Results, experiment: str, tau: float) -> dict[str, str]:
    """Tabulate F-UCB's regret: as published, and ours over all trials and over as many as the paper has."""
    regret = results.final(experiment, algorithm="f_ucb", tau=tau)
    return {
        "F-UCB regret published": printed_regret(results, experiment, tau),
        f"F-UCB regret, {len(regret)} trials": plus_minus(regret),
        f"F-UCB regret, {TRIALS} trials": f"{regret.head(TRIALS).mean():.2f}",
    }


def _unfair(results: Results, experiment: str, algorithm: str, name: str, tau: float) -> dict[str, str]:
    """Tabulate a policy's unfair rounds at a threshold, as published and by the definitions of `SHOWN`."""
    row = {f"{name} unfair published": f"{printed_counts(results, experiment)[algorithm][tau]:g}"}
    for definition, shown in SHOWN.items():
        row[f"{name} unfair, {shown}"] = f"{mean_count(results, experiment, algorithm, definition, tau):.0f}"
    return row


def table4(results: Results) -> pd.DataFrame:
    """Build Table 4: the email campaign's variables and values, as published and according to its equations."""
    exchanged = {"I3": 4, "I4": 2}
    return pd.DataFrame(
        {
            "variable": list(EMAIL_STATES),
            "values published": [_values(exchanged.get(v, n)) for v, n in EMAIL_STATES.items()],
            "values simulated": [_values(n) for n in EMAIL_STATES.values()],
        }
    )


def _values(states: int) -> str:
    return f"({', '.join(str(x + 1) for x in range(states))})"


def table5(results: Results) -> pd.DataFrame:
    """Build Table 5: P(I4 = i | X1, X2, X3) in the simulated model."""
    rows = []
    for context, row in zip(np.ndindex(2, 2, 2), SUBJECT_LENGTH, strict=True):
        rows.append({"(X1, X2, X3)": str(context)} | {f"i={i + 1}": f"{p:g}" for i, p in enumerate(row)})
    return pd.DataFrame(rows)


def data(results: Results) -> pd.DataFrame:
    """Tabulate the data behind Adult-Video: records, counts of states, and the rule by which numbers are binarised."""
    rows = []
    for name in ("adult", "youtube"):
        table = files.read(results.files[f"data_{name}"]).to_pandas()
        total = int(table["count"].sum())
        for variable in [c for c in table.columns if c not in ("count", "rule")]:
            by_state = table.groupby(variable)["count"].sum()
            rows.append(
                {
                    "data": name,
                    "records": f"{total}",
                    "variable": variable,
                    "state 0": f"{by_state[0]}",
                    "state 1": f"{by_state[1]}",
                    "missing": f"{by_state.get(2, 0)}",
                    "rule": str(table["rule"].iloc[0]),
                }
            )
    return pd.DataFrame(rows)


def discovery(results: Results) -> pd.DataFrame:
    """Tabulate learnt edges by share of seeds, parents of the reward, and the distance between seeds' graphs."""
    rows = []
    for learner, learnt in LEARNERS.items():
        graphs = learned_graphs(results.files[learnt])
        table = files.read(results.files[learnt]).to_pandas()
        edges = edge_frequencies(table[table["kind"] != "none"], len(graphs))
        for edge in edges.itertuples():
            arrow = "->" if edge.kind == "directed" else "-"
            rows.append((learner, f"{edge.source} {arrow} {edge.target}", f"{edge.frequency:.2f}"))
        found = [parent_recovery(graph, "reward", WEIGHTS) for graph in graphs]
        below = [graph.descends("income", "sex") == "yes" for graph in graphs]
        distances = [structural_hamming_distance(a, b) for a, b in combinations(graphs, 2)]
        exact = np.mean([not (recovery.missing or recovery.extra) for recovery in found])
        rows.append((learner, "parents of the reward exactly as stated", f"{exact:.2f}"))
        rows.append((learner, "their mean precision", f"{np.mean([r.precision for r in found]):.2f}"))
        rows.append((learner, "their mean recall", f"{np.mean([r.recall for r in found]):.2f}"))
        rows.append((learner, "income descends from sex", f"{np.mean(below):.2f}"))
        separators = [learned_separator(graph) == set(WEIGHTS) for graph in graphs]
        rows.append((learner, "minimal d-separation set as stated", f"{np.mean(separators):.2f}"))
        if distances:
            rows.append((learner, "pairs of nodes joined differently, between seeds", f"{np.mean(distances):.1f}"))
    return pd.DataFrame(rows, columns=["learner", "edge or quantity", "share of seeds or value"])


# Search for normal noise that would give the published counts of unfair decisions (ledger L82).

#: The grid searched: standard deviations and means of the noise.
DEVIATIONS = np.arange(10, 401) / 1000
MEANS = np.arange(0, 61) / 200
MEANS_FINE = np.arange(0, 301) / 1000


def count_noise(results: Results) -> pd.DataFrame:
    """Fit normal noise to each policy's published counts.

    A round is unfair if the noise exceeds tau in absolute value. The last columns use one standard deviation for all
    policies of a table, and a mean for each.
    """
    rows = []
    published = _published()
    tasks = {task: {p: shares for (t, p), shares in published.items() if t == task} for task, _ in published}
    common = {task: common_deviation(list(of_task.values())) for task, of_task in tasks.items()}
    for (task, policy), shares in published.items():
        shift, _, miss_shift = fitted(shares, MEANS_FINE, common[task])
        sd, miss = fitted(shares, np.zeros(1))[1:]
        mean, sd_too, miss_too = fitted(shares, MEANS)
        alone = {f"sd at tau = {tau:g}": f"{implied(tau, share):.3f}" for tau, share in shares.items()}
        rows.append(
            {"task": task, "policy": policy, **alone, "sd of centred noise": f"{sd:.3f}"}
            | {"mean miss": f"{100 * miss:.1f} %", "mean and sd of noise": f"{mean:.3f}, {sd_too:.3f}"}
            | {"mean miss, not centred": f"{100 * miss_too:.1f} %"}
            | {
                "mean with one sd for all": f"{shift:.3f}, {common[task][0]:.3f}",
                "its miss": f"{100 * miss_shift:.1f} %",
            }
        )
    return pd.DataFrame(rows)


def _published() -> dict[tuple[str, str], dict[float, float]]:
    """Collect the published shares of unfair rounds that are not 0, by table and policy, then by tau."""
    return {
        (PRINTED_IN[task], COUNTED[policy]): {tau: n / ROUNDS for tau, n in counts.items()}
        for task, printed in COUNTS.items()
        for policy, counts in by_threshold(printed).items()
        if any(counts.values())
    }


def implied(tau: float, share: float) -> float:
    """Compute the standard deviation of the noise that gives a share of unfair rounds.

    The noise is normal and centred, and exceeds ``tau`` in absolute value in this share of rounds.
    """
    return float(-tau / ndtri(share / 2))


def common_deviation(of_policies: Sequence[dict[float, float]]) -> FloatArray:
    """Return the standard deviation, shape (1,), with the smallest total error if each policy has its own mean."""
    missed = sum(misses(shares, MEANS_FINE, DEVIATIONS).min(axis=0) for shares in of_policies)
    return DEVIATIONS[[int(np.argmin(missed))]]


def fitted(
    shares: dict[float, float], means: FloatArray, deviations: FloatArray = DEVIATIONS
) -> tuple[float, float, float]:
    """Return the mean and standard deviation of normal noise that best fit shares of unfair rounds, and the error.

    The error is relative to the shares, averaged over them.
    """
    missed = misses(shares, means, deviations)
    i, j = np.unravel_index(missed.argmin(), missed.shape)
    return float(means[i]), float(deviations[j]), float(missed[i, j])


def misses(shares: dict[float, float], means: FloatArray, deviations: FloatArray) -> FloatArray:
    """Compute the average relative error of normal noise in giving the shares, shape (means, deviations)."""
    tau, share = np.array(list(shares)), np.array(list(shares.values()))
    mean, sd = means[:, None, None], deviations[:, None]
    beyond = ndtr((-tau - mean) / sd) + ndtr((mean - tau) / sd)
    missed: FloatArray = np.abs(beyond / share - 1).mean(axis=-1)
    return missed


# Tables of unfair decisions: counts by every definition, and their distance from the published ones.

#: The policies of Table 1 whose counts are not 0, in the order of those counts.
NOT_ZERO = ("ucb", "c_ucb", "d_ucb")
#: Counts within this relative distance of the published ones are called near.
NEAR = 0.05


def mean_count(results: Results, experiment: str, algorithm: str, definition: str, tau: float) -> float:
    """Compute the mean number of rounds that are unfair by a definition."""
    return float(results.final(experiment, unfair(definition, tau), **settings_at(algorithm, tau)).mean())


def unfair_decisions(results: Results) -> pd.DataFrame:
    """Tabulate unfair rounds by every definition, averaged over seeds, with the published counts."""
    rows = []
    for experiment in ("email", "adult", "adult_bounds"):
        for algorithm, name in COUNTED.items():
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
    """Tabulate each definition's distance from Table 1's 15 nonzero counts, and its order of the policies."""
    rows = []
    for definition, shown in DEFINITIONS.items():
        found, published = (np.empty((len(THRESHOLDS), len(NOT_ZERO))) for _ in range(2))
        row = {"definition": shown, "picked with the counts in view": "yes" if definition in PICKED else "no"}
        for k, algorithm in enumerate(NOT_ZERO):
            for i, tau in enumerate(THRESHOLDS):
                found[i, k] = mean_count(results, "email", algorithm, definition, tau)
                published[i, k] = printed_counts(results, "email")[algorithm][tau]
                off = 100 * (found[i, k] / published[i, k] - 1)
                row[f"{NAMES[algorithm]}, tau = {tau:g}"] = f"{off:+.0f} %"
        off = np.abs(found / published - 1)
        row["mean distance"] = f"{100 * off.mean():.0f} %"
        row[f"within {100 * NEAR:.0f} %"] = f"{int((off <= NEAR).sum())} of {off.size}"
        order = sum(bool((np.diff(counts) > 0).all()) for counts in found)
        row["published order at"] = f"{order} of {len(found)} thresholds"
        rows.append(row)
    return pd.DataFrame(rows)


def discrepancies(results: Results) -> pd.DataFrame:
    """Compute the largest exact discrepancies of the email campaign, with and without the arm held fixed."""
    problem = campaign()
    exact, between = np.abs(problem.discrepancies), largest_between_answers(problem)
    context, arm = np.unravel_index(exact.argmax(), exact.shape)
    rows = [
        ("largest with the arm held fixed, over 8 users and 36 emails", f"{exact.max():.6f}"),
        ("at user", ", ".join(f"{v}={x + 1}" for v, x in problem.contexts[context].items())),
        ("and email", ", ".join(f"{v}={x + 1}" for v, x in problem.arms[arm].items())),
        ("largest difference between emails", f"{np.ptp(exact, axis=1).max():.6f}"),
        ("largest with the policy's own answer, whatever the policy", f"{between:.6f}"),
        ("smallest threshold of the paper", f"{min(THRESHOLDS):g}"),
        ("unfair pairs of user and email at it, with the arm held fixed", str(int((exact > min(THRESHOLDS)).sum()))),
        ("thresholds at which an own answer can be unfair", ", ".join(f"{t:g}" for t in THRESHOLDS if between > t)),
    ]
    return pd.DataFrame(rows, columns=["quantity", "value"])


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "table1": table1,
    "table2": table2,
    "table4": table4,
    "table5": table5,
    "readings": readings,
    "unfair": unfair_decisions,
    "definitions": definitions,
    "count_noise": count_noise,
    "discrepancies": discrepancies,
    "data": data,
    "discovery": discovery,
    "learning": learning,
    "theory": theory,
    "conditions": conditions,
    "theorem2": theorem_2,
    "unconstrained": unconstrained,
    "eq_12": eq_12,
    "users": users,
    "fair_lin_ucb": fair_lin_ucb,
    "bonus": bonus,
    "price": price,
    "couplings": couplings,
    "comparison": comparison,
}
