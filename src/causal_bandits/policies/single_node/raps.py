"""RAPS (Konobeev et al. 2023): a randomised search for the one reward variable X_R, without a graph.

Source: Konobeev, Etesami & Kiyavash 2023, "Causal bandits without graph learning". A variable is drawn from the
candidates and set to every state. If that moves the reward, X_R is this variable or one that it moves; otherwise X_R is
neither. The last variable that moved the reward is X_R, and UCB plays its arms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import ClassVar

import numpy as np

from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.classical.gaussian_ucb import play_ucb
from causal_bandits.policies.helpers.repeated_play import TOO_SHORT, TooFewRoundsError, repeat


@dataclass(frozen=True)
class RAPS:
    """Randomised parent search, then UCB on the variable found, or on all arms if none is found.

    The outcome has ``answer``, the number of the variable found or -1; ``correct``; and ``sample_complexity``, the
    rounds before UCB.

    Parameters
    ----------
    confidence : float
        delta, in (0, 1): the search finds X_R with probability at least 1 - delta if every variable has an effect of
        at least the bandit's epsilon on all its descendants. The source assumes that; lu2021 assumes it only for the
        children (L127).
    too_short : {"refuse", "cut off"}
        What happens if the horizon ends before the search: an error, or a run without an outcome (L177).
    """

    plays: ClassVar[type] = SingleNodeBandit
    outcomes: ClassVar[tuple[str, ...]] = ("answer", "correct", "sample_complexity")

    confidence: float = 0.05
    too_short: str = "refuse"

    def __post_init__(self) -> None:
        check_numbers(self, confidence="(0, 1)")
        check_choice("too_short", self.too_short, TOO_SHORT)

    def samples(self, bandit: SingleNodeBandit) -> int:
        """Return B, how often the search plays each arm (L127)."""
        n, states, gap, epsilon = len(bandit.variables), bandit.states, bandit.reward_gap, bandit.epsilon
        of_rewards = 32 / gap**2 * log(8 * n * states / self.confidence)
        of_states = 8 / epsilon**2 * log(8 * n**2 * states**2 / self.confidence)
        return ceil(max(of_rewards, of_states))

    def run(self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        TooFewRoundsError
            If the horizon is too short for the search and ``too_short`` is ``refuse``.
        """
        try:
            found = self._search(bandit, rounds, rng)
        except TooFewRoundsError:
            if self.too_short == "cut off":
                return {}
            raise
        search = rounds.horizon - rounds.left
        # step 5
        play_ucb(np.arange(bandit.empty) if found < 0 else bandit.arms_of(found), rounds, rng)
        return {"answer": found, "correct": bandit.rewarding == (found,), "sample_complexity": search}

    def _search(self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator) -> int:
        times, found = self.samples(bandit), -1
        candidates = np.arange(len(bandit.variables))
        # step 1
        before = repeat(bandit, rounds, bandit.empty, times, candidates)
        while len(candidates):
            # step 2
            node = int(rng.choice(candidates))
            under = [repeat(bandit, rounds, int(arm), times, candidates) for arm in bandit.arms_of(node)]
            if min(sample.rounds for sample in (before, *under)) < times:
                raise TooFewRoundsError(
                    f"horizon={rounds.horizon} is too short for the search: each arm is played B={times} times, and "
                    f"{len(candidates)} of {len(bandit.variables)} variables are still candidates"
                )
            # step 3
            now = before.frequencies[candidates]
            moved = np.max([np.abs(sample.frequencies - now).max(axis=1) for sample in under], axis=0)
            below = (moved > bandit.epsilon / 2) | (candidates == node)
            if max(abs(sample.mean - before.mean) for sample in under) > bandit.reward_gap / 2:  # step 4
                found = node
                candidates = candidates[below & (candidates != node)]
            else:
                candidates = candidates[~below]
        return found
