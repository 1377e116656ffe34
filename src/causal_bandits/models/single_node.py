"""The bandit of lu2021: interventions on single nodes of a large sparse causal graph, with a Gaussian reward.

A round's world holds one random key. A variable's own uniform number is a function of the key and the variable, so it
is fixed before an arm is chosen and is computed only if somebody looks: a round costs as many variables as the reward
and what a policy watches depend on, not as many as there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from causal_bandits.compiled import inlined, jit
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.essential import essential_graph
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.models.arms import Arms, Assignments, force, release
from causal_bandits.models.clique_tree import CliqueTree
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.sampling import CompiledSCM, row_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


#: Rounds that `tally` draws together.
AT_ONCE = 64


class SingleNodeWorld(NamedTuple):
    """Some rounds, drawn before any arm is chosen, for compiled loops (see `play_round` and `tally`).

    Attributes
    ----------
    first : int
        The number of the first of these rounds in its run.
    scm : CompiledSCM
        Its variables are numbered causes before effects, unlike the bandit's.
    place : int64 array, shape (variables,)
        The SCM's number of each of the bandit's variables.
    arms : Assignments
    causes : int64 array
        The SCM's numbers of the reward variables and their ancestors, causes before effects.
    rewarding : int64 array, shape (reward variables,)
        The SCM's numbers of the reward variables.
    mean : float64 array, shape (reward variables, states)
        What each state of each adds to the mean reward.
    key : uint64 array, shape (rounds,)
    noise : float64 array, shape (rounds,)
        What is added to each round's reward.
    forced, values : int8 arrays, shape (variables,)
        Room for `draw`: -1 everywhere between rounds; what the variables looked at took in the round drawn last.
    """

    first: int
    scm: CompiledSCM
    place: IntArray
    arms: Assignments
    causes: IntArray
    rewarding: IntArray
    mean: FloatArray
    key: NDArray[np.uint64]
    noise: FloatArray
    forced: NDArray[np.int8]
    values: NDArray[np.int8]


@inlined
def _uniform(key: np.uint64, variable: int) -> float:
    """The variable's uniform number: entry ``variable`` of SplitMix64 with seed ``key`` (Steele, Lea & Flood 2014)."""
    z = key + np.uint64(variable + 1) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * 2.0**-53


@jit
def draw(world: SingleNodeWorld, i: int, arm: int, looked_at: IntArray) -> float:
    """Play ``arm`` in round ``i`` of ``world``; the reward. ``world.values`` holds the states of what is looked at.

    Parameters
    ----------
    world : SingleNodeWorld
    i, arm : int
    looked_at : int64 array
        The SCM's numbers of the variables to draw, causes before effects: the reward variables, and with each variable
        that the arm does not set its parents.
    """
    scm, forced, values, key = world.scm, world.forced, world.values, world.key[i]
    force(world.arms, arm, forced)
    for variable in looked_at:
        if forced[variable] >= 0:
            values[variable] = forced[variable]
        else:
            row, state, uniform = row_of(scm, variable, values), 0, _uniform(key, variable)
            while uniform >= scm.cumulative[row + state]:
                state += 1
            values[variable] = state
    release(world.arms, arm, forced)
    reward = world.noise[i]
    for r in range(len(world.rewarding)):
        reward += world.mean[r, values[world.rewarding[r]]]
    return reward  # type: ignore[no-any-return]


@jit
def play_round(world: SingleNodeWorld, i: int, arm: int) -> float:
    """Play ``arm`` in round ``i`` of ``world``; the reward. It costs the reward variables and their ancestors."""
    return draw(world, i, arm, world.causes)


@jit
def tally(
    world: SingleNodeWorld, first: int, arm: int, watched: IntArray, counts: IntArray, rewards: FloatArray
) -> None:
    """Play ``arm`` in the rounds ``first``, ``first + 1``, ... of ``world``, and count what some variables take.

    A round costs the watched and the reward variables and their ancestors.

    Parameters
    ----------
    world : SingleNodeWorld
    first, arm : int
    watched : int64 array
        Numbers of variables in the bandit's order.
    counts : int64 array, shape (watched, states)
        Added to.
    rewards : float64 array, shape (rounds,)
        Overwritten; its length is how many rounds are played.
    """
    cut = world.arms.variable[world.arms.start[arm] : world.arms.start[arm + 1]]
    looked_at = _ancestors(world.scm, np.concatenate((world.rewarding, world.place[watched])), cut)
    values = np.empty((len(world.forced), AT_ONCE), dtype=np.int8)
    row = np.empty(AT_ONCE, dtype=np.int64)
    force(world.arms, arm, world.forced)
    for begin in range(0, len(rewards), AT_ONCE):
        count = min(AT_ONCE, len(rewards) - begin)
        _draw_many(world, world.key[first + begin : first + begin + count], looked_at, values, row)
        for i in range(count):
            reward = world.noise[first + begin + i]
            for r in range(len(world.rewarding)):
                reward += world.mean[r, values[world.rewarding[r], i]]
            rewards[begin + i] = reward
        for w in range(len(watched)):
            for i in range(count):
                counts[w, values[world.place[watched[w]], i]] += 1
    release(world.arms, arm, world.forced)


@jit
def _draw_many(
    world: SingleNodeWorld,
    key: NDArray[np.uint64],
    looked_at: IntArray,
    values: NDArray[np.int8],
    row: IntArray,
) -> None:
    """The states that `draw` gives, of all rounds with these keys: one variable after the other, which is faster.

    Parameters
    ----------
    world : SingleNodeWorld
        Its ``forced`` holds what the arm sets.
    key : uint64 array, shape (rounds,)
    looked_at : int64 array
    values : int8 array, shape (variables, at least rounds)
        Overwritten where it is looked at.
    row : int64 array, shape (at least rounds,)
        Room.
    """
    scm, rounds = world.scm, len(key)
    for variable in looked_at:
        if world.forced[variable] >= 0:
            values[variable, :rounds] = world.forced[variable]
            continue
        row[:rounds] = scm.table_start[variable]
        for e in range(scm.parent_start[variable], scm.parent_start[variable + 1]):
            parent, stride = scm.parent[e], scm.stride[e]
            for i in range(rounds):
                row[i] += stride * values[parent, i]
        last = scm.cardinality[variable] - 1
        for i in range(rounds):
            uniform, state = _uniform(key[i], variable), 0
            for s in range(last):
                state += uniform >= scm.cumulative[row[i] + s]
            values[variable, i] = state


@jit
def _ancestors(scm: CompiledSCM, targets: IntArray, cut: NDArray[np.int32]) -> IntArray:
    """Sorted numbers of ``targets`` and their ancestors, not passing through ``cut``."""
    found = np.zeros(len(scm.cardinality), dtype=np.bool_)
    stack = np.empty(len(scm.cardinality), dtype=np.int64)
    for target in targets:
        depth = 0
        if not found[target]:
            found[target], stack[0], depth = True, target, 1
        while depth:
            depth -= 1
            variable = stack[depth]
            if (cut == variable).any():
                continue
            for e in range(scm.parent_start[variable], scm.parent_start[variable + 1]):
                parent = scm.parent[e]
                if not found[parent]:
                    found[parent] = True
                    stack[depth] = parent
                    depth += 1
    return np.flatnonzero(found)


class Told(NamedTuple):
    """What the learner is told before the first round; None: what is true.

    Attributes
    ----------
    epsilon, reward_gap : float or None
        epsilon of Assumption 2 and Delta of Assumption 3.
    essential : PartiallyDirectedGraph or None
    marginals : float64 array, shape (variables, states), or None
        P(V = x) without an intervention.
    """

    epsilon: float | None = None
    reward_gap: float | None = None
    essential: PartiallyDirectedGraph | None = None
    marginals: FloatArray | None = None


#: The learner is told what is true.
TRUTH = Told()


@dataclass(frozen=True, eq=False)
class SingleNodeBandit:
    """A bandit whose arms set single variables of an SCM, or none, and whose reward is Gaussian.

    The reward is the sum over v of ``rewards[v][state of v]``, plus N(0, sd^2); lu2021 has one v, the reward generating
    variable X_R, and several in its Appendix C (L128). Variables are numbered by name, 0 to n - 1: not by the causal
    order, which the learner does not know. With all K states settable, arm ``i * K + x`` is do(variable i = x), and arm
    ``n * K`` is do().

    Parameters
    ----------
    scm : DiscreteSCM
        Without hidden variables (Assumption 1); all variables have K states.
    rewards : mapping from str to sequence of float
        What each state of each reward variable adds to the mean.
    sd : float
        >= 0.
    told : Told
    settable : sequence of int, optional
        The states that arms set, ascending; default: all.
    together : int
        How many variables an arm may set at most; 2 or more for Appendix C, in small problems only.

    Raises
    ------
    ValueError
        If the SCM has hidden variables or variables with different numbers of states, a reward variable is unknown or
        its values are not one per state, or a number is out of range.
    """

    scm: DiscreteSCM
    rewards: Mapping[str, Sequence[float]]
    sd: float = 1.0
    told: Told = TRUTH
    settable: tuple[int, ...] | None = None
    together: int = 1

    def __post_init__(self) -> None:
        if self.scm.hidden:
            raise ValueError(f"hidden variables: {', '.join(self.scm.hidden)}; all must be observed")
        cardinality = self.scm.compiled.cardinality
        if (cardinality != cardinality[0]).any():
            raise ValueError(f"variables with {cardinality.min()} and with {cardinality.max()} states: expected one K")
        if not self.rewards:
            raise ValueError("rewards: no reward variable")
        for variable, values in self.rewards.items():
            if len(values) != self.scm.cardinality(variable):
                raise ValueError(f"rewards of {variable}: expected {self.states} numbers, one per state")
        if self.sd < 0 or self.together < 1:
            raise ValueError(f"sd={self.sd}, together={self.together}: expected sd >= 0 and together >= 1")
        if not set(self._settable) <= set(range(self.states)) or list(self._settable) != sorted(set(self._settable)):
            raise ValueError(f"settable {self.settable}: expected states from 0 to {self.states - 1}, ascending")
        for name in ("epsilon", "reward_gap"):
            told = getattr(self.told, name)
            if told is not None and not 0 < told <= 1:
                raise ValueError(f"{name}={told}: expected a number above 0 and at most 1")
        if self.told.marginals is not None and self.told.marginals.shape != (len(self.variables), self.states):
            shape = (len(self.variables), self.states)
            raise ValueError(f"marginals: shape {self.told.marginals.shape}, expected {shape}")

    def with_told(self, told: Told) -> SingleNodeBandit:
        """The same bandit with another learner; they share the exact quantities that are known already."""
        other = replace(self, told=told)
        for name in ("tree", "exact_marginals", "effects", "means", "least_gap", "least_effect", "arms"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    # ------------------------------------------------------------------ variables and arms

    @property
    def dag(self) -> ADMG:
        """The causal graph D."""
        return self.scm.graph

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables, sorted by name; variable i is ``variables[i]``."""
        return self.scm.graph.nodes

    @property
    def states(self) -> int:
        """K."""
        return int(self.scm.compiled.cardinality[0])

    @property
    def _settable(self) -> Sequence[int]:
        return range(self.states) if self.settable is None else self.settable

    @cached_property
    def _number(self) -> dict[str, int]:
        return {v: i for i, v in enumerate(self.variables)}

    @cached_property
    def rewarding(self) -> tuple[int, ...]:
        """The numbers of the reward variables."""
        return tuple(self._number[v] for v in self.rewards)

    @cached_property
    def _place(self) -> IntArray:
        """The SCM's number of each variable."""
        place = {v: i for i, v in enumerate(self.scm.variables)}
        return np.array([place[v] for v in self.variables], dtype=np.int64)

    @cached_property
    def arms(self) -> Arms:
        """All do(V = x), then do(), then, where arms set several variables ``together``, these by their number."""
        return Arms(self.scm.variables, self._assignments())

    def _assignments(self) -> Iterator[dict[str, int]]:
        for size in (1, 0, *range(2, self.together + 1)):
            for chosen in combinations(self.variables, size):
                for values in product(self._settable, repeat=size):
                    yield dict(zip(chosen, values, strict=True))

    @property
    def empty(self) -> int:
        """The number of the arm do()."""
        return len(self.variables) * len(self._settable)

    def arm(self, do: Mapping[int, int]) -> int:
        """The number of the arm that sets these variables, given by number, to these states.

        Raises
        ------
        ValueError
            If there is none.
        """
        number = self._arm_of.get(tuple(sorted(do.items())))
        if number is None:
            raise ValueError(f"no arm sets { ({self.variables[i]: x for i, x in do.items()}) }")
        return number

    @cached_property
    def _arm_of(self) -> dict[tuple[tuple[int, int], ...], int]:
        return {tuple((self._number[v], x) for v, x in arm.items()): a for a, arm in enumerate(self.arms)}

    def arms_of(self, variable: int) -> IntArray:
        """The numbers of the arms that set this variable alone, by state."""
        return variable * len(self._settable) + np.arange(len(self._settable))

    # ------------------------------------------------------------------ what the learner is told

    @property
    def epsilon(self) -> float:
        """Epsilon of Assumption 2, as told or exact."""
        return self.least_effect if self.told.epsilon is None else self.told.epsilon

    @property
    def reward_gap(self) -> float:
        """Delta of Assumption 3, as told or exact."""
        return self.least_gap if self.told.reward_gap is None else self.told.reward_gap

    @cached_property
    def essential(self) -> PartiallyDirectedGraph:
        """The essential graph, as told or that of `dag`."""
        return essential_graph(self.dag) if self.told.essential is None else self.told.essential

    @property
    def marginals(self) -> FloatArray:
        """P(V = x) without an intervention, as told or exact, shape (variables, states)."""
        return self.exact_marginals if self.told.marginals is None else self.told.marginals

    # ------------------------------------------------------------------ exact quantities

    @cached_property
    def tree(self) -> CliqueTree:
        """Exact inference in the SCM."""
        return CliqueTree(self.scm)

    def _by_variable(self, flat: FloatArray) -> FloatArray:
        """What `tree` returned, shape (variables, states)."""
        return flat.reshape(-1, self.states)[self._place]

    @cached_property
    def exact_marginals(self) -> FloatArray:
        """Exact P(V = x), shape (variables, states)."""
        return self._by_variable(self.tree.marginals)

    def response(self, cause: int, variables: Sequence[int] | IntArray) -> FloatArray:
        """Exact P(Y = y | do(cause = x)), shape (states x, variables Y, states y)."""
        columns = [[self._on(v, y)[cause] for y in np.eye(self.states)] for v in variables]
        return np.moveaxis(np.array(columns).reshape(len(variables), self.states, self.states), 2, 0)

    def _on(self, variable: int, values: FloatArray, do: Mapping[str, int] | None = None) -> FloatArray:
        """Exact E[values[variable] | do(V = x), do] of every V, shape (variables, states)."""
        return self._by_variable(self.tree.effects(self.variables[variable], values, do))

    @cached_property
    def effects(self) -> FloatArray:
        """Exact E[R | do(V = x)], shape (variables, states), for states that no arm sets too."""
        return self._effects({})

    def _effects(self, do: Mapping[str, int]) -> FloatArray:
        found = [self._on(v, np.asarray(m), do) for v, m in zip(self.rewarding, self.rewards.values(), strict=True)]
        return np.asarray(np.sum(found, axis=0))

    @cached_property
    def observational_mean(self) -> float:
        """Exact E[R | do()]."""
        return float(sum(self.exact_marginals[v] @ m for v, m in zip(self.rewarding, self._mean, strict=True)))

    @cached_property
    def _mean(self) -> FloatArray:
        """See `SingleNodeWorld`."""
        return np.array(list(self.rewards.values()), dtype=np.float64)

    @cached_property
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""
        single = self.effects[:, list(self._settable)].ravel()
        joint, effects = [], {}  # effects of all interventions on one more variable, by what else is set
        for a in range(len(single) + 1, len(self.arms)):
            *others, (variable, state) = self.arms[a].items()
            if tuple(others) not in effects:
                effects[tuple(others)] = self._effects(dict(others))
            joint.append(effects[tuple(others)][self._number[variable], state])
        return np.array([*single, self.observational_mean, *joint])

    @cached_property
    def _losses(self) -> FloatArray:
        losses = self.means.max() - self.means
        # A round of an optimal arm costs exactly zero, whatever rounding its mean has had.
        return np.where(losses < 1e-12, 0.0, losses)

    @cached_property
    def _causes(self) -> IntArray:
        return _ancestors(self.scm.compiled, self._place[list(self.rewarding)], np.empty(0, dtype=np.int32))

    @cached_property
    def least_gap(self) -> float:
        """The largest Delta that Assumption 3 holds with.

        It is the least, over ancestors X of reward variables, of the largest abs(E[R | do()] - E[R | do(X = x)]) over
        the states x that arms set.
        """
        gaps = np.abs(self.effects[:, list(self._settable)] - self.observational_mean)
        return float(gaps.max(axis=1)[np.isin(self._place, self._causes)].min())

    @cached_property
    def least_effect(self) -> float:
        """The largest epsilon that Assumption 2 holds with, its ``>`` read as ``>=``; infinite without edges.

        It is the least, over edges X -> Y, of the largest abs(P(Y = y | do(X = x)) - P(Y = y)) over y and the states x
        that arms set.
        """
        return min((float(e) for v in self.variables for e in self._effects_on(v)), default=np.inf)

    def _effects_on(self, variable: str) -> Sequence[float]:
        """The greatest effect of each parent of ``variable`` on it, in the order of its table."""
        parents, table = self.scm.cpt(variable)
        states, now = list(self._settable), self.exact_marginals[self._number[variable]]
        if not parents:
            return ()
        if len(parents) == 1:  # given do of an only parent, the table is the answer
            return (np.abs(np.asarray(table)[states] - now).max(),)
        effects = [self.tree.effects(variable, indicator) for indicator in np.eye(self.states)]
        return [
            max(np.abs(self.tree.of(p, under)[states] - now[y]).max() for y, under in enumerate(effects))
            for p in parents
        ]

    # ------------------------------------------------------------------ playing (see `models.protocol.Bandit`)

    @property
    def uniforms(self) -> int:
        """A key and the reward's noise per round, whatever the number of variables."""
        return 2

    @property
    def measures(self) -> tuple[str, ...]:
        """What is measured of a run beside regret: nothing."""
        return ()

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> SingleNodeWorld:
        """The keys and the noise of ``size`` rounds, from round ``first`` on."""
        draws, n = rng.random((size, 2)), len(self.variables)
        return SingleNodeWorld(
            first,
            self.scm.compiled,
            self._place,
            self.arms.compiled,
            self._causes,
            self._place[list(self.rewarding)],
            self._mean,
            key=(draws[:, 0] * 2.0**53).astype(np.uint64) << np.uint64(11),
            noise=self.sd * ndtri(draws[:, 1]) if self.sd > 0 else np.zeros(size),
            forced=np.full(n, -1, dtype=np.int8),
            values=np.empty(n, dtype=np.int8),
        )

    def regrets(self, world: SingleNodeWorld, arms: IntArray) -> FloatArray:
        """Pseudo-regret of each round, given the arm played in it: the best mean minus the arm's."""
        return self._losses[arms]

    def seen(self, world: SingleNodeWorld, i: int) -> None:
        """Nothing is seen before the arm is chosen."""

    def play(self, world: SingleNodeWorld, i: int, arm: int) -> tuple[dict[str, int], float]:
        """What all variables take in round ``i`` of ``world`` under ``arm``, and the reward."""
        reward = float(draw(world, i, arm, np.arange(len(self.variables))))
        return dict(zip(self.scm.variables, world.values.tolist(), strict=True)), reward
