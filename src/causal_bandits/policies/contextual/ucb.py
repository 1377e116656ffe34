"""UCB on a table of means, the baseline of huang2022 and huang2024."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.checks import Constraints, constrained
from causal_bandits.estimation.cells import cells, no_rewards
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.contextual.helpers import cell_ucb

#: The mean of an arm before its first reward, by name. With 0 and 1 v N the index is the bonus alone (huang2022, Eq.
#: 6); with infinity the index is infinite, as the formula gives for N = 0 (huang2024, Algorithm 6, line 5).
UNPLAYED = {"one": 0.0, "infinite": np.inf}


@dataclass(frozen=True)
@constrained
class UCB:
    """Play the arm with the largest upper confidence bound on its mean in the context (UCB).

    The baseline with the weakest assumption: bounded or sub-Gaussian rewards. With many contexts use `LinUCB`: here
    nothing learnt in one context helps in another. `DUCB` shares means between contexts.

    huang2022, Section 4, describes it without pseudo-code; the steps are ours:

    1. In a round with context x give each arm an index, its mean in x plus sqrt(2 log(1/delta) / N) after N plays in x.
    2. Play the arm with the largest index; ties are broken at random (L54).
    3. Update the mean of this context and arm.

    Parameters
    ----------
    context_free : bool
        Whether each arm has a single mean for all contexts instead.
    confidence : str
        delta = 1/t^2 (huang2022), or 1/T^2 (huang2024), which needs the horizon T.
    unplayed : str
        For an arm without rewards, N counts as 1 and the mean as 0 (L46), or the index is infinite.

    References
    ----------
    Auer et al. 2002.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import UCB
    >>> from causal_bandits.problems import make
    >>> run = play(UCB(), make("huang2024/synthetic"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 200)
    True
    """

    plays: ClassVar[type] = ContextualBandit
    constraints: ClassVar[Constraints] = {"confidence": tuple(cell_ucb.CONFIDENCE), "unplayed": tuple(UNPLAYED)}

    context_free: bool = False
    confidence: str = "anytime"
    unplayed: str = "one"

    def run(self, bandit: ContextualBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        table = bandit.manipulable if self.context_free else (*bandit.context, *bandit.manipulable)
        means = no_rewards(cells(bandit, tuple(table)), UNPLAYED[self.unplayed])  # Alg. 6, line 2
        # steps 1 to 3; Alg. 6, lines 3 to 6, 8 and 9
        return cell_ucb.run(bandit, rounds, rng, means, self.confidence, self._limits(bandit))

    def _limits(self, bandit: ContextualBandit) -> cell_ucb.Limits | None:
        return None
