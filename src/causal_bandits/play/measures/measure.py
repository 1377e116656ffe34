"""The interface of measures: quantities of a run besides regret, computed from its worlds, arms and rewards.

The tuple ``MEASURES`` in a module of `causal_bandits.problems` lists the measures of a paper's experiments, so that a
simulation loads no others.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray, IntArray


class Played(NamedTuple):
    """Some successive rounds of a run, as they were played.

    Attributes
    ----------
    world : Any
        The bandit's world, which may hold more rounds than were played.
    arms : int64 array, shape (rounds,)
    rewards : float64 array, shape (rounds,)
    queried_arms : int64 array, shape (rounds, queries), or None
        The policy's choices in the contexts that `Measure.queries` names; None if the policy gave none.
    """

    world: Any
    arms: IntArray
    rewards: FloatArray
    queried_arms: IntArray | None = None


class Measure(ABC):
    """Base of measures; one object measures one run.

    Parameters
    ----------
    bandit : Bandit
        The bandit of the run; `applies_to` must hold for it.
    rng : numpy.random.Generator
        The measure's own generator.

    Attributes
    ----------
    of : type
        The kind of bandit that is measured.
    names : tuple of str
        The names of the measured quantities.
    sums : bool
        Whether each round adds to the quantities, as to regret; if not, they have a value after each round.
    queries : int64 array, shape (contexts, queries), or None
        Row c holds the counterfactual contexts that are also queried in a round with context c; see
        `causal_bandits.policies.base.Queries`.
    """

    of: ClassVar[type]
    names: ClassVar[tuple[str, ...]]
    sums: ClassVar[bool] = True

    queries: IntArray | None = None

    @abstractmethod
    def __init__(self, bandit: Any, rng: np.random.Generator) -> None: ...

    @classmethod
    def applies_to(cls, bandit: object) -> bool:
        """Return whether ``bandit`` can be measured; by default, any bandit of the kind ``of`` can."""
        return isinstance(bandit, cls.of)

    @abstractmethod
    def update(self, played: Played) -> Mapping[str, NDArray[Any]]:
        """Return what each round adds to each quantity, or its value (`sums`), by name; called in order."""

    def answered(self, answer: int) -> Mapping[str, float]:
        """Return the values of quantities that differ after the last round, because the run ended with this answer."""
        return {}


def measures_of(module: str) -> tuple[type[Measure], ...]:
    """Return the measures of the problems in a module: its ``MEASURES``, or none."""
    found: tuple[type[Measure], ...] = getattr(import_module(module), "MEASURES", ())
    return found
