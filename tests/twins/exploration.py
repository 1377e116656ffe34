"""LUCB, Track-and-Stop and CCPE in plain Python, by the letter of their pseudo-code, on raw rows."""

import math

import numpy as np
from scipy.optimize import brentq

from causal_bandits.policies.helpers.choice import TIE


def largest(values, rng, tie=TIE):
    """The number of the largest value, ties at random: one draw, and none where there is no tie."""
    best = [i for i, value in enumerate(values) if value >= max(values) - tie]
    return best[int(rng.random() * len(best))] if len(best) > 1 else best[0]


class Player:
    """Plays rounds of a bandit's world one by one, up to its end."""

    def __init__(self, bandit, streams, cap):
        self.bandit, self.world, self.cap = bandit, bandit.worlds(0, cap, streams.environment), cap
        self.arms, self.rng = [], streams.policy

    def play(self, arm):
        if len(self.arms) == self.cap:
            raise StopIteration
        states, reward = self.bandit.play(self.world, len(self.arms), arm)
        self.arms.append(arm)
        return states, reward


def run(policy, bandit, streams, cap):
    """The arms played and the answer, None at the cap; ``policy(player)`` gives the answer."""
    player = Player(bandit, streams, cap)
    try:
        return player.arms, policy(player)
    except StopIteration:
        return player.arms, None


def kl(p, q):
    return sum(a * math.log(a / b) for a, b in ((p, q), (1 - p, 1 - q)) if a > 0)


def kl_bound(p, allowed, up):
    """By bisection."""
    near, far = p, 1.0 if up else 0.0
    for _ in range(200):
        middle = (near + far) / 2
        inside = 0 < middle < 1 and kl(p, middle) <= allowed
        near, far = (middle, far) if inside else (near, middle)
    return near


def lucb(bounds, alpha, epsilon, delta):
    """Kalyanakrishnan et al. 2012; Kaufmann & Kalyanakrishnan 2013."""

    def policy(player):
        k = len(player.bandit.arms)
        rewards = [[player.play(a)[1]] for a in range(k)]
        t = 0
        while True:
            t += 1
            mean, plays = [np.mean(r) for r in rewards], [len(r) for r in rewards]
            if bounds == "kl":
                x = 405.5 * k * t**1.1 / delta
                level = math.log(x) + math.log(math.log(x))
                upper = [kl_bound(p, level / n, True) for p, n in zip(mean, plays, strict=True)]
                lower = [kl_bound(p, level / n, False) for p, n in zip(mean, plays, strict=True)]
            else:
                if bounds == "lucb1":
                    radius = [math.sqrt(math.log(1.25 * k * t**4 / delta) / (2 * n)) for n in plays]
                else:
                    radius = [alpha * math.sqrt(math.log(k * math.log(2 * n) / delta) / n) for n in plays]
                upper, lower = np.add(mean, radius), np.subtract(mean, radius)
            h = largest(mean, player.rng)
            others = [-math.inf if a == h else upper[a] for a in range(k)]
            low = largest(others, player.rng)
            if upper[low] <= lower[h] + epsilon:
                return h
            for a in (h, low):
                rewards[a].append(player.play(a)[1])

    return policy


def shares(means):
    """Garivier & Kaufmann 2016, Theorem 5, by bisection in both equations."""
    means = [min(max(m, 1e-6), 1 - 1e-6) for m in means]
    best = means.index(max(means))
    tied = [m >= means[best] - TIE for m in means]
    if sum(tied) > 1:
        return [t / sum(tied) for t in tied]

    def parts(b, x):
        m = (means[best] + x * means[b]) / (1 + x)
        return kl(means[best], m), kl(means[b], m)

    def ratio(b, y):
        return brentq(lambda x: np.dot(parts(b, x), (1, x)) - y, 0, 1e7, xtol=1e-13, rtol=1e-14)

    others = [b for b in range(len(means)) if b != best]

    def excess(y):
        found = [parts(b, ratio(b, y)) for b in others]
        return sum(above / below for above, below in found) - 1

    top = min(kl(means[best], means[b]) for b in others)
    y = brentq(excess, 1e-6 * top, (1 - 1e-5) * top, xtol=1e-14, rtol=1e-14)
    x = [1.0 if b == best else ratio(b, y) for b in range(len(means))]
    return [value / sum(x) for value in x]


def track_and_stop(delta):
    """Garivier & Kaufmann 2016: D-tracking, Chernoff's stopping rule, threshold log(2 t (K - 1) / delta)."""

    def policy(player):
        k = len(player.bandit.arms)
        rewards = [[player.play(a)[1]] for a in range(k)]
        while True:
            plays, mean = [len(r) for r in rewards], [np.mean(r) for r in rewards]
            t, best = sum(plays), mean.index(max(mean))
            apart = []
            for b in range(k):
                if b != best:
                    both = np.mean(rewards[best] + rewards[b])
                    apart.append(plays[best] * kl(mean[best], both) + plays[b] * kl(mean[b], both))
            if min(apart) >= math.log(2 * t * (k - 1) / delta):
                return best
            if min(plays) < math.sqrt(t) - k / 2:
                arm = largest([-n for n in plays], player.rng, 1e-6)
            else:
                arm = largest([t * w - n for w, n in zip(shares(mean), plays, strict=True)], player.rng, 1e-6)
            rewards[arm].append(player.play(arm)[1])

    return policy


def ccpe(watch, epsilon, delta, alpha_i, enough=lambda t: True, observations=None):
    """Algorithms 1 and 3; ``watch(rows, t)`` gives (estimate, radius) per action, or None where there is none.

    With ``observations`` that many rounds watch first, and no others.
    """

    def policy(player):
        arms = list(player.bandit.arms)
        k, null = len(arms), arms.index({})
        rewards, rows, watched = [[] for _ in arms], [], [None] * k
        mean, lower, upper = [0.0] * k, [-math.inf] * k, [math.inf] * k
        t = 0
        while True:
            t += 1
            h = largest(mean, player.rng)
            low = largest([-math.inf if a == h else upper[a] for a in range(k)], player.rng)
            if upper[low] <= lower[h] + epsilon and enough(t):
                return h
            watching = observations is None or len(player.arms) < observations
            if watching:
                states, reward = player.play(null)
                rewards[null].append(reward)
                rows.append(states)
                watched = [
                    old if new is None else new for old, new in zip(watched, watch(rows, len(rows)), strict=True)
                ]
            if observations is None or not watching:
                for a in (low, h):
                    rewards[a].append(player.play(a)[1])
            for a in range(k):
                intervals = (
                    [] if watched[a] is None else [(watched[a][0] - watched[a][1], watched[a][0] + watched[a][1])]
                )
                if n := len(rewards[a]):
                    radius = alpha_i * math.sqrt(math.log(k * math.log(2 * n) / delta) / n)
                    intervals.append((np.mean(rewards[a]) - radius, np.mean(rewards[a]) + radius))
                if intervals:
                    lower[a], upper[a] = max(i[0] for i in intervals), min(i[1] for i in intervals)
                    mean[a] = (lower[a] + upper[a]) / 2

    return policy


def adjusted(rows, action, sequence):
    """Eq. 11 to 14 of xiong2023 by the letter, on raw rows (dicts): the estimate and T_a, (0, 0) without one."""
    from itertools import product

    order, sets = sequence
    names = sorted(frozenset().union(*sets))
    total, least = 0.0, math.inf
    for values in product((0, 1), repeat=len(names)):
        z = dict(zip(names, values, strict=True))
        agree = [r for r in rows if all(r[v] == s for v, s in {**action, **z}.items())]
        least = min(least, len(agree))
        if not agree:
            return 0.0, 0.0
        term, known = np.mean([r["Y"] for r in agree]), {}
        for x, own in zip(order, sets, strict=True):
            before = [r for r in rows if all(r[v] == s for v, s in known.items())]
            mine = {v: z[v] for v in own}
            term *= sum(all(r[v] == s for v, s in mine.items()) for r in before) / len(before)
            known |= mine | {x: action[x]}
        total += term
    return total, least
