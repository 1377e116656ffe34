"""Make the tables of huang2022, and list all of them by name."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd

from causal_bandits.discovery import edge_frequencies, parent_recovery, structural_hamming_distance
from causal_bandits.problems.construction.huang2022.constants import EMAIL_STATES, SUBJECT_LENGTH, THRESHOLDS, WEIGHTS
from experiments import files
from experiments.drawing.tabulate import comparison, plus_minus
from experiments.results import Results
from replication.papers.huang2022.beside_tables import bonus, fair_lin_ucb, learning, price, readings, users
from replication.papers.huang2022.count_noise import count_noise
from replication.papers.huang2022.couplings import couplings
from replication.papers.huang2022.discovery import learned_graphs, learned_separator
from replication.papers.huang2022.labels import LEARNERS, POLICIES, TRIALS
from replication.papers.huang2022.published import printed_counts, printed_regret
from replication.papers.huang2022.theory_tables import conditions, eq_12, theorem_2, theory, unconstrained
from replication.papers.huang2022.unfair_tables import definitions, discrepancies, mean_count, unfair_decisions

#: Definitions of an unfair decision that Tables 1 and 2 show; table `unfair` has all.
SHOWN = {"exact": "arm held fixed", "answer": "own answer", "drawn": "drawn rewards"}


def table1(results: Results) -> pd.DataFrame:
    """Make Table 1: regret of F-UCB and unfair decisions on the email campaign, published and replicated."""
    rows = []
    for tau in THRESHOLDS:
        row = {"tau": f"{tau:g}", **_regrets(results, "email", tau)}
        for algorithm, name in POLICIES.items():
            row |= _unfair(results, "email", algorithm, name, tau)
        rows.append(row)
    return pd.DataFrame(rows)


def table2(results: Results) -> pd.DataFrame:
    """Make Table 2: F-UCB and Fair-LinUCB on Adult-Video, with and without Theorem 2's bounds."""
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
    """Tabulate F-UCB's regret: published, over all trials, and over as many as the paper has."""
    regret = results.final(experiment, algorithm="f_ucb", tau=tau)
    return {
        "F-UCB regret published": printed_regret(results, experiment, tau),
        f"F-UCB regret, {len(regret)} trials": plus_minus(regret),
        f"F-UCB regret, {TRIALS} trials": f"{regret.head(TRIALS).mean():.2f}",
    }


def _unfair(results: Results, experiment: str, algorithm: str, name: str, tau: float) -> dict[str, str]:
    """Tabulate a policy's unfair rounds at a threshold, published and by some definitions."""
    row = {f"{name} unfair published": f"{printed_counts(results, experiment)[algorithm][tau]:g}"}
    for definition, shown in SHOWN.items():
        row[f"{name} unfair, {shown}"] = f"{mean_count(results, experiment, algorithm, definition, tau):.0f}"
    return row


def table4(results: Results) -> pd.DataFrame:
    """Make Table 4: the email campaign's variables and values, published and by its equations."""
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
    """Make Table 5: P(I4 = i | X1, X2, X3) of the model that is simulated."""
    rows = []
    for context, row in zip(np.ndindex(2, 2, 2), SUBJECT_LENGTH, strict=True):
        rows.append({"(X1, X2, X3)": str(context)} | {f"i={i + 1}": f"{p:g}" for i, p in enumerate(row)})
    return pd.DataFrame(rows)


def data(results: Results) -> pd.DataFrame:
    """Describe the data behind Adult-Video: records, shares of ones, rule, and video types."""
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
    """Tabulate edges learnt by share of seeds, parents of the reward, and distance to the stated graph."""
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
