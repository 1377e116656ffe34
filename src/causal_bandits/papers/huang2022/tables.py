"""Tables of huang2022."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from causal_bandits.discovery import edge_frequencies, parent_recovery, structural_hamming_distance
from causal_bandits.evaluation.measures.unfair import unfair
from causal_bandits.evaluation.results import NotRunError, Results
from causal_bandits.papers.huang2022.constants import EMAIL_STATES, SUBJECT_LENGTH, THRESHOLDS, WEIGHTS
from causal_bandits.papers.huang2022.couplings import couplings
from causal_bandits.papers.huang2022.discovery import learned_graphs, learned_separator
from causal_bandits.papers.huang2022.labels import DEFINITIONS, POLICIES, READINGS, TRIALS, settings_at
from causal_bandits.papers.huang2022.theorem2 import theorem_2
from causal_bandits.tabulate import comparison, plus_minus

if TYPE_CHECKING:
    from causal_bandits.papers.huang2022.theory import RegretBound


def table1(results: Results) -> pd.DataFrame:
    """Table 1: regret of F-UCB and unfair decisions on the email campaign, published and replicated."""
    rows = []
    for tau in THRESHOLDS:
        row = {"tau": f"{tau:g}", **_regrets(results, "Table 1", "email", tau)}
        for algorithm, name in POLICIES.items():
            row[f"{name} unfair published"] = _printed(results, "Table 1", tau, f"unfair decisions of {name}")
            for definition, shown in (("exact", "exact"), ("drawn", "drawn rewards")):
                row[f"{name} unfair, {shown}"] = _unfair(results, "email", algorithm, definition, tau)
        rows.append(row)
    return pd.DataFrame(rows)


def table2(results: Results) -> pd.DataFrame:
    """Table 2: F-UCB and Fair-LinUCB on Adult-Video, with and without Theorem 2's bounds."""
    rows = []
    for experiment, title in (
        ("adult_bounds", "income descends from sex, as learnt"),
        ("adult", "no edge, identifiable"),
    ):
        for tau in THRESHOLDS:
            row = {"graph": title, "tau": f"{tau:g}", **_regrets(results, "Table 2", experiment, tau)}
            for algorithm, name in (("f_ucb", "F-UCB"), ("fair_lin_ucb", "Fair-LinUCB")):
                row[f"{name} unfair published"] = _printed(results, "Table 2", tau, f"unfair decisions of {name}")
                for definition, shown in (("exact", "exact"), ("plugin", "estimated"), ("drawn", "drawn rewards")):
                    row[f"{name} unfair, {shown}"] = _unfair(results, experiment, algorithm, definition, tau)
            row["Fair-LinUCB regret (published: around 250)"] = plus_minus(
                results.final(experiment, algorithm="fair_lin_ucb")
            )
            rows.append(row)
    return pd.DataFrame(rows)


def _printed(results: Results, table: str, tau: float, column: str) -> str:
    """What the paper prints in a cell of its Table 1 or 2."""
    (value,) = results.published_where(item=table, row=f"tau = {tau:g}", column=column)["value"]
    return str(value)


def _regrets(results: Results, table: str, experiment: str, tau: float) -> dict[str, str]:
    """Regret of F-UCB as Algorithm 2 prints it, published, over all trials and over the first few."""
    regret = results.final(experiment, algorithm="f_ucb", tau=tau)
    return {
        "F-UCB regret published": _printed(results, table, tau, "regret of F-UCB"),
        f"F-UCB regret, {len(regret)} trials": plus_minus(regret),
        f"F-UCB regret, {TRIALS} trials": f"{regret.head(TRIALS).mean():.2f}",
    }


def _unfair(results: Results, experiment: str, algorithm: str, definition: str, tau: float) -> str:
    """Rounds that are unfair by a definition, mean over seeds."""
    return f"{results.final(experiment, unfair(definition, tau), **settings_at(algorithm, tau)).mean():.0f}"


def readings(results: Results) -> pd.DataFrame:
    """Regret and rounds with an empty conservative set of F-UCB, by task, threshold and reading."""
    rows = []
    for experiment in results.experiments(algorithm="f_ucb"):
        for tau in THRESHOLDS:
            row = {
                "task": experiment,
                "tau": f"{tau:g}",
                "published": _printed(results, _table_of(results, experiment), tau, "regret of F-UCB"),
            }
            for title, reading in READINGS.items():
                try:
                    row[title] = plus_minus(results.final(experiment, algorithm="f_ucb", tau=tau, **reading))
                    empty = results.final(experiment, "empty_set", algorithm="f_ucb", tau=tau, **reading)
                    row[f"{title}, empty"] = f"{empty.mean():.0f}"
                except NotRunError:  # no policy is safe at this threshold, so Theorem 3 has no scale
                    row[title] = row[f"{title}, empty"] = "no safe policy"
            rows.append(row)
    return pd.DataFrame(rows)


def _table_of(results: Results, experiment: str) -> str:
    """The paper's table about an experiment's task."""
    return "Table 1" if experiment in results.experiments(problem="email") else "Table 2"


def unfair_decisions(results: Results) -> pd.DataFrame:
    """Unfair rounds by every definition, beside the published counts: mean over seeds."""
    rows = []
    for experiment in ("email", "adult", "adult_bounds"):
        for algorithm, name in (*POLICIES.items(), ("fair_lin_ucb", "Fair-LinUCB")):
            for definition, shown in DEFINITIONS.items():
                row = {"task": experiment, "policy": name, "unfair if beyond tau": shown}
                for tau in THRESHOLDS:
                    row[f"tau = {tau:g}"] = _unfair(results, experiment, algorithm, definition, tau)
                rows.append(row)
            printed = results.published_where(
                item=_table_of(results, experiment), column=f"unfair decisions of {name}"
            ).set_index("row")["value"]
            if len(printed):
                rows.append({"task": experiment, "policy": name, "unfair if beyond tau": "as published", **printed})
    return pd.DataFrame(rows)


def discrepancies(results: Results) -> pd.DataFrame:
    """The largest exact counterfactual discrepancy of the email campaign, beside the thresholds."""
    from causal_bandits.papers.huang2022.problems import email  # loads Numba, which other tables do not need

    problem = email()
    exact = np.abs(problem.discrepancies)
    context, arm = np.unravel_index(exact.argmax(), exact.shape)
    rows = [
        ("largest over 8 users and 36 emails", f"{exact.max():.6f}"),
        ("at user", ", ".join(f"{v}={x + 1}" for v, x in problem.contexts[context].items())),
        ("and email", ", ".join(f"{v}={x + 1}" for v, x in problem.arms[arm].items())),
        ("smallest threshold of the paper", f"{min(THRESHOLDS):g}"),
        ("unfair pairs of user and email at it", str(int((exact > min(THRESHOLDS)).sum()))),
        ("largest threshold with an unfair pair", f"< {exact.max():.6f}"),
    ]
    return pd.DataFrame(rows, columns=["quantity", "value"])


def table4(results: Results) -> pd.DataFrame:
    """Table 4: the email campaign's variables and their values, as published and as the equations need them."""
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
    """Table 5: P(I4 = i | X1, X2, X3) of the model that is simulated."""
    rows = []
    for context, row in zip(np.ndindex(2, 2, 2), SUBJECT_LENGTH, strict=True):
        rows.append({"(X1, X2, X3)": str(context)} | {f"i={i + 1}": f"{p:g}" for i, p in enumerate(row)})
    return pd.DataFrame(rows)


def data(results: Results) -> pd.DataFrame:
    """The data behind Adult-Video: records, shares of ones, rule, and how many of the 16 video types there are."""
    rows = []
    for name in ("adult", "youtube"):
        table = pq.read_table(results.files[name]).to_pandas()
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
    """Edges learnt, by share of seeds; parents of the reward; distance to the stated graph around the reward."""
    rows = []
    for learner in ("pc", "ges"):
        graphs = learned_graphs(results.files[learner])
        table = pq.read_table(results.files[learner]).to_pandas()
        edges = edge_frequencies(table[table["kind"] != "none"], len(graphs))
        for edge in edges.itertuples():
            arrow = "->" if edge.kind == "directed" else "-"
            rows.append((learner.upper(), f"{edge.source} {arrow} {edge.target}", f"{edge.frequency:.2f}"))
        found = [parent_recovery(graph, "reward", WEIGHTS) for graph in graphs]
        below = [graph.descends("income", "sex") == "yes" for graph in graphs]
        distances = [structural_hamming_distance(a, b) for a, b in combinations(graphs, 2)]
        exact = np.mean([not (recovery.missing or recovery.extra) for recovery in found])
        rows.append((learner.upper(), "parents of the reward exactly as stated", f"{exact:.2f}"))
        rows.append((learner.upper(), "their mean precision", f"{np.mean([r.precision for r in found]):.2f}"))
        rows.append((learner.upper(), "their mean recall", f"{np.mean([r.recall for r in found]):.2f}"))
        rows.append((learner.upper(), "income descends from sex", f"{np.mean(below):.2f}"))
        separators = [learned_separator(graph) == set(WEIGHTS) for graph in graphs]
        rows.append((learner.upper(), "minimal d-separation set as stated", f"{np.mean(separators):.2f}"))
        if distances:
            rows.append(
                (learner.upper(), "pairs of nodes joined differently, between seeds", f"{np.mean(distances):.1f}")
            )
    return pd.DataFrame(rows, columns=["learner", "edge or quantity", "share of seeds or value"])


def theory(results: Results) -> pd.DataFrame:
    """The regret bounds of Theorems 1 and 3 at the horizon, beside the regret measured."""
    from causal_bandits.papers.huang2022.problems import email  # both load Numba, which other tables do not need
    from causal_bandits.papers.huang2022.theory import theorem_1, theorem_3

    problem, rounds = email(), results.horizon("email")
    rows = [_theorem("Theorem 1", "D-UCB", theorem_1(problem, rounds), results.final("email", algorithm="d_ucb"))]
    for tau in THRESHOLDS:
        regret = results.final("email", algorithm="f_ucb", tau=tau, fallback="best", alpha_r="theorem_3")
        bound = theorem_3(problem, rounds, tau)
        rows.append(_theorem(f"Theorem 3, tau = {tau:g}", "F-UCB, best arm, Theorem 3's scale", bound, regret))
    return pd.DataFrame(rows).assign(rounds=rounds)


def _theorem(statement: str, policy: str, bound: RegretBound, regret: pd.Series) -> dict[str, str]:
    return {
        "statement": statement,
        "policy": policy,
        "bound on regret": f"{bound.regret:.0f}",
        "holds with probability at least": f"{bound.probability:.4f}",
        "regret measured": plus_minus(regret),
    }


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "table1": table1,
    "table2": table2,
    "table4": table4,
    "table5": table5,
    "readings": readings,
    "unfair": unfair_decisions,
    "discrepancies": discrepancies,
    "data": data,
    "discovery": discovery,
    "theory": theory,
    "theorem2": theorem_2,
    "couplings": couplings,
    "comparison": comparison,
}
