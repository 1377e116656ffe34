"""The part of a diagram that decides which interventions are worth playing, learned by interventions.

Source: Elahi, Ghasemi & Kocaoglu 2024, "Partial Structure Discovery is Sufficient for No-regret Learning in Causal
Bandits" (NeurIPS), from public accounts of its theorems and from the authors' public code, which was read and not used;
the paper's own pseudo-code was not seen (L253). Steps are those of `PartialDiscovery`.

Variables that no arm sets count as hidden: what is learned is the latent projection onto the others and the reward.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, Protocol

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.graphs.admg import ADMG, Edge
from causal_bandits.graphs.intervention_sets import (
    InterventionSets,
    possibly_optimal_intervention_sets,
    sets_by_asking,
)
from causal_bandits.models.arms import Assignment

#: For which pairs a hidden cause is sought: where the possibly optimal sets depend on it, for all, or for none.
HIDDEN_CAUSES = ("on_demand", "all", "none")


class Observed(NamedTuple):
    """What was seen of the variables in the rounds of one intervention.

    Attributes
    ----------
    rounds : float
        How many rounds; infinite for exact probabilities.
    frequency : float64 array, shape (variables, variables, states, states)
        Entry (i, j, x, y): the share of rounds with variable i in state x and j in state y.
    """

    rounds: float
    frequency: FloatArray

    def of(self, i: int) -> FloatArray:
        """Return the frequencies of the states of variable i, shape (states,)."""
        return np.diagonal(self.frequency[i, i])

    def given(self, i: int, x: int, j: int) -> FloatArray:
        """Return the frequencies of the states of j where i is in state x, shape (states,); x must occur."""
        found: FloatArray = self.frequency[i, j, x] / self.frequency[i, i, x, x]
        return found


class Experiments(Protocol):
    """What interventions can be carried out on."""

    def play(self, do: Assignment, times: int) -> Observed:
        """Return what was seen under ``do``, in at least ``times`` rounds; earlier rounds of ``do`` count."""
        ...


class Thresholds(Protocol):
    """From which difference of two estimates on an effect or a hidden cause is taken for shown."""

    def effect(self, without: float, under: float) -> float:
        """Return the threshold of step 1c for estimates from so many rounds without and under do(x)."""
        ...

    def hidden(self, seen: float, under: float) -> float:
        """Return the threshold of step 3c.

        P(v | u = x) is estimated from ``seen`` rounds and P(v | do(u = x)) from ``under``.
        """
        ...


class Times(NamedTuple):
    """How often interventions are played: B and A rounds in step 1, C and A rounds in step 3."""

    without: int
    under: int
    watched: int


class Problem(NamedTuple):
    """What is known before anything is played.

    Attributes
    ----------
    variables : tuple of str
        Those that can be set, sorted.
    reward : str
    states : mapping from str to int
        The number of states of each of the variables.
    """

    variables: tuple[str, ...]
    reward: str
    states: Mapping[str, int]

    @property
    def number(self) -> dict[str, int]:
        """The number of each variable in `Observed`; the reward is the last."""
        return {v: i for i, v in enumerate((*self.variables, self.reward))}


@dataclass
class Values:
    """The values w to which sets of variables are fixed: one uniform draw for each set, kept (L254)."""

    problem: Problem
    rng: np.random.Generator
    _drawn: dict[frozenset[str], Assignment] = field(default_factory=dict)

    def of(self, chosen: frozenset[str]) -> Assignment:
        """Return w of a set."""
        if chosen not in self._drawn:
            self._drawn[chosen] = {v: int(self.rng.integers(self.problem.states[v])) for v in sorted(chosen)}
        return self._drawn[chosen]


def cut_sets(problem: Problem, draws: int, in_degree: int, rng: np.random.Generator) -> list[frozenset[str]]:
    """Draw the sets W of step 1; the set of all variables teaches nothing and is left out (L254).

    Each variable is in W with probability 1 - 1/(2 d), independently. Sets that are drawn again are left out. Where
    there are no more than ``draws`` sets, all of them are taken, the smallest first.

    Parameters
    ----------
    problem : Problem
    draws : int
        L >= 1.
    in_degree : int
        d >= 1, a bound on the number of parents.
    rng : numpy.random.Generator
    """
    names, n = problem.variables, len(problem.variables)
    if 2**n <= draws:
        return [frozenset(chosen) for size in range(n) for chosen in combinations(names, size)]
    drawn = rng.random((draws, n)) < 1 - 1 / (2 * in_degree)
    found = (frozenset(v for v, is_in in zip(names, row, strict=True) if is_in) for row in drawn.tolist())
    return [chosen for chosen in dict.fromkeys(found) if len(chosen) < n]


class Cut(NamedTuple):
    """The interventions of step 1 for one set W.

    Attributes
    ----------
    without : mapping from str to int
        w.
    under : mapping from str to list of mappings
        For each variable outside W: w with each of its states.
    """

    without: Assignment
    under: Mapping[str, Sequence[Assignment]]

    @classmethod
    def at(cls, problem: Problem, chosen: frozenset[str], values: Values) -> Cut:
        """Fix the set ``chosen`` to its values."""
        w = values.of(chosen)
        outside = [v for v in problem.variables if v not in chosen]
        return cls(w, {v: [{**w, v: x} for x in range(problem.states[v])] for v in outside})


def without_cycles(edges: Iterable[Edge]) -> list[Edge]:
    """Keep the edges, in order, that close no directed cycle with those kept before."""
    kept: list[Edge] = []
    above: dict[str, set[str]] = {}  # each node with its ancestors
    for a, b in edges:
        higher = above.setdefault(a, {a})
        if b in higher:
            continue
        above.setdefault(b, {b})
        kept.append((a, b))
        for ancestors in above.values():
            if b in ancestors:
                ancestors |= higher
    return kept


def reduction(edges: Iterable[Edge]) -> list[Edge]:
    """Return the transitive reduction of the order that acyclic edges span, sorted."""
    pairs = list(edges)
    graph = ADMG(pairs, nodes={v for edge in pairs for v in edge})
    below = {v: graph.descendants({v}) - {v} for v in graph.nodes}
    return [(a, b) for a in graph.nodes for b in sorted(below[a]) if not any(b in below[c] for c in below[a])]


def learned_edges(
    problem: Problem, cuts: Iterable[Cut], experiments: Experiments, times: Times, thresholds: Thresholds
) -> ADMG:
    """Learn the directed edges, and return those among the reward and its ancestors (steps 1 and 2).

    Parameters
    ----------
    problem : Problem
    cuts : iterable of Cut
        Those of the sets W (`cut_sets`).
    experiments : Experiments
    times : Times
    thresholds : Thresholds
    """
    number, votes = problem.number, dict[Edge, int]()
    for w, under in cuts:
        without = experiments.play(w, times.without)  # step 1a
        strength: dict[Edge, float] = {}
        for cause, dos in under.items():
            for do in dos:
                seen = experiments.play(do, times.under)  # step 1b
                threshold = thresholds.effect(without.rounds, seen.rounds)
                for effect in (*under, problem.reward):
                    moved = float(np.abs(seen.of(number[effect]) - without.of(number[effect])).max())
                    if effect != cause and moved > threshold:  # step 1c
                        strength[cause, effect] = max(moved, strength.get((cause, effect), 0.0))
        strongest = sorted(strength, key=lambda edge: (-strength[edge], edge))
        for edge in reduction(without_cycles(strongest)):  # step 1d
            votes[edge] = votes.get(edge, 0) + 1
    edges = without_cycles(sorted(votes, key=lambda edge: -votes[edge]))  # step 2; of equal votes the first
    graph = ADMG(edges, nodes=(*problem.variables, problem.reward))
    return graph.subgraph(graph.ancestors({problem.reward}))


@dataclass(frozen=True)
class HiddenCauses:
    """Tells of two variables whether they share a hidden cause, by interventions (step 3).

    Parameters
    ----------
    problem : Problem
    graph : ADMG
        The directed edges among the reward and its ancestors.
    values : Values
    experiments : Experiments
    times : Times
    thresholds : Thresholds
    """

    problem: Problem
    graph: ADMG
    values: Values
    experiments: Experiments
    times: Times
    thresholds: Thresholds

    def __call__(self, a: str, b: str) -> bool:
        """Compare P(v | u = x, do(w)) with P(v | do(u = x, w)), u being the earlier of the two."""
        u, v = (b, a) if a == self.problem.reward or b in self.graph.ancestors({a}) else (a, b)
        w = self.values.of((self.graph.parents({u}) | self.graph.parents({v})) - {u})
        i, j = self.problem.number[u], self.problem.number[v]
        watched = self.experiments.play(w, self.times.watched)  # step 3a
        for x in range(self.problem.states[u]):
            under = self.experiments.play({**w, u: x}, self.times.under)  # step 3b
            seen = watched.rounds * float(watched.of(i)[x]) if watched.of(i)[x] else 0.0
            if seen:
                moved = np.abs(watched.given(i, x, j) - under.of(j)).max()
                if moved > self.thresholds.hidden(seen, under.rounds):  # step 3c
                    return True
        return False


class Learned(NamedTuple):
    """What was learned of the diagram.

    Attributes
    ----------
    graph : ADMG
        The directed edges among the reward and its ancestors.
    sets : frozenset of frozenset of str
        The sets that are possibly optimal in the learned diagram.
    asked : int
        For how many pairs a hidden cause was sought.
    """

    graph: ADMG
    sets: InterventionSets
    asked: int


def worth_playing(graph: ADMG, reward: str, hidden_causes: str, confounded: Callable[[str, str], bool]) -> Learned:
    """Find the possibly optimal sets of a diagram whose confounded pairs a function tells (step 4).

    Parameters
    ----------
    graph : ADMG
        The directed edges among the reward and its ancestors.
    reward : str
    hidden_causes : {"on_demand", "all", "none"}
        See `HIDDEN_CAUSES`.
    confounded : function
        Of two names.
    """
    if hidden_causes == "on_demand":
        found = sets_by_asking(graph, reward, confounded)  # step 4
        return Learned(graph, found.sets, len(found.answers))
    asked: Sequence[Edge] = list(combinations(sorted(graph.nodes), 2)) if hidden_causes == "all" else []
    full = ADMG(graph.directed, [pair for pair in asked if confounded(*pair)], graph.nodes)
    return Learned(graph, possibly_optimal_intervention_sets(full, reward), len(asked))
