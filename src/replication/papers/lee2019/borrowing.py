"""When expressions count in the runs of z2-TS and z2-kl-UCB (L01, L10).

It is also counted how often no Beta fits an average (L13).
"""

from __future__ import annotations

import pandas as pd

from experiments.results import Results
from replication.papers.lee2019.labels import TASKS
from replication.papers.lee2019.strategies import arm_count, called, instance_of, intervention_sets


def borrowing(results: Results) -> pd.DataFrame:
    """Tabulate, per task and policy that shares samples, how much its expressions count.

    Shown are the runs in which an expression counts, the weight of expressions, and the averages clipped. On the
    representative instance, the ensemble and the random ones of each family. The weight is that of all expressions
    beside the trivial estimator, averaged over arms, rounds and runs.
    """
    rows = []
    for task, label in TASKS.items():
        for experiment in results.experiments(problem=task):
            rounds = results.horizon(experiment)
            sharing = results.finals[experiment].dropna(subset=["borrowed", "clipped"])
            sharing = sharing[sharing["collections"] != "none"]
            for policy, runs in sharing.groupby("policy", sort=False):
                settings = results.settings(experiment, str(policy))
                rows.append(
                    {
                        "task": label,
                        "instance": instance_of(results, experiment),
                        "policy": " ".join(called(settings)),
                        "averaging": settings["averaging"],
                        "runs in which an expression counts, %": f"{100 * (runs['borrowed'] > 0).mean():.1f}",
                        "weight of expressions, %": f"{100 * runs['borrowed'].mean() / rounds:.1f}",
                        "averages that no Beta distribution matches": int(runs["clipped"].sum()),
                        "pairs of round and arm": rounds
                        * arm_count(intervention_sets(task, str(settings["arms"])))
                        * len(runs),
                        "seeds": len(runs),
                    }
                )
    return pd.DataFrame(rows)
