"""What `causal_bandits.online.OnlineBandit` asks of an algorithm that needs neither model nor horizon."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from causal_bandits.arrays import FloatArray


class Incremental(Protocol):
    """An algorithm without contexts whose state is a named tuple of arrays.

    `choose` reads it and `learn` changes it in place. In an array with an entry per arm the arms' entries come first,
    so that `start` for more arms makes room for new ones.
    """

    #: The least and the largest reward that it learns from.
    rewards: ClassVar[tuple[float, float]]

    def start(self, arms: int) -> Any:
        """Return the state before the first round."""
        ...

    def choose(self, state: Any, rng: np.random.Generator) -> int:
        """Choose an arm."""
        ...

    def learn(self, state: Any, arm: int, reward: float) -> None:
        """Learn from one reward."""
        ...

    def check(self, state: Any) -> None:
        """Raise a ValueError if a state of finite numbers, which was read, is none that rewards lead to."""
        ...

    def expectations(self, state: Any) -> FloatArray:
        """Return the estimate of each arm's mean reward, shape (arms,); NaN where there is none."""
        ...
