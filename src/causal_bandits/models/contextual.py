"""Contextual bandits on an SCM: see a user's features, choose an arm's features, get a reward."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from scipy.special import ndtri

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.checks import FINITE, NOT_NEGATIVE, check
from causal_bandits.compiled import kernel
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Arms, Assignment, Assignments, force, release
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.protocol import Bandit, pseudo_regrets
from causal_bandits.models.sampling import CompiledSCM, play_world, sample_many
from causal_bandits.models.structural_bandit import observed_states


class ContextualWorld(NamedTuple):
    """Some rounds of a contextual bandit, for compiled loops (see `play_round`).

    Attributes
    ----------
    first : int
        The index of the first of these rounds in its run.
    scm : CompiledSCM
    arms : Assignments
    users : Assignments
        What each context sets: its own variables if users come from data, otherwise nothing.
    contexts : int64 array, shape (rounds,)
        The index of each round's context.
    uniforms : float64 array, shape (rounds, variables)
    noise : float64 array, shape (rounds,)
        The noise added to each round's reward.
    weights : float64 array, shape (variables,)
    intercept : float
    forced, values : int8 arrays, shape (variables,)
        Workspace of `play_round`: -1 everywhere between rounds; the variables' states in the round played last.
    """

    first: int
    scm: CompiledSCM
    arms: Assignments
    users: Assignments
    contexts: IntArray
    uniforms: FloatArray
    noise: FloatArray
    weights: FloatArray
    intercept: float
    forced: States
    values: States


@kernel
def play_round(world: ContextualWorld, i: int, arm: int) -> float:
    """Play ``arm`` in round ``i`` and return the reward; ``world.values`` then holds all states."""
    context, users, arms, forced, values = world.contexts[i], world.users, world.arms, world.forced, world.values
    force(users, context, forced)
    force(arms, arm, forced)
    play_world(world.scm, world.uniforms[i], forced, values)
    release(arms, arm, forced)
    release(users, context, forced)
    reward = world.intercept
    for variable in range(len(values)):
        reward += world.weights[variable] * values[variable]
    return reward + world.noise[i]  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class ContextualBandit:
    """A bandit that shows a context, lets an arm set some variables of an SCM, and pays a reward.

    The reward is ``intercept + sum over v of weights[v] * state of v + N(0, sd^2)``: a binary reward variable has the
    weight one and no noise.

    Parameters
    ----------
    scm : DiscreteSCM
    context : sequence of str
        The variables C seen before the arm is chosen; arms set none of their ancestors. May be empty.
    manipulable : sequence of str
        The variables X that an arm sets: the arms are all their joint assignments.
    weights : mapping from str to float
        The reward's parents with their weights.
    intercept, sd : float
        ``sd`` >= 0 is the standard deviation of the reward's noise.
    users : int64 array, shape (n,), optional
        The contexts of successive rounds, as indices into `contexts`, if users come from data. By default every round's
        context is drawn from the SCM.
    prior : mapping from str to float64 array, shape (contexts, arms)
        Knowledge before the first round, by name: causal bounds ``lower`` and ``upper``; offline estimates; the
        ``count`` of offline samples.

    Raises
    ------
    ValueError
        If a variable is unknown or both context and manipulable, or an arm sets a cause of the context. If ``users``
        are given, and a context variable shares a hidden cause with a variable outside the context (then observing it
        differs from setting it), or a user has probability zero in the model. If an array has the wrong shape.
    """

    scm: DiscreteSCM
    context: tuple[str, ...]
    manipulable: tuple[str, ...]
    weights: Mapping[str, float]
    intercept: float = 0.0
    sd: float = 0.0
    users: IntArray | None = None
    prior: Mapping[str, FloatArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for role in ("context", "manipulable"):
            names = getattr(self, role)
            object.__setattr__(self, role, (names,) if isinstance(names, str) else tuple(names))
        weights: object = self.weights  # whatever the types say
        if not isinstance(weights, Mapping):
            raise TypeError(f"weights: {weights!r}; expected a mapping from variables to numbers")
        graph = self.scm.graph
        for role, names in (("context", self.context), ("manipulable", self.manipulable), ("weights", self.weights)):
            unknown = sorted(set(names).difference(graph.nodes))
            if unknown:
                raise ValueError(f"{role}: {', '.join(unknown)} not among the observed variables {list(graph.nodes)}")
        if not self.manipulable or set(self.context) & set(self.manipulable):
            raise ValueError(
                f"context {list(self.context)}, manipulable {list(self.manipulable)}: expected at least one "
                "manipulable variable, and none in both"
            )
        causes = sorted(set(self.manipulable) & graph.ancestors(self.context))
        if causes:
            raise ValueError(f"{', '.join(causes)}: set by an arm, but a cause of the context")
        check("sd", self.sd, NOT_NEGATIVE)
        check("intercept", self.intercept, FINITE)
        for name, value in self.weights.items():
            check(f"weights: {name}", value, FINITE)
        self._check_users()
        self._check_prior()

    def _check_users(self) -> None:
        if self.users is None:
            return
        confounded = sorted(v for v in self.context if self.scm.graph.spouses(v) - set(self.context))
        if confounded:
            raise ValueError(
                f"users come from data, but {', '.join(confounded)} share a hidden cause with variables outside the "
                "context"
            )
        if self.users.ndim != 1 or not np.isin(self.users, np.arange(len(self.contexts))).all():
            raise ValueError(f"users: expected indices of contexts, 0..{len(self.contexts) - 1}")
        impossible = sorted(set(self.users[self._model_probabilities[self.users] == 0].tolist()))
        if impossible:
            raise ValueError(f"users with probability zero in the model: {dict(self.contexts[impossible[0]])}")

    def _check_prior(self) -> None:
        shape = (len(self.contexts), len(self.arms))
        for name, array in self.prior.items():
            if array.shape != shape:
                raise ValueError(f"prior {name!r}: shape {array.shape}, expected (contexts, arms) = {shape}")

    def with_prior(self, prior: Mapping[str, FloatArray]) -> Self:
        """Return a copy of this bandit with different prior knowledge; both share the exact quantities."""
        other = self._copy(prior=dict(prior))
        other._check_prior()
        return other

    def with_users(self, users: IntArray) -> Self:
        """Return a copy of this bandit with users from data; both share the exact quantities."""
        other = self._copy(users=users)
        for depending in ("_forced_users", "context_probabilities"):
            other.__dict__.pop(depending, None)
        other._check_users()
        return other

    def _copy(self, **changes: object) -> Self:
        self.memory, self.means  # noqa: B018 (computed now, so that the copy has them too)
        other = copy.copy(self)
        for name, value in changes.items():
            object.__setattr__(other, name, value)
        return other

    @cached_property
    def memory(self) -> dict[Any, Any]:
        """A cache for quantities of the model; copies with different users or priors share it."""
        return {}

    # ------------------------------------------------------------------ contexts and arms

    def _assignments(self, variables: Sequence[str]) -> tuple[Assignment, ...]:
        states = (range(self.scm.cardinality(v)) for v in variables)
        return tuple(dict(zip(variables, values, strict=True)) for values in product(*states))

    @cached_property
    def contexts(self) -> tuple[Assignment, ...]:
        """All joint states of the context, the last variable changing fastest; without a context, the empty one."""
        return self._assignments(self.context)

    @cached_property
    def arms(self) -> Arms:
        """All joint states of the manipulable variables, the last variable changing fastest."""
        return Arms(self.scm.variables, self._assignments(self.manipulable))

    @cached_property
    def features(self) -> FloatArray:
        """States of context and arm, shape (contexts, arms, context variables + manipulable variables)."""
        rows = [[[*c.values(), *a.values()] for a in self.arms] for c in self.contexts]
        return np.array(rows, dtype=np.float64)

    @property
    def reward_graph(self) -> ADMG:
        """The diagram with the reward as a node ``R``, a child of the weighted variables."""
        graph = self.scm.graph
        if "R" in graph:
            raise ValueError("a variable is called 'R', the name of the reward")
        return ADMG([*graph.directed, *((v, "R") for v in self.weights)], graph.bidirected, graph.nodes)

    # ------------------------------------------------------------------ exact quantities

    def distribution(self, variables: Sequence[str]) -> FloatArray:
        """Compute P(variables | do(arm), context) exactly, shape (contexts, arms, states of each variable).

        Context and manipulable variables may be among ``variables``; a context of probability zero gives zeros.
        """
        free = [v for v in variables if v not in self.context and v not in self.manipulable]
        sizes = [self.scm.cardinality(v) for v in variables]
        table = np.zeros((len(self.contexts), len(self.arms), *sizes))
        for a, arm in enumerate(self.arms):
            joint = self.scm.distribution([*self.context, *free], do=arm)
            joint = joint.reshape(len(self.contexts), *joint.shape[len(self.context) :])
            for c, context in enumerate(self.contexts):
                mass, known = joint[c].sum(), {**context, **arm}
                where = tuple(known.get(v, slice(None)) for v in variables)
                table[(c, a, *where)] = joint[c] / mass if mass > 0 else 0.0
        return table

    @cached_property
    def means(self) -> FloatArray:
        """Exact E[reward | do(arm), context], shape (contexts, arms)."""
        means = np.full((len(self.contexts), len(self.arms)), self.intercept)
        for variable, weight in self.weights.items():
            means += weight * (self.distribution([variable]) @ np.arange(self.scm.cardinality(variable)))
        means.flags.writeable = False
        return means

    @cached_property
    def context_probabilities(self) -> FloatArray:
        """Exact P(context), shape (contexts,): in the SCM, or among the users if they come from data."""
        if self.users is not None:
            return np.bincount(self.users, minlength=len(self.contexts)) / len(self.users)
        return self._model_probabilities

    @cached_property
    def _model_probabilities(self) -> FloatArray:
        """P(context) of the SCM, shape (contexts,)."""
        return self.scm.distribution(self.context).ravel() if self.context else np.ones(1)

    @cached_property
    def _losses(self) -> FloatArray:
        return pseudo_regrets(self.means.max(axis=1, keepdims=True), self.means)

    # ------------------------------------------------------------------ playing (see `models.protocol.Bandit`)

    @property
    def uniforms(self) -> int:
        """One uniform number per variable and round, and one for the reward's noise."""
        return len(self.scm.variables) + 1

    @property
    def reward_range(self) -> tuple[float, float]:
        """The smallest and the largest reward, over all states of the weighted variables; infinite with noise."""
        if self.sd > 0:
            return -np.inf, np.inf
        low = high = float(self.intercept)
        for variable in self.scm.variables:  # in the order of `play_round`, so that rounding is the same
            extreme = self.weights.get(variable, 0.0) * (self.scm.cardinality(variable) - 1)
            low, high = low + min(extreme, 0.0), high + max(extreme, 0.0)
        return low, high

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> ContextualWorld:
        """Draw the worlds of ``size`` rounds, from round ``first`` on.

        Users from data are used in order, one per round.

        Raises
        ------
        ValueError
            If users come from data and there are fewer users than rounds.
        """
        n = len(self.scm.variables)
        draws = rng.random((size, n + 1))
        uniforms = np.ascontiguousarray(draws[:, :n])
        if self.users is None:
            contexts = self._contexts_of(uniforms)
        elif first + size > len(self.users):
            raise ValueError(f"{first + size} rounds, but the data have only {len(self.users)} users")
        else:
            contexts = self.users[first : first + size]
        return ContextualWorld(
            first,
            self.scm.compiled,
            self.arms.compiled,
            self._forced_users,
            contexts,
            uniforms,
            noise=self.sd * ndtri(draws[:, n]) if self.sd > 0 else np.zeros(size),
            weights=np.array([self.weights.get(v, 0.0) for v in self.scm.variables]),
            intercept=self.intercept,
            forced=np.full(n, -1, dtype=np.int8),
            values=np.empty(n, dtype=np.int8),
        )

    @cached_property
    def forced_contexts(self) -> Assignments:
        """The contexts as assignments."""
        return Arms(self.scm.variables, self.contexts).compiled

    @cached_property
    def _forced_users(self) -> Assignments:
        """The field ``users`` of `ContextualWorld`."""
        return self.forced_contexts if self.users is not None else Arms((), [{}] * len(self.contexts)).compiled

    def _contexts_of(self, uniforms: FloatArray) -> IntArray:
        """Return the indices of the worlds' contexts; no arm affects them, so any arm will do."""
        values = sample_many(self.scm.compiled, uniforms, self.scm.assignment_row(self.arms[0]))
        numbers = np.zeros(len(uniforms), dtype=np.int64)
        for v in self.context:
            numbers = numbers * self.scm.cardinality(v) + values[:, self.scm.variables.index(v)]
        return numbers

    def regrets(self, world: ContextualWorld, arms: IntArray) -> FloatArray:
        """Return the pseudo-regret of each round: the context's best mean minus that of the arm played."""
        return self._losses[world.contexts[: len(arms)], arms]

    def seen(self, world: ContextualWorld, i: int) -> Assignment:
        """Return the context of round ``i`` of ``world``."""
        return self.contexts[int(world.contexts[i])]

    def play(self, world: ContextualWorld, i: int, arm: int) -> tuple[dict[str, int], float]:
        """Play ``arm`` in round ``i`` of ``world``; return the observed variables' states and the reward."""
        reward = float(play_round(world, i, arm))
        return observed_states(self.scm.variables, self.scm.hidden, world.values), reward


if TYPE_CHECKING:  # mypy checks the protocol
    _: type[Bandit[ContextualWorld]] = ContextualBandit
