"""The policies of contextual bandits in plain Python, one round at a time, for tests and benchmarks.

Written from the pseudo-code of huang2022 and huang2024; they share nothing with the compiled policies but the problem
they play and its exact P(z | x, a). Numbers of equations and lines are huang2022's unless said.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from twins.linear import at_random, features_of
from twins.scm import SharedLog

from causal_bandits.policies.base import StepwisePolicy


@dataclass
class PlainCellUCB(StepwisePolicy):
    """D-UCB (Algorithm 1) with any set W: a separator, the reward's parents, context and arm (UCB), or the arm.

    ``clip`` clips the indices to the problem's prior bounds (huang2024, Algorithm 6).
    """

    variables: tuple[str, ...]
    confidence: str = "anytime"
    unplayed: str = "one"
    clip: bool = False

    def start(self, problem, horizon):
        self.problem, self.horizon = problem, horizon
        self.free = [v for v in self.variables if v not in (*problem.context, *problem.manipulable)]
        self.states = list(product(*(range(problem.scm.cardinality(v)) for v in self.free)))
        self.distribution = problem.distribution(self.free)
        self.rewards = {}

    def log_inverse_delta(self, t):
        return math.log((self.horizon if self.confidence == "horizon" else t + 1) ** 2)

    def number(self, context):
        return self.problem.contexts.index(context)

    def parts(self, context, arm, weighted_by=None):
        """Each z with the cell w it makes with a context and an arm, and its weight P(z | x, a)."""
        known = {**context, **self.problem.arms[arm]}
        for z in self.states:
            w = {**known, **dict(zip(self.free, z, strict=True))}
            weight = self.distribution[(self.number(weighted_by or context), arm, *z)]
            yield tuple(w[v] for v in self.variables), float(weight)

    def mean(self, w):
        rewards = self.rewards.get(w)
        if rewards is None:
            return math.inf if self.unplayed == "infinite" else 0.0
        return sum(rewards) / len(rewards)

    def visits(self, w):
        return max(1, len(self.rewards.get(w, ())))

    def ucb(self, t, context, arm, alpha=1.0):
        bonus = 2 * self.log_inverse_delta(t)
        return sum(
            p * (self.mean(w) + alpha * math.sqrt(bonus / self.visits(w)))  # Eq. 5 and 6
            for w, p in self.parts(context, arm)
        )

    def select(self, t, context, rng):
        self.seen = context
        index = [self.ucb(t, context, arm) for arm in range(len(self.problem.arms))]
        if self.clip:
            x = self.number(context)
            lower, upper = self.problem.prior["lower"][x], self.problem.prior["upper"][x]
            index = [max(min(u, i), low) for i, low, u in zip(index, lower, upper, strict=True)]
        return at_random(index, rng)

    def update(self, arm, states, reward):
        self.rewards.setdefault(tuple(states[v] for v in self.variables), []).append(reward)


@dataclass
class PlainFUCB(PlainCellUCB):
    """F-UCB (Algorithm 2). For each round ``log`` gets the arms that are fair beyond doubt, and the one played."""

    tau: float = 0.3
    fallback: str = "safest"
    alpha_r: float = 1.0
    alpha_c: float = 1.0
    log: list = field(default_factory=SharedLog)

    def discrepancy(self, context, arm):
        """Eq. 10 by Eq. 9, or the largest difference that Theorem 2's bounds allow."""
        problem = self.problem
        descendants = [
            v
            for v in problem.context
            if v != problem.sensitive and v in problem.scm.graph.descendants(problem.sensitive)
        ]
        lower, upper = {}, {}
        for s in (0, 1):
            counterfactual = {**context, problem.sensitive: s}
            worlds = [
                {**counterfactual, **dict(zip(descendants, b, strict=True))}
                for b in product(*(range(problem.scm.cardinality(v)) for v in descendants))
            ]
            weighted_by = context if descendants else counterfactual
            parts = [list(self.parts(world, arm, weighted_by)) for world in worlds]
            lower[s] = sum(each[0][1] * min(self.mean(w) for w, _ in each) for each in zip(*parts, strict=True))
            upper[s] = sum(each[0][1] * max(self.mean(w) for w, _ in each) for each in zip(*parts, strict=True))
        return max(upper[1] - lower[0], upper[0] - lower[1])

    def ucb_delta(self, t, context, arm):
        bonus = 8 * self.log_inverse_delta(t)
        width = sum(p * math.sqrt(bonus / self.visits(w)) for w, p in self.parts(context, arm))
        return self.discrepancy(context, arm) + self.alpha_c * width  # Eq. 12

    def select(self, t, context, rng):
        arms = range(len(self.problem.arms))
        unfairness = [self.ucb_delta(t, context, arm) for arm in arms]  # lines 4 and 5
        fair = [arm for arm in arms if unfairness[arm] <= self.tau]  # line 6
        index = [self.ucb(t, context, arm, self.alpha_r) for arm in arms]
        if fair:  # line 7
            index = [index[arm] if arm in fair else -math.inf for arm in arms]
        elif self.fallback == "safest":
            index = [-u for u in unfairness]
        arm = at_random(index, rng)
        self.log.append((fair, arm))
        return arm


@dataclass
class PlainFairLinUCB(StepwisePolicy):
    """LinUCB with one theta for all arms, and a bonus for arms that pay the user's group less than the other one."""

    alpha: float = 1.0
    alpha_max: float = 1.0
    gamma: float = 2.0
    penalty: float = 1.0

    def start(self, problem, horizon):
        self.problem = problem
        d = len(problem.context) + len(problem.manipulable) + 1
        self.a, self.b = self.penalty * np.eye(d), np.zeros(d)
        self.rewards = {(s, arm): [] for s in (0, 1) for arm in range(len(problem.arms))}

    def select(self, t, context, rng):
        self.seen = context
        theta, inverse = np.linalg.solve(self.a, self.b), np.linalg.inv(self.a)
        index, own = [], context[self.problem.sensitive]
        for number, arm in enumerate(self.problem.arms):
            x = features_of(context, arm)
            groups = [self.rewards[own, number], self.rewards[1 - own, number]]
            f = float(np.mean(groups[1]) - np.mean(groups[0])) if all(groups) else 0.0
            bonus = self.alpha_max * (self.gamma ** (f + 1) - 1) / (self.gamma**2 - 1)
            index.append(float(theta @ x + self.alpha * math.sqrt(x @ inverse @ x) + bonus))
        return at_random(index, rng)

    def update(self, arm, states, reward):
        x = features_of(self.seen, self.problem.arms[arm])
        self.a += np.outer(x, x)
        self.b += reward * x
        self.rewards[self.seen[self.problem.sensitive], arm].append(reward)
