"""Table of POMIS+ with one part changed: support, covariance, z2ID's line 6, no expressions."""

from __future__ import annotations

import math

import pandas as pd

from experiments.drawing.tabulate import plus_minus
from experiments.results import Results
from experiments.settings import compact
from replication.papers.lee2019.labels import TASKS
from replication.papers.lee2019.strategies import SOLVERS, played, printed, task_of

#: The ledger's entry on each setting that is changed.
ENTRIES = {"support": "L10", "averaging": "L14", "tried": "L08", "collections": "L08 L72"}


def variants(results: Results) -> pd.DataFrame:
    """Tabulate the regret of POMIS+ with parts changed, and how far it lies above the study's.

    The number of Table 1 stands beside it, with the difference in standard errors of our mean.
    """
    rows = []
    for experiment in results.experiments():
        task = task_of(results, experiment)
        for solver in SOLVERS:
            chosen = played(solver, "POMIS+")
            usual = results.label(experiment, dict(chosen))
            base = results.final(experiment, policy=usual)
            stated = printed(results, task, solver, "POMIS+")
            for label in results.policies(experiment, **chosen):
                own, default = results.settings(experiment, label), results.settings(experiment, usual)
                changed = {name: own[name] for name in ENTRIES if own.get(name) != default.get(name)}
                said = ", ".join(f"{name}: {compact(value)}" for name, value in changed.items())
                values = results.final(experiment, policy=label)
                off = (values.mean() - stated) / (values.std() / math.sqrt(len(values)))
                rows.append(
                    {
                        "task": TASKS[task],
                        "solver": solver,
                        "changed": said or "nothing",
                        "ledger": " ".join(dict.fromkeys(" ".join(ENTRIES[name] for name in changed).split())),
                        "regret": plus_minus(values),
                        "above the study's choice, paired": plus_minus(values - base) if changed else "",
                        "Table 1": f"{stated:.2f}",
                        "standard errors off": f"{off:+.1f}",
                        "seeds": len(values),
                    }
                )
    return pd.DataFrame(rows)
