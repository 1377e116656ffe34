"""Canonical SCMs in plain Python, by enumeration of all responses, and SCM-AAM on them, one round at a time.

A model is a list of distributions: of each c-component of several variables one over all tuples of responses, of each
single variable one for each state of its parents. The 0/1 vectors are dense.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from causal_bandits.policies.base import StepwisePolicy


class PlainCanonical:
    """The hidden variables of a diagram's canonical SCM, and events as lists of (hidden variable, 0/1 vector)."""

    def __init__(self, bandit):
        graph = bandit.scm.graph
        self.graph = graph.subgraph(graph.ancestors({bandit.reward}))
        self.reward, self.k = bandit.reward, {v: bandit.scm.cardinality(v) for v in self.graph.nodes}
        self.parents = {v: [p for p in self.graph.topological_order if p in self.graph.parents(v)] for v in self.k}
        self.values = {}  # of each hidden variable: tuples of responses, one for each variable of the component
        self.hidden_of = {}
        for part in self.graph.c_components():
            component = [v for v in self.graph.topological_order if v in part]
            states = {v: list(product(*(range(self.k[p]) for p in self.parents[v]))) for v in component}
            if len(component) == 1:
                (v,) = component
                for pa in states[v]:
                    self.values[v, pa] = [{v: {pa: s}} for s in range(self.k[v])]
            else:
                responses = [
                    [dict(zip(states[v], f, strict=True)) for f in product(range(self.k[v]), repeat=len(states[v]))]
                    for v in component
                ]
                self.values[tuple(component)] = [dict(zip(component, f, strict=True)) for f in product(*responses)]
            self.hidden_of |= dict.fromkeys(component, component)

    def factors(self, do, values):
        """The vectors whose products with the distributions multiply to P(values | do)."""
        known, found = {**values, **do}, []
        for component in {tuple(c) for c in self.hidden_of.values()}:
            pa = {v: tuple(known[p] for p in self.parents[v]) for v in component if v in values}
            if pa:
                hidden = (component[0], pa[component[0]]) if len(component) == 1 else component
                agree = [all(u[v][pa[v]] == values[v] for v in pa) for u in self.values[hidden]]
                found.append((hidden, np.array(agree, dtype=float)))
        return found

    def cells(self, do):
        """All values of the free variables, the last running fastest, each with its factors."""
        do = {v: s for v, s in do.items() if v in self.k}
        free = [v for v in self.graph.topological_order if v not in do]
        cells = {}
        for values in product(*(range(self.k[v]) for v in free)):
            event = dict(zip(free, values, strict=True))
            cells[tuple(sorted(event.items()))] = self.factors(do, event)
        return cells

    def ways(self, do):
        """Events of reward 1 in those variables alone that it depends on under ``do``."""
        do = {v: s for v, s in do.items() if v in self.k}
        others = [v for v in self.graph.do(do).ancestors({self.reward}) if v not in do and v != self.reward]
        states = product(*(range(self.k[v]) for v in others))
        return [self.factors(do, {**dict(zip(others, s, strict=True)), self.reward: 1}) for s in states]

    def uniform(self):
        return {h: np.full(len(values), 1 / len(values)) for h, values in self.values.items()}


def probability(factors, q):
    return math.prod(float(b @ q[h]) for h, b in factors)


def mixed(q, share):
    return {h: (1 - share) * p + share / len(p) for h, p in q.items()}


def em(seen, events, logarithm, kappa, q):
    """``seen``: pairs of count and factors. Return G, the log-likelihood and q."""
    before = -math.inf
    for _ in range(1000):
        likelihood = sum(n * math.log(max(b @ q[h], 1e-300)) for n, factors in seen for h, b in factors)
        chances = [probability(factors, q) for factors in events]
        goal = math.log(max(chances[0], 1e-300)) if logarithm else sum(chances)
        value = likelihood + kappa * goal
        if value - before <= 1e-8 * (abs(likelihood) + kappa):
            break
        before = value
        new = {h: np.zeros(len(p)) for h, p in q.items()}
        extra = [(kappa if logarithm else kappa * c, factors) for c, factors in zip(chances, events, strict=True)]
        for weight, factors in [*seen, *extra]:
            for h, b in factors:
                new[h] += weight * b * q[h] / max(b @ q[h], 1e-300)
        q = {h: new[h] / new[h].sum() if new[h].sum() > 0 else p for h, p in q.items()}
    return goal, likelihood, q


def largest(seen, events, logarithm, best, level, s, q):
    """Return the largest G within the level, log kappa and the maximiser."""
    low, high = -8.0, 16.0
    for _ in range(24):
        kappa = math.exp(s)
        goal, likelihood, q = em(seen, events, logarithm, kappa, q)
        drop, at = best - likelihood, q
        value = goal + (level - drop) / kappa
        if abs(drop - level) <= 0.05 * level or 0 <= level - drop <= 1e-4 * kappa or high - low < 1e-6:
            break
        low, high = (s, high) if drop < level else (low, s)
        after = s + min(max(0.5 * math.log(level / max(drop, 1e-3 * level)), -2), 2)
        s = after if low < after < high else (low + high) / 2
        q = at = mixed(q, 0.01)
    return min(value, 0.0 if logarithm else 1.0), s, at


@dataclass
class PlainSCMAAM(StepwisePolicy):
    """The policy in plain Python."""

    confidence_set: str = "relative"
    leader: str = "others"
    index: str = "supremum"
    gamma: float = 0.1
    epsilon: float = 0.05
    initial: int = 4
    every: int = 1

    def start(self, problem, horizon):
        self.model = model = PlainCanonical(problem)
        self.arms, self.counts = [model.cells(arm) for arm in problem.arms], [{} for _ in problem.arms]
        self.rewards, self.explored, self.k = [[] for _ in problem.arms], 0, len(problem.arms)
        if self.index == "supremum":
            self.targets = [(x, model.ways(arm)) for x, arm in enumerate(problem.arms)]
        else:
            one = (model.reward, 1)
            self.targets = [(x, [f]) for x, cells in enumerate(self.arms) for v, f in cells.items() if one in v]
        self.q, self.kept = model.uniform(), [(0.0, model.uniform()) for _ in self.targets]

    def seen(self):
        return [(n, self.arms[x][v]) for x, own in enumerate(self.counts) for v, n in own.items()]

    def bounds(self, t):
        seen, level = self.seen(), (1 + self.gamma) * math.log(t + 1)
        _, best, self.q = em(seen, [], False, 0.0, mixed(self.q, 0.01))
        if self.confidence_set == "printed":
            plays = [sum(own.values()) for own in self.counts]
            level -= sum(n * math.log(n / plays[x]) for x, own in enumerate(self.counts) for n in own.values()) - best
        found = [0.0] * self.k
        for g, (x, events) in enumerate(self.targets):
            if level <= 0:
                found[x] += sum(probability(factors, self.q) for factors in events)
                continue
            s, last = self.kept[g]
            linear = all(len(factors) == 1 for factors in events) and len({f[0][0] for f in events}) == 1
            starts = [mixed(last, 0.01), mixed(self.q, 0.1), self.model.uniform()]
            tried = [
                largest(seen, events, self.index == "cells", best, level, s, q)
                for q in (starts[:1] if linear or self.index == "cells" else starts)
            ]
            value, *kept = max(tried, key=lambda one: one[0])
            self.kept[g] = tuple(kept)
            found[x] += math.exp(value) if self.index == "cells" else value
        return found

    def select(self, t, context, rng):
        begin = self.initial * self.k
        if t < begin:
            return t % self.k
        if (t - begin) % self.every == 0:
            self.upper = self.bounds(t)
        means = [sum(own) / len(own) for own in self.rewards]
        h = next(x for x in range(self.k) if means[x] >= max(means) - 1e-10)
        rivals = [u for x, u in enumerate(self.upper) if self.leader == "counted" or x != h]
        if not rivals or means[h] > max(rivals) + 1e-9:
            return h
        least = min(range(self.k), key=lambda x: len(self.rewards[x]))
        rare = len(self.rewards[least]) < self.epsilon * self.explored
        self.explored += 1
        return least if rare else next(x for x in range(self.k) if self.upper[x] >= max(self.upper) - 1e-10)

    def update(self, arm, states, reward):
        free = {v for v, _ in next(iter(self.arms[arm]))}
        event = tuple(sorted((v, s) for v, s in states.items() if v in free))
        self.counts[arm][event] = self.counts[arm].get(event, 0) + 1
        self.rewards[arm].append(reward)
