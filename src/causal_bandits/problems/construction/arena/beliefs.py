"""Bandits whose learners are told something about the diagram: the truth, nothing, or something wrong."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, plain_sum
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.identification.admissible import AdmissibleSequence, find_admissible_sequence
from causal_bandits.models.arms import Assignment
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.wide_bandit import arms_on, set_means
from causal_bandits.play.measures.measure import Measure, Played
from causal_bandits.problems.construction.arena.diagrams import REWARD
from causal_bandits.seeding import stable_hash

#: What a learner may be told: nothing (its arms are then all interventions, those on at most one variable, those that
#: set all variables, or the last two together) or the diagram (its arms are then those on the diagram's possibly
#: optimal sets).
TOLD = ("nothing", "single", "all_set", "few_or_all", "diagram")
#: Means that differ by at most this are equal up to rounding.
ROUNDING = 1e-9


def generator(kind: str, draw: int, *options: object) -> np.random.Generator:
    """Create the random generator for draw ``draw`` of a kind of problem with its options."""
    return np.random.default_rng([stable_hash("/".join(map(str, ("arena", kind, *options)))), draw])


def sets_of_arms(told: str, graph: ADMG, reward: str, fixed: Collection[str] = ()) -> Collection[frozenset[str]]:
    """List the sets of variables that arms set.

    Parameters
    ----------
    told : str
        One of `TOLD`.
    graph : ADMG
        The diagram that the learner believes in.
    reward : str
    fixed : collection of str
        Variables that no arm sets.

    Raises
    ------
    ValueError
        If ``told`` is unknown.
    """
    if told not in TOLD:
        raise ValueError(f"told {told!r}: expected one of {', '.join(TOLD)}")
    if told == "diagram":
        return possibly_optimal_intervention_sets(graph, outcome=reward, non_manipulable=frozenset(fixed))
    free = [v for v in graph.nodes if v not in {reward, *fixed}]
    n = len(free)
    sizes = {"nothing": {*range(n + 1)}, "single": {0, 1}, "all_set": {n}, "few_or_all": {0, 1, n}}[told]
    return [frozenset(chosen) for size in sorted(sizes) for chosen in combinations(free, size)]


# ---------------------------------------------------------------------- arms set any variables


@dataclass(frozen=True)
class ToldBandit(SCMBandit):
    """An SCM bandit whose arms follow from what the learner was told.

    Regret is measured against the best of all interventions on manipulable variables.

    Parameters
    ----------
    scm, reward, non_manipulable, arm_strategy
        As in `SCMBandit`. ``scm.graph`` is the diagram that the learner believes in: an algorithm that reads it reads
        the belief.
    truth : ADMG, optional
        The true diagram; default: the belief is true.
    """

    truth: ADMG | None = None

    @cached_property
    def optimal_mean(self) -> float:
        """Largest expected reward of all interventions: one of the true diagram's POMISs attains it."""
        graph = self.scm.graph if self.truth is None else self.truth
        sets = possibly_optimal_intervention_sets(graph, outcome=self.reward, non_manipulable=self.non_manipulable)
        return max(float(set_means(self.scm, chosen, self.reward).max()) for chosen in sets)

    @cached_property
    def lost_for_good(self) -> float:
        """The gap between the best intervention and the best arm, lost in every round whatever is learned."""
        lost = self.optimal_mean - float(self.means.max())
        return lost if lost > ROUNDING else 0.0


def told_bandit(scm: DiscreteSCM, told: str, belief: ADMG) -> ToldBandit:
    """Create the bandit of a learner who is told something, and may believe in a wrong diagram.

    Parameters
    ----------
    scm : DiscreteSCM
        The true model. The tables, the order of the variables, samples and exact means remain those of this model.
    told : str
        One of `TOLD`.
    belief : ADMG
        The diagram that the learner believes in.
    """
    believed = copy.copy(scm)
    believed.graph = belief
    arms = arms_on(scm, sets_of_arms(told, belief, REWARD))
    return ToldBandit(believed, REWARD, arm_strategy=arms, truth=scm.graph)


class LostForGood(Measure):
    """``lost_for_good``: the part of each round's regret that no learner can avoid: its belief leaves no better arm."""

    of: ClassVar[type] = ToldBandit
    names: ClassVar[tuple[str, ...]] = ("lost_for_good",)

    def __init__(self, bandit: ToldBandit, rng: np.random.Generator) -> None:
        self._lost = bandit.lost_for_good

    def update(self, played: Played) -> dict[str, FloatArray]:
        """Return the loss of one round, which is the same in every round (see `Measure`)."""
        return {"lost_for_good": np.full(len(played.arms), self._lost)}


# ---------------------------------------------------------------------- logistic models, arms set one variable


class BelievingGLMBandit(GLMBandit):
    """A bandit on a binary GLM whose learner adjusts by the diagram that it believes in.

    Parameters
    ----------
    glm, actions, reward
        As in `GLMBandit`; actions set one variable, or none.
    belief : ADMG
        Over the observed variables.
    """

    def __init__(self, glm: BinaryGLM, actions: Iterable[Assignment], belief: ADMG, reward: str = REWARD) -> None:
        super().__init__(glm, list(actions), reward)
        self.belief = belief

    @cached_property
    def sequences(self) -> tuple[AdmissibleSequence | None, ...]:
        """An admissible sequence of the believed diagram for each action, or None."""
        return tuple(
            find_admissible_sequence(self.belief, treatment=frozenset(action), outcome=self.reward) if action else None
            for action in self.arms
        )


def logistic_model(graph: ADMG, rng: np.random.Generator) -> BinaryGLM:
    """Draw a random logistic model on a diagram; every hidden cause has its own weights."""
    hidden = {f"U{i}": pair for i, pair in enumerate(sorted(graph.bidirected))}
    weights: dict[str, dict[str, float]] = {v: {} for v in graph.nodes}
    for cause, effect in [*sorted(graph.directed), *((u, v) for u, pair in hidden.items() for v in pair)]:
        weights[effect][cause] = float(rng.choice((-1, 1)) * rng.uniform(0.5, 2.0))
    base = dict.fromkeys(hidden, 0.5)
    for v in graph.nodes:  # between rare and common, whatever the parents' weights
        base[v] = float(rng.uniform(-1.5, 0.5) - plain_sum(weights[v].values()) / 2)
    return BinaryGLM(base, weights, dict.fromkeys(graph.nodes, "logistic"), hidden)
