"""The parallel and the general bandit algorithm in plain Python, by the letter of their pseudo-code.

They play through `twins.exploration.Player`.
"""

import math
from itertools import product

import numpy as np
from twins.exploration import Player, largest


def parallel_bandit(budget, reuse):
    """Algorithm 1 on lists of rows."""

    def policy(player: Player):
        arms, half = list(player.bandit.arms), budget // 2
        rows = [player.play(arms.index({})) for _ in range(half)]
        rewards = [[y for states, y in rows if all(states[x] == s for x, s in arm.items())] for arm in arms]
        shuffled = [int(a) for a in player.rng.permutation(len(arms))]
        order = sorted(shuffled, key=lambda a: len(rewards[a]))
        m = next(k for k, a in enumerate(order) if len(rewards[a]) / half * (k + 1) >= 1)
        for a in order[:m]:
            own = [player.play(a)[1] for _ in range(half // m)]
            rewards[a] = rewards[a] + own if reuse else own
        means = [np.mean(own) if own else -np.inf for own in rewards]
        return largest(means, player.rng)

    return policy


def laws(bandit):
    """By action: the probability of each joint state of the reward's parents."""
    scm, parents = bandit.glm.to_scm(), bandit.glm.parents("Y")
    states = list(product((0, 1), repeat=len(parents)))
    return [dict(zip(states, scm.distribution(parents, do=arm).ravel().tolist(), strict=True)) for arm in bandit.arms]


def general_bandit(policy, eta):
    """Algorithm 2 by the letter on dictionaries, for a given design."""

    def play_on(player: Player):
        of, parents, budget = laws(player.bandit), player.bandit.glm.parents("Y"), policy.budget
        k = len(of)
        law = {z: sum(e * b[z] for e, b in zip(eta, of, strict=True)) for z in of[0]}
        m = max(sum(of[a][z] ** 2 / law[z] for z in law if of[a][z]) for a in range(k))
        most, total = math.sqrt(m * budget / math.log(2 * budget * k)), [0.0] * k
        for _ in range(budget):
            u = player.rng.random()
            states, y = player.play(next(a for a in range(k) if u < sum(eta[: a + 1]) or a == k - 1))
            z = tuple(states[x] for x in parents)
            for a in range(k):
                r = of[a][z] / law[z]
                cut = {"none": r, "clip": min(r, most), "zero": r if r <= most else 0.0}[policy.truncation]
                total[a] += y * cut
        means = [u / budget for u in total]
        if policy.ties == "first":
            return next(a for a in range(k) if means[a] >= max(means) - 1e-10)
        return largest(means, player.rng)

    return play_on
