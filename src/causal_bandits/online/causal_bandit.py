"""The causal bandit in use: arms from the graph, and samples shared between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from causal_bandits.datasets.values import Values
from causal_bandits.graphs.admg import as_set, listing
from causal_bandits.graphs.exchange import GraphLike
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.logs.starting import as_if_played
from causal_bandits.online.base import Acting, Choice
from causal_bandits.online.learners import LEARNERS, Task, arrays_of
from causal_bandits.policies.classical.kl_ucb import KLUCB
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.scm.z2_kl_ucb import Z2KLUCB
from causal_bandits.policies.scm.z2_thompson import Z2Thompson

#: The largest number of arms times joint states of the variables for which samples are shared.
MOST_CELLS = 50_000


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
        super().__init__(graph, outcome, policy, seed)
        fixed = as_set(cannot_set, "cannot_set")
        self._known("states", states)
        self._known("cannot_set", fixed)
        self._can = [v for v in self.graph if v in states and v != outcome and v not in fixed]
        sets = possibly_optimal_intervention_sets(
            self.graph, outcome=outcome, non_manipulable=set(self.graph).difference(self._can)
        )
        if not any(sets):
            raise ValueError(
                f"states: setting {listing(self._can) or 'nothing'} cannot change {outcome} in this graph; expected "
                "the values of a variable that affects it and is not in cannot_set"
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
        self._order = list(_order or range(len(arms)))
        arms = [arms[i] for i in self._order]
        self._list_arms(map(self._values.labelled, arms))
        relevant = self.graph.subgraph(self.graph.ancestors(outcome))
        sizes = {v: len(self._values.of[v]) for v in relevant}
        if learner.shares and len(arms) * prod(sizes.values()) > MOST_CELLS:
            raise ValueError(
                f"{type(policy).__name__}: {len(arms)} arms, {prod(sizes.values())} joint states of {listing(sizes)}: "
                f"too many to share samples (their product is above {MOST_CELLS}); use policy=Thompson()"
            )
        self._variables, self._observes = list(sizes), _observes or (learner.shares and logs is not None)
        sources = [*arms, {}] if self._observes and {} not in arms else arms
        self._learner = learner(policy, Task(relevant, outcome, sources, sizes, len(arms)))
        if logs is not None and learner.shares:
            counted = logs.counts.marginal(self._variables)
            samples = np.repeat(counted.cells, counted.counts.ravel(), axis=0)
            self._sample(sources.index({}), self._rng.spawn(1)[0].permutation(samples))
        elif logs is not None:
            for do, mean, weight in as_if_played(logs, dict.fromkeys(tuple(arm) for arm in self.arms)):
                self._learner.start_from(self._number_of(do), mean, weight)

    def _sample(self, arm: int, samples: NDArray[np.int8]) -> None:
        rewards = samples[:, self._variables.index(self.outcome)].astype(np.float64)
        self._learner.learn(arm, samples, rewards, self._rng)

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
        return self._act(None, available)

    def _act(self, seen: Any, available: Iterable[Choice | Mapping[str, Any]] | None) -> Choice:
        some = self._some(available)
        arm = self._learner.choose(some, self._rng)
        return Choice(self.arms[arm], None, self._learner.exact, None, self._learner.probability(arm, some))

    def _read(self, choice: Any, observed: Mapping[str, Any]) -> tuple[int, float, list[int]]:
        arm = self._number_of(choice)
        do = self.arms[arm]
        self._agree("the arm sets", do, observed)
        needed, why = [self.outcome], "expected the outcome"
        if self._learner.shares:
            needed = self._variables
            why = f"{type(self.policy).__name__} learns from {', '.join(needed)}; Thompson() from the outcome alone"
        states = [self._values.state(v, self._value({**observed, **do}, v, why)) for v in needed]
        return arm, float(states[needed.index(self.outcome)]), states

    def _learn(self, arm: int, reward: float, seen: list[int]) -> None:
        self._learner.learn(arm, np.array([seen], dtype=np.int8), np.array([reward]), self._rng)

    def expectations(self) -> dict[str, float]:
        """Estimate the probability of success of each arm, by what it sets; NaN where nothing is known."""
        return self._by_arm(self._learner.expectations())

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return dict(arrays_of(self._learner.state))

    def _settings(self) -> dict[str, Any]:
        fixed = sorted(set(self.graph).difference(self._can))
        return {"states": self._values.of, "cannot_set": fixed, "_order": self._order, "_observes": self._observes}
