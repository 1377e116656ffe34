"""How often a round was unfair, by several definitions (huang2022, ledger L50)."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.estimation.cells import (
    CellMeans,
    cells,
    learn,
    mean_widths,
    minimal_separator,
    no_rewards,
)
from causal_bandits.estimation.discrepancies import Counterparts, counterparts, estimated_discrepancies
from causal_bandits.models.contextual import ContextualWorld, play_round
from causal_bandits.models.fair import FairBandit

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: What an unfair round can be; see `Unfair`.
DEFINITIONS = ("exact", "plugin", "plugin_parents", "plugin_table", "conservative", "drawn")


def unfair(definition: str, tau: float) -> str:
    """The column of the runs that counts the rounds that are unfair by one of `DEFINITIONS`."""
    return f"unfair_{definition}_{tau:g}"


class Unfair:
    """How often a round was unfair, by each threshold tau of the bandit and each of `DEFINITIONS` (see `unfair`).

    - exact: the arm's exact discrepancy is beyond tau.
    - plugin: its estimate is (huang2022, Eq. 10), from the sample means, before the round, of the cells of the minimal
      separator; plugin_parents and plugin_table: with the reward's parents, or context and arm, for cells, as C-UCB and
      UCB have them.
    - conservative: UCB_Delta (Eq. 12, delta = 1/t^2) is.
    - drawn: the reward differs by more than tau from that of another user who is alike but for s and
      meets the same arm in a world of its own (ledger L50).
    """

    of: ClassVar[type] = FairBandit
    names: ClassVar[tuple[str, ...]] = tuple(unfair(d, tau) for d in DEFINITIONS for tau in FairBandit.thresholds)

    def __init__(self, bandit: FairBandit, rng: np.random.Generator) -> None:
        self._bandit, self._rng = bandit, rng
        table = (*bandit.context, *bandit.manipulable)
        sets = {"plugin": minimal_separator(bandit), "plugin_parents": tuple(bandit.weights), "plugin_table": table}
        self._means = {name: no_rewards(cells(bandit, variables), 0.0) for name, variables in sets.items()}

    def update(self, world: ContextualWorld, arms: IntArray, rewards: FloatArray) -> dict[str, NDArray[np.bool_]]:
        """See `Measure`."""
        bandit, contexts = self._bandit, world.contexts[: len(arms)]
        values = _replay(world, arms)[0]
        found = {"exact": np.abs(bandit.discrepancies)[contexts, arms]}
        for name, means in self._means.items():
            found[name], width = _audit(world, Played(arms, values, rewards), means, counterparts(bandit))
            if name == "plugin":
                t = np.arange(world.first, world.first + len(arms)) + 1
                found["conservative"] = found[name] + np.sqrt(16 * np.log(t)) * width
        found["drawn"] = np.abs(rewards - self._rewards_of_others(world, arms))
        return {
            unfair(name, tau): discrepancies > tau for name, discrepancies in found.items() for tau in bandit.thresholds
        }

    def _rewards_of_others(self, world: ContextualWorld, arms: IntArray) -> FloatArray:
        """Rewards, in worlds of their own, of users who are alike but for s and meet the same arms."""
        bandit, contexts = self._bandit, world.contexts[: len(arms)]
        others = bandit.alike[contexts, 1 - bandit.sensitive_states[contexts]]
        fresh = bandit.worlds(world.first, len(arms), self._rng)
        return _replay(fresh._replace(contexts=others, users=bandit.forced_contexts), arms)[1]


class Played(NamedTuple):
    """What happened in some rounds: arms and rewards, shape (rounds,), and all states, shape (rounds, variables)."""

    arms: IntArray
    values: NDArray[np.int8]
    rewards: FloatArray


@jit
def _replay(world: ContextualWorld, arms: IntArray) -> tuple[NDArray[np.int8], FloatArray]:
    """What the variables took in each round, and its reward."""
    values, rewards = np.empty((len(arms), world.weights.size), dtype=np.int8), np.empty(len(arms))
    for i in range(len(arms)):
        rewards[i] = play_round(world, i, arms[i])
        values[i] = world.values
    return values, rewards


@jit
def _audit(
    world: ContextualWorld, played: Played, means: CellMeans, counterparts: Counterparts
) -> tuple[FloatArray, FloatArray]:
    """Of each round's arm, before its reward is known: the estimated discrepancy, and the cells' mean width."""
    n = len(played.arms)
    discrepancy, width = np.empty(n), np.empty(n)
    for i in range(n):
        context, arm = world.contexts[i], played.arms[i : i + 1]
        estimated_discrepancies(means, counterparts, context, arm, discrepancy[i : i + 1])
        mean_widths(means, context, arm, width[i : i + 1])
        learn(means, played.values[i], played.rewards[i])
    return discrepancy, width
