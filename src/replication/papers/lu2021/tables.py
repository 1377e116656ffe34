"""Tables of lu2021."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from experiments.drawing.tabulate import comparison, plus_minus
from experiments.results import Results
from replication.papers.lu2021.policies import as_printed
from replication.papers.lu2021.theory import SEARCHES

#: Outcomes that describe the search of each algorithm that has one.
SEARCHING = {
    "cn_ucb": ("found", "correct", "sample_complexity", "bound", "arms_left"),
    "raps": ("found", "correct", "sample_complexity"),
}


def stages(results: Results) -> pd.DataFrame:
    """List how long the search for X_R took and what it found, by algorithm, experiment and settings."""
    searches = ((algorithm, experiment) for algorithm in SEARCHING for experiment in results.experiments())
    return pd.DataFrame(
        _search(results, experiment, policy)
        for algorithm, experiment in searches
        for policy in results.policies(experiment, algorithm=algorithm)
    ).fillna("")


def _search(results: Results, experiment: str, policy: str) -> dict[str, object]:
    """Summarise one policy's search; a run that the horizon cut off has no outcome."""
    outcomes = SEARCHING[str(results.settings(experiment, policy)["algorithm"])]
    runs = pd.DataFrame({name: results.final(experiment, name, policy=policy) for name in outcomes})
    ended = runs.dropna()
    row: dict[str, object] = {"experiment": experiment, "policy": policy, "runs": len(runs)}
    if not runs.get("bound", pd.Series(dtype=float)).dropna().empty and not results.settings(experiment, policy).get(
        "search_only"
    ):
        row["T / T_1"] = f"{results.horizon(experiment) / runs['bound'].mean():.1f}"
    row["cut off"] = _percent(1 - len(ended) / len(runs))
    if ended.empty:
        return row
    row["find X_R"] = _percent(ended["correct"].mean())
    row["wrong"] = _percent(((ended["found"] >= 0) & (ended["correct"] == 0)).mean())
    row["rounds of the search"] = plus_minus(ended["sample_complexity"])
    if "bound" in ended:
        row["of the paper's T_1"] = _percent((ended["sample_complexity"] / ended["bound"]).mean())
        row["arms of stage 3"] = f"{ended['arms_left'].mean():.1f}"
    return row


def _percent(share: float) -> str:
    """Format a share as a percentage."""
    return f"{100 * share:.1f} %"


def counterexamples(results: Results) -> pd.DataFrame:
    """Tabulate the number of small graphs, with X_R, that contradict each statement of the paper, and the smallest."""
    rows = []
    for name, search in SEARCHES.items():
        for strictly in (False, True) if search.read else (False,):
            cases = search.cases(strictly=strictly)
            graph, reward = min(cases, key=lambda case: len(case[0]), default=(None, ""))
            rows.append(
                {
                    "what": name,
                    "Definition 10": ("proper subsets" if strictly else "to the letter") if search.read else "",
                    "nodes, at most": search.most,
                    "cases": len(cases),
                    "smallest": ", ".join(f"{a} -> {b}" for a, b in sorted(graph.directed)) if graph else "none",
                    "X_R": reward,
                    "ledger": search.entry,
                }
            )
    return pd.DataFrame(rows)


def printed_forms(results: Results) -> pd.DataFrame:
    """Count how searches by the printed algorithms end on each experiment's graphs, given exact answers."""
    rows = []
    for experiment in results.experiments(algorithm="cn_ucb"):
        for label in results.policies(experiment, algorithm="cn_ucb"):
            runs = len(results.final(experiment, "correct", policy=label))
            ends = as_printed(results.settings(experiment, label), runs)
            rows.append({"experiment": experiment, "policy": label, "graphs": runs} | ends._asdict())
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "stages": stages,
    "comparison": comparison,
    "comparison_on_request": comparison,
    "as_printed": printed_forms,
    "counterexamples": counterexamples,
}
