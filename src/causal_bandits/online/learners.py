"""Thompson sampling and kl-UCB, with samples shared between arms or not, one decision at a time.

Choices and updates are those of the loops in `causal_bandits.policies`, called one by one. ``some`` are always the arms
that can be played, in ascending order; arms from ``playable`` on only have samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit, loop
from causal_bandits.estimation.mvwa import observe
from causal_bandits.graphs.admg import ADMG
from causal_bandits.policies.classical.kl_ucb import KLUCB, Indices, exploration, largest_index, learn
from causal_bandits.policies.classical.thompson import Betas, Thompson, largest_draw
from causal_bandits.policies.scm.helpers.z2 import Sharing, among, proper
from causal_bandits.policies.scm.z2_kl_ucb import Z2KLUCB
from causal_bandits.policies.scm.z2_kl_ucb import choose as largest_shared_index
from causal_bandits.policies.scm.z2_thompson import Z2Thompson
from causal_bandits.policies.scm.z2_thompson import choose as largest_shared_draw

Samples = NDArray[np.int8]

#: Nodes in (0, 1), dense at both ends, and weights for an integral over (0, 1).
_LINE, _WEIGHT = np.polynomial.legendre.leggauss(256)
_UNIT = (_LINE + 1) / 2
_NODES, _WEIGHTS = _UNIT**2 * (3 - 2 * _UNIT), 3 * _WEIGHT * _UNIT * (1 - _UNIT)


def largest_of_betas(ones: FloatArray, zeros: FloatArray, arm: int) -> float:
    """Integrate the probability that the arm's draw from its Beta distribution is the largest."""
    draw = betaincinv(ones[arm], zeros[arm], _NODES)
    others = [betainc(ones[x], zeros[x], draw) for x in range(len(ones)) if x != arm]
    return float(np.clip(np.prod(others, axis=0) @ _WEIGHTS, 0.0, 1.0)) if others else 1.0


class Task(NamedTuple):
    """What a learner is created for: arms are joint states, and ``sizes`` numbers of states."""

    graph: ADMG
    outcome: str
    arms: Sequence[Mapping[str, int]]
    sizes: Mapping[str, int]
    playable: int


def arrays_of(state: Any, name: str = "learned") -> Iterator[tuple[str, NDArray[Any]]]:
    """List the arrays in named tuples of arrays, with their names."""
    if isinstance(state, np.ndarray):
        yield name, state
    elif isinstance(state, tuple):
        for i, each in enumerate(state):
            yield from arrays_of(each, f"{name}.{getattr(state, '_fields', range(len(state)))[i]}")


class _OfThompson:
    """`Thompson`, one decision at a time; also the interface of all learners."""

    #: Whether it learns from all variables of the graph; plays all arms in their order first; has exact probabilities.
    shares, sweeps, exact = False, False, False

    def __init__(self, policy: Thompson, task: Task) -> None:
        n = len(task.arms)
        self.betas = Betas(np.full(n, float(policy.prior_ones)), np.full(n, float(policy.prior_zeros)))
        self.state: tuple[Any, ...] = self.betas

    def choose(self, some: IntArray, rng: np.random.Generator) -> int:
        return int(some[largest_draw(self.betas.ones[some], self.betas.zeros[some], rng)])

    def probability(self, arm: int, some: IntArray) -> tuple[Callable[..., float], tuple[Any, ...]]:
        return largest_of_betas, (self.betas.ones[some], self.betas.zeros[some], int(np.searchsorted(some, arm)))

    def learn(self, arm: int, samples: Samples, rewards: FloatArray, rng: np.random.Generator) -> None:
        self.start_from(arm, float(rewards.mean()), len(rewards))

    def start_from(self, arm: int, mean: float, weight: float) -> None:
        self.betas.ones[arm] += mean * weight
        self.betas.zeros[arm] += (1 - mean) * weight

    def expectations(self) -> FloatArray:
        return np.asarray(self.betas.ones / (self.betas.ones + self.betas.zeros))


@jit  # Python may not call a kernel with a generator
def _largest_index(f: float, indices: Indices, rng: np.random.Generator) -> int:
    return largest_index(f, indices, rng)


class _OfKLUCB(_OfThompson):
    """`KLUCB`, one decision at a time.

    The arms are in random order, so the first one that was never chosen is each of these with the same probability. If
    only some can be played, or rewards of arms that were chosen are still to come, the first rounds' arm is drawn.
    """

    sweeps = exact = True

    def __init__(self, policy: KLUCB | Z2KLUCB, task: Task) -> None:
        n = len(task.arms)
        self.c, self.playable, self.tied = float(policy.c), task.playable, 1
        self.chosen, self.ones, self.indices = np.zeros(n, dtype=np.int64), np.zeros(n), Indices.unknown(n)
        self.state = self.chosen, self.ones, self.indices

    def plays(self) -> FloatArray:
        return self.indices.pulls

    def choose(self, some: IntArray, rng: np.random.Generator) -> int:
        new = some[self.plays()[some] == 0]
        if len(new):
            least = new[self.chosen[new] == self.chosen[new].min()]
            in_order = len(some) == self.playable and self.chosen[least[0]] == 0
            arm, self.tied = int(least[0] if in_order else rng.choice(least)), len(least)
        else:
            last = np.array([max(int(np.searchsorted(some, self.indices.last[0], "right")) - 1, 0)])
            part = Indices(*(array[some] for array in self.indices[:4]), last)  # type: ignore[call-arg, arg-type]
            arm = int(some[self.largest(part, some, rng)])
            for whole, new_part in zip(self.indices[:4], part[:4], strict=True):
                whole[some] = new_part
            rate, pulls = part.rate - self.indices.rate[arm], part.pulls / self.indices.pulls[arm]
            same = (np.abs(rate) <= 1e-10) & (np.abs(pulls - 1) <= 1e-10)  # as in `largest_index`
            self.tied = int((same | ((part.rate == 1.0) & (rate == 0.0))).sum())
        self.chosen[arm] += 1
        return arm

    def largest(self, part: Indices, some: IntArray, rng: np.random.Generator) -> int:
        return int(_largest_index(exploration(float(part.pulls.sum()), self.c), part, rng))

    def probability(self, arm: int, some: IntArray) -> tuple[Callable[..., float], tuple[Any, ...]]:
        return np.reciprocal, (float(self.tied),)

    def learn(self, arm: int, samples: Samples, rewards: FloatArray, rng: np.random.Generator) -> None:
        for reward in rewards:
            learn(self.ones, self.indices, arm, reward)

    def start_from(self, arm: int, mean: float, weight: float) -> None:
        self.indices.pulls[arm] += weight - 1
        learn(self.ones, self.indices, arm, mean * weight)

    def expectations(self) -> FloatArray:
        return np.where(self.indices.pulls > 0, self.indices.rate, np.nan)


@loop
def _observe(arm: int, samples: Samples, rewards: FloatArray, sharing: Sharing, rng: np.random.Generator) -> None:
    for i in range(len(rewards)):
        observe(sharing.estimators, sharing.averages, sharing.method, arm, samples[i], rewards[i], rng)


def _sharing(policy: Z2Thompson | Z2KLUCB, task: Task) -> Sharing:
    return policy.start(among(task.graph, task.outcome, task.arms, task.sizes, policy.search, policy.support))


class _OfZ2Thompson(_OfThompson):
    """`Z2Thompson`, one decision at a time."""

    shares = True

    def __init__(self, policy: Z2Thompson, task: Task) -> None:
        self.sharing = _sharing(policy, task)
        self.state = self.averages = self.sharing.averages

    def choose(self, some: IntArray, rng: np.random.Generator) -> int:
        return int(some[largest_shared_draw(self.averages.mean[some], self.averages.variance[some], rng)[0]])

    def probability(self, arm: int, some: IntArray) -> tuple[Callable[..., float], tuple[Any, ...]]:
        pairs = zip(self.averages.mean[some], self.averages.variance[some], strict=True)
        mean, variance = np.array([proper(*pair)[:2] for pair in pairs]).T
        weight = mean * (1.0 - mean) / variance - 1.0
        return largest_of_betas, (mean * weight, (1.0 - mean) * weight, int(np.searchsorted(some, arm)))

    def learn(self, arm: int, samples: Samples, rewards: FloatArray, rng: np.random.Generator) -> None:
        _observe(arm, samples, rewards, self.sharing, rng)

    def expectations(self) -> FloatArray:
        return np.clip(self.averages.mean, 0.0, 1.0)


class _OfZ2KLUCB(_OfKLUCB):
    """`Z2KLUCB`, one decision at a time."""

    shares = True

    def __init__(self, policy: Z2KLUCB, task: Task) -> None:
        super().__init__(policy, task)
        self.sharing = _sharing(policy, task)
        self.averages = self.sharing.averages
        self.state = self.chosen, self.indices, self.averages

    def plays(self) -> FloatArray:
        return self.averages.ones + self.averages.zeros

    def largest(self, part: Indices, some: IntArray, rng: np.random.Generator) -> int:
        mean, variance = self.averages.mean[some], self.averages.variance[some]
        return int(largest_shared_index(mean, variance, part, self.c, rng)[0])

    def learn(self, arm: int, samples: Samples, rewards: FloatArray, rng: np.random.Generator) -> None:
        _observe(arm, samples, rewards, self.sharing, rng)
        self.indices.last[0] = arm

    expectations = _OfZ2Thompson.expectations


LEARNERS: Mapping[type, Callable[[Any, Task], _OfThompson]] = {
    Z2Thompson: _OfZ2Thompson,
    Z2KLUCB: _OfZ2KLUCB,
    Thompson: _OfThompson,
    KLUCB: _OfKLUCB,
}
