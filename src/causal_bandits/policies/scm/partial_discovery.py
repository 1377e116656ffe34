"""Partial structure discovery, then UCB1 on the arms that can be best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, product
from typing import ClassVar, NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_choice, check_numbers
from causal_bandits.compiled import loop
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Assignment
from causal_bandits.models.bandit import SCMBandit, SCMWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds, blank
from causal_bandits.policies.helpers.repeated_play import TOO_SHORT, TooFewRoundsError
from causal_bandits.policies.scm.helpers.partial_structure import (
    HIDDEN_CAUSES,
    Cut,
    HiddenCauses,
    Learned,
    Observed,
    Problem,
    Thresholds,
    Times,
    Values,
    cut_sets,
    learned_edges,
    worth_playing,
)

#: How often interventions are played, and what counts as a difference: by the source's formulas, or by the horizon.
CONSTANTS = ("budget", "paper")
#: A mean within this of the best one is the best one up to rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class PartialDiscovery:
    """Learn by interventions which arms can be best, then play UCB1 on them.

    Use it without a graph, if hidden causes are possible and there are rounds to spare. With the graph, play `Thompson`
    on ``with_arms("possibly_optimal")``. The bandit needs an arm for every assignment to every subset of the variables
    that arms set (the arm strategy ``brute_force``); variables that no arm sets count as hidden.

    The paper's pseudo-code was not available; the steps are ours, after the authors' code (L253, L254):

    1. Draw sets W of variables, each variable with probability 1 - 1/(2 d), and fix each set to random values w. Play
       do(w) (1a) and do(w, x) for each state x of each variable X outside W (1b). If setting X changes how often
       another variable takes its values, X is its ancestor (1c). The transitive reduction of this order gives edges
       (1d).
    2. Join the edges of all sets, and keep those among the reward's ancestors.
    3. To see whether u and v share a hidden cause, fix their other parents to w and play do(w) (3a) and do(w, u = x)
       for each state x of u (3b). If P(v | u = x) and P(v | do(u = x)) differ by more than a threshold, they do (3c).
    4. Enumerate the possibly optimal sets, and make the test of step 3 for a pair when the enumeration asks for it.
    5. Play UCB1 on all values of these sets.

    Parameters
    ----------
    constants : {"budget", "paper"}
        Steps 1 and 3 take ``share`` of the horizon, with thresholds by Hoeffding's inequality (`HoeffdingThresholds`,
        L261); or the source's numbers of plays and thresholds (`source_times`), millions of rounds for five variables.
    hidden_causes : {"on_demand", "all", "none"}
        For which pairs a hidden cause is sought: where the possibly optimal sets depend on it, all, or none.
    share : float
        In (0, 1]; for ``budget``.
    confidence : float
        delta, in (0, 1).
    epsilon, gamma, eta : float
        > 0, for ``paper``: the least effect, the least difference that a hidden cause makes, and the least probability
        of a state, at most 1.
    in_degree : int, optional
        d >= 1, a bound on the number of parents; default: the number of variables that can be set.
    warm : bool
        Whether the rounds of discovery count for UCB's means.
    too_short : {"refuse", "cut off"}
        If the horizon ends within discovery: an error, or a run without an outcome (L177).

    Notes
    -----
    Outcome: ``correct``, whether a best intervention is among those that UCB plays; ``edges_right``, whether the edges
    learned are the true ones; ``asked``, for how many pairs a hidden cause was sought; ``arms``, how many UCB plays;
    and ``sample_complexity``, the rounds of discovery.

    References
    ----------
    Elahi, Ghasemi & Kocaoglu 2024, "Partial Structure Discovery is Sufficient for No-regret Learning in Causal Bandits"
    (NeurIPS, arXiv 2411.04054).

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import PartialDiscovery
    >>> from causal_bandits.problems import make
    >>> bandit = make("lee2019/frontdoor").with_arms("brute_force")
    >>> run = play(PartialDiscovery(), bandit, 20_000, generators(0, "example", seed=0))
    >>> run.outcome["sample_complexity"] <= 0.3 * 20_000
    True
    """

    plays: ClassVar[type] = SCMBandit
    outcomes: ClassVar[tuple[str, ...]] = ("correct", "edges_right", "asked", "arms", "sample_complexity")

    constants: str = "budget"
    hidden_causes: str = "on_demand"
    share: float = 0.3
    confidence: float = 0.05
    epsilon: float = 0.1
    gamma: float = 0.1
    eta: float = 0.01
    in_degree: int | None = None
    warm: bool = False
    too_short: str = "refuse"

    def __post_init__(self) -> None:
        check_choice("constants", self.constants, CONSTANTS)
        check_choice("hidden_causes", self.hidden_causes, HIDDEN_CAUSES)
        check_choice("too_short", self.too_short, TOO_SHORT)
        check_numbers(self, share="(0, 1]", confidence="(0, 1)", epsilon="(0, inf)", gamma="(0, inf)", eta="(0, 1]")
        check_numbers(self, in_degree="None or integer in [1, inf)")

    def run(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the bandit lacks an arm that discovery may need.
        TooFewRoundsError
            If the horizon ends within discovery and ``too_short`` is ``refuse``.
        """
        own = every_assignment(bandit)
        played = PlayedArms(bandit, rounds, own)
        try:
            learned = self._discover(own.problem, played, rounds.horizon, rng)
        except TooFewRoundsError:
            if self.too_short == "cut off":
                return {}
            raise
        discovery = rounds.horizon - rounds.left
        arms = own.on(learned)
        total, pulls = played.of(arms) if self.warm else (np.zeros(len(arms)), np.zeros(len(arms)))
        for world in rounds:
            chosen, rewards = blank(rounds.size)
            _play(chosen, rewards, world, arms, total, pulls)
            rounds.record(chosen, rewards)
        return {
            "correct": float(bandit.means[arms].max() > bandit.optimal_mean - ROUNDING),
            "edges_right": float(learned.graph == true_edges(bandit, own.problem)),
            "asked": learned.asked,
            "arms": len(arms),
            "sample_complexity": discovery,
        }

    def _discover(self, problem: Problem, played: PlayedArms, horizon: int, rng: np.random.Generator) -> Learned:
        n, k = len(problem.variables), max(problem.states.values(), default=1)
        in_degree = self.in_degree or max(n, 1)
        # step 1
        sets = cut_sets(problem, random_sets(n, in_degree, self.confidence), in_degree, rng)
        values, thresholds = Values(problem, rng), self._thresholds(n, k, in_degree)
        cuts = [Cut.at(problem, chosen, values) for chosen in sets]
        if self.constants == "paper":
            times = source_times(n, k, in_degree, self.confidence, self.epsilon, self.gamma, self.eta)
        else:
            planned = {frozenset(do.items()) for cut in cuts for do in (cut.without, *chain(*cut.under.values()))}
            known = self.hidden_causes == "none" or len(sets) >= 2**n - 1  # then tests play what step 1 has played
            tests = 0 if known else n * (n + 1) // 2 * (1 + k)
            each = max(1, int(self.share * horizon / max(len(planned) + tests, 1)))
            times = Times(each, each, each)
        # steps 1 and 2
        graph = learned_edges(problem, cuts, played, times, thresholds)
        hidden = HiddenCauses(problem, graph, values, played, times, thresholds)
        # steps 3 and 4
        return worth_playing(graph, problem.reward, self.hidden_causes, hidden)

    def _thresholds(self, n: int, k: int, in_degree: int) -> Thresholds:
        if self.constants == "budget":
            return HoeffdingThresholds(math.log(2 * max(n, 1) * k**2 / self.confidence))
        watched = source_times(n, k, in_degree, self.confidence, self.epsilon, self.gamma, self.eta).watched
        return SourceThresholds(self.epsilon / 2, self.gamma / 2, self.eta * watched / 2)


# ---------------------------------------------------------------------- how often, and which differences count


def random_sets(n: int, in_degree: int, confidence: float) -> int:
    """Return L = ceil(8 alpha d ln n), the number of random sets (L253).

    With alpha = 2 n ln(2/delta + 2) / ln n the logarithms of n cancel.
    """
    return math.ceil(16 * max(n, 1) * in_degree * math.log(2 / confidence + 2))


def source_times(n: int, k: int, in_degree: int, confidence: float, epsilon: float, gamma: float, eta: float) -> Times:
    """Return B, A and C, rounded up (L253).

    With delta_1 = delta / (32 alpha d n ln n) and delta_2 = delta_3 = delta_4 = n delta_1:
    A = max(8/epsilon^2, 8/gamma^2) ln(2 n K^2 / delta_1), B = 8/epsilon^2 ln(2 n K^2 / delta_2), and
    C = 16/(eta gamma^2) ln(2 n^2 K^2 / delta_3) + 1/(2 eta^2) ln(2 n^2 K^2 / delta_4).

    Parameters
    ----------
    n, k : int
        The number of variables that can be set, and the largest number of states of one.
    in_degree : int
        d.
    confidence, epsilon, gamma, eta : float
        As in `PartialDiscovery`.
    """
    n = max(n, 1)
    first = confidence / (64 * n**2 * in_degree * math.log(2 / confidence + 2))  # ln n and alpha's cancel
    others = n * first
    a = max(8 / epsilon**2, 8 / gamma**2) * math.log(2 * n * k**2 / first)
    b = 8 / epsilon**2 * math.log(2 * n * k**2 / others)
    c = (16 / (eta * gamma**2) + 1 / (2 * eta**2)) * math.log(2 * n**2 * k**2 / others)
    return Times(math.ceil(b), math.ceil(a), math.ceil(c))


class SourceThresholds(NamedTuple):
    """Fixed thresholds: epsilon/2 for effects, and gamma/2 for hidden causes.

    The latter holds for states that were seen ``least`` times; others show nothing.
    """

    of_effects: float
    of_hidden: float
    least: float

    def effect(self, without: float, under: float) -> float:
        """Return epsilon/2 (see `partial_structure.Thresholds`)."""
        return self.of_effects

    def hidden(self, seen: float, under: float) -> float:
        """Return gamma/2, or infinity for a state that was seen too rarely."""
        return self.of_hidden if seen >= self.least else math.inf


class HoeffdingThresholds(NamedTuple):
    """Two radii sqrt(log / (2 N)), one for each estimate; ``log`` is ln(2 n K^2 / delta) (L261)."""

    log: float

    def effect(self, without: float, under: float) -> float:
        """Return the sum of the radii (see `partial_structure.Thresholds`)."""
        return math.sqrt(self.log / (2 * without)) + math.sqrt(self.log / (2 * under))

    def hidden(self, seen: float, under: float) -> float:
        """Return the sum of the radii (see `partial_structure.Thresholds`)."""
        return self.effect(seen, under)


# ---------------------------------------------------------------------- arms


class EveryAssignment(NamedTuple):
    """The arms of a bandit that has one for every assignment to every subset of some variables.

    Attributes
    ----------
    problem : Problem
    number : mapping
        The arm of each assignment.
    """

    problem: Problem
    number: Mapping[frozenset[tuple[str, int]], int]

    def on(self, learned: Learned) -> IntArray:
        """Return the arms on the sets that were learned, ordered by set size, names and values."""
        found = []
        for names in sorted(map(sorted, learned.sets), key=lambda names: (len(names), names)):
            for x in product(*(range(self.problem.states[v]) for v in names)):
                found.append(self.number[frozenset(zip(names, x, strict=True))])
        return np.array(found, dtype=np.int64)


def every_assignment(bandit: SCMBandit) -> EveryAssignment:
    """Number the arms by what they set.

    Raises
    ------
    ValueError
        If there is not one arm for every assignment to every subset of the variables that arms set.
    """
    number = {frozenset(arm.items()): a for a, arm in enumerate(bandit.arms)}
    names = tuple(sorted({v for arm in number for v, _ in arm}))
    states = {v: bandit.scm.cardinality(v) for v in names}
    expected = math.prod(1 + k for k in states.values())
    if len(number) != expected:
        raise ValueError(
            f"arms: {len(number)} different ones; expected {expected}, one for every assignment to every subset of "
            f"{', '.join(names)} (the arm strategy brute_force)"
        )
    return EveryAssignment(Problem(names, bandit.reward, states), number)


def true_edges(bandit: SCMBandit, problem: Problem) -> ADMG:
    """Return the true edges among the reward and those of its ancestors that can be set."""
    shown = bandit.scm.graph.latent_projection([*problem.variables, problem.reward])
    part = shown.subgraph(shown.ancestors({problem.reward}))
    return ADMG(part.directed, nodes=part.nodes)


class PlayedArms:
    """Interventions on a bandit: `partial_structure.Experiments`. Each is one arm, whose rounds are kept.

    Parameters
    ----------
    bandit : SCMBandit
    rounds : Rounds
    own : EveryAssignment
    """

    def __init__(self, bandit: SCMBandit, rounds: Rounds[SCMWorld], own: EveryAssignment) -> None:
        self._rounds, self._own, problem = rounds, own, own.problem
        names = (*problem.variables, problem.reward)
        self._places = np.array([bandit.scm.variables.index(v) for v in names])
        states = max((bandit.scm.cardinality(v) for v in names), default=2)
        self._blank = np.zeros((len(names), len(names), states, states), dtype=np.int64)
        self._counts: dict[int, IntArray] = {}

    def play(self, do: Assignment, times: int) -> Observed:
        """Play an arm until it was played ``times`` times, earlier rounds included.

        Raises
        ------
        TooFewRoundsError
            If the horizon ends before.
        """
        arm = self._own.number[frozenset(do.items())]
        counts = self._counts.setdefault(arm, self._blank.copy())
        while (seen := int(counts[-1, -1].sum())) < times:
            if not self._rounds.left:
                raise TooFewRoundsError(
                    f"horizon={self._rounds.horizon} is too short for discovery: {len(self._counts)} interventions "
                    f"were begun, and the last of them is to be played {times} times"
                )
            world = self._rounds.take(times - seen)
            chosen, rewards = blank(self._rounds.size)
            _tally(chosen, rewards, world, arm, self._places, counts)
            self._rounds.record(chosen, rewards)
        return Observed(seen, counts / seen)

    def of(self, arms: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return the sum of rewards and the number of rounds of each of some arms, shape (arms,) both."""
        rewards = [self._counts.get(arm, self._blank)[-1, -1] for arm in arms.tolist()]
        return np.array([float(own[1, 1]) for own in rewards]), np.array([float(own.sum()) for own in rewards])


@loop
def _tally(
    chosen: IntArray, rewards: FloatArray, world: SCMWorld, arm: int, places: IntArray, counts: IntArray
) -> None:
    """Play one arm and count the states of each pair of variables; ``counts`` is added to."""
    for i in range(len(chosen)):
        rewards[i] = play_round(world, i, arm)
        chosen[i] = arm
        for a in range(len(places)):
            for b in range(len(places)):
                counts[a, b, world.values[places[a]], world.values[places[b]]] += 1


@loop
def _play(
    chosen: IntArray, rewards: FloatArray, world: SCMWorld, arms: IntArray, total: FloatArray, pulls: FloatArray
) -> None:
    """Play UCB1 on some arms (step 5): each once, then the largest mean + sqrt(2 ln t / N).

    Ties go to the first.
    """
    t = pulls.sum()
    for i in range(len(chosen)):
        best, largest, spread = 0, -1.0, 2 * math.log(max(t, 1.0))
        for a in range(len(arms)):  # step 5
            if pulls[a] == 0:
                best = a
                break
            index = total[a] / pulls[a] + math.sqrt(spread / pulls[a])
            if index > largest:
                best, largest = a, index
        rewards[i] = play_round(world, i, arms[best])
        chosen[i] = arms[best]
        total[best] += rewards[i]
        pulls[best] += 1
        t += 1
