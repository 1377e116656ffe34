"""Linear contextual bandits in plain NumPy, one round at a time, for tests and benchmarks.

Written from the pseudo-code: A and b are summed up and the equations solved anew for every index of every round. Shares
nothing with the compiled policies but the problem they play and the rule of ties; optimal allocation matching also
shares the solver of its allocation program, which has tests of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from causal_bandits.estimation.allocation import allocate
from causal_bandits.policies.base import StepwisePolicy


def features_of(context, arm, intercept=True):
    """x = [c, x_a, 1]."""
    return np.array([*context.values(), *arm.values(), *([1] if intercept else [])], dtype=float)


def at_random(index, rng, tie=1e-10):
    """The number of the largest, ties at random."""
    tied = np.flatnonzero(np.asarray(index) >= max(index) - tie)
    return int(tied[int(rng.random() * len(tied))]) if len(tied) > 1 else int(tied[0])


@dataclass
class PlainLinUCB(StepwisePolicy):
    """Algorithm 4 of huang2024; without line 10 unless ``clipped`` by a prior."""

    alpha: float = 1.0
    penalty: float = 1.0
    intercept: bool = True
    warm_start: str | None = None
    warm_weight: str | float = "count"
    shared: bool = False
    cells: bool = False
    clipped: str = ""

    def start(self, problem, horizon):
        self.problem = problem
        d = len(self.x(problem.contexts[0], problem.arms[0]))
        self.a = [self.penalty * np.eye(d) for _ in problem.arms]
        self.b = [np.zeros(d) for _ in problem.arms]
        if self.warm_start is not None:
            for c, context in enumerate(problem.contexts):
                for arm in range(len(problem.arms)):
                    weight = problem.prior["count"][c, arm] if self.warm_weight == "count" else self.warm_weight
                    estimate = problem.prior[self.warm_start][c, arm]
                    if not np.isnan(estimate):
                        self.add(arm, context, estimate, weight)

    def x(self, context, arm):
        if self.cells:
            return np.array([float(context == other) for other in self.problem.contexts])
        return features_of(context, arm, self.intercept)

    def add(self, arm, context, reward, weight=1.0):
        x, m = self.x(context, self.problem.arms[arm]), 0 if self.shared else arm
        self.a[m] = self.a[m] + weight * np.outer(x, x)
        self.b[m] = self.b[m] + weight * reward * x

    def select(self, t, context, rng):
        self.context, number, index = context, self.problem.contexts.index(context), []
        for arm, features in enumerate(self.problem.arms):
            x, m = self.x(context, features), 0 if self.shared else arm
            theta = np.linalg.solve(self.a[m], self.b[m])
            ucb = theta @ x + self.alpha * np.sqrt(x @ np.linalg.solve(self.a[m], x))
            index.append(min(ucb, self.problem.prior[self.clipped][number, arm]) if self.clipped else ucb)
        return at_random(index, rng)

    def update(self, arm, states, reward):
        self.add(arm, self.context, reward)


@dataclass
class PlainOAM(StepwisePolicy):
    """Algorithm 5 of huang2024, with the readings of ledger L57 to L60; without bounds if they enter nowhere."""

    c: float = 1.0
    epsilon: float = 1.0
    intercept: bool = True
    tolerance: float = 0.02
    bounds_enter: str = "nowhere"

    def start(self, problem, horizon):
        shape = (len(problem.contexts), len(problem.arms))
        self.problem, self.n = problem, max(horizon, 3)
        bounded = self.bounds_enter != "nowhere"
        self.lower = problem.prior["lower"] if bounded else np.full(shape, -np.inf)
        self.upper = problem.prior["upper"] if bounded else np.full(shape, np.inf)
        self.x = np.array([[features_of(c, a, self.intercept) for a in problem.arms] for c in problem.contexts])
        self.d, self.plays = self.x.shape[-1], np.zeros(shape)
        self.g, self.b, self.spanning = np.zeros((self.d, self.d)), np.zeros(self.d), []
        self.s, self.solved, self.kept_then = 0, None, None

    def f(self, delta):
        log_n = math.log(self.n)
        return 2 * (1 + 1 / log_n) * math.log(1 / delta) + self.c * self.d * math.log(self.d * log_n)

    def allocation(self, gaps, kept):
        """T of Eq. 18 and 19, of gaps that are out of date by at most the tolerance."""
        if (
            self.solved is None
            or (kept != self.kept_then).any()
            or (np.abs(gaps - self.solved) > self.tolerance * self.solved)[kept].any()
        ):
            self.solved, self.kept_then = gaps, kept
            w = allocate(self.x.reshape(-1, self.d), gaps.ravel(), kept.ravel(), kept.ravel())
            self.times = self.f(1 / self.n) * w.reshape(gaps.shape)
        return self.times

    def is_new(self, x):
        """Whether x lies outside the span of all that was played."""
        return np.linalg.matrix_rank([*self.spanning, x]) > len(self.spanning)

    def select(self, t, context, rng):
        self.k = k = self.problem.contexts.index(context)
        if len(self.spanning) < self.d:
            return at_random(np.array([self.is_new(x) for x in self.x[k]], dtype=float), rng)
        theta = np.linalg.solve(self.g, self.b)
        width2 = (self.x[k] * np.linalg.solve(self.g, self.x[k].T).T).sum(axis=1)
        means = np.maximum(np.minimum(self.upper, self.x @ theta), self.lower)
        estimates = means if self.bounds_enter in ("gaps", "arms") else self.x @ theta
        gaps = estimates.max(axis=1, keepdims=True) - estimates
        gaps[gaps < 1e-10] = 0
        kept_everywhere = np.ones_like(means, dtype=bool)
        if self.bounds_enter == "arms":
            kept_everywhere = self.upper >= means.max(axis=1, keepdims=True) - 1e-10
        kept, positive = kept_everywhere[k], kept_everywhere & (gaps > 0)
        smallest = gaps[positive].min() if positive.any() else 0.0
        f_n = self.f(1 / self.n)
        if (width2 <= np.maximum(smallest, gaps[k]) ** 2 / f_n)[kept].all():
            return at_random(means[k], rng)
        times, s = self.allocation(gaps, kept_everywhere)[k], self.s
        self.s += 1
        needed = np.minimum(times, f_n / smallest**2 if smallest > 0 else np.inf)
        if (self.plays[k] >= needed)[kept].all():
            ucb = np.minimum(self.x[k] @ theta + np.sqrt(self.f(1 / self.s**2) * width2), self.upper[k])
            return at_random(np.where(kept, ucb, -np.inf), rng)
        b2 = at_random(np.where(kept, -self.plays[k], -np.inf), rng)
        if self.plays[k, b2] <= self.epsilon / math.log(math.log(max(t + 1, 3))) * s:
            return b2
        with np.errstate(divide="ignore", invalid="ignore"):
            log_ratio = np.where(kept & (needed > 0), np.log(self.plays[k]) - np.log(needed), np.inf)
        return at_random(-log_ratio, rng, 1e-5)

    def update(self, arm, states, reward):
        x = self.x[self.k, arm]
        if len(self.spanning) < self.d and self.is_new(x):
            self.spanning.append(x)
        self.g += np.outer(x, x)
        self.b += reward * x
        self.plays[self.k, arm] += 1
