"""The parallel bandit of Lattimore, Lattimore & Reid (2016) in plain numpy; its algorithms return the regret.

Arms 0 to n - 1 set a cause to 0, the next n set it to 1, and the last sets nothing. Nothing of the study is used.
"""

import numpy as np


class Parallel:
    def __init__(self, m, epsilon=0.3, n=50):
        self.q = np.where(np.arange(n) < m, 0.0, 0.5)
        self.n, self.k, self.epsilon = n, 2 * n + 1, epsilon
        self.means = np.full(self.k, 0.5 + epsilon * self.q[0])
        self.means[0], self.means[n] = 0.5, 0.5 + epsilon

    def play(self, arm, rng):
        x = rng.random(self.n) < self.q
        if arm < 2 * self.n:
            x[arm % self.n] = arm >= self.n
        return x, float(rng.random() < 0.5 + self.epsilon * x[0])

    def regret(self, values, rng):
        return self.means.max() - self.means[rng.choice(np.flatnonzero(values == np.nanmax(values)))]


def algorithm_1(bandit, horizon, rng):
    half, ones, seen = horizon // 2, np.zeros(bandit.k), np.zeros(bandit.k)
    for _ in range(half):
        x, reward = bandit.play(bandit.k - 1, rng)
        agree = np.concatenate([~x, x, [True]])
        seen += agree
        ones += reward * agree
    order = sorted(range(bandit.k), key=lambda a: (seen[a], rng.random()))
    m = next(i for i, a in enumerate(order) if seen[a] / half >= 1 / (i + 1))
    for arm in order[:m]:
        ones[arm] = sum(bandit.play(arm, rng)[1] for _ in range(half // m))
        seen[arm] = half // m
    return bandit.regret(ones / seen, rng)


def bandit_algorithm(index):
    def run(bandit, horizon, rng):
        ones, plays = np.zeros(bandit.k), np.zeros(bandit.k)
        for t in range(horizon):
            values = index(ones, plays, t, rng)
            arm = rng.choice(np.flatnonzero(values == values.max()))
            ones[arm] += bandit.play(arm, rng)[1]
            plays[arm] += 1
        return bandit.regret(np.divide(ones, plays, out=np.full(bandit.k, np.nan), where=plays > 0), rng)

    return run


@bandit_algorithm
def ucb(ones, plays, t, rng):
    n = np.maximum(plays, 1)
    return np.where(plays == 0, np.inf, ones / n + np.sqrt(np.log(max(t, 1)) / n))


@bandit_algorithm
def thompson(ones, plays, t, rng):
    return rng.beta(1 + ones, 1 + plays - ones)


def successive_rejects(bandit, horizon, rng):
    k, left, ones, before = bandit.k, list(range(bandit.k)), np.zeros(bandit.k), 0
    total = 0.5 + sum(1 / i for i in range(2, k + 1))
    for phase in range(1, k):
        each = int(np.ceil((horizon - k) / total / (k + 1 - phase)))
        for arm in left:
            ones[arm] += sum(bandit.play(arm, rng)[1] for _ in range(each - before))
        before = each
        least = min(ones[left])
        worst = [arm for arm in left if ones[arm] == least]
        left.remove(rng.choice(worst))
    return bandit.means.max() - bandit.means[left[0]]
