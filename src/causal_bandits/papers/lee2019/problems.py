"""The three bandits of lee2019: their causal diagrams are known, their parameters are not published (ledger L01)."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.families import FAMILIES
from causal_bandits.papers.lee2019.graphs import GRAPHS, NON_MANIPULABLE
from causal_bandits.seeding import stable_hash


def build(
    task: str, instance: str | Path | None = None, family: str | None = None, draw: int | None = None
) -> SCMBandit:
    """One of the three bandits, with parameters from a file or drawn from a family.

    Parameters
    ----------
    task : str
        A key of `GRAPHS`.
    instance : path, optional
        JSON with a model under ``scm`` (see `DiscreteSCM.to_dict`) whose diagram is the task's.
    family, draw : str and int, optional
        A key of `FAMILIES` and the number of the draw (>= 0), instead of ``instance``.

    Raises
    ------
    ValueError
        If neither or both ways are used, a name is unknown, or the file's diagram is another one.
    """
    if (instance is None) == (family is None) or (family is None) != (draw is None):
        raise ValueError(f"{task}: give either an instance file, or a family and a draw")
    if instance is not None:
        scm = DiscreteSCM.from_dict(json.loads(Path(instance).read_text())["scm"])
        if scm.graph != GRAPHS[task]:
            raise ValueError(f"{instance}: its diagram is not that of {task}")
    else:
        if family not in FAMILIES:
            raise ValueError(f"{task}: family {family!r} is not one of {', '.join(sorted(FAMILIES))}")
        scm = FAMILIES[family](
            GRAPHS[task], np.random.default_rng([stable_hash(f"lee2019/{task}/{family}"), draw or 0])
        )
    return SCMBandit(scm, "Y", NON_MANIPULABLE[task])


#: Names that config files use, with the function that builds the problem from ``options`` and ``inputs``.
PROBLEMS: dict[str, Callable[..., SCMBandit]] = {task: partial(build, task) for task in GRAPHS}
