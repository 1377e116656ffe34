"""Explore the two ends of a path, then commit: the counterexample to lu2021's lower bounds (E45)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.helpers.repeated_play import repeat


def plays_of_each(horizon: int, arms: int, explored: float) -> int:
    """Return how often each explored arm is played before one is chosen for all later rounds; at least once."""
    return max(1, int(explored * horizon / arms))


@dataclass(frozen=True)
@constrained
class ExploreEnds:
    """Explore the ends of a path, then commit: a counterexample.

    It shows why lu2021's lower bounds fail for a learner that is given the graph: in the proofs of Theorems 4 and 5,
    X_R is always an end of a path, so only 2K arms must be explored, not nK. It is not meant as a practical algorithm.
    It needs the essential graph and the horizon.

    It was written for this study (E45):

    1. List the variables with at most one neighbour in the essential graph.
    2. Play each of their arms equally often, in a share ``explored`` of all rounds.
    3. Play the arm with the largest mean in all remaining rounds.

    Parameters
    ----------
    explored : float
        The share of the rounds that explore.

    References
    ----------
    Explore-then-commit: Lattimore & Szepesvári 2020, Algorithm 1.
    """

    plays: ClassVar[type] = SingleNodeBandit
    constraints: ClassVar[Constraints] = {"explored": Interval(0, 1)}

    explored: float = 0.3

    def run(self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If every variable has more than one neighbour in the essential graph.
        """
        degree = dict.fromkeys(bandit.variables, 0)
        for a, b in bandit.essential.adjacent:
            degree[a] += 1
            degree[b] += 1
        # step 1
        ends = [i for i, name in enumerate(bandit.variables) if degree[name] <= 1]
        if not ends:
            raise ValueError("no variable has fewer than two neighbours in the essential graph")
        arms = np.concatenate([bandit.arms_of(i) for i in ends])
        times = plays_of_each(rounds.horizon, len(arms), self.explored)
        means = [repeat(bandit, rounds, int(arm), times).mean for arm in arms]  # step 2
        repeat(bandit, rounds, int(arms[np.nanargmax(means)]), rounds.left)  # step 3
        return {}
