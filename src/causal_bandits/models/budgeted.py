"""Bandits whose arms have costs: a run has a budget, not a number of rounds.

What counts is reward per unit of cost. Who plays the arm of the largest mu_a / c_a all the time has B max(mu / c) from
a budget B, up to what is too little to pay for another round. So a play of arm a regrets what its cost would have
brought, c_a max(mu / c) - mu_a. A run that leaves some of its budget regrets that rest times max(mu / c) besides.

Costs are whole numbers, at least 1, and do() costs 1 where it is an arm. Then a budget of B pays for at most B rounds,
and a player who may always play do() leaves nothing.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.arms import Arms
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.compiled_glm import CompiledGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.protocol import Bandit, pseudo_regrets
from causal_bandits.models.sampling import CompiledSCM
from causal_bandits.models.structural_bandit import StructuralBandit, World

C = TypeVar("C")


class BudgetedBandit(Generic[C]):
    """Base of bandits on a causal model whose arms have costs.

    It is no bandit of the kind that it wraps: an algorithm that knows nothing of costs would spend without end.

    Parameters
    ----------
    bandit : StructuralBandit
        What is played.
    costs : array of int, shape (arms,)
        What a round of each arm costs: whole numbers, at least 1, and 1 for do().

    Attributes
    ----------
    bandit : StructuralBandit
    costs : int64 array, shape (arms,)

    Raises
    ------
    ValueError
        If there is not one cost per arm, or one is no whole number, is below 1, or is not 1 for do().
    """

    def __init__(self, bandit: StructuralBandit[C], costs: ArrayLike) -> None:
        given = np.asarray(costs, dtype=np.float64)
        if given.shape != (len(bandit.arms),):
            raise ValueError(f"costs: the shape {given.shape}; expected ({len(bandit.arms)},), one cost per arm")
        for arm, cost in zip(bandit.arms, given.tolist(), strict=True):
            if not (1 <= cost < math.inf and cost == round(cost)) or (not arm and cost != 1):
                raise ValueError(
                    f"costs: {cost:g} of the arm {arm}; expected a whole number, at least 1, and 1 for do()"
                )
        self.bandit, self.costs = bandit, given.astype(np.int64)
        self.costs.flags.writeable = False

    @property
    def arms(self) -> Arms:
        """What can be played."""
        return self.bandit.arms

    @property
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""
        return self.bandit.means

    @property
    def null(self) -> int:
        """The number of the arm do().

        Raises
        ------
        ValueError
            If do() is no arm.
        """
        for number, arm in enumerate(self.arms):
            if not arm:
                return number
        raise ValueError(f"none of the {len(self.arms)} arms is do(): without it nothing is observed passively")

    @cached_property
    def best_rate(self) -> float:
        """The largest expected reward per unit of cost."""
        return float((self.means / self.costs).max())

    @cached_property
    def _losses(self) -> FloatArray:
        return pseudo_regrets(np.multiply(self.costs, self.best_rate, dtype=np.float64), self.means)

    def spent(self, arms: IntArray) -> int:
        """Return what the plays of ``arms`` cost, shape (rounds,)."""
        return int(self.costs[arms].sum())

    # ------------------------------------------------------------------ playing (see `models.protocol.Bandit`)

    @property
    def uniforms(self) -> int:
        """One uniform number per variable and round, hidden variables too."""
        return self.bandit.uniforms

    @property
    def reward_range(self) -> tuple[float, float]:
        """0 and 1: the reward is a binary variable."""
        return self.bandit.reward_range

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> World[C]:
        """Draw the exogenous noise of ``size`` rounds, from round ``first`` on."""
        return self.bandit.worlds(first, size, rng)

    def regrets(self, world: World[C], arms: IntArray) -> FloatArray:
        """Return the pseudo-regret of each round: c_a max(mu / c) - mu_a for the arm a played in it."""
        return self._losses[arms]

    def seen(self, world: World[C], i: int) -> None:
        """Return None: nothing is seen before the arm is chosen."""

    def play(self, world: World[C], i: int, arm: int) -> tuple[dict[str, int], float]:
        """Play ``arm`` in round ``i`` of ``world``: the observed variables' states, and the reward."""
        return self.bandit.play(world, i, arm)


class BudgetedSCMBandit(BudgetedBandit[CompiledSCM]):
    """An `SCMBandit` whose arms have costs.

    Parameters
    ----------
    bandit : SCMBandit
    costs : array of int, shape (arms,)
        See `BudgetedBandit`.
    """

    bandit: SCMBandit

    def __init__(self, bandit: SCMBandit, costs: ArrayLike) -> None:
        super().__init__(bandit, costs)


class BudgetedGLMBandit(BudgetedBandit[CompiledGLM]):
    """A `GLMBandit` whose arms have costs.

    Parameters
    ----------
    bandit : GLMBandit
    costs : array of int, shape (arms,)
        See `BudgetedBandit`.
    """

    bandit: GLMBandit

    def __init__(self, bandit: GLMBandit, costs: ArrayLike) -> None:
        super().__init__(bandit, costs)


if TYPE_CHECKING:  # held to the protocol by mypy
    _: type[Bandit[World[CompiledSCM]]] = BudgetedSCMBandit
    __: type[Bandit[World[CompiledGLM]]] = BudgetedGLMBandit
