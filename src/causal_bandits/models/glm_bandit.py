"""The bandit whose arms intervene on a binary generalised linear model (xiong2023, Section 2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.compiled import inlined
from causal_bandits.identification.admissible import AdmissibleSequence, find_admissible_sequence
from causal_bandits.models.arms import Arms, Assignment, force, release
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.compiled_glm import CompiledGLM, play_glm_world
from causal_bandits.models.protocol import Bandit
from causal_bandits.models.structural_bandit import StructuralBandit, World

#: Some rounds of a bandit on a binary GLM, for compiled loops (see `play_round`).
GLMWorld: TypeAlias = World[CompiledGLM]


@inlined
def play_round(world: GLMWorld, i: int, arm: int) -> int:
    """Play ``arm`` in round ``i`` and return the reward, 0 or 1; ``world.values`` then holds all states."""
    model, forced, values = world.model, world.forced, world.values
    force(world.arms, arm, forced)
    play_glm_world(model, world.uniforms[i], forced, values)
    release(world.arms, arm, forced)
    return values[world.reward]  # type: ignore[no-any-return]


class GLMBandit(StructuralBandit[CompiledGLM]):
    """A bandit whose arms intervene on a binary GLM and whose reward is one of its variables.

    Parameters
    ----------
    glm : BinaryGLM
    actions : sequence of mapping from str to int
        The action set A; ``{}`` is do(), the null intervention.
    reward : str
        Y, an observed variable without effects.

    Raises
    ------
    ValueError
        If there is no action, an action occurs twice or sets the reward, a hidden variable or a state other than 0 and
        1, or the reward is hidden or has effects.
    """

    def __init__(self, glm: BinaryGLM, actions: Sequence[Assignment], reward: str = "Y") -> None:
        self.glm, self.reward = glm, reward
        if reward not in glm.graph or glm.graph.children(reward):
            raise ValueError(f"the reward {reward!r} must be an observed variable without effects")
        self._arms = Arms(glm.variables, actions)
        if not len(self.arms):
            raise ValueError("actions: none; expected at least one")
        seen = set()
        for action in self.arms:
            fixed = {reward, *glm.hidden}.intersection(action)
            if fixed or not set(action.values()) <= {0, 1}:
                raise ValueError(f"action {action}: expected 0 or 1 for observed variables other than {reward}")
            if (key := frozenset(action.items())) in seen:
                raise ValueError(f"action {action} occurs twice")
            seen.add(key)

    @property
    def model(self) -> BinaryGLM:
        """The binary GLM."""
        return self.glm

    @property
    def arms(self) -> Arms:
        """The arms that can be played, in the order of ``actions``."""
        return self._arms

    @cached_property
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""
        return np.array([self.glm.expectation(self.reward, action) for action in self.arms])

    @cached_property
    def sequences(self) -> tuple[AdmissibleSequence | None, ...]:
        """An admissible sequence for each action, or None (xiong2023, Definition 3).

        None for do(), and for actions without one.
        """
        return tuple(
            find_admissible_sequence(self.glm.graph, treatment=frozenset(action), outcome=self.reward)
            if action
            else None
            for action in self.arms
        )

    @cached_property
    def optimal_mean(self) -> float:
        """The largest expected reward of an arm."""
        return float(self.means.max())

    def _play_round(self, world: GLMWorld, i: int, arm: int) -> int:
        return play_round(world, i, arm)


if TYPE_CHECKING:  # mypy checks the protocol
    _: type[Bandit[GLMWorld]] = GLMBandit
