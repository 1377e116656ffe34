"""The three bandits of lee2019.

Their causal diagrams are known, their parameters are not published (ledger L01).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.families import FAMILIES, from_ones
from causal_bandits.play.measures.drawn_regret import DrawnRegret
from causal_bandits.play.measures.measure import Measure
from causal_bandits.seeding import stable_hash
from replication.papers.lee2019.graphs import GRAPHS, NON_MANIPULABLE


def build(
    task: str, ensemble: str | Path | None = None, family: str | None = None, draw: int | None = None
) -> SCMBandit:
    """One of the three bandits, with parameters from an ensemble or drawn from a family.

    Parameters
    ----------
    task : str
        A key of `GRAPHS`.
    ensemble : path, optional
        What `replication.judging.calibration.calibrate` writes for the task.
    family : str, optional
        A key of `FAMILIES`, instead of ``ensemble``.
    draw : int, optional
        >= 0: the number of the ensemble's member, the nearest to the published baselines (its representative) if it is
        not given; or of the family's draw.

    Raises
    ------
    ValueError
        If neither or both ways are used, a name is unknown, or the file is another task's or has no such member.
    """
    if (ensemble is None) == (family is None) or (family is not None and draw is None):
        raise ValueError(f"{task}: give either an ensemble's file, or a family and a draw")
    if ensemble is not None:
        document = json.loads(Path(ensemble).read_text())
        members = document["members"]
        if document["problem"] != task:
            raise ValueError(f"{ensemble}: instances of {document['problem']}, not of {task}")
        if not 0 <= (draw or 0) < len(members):
            raise ValueError(f"{ensemble}: no member {draw or 0} of {len(members)}")
        ones = {variable: np.array(table) for variable, table in members[draw or 0]["ones"].items()}
        return _bandit(task, from_ones(GRAPHS[task], ones))
    if family not in FAMILIES:
        raise ValueError(f"{task}: family {family!r} is not one of {', '.join(sorted(FAMILIES))}")
    rng = np.random.default_rng([stable_hash(f"lee2019/{task}/{family}"), draw or 0])
    return _bandit(task, FAMILIES[family](GRAPHS[task], rng))


def _bandit(task: str, scm: DiscreteSCM) -> SCMBandit:
    return SCMBandit(scm, "Y", NON_MANIPULABLE[task])


#: What is measured of a run beside regret.
MEASURES: tuple[type[Measure], ...] = (DrawnRegret,)


#: Names that config files use, with the function that builds the problem from ``options`` and ``inputs``.
PROBLEMS: dict[str, Callable[..., SCMBandit]] = {task: partial(build, task) for task in GRAPHS}
