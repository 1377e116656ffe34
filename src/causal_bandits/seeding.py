"""Random streams that depend on what is played and on nothing else.

One seed of one experiment has two independent generators. They are derived from the root seed, the experiment's name
and the seed's number, never (ledger L19) from the order of jobs, the batch, the policy or the number of cores.
"""

from __future__ import annotations

import hashlib

import numpy as np

#: Streams of one seed, in the order of their spawn keys.
STREAMS = ("environment", "policy")


def stable_hash(name: str) -> int:
    """A 64-bit number that is the same for the same name on every machine and in every process."""
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")


def generators(root: int, experiment: str, seed: int) -> tuple[np.random.Generator, np.random.Generator]:
    """The generators (environment, policy) of one seed of one experiment.

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
    sequences = (np.random.SeedSequence(root, spawn_key=(key, seed, stream)) for stream in range(len(STREAMS)))
    environment, policy = (np.random.Generator(np.random.PCG64(sequence)) for sequence in sequences)
    return environment, policy
