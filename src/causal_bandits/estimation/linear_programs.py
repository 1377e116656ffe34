"""Sharp bounds on causal effects by linear programs over response functions.

A hidden cause acts on a variable by choosing the function by which it responds to its observed parents. There are
finitely many such response functions, so the models with the given observational distribution form a polytope, on
which the effect is linear: two linear programs find its smallest and largest values.

Sources: Balke & Pearl (1994), "Counterfactual probabilities: computational methods, bounds and applications"; Balke &
Pearl (1997), "Bounds on treatment effects from studies with imperfect compliance"; Tian & Pearl (2002) for the
factorisation by c-components; Sachs, Jonzon, Sjölander & Gabriel (2023), "A general method for deriving tight symbolic
bounds on causal effects", for the class of linear problems.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import chain, combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.sparse import block_diag, csr_array, eye_array, hstack, vstack

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.errors import CausalBanditsError
from causal_bandits.estimation.confident_bounds import check_confidence, share_limits
from causal_bandits.estimation.count_tables import Table, limits, multiplied, ratio
from causal_bandits.estimation.natural import natural_bounds
from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.graphs.exchange import as_admg
from causal_bandits.identification.c_factors import NotIdentifiable, c_factor, identify_c_factor
from causal_bandits.identification.expression import Expression, Probability, Product, Value

#: The maximum number of joint response functions, the columns of a program.
LIMIT = 20_000


class NotLinear(CausalBanditsError):
    """The bounds on this effect are not given by a single linear program, or the program is too large."""


class ContradictedGraph(CausalBanditsError):
    """No model of the graph has the given distribution or one within its confidence limits."""


@dataclass(frozen=True)
class LinearProgramBounds:
    """Bounds on P(y | do(x), c) by linear programs over response functions (Balke & Pearl 1994, 1997).

    By ID, P_x(y, c) is a sum of products of c-factors. Those that the data do not determine must belong to one
    c-component T of the graph of the ancestors of outcome and context. The joint distribution q of the response
    functions of T is unknown; the data require that q yields T's c-factor Q[T].

    Parameters
    ----------
    graph : ADMG
        Without a selection node.
    treatment, context : sequence of str
        X (not empty) and C (empty for the problem without contexts), which X does not affect.
    outcome : str
        Y.
    limit : int
        The maximum number of joint response functions.

    Raises
    ------
    ValueError
        If a name is not in the graph, the sets overlap, X is empty, or C contains an effect of X.
    NotLinear
        If c-factors of two c-components are not identifiable: then the effect is not linear in q.
    """

    graph: ADMG
    _: KW_ONLY
    treatment: Sequence[str]
    context: Sequence[str]
    outcome: str
    limit: int = LIMIT

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", as_admg(self.graph))
        for name in ("treatment", "context"):
            given = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))
        x, c, _ = named_sets(self.graph, treatment=self.treatment, context=self.context, outcome=self.outcome)
        if not x:
            raise ValueError("treatment: no variable given")
        affected = c & self.graph.descendants(x)
        if affected:
            raise ValueError(f"context: {listing(affected)}: effects of the treatment; expected none")
        self._parts  # noqa: B018 (raises NotLinear)

    # ------------------------------------------------------------------ what follows from the graph

    @cached_property
    def _relevant(self) -> ADMG:
        """The graph of the ancestors of outcome and context: nothing else affects P_x(y, c)."""
        return self.graph.subgraph(self.graph.ancestors({self.outcome, *self.context}))

    @cached_property
    def _parts(self) -> _Parts:
        """The c-factors of P_x(y, c): formulas, and the members of those that have none."""
        graph = self._relevant
        free = graph.subgraph(frozenset(graph.nodes).difference(self.treatment))
        needed = free.subgraph(free.ancestors({self.outcome, *self.context}))
        formulas, confounded = dict[frozenset[str], Expression](), set[frozenset[str]]()
        for component in needed.c_components():
            around = graph.c_component(component)
            try:
                q_around = c_factor(graph, around, frozenset(graph.nodes))
                formulas[component] = identify_c_factor(graph, component, around, q_around)
            except NotIdentifiable:
                confounded.add(around)
        if len(confounded) > 1:
            parts = "; ".join(sorted(listing(around) for around in confounded))
            raise NotLinear(
                f"P({self.outcome} | do({listing(self.treatment)})) is not linear in the unknowns: it depends on the "
                f"hidden causes of several groups of variables ({parts})"
            )
        group = next(iter(confounded), frozenset[str]())
        # An identifiable c-factor within T is not a weight: its response functions and the others' may be dependent.
        weights = tuple(formula for component, formula in formulas.items() if not component <= group)
        return _Parts(weights, group & frozenset(needed.nodes), group, frozenset(needed.nodes))

    @property
    def identified(self) -> bool:
        """Whether the data determine the effect; both bounds are then equal."""
        return not self._parts.unknown

    @cached_property
    def _completed(self) -> LinearProgramBounds | None:
        """The effect in a graph with more edges, and so fewer assumptions; None if it is not identified there.

        Variables that the treatment does not affect get edges from all variables before them. Formulas then weight
        strata by their own frequencies instead of products of frequencies, so fewer strata of positive weight have no
        units.
        """
        graph, affected = self._relevant, self.graph.descendants(self.treatment)
        before = [v for v in graph.topological_order if v not in affected]
        graph = ADMG({*graph.directed, *combinations(before, 2)}, graph.bidirected, self.graph.nodes)
        try:
            completed = LinearProgramBounds(
                graph, treatment=self.treatment, context=self.context, outcome=self.outcome, limit=self.limit
            )
        except NotLinear:
            return None
        return completed if completed.identified else None

    @property
    def sharp(self) -> bool:
        """Whether no narrower bounds are valid, given the distribution of the ancestors of outcome and context.

        The bounds are sharp if any two variables of the c-component T share a hidden cause. Otherwise the programs
        allow a cause of all of them, which the graph does not have, and the bounds are valid but may be wider than
        necessary.
        """
        return all(b in self._relevant.spouses(a) for a, b in combinations(self._parts.confounded, 2))

    @cached_property
    def _outside(self) -> tuple[str, ...]:
        """The parents of T outside T."""
        confounded = self._parts.confounded
        return tuple(sorted(self._relevant.parents(confounded) - confounded))

    def _fixed(self, size: dict[str, int]) -> tuple[str, ...]:
        """Choose the parents F such that solving a separate program for each joint state of F loses nothing.

        For every variable of T, either all of F are among its parents, or all its parents are in F. Then the
        distributions of response functions for two states of F need to agree only on variables of the second kind,
        whose response to F the data determine.
        """
        parents = [self._relevant.parents(v) for v in sorted(self._parts.confounded)]
        groups = chain.from_iterable(combinations(parents, n) for n in range(1, len(parents) + 1))
        shared = {frozenset(self._outside).intersection(*group) for group in groups} | {frozenset[str]()}
        splits = [tuple(sorted(f)) for f in shared if all(p >= f or p <= f for p in parents)]
        return min(splits, key=lambda f: (self._columns(f, size), f))

    def _columns(self, fixed: Sequence[str], size: dict[str, int]) -> int:
        """Count the joint response functions that are left once the parents F are fixed."""
        kept = {v: self._relevant.parents(v).difference(fixed) for v in self._parts.confounded}
        logs = sum(prod(size[p] for p in parents) * np.log2(size[v]) for v, parents in kept.items())
        exact = prod(size[v] ** prod(size[p] for p in parents) for v, parents in kept.items()) if logs < 60 else 2**60
        return int(exact)

    # ------------------------------------------------------------------ bounds from a table

    def bounds(
        self, joint: ArrayLike, variables: Sequence[str], confidence: float | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Compute lower and upper bounds on P(Y=y | do(x), c) for every state y.

        Parameters
        ----------
        joint : array, one axis per variable
            P(v), or counts.
        variables : sequence of str
            The axes: all nodes of the graph, in any order.
        confidence : float, optional
            In (0, 1): then ``joint`` holds counts of independent units, and all bounds hold at once with at least this
            probability. The c-factor Q[T] is then known within exact confidence limits of proportions (Clopper and
            Pearson 1934), among which the error is split. By default the frequencies are treated as the probabilities.

        Returns
        -------
        lower, upper : arrays, shape (states of context 1, ..., states of treatment 1, ..., states of Y)
            In [0, 1]. Where the table has no unit in a cell that a formula needs, the probabilities in that cell may be
            anything, and the bounds are at most as wide as natural bounds; `Solution.gaps` lists such cells.

        Raises
        ------
        ValueError
            As in `BCE.bounds`; or if there is no finite-sample statement for this graph (the message says why).
        NotLinear
            If there are more joint response functions than the limit.
        ContradictedGraph
            If no model of the graph has a distribution within the limits. Without ``confidence`` the nearest
            distribution of a model is used (in the sum of absolute differences): `misfit` measures how far it is.
        """
        found = self.solve(joint, variables, confidence)
        return found.lower, found.upper

    def solve(self, joint: ArrayLike, variables: Sequence[str], confidence: float | None = None) -> Solution:
        """Compute bounds on the effect, and how far the table is from the distribution to which they apply."""
        table = Table.checked(joint, variables, self.graph.nodes)
        if confidence is not None:
            self._check_confident(confidence, table)
        solution = self._identified_effect(table) if self.identified else self._solver(table, confidence).solve()
        if not solution.gaps:
            return solution
        if self.identified and (completed := self._completed) is not None:
            other = completed._identified_effect(table)
            if (other.upper - other.lower).sum() < (solution.upper - solution.lower).sum():
                solution = other
        low, high = natural_bounds(
            joint, variables, treatment=self.treatment, context=self.context, outcome=self.outcome
        )
        gaps = solution.lower < solution.upper if self.identified else np.ones(low.shape, dtype=bool)
        lower, upper = (np.where(gaps, np.clip(end, low, high), end) for end in solution[:2])
        return solution._replace(lower=lower, upper=upper)

    def misfit(self, joint: ArrayLike, variables: Sequence[str]) -> float:
        """Measure how far the table is from the nearest distribution of a model of the graph; 0 if the graph fits.

        The distance is the sum of absolute differences of probabilities of T given its other parents, over all their
        states; with several programs, it is the largest such sum. For identified effects, which restrict nothing here,
        it is 0. Parameters are those of `bounds`.
        """
        table = Table.checked(joint, variables, self.graph.nodes)
        return 0.0 if self.identified else self._solver(table, None).misfit()

    def _solver(self, table: Table, confidence: float | None) -> _Solver:
        size = dict(zip(self.graph.nodes, table.shape(self.graph.nodes), strict=True))
        fixed = self._fixed(size)
        if (columns := self._columns(fixed, size)) > self.limit:
            raise NotLinear(
                f"{columns if columns < 2**60 else 'more than 10^18'} joint response functions of "
                f"{listing(self._parts.confounded)}; expected at most {self.limit}"
            )
        return _Solver(self, table, size, fixed, confidence)

    def _check_confident(self, confidence: float, table: Table) -> None:
        check_confidence(confidence, table)
        if self.identified:
            raise ValueError("confidence: the effect is identified by a formula, which has no confidence limits")
        confounded, graph = self._parts.confounded, self._relevant
        later = graph.descendants(confounded) & frozenset(self._outside)
        if later:
            raise ValueError(f"confidence: {listing(later)} is both a cause and an effect of {listing(confounded)}")
        unknown, known = self._parts.unknown, {*self.treatment, *self.context}
        if mixed := unknown & known:
            raise ValueError(f"confidence: the context {listing(mixed)} shares hidden causes with {self.outcome}")
        weighing = graph.parents(unknown) - unknown - known
        if weighing or self.outcome not in unknown:
            raise ValueError(
                f"confidence: the bounds weight the states of {listing(weighing) or 'other variables'} by their "
                "probabilities, for which there are no confidence limits; make them part of the context"
            )

    def _identified_effect(self, table: Table) -> Solution:
        weights = _weights(self, table, frozenset())
        known = weights.low.sum(axis=-1, keepdims=True)
        whole = np.maximum(known, self._context_weights(table))
        lower = np.where(weights.open, ratio(weights.low, whole), ratio(weights.low, known))
        upper = np.where(weights.open, 1.0 - ratio(known - weights.low, whole), lower)
        shape = table.shape(_axes(self, frozenset()))
        lower, upper = np.nan_to_num(lower, nan=0.0), np.nan_to_num(upper, nan=1.0)
        return Solution(np.broadcast_to(lower, shape).copy(), np.broadcast_to(upper, shape).copy(), 0.0, weights.gaps)

    def _context_weights(self, table: Table) -> FloatArray:
        """Compute P(c), with axes of length one for treatment and outcome."""
        context = self._relevant.ancestors(self.context)
        formula = c_factor(self._relevant, context, context)
        found = _summed([formula], table, context, list(self.context)).low
        return found.reshape([*found.shape, *[1] * (len(self.treatment) + 1)])


class Gap(NamedTuple):
    """Cells of a formula that contain no unit, though the effect depends on them.

    Attributes
    ----------
    formula : Expression
        The factor whose value is unknown there.
    variables : tuple of str
    states : int64 array, shape (cells, variables)
    """

    formula: Expression
    variables: tuple[str, ...]
    states: IntArray


class Solution(NamedTuple):
    """The bounds computed from a table.

    Attributes
    ----------
    lower, upper : float64 arrays, shape (states of context 1, ..., states of treatment 1, ..., states of Y)
    misfit : float
        See `LinearProgramBounds.misfit`; here for the programs that had to be solved.
    gaps : tuple of Gap
        Empty if everything that the formulas need is known.
    """

    lower: FloatArray
    upper: FloatArray
    misfit: float
    gaps: tuple[Gap, ...] = ()


class _Parts(NamedTuple):
    formulas: tuple[Expression, ...]  #: of the c-factors outside T
    unknown: frozenset[str]  #: the members of c-factors in T
    confounded: frozenset[str]  #: T, empty if the effect is identified
    needed: frozenset[str]  #: the members of all c-factors


#: Sums of distances up to this size are rounding errors; HiGHS's own tolerance is 1e-7.
_EXACT = 1e-6

#: The approximate number of columns solved in one call.
_COLUMNS = 20_000


class _Sums(NamedTuple):
    """A sum of products of formulas: one axis per variable, of length one if the sum does not depend on it."""

    low: FloatArray  #: the smallest possible sum, if terms without units may be any probability
    high: FloatArray  #: the largest possible sum, or an upper bound on it; equals ``low`` where the sum is known
    gaps: tuple[Gap, ...]

    @property
    def open(self) -> BoolArray:
        """Whether the sum is not known for some state of the last axis."""
        return np.broadcast_to((self.low < self.high).any(axis=-1, keepdims=True), self.low.shape)


def _weights(problem: LinearProgramBounds, table: Table, keep: frozenset[str]) -> _Sums:
    """Multiply the formulas, and sum over the variables that are not among the axes; see `_axes`."""
    return _summed(problem._parts.formulas, table, problem._parts.needed, _axes(problem, keep))


def _axes(problem: LinearProgramBounds, keep: frozenset[str]) -> list[str]:
    """List the context and the treatment, then the rest of ``keep`` in sorted order, then the outcome."""
    named = [*problem.context, *problem.treatment]
    return [*named, *sorted(keep.difference(named, [problem.outcome])), problem.outcome]


def _summed(formulas: Sequence[Expression], table: Table, members: frozenset[str], axes: list[str]) -> _Sums:
    """Multiply formulas, and sum over the ``members`` that are not axes.

    Variables on which a formula depends besides ``members`` and ``axes`` may have any value. The first one for which
    the sum is known is used, or else the one for which most of the sum is known.
    """
    factors = [factor for f in formulas for factor in (f.factors if isinstance(f, Product) else (f,))]
    order = [Value(v) for v in (*axes, *sorted(members.difference(axes)))]
    summed = tuple(range(len(axes), len(order)))
    found = [limits(factor, table) for factor in factors]
    order += sorted({v for values, _, _ in found for v in values}.difference(order))  # any value
    place = {v: i for i, v in enumerate(order)}
    low = high = np.ones([1] * len(order))
    parts = []
    for values, *ends in found:
        size = [1] * len(order)
        for v, n in zip(values, ends[0].shape, strict=True):
            size[place[v]] = n
        at = sorted(range(len(values)), key=lambda i, values=values: place[values[i]])  # type: ignore[misc]
        parts.append(tuple(end.transpose(at).reshape(size) for end in ends))
        low, high = multiplied(low, parts[-1][0]), multiplied(high, parts[-1][1])
    least, most = low.sum(axis=summed), high.sum(axis=summed)
    if least.ndim > len(axes):  # choose the state of the variables that may have any value
        least, most = (end.reshape(*end.shape[: len(axes)], -1) for end in (least, most))
        unknown = (least < most).any(axis=-2, keepdims=True)
        missing = np.where(unknown, 2.0 - least.sum(axis=-2, keepdims=True), 0.0)
        best = np.broadcast_to(missing.argmin(axis=-1)[..., None], (*least.shape[:-1], 1))
        least, most = (np.take_along_axis(end, best, axis=-1)[..., 0] for end in (least, most))
    gaps = [
        gap
        for factor, (least, most) in zip(factors, parts, strict=True)
        if (gap := _gap(factor, order, (least < most) & (high > 0), least.shape)) is not None
    ]
    return _Sums(least, most, tuple(gaps) if (least < most).any() else ())


def _gap(factor: Expression, order: Sequence[Value], empty: BoolArray, shape: tuple[int, ...]) -> Gap | None:
    """Find the cells of a factor that the array ``empty`` marks; its axes are the values of ``order``."""
    values = (factor.given if isinstance(factor, Probability) else factor.free).intersection(order)
    axes = [i for i, v in enumerate(order) if v in values and shape[i] > 1]
    cells = np.argwhere(empty.any(axis=tuple(i for i in range(len(order)) if i not in axes)))
    return Gap(factor, tuple(order[i].variable for i in axes), cells) if len(cells) else None


class _Solver:
    """The linear programs for one table."""

    def __init__(
        self,
        problem: LinearProgramBounds,
        table: Table,
        size: dict[str, int],
        fixed: tuple[str, ...],
        confidence: float | None,
    ) -> None:
        graph, parts = problem._relevant, problem._parts
        self.problem, self.size, self.fixed, self.confidence = problem, size, fixed, confidence
        self.unknown = sorted(parts.unknown)
        self.members = [v for v in graph.topological_order if v in parts.confounded]
        self.parents = {v: sorted(graph.parents(v).difference(fixed)) for v in self.members}
        self.varying = [v for v in problem._outside if v not in fixed]
        counts = [size[v] ** prod(size[p] for p in self.parents[v]) for v in self.members]
        #: The number of joint response functions, and the function that each of them assigns to each member.
        self.columns = prod(counts)
        self.function = dict(zip(self.members, np.unravel_index(np.arange(self.columns), counts), strict=True))
        self.low, self.high = self._limits(table, confidence)
        self.axes = _axes(problem, parts.unknown | graph.parents(parts.unknown))
        self.context_weights = problem._context_weights(table)
        if confidence is None:
            self.weights = _weights(problem, table, parts.unknown | graph.parents(parts.unknown))
        else:  # then the weights are P(c)
            of_context = self.context_weights.shape[: len(problem.context)]
            weights = self.context_weights.reshape([*of_context, *[1] * (len(self.axes) - len(of_context))])
            self.weights = _Sums(weights, weights, ())

    def _limits(self, table: Table, confidence: float | None) -> tuple[FloatArray, FloatArray]:
        """Find the limits of Q[T] for each joint state of the other parents; axes: outside parents, members."""
        order = [*self.fixed, *self.varying, *self.members]
        members = tuple(range(len(order) - len(self.members), len(order)))
        if confidence is None:
            graph = self.problem._relevant
            formula = c_factor(graph, frozenset(self.members), frozenset(graph.nodes))
            known = _summed([formula], table, frozenset(order), order)
            low, high = (np.broadcast_to(array, [self.size[v] for v in order]) for array in known[:2])
            rest = np.maximum(1.0 - low.sum(axis=members, keepdims=True), 0.0)
            return low, np.where(low < high, np.minimum(high, low + rest), low)
        cells = table.marginal(order)
        units = cells.sum(axis=members, keepdims=True)
        return share_limits(cells, units - cells, (1 - confidence) / (2 * cells.size))

    # ------------------------------------------------------------------ what joint response functions do

    def _states_under(self, given: dict[str, int], forced: Sequence[str]) -> dict[str, IntArray]:
        """Return each member's state under every joint response function, shape (columns,).

        ``given`` has the states of the other parents, and those that ``forced`` members are set to.
        """
        states: dict[str, IntArray] = {}
        for v in self.members:
            if v in forced:
                states[v] = np.full(self.columns, given[v])
                continue
            row, rows = np.zeros(self.columns, dtype=np.int64), 1
            for p in self.parents[v]:
                row = row * self.size[p] + (states[p] if p in states else given[p])
                rows *= self.size[p]
            states[v] = self.function[v] // self.size[v] ** (rows - 1 - row) % self.size[v]
        return states

    # ------------------------------------------------------------------ programs

    def misfit(self) -> float:
        """Return the largest misfit of the programs."""
        found = max(self._program(fixed).nearest()[1] for fixed in _states(self.fixed, self.size))
        return found if found > _EXACT else 0.0

    def solve(self) -> Solution:
        """Solve all programs.

        Where a weight is not known, its known part is a lower bound, and so is the smallest expectation of the goal.
        The upper bound is then P(c) minus the smallest expectation for the other states of the outcome.
        """
        problem, size = self.problem, self.size
        named = (*problem.context, *problem.treatment)
        shape = [size[v] for v in (*named, problem.outcome)]
        lower, upper, misfit = np.zeros(shape), np.zeros(shape), 0.0
        open_, others = np.zeros(shape, dtype=bool), np.zeros(shape)
        for fixed in _states(self.fixed, size):
            cells, goals = [], []
            for cell in np.ndindex(*shape):
                target = dict(zip((*named, problem.outcome), cell, strict=True))
                wanted = cell[-1] > 0 or shape[-1] != 2 or self.weights.open.any()
                if wanted and all(target.get(v, state) == state for v, state in fixed.items()):
                    goal, unknown = self._goal(target, fixed)
                    open_[cell] |= unknown
                    cells.append(cell)
                    goals.append(goal)
            program = self._program(fixed)
            for cell, (low, high) in zip(cells, program.extremes(goals), strict=True):
                lower[cell] += low
                upper[cell] += high
            if self.weights.open.any():
                goal_of = dict(zip(cells, goals, strict=True))
                rest = [
                    np.sum([goal_of[(*cell[:-1], y)] for y in range(shape[-1]) if y != cell[-1]], axis=0)
                    for cell in cells
                ]
                for cell, (low, _) in zip(cells, program.extremes(rest), strict=True):
                    others[cell] += low
            misfit = max(misfit, program.misfit)
        open_ = np.broadcast_to(open_.any(axis=-1, keepdims=True), shape)
        whole = self.context_weights
        upper = np.where(open_, np.maximum(whole - others, lower), upper)
        lower, upper = ratio(lower, whole), ratio(upper, whole)
        if shape[-1] == 2:
            lower[..., 0], upper[..., 0] = 1 - upper[..., 1], 1 - lower[..., 1]
        lower, upper = np.nan_to_num(lower, nan=0.0), np.nan_to_num(upper, nan=1.0)
        return Solution(np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0), misfit, self.weights.gaps)

    def _program(self, fixed: dict[str, int]) -> _Program:
        """Build the program for one joint state of the fixed parents."""
        rows, low, high = [np.ones((1, self.columns), dtype=bool)], [np.ones(1)], [np.ones(1)]
        shape = [self.size[v] for v in self.members]
        for varying in _states(self.varying, self.size):
            given = fixed | varying
            where = tuple(given[v] for v in (*self.fixed, *self.varying))
            at_least, at_most = self.low[where].ravel(), self.high[where].ravel()
            if (at_least <= 0).all() and (at_most >= 1).all():  # nothing is known
                continue
            states = self._states_under(given, ())
            cell = np.ravel_multi_index(tuple(states[v] for v in self.members), shape)
            rows.append(cell == np.arange(prod(shape))[:, None])
            low.append(at_least)
            high.append(at_most)
        return _Program(np.concatenate(rows), np.concatenate(low), np.concatenate(high), self.confidence)

    def _goal(self, target: dict[str, int], fixed: dict[str, int]) -> tuple[FloatArray, bool]:
        """Return what each joint response function adds to P_x(y, c) for given x, y and c, shape (columns,).

        The array holds the known part of it; also return whether there is an unknown part.
        """
        goal, unknown = np.zeros(self.columns), False
        for rest in _states([v for v in self.axes if v not in target and v not in self.unknown], self.size):
            given = target | rest
            if any(given[v] != state for v, state in fixed.items()):
                continue
            states = self._states_under(dict.fromkeys(self.varying, 0) | given, self.problem.treatment)
            fits = np.ones(self.columns, dtype=bool)
            for v in self.unknown:
                if v in target:
                    fits &= states[v] == target[v]
            place = tuple(
                0 if self.weights.low.shape[i] == 1 else states[v] if v in self.unknown else given[v]
                for i, v in enumerate(self.axes)
            )
            goal += np.where(fits, self.weights.low[place], 0.0)
            unknown |= bool(np.any(fits & self.weights.open[place]))
        return goal, unknown


def _states(variables: Sequence[str], size: dict[str, int]) -> Iterator[dict[str, int]]:
    for states in np.ndindex(*(size[v] for v in variables)):
        yield dict(zip(variables, states, strict=True))


class _Program:
    """The distributions q of joint response functions that give each cell a probability within its limits."""

    def __init__(self, cells: BoolArray, low: FloatArray, high: FloatArray, confidence: float | None) -> None:
        self.cells: Any = csr_array(cells.astype(np.float64))
        self.low, self.high = low, high
        self.confidence, self.misfit = confidence, 0.0

    def nearest(self) -> tuple[FloatArray, float]:
        """Find the q whose cells deviate least from their limits, in the sum of distances; return it and the sum."""
        rows, columns = self.cells.shape
        widening: Any = eye_array(rows)
        matrix: Any = vstack([hstack([self.cells, -widening]), hstack([-self.cells, -widening])])
        cost = np.concatenate([np.zeros(columns), np.ones(rows)])
        found: Any = linprog(cost, matrix, np.concatenate([self.high, -self.low]), method="highs")
        if found.status != 0:
            raise RuntimeError(f"the linear program has no solution: {found.message}")
        return found.x[:columns], float(found.fun)

    def extremes(self, goals: Sequence[FloatArray]) -> list[tuple[float, float]]:
        """Return the smallest and the largest expectation of each goal."""
        found = [(float(goal[0]), float(goal[0])) for goal in goals]
        open_ = [i for i, goal in enumerate(goals) if not (goal == goal[0]).all()]
        together = max(1, _COLUMNS // self.cells.shape[1])
        for start in range(0, len(open_), together):
            some = open_[start : start + together]
            directed = [sign * goals[i] for i in some for sign in (1.0, -1.0)]
            least = self._least(directed)
            for k, i in enumerate(some):
                found[i] = (least[2 * k], -least[2 * k + 1])
        return found

    def _least(self, goals: Sequence[FloatArray]) -> list[float]:
        """Return the smallest expectation of each goal: independent programs, solved in one call."""
        solved = self._solve(goals)
        if solved is None:
            if self.confidence is not None:
                raise ContradictedGraph(
                    f"no model of the graph has a distribution within the {self.confidence:.0%} confidence limits: "
                    "the data contradict the graph"
                )
            q, self.misfit = self.nearest()
            self.low = self.high = np.asarray(self.cells @ q)
            solved = self._solve(goals)
            if solved is None:
                raise RuntimeError("the linear program has no solution, although the nearest distribution is one")
        return [float(goal @ q) for goal, q in zip(goals, solved, strict=True)]

    def _solve(self, goals: Sequence[FloatArray]) -> FloatArray | None:
        """Return an optimal q for each goal, shape (goals, columns); None if there is no q."""
        equal = self.low == self.high
        between, n = ~equal, len(goals)
        cells = self.cells[between]
        matrix: Any = block_diag([vstack([cells, -cells])] * n) if between.any() else None
        limits = np.tile(np.concatenate([self.high[between], -self.low[between]]), n) if between.any() else None
        same: Any = block_diag([self.cells[equal]] * n)
        found: Any = linprog(np.concatenate(goals), matrix, limits, same, np.tile(self.low[equal], n), method="highs")
        if found.status == 2:
            return None
        if found.status != 0:
            raise RuntimeError(f"the linear program has no solution: {found.message}")
        return np.asarray(found.x).reshape(n, -1)
