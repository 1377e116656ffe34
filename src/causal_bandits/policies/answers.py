"""What a policy would give to others than the user who is there, in the same state (huang2022, Definition 3)."""

from __future__ import annotations

import numpy as np

from causal_bandits.arrays import IntArray
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.models.fair import FairBandit


def asked_too(bandit: ContextualBandit) -> IntArray:
    """The contexts for which a policy is asked too, by the user's, shape (contexts, others).

    They are those that the user may have in the other group; none where the bandit knows no sensitive attribute.
    """
    if isinstance(bandit, FairBandit):
        return bandit.others
    return np.empty((len(bandit.contexts), 0), dtype=np.int64)


def apart(rng: np.random.Generator) -> np.random.Generator:
    """A generator for ties among the answers: being asked changes nothing of what ``rng`` draws, and is played."""
    return rng.spawn(1)[0]
