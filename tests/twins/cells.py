"""C-UCB, C-TS and HAC-UCB in plain Python: dictionaries keyed by the states of Z, one round at a time.

``groups`` says of each arm in which group it shares cells; an arm alone in its group has one cell. Probabilities P(z |
do(a)) are summed from the joint distribution of all observed variables.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np
from twins.linear import at_random

from causal_bandits.policies.base import StepwisePolicy


@dataclass
class PlainCells(StepwisePolicy):
    """What the three share."""

    variables: tuple[str, ...]
    groups: tuple[int, ...]

    def start(self, problem, horizon):
        self.horizon, self.k, self.t = horizon, len(problem.arms), 0
        nodes = [v for v in problem.scm.variables if v not in problem.scm.hidden]
        states = {v: range(problem.scm.cardinality(v)) for v in nodes}
        self.cells = {}  # all, also those that no arm reaches; groups in order, then states, the last variable fastest
        for group in sorted(set(self.groups)):
            for z in [()] if self.groups.count(group) == 1 else product(*(states[v] for v in self.variables)):
                self.cells[group, z] = []
        self.law = []
        for a, arm in enumerate(problem.arms):
            law, joint = {}, problem.scm.distribution(nodes, do=arm)
            for values in product(*states.values()):
                w = self.cell(a, dict(zip(nodes, values, strict=True)))
                law[w] = law.get(w, 0.0) + float(joint[values])
            self.law.append(law)

    def cell(self, arm, values):
        group = self.groups[arm]
        return group, () if self.groups.count(group) == 1 else tuple(values[v] for v in self.variables)

    def average(self, arm, of):
        return sum(p * of(self.cells[w]) for w, p in self.law[arm].items())

    def update(self, arm, states, reward):
        self.cells[self.cell(arm, states)].append(reward)
        self.t += 1


def mean(rewards):
    return sum(rewards) / len(rewards) if rewards else 0.0


@dataclass
class PlainCUCB(PlainCells):
    confidence: str = "horizon"
    sigma: float = 1.0

    def select(self, t, context, rng):
        delta = (self.horizon if self.confidence == "horizon" else t + 1) ** -2.0
        bonus = self.sigma * math.sqrt(-2 * math.log(delta))
        return at_random(
            [self.average(a, lambda rs: mean(rs) + bonus / math.sqrt(max(1, len(rs)))) for a in range(self.k)], rng
        )


@dataclass
class PlainCTS(PlainCells):
    ones: float = 1.0
    zeros: float = 1.0

    def select(self, t, context, rng):
        theta = {
            w: rng.beta(self.ones + rewards.count(1.0), self.zeros + rewards.count(0.0))
            for w, rewards in self.cells.items()
        }
        return at_random([sum(p * theta[w] for w, p in self.law[a].items()) for a in range(self.k)], rng)


@dataclass
class PlainHACUCB(PlainCells):
    """Of each arm one interval comes from its own rewards and one from the cells; it switches when two are apart."""

    ties: str = "random"
    slack: float = 0.0
    outcomes = ("switched",)

    def start(self, problem, horizon):
        super().start(problem, horizon)
        self.own = [[] for _ in range(self.k)]
        self.switched = None

    def intervals(self, arm):
        log = math.log(self.horizon)

        def half(n):
            return math.sqrt(2 * log / (2 * max(1, n)))

        own, wide = self.own[arm], self.average(arm, lambda rs: half(len(rs)))
        causal = self.average(arm, mean)
        return (
            (mean(own) - half(len(own)), mean(own) + half(len(own))),
            (causal - wide, causal + wide),
        )

    def select(self, t, context, rng):
        if t < self.k * round(math.sqrt(self.horizon) / self.k + 1):
            return t % self.k
        both = [self.intervals(a) for a in range(self.k)]
        if self.switched is None and any(max(x[0], y[0]) > min(x[1], y[1]) + self.slack for x, y in both):
            self.switched = t
        index = [y[1] if self.switched is None else x[1] for x, y in both]
        if self.ties == "first":
            return int(np.flatnonzero(np.asarray(index) >= max(index) - 1e-10)[0])
        return at_random(index, rng)

    def update(self, arm, states, reward):
        self.own[arm].append(reward)
        if self.switched is None:
            super().update(arm, states, reward)
        else:
            self.t += 1

    def answer(self, rng):
        return None if self.switched is None or self.t < self.horizon else {"switched": self.switched}
