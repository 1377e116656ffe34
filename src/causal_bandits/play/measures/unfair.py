"""How often a round was unfair, by several definitions (huang2022, ledger L50)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.compiled import jit
from causal_bandits.estimation.cells import CellMeans, cells, learn, mean_widths, minimal_separator, no_rewards
from causal_bandits.estimation.discrepancies import Counterparts, counterparts, estimated_discrepancies
from causal_bandits.models.contextual import ContextualWorld, play_round
from causal_bandits.models.fair import FairBandit
from causal_bandits.play.measures.measure import Measure, Played
from causal_bandits.play.unfairness import DEFINITIONS, MISSED, ROUNDING, unfair


class Unfair(Measure):
    """How often a round was unfair, by each definition and threshold (ledger L50).

    `causal_bandits.play.unfairness` lists the definitions. Two further quantities count the rounds in which the
    arm's exact discrepancy exceeds UCB_Delta (huang2022, Eq. 12), and those in which it exceeds UCB_Delta with the
    widths of both groups' cells (erratum E26).
    """

    of: ClassVar[type] = FairBandit
    names: ClassVar[tuple[str, ...]] = (
        *(unfair(d, tau) for d in DEFINITIONS for tau in FairBandit.thresholds),
        *MISSED,
    )

    def __init__(self, bandit: FairBandit, rng: np.random.Generator) -> None:
        self._bandit, self._rng = bandit, rng
        self.queries = bandit.others
        table = (*bandit.context, *bandit.manipulable)
        sets = {"plugin": minimal_separator(bandit), "plugin_parents": tuple(bandit.weights), "plugin_table": table}
        self._means = {name: no_rewards(cells(bandit, variables), 0.0) for name, variables in sets.items()}

    def update(self, played: Played) -> dict[str, BoolArray]:
        """Return for each round whether it was unfair, by definition and threshold, and which bounds failed."""
        world, arms, rewards, queried_arms = played
        bandit, contexts = self._bandit, world.contexts[: len(arms)]
        values = _replay(world, arms)[0]
        found = {"exact": np.abs(bandit.discrepancies)[contexts, arms]}
        for name, means in self._means.items():
            found[name], widths = _audit(
                world, Replayed(arms, values, rewards), means, counterparts(bandit), bandit.others
            )
            if name == "plugin":
                scale = np.sqrt(4 * np.log(np.arange(world.first, world.first + len(arms)) + 1))
                found["conservative"] = found[name] + 2 * scale * widths[:, 0]
                both_groups = found[name] + scale * widths.sum(axis=1)
        # The rewards of other users, in separate worlds.
        fresh = bandit.worlds(world.first, len(arms), self._rng)._replace(users=bandit.forced_contexts)
        alike = bandit.alike[contexts, 1 - bandit.sensitive_states[contexts]]
        found["drawn"] = np.abs(rewards - _replay(fresh._replace(contexts=alike), arms)[1])
        which = self._drawn_others(contexts, fresh)
        others = bandit.others[contexts, which]
        found["worst"] = np.abs(rewards - bandit.means.min(axis=1)[others])
        if queried_arms is not None:
            there = bandit.means[bandit.others[contexts], queried_arms]
            expected = (bandit.other_probabilities[contexts] * there).sum(axis=1)
            found["answer"] = np.abs(bandit.means[contexts, arms] - expected)
            given = queried_arms[np.arange(len(arms)), which]
            found["drawn_answer"] = np.abs(rewards - _replay(fresh._replace(contexts=others), given)[1])
        counts = {
            unfair(name, tau): discrepancies > tau + ROUNDING
            for name, discrepancies in found.items()
            for tau in bandit.thresholds
        }
        bounds = dict(zip(MISSED, (found["conservative"], both_groups), strict=True))
        return counts | {name: found["exact"] > bound + ROUNDING for name, bound in bounds.items()}

    def _drawn_others(self, contexts: IntArray, fresh: ContextualWorld) -> IntArray:
        """Draw, for each user, which of the `others` is the user's context in the other group.

        The draw uses the uniform number of the sensitive variable, which is forced and so leaves this number unused.
        """
        below = np.cumsum(self._bandit.other_probabilities[contexts], axis=1)[:, :-1]
        noise = fresh.uniforms[:, self._bandit.scm.variables.index(self._bandit.sensitive)]
        return np.asarray((noise[:, None] >= below).sum(axis=1), dtype=np.int64)


class Replayed(NamedTuple):
    """Some rounds: arms, rewards, and all variables' states, shape (rounds, variables)."""

    arms: IntArray
    values: States
    rewards: FloatArray


@jit
def _replay(world: ContextualWorld, arms: IntArray) -> tuple[States, FloatArray]:
    """Play one arm per round of ``world``; return the variables' states and the reward of each round."""
    values, rewards = np.empty((len(arms), world.weights.size), dtype=np.int8), np.empty(len(arms))
    for i in range(len(arms)):
        rewards[i] = play_round(world, i, arms[i])
        for variable in range(values.shape[1]):
            values[i, variable] = world.values[variable]
    return values, rewards


@jit
def _audit(
    world: ContextualWorld, played: Replayed, means: CellMeans, counterparts: Counterparts, others: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Estimate each round's discrepancy before its reward is known; also return two mean widths.

    The widths, shape (n, 2), are those of the cells for the user's own context, and for the user in the other group
    (the largest, if several contexts are possible there).
    """
    n = len(played.arms)
    discrepancy, widths, width = np.empty(n), np.zeros((n, 2)), np.empty(1)
    for i in range(n):
        context, arm = world.contexts[i], played.arms[i : i + 1]
        estimated_discrepancies(means, counterparts, context, arm, discrepancy[i : i + 1])
        mean_widths(means, context, arm, widths[i, :1])
        for other in others[context]:
            mean_widths(means, other, arm, width)
            widths[i, 1] = max(widths[i, 1], width[0])
        learn(means, played.values[i], played.rewards[i])
    return discrepancy, widths
