"""Tables of lu2021."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from replication.drawing.tabulate import comparison, plus_minus
from replication.papers.lu2021.theory import SEARCHES
from replication.pipeline.results import Results

#: What tells of the search of an algorithm that has one.
SEARCHING = {
    "cn_ucb": ("answer", "correct", "sample_complexity", "bound", "arms_left"),
    "raps": ("answer", "correct", "sample_complexity"),
}


def stages(results: Results) -> pd.DataFrame:
    """What the search for X_R took and found, by algorithm, experiment and settings."""
    searches = ((algorithm, experiment) for algorithm in SEARCHING for experiment in results.experiments())
    return pd.DataFrame(
        _search(results, experiment, policy)
        for algorithm, experiment in searches
        for policy in results.policies(experiment, algorithm=algorithm)
    ).fillna("")


def _search(results: Results, experiment: str, policy: str) -> dict[str, object]:
    """One policy's search; a run that the horizon cut off has no outcome."""
    outcomes = SEARCHING[str(results.settings(experiment, policy)["algorithm"])]
    runs = pd.DataFrame({name: results.final(experiment, name, policy=policy) for name in outcomes})
    ended = runs.dropna()
    row: dict[str, object] = {"experiment": experiment, "policy": policy, "runs": len(runs)}
    row["cut off"] = _percent(1 - len(ended) / len(runs))
    if ended.empty:
        return row
    row["find X_R"] = _percent(ended["correct"].mean())
    row["wrong"] = _percent(((ended["answer"] >= 0) & (ended["correct"] == 0)).mean())
    row["rounds of the search"] = plus_minus(ended["sample_complexity"])
    if "bound" in ended:
        row["of the paper's T_1"] = _percent((ended["sample_complexity"] / ended["bound"]).mean())
        row["arms of stage 3"] = f"{ended['arms_left'].mean():.1f}"
    return row


def _percent(share: float) -> str:
    """A share as a cell."""
    return f"{100 * share:.1f} %"


def counterexamples(results: Results) -> pd.DataFrame:
    """How many small graphs, with X_R, contradict a statement of the paper, and the smallest of them."""
    rows = []
    for name, (find, most, entry) in SEARCHES.items():
        cases = find(most)
        graph, reward = min(cases, key=lambda case: len(case[0]))
        rows.append(
            {
                "what": name,
                "nodes, at most": most,
                "cases": len(cases),
                "smallest": ", ".join(f"{a} -> {b}" for a, b in sorted(graph.directed)),
                "X_R": reward,
                "ledger": entry,
            }
        )
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "stages": stages,
    "comparison": comparison,
    "counterexamples": counterexamples,
}
