"""Hold a random generator in a form that compiled functions take fast."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numba
import numpy as np
from numba.experimental import structref

from causal_bandits.compiled import jit


class HeldGenerator(structref.StructRefProxy):
    """A generator for compiled functions that Python calls often; they draw from its attribute ``rng``.

    Numba takes a generator apart at each call from Python, which lasts 5 microseconds, as long as dozens of Beta draws.
    It does so with a held one only once.
    """

    @property
    def rng(self) -> np.random.Generator:
        """The generator itself."""
        return _generator_of(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return hold, (self.rng,)  # a copy draws from the generator's copy


@structref.register
class _HeldGenerator(numba.types.StructRef):
    """Numba's type of a `HeldGenerator`."""


structref.define_proxy(HeldGenerator, _HeldGenerator, ["rng"])  # type: ignore[no-untyped-call]


def hold(rng: np.random.Generator) -> HeldGenerator:
    """Return the generator in the form that compiled functions take fast."""
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        # Nothing is compiled then, and plain Python takes any object that has an ``rng``.
        return cast(HeldGenerator, SimpleNamespace(rng=rng))
    return _hold(rng)


@jit
def _hold(rng: np.random.Generator) -> HeldGenerator:
    return HeldGenerator(rng)  # type: ignore[no-untyped-call]


@jit
def _generator_of(held: HeldGenerator) -> np.random.Generator:
    return held.rng
