"""CN-UCB (lu2021, Algorithms 1, 2 and 5): interventions find X_R, then UCB plays the arms of X_R alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, log, log2
from typing import ClassVar

import networkx as nx
import numpy as np

from causal_bandits.arrays import IntArray
from causal_bandits.checks import COUNT, POSITIVE, Constraints, Interval, constrained
from causal_bandits.graphs.chordal import is_chordal, junction_tree
from causal_bandits.graphs.essential import chain_components
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.classical.gaussian_ucb import play_ucb
from causal_bandits.policies.helpers.repeated_play import TOO_SHORT, Sample, TooFewRoundsError, repeat
from causal_bandits.policies.single_node.helpers.central_cliques import find_in_component
from causal_bandits.policies.single_node.helpers.central_nodes import Effect, Step, find_in_tree, require_tree


@dataclass(frozen=True)
@constrained
class CNUCB:
    """Find the variable that decides the reward by central interventions, then play UCB on it (CN-UCB).

    Use it for very many variables and rounds. It needs the essential graph, the observational probabilities, epsilon of
    Assumption 2, Delta of Assumption 3 (`SingleNodeBandit.told`) and the horizon, and assumes that there are no hidden
    causes. `RAPS` needs no graph. Each intervention is repeated many times: for short horizons use `GaussianThompson`.

    Line numbers are those of lu2021 (repairs of the printed algorithms: L101 to L105, L107 to L110, E42, E43):

    1. (Algorithm 1, lines 2 and 3) Play do() B times, and compute the mean reward.
    2. (Algorithm 2, line 4; Algorithm 5, line 3) Search the chain components of the essential graph, effects first
       (L106).
    3. (Algorithm 1, lines 4 and 5; Algorithm 2, lines 5 to 7) Stage 1 finds a directed subtree that contains X_R. Set a
       central node to each state, B times each (Algorithm 3, lines 2 to 17). If the mean reward changes by more than
       Delta/2, the subtree consists of the node and the branches of those neighbours whose frequencies changed by more
       than epsilon/2 (lines 18 to 20). Otherwise rule these out and go on (lines 21 to 27). Algorithm 7, lines 2 to 25,
       does the same with cliques of a junction tree.
    4. (Algorithm 4, lines 2 to 11) Stage 2 finds X_R in the subtree. Set a central node to each state, B times each. If
       the mean reward does not change, rule out the node and all nodes below it (lines 12 to 16). If it does, set the
       node's children too (lines 18 to 26): if none of them changes the reward, X_R is the node (lines 27 to 29);
       otherwise go on below the child that does (line 30). Algorithm 8, lines 14 to 21, searches the children of a
       clique in this way.
    5. (Algorithm 1, line 6; Algorithm 2, lines 8 and 12) Stage 3: play UCB on the arms of X_R, or of its clique, or on
       all arms if nothing was found.

    Parameters
    ----------
    confidence : float
        delta: stages 1 and 2 are right with probability at least 1 - delta.
    graph : str
        Whether every chain component is a tree (Algorithms 1 and 5), or cliques are searched (Algorithm 2).
    repeats : int, optional
        B; None: the number in Theorem 1. A smaller one makes the search shorter.
    several : bool
        Whether all reward variables are searched for, one after the other (Appendix C). Those found are held fixed
        (L111), and UCB plays their joint states. Only for trees.
    exponent : float
        The exponent of UCB in stage 3 (see `GaussianUCB`).
    too_short : str
        If the horizon ends before stage 3: an error, or a run without an outcome (L177).
    search_only : bool
        Whether the run ends after stage 2.

    Notes
    -----
    Outcome: ``found``, the index of X_R (for a clique, of its first variable) or -1; ``correct``, whether the
    variables found include all reward variables; ``sound``, whether they do or nothing was found;
    ``sample_complexity``, the number of rounds before stage 3, which are split into ``rounds_observing``,
    ``rounds_stage_1`` and ``rounds_stage_2``; ``bound``, the paper's T_1; ``within_bound``, whether the answer is
    correct and took at most T_1 rounds; ``arms_left``, how many arms UCB plays.

    References
    ----------
    Lu, Meisami & Tewari 2021 (lu2021).

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import CNUCB
    >>> from causal_bandits.problems import make
    >>> run = play(CNUCB(repeats=1000), make("lu2021/figure1"), 50_000, generators(0, "example", seed=0))
    >>> bool(run.outcome["correct"])
    True
    """

    plays: ClassVar[type] = SingleNodeBandit
    outcomes: ClassVar[tuple[str, ...]] = (
        "found",
        "correct",
        "sound",
        "within_bound",
        "sample_complexity",
        "rounds_observing",
        "rounds_stage_1",
        "rounds_stage_2",
        "bound",
        "arms_left",
    )
    constraints: ClassVar[Constraints] = {
        "confidence": Interval(0, 1),
        "graph": ("forest", "general"),
        "repeats": (None, COUNT),
        "exponent": POSITIVE,
        "too_short": TOO_SHORT,
    }

    confidence: float = 0.05
    graph: str = "forest"
    repeats: int | None = None
    several: bool = False
    exponent: float = 2.0
    too_short: str = "refuse"
    search_only: bool = False

    def __post_init__(self) -> None:
        if self.several and self.graph != "forest":
            raise ValueError("several=True: Appendix C is for trees; expected graph='forest'")

    def run(self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        TooFewRoundsError
            If the horizon is too short for stages 1 and 2 and ``too_short`` is ``refuse``.
        ValueError
            If epsilon or Delta is 0, or ``graph`` is ``forest`` and a chain component is not a tree.
        """
        try:
            found, experiments, bound = self.search(bandit, rounds)
        except TooFewRoundsError:
            if self.too_short == "cut off":
                return {}
            raise
        arms = self._arms_of(bandit, found)
        before = sum(experiments.rounds)
        if not self.search_only:
            play_ucb(arms, rounds, rng, self.exponent)  # Algorithm 1, line 6; Algorithm 2, lines 8 and 12
        correct = {bandit.variables[v] for v in bandit.rewarding} <= set(found)
        return {
            "found": bandit.variables.index(found[0]) if found else -1,
            "correct": correct,
            "sound": correct or not found,
            "within_bound": correct and before <= bound,
            "sample_complexity": before,
            "rounds_observing": experiments.rounds[0],
            "rounds_stage_1": experiments.rounds[1],
            "rounds_stage_2": experiments.rounds[2],
            "bound": bound,
            "arms_left": len(arms),
        }

    def _arms_of(self, bandit: SingleNodeBandit, found: Sequence[str]) -> IntArray:
        """Return the indices of the arms that stage 3 plays."""
        numbers = [bandit.variables.index(name) for name in found]
        if not numbers:
            return np.arange(bandit.empty)
        if self.several:
            settable = range(bandit.states) if bandit.settable is None else bandit.settable
            joint = product(settable, repeat=len(numbers))
            return np.array([bandit.arm(dict(zip(numbers, states, strict=True))) for states in joint])
        return np.concatenate([bandit.arms_of(number) for number in numbers])

    def search(
        self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld]
    ) -> tuple[tuple[str, ...], SampledInterventions, float]:
        """Search for X_R: stages 1 and 2.

        Returns
        -------
        tuple of str
            X_R, or a clique with X_R, or all reward variables; empty if nothing was found.
        SampledInterventions
            The interventions made, with their steps and rounds.
        float
            T_1, the number of rounds that the paper's theorem allows.

        Raises
        ------
        TooFewRoundsError
            If the horizon is too short for the search.
        ValueError
            As for `run`.
        """
        times = self.repeats if self.repeats is not None else repetitions(bandit, self.confidence)
        components = effects_first(bandit.essential)
        if self.graph == "forest":
            for component in components:
                require_tree(component)
        bound = self._bound(bandit, components, times)
        do = SampledInterventions(bandit, rounds, times, bound)
        if self.several:
            return self._search_all(do, components), do, bound
        found: tuple[str, ...] = ()
        for component in components:  # Algorithm 2, line 4; Algorithm 5, line 3
            if self.graph == "forest":
                key = find_in_tree(component, do, do.trace)  # Algorithm 1, lines 4 and 5
                found = () if key is None else (key.node,)
            elif is_chordal(component):  # a learned component need not be
                found = find_in_component(component, do, do.trace) or ()  # Algorithm 2, lines 5 to 7
            if found:
                return found, do, bound
        return (), do, bound

    def _search_all(self, do: SampledInterventions, components: Sequence[nx.Graph[str]]) -> tuple[str, ...]:
        """Search for all reward variables (Appendix C): hold each one found fixed and cut off its subtree."""
        found: list[str] = []
        for component in components:
            tree = component.copy()
            while len(tree) and (key := find_in_tree(tree, do, do.trace)):
                found.append(key.node)
                do.hold(key.node)
                tree.remove_nodes_from(key.subtree)
        return tuple(found)

    def _bound(self, bandit: SingleNodeBandit, components: Sequence[nx.Graph[str]], times: int) -> float:
        """Return T_1 of Theorem 1 (one tree, with Lemma 1's B rounds), Theorem 2 (a forest) or Theorem 3 (cliques)."""
        settable, n = len(bandit.arms_of(0)), len(bandit.variables)
        unit = settable * times * log2(n)
        degree = max(max((d for _, d in component.degree), default=0) for component in components)
        if self.graph == "forest":
            if len(components) == 1:
                return unit * (2 + degree) + times
            return 2 * unit * (degree + len(components))
        widths, degrees = [], []
        for component in components:
            tree = junction_tree(component) if is_chordal(component) else None
            widths.append(max(map(len, tree)) if tree is not None else len(component))
            degrees.append(max((d for _, d in tree.degree), default=0) if tree is not None else len(component))
        # G_R is not known: use the component for which the theorem allows the most rounds
        return times + unit * (max(w * (1 + d) for w, d in zip(widths, degrees, strict=True)) + sum(widths))


def repetitions(bandit: SingleNodeBandit, confidence: float) -> int:
    """Return B of Theorem 1, rounded up.

    B = max{32 / Delta^2 log(8nK / delta), 2 / epsilon^2 log(8 n^2 K^2 / delta)}.

    Raises
    ------
    ValueError
        If epsilon or Delta is 0, because then no number of samples is enough (Theorems 4 and 5).
    """
    actions = bandit.empty  # nK
    for name, assumption, value in (("epsilon", 2, bandit.epsilon), ("Delta", 3, bandit.reward_gap)):
        if not value > 0:
            raise ValueError(f"{name}={value:g}: Assumption {assumption} needs a number above 0; otherwise set repeats")
    effects = 2 / bandit.epsilon**2 * log(8 * actions**2 / confidence)
    return ceil(max(32 / bandit.reward_gap**2 * log(8 * actions / confidence), effects))


def effects_first(graph: PartiallyDirectedGraph) -> list[nx.Graph[str]]:
    """Return the chain components, each before all components with a directed path to it (L106).

    A learned graph can have components on a directed cycle; these are listed one after another, in arbitrary order.
    """
    components = chain_components(graph)
    home = {name: i for i, component in enumerate(components) for name in component}
    between: nx.DiGraph[int] = nx.DiGraph()
    between.add_nodes_from(range(len(components)))
    between.add_edges_from(sorted({(home[a], home[b]) for a, b in graph.directed if home[a] != home[b]}))
    circles = nx.condensation(between)
    order = list(nx.lexicographical_topological_sort(circles, key=lambda c: min(circles.nodes[c]["members"])))
    return [components[i] for c in reversed(order) for i in sorted(circles.nodes[c]["members"])]


class SampledInterventions:
    """Interventions whose effects are estimated from B rounds each; keeps a trace of the steps.

    Parameters
    ----------
    bandit : SingleNodeBandit
    rounds : Rounds
    times : int
        B.
    bound : float
        T_1, for the message if there are too few rounds.

    Attributes
    ----------
    trace : list of Step
    rounds : list of int
        The numbers of rounds used so far for observation, in stage 1 and in stage 2.
    """

    def __init__(self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], times: int, bound: float) -> None:
        self.trace: list[Step] = []
        self.rounds = [0, 0, 0]
        self._bandit, self._rounds, self._times, self._bound = bandit, rounds, times, bound
        self._number = {name: i for i, name in enumerate(bandit.variables)}
        self._held: dict[int, int] = {}
        self._mean = self._sample(0, self._held).mean  # Algorithm 1, lines 2 and 3

    def hold(self, node: str) -> None:
        """Fix ``node``, from now on, to the first state that arms can set."""
        self._held[self._number[node]] = 0 if self._bandit.settable is None else self._bandit.settable[0]
        self._mean = self._sample(0, self._held).mean

    def on(self, stage: int, node: str, watched: Collection[str] = ()) -> Effect:
        """Estimate the effect of ``node``; the thresholds are those of Algorithm 3, lines 9 and 13."""
        bandit, names = self._bandit, sorted(watched)
        numbers = [self._number[name] for name in names]
        ancestor, moved = False, np.zeros(len(names), dtype=np.bool_)
        for state in range(bandit.states) if bandit.settable is None else bandit.settable:
            sample = self._sample(stage, {**self._held, self._number[node]: state}, numbers)
            ancestor |= abs(self._mean - sample.mean) > bandit.reward_gap / 2
            moved |= (np.abs(bandit.marginals[numbers] - sample.frequencies) > bandit.epsilon / 2).any(axis=1)
        return Effect(ancestor, frozenset(name for name, is_moved in zip(names, moved, strict=True) if is_moved))

    def _sample(self, stage: int, do: Mapping[int, int], watched: Sequence[int] = ()) -> Sample:
        """Play one arm for B rounds.

        Raises
        ------
        TooFewRoundsError
            If fewer than B rounds are left.
        """
        sample = repeat(self._bandit, self._rounds, self._bandit.arm(do), self._times, watched)
        self.rounds[stage] += sample.rounds
        if sample.rounds < self._times:
            raise TooFewRoundsError(
                f"horizon={self._rounds.horizon} is too short for stages 1 and 2: each arm is played B={self._times} "
                f"times, and the paper allows T_1={self._bound:.0f} rounds"
            )
        return sample
