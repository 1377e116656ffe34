"""The decision problem of an `OnlineBandit`, and the interface of its learners."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.models.arms import Assignment

#: An arm: the states that it sets, or any name, which may be a number.
Arm: TypeAlias = Assignment | str | float
#: A context, seen before an arm is chosen: the states of variables, or a vector of numbers.
Context: TypeAlias = Assignment | Sequence[float] | FloatArray


@dataclasses.dataclass(frozen=True)
class Problem:
    """The problem that a learner is created for."""

    policy: Any
    arms: tuple[Arm, ...]
    contexts: tuple[Assignment, ...] | None
    features: int | None
    prior: Mapping[str, ArrayLike] | None
    resumed: bool = False

    def knowledge(self, name: str) -> FloatArray:
        """Return one array of the prior, shape (contexts, arms)."""
        if self.prior is None or name not in self.prior:
            raise ValueError(f"no prior {name!r}; the prior has {', '.join(sorted(self.prior or ())) or 'nothing'}")
        array = np.ascontiguousarray(self.prior[name], dtype=np.float64)
        shape = (1 if self.contexts is None else len(self.contexts), len(self.arms))
        if array.shape != shape:
            raise ValueError(f"prior {name!r}: shape {array.shape}, expected (contexts, arms) = {shape}")
        return array

    def number(self, context: Context | None) -> int:
        """Return the index of a context."""
        for i, known in enumerate(self.contexts or ()):
            if isinstance(context, Mapping) and dict(context) == dict(known):
                return i
        raise ValueError(f"context {context!r}: not among the {len(self.contexts or ())} contexts of this bandit")


class Learner(ABC):
    """The learnt state of an algorithm, and how it chooses; its whole state is in ``arrays``, by name."""

    arrays: dict[str, np.ndarray[Any, Any]]

    @abstractmethod
    def act(self, context: Context | None, rng: np.random.Generator) -> int:
        """Choose an arm."""

    @abstractmethod
    def update(self, arm: int, reward: float, context: Context | None) -> None:
        """Learn from one reward."""

    @abstractmethod
    def check(self) -> None:
        """Raise a ValueError unless the loaded ``arrays`` are a state that rewards can lead to."""

    @abstractmethod
    def expectations(self, context: Context | None) -> FloatArray:
        """Estimate each arm's mean reward, shape (arms,); NaN where nothing is known."""
