"""The structural causal bandit: an SCM, a reward, and arms that are interventions (Lee & Bareinboim 2018, 2019)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import (
    brute_force,
    minimal_intervention_sets,
    possibly_optimal_intervention_sets,
)
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.sampling import exact_means, play_world

Arm = Mapping[str, int]

#: Which intervention sets a strategy plays; names as config files use them.
ARM_STRATEGIES = {
    "brute_force": brute_force,
    "minimal": minimal_intervention_sets,
    "possibly_optimal": possibly_optimal_intervention_sets,
}


@lru_cache(maxsize=256)  # a search over parameters asks for the same diagram thousands of times
def _ordered_sets(strategy: str, graph: ADMG, reward: str, fixed: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    sets = ARM_STRATEGIES[strategy](graph, reward, fixed)
    return tuple(sorted((tuple(sorted(chosen)) for chosen in sets), key=lambda names: (len(names), names)))


@dataclass(frozen=True)
class SCMBandit:
    """A bandit whose arms intervene on an SCM and whose reward is one of its variables.

    Parameters
    ----------
    scm : DiscreteSCM
    reward : str
        The binary reward variable Y.
    non_manipulable : frozenset of str
        Variables that no arm touches (they are observed all the same).
    arm_strategy : str
        A key of `ARM_STRATEGIES`: arms are all value assignments to each of its intervention sets.

    Raises
    ------
    ValueError
        If the strategy or a variable is unknown, or the reward is not binary.
    """

    scm: DiscreteSCM
    reward: str = "Y"
    non_manipulable: frozenset[str] = frozenset()
    arm_strategy: str = "brute_force"

    def __post_init__(self) -> None:
        if self.arm_strategy not in ARM_STRATEGIES:
            raise ValueError(f"arms: {self.arm_strategy!r} is not one of {', '.join(sorted(ARM_STRATEGIES))}")
        if self.scm.cardinality(self.reward) != 2:
            raise ValueError(f"the reward {self.reward!r} must be binary")

    def with_arms(self, arm_strategy: str) -> SCMBandit:
        """The same bandit, played with the arms of another strategy."""
        return replace(self, arm_strategy=arm_strategy)

    @cached_property
    def arms(self) -> tuple[Arm, ...]:
        """Arms as assignments, ordered by set size, names and values: the same sets always give the same order."""
        sets = _ordered_sets(self.arm_strategy, self.scm.graph, self.reward, self.non_manipulable)
        return tuple(
            dict(zip(chosen, values, strict=True))
            for chosen in sets
            for values in product(*(range(self.scm.cardinality(v)) for v in chosen))
        )

    @cached_property
    def interventions(self) -> NDArray[np.int8]:
        """The arms for compiled loops, shape (arms, variables of the SCM): the forced state or -1."""
        return np.stack([self.scm.assignment_row(arm) for arm in self.arms])

    @cached_property
    def reward_index(self) -> int:
        """The reward's number among the SCM's variables."""
        return self.scm.variables.index(self.reward)

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Exact expected reward of each arm, shape (arms,)."""
        return np.asarray(exact_means(self.scm.compiled, self.interventions, self.reward_index))

    @cached_property
    def optimal_mean(self) -> float:
        """Largest expected reward over *all* manipulable sets, so that no strategy hides what it leaves out (L16)."""
        everything = self if self.arm_strategy == "brute_force" else self.with_arms("brute_force")
        return float(everything.means.max())

    def measures(
        self, arms: NDArray[np.int64], rewards: NDArray[np.float64], rng: np.random.Generator
    ) -> dict[str, NDArray[np.float64]]:
        """What is measured of a run beside regret: nothing."""
        return {}

    def worlds(self, horizon: int, rng: np.random.Generator) -> SCMWorlds:
        """The exogenous noise of ``horizon`` rounds, one uniform per variable (hidden ones too) each."""
        return SCMWorlds(self, rng.random((horizon, len(self.scm.variables))))

    def regrets(self, arms: NDArray[np.int64]) -> NDArray[np.float64]:
        """Pseudo-regret of each round, given the arm played in it (its expected loss; lee2019, Preliminaries)."""
        losses = self.optimal_mean - self.means
        # A round of the optimal arm costs exactly zero, whatever rounding the enumeration of another set has had.
        return np.where(losses < 1e-12, 0.0, losses)[arms]


class SCMWorlds:
    """The rounds of a structural causal bandit, played one at a time (see `policies.base.StepwisePolicy`)."""

    def __init__(self, problem: SCMBandit, uniforms: NDArray[np.float64]) -> None:
        self._problem, self._uniforms = problem, uniforms

    def context(self, t: int) -> None:
        """Nothing is seen before the arm is chosen."""

    def play(self, t: int, arm: int) -> tuple[dict[str, int], float]:
        """What the observed variables take in round ``t`` under ``arm``, and the reward."""
        scm = self._problem.scm
        values = np.empty(len(scm.variables), dtype=np.int8)
        play_world(scm.compiled, self._uniforms[t], self._problem.interventions[arm], values)
        outcome = {v: int(x) for v, x in zip(scm.variables, values, strict=True) if v not in scm.hidden}
        return outcome, float(outcome[self._problem.reward])

    def regrets(self, arms: NDArray[np.int64]) -> NDArray[np.float64]:
        """Pseudo-regret of each round, given the arms played."""
        return self._problem.regrets(arms)
