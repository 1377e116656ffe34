"""The causal bandit in use: arms from the graph, and samples shared between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.datasets.values import Values
from causal_bandits.estimation.mvwa import observe
from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import listing
from causal_bandits.graphs.exchange import GraphLike
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.logs.starting import as_if_played
from causal_bandits.online.base import Acting, Choice
from causal_bandits.online.held_generator import HeldGenerator
from causal_bandits.policies.classical.kl_ucb import KLUCB, Indices, exploration, largest_index, learn, tied
from causal_bandits.policies.classical.thompson import Betas, Thompson, largest_draw
from causal_bandits.policies.scm.helpers.z2 import Sharing, among, proper
from causal_bandits.policies.scm.z2_kl_ucb import Z2KLUCB
from causal_bandits.policies.scm.z2_kl_ucb import choose as largest_shared_index
from causal_bandits.policies.scm.z2_thompson import Z2Thompson
from causal_bandits.policies.scm.z2_thompson import choose as largest_shared_draw

#: The largest number of arms times joint states of the variables for which samples are shared.
MOST_CELLS = 50_000


Samples = NDArray[np.int8]

#: Nodes in (0, 1), dense at both ends, and weights for an integral over (0, 1).
_LINE, _WEIGHT = np.polynomial.legendre.leggauss(256)
_UNIT = (_LINE + 1) / 2
_NODES, _WEIGHTS = _UNIT**2 * (3 - 2 * _UNIT), 3 * _WEIGHT * _UNIT * (1 - _UNIT)


@jit
def _largest_draw(ones: FloatArray, zeros: FloatArray, held: HeldGenerator) -> int:
    return largest_draw(ones, zeros, held.rng)


def largest_of_betas(ones: FloatArray, zeros: FloatArray, arm: int) -> float:
    """Integrate the probability that the arm's draw from its Beta distribution is the largest."""
    draw = betaincinv(ones[arm], zeros[arm], _NODES)
    others = [betainc(ones[x], zeros[x], draw) for x in range(len(ones)) if x != arm]
    return float(np.clip(np.prod(others, axis=0) @ _WEIGHTS, 0.0, 1.0)) if others else 1.0


class _OfThompson:
    """`Thompson`, one decision at a time; also the interface of all learners.

    Choices and updates are those of the loop in `causal_bandits.policies`. ``some`` are always the arms that can be
    played, in ascending order.
    """

    #: Whether it learns from all variables of the graph; plays all arms in their order first; has exact probabilities.
    shares, sweeps, exact = False, False, False

    def __init__(self, policy: Thompson, n: int) -> None:
        self.betas = Betas(np.full(n, float(policy.prior_ones)), np.full(n, float(policy.prior_zeros)))
        self.state: tuple[Any, ...] = self.betas

    def choose(self, some: IntArray, held: HeldGenerator) -> int:
        return int(some[_largest_draw(self.betas.ones[some], self.betas.zeros[some], held)])

    def probability(self, arm: int, some: IntArray) -> float | Callable[[], float]:
        return partial(largest_of_betas, self.betas.ones[some], self.betas.zeros[some], int(some.searchsorted(arm)))

    def learn(self, arm: int, reward: float, states: list[int], held: HeldGenerator) -> None:
        self.start_from(arm, reward, 1)

    def start_from(self, arm: int, mean: float, weight: float) -> None:
        self.betas.ones[arm] += mean * weight
        self.betas.zeros[arm] += (1 - mean) * weight

    def expectations(self) -> FloatArray:
        return np.asarray(self.betas.ones / (self.betas.ones + self.betas.zeros))


@jit
def _part(indices: Indices, some: IntArray) -> Indices:
    """Return the indices of some arms."""
    last = np.array([max(np.searchsorted(some, indices.last[0], "right") - 1, 0)])
    return Indices(indices.rate[some], indices.pulls[some], indices.entropy[some], indices.guess[some], last)


@jit
def _put_back(part: Indices, indices: Indices, some: IntArray, largest: int) -> tuple[int, int]:
    """Keep what changed; return the arm with the largest index and how many are tied with it."""
    arm, ties = some[largest], 0
    for i in range(len(some)):
        indices.rate[some[i]], indices.pulls[some[i]] = part.rate[i], part.pulls[i]
        indices.entropy[some[i]], indices.guess[some[i]] = part.entropy[i], part.guess[i]
        ties += tied(i, largest, part.rate, part.pulls)
    return arm, ties


@jit
def _largest_index(f: float, indices: Indices, some: IntArray, held: HeldGenerator) -> tuple[int, int]:
    part = _part(indices, some)
    return _put_back(part, indices, some, largest_index(f, part, held.rng))


@jit
def _largest_shared_index(
    means: FloatArray, variances: FloatArray, c: float, indices: Indices, some: IntArray, held: HeldGenerator
) -> tuple[int, int]:
    part = _part(indices, some)
    largest = largest_shared_index(means, variances, part, c, held.rng)[0]
    return _put_back(part, indices, some, largest)


class _OfKLUCB(_OfThompson):
    """`KLUCB`, one decision at a time.

    The arms are in random order, so the first one that was never chosen is each of these with the same probability. If
    only some can be played, or rewards of arms that were chosen are still to come, the first rounds' arm is drawn.
    """

    sweeps = exact = True

    def __init__(self, policy: KLUCB | Z2KLUCB, playable: int, others: int = 0) -> None:
        self.c, self.playable, self.tied, n = float(policy.c), playable, 1, playable + others
        self.chosen, self.ones, self.indices = np.zeros(n, dtype=np.int64), np.zeros(n), Indices.unknown(n)
        self.state = self.chosen, self.ones, self.indices

    def plays(self) -> FloatArray:
        return self.indices.pulls

    def choose(self, some: IntArray, held: HeldGenerator) -> int:
        new = some[self.plays()[some] == 0]
        if len(new):
            least = new[self.chosen[new] == self.chosen[new].min()]
            in_order = len(some) == self.playable and self.chosen[least[0]] == 0
            arm, self.tied = int(least[0] if in_order else held.rng.choice(least)), len(least)
        else:
            arm, self.tied = map(int, self.largest(some, held))
        self.chosen[arm] += 1
        return arm

    def largest(self, some: IntArray, held: HeldGenerator) -> tuple[int, int]:
        f = exploration(float(self.indices.pulls[some].sum()), self.c)
        return _largest_index(f, self.indices, some, held)

    def probability(self, arm: int, some: IntArray) -> float:
        return 1 / self.tied

    def learn(self, arm: int, reward: float, states: list[int], held: HeldGenerator) -> None:
        learn(self.ones, self.indices, arm, reward)

    def start_from(self, arm: int, mean: float, weight: float) -> None:
        self.indices.pulls[arm] += weight - 1
        learn(self.ones, self.indices, arm, mean * weight)

    def expectations(self) -> FloatArray:
        return np.where(self.indices.pulls > 0, self.indices.rate, np.nan)


@jit
def _observe(arm: int, samples: Samples, rewards: FloatArray, sharing: Sharing, held: HeldGenerator) -> None:
    for i in range(len(rewards)):
        observe(sharing.estimators, sharing.averages, sharing.method, arm, samples[i], rewards[i], held.rng)


@jit
def _largest_shared_draw(means: FloatArray, variances: FloatArray, held: HeldGenerator) -> int:
    return largest_shared_draw(means, variances, held.rng)[0]


def _largest_of_shared(means: FloatArray, variances: FloatArray, arm: int) -> float:
    """Integrate the probability that the arm's draw from the Beta distribution of its average is the largest."""
    pairs = zip(means, variances, strict=True)
    mean, variance = np.array([proper(*pair)[:2] for pair in pairs]).T
    weight = mean * (1.0 - mean) / variance - 1.0
    return largest_of_betas(mean * weight, (1.0 - mean) * weight, arm)


class _OfZ2Thompson(_OfThompson):
    """`Z2Thompson`, one decision at a time."""

    shares = True

    def __init__(self, policy: Z2Thompson, n: int, sharing: Sharing) -> None:
        self.sharing, self.averages = sharing, sharing.averages
        self.state = self.averages

    def choose(self, some: IntArray, held: HeldGenerator) -> int:
        return int(some[_largest_shared_draw(self.averages.mean[some], self.averages.variance[some], held)])

    def probability(self, arm: int, some: IntArray) -> Callable[[], float]:
        means, variances = self.averages.mean[some], self.averages.variance[some]
        return partial(_largest_of_shared, means, variances, int(some.searchsorted(arm)))

    def learn(self, arm: int, reward: float, states: list[int], held: HeldGenerator) -> None:
        self.learn_all(arm, np.array([states], dtype=np.int8), np.array([reward]), held)

    def learn_all(self, arm: int, samples: Samples, rewards: FloatArray, held: HeldGenerator) -> None:
        _observe(arm, samples, rewards, self.sharing, held)

    def expectations(self) -> FloatArray:
        return np.clip(self.averages.mean, 0.0, 1.0)


class _OfZ2KLUCB(_OfKLUCB):
    """`Z2KLUCB`, one decision at a time."""

    shares = True

    def __init__(self, policy: Z2KLUCB, playable: int, sharing: Sharing) -> None:
        super().__init__(policy, playable, len(sharing.averages.mean) - playable)
        self.sharing, self.averages = sharing, sharing.averages
        self.state = self.chosen, self.indices, self.averages

    def plays(self) -> FloatArray:
        return self.averages.ones + self.averages.zeros

    def largest(self, some: IntArray, held: HeldGenerator) -> tuple[int, int]:
        mean, variance = self.averages.mean[some], self.averages.variance[some]
        return _largest_shared_index(mean, variance, self.c, self.indices, some, held)

    def learn_all(self, arm: int, samples: Samples, rewards: FloatArray, held: HeldGenerator) -> None:
        _observe(arm, samples, rewards, self.sharing, held)
        self.indices.last[0] = arm

    learn, expectations = _OfZ2Thompson.learn, _OfZ2Thompson.expectations


LEARNERS: Mapping[type, Callable[..., _OfThompson]] = {
    Z2Thompson: _OfZ2Thompson,
    Z2KLUCB: _OfZ2KLUCB,
    Thompson: _OfThompson,
    KLUCB: _OfKLUCB,
}


class CausalBandit(Acting):
    """A bandit whose arms follow from a causal graph, one decision at a time.

    Its arms are the possibly optimal intervention sets (POMISs) with values: whatever the probabilities, no other
    intervention is better than all of these (Lee & Bareinboim 2018, 2019).

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    outcome : str
        The variable to maximise. It has two values, 0 and 1 unless ``states`` or ``logs`` give others; the second is
        success.
    states : mapping from str to list
        The values of each variable that can be set, and of others that are observed. A variable without values is only
        observed, as 0 or 1 or with the values in ``logs``.
    cannot_set : str or iterable of str
        Variables with values that nobody can set.
    policy : Z2Thompson, Z2KLUCB, Thompson or KLUCB, optional
        Default: `Z2Thompson`, Thompson sampling with samples shared between arms through z2ID. `Thompson` and `KLUCB`
        learn about an arm from its own samples alone, and need no observed variable but the outcome.
    logs : Logs, or a data frame as in `Logs.from_frame`, optional
        Records of what happened while nobody set anything. Where samples are shared, they count as rounds in which
        nothing was done. Else an arm whose effect they identify starts as if it had been played so often that its mean
        has the estimate's variance, but at most as often as the records have its values.
    seed : int or numpy.random.Generator

    Raises
    ------
    TypeError
        If the policy only plays simulated bandits.
    ValueError
        If graph, states and logs do not fit together; the message names what does not.

    Examples
    --------
    >>> bandit = CausalBandit("dag { X -> Z -> Y ; X <-> Y }", outcome="Y", states={"X": ["off", "on"]})
    >>> bandit.arms
    ({}, {'X': 'off'}, {'X': 'on'})
    >>> bandit.update({"X": "on"}, {"X": "on", "Z": 1, "Y": 1})
    >>> bandit.expectations()["do(X = on)"].__round__(3)
    0.667
    """

    policies = tuple(LEARNERS)

    def __init__(
        self,
        graph: GraphLike,
        *,
        outcome: str,
        states: Mapping[str, Sequence[Any]],
        cannot_set: str | Iterable[str] = (),
        policy: Z2Thompson | Z2KLUCB | Thompson | KLUCB | None = None,
        logs: Any = None,
        seed: int | np.random.Generator = 0,
        _order: Sequence[int] | None = None,
        _observes: bool = False,
        _resumed: bool = False,
    ) -> None:
        policy = Z2Thompson() if policy is None else policy
        super().__init__(graph, outcome, states, policy, seed)
        (fixed,) = named_sets(self.graph, cannot_set=cannot_set)
        fixed |= {v for v in self.graph if v not in states}
        sets = possibly_optimal_intervention_sets(self.graph, outcome=outcome, non_manipulable=fixed)
        if not any(sets):
            can = listing(set(states) - fixed - {outcome}) or "nothing"
            raise ValueError(
                f"states: setting {can} cannot change {outcome} in this graph; expected the values of a variable that "
                "affects it and is not in cannot_set"
            )
        if logs is not None:  # the treatment only says which records there are
            logs = self._logged(logs, max(map(sorted, sets), key=len), (), states)
            if logs.selection is not None:
                raise ValueError(
                    f"logs: {logs.selection} selects records; expected records of everything that happened"
                )
            labels = logs.counts.states[outcome]
            if logs.success not in (None, labels[-1]):
                raise ValueError(
                    f"logs: success is {outcome} = {logs.success}; expected the last of {', '.join(labels)}: give "
                    f"Logs.from_frame the values of {outcome} in states, failure first"
                )
        known = {v: (0, 1) if logs is None else logs.counts.states[v] for v in self.graph}
        if single := [v for v in known if v not in states and len(known[v]) == 1]:
            raise ValueError(
                f"logs: all records have {single[0]} = {known[single[0]][0]}; give all its values in states, and "
                "its name in cannot_set if nobody can set it"
            )
        self._values = Values({**known, **states})
        if len(self._values.of[outcome]) != 2:
            raise ValueError(
                f"states of {outcome}: {list(self._values.of[outcome])}; expected two, failure and success "
                "(a ContextualCausalBandit learns from any number, with context=[] if there is none)"
            )
        arms = [
            arm
            for names in sorted(map(sorted, sets), key=lambda chosen: (len(chosen), chosen))
            for arm in self._values.joint(names)
        ]
        learner: Any = LEARNERS[type(policy)]
        if learner.sweeps and _order is None:  # else the first rounds would go by the alphabet
            _order = self._rng.spawn(1)[0].permutation(len(arms)).tolist()
        _order = list(_order or range(len(arms)))
        arms = [arms[i] for i in _order]
        self._list_arms(map(self._values.labelled, arms))
        relevant = self.graph.subgraph(self.graph.ancestors(outcome))
        sizes = {v: len(self._values.of[v]) for v in relevant}
        if learner.shares and len(arms) * prod(sizes.values()) > MOST_CELLS:
            raise ValueError(
                f"{type(policy).__name__}: {len(arms)} arms, {prod(sizes.values())} joint states of {listing(sizes)}: "
                f"too many to share samples (their product is above {MOST_CELLS}); use policy=Thompson()"
            )
        self._needed, self._why = [outcome], "expected the outcome"
        if learner.shares:
            self._needed = list(sizes)
            needed = ", ".join(sizes)
            self._why = f"{type(policy).__name__} learns from {needed}; Thompson() from the outcome alone"
        self._place = self._needed.index(outcome)
        _observes = _observes or (learner.shares and logs is not None)
        sources, shared = ([*arms, {}] if _observes and {} not in arms else arms), []
        if isinstance(policy, Z2Thompson | Z2KLUCB):
            shared = [policy.start(among(relevant, outcome, sources, sizes, policy.search, policy.support))]
        self._learner = learner(policy, len(arms), *shared)
        self._state = self._learner.state
        self._settings = {"states": self._values.of, "cannot_set": sorted(fixed - {outcome})}
        self._settings |= {"_order": _order, "_observes": _observes}
        if logs is not None and learner.shares:
            counted = logs.counts.marginal(self._needed)
            samples = np.repeat(counted.cells, counted.counts.ravel(), axis=0)
            samples = self._rng.spawn(1)[0].permutation(samples)
            rewards = samples[:, self._place].astype(np.float64)
            self._learner.learn_all(sources.index({}), samples, rewards, self._held)
        elif logs is not None:
            for do, mean, weight in as_if_played(logs, dict.fromkeys(tuple(arm) for arm in self.arms)):
                self._learner.start_from(self._number_of(do), mean, weight)

    def act(self, available: Iterable[Choice | Mapping[str, Any]] | None = None) -> Choice:
        """Choose what to do.

        Parameters
        ----------
        available : iterable of mapping from str to object, optional
            The arms that can be played now; default: all.

        Raises
        ------
        ValueError
            If one of them is not an arm, or there is none.
        """
        some = self._some(available)
        arm = self._learner.choose(some, self._held)
        return Choice(self.arms[arm], self._learner.probability(arm, some), self._learner.exact)

    def _read(self, row: Mapping[str, Any]) -> tuple[float, list[int]]:
        states = [self._values.state(v, self._value(row, v, self._why)) for v in self._needed]
        return float(states[self._place]), states

    def _learn(self, arm: int, reward: float, seen: list[int]) -> None:
        self._learner.learn(arm, reward, seen, self._held)

    def expectations(self) -> dict[str, float]:
        """Estimate the probability of success of each arm, by what it sets; NaN where nothing is known."""
        return self._by_arm(self._learner.expectations())
