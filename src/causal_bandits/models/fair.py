"""Contextual bandits with a sensitive attribute: how far rewards depend on it, and how often a run is unfair."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from causal_bandits.compiled import jit
from causal_bandits.models.cells import CellMeans, Cells, cells, learn, mean_widths, minimal_separator, no_rewards
from causal_bandits.models.contextual import Assignment, ContextualBandit, Rounds, play_round
from causal_bandits.models.counterfactual import counterfactual_means

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Counterparts(NamedTuple):
    """Where the counterfactual reward of a context is looked up, for both states of the sensitive variable.

    Attributes
    ----------
    contexts : int64 array, shape (contexts, 2, joint states of the descendants)
        The contexts with that sensitive state: one, or one for each joint state b of the context variables that descend
        from the sensitive one.
    weighting : int64 array, shape (contexts, 2)
        The context whose P(z | x, a) weights the cells: the counterpart itself where it is identifiable (Eq. 8), the
        context as it is in the bounds (Theorem 2).
    """

    contexts: IntArray
    weighting: IntArray


@jit
def estimated_discrepancies(
    means: CellMeans, cells: Cells, counterparts: Counterparts, context: int, arms: IntArray, discrepancies: FloatArray
) -> None:
    """Write the estimate of |mu_{a,s+} - mu_{a,s-}| of each of ``arms`` (Eq. 9 and 10).

    Where the two means are not identifiable it is the largest difference that Theorem 2's bounds, estimated, allow.
    """
    lower, upper = np.empty(2), np.empty(2)
    for i in range(len(arms)):
        arm = arms[i]
        for s in range(2):
            lower[s], upper[s], weighting = 0.0, 0.0, counterparts.weighting[context, s]
            for k in range(cells.cell.shape[2]):
                least, largest = np.inf, -np.inf
                for other in counterparts.contexts[context, s]:
                    mean = means.mean[cells.cell[other, arm, k]]
                    least, largest = min(least, mean), max(largest, mean)
                lower[s] += cells.weight[weighting, arm, k] * least
                upper[s] += cells.weight[weighting, arm, k] * largest
        discrepancies[i] = max(upper[1] - lower[0], upper[0] - lower[1])


@dataclass(frozen=True, eq=False, kw_only=True)
class FairBandit(ContextualBandit):
    """A contextual bandit whose rewards should not depend on one of the context's variables.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute S, a binary context variable; s- and s+ are its states 0 and 1.
    thresholds : tuple of float
        The taus for which `measures` counts unfair rounds.

    Raises
    ------
    ValueError
        As `ContextualBandit`; if ``sensitive`` is not a binary variable of the context, or shares a cause with the
        reward that the rest of the context does not block; or if context variables descend from it and the model is
        not Markovian, as Theorem 2 wants it.
    """

    sensitive: str
    thresholds: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sensitive not in self.context or self.scm.cardinality(self.sensitive) != 2:
            raise ValueError(f"sensitive {self.sensitive!r}: expected a binary variable of the context")
        graph = self.reward_graph.do(self.manipulable).without_edges_out_of(self.sensitive)
        others = set(self.context) - {self.sensitive}
        if not graph.is_d_separated(self.sensitive, "R", others - set(self.descendants)):
            raise ValueError(f"sensitive {self.sensitive!r}: confounded with the reward, given the rest of the context")
        if self.descendants and self.scm.hidden:
            below = ", ".join(self.descendants)
            raise ValueError(f"{below} of the context descend from {self.sensitive}, and the model is not Markovian")

    @cached_property
    def descendants(self) -> tuple[str, ...]:
        """B: the context variables that descend from the sensitive one; with any, mu_{a,s*} is not identifiable."""
        below = self.scm.graph.descendants(self.sensitive) - {self.sensitive}
        return tuple(v for v in self.context if v in below)

    def _numbers(self, changes: Sequence[Assignment]) -> IntArray:
        """The number of each context after each of the changes, shape (contexts, changes)."""
        number = {tuple(context.values()): i for i, context in enumerate(self.contexts)}
        return np.array([[number[tuple({**c, **change}.values())] for change in changes] for c in self.contexts])

    @cached_property
    def sensitive_states(self) -> IntArray:
        """The sensitive variable's state in each context, shape (contexts,)."""
        return np.array([context[self.sensitive] for context in self.contexts])

    @cached_property
    def alike(self) -> IntArray:
        """The contexts with s- and with s+ that are alike in all else, shape (contexts, 2)."""
        return self._numbers([{self.sensitive: 0}, {self.sensitive: 1}])

    @cached_property
    def counterparts(self) -> Counterparts:
        """See `Counterparts`."""
        joint = self._assignments(self.descendants)
        contexts = np.stack([self._numbers([{**b, self.sensitive: s} for b in joint]) for s in range(2)], axis=1)
        own = np.arange(len(self.contexts))
        return Counterparts(contexts, np.stack([own, own], axis=1) if self.descendants else self.alike)

    @cached_property
    def discrepancies(self) -> FloatArray:
        """Exact E[R(a, s+) | x] - E[R(a, s-) | x], shape (contexts, arms).

        With descendants of the sensitive variable in the context it depends on the functions of the SCM, not on its
        tables alone (ledger L42).
        """
        if not self.descendants:
            return self.means[self.alike[:, 1]] - self.means[self.alike[:, 0]]
        model = (self.scm, self.context, self.sensitive, self.arms, self.weights, self.intercept)
        if "discrepancies" not in self.memory:
            self.memory["discrepancies"] = counterfactual_means(*model, 1) - counterfactual_means(*model, 0)
        return cast(FloatArray, self.memory["discrepancies"])

    def measures(self, arms: NDArray[np.int64], rewards: FloatArray, rng: np.random.Generator) -> dict[str, FloatArray]:
        """As in `ContextualBandit`, and how often a round was unfair, by each threshold tau and definition.

        - ``unfair_exact_<tau>``: the arm's exact discrepancy is beyond tau.
        - ``unfair_plugin_<tau>``: its estimate is (Eq. 10), from the sample means, before the round, of the cells of
          the minimal separator; ``unfair_plugin_parents_<tau>`` and ``unfair_plugin_table_<tau>``: with the reward's
          parents, or context and arm, for cells, as C-UCB and UCB have them.
        - ``unfair_conservative_<tau>``: UCB_Delta (Eq. 12, delta = 1/t^2) is.
        - ``unfair_drawn_<tau>``: the reward differs by more than tau from that of another user who is alike but for s
          and meets the same arm (ledger L50).
        """
        others = super().measures(arms, rewards, copy.deepcopy(rng))
        rounds = self.rounds(len(arms), rng)
        contexts, (values, _) = rounds.contexts, _replay(rounds, arms)
        found = {"exact": np.abs(self.discrepancies)[contexts, arms]}
        table = (*self.context, *self.manipulable)
        sets = {"plugin": minimal_separator(self), "plugin_parents": tuple(self.weights), "plugin_table": table}
        for name, separator in sets.items():
            learnt = cells(self, separator)
            found[name], width = _audit(contexts, arms, values, rewards, learnt, self.counterparts)
            if name == "plugin":
                found["conservative"] = found[name] + np.sqrt(16 * np.log(np.arange(len(arms)) + 1)) * width
        found["drawn"] = np.abs(rewards - self._rewards_of_others(contexts, arms, rng))
        counts = {
            f"unfair_{name}_{tau:g}": np.cumsum(discrepancies > tau, dtype=np.float64)
            for name, discrepancies in found.items()
            for tau in self.thresholds
        }
        return {**others, **counts}

    def _rewards_of_others(self, contexts: IntArray, arms: IntArray, rng: np.random.Generator) -> FloatArray:
        """Rewards, in new worlds, of users who are alike but for s and meet the same arms."""
        others = self.alike[contexts, 1 - self.sensitive_states[contexts]]
        rounds = self.rounds(len(arms), rng)._replace(contexts=others, interventions=self._with_contexts)
        return _replay(rounds, arms)[1]

    @cached_property
    def _with_contexts(self) -> NDArray[np.int8]:
        """`ContextualBandit.interventions` that force the context too."""
        return np.array([[self.scm.assignment_row({**a, **c}) for a in self.arms] for c in self.contexts])


@jit
def _replay(rounds: Rounds, arms: IntArray) -> tuple[NDArray[np.int8], FloatArray]:
    """What the variables took in each round, and its reward."""
    values, rewards = np.empty((len(arms), rounds.weights.size), dtype=np.int8), np.empty(len(arms))
    for t in range(len(arms)):
        rewards[t] = play_round(rounds, t, arms[t], values[t])
    return values, rewards


@jit
def _audit(
    contexts: IntArray,
    arms: IntArray,
    values: NDArray[np.int8],
    rewards: FloatArray,
    cells: Cells,
    counterparts: Counterparts,
) -> tuple[FloatArray, FloatArray]:
    """Of each round's arm, before its reward is known: the estimated discrepancy, and the cells' mean width."""
    discrepancy, width = np.empty(len(arms)), np.empty(len(arms))
    means = no_rewards(cells.size, 0.0)
    for t in range(len(arms)):
        played = arms[t : t + 1]
        estimated_discrepancies(means, cells, counterparts, contexts[t], played, discrepancy[t : t + 1])
        mean_widths(means, cells, contexts[t], played, width[t : t + 1])
        learn(means, cells, values[t], rewards[t])
    return discrepancy, width
