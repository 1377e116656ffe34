"""RAPS: a randomised search for the one reward variable X_R, without a graph."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log
from typing import ClassVar

import numpy as np

from causal_bandits.checks import Constraints, Interval, constrained
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.classical.gaussian_ucb import play_ucb
from causal_bandits.policies.helpers.repeated_play import TOO_SHORT, TooFewRoundsError, repeat


@dataclass(frozen=True)
@constrained
class RAPS:
    """Find the variable that decides the reward by random interventions, then play UCB on it (RAPS).

    Use it in place of `CNUCB` if you have no graph. It needs epsilon, Delta and the horizon, and assumes that there are
    no hidden causes. Do not use it for short horizons.

    The steps are ours:

    1. Play do() B times; record the mean reward and how often each variable takes each state.
    2. Draw a variable from the candidates, initially all variables, and set it to each state, B times each.
    3. A candidate counts as a descendant of the variable if one of its frequencies changes by more than epsilon/2.
    4. If the mean reward changes by more than Delta/2, remember the variable, and keep only its descendants as
       candidates. Otherwise drop the variable and its descendants. Go back to step 2 while there are candidates.
    5. The variable remembered last is the answer. Play UCB on its arms, or on all arms if there is none.

    Parameters
    ----------
    confidence : float
        delta: the search is right with probability at least 1 - delta if every variable has an effect of at
        least epsilon on all its descendants, as the source assumes; lu2021 assumes it for the children only (L127).
    too_short : str
        If the horizon ends before the search does: an error, or a run without an outcome (L177).

    Notes
    -----
    Outcome: ``found``, the index of the variable found, or -1; ``correct``; ``sample_complexity``, the number of
    rounds before UCB.

    References
    ----------
    Konobeev, Etesami & Kiyavash 2023, "Causal bandits without graph learning"; a baseline of lu2021.

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import RAPS
    >>> from causal_bandits.problems import make
    >>> run = play(RAPS(), make("lu2021/figure1"), 200_000, generators(0, "example", seed=0))
    >>> bool(run.outcome["correct"])
    True
    """

    plays: ClassVar[type] = SingleNodeBandit
    outcomes: ClassVar[tuple[str, ...]] = ("found", "correct", "sample_complexity")
    constraints: ClassVar[Constraints] = {"confidence": Interval(0, 1), "too_short": TOO_SHORT}

    confidence: float = 0.05
    too_short: str = "refuse"

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
        return {"found": found, "correct": bandit.rewarding == (found,), "sample_complexity": search}

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
