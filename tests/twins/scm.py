"""The policies of SCM bandits in plain Python and NumPy, one round at a time, for tests and benchmarks.

They are written from the papers' pseudo-code, solve for every index in every round, and share nothing with the compiled
policies but the problem they play; those with z2ID share its expressions, and in one mode the weights of an online
bootstrap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.optimize import brentq, nnls
from scipy.special import betaincinv

from causal_bandits.estimation.poisson import fill_poisson, new_digits
from causal_bandits.identification import Probability, Product, Quotient, Sum, Value
from causal_bandits.identification.estimators import expressions_among
from causal_bandits.policies.base import StepwisePolicy


class SharedLog(list):
    """A list that copies of a policy share: what a run writes, its caller can read."""

    def __deepcopy__(self, memo):
        return self


@dataclass
class PlainThompson(StepwisePolicy):
    """Bernoulli Thompson sampling with Beta priors."""

    prior_ones: float = 1.0
    prior_zeros: float = 1.0

    def start(self, problem, horizon):
        self.reward = problem.reward
        self.ones = np.full(len(problem.arms), self.prior_ones)
        self.zeros = np.full(len(problem.arms), self.prior_zeros)

    def select(self, t, context, rng):
        return int(np.argmax(rng.beta(self.ones, self.zeros)))

    def update(self, arm, states, reward):
        self.ones[arm] += states[self.reward]
        self.zeros[arm] += 1 - states[self.reward]


@dataclass
class PlainManyArmsThompson(PlainThompson):
    """The same with the draws that the compiled form makes where arms are many, found by looking at all arms."""

    def start(self, problem, horizon):
        super().start(problem, horizon)
        self.p = min(0.25, len(problem.arms) ** -0.6)

    def select(self, t, context, rng):
        n, quantile = len(self.ones), betaincinv(self.ones, self.zeros, 1 - self.p)
        draws = {}
        arm = -1
        while True:
            arm += 1 + int(math.log(1 - rng.random()) / math.log1p(-self.p))
            if arm >= n:
                break
            draws[arm] = self.beyond(self.ones[arm], self.zeros[arm], quantile[arm], rng)
        for arm in range(n):
            if arm not in draws and quantile[arm] > max(draws.values(), default=-math.inf):
                draws[arm] = rng.beta(self.ones[arm], self.zeros[arm])
                while draws[arm] > quantile[arm]:
                    draws[arm] = rng.beta(self.ones[arm], self.zeros[arm])
        return max(draws, key=draws.__getitem__)

    def beyond(self, a, b, quantile, rng):
        if a == 1:
            return 1 - (self.p * (1 - rng.random())) ** (1 / b)
        if b == 1:
            return (1 - self.p * rng.random()) ** (1 / a)

        def log_density(x):
            return (a - 1) * math.log(x) + (b - 1) * math.log(1 - x)

        slope = (b - 1) / (1 - quantile) - (a - 1) / quantile
        if slope <= 0:
            while True:
                x = rng.beta(a, b)
                if x > quantile:
                    return x
        while True:
            x = quantile - math.log(1 - rng.random()) / slope
            tangent = log_density(quantile) - slope * (x - quantile)
            if x < 1 and math.log(1 - rng.random()) <= log_density(x) - tangent:
                return x


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
        f = exploration(t, self.c)
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

    def update(self, arm, states, reward):
        self.ones[arm] += states[self.reward]
        self.plays[arm] += 1


@dataclass
class PlainZ2(StepwisePolicy):
    """Algorithm 2 of lee2019: all estimators of all arms, computed anew in each round from all samples so far.

    ``averaging`` is as in `causal_bandits.estimation.mvwa`, ``solver`` as in `minimum_variance`. For each round in
    which averages are computed ``log`` gets how many of them are improper (ledger L13), how many estimators take part
    beside the trivial ones, and their weight, the mean over arms.
    """

    replicates: int = 500
    averaging: str = "bootstrap"
    solver: str = "exact"
    tolerance: float = 0.0
    log: list = field(default_factory=SharedLog)

    def start(self, problem, horizon):
        self.reward, self.arms = problem.reward, [dict(arm) for arm in problem.arms]
        self.states = {v: problem.scm.cardinality(v) for v in problem.scm.variables if v not in problem.scm.hidden}
        self.samples, self.weights = [[] for _ in self.arms], [[] for _ in self.arms]
        self.due = None  # the arm whose last sample has no weights yet
        self.last = [{} for _ in self.arms]  # weights, by estimator
        expressions = expressions_among(problem.scm.graph, self.arms, outcome=problem.reward)
        self.estimators = [list(self._with_values(expressions[frozenset(arm)][1:], arm)) for arm in self.arms]
        self.sources = {arm for own in self.estimators for *_, needed in own for arm, _ in needed}

    def _with_values(self, expressions, arm):
        """Each expression at y = 1, the arm's values and all free ones, with the cells that it needs (ledger L10)."""
        for expression in expressions:
            known = {Value(self.reward): 1} | {Value(v): state for v, state in arm.items()}
            free = sorted(expression.free - known.keys())
            for states in product(*(range(self.states[v.variable]) for v in free)):
                at = {v: state for v, state in (known | dict(zip(free, states, strict=True))).items()}
                at = {v: at[v] for v in expression.free}
                needed = set()
                for term in expression.terms:
                    every = sorted(v for v in term.free if v not in at or v in term.of)
                    for some in product(*(range(self.states[v.variable]) for v in every)):
                        here = at | dict(zip(every, some, strict=True))
                        source = self.arms.index({v.variable: here[v] for v in term.do})
                        needed.add((source, frozenset((v.variable, here[v]) for v in term.of | term.given)))
                yield expression, at, needed

    def update(self, arm, states, reward):
        self.samples[arm].append([states[v] for v in self.states])
        self.due = arm

    def averages(self, rng):
        """Mean and variance of each arm's average, improper ones clipped (ledger L13)."""
        self._draw_weights(rng)
        counts = [self._counted(arm) for arm in range(len(self.arms))]
        covered = [
            [(e, at, needed) for e, at, needed in own if all(self._cell(counts[a], cell) > 0 for a, cell in needed)]
            for own in self.estimators
        ]
        replicates = [self._counted(arm, True) for arm in range(len(self.arms))] if self._online else None
        found, improper, borrowed = [], 0, 0.0
        for arm, own in enumerate(covered):
            mean, variance, weight = self._average(arm, own, counts, replicates, rng)
            borrowed += weight / len(self.arms)
            variance = max(variance, 1e-12)
            eta = (1 - math.sqrt(1 - 8 * variance)) / 2
            improper += not eta <= mean <= 1 - eta
            found.append((min(max(mean, eta), 1 - eta), variance))
        self.log.append((improper, sum(map(len, covered)), borrowed))
        return found

    @property
    def _online(self):
        return self.averaging == "online_bootstrap"

    def _draw_weights(self, rng):
        """Poisson(1) weights of the last sample, from the stream that the compiled policies use at this point."""
        if self._online and self.due is not None:
            weights = np.zeros(self.replicates, dtype=np.float32)
            if self.due in self.sources:
                fill_poisson(weights, self.replicates, *new_digits(-(-self.replicates // 128) * 128), rng)
            self.weights[self.due].append(weights)
        self.due = None

    def _counted(self, arm, weighted=False):
        """Samples of an arm per joint state; with weights one such array per replicate."""
        counts = np.zeros([*self.states.values(), *([self.replicates] if weighted else [])])
        for i, sample in enumerate(self.samples[arm]):
            counts[tuple(sample)] += self.weights[arm][i] if weighted else 1
        return np.moveaxis(counts, -1, 0) if weighted else counts

    def _cell(self, counts, cell):
        """The number of samples that agree with some values; one for each leading index."""
        cell = dict(cell)
        states = counts[(..., *(cell.get(v, slice(None)) for v in self.states))]
        return (
            states.sum(axis=tuple(range(len(cell) - len(self.states), 0))) if len(cell) < len(self.states) else states
        )

    def evaluate(self, expression, at, counts):
        """An expression, interpreted, on one array of counts per arm; an empty condition gives 0 (ledger L11)."""
        if isinstance(expression, Probability):
            do, given, both = (
                {v.variable: at[v] for v in values}
                for values in (expression.do, expression.given, expression.of | expression.given)
            )
            data = counts[self.arms.index(do)]
            joint, condition = self._cell(data, both), self._cell(data, given)
            return ratio(joint, condition)
        if isinstance(expression, Sum):
            over = sorted(expression.over)
            states = product(*(range(self.states[v.variable]) for v in over))
            return sum(
                self.evaluate(expression.summand, at | dict(zip(over, some, strict=True)), counts) for some in states
            )
        if isinstance(expression, Quotient):
            return ratio(*(self.evaluate(e, at, counts) for e in (expression.numerator, expression.denominator)))
        assert isinstance(expression, Product)
        return math.prod(self.evaluate(f, at, counts) for f in expression.factors)

    def _average(self, arm, own, counts, replicates, rng):
        """Algorithm 2: covariance D'D of the estimators, weights; mean, variance, and the weight of expressions."""
        ones = sum(sample[list(self.states).index(self.reward)] for sample in self.samples[arm])
        n = len(self.samples[arm]) + 2
        mean = (ones + 1) / n
        variance = mean * (1 - mean) / (n + 1)
        if not own:
            return mean, variance, 0.0
        trivial = None
        if self.averaging == "bootstrap":
            replicates = [self._resampled(data, rng) for data in counts]  # lines 2 and 3
            trivial = self._cell(replicates[arm], {self.reward: 1}) / max(n - 2, 1)
            trivial = trivial - trivial.mean()
        if self.averaging == "delta":
            rows = np.stack([self._influence(e, at, needed, counts) for e, at, needed in own], axis=1)
        else:
            rows = np.stack([self.evaluate(e, at, replicates) for e, at, _ in own], axis=1)  # line 4
            rows = (rows - rows.mean(axis=0)) / math.sqrt(self.replicates - 1)
        if trivial is not None and trivial.any():  # of the Beta's variance, correlated as resampled (ledger L12)
            d = np.column_stack([trivial * math.sqrt(variance) / np.linalg.norm(trivial), rows])
        else:
            d = np.zeros((len(rows) + 1, len(own) + 1))
            d[0, 0], d[1:, 1:] = math.sqrt(variance), rows
        w = self._stopped(d, arm, [f"{e} {sorted(at.items())}" for e, at, _ in own])  # lines 5 and 6
        theta = [mean, *(float(self.evaluate(e, at, counts)) for e, at, _ in own)]
        return float(w @ theta), float(((d @ w) ** 2).sum()), float(w[1:].sum())  # line 7

    def _stopped(self, d, arm, names):
        """Where the solver stops (ledger L14): on the way from equal weights, or at the last ones."""
        best = least_variance_weights(d)
        if self.solver == "early":
            equal = np.full(len(best), 1 / len(best))

            def excess(share):
                return ((d @ (best + share * (equal - best))) ** 2).sum() - ((d @ best) ** 2).sum() - self.tolerance

            return equal if excess(1) <= 0 else best + brentq(excess, 0, 1, xtol=1e-14) * (equal - best)
        if self.solver == "warm":
            last = np.array([0.0, *(self.last[arm].get(name, 0.0) for name in names)])
            last[0] = 1 - last.sum()
            gradient = 2 * d.T @ (d @ last)
            free = np.ones(len(last), dtype=bool)
            while (kept := free & ((last > 0) | (gradient < gradient[free].mean()))).sum() < free.sum():
                free = kept
            if ((gradient - gradient[free].mean())[free] ** 2).sum() < self.tolerance:
                best = last
            self.last[arm] = dict(zip(names, best[1:], strict=True))
        return best

    def _resampled(self, data, rng):
        if not data.any():
            return np.zeros((self.replicates, *data.shape))
        drawn = rng.multinomial(int(data.sum()), data.ravel() / data.sum(), size=self.replicates)
        return drawn.reshape(-1, *data.shape).astype(float)

    def _influence(self, expression, at, needed, counts):
        """Of each cell of each arm: the derivative by its count (a complex step) times the count's root."""
        sources, step = {arm for arm, _ in needed}, 1e-30
        places = [(a, *cell) for a in range(len(counts)) for cell in zip(*np.nonzero(counts[a]), strict=True)]
        shifted = {a: np.repeat(counts[a][None].astype(complex), len(places), axis=0) for a in sources}
        for i, (a, *cell) in enumerate(places):
            if a in sources:
                shifted[a][(i, *cell)] += 1j * step
        gradient = self.evaluate(expression, at, shifted).imag / step
        return gradient * np.sqrt([counts[a][tuple(cell)] for a, *cell in places])


@dataclass
class PlainZ2Thompson(PlainZ2):
    """z2-TS (Algorithm 3, lines 1 to 12)."""

    def select(self, t, context, rng):
        draws = []
        for mean, variance in self.averages(rng):
            weight = mean * (1 - mean) / variance - 1
            draws.append(rng.beta(mean * weight, (1 - mean) * weight))
        return int(np.argmax(draws))


@dataclass
class PlainZ2KLUCB(PlainZ2):
    """z2-kl-UCB (Algorithm 3, lines 13 to 21), ties at random (ledger L05)."""

    c: float = 3.0

    def select(self, t, context, rng):
        if t < len(self.arms):
            self._draw_weights(rng)
            return t
        mean, variance = np.array(self.averages(rng)).T
        plays = mean * (1 - mean) / variance
        f = exploration(plays.sum(), self.c)
        index = [upper_bound(p, f / n) for p, n in zip(mean, plays, strict=True)]
        best = int(np.argmax(index))
        tied = np.flatnonzero(np.isclose(mean, mean[best], 0, 1e-10) & np.isclose(plays, plays[best], 1e-10, 0))
        return int(tied[int(rng.random() * len(tied))]) if len(tied) > 1 else best


def ratio(numerator, denominator):
    """A quotient, 0 where the denominator is 0 (ledger L11)."""
    empty = denominator == 0
    return np.where(empty, 0, numerator / np.where(empty, 1, denominator))


def least_variance_weights(d):
    """The convex combination w of columns with the least norm of d w.

    With w = s v, sum v = 1, the non-negative least squares below are s^2 |d v|^2 + (1 - s)^2: least for the v that is
    sought, whatever s is.
    """
    scale = np.linalg.norm(d, axis=0).max()
    w, _ = nnls(np.vstack([d / scale, np.ones(d.shape[1])]), np.eye(len(d) + 1)[-1])
    return w / w.sum()


def exploration(t, c):
    """f(t) = ln t + c ln ln t, 1 below t = 3."""
    return math.log(t) + c * math.log(math.log(t)) if t >= 3 else 1.0


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
