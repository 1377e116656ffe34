"""Binary generalised linear models with hidden variables, and the bandit whose arms intervene on one.

P(V=1 | parents) = f(base + sum of weights of the parents that are 1): xiong2023, Section 2, with the global variable
X_1 = 1 as ``base``. A variable with fifty parents has fifty weights and no table. The noise e_V of the paper has mean
zero and is drawn anew in each round, so it does not change the law of a binary V and is not drawn (ledger L131).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.compiled import inlined, jit
from causal_bandits.graphs.admg import ADMG
from causal_bandits.identification.admissible import AdmissibleSequence, find_admissible_sequence
from causal_bandits.models.arms import Arms, Assignment, Assignments, force, release
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM

#: The links f that a variable may have.
LINKS = ("linear", "logistic")


class CompiledGLM(NamedTuple):
    """A model as flat arrays; variables are numbered causes before effects.

    Attributes
    ----------
    base : float64 array, shape (n,)
    start : int64 array, shape (n + 1,)
        The parents of variable ``v`` stand at ``start[v]`` to ``start[v + 1]`` of the next two arrays.
    parent : int64 array
    weight : float64 array
    logistic : bool array, shape (n,)
    """

    base: FloatArray
    start: IntArray
    parent: IntArray
    weight: FloatArray
    logistic: BoolArray


@inlined
def probability_of_one(model: CompiledGLM, variable: int, values: States) -> float:
    """P(V=1) of ``variable`` given its parents' values.

    The sum has no branch: which of many parents are 1 is a coin that no processor foresees.
    """
    score = model.base[variable]
    for i in range(model.start[variable], model.start[variable + 1]):
        score += model.weight[i] * values[model.parent[i]]
    return 1.0 / (1.0 + math.exp(-score)) if model.logistic[variable] else score


class BinaryGLM:
    """A structural causal model over binary variables, each a generalised linear function of its parents.

    Parameters
    ----------
    base : mapping from str to float
        Of every variable, hidden ones too.
    weights : mapping from str to mapping from str to float
        Of every variable with parents: a weight per parent (0 is allowed: the edge is there).
    links : mapping from str to str
        A key of `LINKS` per variable; ``linear`` where none is named.
    hidden : iterable of str
        Variables that are never seen; they have no parents.

    Raises
    ------
    ValueError
        If a name is unknown, a hidden variable has parents, the graph has a cycle, or some values of the parents give a
        variable a probability outside [0, 1].

    Examples
    --------
    >>> glm = BinaryGLM({"X": 0.5, "Y": 0.2}, {"Y": {"X": 0.6}})
    >>> glm.expectation("Y", {"X": 1}), glm.expectation("Y")
    (0.8, 0.5)
    """

    def __init__(
        self,
        base: Mapping[str, float],
        weights: Mapping[str, Mapping[str, float]],
        links: Mapping[str, str] | None = None,
        hidden: Iterable[str] = (),
    ) -> None:
        links = links or {}
        self.hidden: tuple[str, ...] = tuple(sorted(hidden))
        named = {*weights, *links, *self.hidden, *(p for own in weights.values() for p in own)}
        if unknown := sorted(named.difference(base)):
            raise ValueError(f"no base for {', '.join(unknown)}")
        self._base = {v: float(base[v]) for v in base}
        self._weights = {v: {p: float(w) for p, w in sorted(weights.get(v, {}).items())} for v in base}
        self._links = {v: links.get(v, "linear") for v in base}
        for v in sorted(base):
            self._check(v)
        observed = [v for v in base if v not in self.hidden]
        directed = [(p, v) for v in observed for p in self._weights[v] if p not in self.hidden]
        together = [[v for v in observed if h in self._weights[v]] for h in self.hidden]
        #: The causal diagram over the observed variables.
        self.graph = ADMG(directed, [pair for ends in together for pair in combinations(ends, 2)], observed)
        #: Hidden variables, then observed ones in topological order: the order of a world's uniforms.
        self.variables: tuple[str, ...] = (*self.hidden, *self.graph.topological_order)

    def _check(self, variable: str) -> None:
        own, link = self._weights[variable], self._links[variable]
        if link not in LINKS:
            raise ValueError(f"link of {variable!r}: {link!r}; expected one of {', '.join(LINKS)}")
        low, high = self.range_of(variable)
        if variable in self.hidden and own:
            raise ValueError(f"hidden variable {variable!r} has parents {list(own)}; hidden variables are roots")
        if not (low >= -1e-12 and high <= 1 + 1e-12):
            raise ValueError(f"{variable!r}: probabilities from {low:g} to {high:g}; expected within [0, 1]")

    def range_of(self, variable: str) -> tuple[float, float]:
        """The least and the largest P(variable = 1 | parents) over all values of the parents."""
        own = self._weights[variable].values()
        low, high = (self._base[variable] + sum(bound(w, 0.0) for w in own) for bound in (min, max))
        if self._links[variable] == "logistic":
            return 1 / (1 + math.exp(-low)), 1 / (1 + math.exp(-high))
        return low, high

    def parents(self, variable: str) -> tuple[str, ...]:
        """The parents of ``variable``, hidden ones too, in the order of its weights."""
        return tuple(self._weights[variable])

    @cached_property
    def compiled(self) -> CompiledGLM:
        """The model as flat arrays, for compiled loops; variables are numbered as in `variables`."""
        number = {v: i for i, v in enumerate(self.variables)}
        own = [self._weights[v] for v in self.variables]
        return CompiledGLM(
            base=np.array([self._base[v] for v in self.variables]),
            start=np.cumsum([0, *map(len, own)]),
            parent=np.array([number[p] for weights in own for p in weights], dtype=np.int64),
            weight=np.array([w for weights in own for w in weights.values()], dtype=np.float64),
            logistic=np.array([self._links[v] == "logistic" for v in self.variables]),
        )

    def expectation(self, variable: str, do: Assignment | None = None) -> float:
        """Exact E[variable | do].

        Where no ancestor has a logistic link, expectations follow from the parents' alone; else the joint distribution
        of the variables that are still needed goes along the topological order.

        Raises
        ------
        ValueError
            If more than `WIDEST` variables are needed at once.
        """
        number = {v: i for i, v in enumerate(self.variables)}
        fixed = np.full(len(number), -1, dtype=np.int8)
        for v, state in (do or {}).items():
            fixed[number[v]] = state
        plan = self._plans.get(variable)
        if plan is None:
            plan = self._plans[variable] = order_of_elimination(self.compiled, number[variable])
        return float(expected(self.compiled, plan, fixed))

    @cached_property
    def _plans(self) -> dict[str, Elimination]:
        return {}

    def ancestral(self, variables: Iterable[str]) -> BinaryGLM:
        """The model of some variables and their causes alone; their distribution is the same."""
        kept, stack = set(), list(variables)
        while stack:
            v = stack.pop()
            if v not in kept:
                kept.add(v)
                stack += self._weights[v]
        return BinaryGLM(
            {v: self._base[v] for v in self.variables if v in kept},
            {v: self._weights[v] for v in self.variables if v in kept},
            {v: self._links[v] for v in self.variables if v in kept},
            [v for v in self.hidden if v in kept],
        )

    def to_scm(self) -> DiscreteSCM:
        """The same model with tables, where no variable has too many parents for one."""
        cpts = {}
        for v in self.variables:
            own = self._weights[v]
            if len(own) > 16:
                raise ValueError(f"{v!r} has {len(own)} parents: too many for a table")
            states = np.array(list(product((0, 1), repeat=len(own)))).reshape((2,) * len(own) + (len(own),))
            score = self._base[v] + states @ np.array(list(own.values()))
            ones = 1 / (1 + np.exp(-score)) if self._links[v] == "logistic" else np.clip(score, 0, 1)
            cpts[v] = CPT(tuple(own), np.stack([1 - ones, ones], axis=-1))
        return DiscreteSCM(self.graph, cpts, self.hidden)


#: The most variables whose joint distribution is kept at once.
WIDEST = 18


class Elimination(NamedTuple):
    """In which order `expected` meets the ancestors of a variable, and which of them it keeps.

    Attributes
    ----------
    linear : bool
        Whether no ancestor, itself included, has a logistic link.
    variable : int64 array, shape (steps,)
        The ancestors, causes before effects, the variable itself last.
    place : int64 array, aligned with the model's ``parent``
        Where a parent stands among the variables kept when its child is met.
    keep_start, keep : int64 arrays
        Places, the new variable's last, of what is kept after each step.
    widest : int
        The most variables kept at once, the new one included.
    room : float64 array, shape (2, size)
        For `expected`: an expectation per variable, or a joint distribution and the next.
    """

    linear: bool
    variable: IntArray
    place: IntArray
    keep_start: IntArray
    keep: IntArray
    widest: int
    room: FloatArray


def order_of_elimination(model: CompiledGLM, target: int) -> Elimination:
    """The plan for the expectation of ``target``.

    Raises
    ------
    ValueError
        If more than `WIDEST` variables are needed at once and a link is logistic.
    """
    parents = [model.parent[model.start[v] : model.start[v + 1]].tolist() for v in range(len(model.base))]
    needed, stack = set(), [target]
    while stack:
        v = stack.pop()
        if v not in needed:
            needed.add(v)
            stack += parents[v]
    order = sorted(needed)
    last_use = {p: v for v in order for p in parents[v]} | {target: target}
    live: list[int] = []
    place, keep, keep_start, widest = np.zeros(len(model.parent), dtype=np.int64), [], [0], 0
    for v in order:
        for i, p in enumerate(parents[v]):
            place[model.start[v] + i] = live.index(p)
        live.append(v)
        widest = max(widest, len(live))
        kept = [i for i, u in enumerate(live) if last_use[u] > v or u == target]
        keep += kept
        keep_start.append(len(keep))
        live = [live[i] for i in kept]
    linear = not model.logistic[order].any()
    if not linear and widest > WIDEST:
        raise ValueError(f"{widest} variables are needed at once; exact expectations keep at most {WIDEST}")
    size = len(model.base) if linear else 1 << widest
    return Elimination(
        linear,
        np.array(order),
        place,
        np.array(keep_start),
        np.array(keep, dtype=np.int64),
        widest,
        np.zeros((2, size)),
    )


@inlined
def expected(model: CompiledGLM, plan: Elimination, do: States) -> float:
    """Exact expectation of the plan's last variable under the intervention ``do`` (a state per variable, or -1).

    Probabilities may lie outside [0, 1], as those of an estimate can: the sum is then of the same polynomial.
    """
    return _linear(model, plan, do) if plan.linear else _along_the_order(model, plan, do)


@inlined
def _linear(model: CompiledGLM, plan: Elimination, do: States) -> float:
    """E[V] = base + sum of weight times E[parent]."""
    mean = plan.room[0]
    for v in plan.variable:
        if do[v] >= 0:
            mean[v] = do[v]
        else:
            mean[v] = model.base[v]
            for i in range(model.start[v], model.start[v + 1]):
                mean[v] += model.weight[i] * mean[model.parent[i]]
    return mean[plan.variable[-1]]  # type: ignore[no-any-return]


@jit
def _along_the_order(model: CompiledGLM, plan: Elimination, do: States) -> float:
    """Dynamic programming: the joint distribution of the variables kept, one variable more at each step."""
    mass, wider = plan.room[0], plan.room[1]
    mass[0], live = 1.0, 0
    for step in range(len(plan.variable)):
        v = plan.variable[step]
        for joint in range(1 << live):
            if do[v] >= 0:
                one = float(do[v])
            else:
                score = model.base[v]
                for i in range(model.start[v], model.start[v + 1]):
                    if joint >> plan.place[i] & 1:
                        score += model.weight[i]
                one = 1.0 / (1.0 + math.exp(-score)) if model.logistic[v] else score
            wider[joint] = mass[joint] * (1.0 - one)
            wider[joint | 1 << live] = mass[joint] * one
        first, kept = plan.keep_start[step], plan.keep_start[step + 1] - plan.keep_start[step]
        mass[: 1 << kept] = 0.0
        for joint in range(1 << (live + 1)):
            smaller = 0
            for i in range(kept):
                smaller |= (joint >> plan.keep[first + i] & 1) << i
            mass[smaller] += wider[joint]
        live = kept
    return mass[1]  # type: ignore[no-any-return]


def sampled_expectation(
    glm: BinaryGLM, variable: str, do: Assignment, samples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """E[variable | do] by sampling, where no exact way is feasible.

    Parameters
    ----------
    glm : BinaryGLM
    variable : str
    do : mapping from str to int
    samples : int
        >= 2.
    rng : numpy.random.Generator

    Returns
    -------
    (float, float)
        The mean, and its standard error: at most 1 / (2 sqrt(samples - 1)).
    """
    if samples < 2:
        raise ValueError(f"samples={samples}: expected at least 2")
    bandit = GLMBandit(glm, [do], variable)
    world = bandit.worlds(0, samples, rng)
    mean = float(_rewards(world).mean())
    return mean, math.sqrt(mean * (1 - mean) / (samples - 1))


class GLMWorld(NamedTuple):
    """Some rounds of a bandit on a binary GLM, for compiled loops (see `play_round`).

    Attributes
    ----------
    first : int
        The number of the first of these rounds in its run.
    model : CompiledGLM
    arms : Assignments
    reward : int
        The reward's number among the variables.
    uniforms : float64 array, shape (rounds, variables)
    forced, values : int8 arrays, shape (variables,)
        Room for `play_round`: -1 everywhere between rounds; what the variables took in the round played last.
    """

    first: int
    model: CompiledGLM
    arms: Assignments
    reward: int
    uniforms: FloatArray
    forced: States
    values: States


@inlined
def play_round(world: GLMWorld, i: int, arm: int) -> int:
    """Play ``arm`` in round ``i``; the reward, 0 or 1. ``world.values`` then holds all variables' states."""
    model, forced, values = world.model, world.forced, world.values
    force(world.arms, arm, forced)
    for v in range(len(values)):
        if forced[v] >= 0:
            values[v] = forced[v]
        else:
            values[v] = world.uniforms[i, v] < probability_of_one(model, v, values)
    release(world.arms, arm, forced)
    return values[world.reward]  # type: ignore[no-any-return]


@jit
def _rewards(world: GLMWorld) -> FloatArray:
    rewards = np.empty(len(world.uniforms))
    for i in range(len(rewards)):
        rewards[i] = play_round(world, i, 0)
    return rewards


class GLMBandit:
    """A bandit whose arms intervene on a binary GLM and whose reward is one of its variables (xiong2023, Section 2).

    Parameters
    ----------
    glm : BinaryGLM
    actions : sequence of mapping from str to int
        The action set A; ``{}`` is do(), the null intervention.
    reward : str
        Y: observed, and without effects.

    Raises
    ------
    ValueError
        If there is no action, one stands twice, sets the reward, a hidden variable or a state that there is not, or
        the reward is hidden or has effects.
    """

    def __init__(self, glm: BinaryGLM, actions: Sequence[Assignment], reward: str = "Y") -> None:
        self.glm, self.reward = glm, reward
        if reward not in glm.graph or glm.graph.children(reward):
            raise ValueError(f"the reward {reward!r} must be an observed variable without effects")
        #: What can be played, in the order of ``actions``.
        self.arms = Arms(glm.variables, actions)
        if not len(self.arms):
            raise ValueError("actions: none; expected at least one")
        seen = set()
        for action in self.arms:
            fixed = {reward, *glm.hidden}.intersection(action)
            if fixed or not set(action.values()) <= {0, 1}:
                raise ValueError(f"action {action}: expected 0 or 1 for observed variables other than {reward}")
            if (key := frozenset(action.items())) in seen:
                raise ValueError(f"action {action}: stands twice")
            seen.add(key)
        self._reward_index = glm.variables.index(reward)

    @cached_property
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""
        return np.array([self.glm.expectation(self.reward, action) for action in self.arms])

    @cached_property
    def sequences(self) -> tuple[AdmissibleSequence | None, ...]:
        """An admissible sequence for each action, None for do() and where there is none (xiong2023, Definition 3)."""
        return tuple(
            find_admissible_sequence(self.glm.graph, frozenset(action), self.reward) if action else None
            for action in self.arms
        )

    @cached_property
    def _losses(self) -> FloatArray:
        losses = self.means.max() - self.means
        return np.where(losses < 1e-12, 0.0, losses)

    # ------------------------------------------------------------------ playing (see `models.protocol.Bandit`)

    @property
    def uniforms(self) -> int:
        """One uniform number per variable and round, hidden variables too."""
        return len(self.glm.variables)

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured of a run beside regret: nothing."""
        return ()

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> GLMWorld:
        """The exogenous noise of ``size`` rounds, from round ``first`` on."""
        n = len(self.glm.variables)
        return GLMWorld(
            first,
            self.glm.compiled,
            self.arms.compiled,
            self._reward_index,
            rng.random((size, n)),
            forced=np.full(n, -1, dtype=np.int8),
            values=np.empty(n, dtype=np.int8),
        )

    def regrets(self, world: GLMWorld, arms: IntArray) -> FloatArray:
        """Pseudo-regret of each round, given the arm played in it."""
        return self._losses[arms]

    def seen(self, world: GLMWorld, i: int) -> None:
        """Nothing is seen before the arm is chosen."""

    def play(self, world: GLMWorld, i: int, arm: int) -> tuple[dict[str, int], float]:
        """What the observed variables take in round ``i`` of ``world`` under ``arm``, and the reward."""
        reward = float(play_round(world, i, arm))
        states = zip(self.glm.variables, world.values.tolist(), strict=True)
        return {v: state for v, state in states if v not in self.glm.hidden}, reward
