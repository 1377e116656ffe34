"""The bandit of lu2021: interventions on single nodes of a large sparse causal graph, with a Gaussian reward.

A round's world holds one random key. A variable's own uniform number is a function of the key and the variable, so it
is fixed before an arm is chosen and is computed only if somebody looks: a round costs as many variables as the reward
and what a policy watches depend on, not as many as there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from causal_bandits.compiled import inlined, jit
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.models.arms import Arms, Assignments, force, release
from causal_bandits.models.clique_tree import CliqueTree
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.sampling import CompiledSCM, row_of

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class SingleNodeWorld(NamedTuple):
    """Some rounds, drawn before any arm is chosen, for compiled loops (see `play_round`).

    Attributes
    ----------
    first : int
        The number of the first of these rounds in its run.
    scm : CompiledSCM
    arms : Assignments
    causes : int64 array
        The reward variables' ancestors, themselves included, causes before effects: what the reward depends on.
    reward : int64 array, shape (reward variables,)
        Their numbers.
    mean_start : int64 array, shape (reward variables,)
        Where the states of each begin in ``mean``.
    mean : float64 array
        What each state adds to the mean reward.
    key : uint64 array, shape (rounds,)
    noise : float64 array, shape (rounds,)
        What is added to each round's reward.
    forced, values : int8 arrays, shape (variables,)
        Room for `play_round`: -1 everywhere between rounds; what the variables looked at took in the round played last.
    """

    first: int
    scm: CompiledSCM
    arms: Assignments
    causes: IntArray
    reward: IntArray
    mean_start: IntArray
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
def play_round(world: SingleNodeWorld, i: int, arm: int, looked_at: IntArray) -> float:
    """Play ``arm`` in round ``i`` of ``world``; the reward.

    Parameters
    ----------
    world : SingleNodeWorld
        Its ``values`` then hold the states of the variables looked at.
    i, arm : int
    looked_at : int64 array
        The variables whose states are wanted, causes before effects: all reward variables, and the parents of each that
        the arm does not set (see `SingleNodeBandit.looked_at`). ``world.causes`` where the reward alone is of interest.
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
    for r in range(len(world.reward)):
        reward += world.mean[world.mean_start[r] + values[world.reward[r]]]
    return reward  # type: ignore[no-any-return]


@dataclass(frozen=True, eq=False)
class SingleNodeBandit:
    """A bandit whose arms set single variables of an SCM, or none, and whose reward is Gaussian.

    The reward is the sum over v of ``rewards[v][state of v]``, plus N(0, sd^2); lu2021 has one v, the reward generating
    variable X_R, and several in its Appendix C. The arms are do(), then do(V = x) of all variables and states, in the
    order of the SCM's variables, causes before effects.

    Parameters
    ----------
    scm : DiscreteSCM
        Without hidden variables (Assumption 1).
    rewards : mapping from str to sequence of float
        What each state of each reward variable adds to the mean.
    sd : float
        >= 0.
    epsilon, delta : float, optional
        What the learner is told: the least effect of an edge (Assumption 2) and of an ancestor on the reward
        (Assumption 3). Default: the exact ones, `least_effect` and `least_gap`.
    essential : PartiallyDirectedGraph, optional
        The essential graph that the learner is told, where it is not that of the SCM's graph.
    probabilities : float64 array, optional
        P(V = x) as the learner is told it, flat as `marginals`, where it is not exact.
    settable : sequence of int, optional
        The states that arms set; default: all.
    together : int
        How many variables an arm may set at most; 2 or more for Appendix C, in small problems only.

    Raises
    ------
    ValueError
        If the SCM has hidden variables, a reward variable is unknown or its values are too few, or a number is out of
        range.
    """

    scm: DiscreteSCM
    rewards: Mapping[str, Sequence[float]]
    sd: float = 1.0
    epsilon: float | None = None
    delta: float | None = None
    essential: PartiallyDirectedGraph | None = None
    probabilities: FloatArray | None = None
    settable: tuple[int, ...] | None = None
    together: int = 1

    def __post_init__(self) -> None:
        if self.scm.hidden:
            raise ValueError(f"hidden variables: {', '.join(self.scm.hidden)}; all must be observed")
        if not self.rewards:
            raise ValueError("rewards: no reward variable")
        for variable, values in self.rewards.items():
            if len(values) != self.scm.cardinality(variable):
                raise ValueError(f"rewards of {variable}: expected {self.scm.cardinality(variable)}, one per state")
        if self.sd < 0 or self.together < 1:
            raise ValueError(f"sd={self.sd}, together={self.together}: expected sd >= 0 and together >= 1")
        for name, told in (("epsilon", self.epsilon), ("delta", self.delta)):
            if told is not None and not 0 < told <= 1:
                raise ValueError(f"{name}={told}: expected a number above 0 and at most 1")
        if self.probabilities is not None and self.probabilities.shape != self.marginals.shape:
            raise ValueError(f"probabilities: shape {self.probabilities.shape}, expected {self.marginals.shape}")

    # ------------------------------------------------------------------ variables and arms

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each variable: its place in ``scm.variables``."""
        return {v: i for i, v in enumerate(self.scm.variables)}

    @cached_property
    def state_start(self) -> IntArray:
        """Where the states of each variable begin in flat arrays, shape (variables + 1,)."""
        return np.concatenate([[0], np.cumsum(self.scm.compiled.cardinality)])

    @cached_property
    def arms(self) -> Arms:
        """The empty intervention, then all others by number of variables, the last one's states changing fastest."""
        return Arms(self.scm.variables, self._assignments())

    def _assignments(self) -> Iterator[dict[str, int]]:
        for size in range(self.together + 1):
            for chosen in combinations(self.scm.variables, size):
                for values in product(*(self._settable(v) for v in chosen)):
                    yield dict(zip(chosen, values, strict=True))

    def _settable(self, variable: str) -> Iterable[int]:
        return range(self.scm.cardinality(variable)) if self.settable is None else self.settable

    @cached_property
    def _arm_of(self) -> dict[tuple[tuple[str, int], ...], int]:
        return {tuple(arm.items()): i for i, arm in enumerate(self.arms)}

    def arm(self, do: Mapping[str, int]) -> int:
        """The number of the arm that sets just these variables.

        Raises
        ------
        ValueError
            If there is none.
        """
        key = tuple(sorted(do.items(), key=lambda pair: self.number[pair[0]]))
        if key not in self._arm_of:
            raise ValueError(f"no arm sets {dict(do)}")
        return self._arm_of[key]

    def arms_of(self, variable: str) -> list[int]:
        """The numbers of the arms that set ``variable`` alone, by state."""
        return [self.arm({variable: x}) for x in self._settable(variable)]

    @cached_property
    def single_arms(self) -> IntArray:
        """The numbers of all arms do(V = x): the nK actions of lu2021, Section 3.2."""
        lengths = np.diff(self.arms.compiled.start)
        return np.flatnonzero(lengths == 1)

    def looked_at(self, watched: Iterable[int], arm: int) -> IntArray:
        """What has to be drawn, under ``arm``, to know the reward and the states of ``watched``.

        Parameters
        ----------
        watched : iterable of int
            Numbers of variables.
        arm : int

        Returns
        -------
        int64 array
            Numbers of variables, causes before effects: for `play_round`.
        """
        world_arms = self.arms.compiled
        cut = world_arms.variable[world_arms.start[arm] : world_arms.start[arm + 1]].astype(np.int64)
        targets = np.array([*(self.number[v] for v in self.rewards), *watched], dtype=np.int64)
        return _ancestors(self.scm.compiled, targets, cut)

    # ------------------------------------------------------------------ exact quantities

    @cached_property
    def tree(self) -> CliqueTree:
        """Exact inference in the SCM."""
        return CliqueTree(self.scm)

    @cached_property
    def marginals(self) -> FloatArray:
        """Exact P(V = x), flat: the states of variable ``i`` at ``state_start[i]`` to ``state_start[i + 1]``."""
        return self.tree.marginals

    @cached_property
    def effects(self) -> FloatArray:
        """Exact E[R | do(V = x)], flat as `marginals`, for states that no arm sets too."""
        return self._effects({})

    def _effects(self, do: Mapping[str, int]) -> FloatArray:
        return sum((self.tree.effects(v, values, do) for v, values in self.rewards.items()), np.zeros(1))

    @cached_property
    def observational_mean(self) -> float:
        """Exact E[R | do()]."""
        return float(sum(self.tree.of(v, self.marginals) @ np.asarray(m, float) for v, m in self.rewards.items()))

    @cached_property
    def means(self) -> FloatArray:
        """Exact expected reward of each arm, shape (arms,)."""
        arms = self.arms.compiled
        means = np.empty(len(self.arms))
        means[0] = self.observational_mean
        effects = {(): self.effects}  # of all interventions on one more variable, by what else is set
        for i in range(1, len(means)):
            pairs = [(arms.variable[e], arms.state[e]) for e in range(arms.start[i], arms.start[i + 1])]
            others = tuple((int(v), int(x)) for v, x in pairs[:-1])
            if others not in effects:
                effects[others] = self._effects({self.scm.variables[v]: x for v, x in others})
            variable, state = pairs[-1]
            means[i] = effects[others][self.state_start[variable] + state]
        return means

    @cached_property
    def _losses(self) -> FloatArray:
        losses = self.means.max() - self.means
        # A round of an optimal arm costs exactly zero, whatever rounding its mean has had.
        return np.where(losses < 1e-12, 0.0, losses)

    @cached_property
    def causes(self) -> IntArray:
        """The reward variables' ancestors, themselves included, causes before effects."""
        return self.looked_at((), 0)

    @cached_property
    def least_gap(self) -> float:
        """The largest Delta of Assumption 3: over ancestors X of a reward variable, the least
        max over x of abs(E[R | do()] - E[R | do(X = x)]); x are states that arms set.
        """  # noqa: D205
        gaps = np.abs(self.effects - self.observational_mean)
        return min(
            max(gaps[self.state_start[v] + x] for x in self._settable(self.scm.variables[v])) for v in self.causes
        )

    @cached_property
    def least_effect(self) -> float:
        """The largest epsilon that Assumption 2 holds for with >=: over edges X -> Y, the least
        max over x and y of abs(P(Y = y | do(X = x)) - P(Y = y)); x are states that arms set. Infinite without edges.
        """  # noqa: D205
        return min((float(e) for v in self.scm.variables for e in self._effects_on(v)), default=np.inf)

    def _effects_on(self, variable: str) -> Sequence[float]:
        """The greatest effect of each parent of ``variable`` on it, in the order of its table."""
        parents, table = self.scm.cpt(variable)
        states = [list(self._settable(p)) for p in parents]
        now = self.tree.of(variable, self.marginals)
        if not parents:
            return ()
        if len(parents) == 1:  # given do of an only parent, the table is the answer
            return (np.abs(np.asarray(table)[states[0]] - now).max(),)
        effects = [self.tree.effects(variable, indicator) for indicator in np.eye(len(now))]
        return [
            max(np.abs(self.tree.of(p, under)[x] - now[y]).max() for y, under in enumerate(effects))
            for p, x in zip(parents, states, strict=True)
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
        draws, n = rng.random((size, 2)), len(self.scm.variables)
        return SingleNodeWorld(
            first,
            self.scm.compiled,
            self.arms.compiled,
            self.causes,
            *self._reward_table,
            key=(draws[:, 0] * 2.0**53).astype(np.uint64) << np.uint64(11),
            noise=self.sd * ndtri(draws[:, 1]) if self.sd > 0 else np.zeros(size),
            forced=np.full(n, -1, dtype=np.int8),
            values=np.empty(n, dtype=np.int8),
        )

    @cached_property
    def _reward_table(self) -> tuple[IntArray, IntArray, FloatArray]:
        """See `SingleNodeWorld`."""
        sizes = [len(values) for values in self.rewards.values()]
        return (
            np.array([self.number[v] for v in self.rewards]),
            np.concatenate([[0], np.cumsum(sizes)[:-1]]),
            np.concatenate([np.asarray(values, dtype=np.float64) for values in self.rewards.values()]),
        )

    def regrets(self, world: SingleNodeWorld, arms: IntArray) -> FloatArray:
        """Pseudo-regret of each round, given the arm played in it: the best mean minus the arm's."""
        return self._losses[arms]

    def seen(self, world: SingleNodeWorld, i: int) -> None:
        """Nothing is seen before the arm is chosen."""

    def play(self, world: SingleNodeWorld, i: int, arm: int) -> tuple[dict[str, int], float]:
        """What all variables take in round ``i`` of ``world`` under ``arm``, and the reward."""
        reward = float(play_round(world, i, arm, np.arange(len(self.scm.variables))))
        return dict(zip(self.scm.variables, world.values.tolist(), strict=True)), reward


@jit
def _ancestors(scm: CompiledSCM, targets: IntArray, cut: IntArray) -> IntArray:
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
