"""Tables of huang2022."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from causal_bandits.discovery import edge_frequencies, parent_recovery, structural_hamming_distance
from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.evaluation.results import NotRunError, Results
from causal_bandits.papers.huang2022.couplings import couplings
from causal_bandits.papers.huang2022.discovery import learned_graphs, learned_separator
from causal_bandits.papers.huang2022.labels import DEFINITIONS, POLICIES, READINGS, TAUS, TRIALS, policy_at, unfair
from causal_bandits.papers.huang2022.problems import EMAIL_STATES, SUBJECT_LENGTH, WEIGHTS, email
from causal_bandits.papers.huang2022.theorem2 import theorem_2
from causal_bandits.papers.huang2022.theory import d_ucb_bound, f_ucb_bound
from causal_bandits.tabulate import comparison, plus_minus


def table1(results: Results) -> pd.DataFrame:
    """Table 1: regret of F-UCB and unfair decisions on the email campaign, published and replicated."""
    rows = []
    for tau, value in TAUS.items():
        row = {"tau": f"{value:g}", **_regrets(results, "table1", "email", tau)}
        for policy, name in POLICIES.items():
            label = policy_at(policy, tau)
            row[f"{name} unfair published"] = _published(results, f"table1.unfair.{policy}.{tau}")
            for definition, shown in (("exact", "exact"), ("drawn", "drawn rewards")):
                counts = results.final("email", policy=label, metric=unfair(definition, tau))
                row[f"{name} unfair, {shown}"] = f"{counts.mean():.0f}"
        rows.append(row)
    return pd.DataFrame(rows)


def table2(results: Results) -> pd.DataFrame:
    """Table 2: F-UCB and Fair-LinUCB on Adult-Video, with and without Theorem 2's bounds."""
    rows = []
    for experiment, title in (
        ("adult_bounds", "income descends from sex, as learnt"),
        ("adult", "no edge, identifiable"),
    ):
        for tau, value in TAUS.items():
            row = {"graph": title, "tau": f"{value:g}", **_regrets(results, "table2", experiment, tau)}
            for policy, name in (("f_ucb", "F-UCB"), ("fair_lin_ucb", "Fair-LinUCB")):
                label = policy_at(policy, tau)
                row[f"{name} unfair published"] = _published(results, f"table2.unfair.{policy}.{tau}")
                for definition, shown in (("exact", "exact"), ("plugin", "estimated"), ("drawn", "drawn rewards")):
                    counts = results.final(experiment, policy=label, metric=unfair(definition, tau))
                    row[f"{name} unfair, {shown}"] = f"{counts.mean():.0f}"
            row["Fair-LinUCB regret (published: around 250)"] = plus_minus(
                results.final(experiment, policy="fair_lin_ucb")
            )
            rows.append(row)
    return pd.DataFrame(rows)


def _published(results: Results, claim: str) -> str:
    return str(results.published.at[f"huang2022.{claim}", "value"])


def _regrets(results: Results, table: str, experiment: str, tau: str) -> dict[str, str]:
    """Regret of F-UCB as Algorithm 2 prints it, published, over all trials and over the first few."""
    regret = results.final(experiment, policy=f"f_ucb_{tau}")
    return {
        "F-UCB regret published": _published(results, f"{table}.regret.f_ucb.{tau}"),
        f"F-UCB regret, {len(regret)} trials": plus_minus(regret),
        f"F-UCB regret, {TRIALS} trials": f"{regret.head(TRIALS).mean():.2f}",
    }


def readings(results: Results) -> pd.DataFrame:
    """Regret and rounds with an empty conservative set of F-UCB, by task, threshold and reading."""
    rows = []
    for experiment in results.finals:
        table = "table1" if experiment == "email" else "table2"
        for tau, value in TAUS.items():
            row = {
                "task": experiment,
                "tau": f"{value:g}",
                "published": _published(results, f"{table}.regret.f_ucb.{tau}"),
            }
            for middle, title in READINGS.items():
                try:
                    label = f"f_ucb_{middle}{tau}"
                    row[title] = plus_minus(results.final(experiment, policy=label))
                    row[f"{title}, empty"] = f"{results.final(experiment, policy=label, metric='empty_set').mean():.0f}"
                except NotRunError:  # no policy is safe at this threshold, so Theorem 3 has no scale
                    row[title] = row[f"{title}, empty"] = "no safe policy"
            rows.append(row)
    return pd.DataFrame(rows)


def unfair_decisions(results: Results) -> pd.DataFrame:
    """Unfair rounds by every definition, beside the published counts: mean over seeds."""
    rows = []
    for experiment in ("email", "adult", "adult_bounds"):
        for policy, name in (*POLICIES.items(), ("fair_lin_ucb", "Fair-LinUCB")):
            for definition, shown in DEFINITIONS.items():
                row = {"task": experiment, "policy": name, "unfair if beyond tau": shown}
                for tau, value in TAUS.items():
                    label = policy_at(policy, tau)
                    row[f"tau = {value:g}"] = (
                        f"{results.final(experiment, policy=label, metric=unfair(definition, tau)).mean():.0f}"
                    )
                rows.append(row)
            table = "table1" if experiment == "email" else "table2"
            claims = {tau: f"huang2022.{table}.unfair.{policy}.{tau}" for tau in TAUS}
            if set(claims.values()) <= set(results.published.index):
                printed = {f"tau = {TAUS[tau]:g}": str(results.published.at[c, "value"]) for tau, c in claims.items()}
                rows.append({"task": experiment, "policy": name, "unfair if beyond tau": "as published", **printed})
    return pd.DataFrame(rows)


def discrepancies(results: Results) -> pd.DataFrame:
    """The largest exact counterfactual discrepancy of the email campaign, beside the thresholds."""
    problem = email()
    exact = np.abs(problem.discrepancies)
    context, arm = np.unravel_index(exact.argmax(), exact.shape)
    rows = [
        ("largest over 8 users and 36 emails", f"{exact.max():.6f}"),
        ("at user", ", ".join(f"{v}={x + 1}" for v, x in problem.contexts[context].items())),
        ("and email", ", ".join(f"{v}={x + 1}" for v, x in problem.arms[arm].items())),
        ("smallest threshold of the paper", f"{min(TAUS.values()):g}"),
        ("unfair pairs of user and email at it", str(int((exact > min(TAUS.values())).sum()))),
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
    problem = email()
    size = int(np.prod([problem.scm.cardinality(v) for v in minimal_separator(problem)]))
    horizon = results.horizon("email")
    safe = float(np.abs(problem.discrepancies).min(axis=1).max())
    bounds = {"d_ucb": ("Theorem 1", d_ucb_bound(horizon, size))}
    for tau, value in TAUS.items():
        bounds[f"f_ucb_theorem_best_{tau}"] = (f"Theorem 3, tau = {value:g}", f_ucb_bound(horizon, size, value, safe))
    rows = []
    for policy, (name, bound) in bounds.items():
        rows.append(
            {
                "statement": name,
                "policy": policy,
                "bound on regret": f"{bound.regret:.0f}",
                "holds with probability at least": f"{bound.probability:.4f}",
                "regret measured": plus_minus(results.final("email", policy=policy)),
                "rounds": horizon,
            }
        )
    return pd.DataFrame(rows)


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
