"""Contextual bandits with a sensitive attribute, and how much rewards depend on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, cast

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.models.arms import Assignment
from causal_bandits.models.contextual import ContextualBandit, ContextualWorld
from causal_bandits.models.counterfactual import UserModel, counterfactual_means, counterpart_probabilities
from causal_bandits.models.protocol import Bandit


@dataclass(frozen=True, eq=False, kw_only=True)
class FairBandit(ContextualBandit):
    """A contextual bandit whose rewards should not depend on one of the context's variables.

    Parameters
    ----------
    sensitive : str
        The sensitive attribute S, a binary context variable; s- and s+ are its states 0 and 1.
    thresholds : tuple of float
        The taus for which unfair rounds are counted.

    Raises
    ------
    ValueError
        As for `ContextualBandit`. If ``sensitive`` is not a binary variable of the context, or shares with the reward
        a cause that the rest of the context does not block. If context variables descend from it and the model is not
        Markovian, as Theorem 2 requires.
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
            raise ValueError(f"context variables {below} descend from {self.sensitive}, but the model is not Markovian")

    @cached_property
    def descendants(self) -> tuple[str, ...]:
        """B: the context variables that descend from S; if there is one, mu_{a,s*} is not identifiable."""
        below = self.scm.graph.descendants(self.sensitive) - {self.sensitive}
        return tuple(v for v in self.context if v in below)

    def changed(self, changes: Sequence[Assignment]) -> IntArray:
        """Return the index of the context that each change turns each context into, shape (contexts, changes)."""
        number = {tuple(context.values()): i for i, context in enumerate(self.contexts)}
        return np.array([[number[tuple({**c, **change}.values())] for change in changes] for c in self.contexts])

    @cached_property
    def sensitive_states(self) -> IntArray:
        """The sensitive variable's state in each context, shape (contexts,)."""
        return np.array([context[self.sensitive] for context in self.contexts])

    @cached_property
    def alike(self) -> IntArray:
        """Each context with S set to s- and to s+, as indices of contexts, shape (contexts, 2)."""
        return self.changed([{self.sensitive: 0}, {self.sensitive: 1}])

    @cached_property
    def in_groups(self) -> IntArray:
        """The contexts that a user of each context may have with s-, and those with s+.

        Shape (contexts, 2, joint states of the descendants).
        """
        states = product(*(range(self.scm.cardinality(v)) for v in self.descendants))
        joint = [dict(zip(self.descendants, b, strict=True)) for b in states]
        return np.stack([self.changed([{**b, self.sensitive: s} for b in joint]) for s in (0, 1)], axis=1)

    @cached_property
    def others(self) -> IntArray:
        """The contexts that a user of each context may have in the other group.

        Shape (contexts, joint states of the descendants).
        """
        return self.in_groups[np.arange(len(self.contexts)), 1 - self.sensitive_states]

    @cached_property
    def other_probabilities(self) -> FloatArray:
        """The probability of each of `others` given the user's own context, in the shape of `others`.

        It is one if the sensitive variable has no descendants in the context. Otherwise it depends on the SCM's
        functions, not only on its tables (ledger L42).
        """
        if not self.descendants:
            return np.ones(self.others.shape)
        if "other_probabilities" not in self.memory:
            found = counterpart_probabilities(self.scm, self.context, self.sensitive)
            self.memory["other_probabilities"] = np.take_along_axis(found, self.others, axis=1)
        return cast(FloatArray, self.memory["other_probabilities"])

    @cached_property
    def discrepancies(self) -> FloatArray:
        """Exact E[R(a, s+) | x] - E[R(a, s-) | x], shape (contexts, arms).

        If the sensitive variable has descendants in the context, the discrepancies depend on the functions of the
        SCM, not only on its tables (ledger L42).
        """
        if not self.descendants:
            return self.means[self.alike[:, 1]] - self.means[self.alike[:, 0]]
        if "discrepancies" not in self.memory:
            model = UserModel(self.scm, self.context, self.sensitive, list(self.arms), self.weights, self.intercept)
            self.memory["discrepancies"] = counterfactual_means(model, 1) - counterfactual_means(model, 0)
        return cast(FloatArray, self.memory["discrepancies"])


if TYPE_CHECKING:  # mypy checks the protocol
    _: type[Bandit[ContextualWorld]] = FairBandit
