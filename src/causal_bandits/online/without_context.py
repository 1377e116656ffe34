"""Learners without contexts: for `Thompson`, for `KLUCB`, and for each `IncrementalPolicy`."""

from __future__ import annotations

from typing import Any

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.compiled import jit
from causal_bandits.online.problem import Context, Learner, Problem
from causal_bandits.policies.base import IncrementalPolicy, checked_arm
from causal_bandits.policies.classical.kl_ucb import Indices, exploration, largest_index, negative_entropy


class WithoutContext(Learner):
    """Base of the learners without contexts."""

    def __init__(self, problem: Problem) -> None:
        if problem.contexts is not None or problem.features is not None:
            raise ValueError(f"{type(problem.policy).__name__} does not use contexts; use LinUCB")

    @staticmethod
    def _check(context: Context | None) -> None:
        if context is not None:
            raise ValueError("context: this bandit was created without contexts")


class Betas(WithoutContext):
    """The state of `Thompson`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.prior = float(problem.policy.prior_ones), float(problem.policy.prior_zeros)
        self.arrays = {
            name: np.full(len(problem.arms), prior) for name, prior in zip(("ones", "zeros"), self.prior, strict=True)
        }

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        """Choose an arm."""
        self._check(context)
        return int(np.argmax(rng.beta(self.arrays["ones"], self.arrays["zeros"])))

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        """Learn from one reward."""
        self._check(context)
        if reward not in (0.0, 1.0):
            raise ValueError(f"reward={reward}: Thompson learns from 0 and 1 only")
        self.arrays["ones" if reward else "zeros"][arm] += 1

    def check(self) -> None:
        """Raise a ValueError unless the loaded ``arrays`` are a state that rewards can lead to."""
        if any((array < prior).any() for array, prior in zip(self.arrays.values(), self.prior, strict=True)):
            raise ValueError(f"learnt: expected ones and zeros of at least {self.prior}, the prior")

    def expectations(self, context: Context | None) -> FloatArray:
        """Estimate each arm's mean reward, shape (arms,); NaN where nothing is known."""
        self._check(context)
        return np.asarray(self.arrays["ones"] / (self.arrays["ones"] + self.arrays["zeros"]))


@jit  # Python may not call a kernel with a generator
def _largest_index(f: float, indices: Indices, rng: np.random.Generator) -> int:
    return largest_index(f, indices, rng)


class KLIndices(WithoutContext):
    """The state of `KLUCB`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.c = float(problem.policy.c)
        self.arrays = {"ones": np.zeros(len(problem.arms)), **Indices.unknown(len(problem.arms))._asdict()}

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        """Choose an arm."""
        self._check(context)
        pulls = self.arrays["pulls"]
        if (pulls == 0).any():
            return int((pulls == 0).argmax())
        indices = Indices(**{name: self.arrays[name] for name in Indices._fields})
        return int(_largest_index(exploration(float(pulls.sum()), self.c), indices, rng))

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        """Learn from one reward."""
        self._check(context)
        if not 0 <= reward <= 1:
            raise ValueError(f"reward={reward}: kl-UCB learns from rewards in [0, 1]")
        state = self.arrays
        state["ones"][arm] += reward
        state["pulls"][arm] += 1
        state["rate"][arm] = state["ones"][arm] / state["pulls"][arm]
        state["entropy"][arm] = negative_entropy(state["rate"][arm])
        state["last"][0] = arm

    def check(self) -> None:
        """Raise a ValueError unless the loaded ``arrays`` are a state that rewards can lead to."""
        ones, pulls, last = (self.arrays[name] for name in ("ones", "pulls", "last"))
        if not ((ones >= 0) & (ones <= pulls) & (pulls == np.floor(pulls))).all() or not 0 <= last[0] < len(pulls):
            raise ValueError("learnt: expected 0 <= ones <= pulls, whole numbers of pulls, and last to be an arm")

    def expectations(self, context: Context | None) -> FloatArray:
        """Estimate each arm's mean reward, shape (arms,); NaN where nothing is known."""
        self._check(context)
        return np.where(self.arrays["pulls"] > 0, self.arrays["rate"], np.nan)


class OfArrays(WithoutContext):
    """The state of an `IncrementalPolicy`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.policy: IncrementalPolicy = problem.policy
        self.arms = len(problem.arms)
        self.state = self.policy.start(self.arms)
        arrays: dict[str, Any] = getattr(self.state, "_asdict", dict)()
        if not arrays or not all(isinstance(a, np.ndarray) and a.dtype.kind in "fiu" for a in arrays.values()):
            raise TypeError(
                f"{type(self.policy).__name__}.start returned {self.state!r}; expected a named tuple of arrays "
                "of numbers"
            )
        self.arrays = arrays

    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        """Choose an arm."""
        self._check(context)
        name = f"{type(self.policy).__name__}.choose"
        return checked_arm(name, self.policy.choose(self.state, rng), self.arms)

    def update(self, arm: int, reward: float, context: Context | None) -> None:
        """Learn from one reward."""
        self._check(context)
        low, high = self.policy.rewards
        if not low <= reward <= high:
            raise ValueError(
                f"reward={reward}: {type(self.policy).__name__} learns from rewards in [{low:g}, {high:g}]"
            )
        self.policy.learn(self.state, arm, reward)

    def expectations(self, context: Context | None) -> FloatArray:
        """Estimate each arm's mean reward, shape (arms,); NaN where nothing is known."""
        self._check(context)
        return self.policy.expectations(self.state)

    def check(self) -> None:
        """Raise a ValueError unless the loaded ``arrays`` are a state that rewards can lead to."""
        self.policy.check(self.state)
