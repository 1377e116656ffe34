"""Random streams that depend on what is played and on nothing else.

One seed of one experiment has three independent generators. They are derived from the root seed, the experiment's name
and the seed's number, never (ledger L19) from the order of jobs, the batch, the policy or the number of cores.
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
        Draws the worlds, and nothing else.
    policy : numpy.random.Generator
        The policy's own.
    measures : numpy.random.Generator
        For what is measured of a run and needs draws of its own.
    """

    environment: np.random.Generator
    policy: np.random.Generator
    measures: np.random.Generator


def stable_hash(name: str) -> int:
    """A 64-bit number that is the same for the same name on every machine and in every process."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")


def generators(root: int, experiment: str, seed: int) -> Streams:
    """The generators of one seed of one experiment.

    Parameters
    ----------
    root : int
        The study's root seed, >= 0.
    experiment : str
        The experiment's full name, for instance ``lee2019/frontdoor``.
    seed : int
        The number of the repetition, >= 0.
    """
    key = stable_hash(experiment)
    sequences = (np.random.SeedSequence(root, spawn_key=(key, seed, i)) for i in range(len(Streams._fields)))
    return Streams(*(np.random.Generator(np.random.PCG64(sequence)) for sequence in sequences))
