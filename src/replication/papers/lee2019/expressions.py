"""Tables of what z2ID finds for lee2019's tasks."""

from __future__ import annotations

import pandas as pd

from causal_bandits.identification.estimators import COLLECTIONS, Search, expressions_among, reward_expressions
from causal_bandits.identification.z2id import TRIED
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS, NON_MANIPULABLE
from experiments.results import Results
from replication.papers.lee2019.labels import TASKS, compact, written


def expressions(task: str, results: Results) -> pd.DataFrame:
    """Tabulate every expression that z2ID finds for the possibly-optimal arms of a task.

    The equation that prints it stands beside it.
    """
    equations = results.published_where(judge="equation")
    printed = {compact(value): item for value, item in zip(equations["value"], equations["item"], strict=True)}
    rows = []
    for arm_set, alternatives in reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task]).items():
        for number, expression in enumerate(alternatives):
            rows.append(
                {
                    "arms": "do(" + ", ".join(sorted(arm_set)) + ")",
                    "no.": number,
                    "expression": str(expression),
                    "formula": f"${expression.to_latex()}$",
                    "data from": written(expression.experiments),
                    "free values": ", ".join(sorted(set(expression.arguments) - arm_set - {"Y"})).lower(),
                    "printed as": printed.get(compact(str(expression)), ""),
                }
            )
    frame = pd.DataFrame(rows)
    frame.attrs["math"] = ["formula"]
    return frame


def searches(results: Results) -> pd.DataFrame:
    """How many expressions there are beside the trivial ones under other choices in z2ID (L08)."""
    rows = []
    for task, label in TASKS.items():
        used = reward_expressions(GRAPHS[task], "Y", NON_MANIPULABLE[task])
        for collections in (c for c in COLLECTIONS if c != "none"):
            for tried in TRIED:
                found = expressions_among(GRAPHS[task], "Y", used, Search(collections, tried))
                rows.append(
                    {
                        "task": label,
                        "collections": collections,
                        "line 6 tries": tried,
                        "expressions": sum(len(each) - 1 for each in found.values()),
                        "of which the study uses": sum(len(set(e) & set(used[x])) - 1 for x, e in found.items()),
                    }
                )
    return pd.DataFrame(rows)
