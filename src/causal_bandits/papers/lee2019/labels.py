"""How the paper names what the configuration calls ``<solver>_<strategy>``."""

from __future__ import annotations

#: Experiments, in the order of the panels of Fig. 5.
TASKS = {"frontdoor": "Fig. 5a", "fourvar": "Fig. 5b", "sixvar": "Fig. 5c"}

SOLVERS = {"ts": "TS", "kl_ucb": "KL-UCB"}

#: Strategies, in the order of Table 1.
STRATEGIES = {"pomis_plus": "POMIS+", "pomis": "POMIS", "mis": "MIS", "bf": "BF"}

#: Repetitions that the paper averages.
TRIALS = 1000


def table1_claim(task: str, solver: str, strategy: str) -> str:
    """Id of the published number for a cell of Table 1; merged cells carry the id of their first strategy.

    In the front-door task POMIS, MIS and BF share one cell, in the four-variable task POMIS and MIS.
    """
    merged = {"frontdoor": {"mis", "bf"}, "fourvar": {"mis"}, "sixvar": set[str]()}
    return f"lee2019.table1.{task}.{solver}.{'pomis' if strategy in merged[task] else strategy}"
