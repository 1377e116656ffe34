"""Observe, then LUCB: the two stages of earlier causal bandits (Lattimore et al. 2016) inside xiong2023's own frame.

The same estimates and radii as CCPE-General; only when to watch is fixed beforehand, instead of once per iteration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_bandits.models.glm_bandit import GLMBandit, GLMWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.ccpe import Intervals
from causal_bandits.policies.ccpe_general import CCPEGeneral, Rule, play_to_the_end, watching


@dataclass(frozen=True)
class ObserveThenLUCB(CCPEGeneral):
    """Watch for a number of rounds, then play the two actions of LUCB in turn; end as soon as the intervals allow.

    Parameters
    ----------
    epsilon, delta, divisor, alpha_o, alpha_i
        As in `CCPEGeneral`.
    observations : int
        >= 1, the rounds of the first stage.
    """

    observations: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.observations < 1:
            raise ValueError(f"observations={self.observations}: must be at least 1")

    def run(self, bandit: GLMBandit, rounds: Rounds[GLMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        watcher = watching(bandit, self.alpha_o, self.delta / self.divisor)
        known = Intervals.unknown(len(bandit.arms))
        rule = Rule(self.epsilon, self.delta / self.divisor, self.alpha_i, watch_until=self.observations)
        return play_to_the_end(bandit, rounds, rng, watcher, known, rule)
