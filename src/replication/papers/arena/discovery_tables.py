"""The arena's tables of partial structure discovery: rounds by its formulas, and regret in play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from experiments.results import Results
from replication.papers.arena.discovery_rounds import DENSITY, chordal_diagram, counted
from replication.papers.arena.dosed import EVERYTHING, SINGLE
from replication.papers.arena.players import TOLD, ratio
from replication.papers.arena.told import generator
from replication.papers.arena.wording import in_columns, ratio_text

#: How many graphs of each number of variables are in a row of the table of rounds; large ones take long.
GRAPHS = {5: 400, 10: 400, 15: 400, 20: 100}
#: The shares of confounded pairs.
CONFOUNDED = (0.2, 0.4, 0.6)
#: The columns of the table of rounds, by the fields of `discovery_rounds.Counted`.
COUNTS = {
    "observable": "the edges",
    "found": "possibly optimal sets: tests that find a hidden cause",
    "asked": "possibly optimal sets: tests asked for",
    "pairs": "possibly optimal sets: a test of every pair of ancestors",
    "everything": "all hidden causes, by the authors' formula",
}


class Beside(NamedTuple):
    """The learner that discovery is held against, on the same problems and for as many rounds.

    Attributes
    ----------
    experiment : str
    algorithm : str
        A key of `SAID`.
    told : mapping
        The options of the experiment by what the learner is told: the diagram, and `EVERYTHING` or also `SINGLE`, which
        are all arms of a learner without a graph.
    """

    experiment: str
    algorithm: str
    told: Mapping[str, Mapping[str, Any]]


#: Names of these learners in the table.
SAID = {"thompson": "TS", "kl_ucb": "kl-UCB"}
#: The learner that each experiment is held against. Thompson sampling is too slow where discovery ends (L273).
BESIDE = {
    "partial_discovery": Beside(
        "diagram", "thompson", {told: {"told": told} for told in (EVERYTHING, SINGLE, "diagram")}
    ),
    "partial_discovery_long": Beside(
        "dose_long",
        "thompson",
        {EVERYTHING: {"kind": EVERYTHING}, SINGLE: {"kind": SINGLE}, "diagram": {"kind": "mixed", "wrong": 0}},
    ),
    "partial_discovery_whole": Beside(
        "kl_ucb_whole", "kl_ucb", {told: {"told": told} for told in (EVERYTHING, "diagram")}
    ),
}


def discovery_rounds(results: Results) -> pd.DataFrame:
    """Make a row per number of variables and share of confounded pairs.

    It has millions of rounds by the formulas: means over random graphs with standard errors.
    """
    rows = []
    for nodes, draws in GRAPHS.items():
        for confounded in CONFOUNDED:
            graphs = (
                chordal_diagram(nodes, DENSITY, confounded, generator("discovery", draw, nodes, confounded))
                for draw in range(draws)
            )
            found = pd.DataFrame([counted(graph, DENSITY) for graph in graphs]) / 1e6
            error = found.std() / np.sqrt(len(found))
            rows.append(
                {"variables": nodes, "confounded pairs, share": confounded}
                | {said: f"{found[name].mean():.1f} ± {error[name]:.1f}" for name, said in COUNTS.items()}
                | {"graphs": draws}
            )
    return pd.DataFrame(rows)


def discovery_regret(results: Results) -> pd.DataFrame:
    """Make a row per situation and way to seek hidden causes: regret, and what was learned.

    Regret stands over that of a learner on the same problems, without a graph and told the diagram.
    """
    rows = []
    for experiment, beside in BESIDE.items():
        for policy in results.policies(experiment) if experiment in results.plans else []:
            settings = results.settings(experiment, policy)
            size: dict[str, Any] = {name: settings[name] for name in ("nodes", "confounders")}
            own = results.final(experiment, by="draw", policy=policy)
            others = {
                name: results.final(
                    beside.experiment, by="draw", algorithm=beside.algorithm, **options, **size
                ).reindex(own.index)
                for name, options in beside.told.items()
            }
            told = others.pop("diagram")
            alone = min(others, key=lambda name: float(others[name].mean()))
            learned = {
                name: results.final(experiment, name, by="draw", policy=policy)
                for name in ("correct", "edges_right", "asked", "arms", "sample_complexity")
            }
            rows.append(
                {
                    "rounds": results.horizon(experiment),
                    "variables": settings["nodes"],
                    "confounded pairs": settings["confounders"],
                    "hidden causes are sought": settings["hidden_causes"],
                    **in_columns(own),
                    "over that without a graph": ratio_text(*ratio(own, others[alone])),
                    "without a graph": f"{TOLD[alone][0]}, {SAID[beside.algorithm]}",
                    "over that told the diagram": ratio_text(*ratio(own, told)),
                    "told the diagram": SAID[beside.algorithm],
                    "discovery ended, share": f"{learned['sample_complexity'].notna().mean():.2f}",
                    "best intervention kept, share": _mean(learned["correct"], 2),
                    "edges right, share": _mean(learned["edges_right"], 2),
                    "pairs asked": _mean(learned["asked"], 1),
                    "arms": _mean(learned["arms"], 1),
                    "rounds of discovery": _mean(learned["sample_complexity"], 0),
                    "problems": len(own),
                }
            )
    order = ["rounds", "variables", "confounded pairs"]
    return pd.DataFrame(rows).sort_values(order, kind="stable", ignore_index=True)


def _mean(values: pd.Series, digits: int) -> str:
    """Write the mean of what runs learned, those left out that were cut off; nothing if all were."""
    return "" if values.isna().all() else f"{values.mean():.{digits}f}"
