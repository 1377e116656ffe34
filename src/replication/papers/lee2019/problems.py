"""The three bandits of lee2019, and random ones on their causal diagrams (ledger L01, L70)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.families import FAMILIES
from causal_bandits.play.measures.drawn_regret import DrawnRegret
from causal_bandits.play.measures.measure import Measure
from causal_bandits.problems import lee2019
from causal_bandits.problems.lee2019 import GRAPHS, NON_MANIPULABLE
from causal_bandits.seeding import stable_hash


def build(
    task: str, family: str | None = None, draw: int | None = None, noise: Mapping[str, float] | None = None
) -> SCMBandit:
    """Build one of the three bandits, with the paper's parameters or with those that a family draws.

    Parameters
    ----------
    task : str
        A key of `GRAPHS`.
    family : str, optional
        A key of `FAMILIES`. Without one the bandit has the paper's parameters.
    draw : int, optional
        >= 0: the number of the family's draw.
    noise : mapping from str to float, optional
        Parameters of the paper's bandit that are changed, see `causal_bandits.problems.lee2019`.

    Raises
    ------
    ValueError
        If a family is named without a draw or with ``noise``, or a draw without a family, or a name is unknown.
    """
    if (family is None) != (draw is None) or (family is not None and noise is not None):
        raise ValueError(f"{task}: give a family and a draw together, and noise only without them")
    if family is None:
        return lee2019.PROBLEMS[task](noise=noise)
    if family not in FAMILIES:
        raise ValueError(f"{task}: family {family!r} is not one of {', '.join(sorted(FAMILIES))}")
    rng = np.random.default_rng([stable_hash(f"lee2019/{task}/{family}"), draw or 0])
    return SCMBandit(FAMILIES[family](GRAPHS[task], rng), "Y", NON_MANIPULABLE[task])


#: What is measured of a run beside regret.
MEASURES: tuple[type[Measure], ...] = (DrawnRegret,)


#: Names that config files use, with the function that builds the problem from ``options`` and ``inputs``.
PROBLEMS: dict[str, Callable[..., SCMBandit]] = {task: partial(build, task) for task in GRAPHS}
