"""Policies that forget, and Thompson sampling for normal rewards, in plain Python, from their definitions.

Each looks at the whole history in every round.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from causal_bandits.policies.base import StepwisePolicy


@dataclass
class Remembering(StepwisePolicy):
    """A policy that keeps every round."""

    def start(self, problem, horizon):
        self.arms, self.history = self.playable(problem), []

    @staticmethod
    def playable(problem):
        return range(len(problem.arms))

    def update(self, arm, states, reward):
        self.history.append((arm, reward))

    @staticmethod
    def largest(index, rng):
        ties = [a for a, value in enumerate(index) if value >= max(index) - 1e-10]
        return ties[int(rng.random() * len(ties))] if len(ties) > 1 else ties[0]


@dataclass
class PlainDiscountedUCB(Remembering):
    """The discounted sums of Garivier & Moulines (2011), term by term."""

    discount: float = 0.999
    xi: float = 0.6

    def select(self, t, context, rng):
        played = {arm for arm, _ in self.history}
        if unplayed := [a for a in self.arms if a not in played]:
            return unplayed[0]
        total, pulls = np.zeros(len(self.arms)), np.zeros(len(self.arms))
        for s, (arm, reward) in enumerate(self.history):
            weight = self.discount ** (t - 1 - s)
            total[arm] += weight * reward
            pulls[arm] += weight
        return self.largest(total / pulls + 2 * np.sqrt(self.xi * math.log(pulls.sum()) / pulls), rng)


@dataclass
class PlainSlidingWindowUCB(Remembering):
    """The last rounds, and nothing else."""

    window: int = 1000
    xi: float = 0.6

    def select(self, t, context, rng):
        shown = {a: [r for arm, r in self.history[-self.window :] if arm == a] for a in self.arms}
        if unseen := [a for a in self.arms if not shown[a]]:
            return unseen[0]
        width = self.xi * math.log(min(t, self.window))
        return self.largest([np.mean(r) + math.sqrt(width / len(r)) for r in shown.values()], rng)


@dataclass
class PlainDiscountedThompson(Remembering):
    """Beta posteriors from discounted sums, term by term."""

    discount: float = 0.999
    prior_ones: float = 1.0
    prior_zeros: float = 1.0

    def select(self, t, context, rng):
        ones, zeros = np.full(len(self.arms), self.prior_ones), np.full(len(self.arms), self.prior_zeros)
        for s, (arm, reward) in enumerate(self.history):
            weight = self.discount ** (t - 1 - s)
            ones[arm] += weight * reward
            zeros[arm] += weight * (1 - reward)
        return int(np.argmax(rng.beta(ones, zeros)))


@dataclass
class PlainNormalThompson(Remembering):
    """Posteriors of normal means with unknown variances, from all rewards."""

    alpha: float = -1.0

    @staticmethod
    def playable(problem):
        return range(problem.empty)

    def select(self, t, context, rng):
        own = {a: [r for arm, r in self.history if arm == a] for a in self.arms}
        fewest = min(self.arms, key=lambda a: (len(own[a]), a))
        if len(own[fewest]) < max(2, 3 - math.floor(2 * self.alpha)):
            return fewest
        squares = {a: len(r) * np.var(r) for a, r in own.items()}
        draws = []
        for a, r in own.items():
            n, s = len(r), squares[a]
            if len(set(r)) == 1:
                s = n * sum(squares.values()) / sum(len(other) - 1 for other in own.values())
            nu = n + 2 * self.alpha - 1
            t = rng.standard_normal() / math.sqrt(2 * rng.standard_gamma(nu / 2) / nu)
            draws.append(np.mean(r) + t * math.sqrt(s / (n * nu)))
        return int(np.argmax(draws))
