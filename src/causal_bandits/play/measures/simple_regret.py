"""Simple regret: the loss of the arm that would be recommended after the rounds played so far."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.models.protocol import Bandit
from causal_bandits.play.measures.measure import Measure, Played
from causal_bandits.policies.helpers.choice import TIE


class SimpleRegret(Measure):
    """``simple_regret``: how far the mean of the arm with the best mean reward so far is below the best arm's.

    If several arms have the same mean reward, it is the average over them, as if one were drawn. Arms that have not
    been played are not recommended. A policy that ends its run with an ``answer`` recommends that arm instead: the last
    round's value is the answer's.

    Raises
    ------
    ValueError
        If the bandit has contexts: no single arm is then recommended.

    References
    ----------
    Bubeck, Munos & Stoltz 2009.
    """

    of: ClassVar[type] = object
    names: ClassVar[tuple[str, ...]] = ("simple_regret",)
    sums: ClassVar[bool] = False

    def __init__(self, bandit: Bandit[Any], rng: np.random.Generator) -> None:
        arms = len(bandit.arms)
        world = bandit.worlds(0, arms, np.random.default_rng(0))  # without contexts, regrets are those of any world
        if bandit.seen(world, 0) is not None:
            raise ValueError("simple_regret: expected a bandit without contexts")
        self._losses = bandit.regrets(world, np.arange(arms))
        self._total, self._plays = np.zeros(arms), np.zeros(arms)

    def update(self, played: Played) -> dict[str, FloatArray]:
        """Return the simple regret after each round (see `Measure`)."""
        return {"simple_regret": _recommended(played.arms, played.rewards, self._losses, self._total, self._plays)}

    def answered(self, answer: int) -> dict[str, float]:
        """Return the simple regret of the answer."""
        return {"simple_regret": float(self._losses[answer])}


@jit
def _recommended(
    arms: IntArray, rewards: FloatArray, losses: FloatArray, total: FloatArray, plays: FloatArray
) -> FloatArray:
    """Return the mean loss of the arms with the largest mean reward after each round; update ``total``, ``plays``."""
    found = np.empty(len(arms))
    for i in range(len(arms)):
        total[arms[i]] += rewards[i]
        plays[arms[i]] += 1
        best = -np.inf
        for a in range(len(plays)):
            if plays[a]:
                best = max(best, total[a] / plays[a])
        loss, tied = 0.0, 0
        for a in range(len(plays)):
            if plays[a] and total[a] / plays[a] >= best - TIE:
                loss += losses[a]
                tied += 1
        found[i] = loss / tied
    return found
