"""LinUCB (huang2024, Algorithm 4 without line 10), optionally started from biased offline estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import POSITIVE, Constraints, constrained
from causal_bandits.compiled import jit, loop
from causal_bandits.estimation import ridge
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.contextual.helpers.features import context_indicators, feature_vectors, prior_knowledge
from causal_bandits.policies.helpers.choice import largest


@dataclass(frozen=True)
@constrained
class LinUCB:
    """Play the arm with the largest upper confidence bound from its ridge regression (LinUCB).

    Use it if there are many contexts and rewards are roughly linear in their features: what is learnt in one context
    helps in others. `LinUCBPCB` also uses causal bounds.

    Line numbers are those of huang2024, Algorithm 4, without line 10, which only LinUCB-PCB has:

    1. (line 6) Start a regression for each arm, with A = penalty I.
    2. (lines 2 and 9) In every round give each arm the index theta' x + alpha sqrt(x' A^-1 x), with x = [context, arm,
       1].
    3. (line 13) Play the arm with the largest index; ties are broken at random (L54).
    4. (lines 14 and 8) Add x and the reward to the arm's regression, and solve it for theta.

    Parameters
    ----------
    alpha : float
        Not published (L55).
    penalty : float
        1 in line 6.
    intercept : bool
        Whether the features have a constant 1 (L53).
    warm_start : str, optional
        The name of offline estimates in the bandit's prior (``cp``, ``biased``), which are learnt first, whether right
        or wrong: one pseudo-observation for each context and arm whose estimate is not NaN. These give huang2024's
        LinUCB_CP and LinUCB_Biased.
    warm_weight : str or float
        How many samples a pseudo-observation counts as: its offline ``count`` in the prior, or a number (L56).
    shared : bool
        Whether all arms share one theta, as in huang2024's Theorems 5 and 6.
    cells : bool
        Whether every pair of context and arm has its own mean, as in huang2024's Table 1 (L92): exact, but nothing
        learnt in one context helps in another. Cannot be combined with ``shared``.

    References
    ----------
    Li et al. 2010.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import LinUCB
    >>> from causal_bandits.problems import make
    >>> run = play(LinUCB(), make("huang2024/synthetic"), 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 100)
    True
    """

    plays: ClassVar[type] = ContextualBandit
    constraints: ClassVar[Constraints] = {"alpha": POSITIVE, "penalty": POSITIVE, "warm_weight": ("count", POSITIVE)}

    alpha: float = 1.0
    penalty: float = 1.0
    intercept: bool = True
    warm_start: str | None = None
    warm_weight: str | float = "count"
    shared: bool = False
    cells: bool = False

    def __post_init__(self) -> None:
        if self.shared and self.cells:
            raise ValueError(
                "shared and cells are both true (one theta for all arms, or one for each cell); expected one of them"
            )

    def run(self, bandit: ContextualBandit, rounds: Rounds[ContextualWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        features = context_indicators(bandit) if self.cells else feature_vectors(bandit, self.intercept)
        upper = self._upper(bandit)
        models = 1 if self.shared else len(bandit.arms)
        state = ridge.start(models, features.shape[-1], float(self.penalty))  # Alg. 4, line 6
        if self.warm_start is not None:
            estimates = prior_knowledge(bandit, self.warm_start)
            if self.warm_weight == "count":
                weights = prior_knowledge(bandit, "count")
            else:
                weights = np.full_like(estimates, self.warm_weight)
            learn_offline(state, features, estimates, weights)
        index, value = Index(features, upper, float(self.alpha)), np.empty(len(bandit.arms))
        for world in rounds:
            arms, rewards = blank(rounds.size)
            _play(arms, rewards, value, world, index, state, rng)
            ridge.check_condition(state, float(self.penalty))
            rounds.record(arms, rewards)
        return {}

    def _upper(self, bandit: ContextualBandit) -> FloatArray:
        return np.full((len(bandit.contexts), len(bandit.arms)), np.inf)


@jit
def learn_offline(state: ridge.Ridge, features: FloatArray, estimates: FloatArray, weights: FloatArray) -> None:
    """Update the regression with every cell's estimate, as one sample with the cell's weight.

    Cells of weight zero, and cells whose estimate is NaN, are left out.

    Parameters
    ----------
    state : Ridge
        One regression per arm, or one for all.
    features : float64 array, shape (contexts, arms, d)
    estimates, weights : float64 arrays, shape (contexts, arms)
    """
    for c in range(features.shape[0]):
        for a in range(features.shape[1]):
            if weights[c, a] > 0 and not np.isnan(estimates[c, a]):
                ridge.learn(state, a if len(state.b) > 1 else 0, features[c, a], estimates[c, a], weights[c, a])


class Index(NamedTuple):
    """The parts of an arm's index that are not learnt.

    Attributes
    ----------
    features : float64 array, shape (contexts, arms, d)
    upper : float64 array, shape (contexts, arms)
    alpha : float
    """

    features: FloatArray
    upper: FloatArray
    alpha: float


@loop
def _play(
    arms: IntArray,
    rewards: FloatArray,
    value: FloatArray,
    world: ContextualWorld,
    index: Index,
    state: ridge.Ridge,
    rng: np.random.Generator,
) -> None:
    shared = len(state.b) == 1
    for i in range(len(arms)):  # Alg. 4, line 2
        context = world.contexts[i]
        for a in range(len(value)):
            model, x = 0 if shared else a, index.features[context, a]
            ucb = ridge.estimate(state, model, x) + index.alpha * ridge.width(state, model, x)  # line 9
            value[a] = min(ucb, index.upper[context, a])  # line 10
        arm = largest(value, rng)  # line 13
        rewards[i] = play_round(world, i, arm)
        ridge.learn(state, 0 if shared else arm, index.features[context, arm], rewards[i])  # lines 14 and 8
        arms[i] = arm
