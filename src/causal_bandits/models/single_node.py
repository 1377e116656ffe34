"""The bandit of lu2021: arms set single nodes of a large sparse graph; the reward is Gaussian."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise, product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.special import ndtri

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.checks import COUNT, FINITE, NOT_NEGATIVE, POSITIVE, Interval, check
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.essential import essential_graph
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.models.arms import Arms
from causal_bandits.models.clique_tree import CliqueTree
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.protocol import Bandit, pseudo_regrets
from causal_bandits.models.single_node_worlds import SingleNodeWorld, ancestors, draw


class Told(NamedTuple):
    """Knowledge that the learner is given before the first round; None means the truth.

    Attributes
    ----------
    epsilon, reward_gap : float or None
        epsilon of Assumption 2 and Delta of Assumption 3.
    essential : PartiallyDirectedGraph or None
    marginals : float64 array, shape (variables, states), or None
        P(V = x) without an intervention.
    sd : float or None
        The standard deviation that the learner is told for the reward of any one arm, > 0, including the variation
        of X_R.
    """

    epsilon: float | None = None
    reward_gap: float | None = None
    essential: PartiallyDirectedGraph | None = None
    marginals: FloatArray | None = None
    sd: float | None = None


#: The learner is told the truth.
TRUTH = Told()


@dataclass(frozen=True, eq=False)
class SingleNodeBandit:
    """A bandit whose arms set single variables of an SCM, or none, and whose reward is Gaussian.

    The reward is the sum over v of ``rewards[v][state of v]``, plus N(0, sd^2); lu2021 has one v, the reward-generating
    variable X_R, and several in its Appendix C (L128). Variables are numbered 0 to n - 1 in order of name, not in the
    causal order, which the learner does not know. With all K states settable, arm ``i * K + x`` is do(variable i = x),
    and arm ``n * K`` is do().

    Parameters
    ----------
    scm : DiscreteSCM
        Without hidden variables (Assumption 1); all variables have K states.
    rewards : mapping from str to sequence of float
        The amount that each state of each reward variable adds to the mean.
    sd : float
        >= 0.
    told : Told
    settable : sequence of int, optional
        The states that arms set, ascending; default: all.
    together : int
        The largest number of variables that an arm sets; 2 or more for Appendix C, in small problems only.

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
            raise ValueError(
                f"variables with {cardinality.min()} and with {cardinality.max()} states: expected the same K for all"
            )
        if not self.rewards:
            raise ValueError("rewards: no reward variable")
        for variable, values in self.rewards.items():
            if len(values) != self.scm.cardinality(variable):
                raise ValueError(f"rewards of {variable}: expected {self.states} numbers, one per state")
            for state, value in enumerate(values):
                check(f"rewards of {variable}: {state}", value, FINITE)
        check("sd", self.sd, NOT_NEGATIVE)
        check("together", self.together, COUNT)
        if not set(self._settable) <= set(range(self.states)) or list(self._settable) != sorted(set(self._settable)):
            raise ValueError(f"settable {self.settable}: expected states from 0 to {self.states - 1}, ascending")
        check("epsilon", self.told.epsilon, (None, Interval(0, 1, "right")))
        check("reward_gap", self.told.reward_gap, (None, Interval(0, 1, "right")))
        check("told sd", self.told.sd, (None, POSITIVE))
        if self.told.marginals is not None and self.told.marginals.shape != (len(self.variables), self.states):
            shape = (len(self.variables), self.states)
            raise ValueError(f"marginals: shape {self.told.marginals.shape}, expected {shape}")

    def with_told(self, told: Told) -> SingleNodeBandit:
        """Return a copy of this bandit whose learner is told ``told``; both share all exact quantities known so far."""
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
        """K, the number of states of every variable."""
        return int(self.scm.compiled.cardinality[0])

    @property
    def _settable(self) -> Sequence[int]:
        return range(self.states) if self.settable is None else self.settable

    @cached_property
    def _number(self) -> dict[str, int]:
        return {v: i for i, v in enumerate(self.variables)}

    @cached_property
    def rewarding(self) -> tuple[int, ...]:
        """The indices of the reward variables."""
        return tuple(self._number[v] for v in self.rewards)

    @cached_property
    def _place(self) -> IntArray:
        """The index of each variable in the SCM."""
        place = {v: i for i, v in enumerate(self.scm.variables)}
        return np.array([place[v] for v in self.variables], dtype=np.int64)

    @cached_property
    def arms(self) -> Arms:
        """All do(V = x), then do(), then the arms that set two variables, and so on up to ``together``."""
        if self.together == 1:
            return Arms.single(self.scm.variables, self._place, self._settable)
        return Arms(self.scm.variables, self._assignments())

    def _assignments(self) -> Iterator[dict[str, int]]:
        for size in (1, 0, *range(2, self.together + 1)):
            for chosen in combinations(self.variables, size):
                for values in product(self._settable, repeat=size):
                    yield dict(zip(chosen, values, strict=True))

    @property
    def empty(self) -> int:
        """The index of the arm do()."""
        return len(self.variables) * len(self._settable)

    def arm(self, do: Mapping[int, int]) -> int:
        """Return the index of the arm that sets the variables in ``do``, given by index, to their states.

        Raises
        ------
        ValueError
            If there is no such arm.
        """
        if not do:
            return self.empty
        if len(do) == 1:  # without a table of all arms, which takes long to build
            ((variable, state),) = do.items()
            if variable in range(len(self.variables)) and state in self._settable:
                return variable * len(self._settable) + self._settable.index(state)
        number = self._arm_of.get(tuple(sorted(do.items())))
        if number is None:
            raise ValueError(f"no arm sets { ({self.variables[i]: x for i, x in do.items()}) }")
        return number

    @cached_property
    def _arm_of(self) -> dict[tuple[tuple[int, int], ...], int]:
        return {tuple((self._number[v], x) for v, x in arm.items()): a for a, arm in enumerate(self.arms)}

    def arms_of(self, variable: int) -> IntArray:
        """Return the indices of the arms that set this variable alone, by state."""
        return variable * len(self._settable) + np.arange(len(self._settable))

    # ------------------------------------------------------------------ what the learner is told

    @property
    def epsilon(self) -> float:
        """The epsilon of Assumption 2 that the learner is told; by default the exact one."""
        return self.least_effect if self.told.epsilon is None else self.told.epsilon

    @property
    def reward_gap(self) -> float:
        """The Delta of Assumption 3 that the learner is told; by default the exact one."""
        return self.least_gap if self.told.reward_gap is None else self.told.reward_gap

    @property
    def reward_sd(self) -> float:
        """The standard deviation of an arm's reward that the learner is told; by default that of the noise."""
        return self.sd if self.told.sd is None else self.told.sd

    @cached_property
    def essential(self) -> PartiallyDirectedGraph:
        """The essential graph that the learner is told; by default that of `dag`."""
        return essential_graph(self.dag) if self.told.essential is None else self.told.essential

    @property
    def marginals(self) -> FloatArray:
        """P(V = x) without an intervention as told to the learner (by default exact), shape (variables, states)."""
        return self.exact_marginals if self.told.marginals is None else self.told.marginals

    # ------------------------------------------------------------------ exact quantities

    @cached_property
    def tree(self) -> CliqueTree:
        """Exact inference in the SCM."""
        return CliqueTree(self.scm)

    def _by_variable(self, flat: FloatArray) -> FloatArray:
        """Reshape a result of `tree` to (variables, states), with the variables in order of name."""
        return flat.reshape(-1, self.states)[self._place]

    @cached_property
    def exact_marginals(self) -> FloatArray:
        """Exact P(V = x), shape (variables, states)."""
        return self._by_variable(self.tree.marginals)

    def _on(self, variable: int, values: FloatArray, do: Mapping[str, int] | None = None) -> FloatArray:
        """Compute E[values[variable] | do(V = x), do] for every V exactly, shape (variables, states)."""
        return self._by_variable(self.tree.effects(self.variables[variable], values, do))

    @cached_property
    def effects(self) -> FloatArray:
        """Exact E[R | do(V = x)], shape (variables, states); also for states that no arm sets."""
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
        """The field ``mean`` of `SingleNodeWorld`."""
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
        return pseudo_regrets(self.means.max(), self.means)

    @cached_property
    def _causes(self) -> IntArray:
        return ancestors(self.scm.compiled, self._place[list(self.rewarding)], np.empty(0, dtype=np.int32))

    @cached_property
    def _begin(self) -> IntArray:
        """The field ``begin`` of `SingleNodeWorld`: indices of the first variables to draw."""
        begin = np.zeros(len(self.variables), dtype=np.int64)
        if self._is_path:
            begin[self._causes] = np.arange(len(self._causes))
        return begin

    @cached_property
    def _certain(self) -> States:
        """The field ``certain`` of `SingleNodeWorld`.

        The only reward variable has the state to which it is set; along a path, states can follow each other with
        probability 1.
        """
        certain = np.full((len(self.variables), self.states), -1, dtype=np.int8)
        if len(self.rewarding) == 1:
            certain[self._causes[-1]] = np.arange(self.states)
        if self._is_path:
            for cause, effect in reversed(list(pairwise(self._causes.tolist()))):
                table = np.asarray(self.scm.cpt(self.scm.variables[effect]).table)
                is_sure = ((table == 0) | (table == 1)).all(axis=1)
                certain[cause] = np.where(is_sure, certain[effect, table.argmax(axis=1)], -1)
        return certain

    @cached_property
    def _is_path(self) -> bool:
        """Whether there is one reward variable, and its ancestors and it are a path."""
        return len(self.rewarding) == 1 and bool(np.diff(self.scm.compiled.parent_start)[self._causes].max() <= 1)

    @cached_property
    def least_gap(self) -> float:
        """The largest Delta for which Assumption 3 holds.

        It is the minimum, over ancestors X of reward variables, of the largest abs(E[R | do()] - E[R | do(X = x)]) over
        the states x that arms set.
        """
        gaps = np.abs(self.effects[:, list(self._settable)] - self.observational_mean)
        return float(gaps.max(axis=1)[np.isin(self._place, self._causes)].min())

    @cached_property
    def least_effect(self) -> float:
        """The largest epsilon for which Assumption 2, with ``>=`` instead of ``>``, holds.

        It is infinite without edges; otherwise it is the minimum, over edges X -> Y, of the largest abs(P(Y = y |
        do(X = x)) - P(Y = y)) over y and the states x that arms set.
        """
        families = [self.scm.cpt(v) for v in self.variables]
        states, now = list(self._settable), self.exact_marginals
        # Under an intervention on the only parent, the distribution is a row of the table.
        alone = [v for v, (parents, _) in enumerate(families) if len(parents) == 1]
        tables = np.array([families[v].table for v in alone]).reshape(-1, self.states, self.states)
        found = np.abs(tables[:, states] - now[alone, np.newaxis]).max(axis=(1, 2)).tolist()
        for v, (parents, _) in enumerate(families):
            if len(parents) > 1:
                effects = [self.tree.effects(self.variables[v], indicator) for indicator in np.eye(self.states)]
                changes = [
                    [np.abs(self.tree.of(p, e)[states] - m).max() for e, m in zip(effects, now[v], strict=True)]
                    for p in parents
                ]
                found += np.max(changes, axis=1).tolist()
        return min(found, default=np.inf)

    # ------------------------------------------------------------------ playing (see `models.protocol.Bandit`)

    @property
    def uniforms(self) -> int:
        """Two numbers per round, for the key and the reward's noise, however many variables there are."""
        return 2

    @property
    def reward_range(self) -> tuple[float, float]:
        """The sums of the smallest and of the largest amounts of all reward variables; infinite with noise."""
        if self.sd > 0:
            return -np.inf, np.inf
        # Added one after another, as in a round, so that rounding puts no reward outside the range.
        return float(sum(self._mean.min(axis=1))), float(sum(self._mean.max(axis=1)))

    def worlds(self, first: int, size: int, rng: np.random.Generator) -> SingleNodeWorld:
        """Draw the keys and the noise of ``size`` rounds, from round ``first`` on."""
        draws, n = rng.random((size, 2)), len(self.variables)
        return SingleNodeWorld(
            first,
            self.scm.compiled,
            self._place,
            self.arms.compiled,
            self._causes,
            self._begin,
            self._certain,
            self._place[list(self.rewarding)],
            self._mean,
            key=(draws[:, 0] * 2.0**53).astype(np.uint64) << np.uint64(11),
            noise=self.sd * ndtri(draws[:, 1]) if self.sd > 0 else np.zeros(size),
            forced=np.full(n, -1, dtype=np.int8),
            values=np.empty(n, dtype=np.int8),
        )

    def regrets(self, world: SingleNodeWorld, arms: IntArray) -> FloatArray:
        """Return the pseudo-regret of each round: the best mean minus the mean of the arm played."""
        return self._losses[arms]

    def seen(self, world: SingleNodeWorld, i: int) -> None:
        """Return None: nothing is seen before the arm is chosen."""

    def play(self, world: SingleNodeWorld, i: int, arm: int) -> tuple[dict[str, int], float]:
        """Play ``arm`` in round ``i`` of ``world``; return all variables' states and the reward."""
        reward = float(draw(world, i, arm, np.arange(len(self.variables))))
        return dict(zip(self.scm.variables, world.values.tolist(), strict=True)), reward


if TYPE_CHECKING:  # mypy checks the protocol
    _: type[Bandit[SingleNodeWorld]] = SingleNodeBandit
