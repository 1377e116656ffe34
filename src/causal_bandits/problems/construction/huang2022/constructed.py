"""Construct bandits that are not in the paper: in them fairness costs something, or a theorem fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.fair import FairBandit
from causal_bandits.problems.construction.huang2022.constants import NOISE, THRESHOLDS

#: P(Y = 1 | S, A) of `straddling`: the better an arm, for either group, the further apart the groups are.
BASE = tuple(0.20 + 0.03 * a for a in range(6))
APART = tuple(0.05 + 0.10 * a for a in range(6))

#: P(S = 1) of `rare`: the group whose cells are rare.
RARE = 0.01


def straddling(thresholds: Sequence[float] = THRESHOLDS) -> FairBandit:
    """Build six arms with discrepancies 0.05, 0.15, ..., 0.55; the better an arm, the less fair it is.

    Two groups S, equally frequent; the reward is a click Y with noise.
    """
    return _by_group([0.5, 0.5], {"Y": np.stack([BASE, np.add(BASE, APART)])}, {"Y": 1.0}, NOISE, thresholds)


def unconstrained() -> FairBandit:
    """Build a bandit in which fair play loses nearly half of all rewards: one arm pays one group (E25).

    Arm 0 pays 0.05 to all, arm 1 pays 1 to the users with S = 1 and 0 to those with S = 0, who are half of all.
    """
    return _by_group([0.5, 0.5], {"Y": [[0.05, 0.0], [0.05, 1.0]]}, {"Y": 1.0}, NOISE, (0.9,))


def rare() -> FairBandit:
    """Build a bandit with a rare group, whose reward is larger by 0.5 whatever is played (E26)."""
    return _by_group([1 - RARE, RARE], {}, {"S": 0.5, "A": 0.3}, 1.0, (0.3,))


def _by_group(
    groups: ArrayLike,
    clicks: Mapping[str, ArrayLike],
    weights: Mapping[str, float],
    sd: float,
    thresholds: Sequence[float],
) -> FairBandit:
    """Build a bandit with group S and arm A from P(variable = 1 | S, A), shape (2, arms), per variable."""
    chances = {v: np.asarray(p, dtype=np.float64) for v, p in clicks.items()}
    n_arms = max((p.shape[1] for p in chances.values()), default=2)
    cpts = {"S": CPT((), np.asarray(groups)), "A": CPT((), np.full(n_arms, 1 / n_arms))}
    cpts |= {v: CPT(("S", "A"), np.stack([1 - p, p], axis=-1)) for v, p in chances.items()}
    graph = ADMG([(cause, v) for v in chances for cause in ("S", "A")], nodes=cpts)
    return FairBandit(
        scm=DiscreteSCM(graph, cpts),
        context=("S",),
        manipulable=("A",),
        weights=weights,
        sd=sd,
        sensitive="S",
        thresholds=tuple(thresholds),
    )
