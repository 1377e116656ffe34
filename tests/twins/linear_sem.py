"""LinSEM-TS, LinSEM-UCB, GA-LCB and BGLM-OFU in plain Python, one round at a time, for tests.

Written from the pseudo-code with dictionaries and matrices that are inverted anew. They share nothing with the compiled
policies but the problem they play, its arms' order and the rule of ties.
"""

import math
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import Lasso

from causal_bandits.policies.base import StepwisePolicy


def at_random(index, rng, tie=1e-10):
    tied = [i for i, value in enumerate(index) if value >= max(index) - tie]
    return tied[int(rng.random() * len(tied))] if len(tied) > 1 else tied[0]


class _Rows(StepwisePolicy):
    """Ridge regressions of all rows; parents, a causal order and noise means are those that the learner is told."""

    def prepare(self, problem, parents, order, penalty, constant):
        self.problem, self.parents, self.order, self.constant = problem, parents, order, constant
        self.arms = [set(arm) for arm in problem.arms]
        size = {v: len(parents[v]) + constant for v in order}
        self.v = {(v, k): penalty * np.eye(size[v]) for v in order for k in (0, 1)}
        self.g = {(v, k): np.zeros(size[v]) for v in order for k in (0, 1)}

    def sample(self, v, values):
        return np.array([*(values[p] for p in self.parents[v]), *([1.0] if self.constant else [])], dtype=float)

    def theta(self, row):
        return np.linalg.solve(self.v[row], self.g[row])

    def update(self, arm, states, reward):
        for v in self.order:
            row, x = (v, int(v in self.arms[arm])), self.sample(v, states)
            self.v[row] = self.v[row] + np.outer(x, x)
            self.g[row] = self.g[row] + x * (states[v] - self.problem.told_noise[v])

    def mean(self, rows, arm):
        m = {}
        for v in self.order:
            m[v] = rows[v, int(v in arm)] @ self.sample(v, m) + self.problem.told_noise[v]
        return m[self.problem.reward]


class _Believing(_Rows):
    def believe(self, problem, penalty, constant):
        order = list(problem.believed.topological_order)
        parents = {v: sorted(problem.believed.parents(v), key=order.index) for v in order}
        self.prepare(problem, parents, order, penalty, constant)
        relevant = problem.believed.ancestors(problem.reward)
        self.rows = [(v, k) for v in order if v in relevant for k in (0, 1) if not k or any(v in a for a in self.arms)]


@dataclass
class PlainLinSEMTS(_Believing):
    prior_precision: float = 1.0
    posterior_scale: float = 1.0
    known: bool = False

    def start(self, problem, horizon):
        self.believe(problem, self.prior_precision, True)
        self.true = {}
        if self.known:
            sem, model = problem.sem, problem.sem.compiled
            for v in self.order:
                i = sem.variables.index(v)
                own = [sem.variables[p] for p in model.parent[model.start[i] : model.start[i + 1]]]
                for k in (0, 1):
                    weight = dict(zip(own, model.weight[k, model.start[i] : model.start[i + 1]], strict=True))
                    row = [*(weight.get(p, 0.0) for p in self.parents[v]), model.constant[k, i]]
                    self.true[v, k] = np.array(row)
            self.rows = [(v, k) for v, k in self.rows if v == problem.reward]

    def select(self, t, context, rng):
        rows = {row: np.zeros(len(self.g[row])) for row in self.g} | self.true
        for row in self.rows:
            inverse = np.linalg.inv(self.v[row])
            z = np.array([rng.standard_normal() for _ in self.g[row]])
            rows[row] = self.theta(row) + math.sqrt(self.posterior_scale) * np.linalg.cholesky(inverse) @ z
        return at_random([self.mean(rows, arm) for arm in self.arms], rng)


@dataclass
class PlainLinSEMUCB(_Believing):
    """With the forward pass."""

    scale: float = 1.0
    constant_too: bool = True

    def start(self, problem, horizon):
        self.believe(problem, 1.0, self.constant_too)
        d = max(max(map(len, self.g.values())), 1)
        m = {}
        for v in self.order:
            m[v] = d * max(m[p] for p in self.parents[v]) + 1 if self.parents[v] else 1
        squares, n = sum(value**2 for value in m.values()), len(m)
        self.beta = self.scale * (
            d + math.sqrt(2 * math.log(2 * n * horizon) + d * math.log(1 + squares * horizon / d))
        )

    def select(self, t, context, rng):
        index = []
        for arm in self.arms:
            u = {}
            for v in self.order:
                row, x = (v, int(v in arm)), self.sample(v, u)
                u[v] = self.problem.told_noise[v]
                if row in self.rows and len(x):
                    u[v] += self.theta(row) @ x + self.beta * math.sqrt(x @ np.linalg.inv(self.v[row]) @ x)
            index.append(u[self.problem.reward])
        return at_random(index, rng)


@dataclass
class PlainGALCB(_Rows):
    cycles: int = 10
    observations: int = 0
    known: bool = False
    alpha: float = 0.1
    one: bool = False
    restart: bool = False

    def start(self, problem, horizon):
        self.problem, self.horizon, self.names = problem, horizon, list(problem.sem.variables)
        self.arms = [set(arm) for arm in problem.arms]
        singles = [v for v in self.names if {v} in self.arms]
        cycle = [{v} for v in singles] + [set()] * (1 + len(self.names) - len(singles))
        self.plan = [] if self.known else cycle * self.cycles + [set()] * self.observations
        self.rounds, self.ready, self.s = [], False, 1
        self.live = set(range(len(self.arms)))

    def learn_graph(self):
        """GA-LCB-SL, steps 2 and 3, where no cycle arises."""
        mean = {}
        for arm in [set(), *({v} for v in self.names)]:
            rows = [values for played, values in self.rounds if self.arms[played] == arm]
            if rows:
                mean[frozenset(arm)] = {v: np.mean([values[v] for values in rows]) for v in self.names}
        null = mean[frozenset()]
        below = {v: set() for v in self.names}
        for v in self.names:
            if frozenset([v]) in mean and v != self.problem.reward:
                own = mean[frozenset([v])]
                below[v] = {w for w in self.names if w != v and abs(own[w] - null[w]) > 0.25}
        tried = {v for v in self.names if frozenset([v]) in mean}
        parents = {v: [] for v in self.names}
        for v in tried | {self.problem.reward}:
            roots = [p for p in self.names if p not in tried and p != self.problem.reward]
            candidates = [p for p in self.names if p in roots or v in below[p]]
            x = np.array([[values[p] for p in candidates] for _, values in self.rounds])
            y = np.array([values[v] for _, values in self.rounds]) - self.problem.told_noise[v]
            weights = Lasso(alpha=0.1, fit_intercept=False, tol=1e-10).fit(x, y).coef_
            parents[v] = [p for p, w in zip(candidates, weights, strict=True) if w != 0]
        return parents

    def begin(self):
        truth = {v: sorted(self.problem.sem.graph.parents(v), key=self.names.index) for v in self.names}
        parents = truth if self.known else self.learn_graph()
        order, left = [], list(self.names)
        while left:
            order.append(next(v for v in left if set(parents[v]) <= set(order)))
            left.remove(order[-1])
        self.d = max(map(len, parents.values()))
        self.m = {}
        for v in order:
            self.m[v] = self.d * max(self.m[p] for p in parents[v]) + 1 if parents[v] else 1
        self.bound = self.m[self.problem.reward]
        self.prepare(self.problem, parents, order, 1.0 if self.one else self.bound**2, False)
        self.plays = dict.fromkeys(self.v, 0)
        for played, values in self.rounds:
            self.add(played, values)
        self.ready = True

    def add(self, arm, states):
        super().update(arm, states, 0.0)
        for v in self.order:
            self.plays[v, int(v in self.arms[arm])] += 1

    def select(self, t, context, rng):
        if t < len(self.plan):
            return self.arms.index(self.plan[t])
        if not self.ready:
            self.begin()
        if len(self.live) == 1:
            return next(iter(self.live))
        upper, width = {}, {}
        for a in sorted(self.live):
            mu, w = {}, {}
            for v in self.order:
                row, x = (v, int(v in self.arms[a])), self.sample(v, mu)
                mu[v], w[v] = self.problem.told_noise[v], 0.0
                if len(x):
                    mu[v] += self.theta(row) @ x
                    reach = math.sqrt(self.d) * max(self.m[p] for p in self.parents[v])
                    w[v] = sum(w[p] for p in self.parents[v])
                    w[v] += self.alpha * math.sqrt(x @ np.linalg.inv(self.v[row]) @ x)
                    w[v] += self.alpha * reach / math.sqrt(np.linalg.eigvalsh(self.v[row])[0])
                    if self.restart and not self.plays[row]:
                        w[v] = math.inf
            upper[a], width[a] = mu[self.problem.reward] + w[self.problem.reward], w[self.problem.reward]
        if self.restart:
            self.s = 1
        narrow = max(width.values()) < self.bound / math.sqrt(self.horizon)
        while max(width[a] for a in self.live) < self.bound * 2.0**-self.s:
            best = max(upper[a] for a in self.live)
            self.live = {a for a in self.live if upper[a] >= best - self.bound * 2.0 ** (1 - self.s)}
            self.s += 1
        left = sorted(self.live)
        if narrow:
            return left[at_random([upper[a] for a in left], rng)]
        wide = [a for a in left if width[a] >= self.bound * 2.0**-self.s]
        return wide[int(rng.random() * len(wide))]

    def update(self, arm, states, reward):
        if self.ready:
            if len(self.live) > 1:
                self.add(arm, states)
        else:
            self.rounds.append((arm, dict(states)))


@dataclass
class PlainBGLMOFU(StepwisePolicy):
    """For linear links; ``growing`` is BLM-LR."""

    scale: float = 0.1
    watch: float = 0.01
    growing: bool = False
    choose_null: bool = True

    def start(self, problem, horizon):
        self.glm, self.arms, self.horizon = problem.glm, list(problem.arms), horizon
        self.names = [v for v in self.glm.variables if v not in self.glm.hidden]
        self.parents = {v: [p for p in self.glm.parents(v) if p not in self.glm.hidden] for v in self.names}
        self.based = {v: self.glm.compiled.base[self.glm.variables.index(v)] != 0 for v in self.names}
        size = {v: len(self.parents[v]) + bool(self.based[v]) for v in self.names}
        self.m, self.b = {v: np.eye(d) for v, d in size.items()}, {v: np.zeros(d) for v, d in size.items()}
        self.seen = {v: [] for v in self.names}

    def sample(self, v, values):
        return np.array([*(values[p] for p in self.parents[v]), *([1.0] if self.based[v] else [])], dtype=float)

    def select(self, t, context, rng):
        if t < int(self.watch * self.horizon):
            return self.arms.index({})
        n = len(self.names) + 1
        if self.growing:
            inner = n * math.log(1 + n * (t + 1)) + 2 * math.log(n * math.sqrt(self.horizon))
            rho = self.scale * (math.sqrt(inner) + math.sqrt(n))
        else:
            rho = self.scale * 3 * math.sqrt(math.log(3 * n * math.sqrt(self.horizon)))
        index = []
        for arm in self.arms:
            u = {}
            for v in self.names:
                if v in arm:
                    u[v] = arm[v]
                elif not self.parents[v]:
                    seen = self.seen[v]
                    u[v] = np.mean(seen) + rho / math.sqrt(len(seen)) if seen else 1.0
                else:
                    x = self.sample(v, u)
                    u[v] = np.linalg.solve(self.m[v], self.b[v]) @ x + rho * math.sqrt(
                        x @ np.linalg.solve(self.m[v], x)
                    )
            index.append(u["Y"] if arm or self.choose_null else -math.inf)
        return next(i for i, value in enumerate(index) if value >= max(index) - 1e-10)

    def update(self, arm, states, reward):
        for v in self.names:
            if v not in self.arms[arm]:
                x = self.sample(v, states)
                self.m[v] = self.m[v] + np.outer(x, x)
                self.b[v] = self.b[v] + x * states[v]
                self.seen[v].append(states[v])
