"""Shared parts of bandits on a causal model whose reward is one of its binary variables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numba.extending import overload

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.compiled import inlined
from causal_bandits.models.arms import Arms, Assignments, force, release
from causal_bandits.models.compiled_glm import CompiledGLM, play_glm_world
from causal_bandits.models.protocol import pseudo_regrets
from causal_bandits.models.sampling import CompiledSCM, play_world

C = TypeVar("C")
C_co = TypeVar("C_co", covariant=True)


class CausalModel(Protocol[C_co]):
    """A model whose world is one uniform number per variable."""

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables, including hidden ones, in the order of a world's uniform numbers."""
        ...

    @property
    def hidden(self) -> tuple[str, ...]:
        """The variables that are never observed."""
        ...

    @property
    def compiled(self) -> C_co:
        """The model as flat arrays."""
        ...


class World(NamedTuple, Generic[C]):
    """Some rounds of a structural bandit, for compiled loops.

    Attributes
    ----------
    first : int
        The index of the first of these rounds in its run.
    model : CompiledSCM or CompiledGLM
    arms : Assignments
    reward : int
        The reward's index among the variables.
    uniforms : float64 array, shape (rounds, variables)
    forced, values : int8 arrays, shape (variables,)
        Workspace of ``play_round``: -1 everywhere between rounds; the variables' states in the round played last.
    """

    first: int
    model: C
    arms: Assignments
    reward: int
    uniforms: FloatArray
    forced: States
    values: States


def play_any_world(model: Any, uniforms: FloatArray, do: States, values: States) -> None:
    """Write into ``values`` the variables' states in a world of either model; only compiled code calls it."""
    raise NotImplementedError


@overload(play_any_world, inline="always")
def _play_any_world(model, uniforms, do, values):  # type: ignore[no-untyped-def]  # numba compares the signatures
    """Choose the loop for a type of model."""
    if model.instance_class is CompiledSCM:
        return lambda model, uniforms, do, values: play_world(model, uniforms, do, values)
    if model.instance_class is CompiledGLM:
        return lambda model, uniforms, do, values: play_glm_world(model, uniforms, do, values)
    return None


@inlined
def play_round(world: World[Any], i: int, arm: int) -> int:
    """Play ``arm`` in round ``i`` of any structural bandit and return the reward, 0 or 1."""
    force(world.arms, arm, world.forced)
    play_any_world(world.model, world.uniforms[i], world.forced, world.values)
    release(world.arms, arm, world.forced)
    return world.values[world.reward]  # type: ignore[no-any-return]


class StructuralBandit(ABC, Generic[C]):
    """Base of bandits whose arms intervene on a causal model and whose reward is a binary variable.

    Attributes
    ----------
    reward : str
        The reward variable.
    arms : Arms
    """

    reward: str

    @property
    @abstractmethod
    def model(self) -> CausalModel[C]:
        """The causal model."""

    @property
    @abstractmethod
    def arms(self) -> Arms:
        """The arms that can be played."""

    @property
    @abstractmethod
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""

    @property
    @abstractmethod
    def optimal_mean(self) -> float:
        """The expected reward that regret is measured against."""

    @abstractmethod
    def _play_round(self, world: World[C], i: int, arm: int) -> int:
        """Play ``arm`` in round ``i`` and return the reward; ``world.values`` then holds all states."""

    @cached_property
    def _reward_index(self) -> int:
        return self.model.variables.index(self.reward)

    @cached_property
    def _losses(self) -> FloatArray:
        return pseudo_regrets(self.optimal_mean, self.means)

    # ------------------------------------------------------------------ playing (see `models.protocol.Bandit`)

    @property
    def uniforms(self) -> int:
        """One uniform number per variable and round, including hidden variables."""
        return len(self.model.variables)

    @property
    def reward_range(self) -> tuple[float, float]:
        """0 and 1: the reward is a binary variable."""
        return 0.0, 1.0

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> World[C]:
        """Draw the exogenous noise of ``size`` rounds, from round ``first`` on."""
        n = len(self.model.variables)
        return World(
            first,
            self.model.compiled,
            self.arms.compiled,
            self._reward_index,
            rng.random((size, n)),
            forced=np.full(n, -1, dtype=np.int8),
            values=np.empty(n, dtype=np.int8),
        )

    def regrets(self, world: World[C], arms: IntArray) -> FloatArray:
        """Return the pseudo-regret of each round: the optimal mean minus the mean of the arm played in it."""
        return self._losses[arms]

    def seen(self, world: World[C], i: int) -> None:
        """Return None: nothing is seen before the arm is chosen."""

    def play(self, world: World[C], i: int, arm: int) -> tuple[dict[str, int], float]:
        """Play ``arm`` in round ``i`` of ``world``; return the observed variables' states and the reward."""
        reward = float(self._play_round(world, i, arm))
        return observed_states(self.model.variables, self.model.hidden, world.values), reward


def observed_states(variables: Sequence[str], hidden: Iterable[str], values: States) -> dict[str, int]:
    """Map each variable that is not hidden to its state in ``values``, shape (variables,)."""
    return {v: state for v, state in zip(variables, values.tolist(), strict=True) if v not in hidden}
