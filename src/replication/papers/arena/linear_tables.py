"""The arena's tables of algorithms for linear models: regret beside that which their authors show."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from replication.pipeline.aggregate import half_width
from replication.pipeline.results import Results


class Shown(NamedTuple):
    """A mean cumulative regret that the authors of an algorithm show.

    Attributes
    ----------
    name : str
        The algorithm.
    experiment : str
    selected : mapping
        The settings that select the policy there.
    rounds : int
    regret : float
    source : str
        Where the number stands.
    """

    name: str
    experiment: str
    selected: Mapping[str, Any]
    rounds: int
    regret: float
    source: str


#: Feng & Chen: regret of BLM-LR and BGLM-OFU at the horizon, in their order.
_SETS = {"G1": (39, 68), "G2": (19, 19), "G3": (17, 17.5), "G4": (12, 15), "G5": (14, 72)}
#: Varici et al.: regret of LinSEM-TS at 5,000 rounds by width and layers, rows learnt and rows known.
_LAYERED = {(2, 2): (41.9, 28.3), (3, 2): (112.0, 43.1), (2, 3): (135.9, 30.4)}
#: Yan & Tajer, three variables per layer, gaps as printed, by rounds.
_UNKNOWN = {"ga_lcb": {1000: 4875.0, 4000: 19_500.0, 40_000: 19_509.8}, "linsem_ucb": {1000: 499.5, 10_000: 794.4}}

#: Every number that is held against the arena's.
SHOWN: tuple[Shown, ...] = (
    *(
        Shown(name, experiment, {"width": w, "layers": n}, 5000, value, "figure")
        for (w, n), both in _LAYERED.items()
        for name, experiment, value in zip(
            ("LinSEM-TS", "LinSEM-TS, known"), ("linear", "linear_known"), both, strict=True
        )
    ),
    *(
        Shown(name, "unknown_linear", {"algorithm": algorithm, **more}, rounds, value, "data file")
        for name, algorithm, more in (
            ("GA-LCB", "ga_lcb", {"known": False, "gaps": "printed"}),
            ("LinSEM-UCB", "linsem_ucb", {"gaps": "told"}),
        )
        for rounds, value in _UNKNOWN[algorithm].items()
    ),
    Shown("LinSEM-UCB", "unknown_linear", {"algorithm": "linsem_ucb", "gaps": "told"}, 40_000, 896.8, "data file"),
    Shown(
        "GA-LCB, known",
        "unknown_linear",
        {"algorithm": "ga_lcb", "gaps": "printed", "known": True},
        40_000,
        2299.1,
        "data file",
    ),
    Shown("GA-LCB", "unknown_linear_deep", {"algorithm": "ga_lcb"}, 10_000, 24_500.0, "data file"),
    *(
        Shown(
            name,
            "combinatorial" if graph in ("G1", "G5") else "combinatorial_short",
            {"algorithm": algorithm, "graph": graph, "scale": 0.1},
            10_000 if graph in ("G1", "G5") else 2000,
            values[i],
            "figure",
        )
        for graph, values in _SETS.items()
        for i, (name, algorithm) in enumerate((("BLM-LR", "blm_lr"), ("BGLM-OFU", "bglm_ofu")))
    ),
)


def linear_authors(results: Results) -> pd.DataFrame:
    """Mean cumulative regret beside the authors', one row per number that they show."""
    rows = []
    for shown in SHOWN:
        curve = results.curve(shown.experiment, **shown.selected)
        curve = curve[curve["t"] <= shown.rounds]
        row = curve.sort_values("t").iloc[-1] if len(curve) else None
        rows.append(
            {
                "algorithm": shown.name,
                "problem": ", ".join(
                    str(shown.selected[k]) for k in ("width", "layers", "graph") if k in shown.selected
                )
                or shown.experiment,
                "rounds": shown.rounds,
                "authors' regret": shown.regret,
                "read from": shown.source,
                "regret": float("nan") if row is None else float(row["mean"]),
                "at round": 0 if row is None else int(row["t"]),
                "runs": len(results.final(shown.experiment, **shown.selected)),
            }
        )
    return pd.DataFrame(rows)


def linear_told(results: Results) -> pd.DataFrame:
    """Tabulate final regret by what the learner is told and how it plays.

    It is a mean over random problems with a 95 % interval.
    """
    rows = []
    for experiment in ("linear_told", "linear_maximum"):
        for policy in results.policies(experiment):
            settings = results.settings(experiment, policy)
            final = results.final(experiment, by="draw", policy=policy)
            half = half_width(np.array([final.std()]), np.array([len(final)]))[0]
            name = "LinSEM-TS" if settings["algorithm"] == "linsem_ts" else f"LinSEM-UCB, {settings['maximum']}"
            rows.append(
                {
                    "algorithm": name,
                    "told": settings["told"],
                    "rounds": results.horizon(experiment),
                    "regret": f"{final.mean():.1f}",
                    "95 %": f"{final.mean() - half:.1f} to {final.mean() + half:.1f}",
                    "problems": len(final),
                }
            )
    return pd.DataFrame(rows)
