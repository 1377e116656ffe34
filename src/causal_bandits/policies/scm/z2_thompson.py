"""z2-TS (lee2019, Algorithm 3, lines 1 to 12): Thompson sampling with arms that share samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import constrained
from causal_bandits.compiled import inlined, loop
from causal_bandits.estimation.mvwa import observe
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.scm.helpers.z2 import Sharing, Z2Policy, proper


@dataclass(frozen=True)
@constrained
class Z2Thompson(Z2Policy):
    """Play Thompson sampling with arms that share samples through z2ID (z2-TS).

    Use it if you have the graph, including hidden causes, and a small number of arms with much in common. It costs far
    more than `Thompson`: each round updates every expression that uses its data.

    Line numbers are those of lee2019, Algorithm 3:

    1. (lines 2 to 5) Let z2ID find for each arm all expressions that give its mean in terms of rounds of other arms.
    2. (line 6) Do the following in every round.
    3. (lines 7 and 8) Estimate each arm's mean by the minimum-variance weighted average of its expressions.
    4. (lines 9 and 10) Draw a number from the Beta distribution with this mean and variance.
    5. (line 11) Choose the arm with the largest draw.
    6. (line 12) Play it, and update all expressions that use the round.

    Parameters
    ----------
    replicates : int
        The number of bootstrap replicates.
    averaging : str
        How the covariance of an arm's estimators is estimated; ``delta`` needs no replicates.
    collections : str
        Which experiments z2ID derives expressions from (L08).
    tried : str
        In which order it tries them.
    support : str
        What must have been observed before an expression is used (L10).
    solver : str
        What finds the weights of the average: their minimum, or where a general-purpose solver stops before it (L14).
    tolerance : float
        Where the solver stops; ``exact`` uses none.

    Notes
    -----
    Extras, summed over the rounds so far: ``clipped``, the number of arms whose average no Beta distribution matches
    (L13), and ``borrowed``, the weight of the expressions other than the arm's own mean, averaged over arms.

    References
    ----------
    Lee & Bareinboim 2019, "Structural causal bandits with non-manipulable variables" (lee2019).

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import Z2Thompson
    >>> from causal_bandits.problems import make
    >>> run = play(Z2Thompson(replicates=50), make("lee2019/frontdoor"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 100)
    True
    """

    plays: ClassVar[type] = SCMBandit
    extras: ClassVar[tuple[str, ...]] = ("clipped", "borrowed")

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        sharing = self.sharing(bandit)  # lines 2 to 5
        for world in rounds:
            arms, rewards = blank(rounds.size)
            clipped, borrowed = np.zeros(rounds.size, dtype=np.int64), np.empty(rounds.size)
            _play(arms, rewards, clipped, borrowed, world, sharing, rng)
            rounds.record(arms, rewards, clipped=clipped, borrowed=borrowed)
        return {}


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    clipped: IntArray,
    borrowed: FloatArray,
    world: SCMWorld,
    sharing: Sharing,
    rng: np.random.Generator,
) -> None:
    averages = sharing.averages
    for i in range(len(arms)):  # line 6
        arms[i], clipped[i] = choose(averages.mean, averages.variance, rng)
        rewards[i] = play_round(world, i, arms[i])  # line 12
        observe(sharing.estimators, averages, sharing.method, arms[i], world.values, rewards[i], rng)
        borrowed[i] = averages.borrowed.mean()


@inlined
def choose(means: FloatArray, variances: FloatArray, rng: np.random.Generator) -> tuple[int, int]:
    """Return the arm with the largest draw (lines 7 to 11), and how many averages were clipped."""
    arm, largest, clipped = 0, -1.0, 0
    for x in range(len(means)):  # line 7
        mean, variance, changed = proper(means[x], variances[x])  # line 8
        clipped += changed
        weight = mean * (1.0 - mean) / variance - 1.0  # line 9: alpha + beta
        theta = rng.beta(mean * weight, (1.0 - mean) * weight)  # line 10
        if theta > largest:  # line 11
            arm, largest = x, theta
    return arm, clipped
