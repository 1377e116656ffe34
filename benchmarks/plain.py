"""The same algorithms in plain Python and NumPy, one round at a time: the twin of tests and benchmarks.

They are written from the papers' pseudo-code, solve for every index in every round, and share nothing with the compiled
policies but the problem they play.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

from causal_bandits.policies.base import StepwisePolicy


@dataclass
class PlainThompson(StepwisePolicy):
    """Bernoulli Thompson sampling with Beta(1, 1) priors."""

    def start(self, problem, horizon):
        self.reward = problem.reward
        self.ones, self.zeros = np.ones(len(problem.arms)), np.ones(len(problem.arms))

    def select(self, t, context, rng):
        return int(np.argmax(rng.beta(self.ones, self.zeros)))

    def update(self, arm, outcome):
        self.ones[arm] += outcome[self.reward]
        self.zeros[arm] += 1 - outcome[self.reward]


@dataclass
class PlainKLUCB(StepwisePolicy):
    """kl-UCB with f(t) = ln t + c ln ln t (1 below t = 3), ties at random; every index by root finding."""

    c: float = 3.0

    def start(self, problem, horizon):
        self.reward = problem.reward
        self.ones, self.plays = np.zeros(len(problem.arms), dtype=int), np.zeros(len(problem.arms), dtype=int)

    def select(self, t, context, rng):
        if t < len(self.plays):
            return t
        f = math.log(t) + self.c * math.log(math.log(t)) if t >= 3 else 1.0
        index = [upper_bound(s / n, f / n) for s, n in zip(self.ones, self.plays, strict=True)]
        best = int(np.argmax(index))
        record = (self.ones[best], self.plays[best])
        never_failed = self.ones[best] == self.plays[best]
        tied = [
            x
            for x in range(len(index))
            if (self.ones[x], self.plays[x]) == record or (never_failed and self.ones[x] == self.plays[x])
        ]
        return tied[int(rng.random() * len(tied))] if len(tied) > 1 else best

    def update(self, arm, outcome):
        self.ones[arm] += outcome[self.reward]
        self.plays[arm] += 1


def bernoulli_kl(p, q):
    """Kullback-Leibler divergence of Bernoulli(p) from Bernoulli(q)."""
    return sum(a * math.log(a / b) if a > 0 else 0.0 for a, b in ((p, q), (1 - p, 1 - q)))


def upper_bound(p, divergence):
    """Largest mu >= p with KL(p, mu) <= divergence."""
    if p == 1.0:
        return 1.0
    nearly_one = 1 - 1e-16
    if bernoulli_kl(p, nearly_one) <= divergence:
        return nearly_one
    return brentq(lambda mu: bernoulli_kl(p, mu) - divergence, p, nearly_one, xtol=1e-15)
