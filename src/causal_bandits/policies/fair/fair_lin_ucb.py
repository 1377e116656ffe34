"""Fair-LinUCB, the baseline of huang2022's Table 2, reconstructed.

F_a = -sign(s_t) (mean reward of the protected group minus that of the other group, under arm a), where sign(s_t) is 1
for a user in the protected group and -1 for one in the other, and L(gamma, F) = alpha_max (gamma^(F + 1) - 1) /
(gamma^2 - 1).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import NOT_NEGATIVE, POSITIVE, Constraints, Interval, constrained
from causal_bandits.compiled import kernel, loop
from causal_bandits.estimation import ridge
from causal_bandits.models.contextual import ContextualWorld, play_round
from causal_bandits.models.fair import FairBandit
from causal_bandits.policies.base import Outcome, Queries, Rounds, blank
from causal_bandits.policies.contextual.helpers.features import feature_vectors
from causal_bandits.policies.helpers.choice import largest


@dataclass(frozen=True)
@constrained
class FairLinUCB:
    """Play LinUCB with a term that favours arms whose rewards are better in the other group (Fair-LinUCB).

    The fair baseline that needs no graph. It trades off fairness against reward, whereas `FUCB` enforces fairness. It
    assumes rewards that are linear in context and arm.

    huang2022 only cites it, without its hyper-parameters, so it is reconstructed (L51); the steps are ours:

    1. Give each arm the index theta' x + alpha sqrt(x' A^-1 x) + L(gamma, F), with x = [user, arm, 1]. F is the arm's
       mean reward in the other group minus that in the user's group, and 0 until the arm has been played for both
       groups. L grows from 0 at F = -1 to ``alpha_max`` at F = 1.
    2. Choose the arm with the largest index; ties are broken at random (L54).
    3. Play it, and add x and the reward to the ridge regression that all arms share.
    4. Update the mean reward of the user's group under this arm.

    Parameters
    ----------
    alpha : float
        The factor of the confidence term.
    alpha_max : float
        The largest value of the fairness term for rewards from 0 to 1.
    gamma : float
        The larger gamma, the more the largest F outweighs the others.
    penalty : float
        A = penalty I at the start.

    References
    ----------
    Huang et al. 2020, as cited by huang2022.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import FairLinUCB
    >>> from causal_bandits.problems import make
    >>> run = play(FairLinUCB(), make("huang2022/straddling"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 200)
    True
    """

    plays: ClassVar[type] = FairBandit
    constraints: ClassVar[Constraints] = {
        "alpha": POSITIVE,
        "alpha_max": NOT_NEGATIVE,
        "gamma": Interval(1, math.inf),
        "penalty": POSITIVE,
    }

    alpha: float = 1.0
    alpha_max: float = 1.0
    gamma: float = 2.0
    penalty: float = 1.0

    def run(self, bandit: FairBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        features = feature_vectors(bandit, intercept=True)
        index = Index(features, bandit.sensitive_states, float(self.alpha), float(self.alpha_max), float(self.gamma))
        n_arms, regression = len(bandit.arms), ridge.start(1, features.shape[-1], float(self.penalty))
        learnt, value = Learnt(regression, np.zeros((2, n_arms)), np.zeros((2, n_arms))), np.empty(n_arms)
        for world in rounds:
            (arms, rewards), queried = blank(rounds.size), rounds.queries.blank(rounds.size)
            _play(arms, rewards, queried, value, world, index, learnt, rounds.queries, rng)
            ridge.check_condition(regression, float(self.penalty))
            rounds.record(arms, rewards, queried_arms=queried)
        return {}


class Index(NamedTuple):
    """The parts of an arm's index that are not learnt.

    Attributes
    ----------
    features : float64 array, shape (contexts, arms, d)
    groups : int64 array, shape (contexts,)
        The group of each context's users.
    alpha, alpha_max, gamma : float
    """

    features: FloatArray
    groups: IntArray
    alpha: float
    alpha_max: float
    gamma: float


class Learnt(NamedTuple):
    """The regression, and the pulls and mean reward of each group and arm, shape (2, arms)."""

    regression: ridge.Ridge
    pulls: FloatArray
    mean: FloatArray


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    queried: IntArray,
    value: FloatArray,
    world: ContextualWorld,
    index: Index,
    learnt: Learnt,
    queries: Queries,
    rng: np.random.Generator,
) -> None:
    pulls, mean = learnt.pulls, learnt.mean
    for i in range(len(arms)):
        context = world.contexts[i]
        own = index.groups[context]
        for k in range(queried.shape[1]):
            queried[i, k] = _choose(index, learnt, queries.contexts[context, k], value, queries.rng)
        arm = _choose(index, learnt, context, value, rng)
        reward = play_round(world, i, arm)
        ridge.learn(learnt.regression, 0, index.features[context, arm], reward)  # step 3
        pulls[own, arm] += 1  # step 4
        mean[own, arm] += (reward - mean[own, arm]) / pulls[own, arm]
        arms[i], rewards[i] = arm, reward


@kernel
def _choose(index: Index, learnt: Learnt, context: int, value: FloatArray, rng: np.random.Generator) -> int:
    """Choose the arm with the largest index in ``context``; ``value`` is scratch memory."""
    state, pulls, mean, gamma = learnt.regression, learnt.pulls, learnt.mean, index.gamma
    own = index.groups[context]
    for a in range(len(value)):  # step 1
        x = index.features[context, a]
        f = 0.0
        if pulls[0, a] > 0 and pulls[1, a] > 0:
            f = mean[1 - own, a] - mean[own, a]
        fairness = index.alpha_max * (gamma ** (f + 1) - 1) / (gamma**2 - 1)
        value[a] = ridge.estimate(state, 0, x) + index.alpha * ridge.width(state, 0, x) + fairness
    return largest(value, rng)  # step 2
