"""The structural causal bandit, whose arms intervene on an SCM (Lee & Bareinboim 2018, 2019)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.compiled import inlined
from causal_bandits.graphs.admg import ADMG, as_set, check_name, listing
from causal_bandits.graphs.intervention_sets import (
    brute_force,
    minimal_intervention_sets,
    possibly_optimal_intervention_sets,
)
from causal_bandits.models.arms import Arms, force, release
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.protocol import Bandit
from causal_bandits.models.sampling import CompiledSCM, exact_means, play_world
from causal_bandits.models.structural_bandit import StructuralBandit, World

#: Arm strategies by their names in config files; each is a function that finds intervention sets.
ARM_STRATEGIES = {
    "brute_force": brute_force,
    "minimal": minimal_intervention_sets,
    "possibly_optimal": possibly_optimal_intervention_sets,
}


#: Some rounds of an SCM bandit, for compiled loops (see `play_round`).
SCMWorld: TypeAlias = World[CompiledSCM]


@inlined
def play_round(world: SCMWorld, i: int, arm: int) -> int:
    """Play ``arm`` in round ``i`` and return the reward, 0 or 1; ``world.values`` then holds all states."""
    model, arms, reward = world.model, world.arms, world.reward
    uniforms, forced, values = world.uniforms, world.forced, world.values
    force(arms, arm, forced)
    play_world(model, uniforms[i], forced, values)
    release(arms, arm, forced)
    return values[reward]  # type: ignore[no-any-return]


@lru_cache(maxsize=256)  # a search over parameters asks for the same diagram thousands of times
def _ordered_sets(strategy: str, graph: ADMG, reward: str, fixed: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    sets = ARM_STRATEGIES[strategy](graph, outcome=reward, non_manipulable=fixed)
    return tuple(sorted((tuple(sorted(chosen)) for chosen in sets), key=lambda names: (len(names), names)))


@dataclass(frozen=True)
class SCMBandit(StructuralBandit[CompiledSCM]):
    """A bandit whose arms intervene on an SCM and whose reward is one of its variables.

    Parameters
    ----------
    scm : DiscreteSCM
    reward : str
        The binary reward variable Y.
    non_manipulable : iterable of str
        Variables that no arm sets; they are still observed.
    arm_strategy : str or Arms
        A key of `ARM_STRATEGIES`: the arms are all assignments to each of the strategy's intervention sets. Or the arms
        themselves, on the variables of ``scm``.

    Raises
    ------
    ValueError
        If the strategy or a variable is unknown, the reward is not binary, or a given arm sets the reward, a
        non-manipulable or hidden variable, or a state that its variable does not have.
    """

    scm: DiscreteSCM
    reward: str = "Y"
    non_manipulable: frozenset[str] = frozenset()
    arm_strategy: str | Arms = "brute_force"

    def __post_init__(self) -> None:
        object.__setattr__(self, "non_manipulable", as_set(self.non_manipulable, "non_manipulable"))
        check_name("reward", self.reward)
        if unknown := self.non_manipulable.difference(self.scm.graph):
            raise ValueError(f"non_manipulable: no variable {listing(unknown)} (there are {listing(self.scm.graph)})")
        if isinstance(self.arm_strategy, Arms):
            self._check_arms(self.arm_strategy)
        elif self.arm_strategy not in list(ARM_STRATEGIES):  # a list also accepts unhashable values
            known = ", ".join(sorted(ARM_STRATEGIES))
            raise ValueError(f"arms: {self.arm_strategy!r}; expected one of {known}, or Arms")
        if self.scm.cardinality(self.reward) != 2:
            raise ValueError(f"the reward {self.reward!r} must be binary")

    def _check_arms(self, arms: Arms) -> None:
        if arms.variables != self.scm.variables:
            raise ValueError("arms: expected the variables of the SCM, in its order")
        fixed = {self.reward, *self.non_manipulable, *self.scm.hidden}
        for number in sorted(set(arms.compiled.variable.tolist())):
            if self.scm.variables[number] in fixed:
                raise ValueError(f"arms: no arm may set {self.scm.variables[number]!r}")
        cardinality = self.scm.compiled.cardinality[arms.compiled.variable]
        if ((arms.compiled.state < 0) | (arms.compiled.state >= cardinality)).any():
            raise ValueError("arms: an arm sets a state that its variable does not have")

    @property
    def model(self) -> DiscreteSCM:
        """The SCM."""
        return self.scm

    def with_arms(self, arm_strategy: str | Arms) -> SCMBandit:
        """Return a copy of this bandit with different arms."""
        return replace(self, arm_strategy=arm_strategy)

    @cached_property
    def arms(self) -> Arms:
        """The given arms, or those of the strategy, ordered by set size, names and values."""
        if isinstance(self.arm_strategy, Arms):
            return self.arm_strategy
        return Arms(self.scm.variables, self._assignments(self.arm_strategy))

    def _assignments(self, strategy: str) -> Iterator[dict[str, int]]:
        for chosen in _ordered_sets(strategy, self.scm.graph, self.reward, self.non_manipulable):
            for values in product(*(range(self.scm.cardinality(v)) for v in chosen)):
                yield dict(zip(chosen, values, strict=True))

    @cached_property
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""
        return np.asarray(exact_means(self.scm.compiled, self.arms.compiled, self._reward_index))

    @cached_property
    def optimal_mean(self) -> float:
        """The largest expected reward of the given arms or, for a strategy, of all sets of manipulable variables.

        Regret therefore also counts the loss from sets that a strategy leaves out (L16).
        """
        if isinstance(self.arm_strategy, Arms) or self.arm_strategy == "brute_force":
            return float(self.means.max())
        return self.with_arms("brute_force").optimal_mean

    def _play_round(self, world: SCMWorld, i: int, arm: int) -> int:
        return play_round(world, i, arm)


if TYPE_CHECKING:  # mypy checks the protocol
    _: type[Bandit[SCMWorld]] = SCMBandit
