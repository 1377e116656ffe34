"""When expressions count in the runs of z2-TS and z2-kl-UCB (L10).

It is also counted how often no Beta fits an average (L13).
"""

from __future__ import annotations

import pandas as pd

from experiments.results import Results
from replication.papers.lee2019.labels import TASKS
from replication.papers.lee2019.strategies import SOLVERS, arm_count, intervention_sets, played


def borrowing(results: Results) -> pd.DataFrame:
    """Tabulate, per task and solver, how much the expressions of POMIS+ count.

    Shown are the runs in which an expression counts, the weight of expressions, and the averages clipped. The weight is
    that of all expressions beside the trivial estimator, averaged over arms, rounds and runs.
    """
    rows = []
    for task, label in TASKS.items():
        rounds = results.horizon(task)
        for solver in SOLVERS:
            chosen = played(solver, "POMIS+")
            borrowed, clipped = (results.final(task, metric, **chosen) for metric in ("borrowed", "clipped"))
            arms = arm_count(intervention_sets(task, chosen["arms"]))
            rows.append(
                {
                    "task": label,
                    "policy": f"{solver} POMIS+",
                    "runs in which an expression counts, %": f"{100 * (borrowed > 0).mean():.1f}",
                    "weight of expressions, %": f"{100 * borrowed.mean() / rounds:.1f}",
                    "averages that no Beta distribution matches": int(clipped.sum()),
                    "pairs of round and arm": rounds * arms * len(borrowed),
                    "seeds": len(borrowed),
                }
            )
    return pd.DataFrame(rows)
