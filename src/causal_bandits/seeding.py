"""Random streams that depend only on the root seed, the experiment's name and the seed's number.

One seed of one experiment has three independent generators. They never depend on the order of jobs, the batch, the
policy or the number of cores (ledger L19).
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np


class Streams(NamedTuple):
    """The generators of one seed, in the order of their spawn keys.

    Attributes
    ----------
    environment : numpy.random.Generator
        For the worlds, and nothing else.
    policy : numpy.random.Generator
        For the policy.
    measures : numpy.random.Generator
        For measures that need their own draws.
    """

    environment: np.random.Generator
    policy: np.random.Generator
    measures: np.random.Generator


def stable_hash(name: str) -> int:
    """Hash a name to a 64-bit number, the same on every machine and in every process."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")


def generators(root: int, experiment: str, seed: int) -> Streams:
    """Create the generators of one seed of one experiment.

    Parameters
    ----------
    root : int
        The study's root seed, >= 0.
    experiment : str
        The experiment's full name, for instance ``lee2019/frontdoor``.
    seed : int
        The number of the repetition, >= 0.

    Raises
    ------
    TypeError
        If the experiment is not a string, or a number is not whole.
    ValueError
        If a number is negative.
    """
    if not isinstance(experiment, str):
        raise TypeError(f"experiment: {experiment!r}; expected a name")
    for name, number in (("root", root), ("seed", seed)):
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise TypeError(f"{name}: {number!r}; expected a whole number")
        if number < 0:
            raise ValueError(f"{name}={number}: expected a number >= 0")
    key = stable_hash(experiment)
    sequences = (np.random.SeedSequence(root, spawn_key=(key, seed, i)) for i in range(len(Streams._fields)))
    return Streams(*(np.random.Generator(np.random.PCG64(sequence)) for sequence in sequences))
