"""How the paper names what the configuration calls ``<solver>_<strategy>``."""

from __future__ import annotations

from collections.abc import Iterable

#: Experiments, in the order of the panels of Fig. 5.
TASKS = {"frontdoor": "Fig. 5a", "fourvar": "Fig. 5b", "sixvar": "Fig. 5c"}

SOLVERS = {"ts": "TS", "kl_ucb": "KL-UCB"}

#: Strategies, in the order of Table 1.
STRATEGIES = {"pomis_plus": "POMIS+", "pomis": "POMIS", "mis": "MIS", "bf": "BF"}

#: Experiments on instances that nothing was fitted to are named ``<family>_<task>``.
ROBUSTNESS_FAMILIES = ("uniform_cpt", "noisy_xor")

#: Repetitions that the paper averages, and rounds that it plays.
TRIALS = 1000
HORIZON = 10_000

#: How far a prediction on a calibrated instance may miss the published number (ledger L03).
PREDICTION_MARGIN = 0.10


def table1_claim(task: str, solver: str, strategy: str) -> str:
    """Id of the published number for a cell of Table 1; merged cells carry the id of their first strategy.

    In the front-door task POMIS, MIS and BF share one cell, in the four-variable task POMIS and MIS (ledger L18).
    """
    merged = {"frontdoor": {"mis", "bf"}, "fourvar": {"mis"}, "sixvar": set[str]()}
    return f"lee2019.table1.{task}.{solver}.{'pomis' if strategy in merged[task] else strategy}"


def written(sets: Iterable[Iterable[str]]) -> str:
    """Sets as the published table writes them: small ones first, ``{} {A} {A,C}``."""
    ordered = sorted((sorted(chosen) for chosen in sets), key=lambda names: (len(names), names))
    return " ".join("{" + ",".join(names) + "}" for names in ordered)


def compact(expression: str) -> str:
    """An expression's text without spaces and braces, so that printed and found ones can be compared."""
    return expression.translate(str.maketrans("", "", " {}"))
