"""What is measured of a run beside regret, from its worlds, arms and rewards; a bandit names what is of interest.

A paper's module ``problems`` maps those names to measures, in ``MEASURES``: a simulation loads what its own paper
measures, and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray, IntArray


class Measure(Protocol):
    """Looks on while one run is played.

    ``of`` is the kind of bandit that it measures, ``names`` what its quantities are called (class variables). Made as
    ``measure(bandit, rng)`` for one run, with a generator of its own for draws.
    """

    of: ClassVar[type]
    names: ClassVar[tuple[str, ...]]

    def __init__(self, bandit: Any, rng: np.random.Generator) -> None: ...

    def update(
        self,
        world: Any,
        arms: IntArray,
        rewards: FloatArray,
        answers: IntArray | None = None,
    ) -> Mapping[str, NDArray[Any]]:
        """What each round adds to each quantity, by name; rounds come in order, those of ``arms`` in ``world``.

        ``answers``: see `causal_bandits.policies.base.Rounds.record`.
        """
        ...


def measures_of(problems: str) -> Mapping[str, type[Measure]]:
    """What a paper measures beside regret, by name: ``MEASURES`` beside its dictionary of problems, if it has one."""
    found: Mapping[str, type[Measure]] = getattr(import_module(problems.partition(":")[0]), "MEASURES", {})
    return found
