"""Rounds whose arms are set beforehand: the counts are those of a plain recount of the same worlds."""

import numpy as np
import pytest

from causal_bandits.models import BinaryGLM, GLMBandit
from causal_bandits.policies.glm.helpers.best_arm import Tally
from causal_bandits.policies.glm.helpers.schedule import follow


def of_causes(seed):
    """Independent causes, some of them with probability 0, and a linear reward."""
    rng = np.random.default_rng(seed)
    names = [f"X{i}" for i in range(int(rng.integers(1, 5)))]
    chances = rng.choice([0.0, 0.05, 0.2, 0.5], size=len(names))
    weights = dict(zip(names, rng.uniform(0, 0.9 / len(names), size=len(names)), strict=True))
    model = BinaryGLM(dict(zip(names, chances, strict=True)) | {"Y": 0.05}, {"Y": weights})
    return GLMBandit(model, [{}, *({x: s} for x in names for s in (0, 1))])


class Recorded:
    """Rounds in blocks that keeps each world, what was played in it and its rewards."""

    def __init__(self, bandit, horizon, block, rng):
        self._bandit, self._block, self._rng = bandit, block, rng
        self.left, self.taken = horizon, []

    def take(self, most):
        self.size = min(most, self.left, self._block)
        self.left -= self.size
        self._world = self._bandit.worlds(0, self.size, self._rng)
        return self._world

    def record(self, arms, rewards):
        self.taken.append((self._world, arms.copy(), rewards.copy()))


@pytest.mark.parametrize("watching", [False, True])
@pytest.mark.parametrize("enough", [False, True])
def test_counts_are_those_of_a_plain_recount(watching, enough):
    """200 random bandits, schedules and blocks; a horizon that ends first leaves what was played counted."""
    for seed in range(200):
        rng = np.random.default_rng([seed, watching])
        bandit = of_causes(seed)
        schedule = rng.integers(len(bandit.arms), size=int(rng.integers(1, 60)))
        horizon = len(schedule) if enough else int(rng.integers(len(schedule)))
        rounds, tally = Recorded(bandit, horizon, int(rng.integers(1, 20)), rng), Tally.empty(len(bandit.arms))
        assert follow(rounds, schedule, tally, watching=watching) is enough
        arms = np.concatenate([[], *(played for _, played, _ in rounds.taken)])
        assert (arms == schedule[:horizon]).all()
        pulls, ones = np.zeros(len(bandit.arms)), np.zeros(len(bandit.arms))
        for world, played, rewards in rounds.taken:
            for i, arm in enumerate(played.tolist()):
                seen, reward = bandit.play(world, i, arm)
                assert reward == rewards[i]
                for a, assignment in enumerate(bandit.arms):
                    if all(seen[v] == x for v, x in assignment.items()) if watching else a == arm:
                        pulls[a] += 1
                        ones[a] += reward
        assert (tally.pulls == pulls).all()
        assert (tally.ones == ones).all()
