"""Tables of lu2021."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from causal_bandits.evaluation.results import Results
from causal_bandits.papers.lu2021.theory import SEARCHES
from causal_bandits.tabulate import comparison, plus_minus


def stages(results: Results) -> pd.DataFrame:
    """What stages 1 and 2 of CN-UCB took and found, by experiment and settings."""
    rows = []
    for experiment in results.experiments(algorithm="cn_ucb"):
        for label in results.policies(experiment, algorithm="cn_ucb"):
            names = ("correct", "sound", "sample_complexity", "bound", "arms_left")
            runs = len(results.final(experiment, policy=label))
            found = {m: results.final(experiment, m, policy=label).dropna() for m in names}
            if found["correct"].empty:
                rows.append({"experiment": experiment, "policy": label, "runs": runs, "cut off": runs})
                continue
            rows.append(
                {
                    "experiment": experiment,
                    "policy": label,
                    "runs": runs,
                    "cut off": runs - len(found["correct"]),
                    "find X_R": f"{100 * found['correct'].mean():.1f} %",
                    "wrong": f"{100 * (1 - found['sound'].mean()):.1f} %",
                    "rounds before stage 3": plus_minus(found["sample_complexity"]),
                    "of the paper's T_1": f"{100 * (found['sample_complexity'] / found['bound']).mean():.1f} %",
                    "arms of stage 3": f"{found['arms_left'].mean():.1f}",
                }
            )
    return pd.DataFrame(rows).fillna("")


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
