"""A bandit that sees a context first: a regression per arm, within bounds from logs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit
from causal_bandits.datasets.frames import text_of
from causal_bandits.datasets.values import Values, as_mapping, in_order
from causal_bandits.estimation import factored_ridge
from causal_bandits.estimation.factored_ridge import LARGEST
from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import listing
from causal_bandits.graphs.exchange import GraphLike
from causal_bandits.online.base import Acting, Choice
from causal_bandits.online.held_generator import HeldGenerator
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.policies.helpers.choice import TIE, largest


class ContextualCausalBandit(Acting):
    """A bandit that sees a context, sets the treatment, and learns from the outcome.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    outcome : str
        With two values in ``states`` or with ``logs``, success. Else a number to maximise; ``alpha`` of the policy then
        has the size of its values, or an arm that was never played looks worse than one that was.
    treatment : str or list of str
        The variables that an arm sets.
    context : str or list of str
        The variables seen before, which the treatment must not affect. Features are numbers, or the states of variables
        in ``states``: 0, 1, ... in their order.
    states : mapping from str to list
        The values of the treatment, of context variables that are categories, and of an outcome with two values. What
        it leaves out comes from ``logs``.
    policy : LinUCB or LinUCBPCB, optional
        Default: `LinUCBPCB` with ``logs``, which plays no arm that the bounds rule out, else `LinUCB`.
    logs : Logs, or a data frame as in `Logs.from_frame`, optional
        Records whose bounds (`Logs.prior`; huang2024) or estimates (``LinUCB(warm_start="effect")``) are the prior
        knowledge. All context variables are categories then.
    confidence : float, optional
        With which the bounds hold, as for `Logs.bounds`.
    seed : int or numpy.random.Generator

    Raises
    ------
    TypeError, ValueError
        As for `CausalBandit`.

    Examples
    --------
    >>> graph = "dag { age -> drug ; age -> well ; drug -> well ; drug <-> well }"
    >>> states = {"drug": ["no", "yes"], "well": [0, 1]}
    >>> bandit = ContextualCausalBandit(graph, outcome="well", treatment="drug", context="age", states=states)
    >>> choice = bandit.act({"age": 61.5})
    >>> bandit.update(choice, {"well": 1})
    """

    policies = (LinUCB, LinUCBPCB)
    sees = True

    def __init__(
        self,
        graph: GraphLike,
        *,
        outcome: str,
        treatment: str | Sequence[str],
        context: str | Sequence[str],
        states: Mapping[str, Sequence[Any]] | None = None,
        policy: LinUCB | None = None,
        logs: Any = None,
        confidence: float | None = None,
        seed: int | np.random.Generator = 0,
        _success: str | None = None,
        _resumed: bool = False,
    ) -> None:
        given = {} if states is None else states
        super().__init__(graph, outcome, given, policy or (LinUCB() if logs is None else LinUCBPCB()), seed)
        own = self.policy
        self._treatment, self._context = in_order("treatment", treatment), in_order("context", context)
        named_sets(self.graph, treatment=self._treatment, context=self._context, outcome=outcome)
        roles = [*self._treatment, *self._context, outcome]
        if not self._treatment or len(set(roles)) < len(roles):
            raise ValueError(
                f"treatment, context, outcome: {', '.join(roles)}; expected a treatment, and no name twice"
            )
        if affected := self.graph.descendants(self._treatment) & set(self._context):
            raise ValueError(
                f"context: {listing(affected)}: effects of the treatment; expected variables seen before it"
            )
        prior: Mapping[str, FloatArray] = {}
        if logs is None and confidence is not None:
            raise ValueError(f"confidence={confidence}: that of bounds from logs; expected logs")
        if logs is not None:
            logs = self._logged(logs, self._treatment, self._context, given)
            if (logs.treatment, logs.context) != (self._treatment, self._context):
                raise ValueError(
                    f"logs: treatment {', '.join(logs.treatment)}, context {', '.join(logs.context)}; expected "
                    f"{', '.join(self._treatment)} and {', '.join(self._context)}, in this order"
                )
            given = {**{v: logs.counts.states[v] for v in roles}, **given}
            _success, prior = logs.counts.states[outcome][logs.success_state], logs.prior(confidence=confidence)
        if absent := [v for v in self._treatment if v not in given]:
            raise ValueError(f"states: none of {listing(absent)}; expected the values of every treatment")
        self._values = Values(given)
        if outcome in given and _success is None:
            if len(given[outcome]) != 2:
                raise ValueError(f"states of {outcome}: {list(given[outcome])}; expected two, failure and success")
            _success = text_of(given[outcome][1])
        self._success = _success
        self._settings = {"treatment": self._treatment, "context": self._context, "states": self._values.of}
        self._settings["_success"] = _success
        self._list_arms(map(self._values.labelled, self._values.joint(self._treatment)))
        numbers = [v for v in self._context if v not in given]
        if own.cells or own.shared:
            raise ValueError(f"{own!r}: expected a regression for each arm, neither cells nor shared")
        if numbers and (isinstance(own, LinUCBPCB) or own.warm_start):
            raise ValueError(
                f"{own!r}: needs the values of every context variable; states has none of {listing(numbers)}"
            )
        self._why = f"expected a context with {', '.join(self._context)}"
        self._contexts = [] if numbers else self._values.joint(self._context)
        shape = len(self._contexts), len(self.arms)
        width = len(self._context) + own.intercept
        self._ridge = factored_ridge.start(len(self.arms), width, float(own.penalty))
        self._upper = np.zeros((0, 0)) if numbers else np.full(shape, LARGEST)
        self._state = self._ridge, self._upper
        if _resumed:
            return
        if wanted := {own.warm_start, getattr(own, "upper", None)}.difference(prior, [None]):
            raise ValueError(
                f"{own!r}: {wanted.pop()} is not known (known: {', '.join(prior) or 'nothing'}); expected logs"
            )
        if isinstance(own, LinUCBPCB):
            self._upper[...] = prior[own.upper]
        if own.warm_start is not None:  # learn the estimates, as `LinUCB` does before the first round
            estimates = prior[own.warm_start]
            weights = prior["count"] if own.warm_weight == "count" else np.full(shape, own.warm_weight)
            for c, a in np.argwhere((weights > 0) & ~np.isnan(estimates)):
                self._learn(a, estimates[c, a], self._contexts[c], weights[c, a])

    def _numbers(self, row: Mapping[str, Any]) -> dict[str, float]:
        """Return a context as numbers: those given, or of the states that the values are."""
        numbers = {}
        for v in self._context:
            value = self._value(row, v, self._why)
            numbers[v] = self._values.state(v, value) if v in self._values.of else _number(v, value)
        return numbers

    def _features(self, numbers: Mapping[str, float]) -> FloatArray:
        """Return [context, 1], shape (1, d): each arm has a regression of its own, so what it sets is no feature."""
        return np.array([[*numbers.values(), *[1.0] * self.policy.intercept]], dtype=np.float64)

    def act(self, context: Any, available: Iterable[Choice | Mapping[str, Any]] | None = None) -> Choice:
        """Choose how to set the treatment in a context.

        Parameters
        ----------
        context : mapping from str to object, or a row of a data frame
            The values of the context variables, by name; other names are ignored.
        available
            As for `CausalBandit.act`.

        Raises
        ------
        ValueError
            If a value is missing or unknown, or there is no such arm.
        """
        row, some = as_mapping("context", context), self._some(available)
        numbers = self._numbers(row)
        index = factored_ridge.indices(self._ridge, self._features(numbers), len(self.arms), float(self.policy.alpha))
        if self._contexts:
            index = np.minimum(index, self._upper[self._contexts.index(numbers)])  # type: ignore[arg-type]
        arm, ties = _pick(index, some, self._held)
        return Choice(self.arms[arm], 1 / ties, True, {v: row[v] for v in self._context})

    def _read(self, row: Mapping[str, Any]) -> tuple[float, dict[str, float]]:
        value = self._value(row, self.outcome, "expected the outcome")
        if self._success is None:
            return _number(self.outcome, value), self._numbers(row)
        success = self._values.state(self.outcome, value) == self._values.state(self.outcome, self._success)
        return float(success), self._numbers(row)

    def _learn(self, arm: int, reward: float, seen: Mapping[str, float], weight: float = 1.0) -> None:
        factored_ridge.learn(self._ridge, arm, self._features(seen)[0], float(reward), float(weight))

    def expectations(self, context: Any) -> dict[str, float]:
        """Predict the mean outcome of each arm in a context, by what it sets."""
        features = self._features(self._numbers(as_mapping("context", context)))
        return self._by_arm(factored_ridge.indices(self._ridge, features, len(self.arms), 0.0))


@jit
def _pick(index: FloatArray, some: IntArray, held: HeldGenerator) -> tuple[int, int]:
    """Return the arm with the largest index, of some arms, and how many are tied with it."""
    among = index[some]
    return int(some[largest(among, held.rng)]), int((among >= among.max() - TIE).sum())


def _number(variable: str, value: Any) -> float:
    if not isinstance(value, float | Real) or not abs(float(value)) <= LARGEST:  # a float is found faster than a Real
        raise ValueError(f"{variable} is {value!r}; expected a number of at most {LARGEST:g} (or categories in states)")
    return float(value)
