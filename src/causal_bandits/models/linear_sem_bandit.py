"""The bandit whose arms are soft interventions on a linear structural equation model.

Source: Varici et al. 2023.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.checks import check_number
from causal_bandits.compiled import inlined
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Arms, Assignment, Assignments, force, release
from causal_bandits.models.linear_sem import (
    CompiledLinearSEM,
    LinearSEM,
    Sweep,
    from_parents,
    means_of_arms,
    sweep,
)
from causal_bandits.models.protocol import Bandit, pseudo_regrets


class LinearWorld(NamedTuple):
    """Some rounds, for compiled loops.

    Attributes
    ----------
    first : int
        The index of the first of these rounds in its run.
    model : CompiledLinearSEM
    arms : Assignments
    reward : int
        The reward's index among the variables.
    noise : float64 array, shape (rounds, variables)
        The same whatever arm is played.
    forced : int8 array, shape (variables,)
        Workspace of `play_round`: -1 everywhere between rounds.
    values : float64 array, shape (variables,)
        The variables' values in the round played last.
    """

    first: int
    model: CompiledLinearSEM
    arms: Assignments
    reward: int
    noise: FloatArray
    forced: States
    values: FloatArray


@inlined
def play_round(world: LinearWorld, i: int, arm: int) -> float:
    """Play ``arm`` in round ``i`` and return the reward; ``world.values`` then holds all values."""
    model, forced, values = world.model, world.forced, world.values
    force(world.arms, arm, forced)
    for v in range(len(values)):
        values[v] = from_parents(model, v, 1 if forced[v] > 0 else 0, values) + world.noise[i, v]
    release(world.arms, arm, forced)
    return values[world.reward]  # type: ignore[no-any-return]


def subsets(variables: Sequence[str]) -> list[dict[str, int]]:
    """Return the arms that intervene on each set of ``variables``, smaller sets first.

    >>> subsets(["A", "B"])
    [{}, {'A': 1}, {'B': 1}, {'A': 1, 'B': 1}]
    """
    sizes = range(len(variables) + 1)
    return [dict.fromkeys(chosen, 1) for size in sizes for chosen in combinations(variables, size)]


class LinearSEMBandit:
    """A bandit whose arms intervene on sets of variables of a linear model.

    The reward is one of the variables.

    Parameters
    ----------
    sem : LinearSEM
    reward : str
        A variable without effects.
    arms : sequence of mapping from str to int, optional
        Each maps the variables that it intervenes on to 1; ``{}`` is observation. By default all sets of variables
        with a second mechanism, smaller ones first.
    believed : mapping from str to iterable of str, optional
        The parents that the learner believes every variable to have; by default the true ones.
    told_noise : mapping from str to float, optional
        The means of noise variables that the learner is told, where they are not the true ones.

    Raises
    ------
    ValueError
        If the reward has effects or is unknown, there is no arm, an arm occurs twice or intervenes on a variable
        without a second mechanism, or the beliefs name other variables, give the reward effects or have a cycle.
    """

    def __init__(
        self,
        sem: LinearSEM,
        reward: str = "Y",
        arms: Iterable[Assignment] | None = None,
        believed: Mapping[str, Iterable[str]] | None = None,
        told_noise: Mapping[str, float] | None = None,
    ) -> None:
        self.sem, self.reward = sem, reward
        if reward not in sem.graph or sem.graph.children(reward):
            raise ValueError(f"the reward {reward!r} must be a variable without effects")
        chosen = subsets(sem.intervenable) if arms is None else [dict(arm) for arm in arms]
        if not chosen:
            raise ValueError("arms: none; expected at least one")
        for arm in chosen:
            if not set(arm) <= set(sem.intervenable) or not set(arm.values()) <= {1}:
                raise ValueError(f"arm {arm}: expected 1 for each variable, all among {', '.join(sem.intervenable)}")
        if len({frozenset(arm) for arm in chosen}) < len(chosen):
            raise ValueError("arms: one occurs twice")
        self._arms = Arms(sem.variables, chosen)
        true = {v: tuple(sem.graph.parents(v)) for v in sem.variables}
        beliefs = true if believed is None else {v: tuple(parents) for v, parents in believed.items()}
        if set(beliefs) != set(true) or not {p for own in beliefs.values() for p in own} <= set(true):
            raise ValueError(
                f"believed: parents of {', '.join(sorted(beliefs))}; expected parents of {', '.join(sorted(true))}"
            )
        #: The causal diagram that the learner believes in.
        self.believed = ADMG([(p, v) for v, own in beliefs.items() for p in own], nodes=sem.variables)
        if self.believed.children(reward):
            raise ValueError(f"believed: the reward {reward!r} has effects; expected none")
        true_noise = dict(zip(sem.variables, sem.compiled.noise.tolist(), strict=True))
        #: The means of the noise that the learner is told.
        self.told_noise: dict[str, float] = {**true_noise, **(told_noise or {})}
        if set(self.told_noise) != set(true):
            raise ValueError(f"told_noise: {', '.join(sorted(told_noise or {}))}; expected names of variables")
        for v, mean in self.told_noise.items():
            check_number(f"told_noise: {v}", mean, "(-inf, inf)")

    @property
    def arms(self) -> Arms:
        """The arms that can be played."""
        return self._arms

    @cached_property
    def sweep(self) -> Sweep:
        """The arms in the order in which their means are computed.

        Variables are numbered as in ``sem.variables``.
        """
        return sweep(self._arms.compiled, len(self.sem.variables))

    @cached_property
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""
        index = np.empty(len(self._arms))
        means_of_arms(self.sem.compiled, self.sweep, self._reward, np.empty(len(self.sem.variables)), index)
        return index

    @property
    def optimal_mean(self) -> float:
        """The largest expected reward of an arm."""
        return float(self.means.max())

    @cached_property
    def _reward(self) -> int:
        return self.sem.variables.index(self.reward)

    @cached_property
    def _losses(self) -> FloatArray:
        return pseudo_regrets(self.optimal_mean, self.means)

    # ------------------------------------------------------------------ playing (see `models.protocol.Bandit`)

    @property
    def uniforms(self) -> int:
        """One uniform number per variable and round."""
        return len(self.sem.variables)

    @property
    def reward_range(self) -> tuple[float, float]:
        """Infinite: weights and noise set no useful bound."""
        return -np.inf, np.inf

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> LinearWorld:
        """Draw the noise of ``size`` rounds, from round ``first`` on."""
        n = len(self.sem.variables)
        return LinearWorld(
            first,
            self.sem.compiled,
            self._arms.compiled,
            self._reward,
            self.sem.noises(rng.random((size, n))),
            forced=np.full(n, -1, dtype=np.int8),
            values=np.empty(n),
        )

    def regrets(self, world: LinearWorld, arms: IntArray) -> FloatArray:
        """Return the pseudo-regret of each round: the optimal mean minus the mean of the arm played in it."""
        return self._losses[arms]

    def seen(self, world: LinearWorld, i: int) -> None:
        """Return None: nothing is seen before the arm is chosen."""

    def play(self, world: LinearWorld, i: int, arm: int) -> tuple[dict[str, Any], float]:
        """Play ``arm`` in round ``i`` of ``world``.

        Return the variables' values, which are real numbers, and the reward.
        """
        reward = float(play_round(world, i, arm))
        return dict(zip(self.sem.variables, world.values.tolist(), strict=True)), reward


if TYPE_CHECKING:  # mypy checks the protocol
    _: type[Bandit[LinearWorld]] = LinearSEMBandit
