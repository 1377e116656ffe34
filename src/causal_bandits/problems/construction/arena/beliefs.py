"""Bandits on random diagrams whose learners are told something.

They are told the truth, nothing, or something wrong.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.identification.admissible import AdmissibleSequence, find_admissible_sequence
from causal_bandits.models.arms import Assignment
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.families import FAMILIES
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.wide_bandit import arms_on
from causal_bandits.play.measures.measure import Measure, Played
from causal_bandits.problems.construction.arena.diagrams import REWARD, random_diagram
from causal_bandits.seeding import stable_hash

#: Families of parameters, taken in turn by the draws.
PARAMETERS = ("uniform_cpt", "noisy_gates")
#: Means are equal up to rounding.
ROUNDING = 1e-9


def generator(kind: str, draw: int, *options: object) -> np.random.Generator:
    """Make the random generator of draw ``draw`` of a kind of problem with its options."""
    return np.random.default_rng([stable_hash("/".join(map(str, ("arena", kind, *options)))), draw])


def check_told(told: str, known: Collection[str]) -> None:
    """Raise a ValueError if what a learner is to be told is none of what is known to a kind of problem."""
    if told not in known:
        raise ValueError(f"told {told!r}: expected one of {', '.join(known)}")


def model_on(graph: ADMG, draw: int, rng: np.random.Generator) -> DiscreteSCM:
    """Draw a random binary SCM on a diagram; the family of its parameters goes by the draw's number."""
    return FAMILIES[PARAMETERS[draw % len(PARAMETERS)]](graph, rng)


# ---------------------------------------------------------------------- binary models, arms set any variables


@dataclass(frozen=True)
class ToldBandit(SCMBandit):
    """An SCM bandit whose arms follow from what the learner was told.

    Regret is counted against the best of all interventions.

    Parameters
    ----------
    scm, reward, non_manipulable, arm_strategy
        As in `SCMBandit`. ``scm.graph`` is what the learner takes the diagram for (see `taken_for`): an algorithm that
        reads it reads the belief.
    truth : ADMG, optional
        The true diagram; default: the belief is true.
    """

    truth: ADMG | None = None

    @cached_property
    def optimal_mean(self) -> float:
        """Largest expected reward of all interventions: one of the true diagram's POMIS attains it."""
        graph = self.scm.graph if self.truth is None else self.truth
        sets = possibly_optimal_intervention_sets(graph, self.reward, self.non_manipulable)
        arms = arms_on(self.scm, sets)
        return float(SCMBandit(self.scm, self.reward, self.non_manipulable, arms).means.max())

    @cached_property
    def lost_for_good(self) -> float:
        """Return how far the best arm lies below the best intervention.

        It is the regret of every round, whatever is learned.
        """
        lost = self.optimal_mean - float(self.means.max())
        return lost if lost > ROUNDING else 0.0


def drawn(nodes: int, confounders: int, draw: int) -> DiscreteSCM:
    """Draw a random binary SCM on a random diagram (`diagrams.random_diagram`)."""
    rng = generator("diagram", draw, nodes, confounders)
    return model_on(random_diagram(nodes, confounders, rng), draw, rng)


def true_diagram(nodes: int, confounders: int, draw: int) -> ADMG:
    """Return the diagram of `drawn` without a model on it."""
    return random_diagram(nodes, confounders, generator("diagram", draw, nodes, confounders))


def taken_for(scm: DiscreteSCM, belief: ADMG) -> DiscreteSCM:
    """Return the same model with ``belief`` as its graph.

    It is for algorithms that read the diagram off the model.

    Tables, order of the variables, samples and exact means stay those of the true model; only ``graph`` differs.
    """
    view = copy.copy(scm)
    view.graph = belief
    return view


def told_sets(scm: DiscreteSCM, sets: Iterable[frozenset[str]], belief: ADMG | None = None) -> ToldBandit:
    """Create the bandit whose arms are all values of some sets.

    Its learner may believe in a wrong diagram.
    """
    model = scm if belief is None else taken_for(scm, belief)
    return ToldBandit(model, REWARD, arm_strategy=arms_on(scm, sets), truth=scm.graph)


class LostForGood(Measure):
    """``lost_for_good``: the part of the regret that no learner can avoid.

    Its belief leaves it no better arms.
    """

    of: ClassVar[type] = ToldBandit
    names: ClassVar[tuple[str, ...]] = ("lost_for_good",)

    def __init__(self, bandit: ToldBandit, rng: np.random.Generator) -> None:
        self._lost = bandit.lost_for_good

    def update(self, played: Played) -> dict[str, FloatArray]:
        """Return the same loss in each round (see `Measure`)."""
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


def logistic_model(nodes: int, confounders: int, draw: int) -> BinaryGLM:
    """Draw a random logistic model on a random diagram; every hidden cause has weights of its own."""
    rng = generator("exploration", draw, nodes, confounders)
    graph = random_diagram(nodes, confounders, rng)
    hidden = {f"U{i}": pair for i, pair in enumerate(sorted(graph.bidirected))}
    weights: dict[str, dict[str, float]] = {v: {} for v in graph.nodes}
    for cause, effect in [*sorted(graph.directed), *((u, v) for u, pair in hidden.items() for v in pair)]:
        weights[effect][cause] = float(rng.choice((-1, 1)) * rng.uniform(0.5, 2.0))
    base = dict.fromkeys(hidden, 0.5)
    for v in graph.nodes:  # between rare and common, whatever the parents' weights
        base[v] = float(rng.uniform(-1.5, 0.5) - sum(weights[v].values()) / 2)
    return BinaryGLM(base, weights, dict.fromkeys(graph.nodes, "logistic"), hidden)


def single_actions(model: BinaryGLM) -> list[Assignment]:
    """List do() and the actions that set one variable but the reward."""
    return [{}, *({v: s} for v in model.graph.nodes if v != REWARD for s in (0, 1))]
