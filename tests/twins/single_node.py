"""The baselines of lu2021 in plain Python, one round at a time, for tests and benchmarks.

They look at every arm in every round, and share nothing with the compiled policies but the problem they play.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from causal_bandits.policies.base import StepwisePolicy


class Scripted(StepwisePolicy):
    """A policy written as a generator: it yields arms, and is sent what came of each as (states, reward)."""

    def start(self, problem, horizon):
        self.problem, self.horizon, self.script = problem, horizon, None

    def select(self, t, context, rng):
        if self.script is None:
            self.script = self.play(rng)
            return next(self.script)
        return self.script.send(self.last)

    def update(self, arm, states, reward):
        self.last = states, reward


@dataclass
class PlainGaussianUCB(Scripted):
    """UCB with delta = 1/T^exponent on some arms, T the rounds that are left."""

    reward_only: bool = False
    exponent: float = 2.0

    def play(self, rng):
        names = set(self.problem.rewards) if self.reward_only else set(self.problem.variables)
        arms = [a for a in range(self.problem.empty) if set(self.problem.arms[a]) <= names]
        yield from self.ucb(arms, self.horizon, rng, self.exponent)

    @staticmethod
    def ucb(arms, horizon, rng, exponent=2.0):
        rewards = {a: [] for a in arms}
        for i in rng.permutation(len(arms)):
            rewards[arms[i]].append((yield arms[i])[1])
        while True:
            radius = {a: math.sqrt(2 * math.log(horizon**exponent) / len(r)) for a, r in rewards.items()}
            index = {a: sum(r) / len(r) + radius[a] for a, r in rewards.items()}
            best = max(arms, key=index.__getitem__)
            rewards[best].append((yield best)[1])


@dataclass
class PlainGaussianThompson(Scripted):
    """Thompson sampling with the draws that the compiled one makes, found by looking at all arms."""

    prior_mean: float = 0.0
    prior_sd: float = 1.0

    def play(self, rng):
        n = self.problem.empty
        share = min(0.25, n**-0.6)
        a = -ndtri(share)
        weight = [1 / self.prior_sd**2] * n
        total = [self.prior_mean / self.prior_sd**2] * n
        while True:
            draws = {}
            arm = -1
            while True:
                arm += 1 + int(math.log(1 - rng.random()) / math.log1p(-share))
                if arm >= n:
                    break
                draws[arm] = self.beyond(a, rng)
            value = {b: total[b] / weight[b] + z / math.sqrt(weight[b]) for b, z in draws.items()}
            largest = max(value.values(), default=-math.inf)
            for b in range(n):
                if b not in draws and total[b] / weight[b] + a / math.sqrt(weight[b]) > largest:
                    z = rng.standard_normal()
                    while z > a:
                        z = rng.standard_normal()
                    value[b] = total[b] / weight[b] + z / math.sqrt(weight[b])
                    largest = max(largest, value[b])
            best = max(value, key=value.__getitem__)
            _, reward = yield best
            weight[best] += 1 / self.problem.reward_sd**2
            total[best] += reward / self.problem.reward_sd**2

    @staticmethod
    def beyond(a, rng):
        while True:
            z = math.sqrt(a * a - 2 * math.log(1 - rng.random()))
            if rng.random() * z <= a:
                return z


@dataclass
class PlainRAPS(Scripted):
    """Randomised parent search, Algorithm 1 of Konobeev et al. (2023), then UCB."""

    delta: float = 0.05

    def play(self, rng):
        bandit = self.problem
        n, k, eps, gap = len(bandit.variables), bandit.states, bandit.epsilon, bandit.reward_gap
        times = math.ceil(
            max(
                32 / gap**2 * math.log(8 * n * k / self.delta),
                8 / eps**2 * math.log(8 * n**2 * k**2 / self.delta),
            )
        )
        self.played = 0
        share, mean = yield from self.sample(bandit.empty, times)
        candidates, found = list(range(n)), None
        while candidates:
            node = int(rng.choice(candidates))
            moved, moves_reward = {node}, False
            for x in range(k):
                own, reward = yield from self.sample(bandit.arm({node: x}), times)
                moves_reward |= abs(reward - mean) > gap / 2
                moved |= {v for v in candidates if max(abs(own[v][s] - share[v][s]) for s in range(k)) > eps / 2}
            if moves_reward:
                found = node
                candidates = [v for v in candidates if v in moved and v != node]
            else:
                candidates = [v for v in candidates if v not in moved]
        arms = range(bandit.empty) if found is None else [bandit.arm({found: x}) for x in range(k)]
        yield from PlainGaussianUCB.ucb(list(arms), self.horizon - self.played, rng)

    def sample(self, arm, times):
        counts, rewards = [[0] * self.problem.states for _ in self.problem.variables], []
        for _ in range(times):
            states, reward = yield arm
            rewards.append(reward)
            for i, v in enumerate(self.problem.variables):
                counts[i][states[v]] += 1
        self.played += times
        return [[c / times for c in own] for own in counts], float(np.mean(rewards))
