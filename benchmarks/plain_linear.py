"""Linear contextual bandits in plain NumPy, one round at a time: the twin of tests and benchmarks.

Written from the pseudo-code: A and b are summed up and the equations solved anew for every index of every round. Shares
nothing with the compiled policies but the problem they play and the rule of ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from causal_bandits.policies.base import StepwisePolicy


def features_of(context, arm, intercept=True):
    """x = [c, x_a, 1]."""
    return np.array([*context.values(), *arm.values(), *([1] if intercept else [])], dtype=float)


def at_random(index, rng):
    """The number of the largest, ties (1e-10) at random."""
    tied = np.flatnonzero(np.asarray(index) >= max(index) - 1e-10)
    return int(tied[int(rng.random() * len(tied))]) if len(tied) > 1 else int(tied[0])


@dataclass
class PlainLinUCB(StepwisePolicy):
    """Algorithm 4 of huang2024; without line 10 unless ``clipped``."""

    alpha: float = 1.0
    penalty: float = 1.0
    intercept: bool = True
    warm_start: str | None = None
    warm_weight: str | float = "count"
    shared: bool = False
    clipped: bool = False

    def start(self, problem, horizon):
        self.problem = problem
        d = len(features_of(problem.contexts[0], problem.arms[0], self.intercept))
        self.a = [self.penalty * np.eye(d) for _ in problem.arms]
        self.b = [np.zeros(d) for _ in problem.arms]
        if self.warm_start is not None:
            for c, context in enumerate(problem.contexts):
                for arm in range(len(problem.arms)):
                    weight = problem.prior["count"][c, arm] if self.warm_weight == "count" else self.warm_weight
                    estimate = problem.prior[self.warm_start][c, arm]
                    if not np.isnan(estimate):
                        self.add(arm, context, estimate, weight)

    def add(self, arm, context, reward, weight=1.0):
        x, m = features_of(context, self.problem.arms[arm], self.intercept), 0 if self.shared else arm
        self.a[m] = self.a[m] + weight * np.outer(x, x)
        self.b[m] = self.b[m] + weight * reward * x

    def select(self, t, context, rng):
        self.context, number, index = context, self.problem.contexts.index(context), []
        for arm, features in enumerate(self.problem.arms):
            x, m = features_of(context, features, self.intercept), 0 if self.shared else arm
            theta = np.linalg.solve(self.a[m], self.b[m])
            ucb = theta @ x + self.alpha * np.sqrt(x @ np.linalg.solve(self.a[m], x))
            index.append(min(ucb, self.problem.prior["upper"][number, arm]) if self.clipped else ucb)
        return at_random(index, rng)

    def update(self, arm, outcome, reward):
        self.add(arm, self.context, reward)
