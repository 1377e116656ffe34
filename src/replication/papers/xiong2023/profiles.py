"""Thresholds, gaps and bounds of a bandit by the definitions and theorems of xiong2023."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from causal_bandits.arrays import FloatArray
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.policies.glm import ccpe_bglm
from causal_bandits.policies.glm.helpers.best_arm import observing_arm
from causal_bandits.problems.xiong2023 import PROBLEMS
from replication.papers.xiong2023 import theory


@dataclass(frozen=True)
class Profile:
    """A bandit as the theorems see it.

    Parameters
    ----------
    bandit : GLMBandit
    epsilon, delta : float
        The guarantee that is asked for; Theorem 2 calls CCPE-General with delta / 5, which its order leaves out.
    equation : 7 or 15
        The equation that defines q_a: 7 for CCPE-BGLM, 15 for CCPE-General.
    """

    bandit: GLMBandit
    epsilon: float = 0.0
    delta: float = 0.1
    equation: Literal[7, 15] = 15

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Profile:
        """Make the profile of what a policy plays, from all its settings."""
        known = PROBLEMS[str(settings["problem"])].__annotations__
        options = {name: settings[name] for name in known if name in settings}
        return cls(
            PROBLEMS[str(settings["problem"])](**options),
            float(settings["epsilon"]),
            float(settings["delta"]),
            equation=7 if settings.get("algorithm") == "ccpe_bglm" else 15,
        )

    @cached_property
    def q(self) -> FloatArray:
        """q_a of Eq. 7 or of Eq. 15."""
        return ccpe_bglm.easiness(self.bandit) if self.equation == 7 else theory.easiness(self.bandit)

    @cached_property
    def gaps(self) -> FloatArray:
        """Delta_a."""
        return theory.gaps_of(self.bandit.means)

    @property
    def threshold(self) -> int:
        """The m of Definition 1."""
        return theory.observation_threshold(self.q)

    @property
    def gap_dependent(self) -> int:
        """The m_{epsilon, Delta} of Definition 2."""
        return theory.gap_dependent_threshold(self.q, self.gaps, self.epsilon)

    @property
    def hard(self) -> float:
        """H_m of Theorem 2."""
        return theory.hardness(self.q, self.gaps, self.epsilon, self.gap_dependent)

    @property
    def all_hard(self) -> float:
        """H, the sum over all actions: LUCB1's."""
        return theory.hardness(self.q, self.gaps, self.epsilon, len(self.q))

    @property
    def upper(self) -> float:
        """Theorem 2's order."""
        return theory.sample_complexity_bound(self.q, self.gaps, self.epsilon, self.delta)

    @property
    def bandit_upper(self) -> float:
        """LUCB1's order."""
        return theory.bandit_bound(self.gaps, self.epsilon, self.delta)

    @property
    def lower(self) -> float:
        """Theorem 3's order; 0 or less where it says nothing."""
        return theory.lower_bound(self.q, self.gaps, self.epsilon, self.delta, observing_arm(self.bandit))

    @property
    def in_class(self) -> bool:
        """Whether Theorem 3 is about this bandit: parallel, atomic actions on all values, means in its limits."""
        glm = self.bandit.glm
        causes = glm.parents(self.bandit.reward)
        atomic = {frozenset(action.items()) for action in self.bandit.arms}
        wanted = {frozenset[tuple[str, int]]()} | {frozenset({(x, s)}) for x in causes for s in (0, 1)}
        if glm.hidden or len(glm.graph.directed) != len(causes) or len(glm.variables) != len(causes) + 1:
            return False
        least, most = glm.range_of(self.bandit.reward)
        return atomic == wanted and theory.in_class_of_theorem_3(least, most, self.gaps, self.epsilon)
