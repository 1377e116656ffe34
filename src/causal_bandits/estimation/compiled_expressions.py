"""Expressions compiled into flat arrays that turn counts per arm into estimates.

Every estimator becomes a few rows of one *tape*. A row is a count (how many samples of one arm agree with some values),
or the sum, the product or the reciprocal of earlier rows. Estimators share their common rows. Sums over bound values
are pushed inward (`nested`) and written as balanced trees, so that one more sample changes only a few rows: the family
`CELL_OPS` lists them for each cell. There is one tape for the data, and a table with one tape per bootstrap replicate,
whose rows hold the replicates side by side (`tape`).
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.identification.expression import Expression, Probability, Product, Quotient, Sum, Value
from causal_bandits.identification.simplify import renamed_apart


@dataclass(frozen=True, eq=False)
class Count:
    """The number of samples under ``do`` that agree with ``values``."""

    do: frozenset[Value]
    values: frozenset[Value]

    @property
    def free(self) -> frozenset[Value]:
        """The values that are not summed over."""
        return self.do | self.values


@dataclass(frozen=True, eq=False)
class Reciprocal:
    """The reciprocal of a node."""

    of: Node

    @cached_property
    def free(self) -> frozenset[Value]:
        """The values that are not summed over."""
        return self.of.free


@dataclass(frozen=True, eq=False)
class Times:
    """The product of nodes; one if there are none."""

    factors: Sequence[Node]

    @cached_property
    def free(self) -> frozenset[Value]:
        """The values that are not summed over."""
        return frozenset().union(*(f.free for f in self.factors))


@dataclass(frozen=True, eq=False)
class Total:
    """The sum of a node over the states of a value."""

    over: Value
    of: Node

    @cached_property
    def free(self) -> frozenset[Value]:
        """The values that are not summed over."""
        return self.of.free - {self.over}


Node: TypeAlias = Count | Reciprocal | Times | Total


def nested(expression: Expression, cardinality: Mapping[str, int]) -> Node:
    """Push every sum of an expression inward as far as possible, the cheapest value first.

    Parameters
    ----------
    expression : Expression
        All its bound values have distinct names (see `simplify.renamed_apart`).
    cardinality : mapping from str to int
        States of each variable.

    Raises
    ------
    TypeError
        If the expression contains a part of an unknown type.
    """
    factors, over = _opened(expression, cardinality)
    left = set(over)

    def states_touched(value: Value) -> tuple[int, Value]:
        scope = frozenset().union(*(f.free for f in factors if value in f.free)) & left
        return prod(cardinality[v.variable] for v in scope), value

    while left:
        value = min(left, key=states_touched)
        left.remove(value)
        concerned = [f for f in factors if value in f.free]
        factors = [*(f for f in factors if value not in f.free), Total(value, Times(concerned))]
    return Times(factors)


def _opened(expression: Expression, cardinality: Mapping[str, int]) -> tuple[list[Node], list[Value]]:
    """Return the factors and the bound values of an expression."""
    if isinstance(expression, Probability):
        joint = Count(expression.do, expression.of | expression.given)
        return [joint, Reciprocal(Count(expression.do, expression.given))], []
    if isinstance(expression, Sum):
        factors, over = _opened(expression.summand, cardinality)
        return factors, [*expression.over, *over]
    if isinstance(expression, Quotient):
        factors, over = _opened(expression.numerator, cardinality)
        return [*factors, Reciprocal(nested(expression.denominator, cardinality))], over
    if isinstance(expression, Product):
        parts = [_opened(f, cardinality) for f in expression.factors]
        return [f for factors, _ in parts for f in factors], [v for _, over in parts for v in over]
    raise TypeError(f"{type(expression).__name__} cannot be compiled")


Assignment: TypeAlias = Mapping[str, int]

#: The operation of a row of the tape on the rows ``left`` and ``right``.
COUNT, CONSTANT, ADD, MULTIPLY, RECIPROCAL = range(5)


@dataclass(frozen=True)
class Estimator:
    """One way to estimate an arm's expected reward from samples of arms.

    Attributes
    ----------
    arm : int
        The arm whose reward is estimated.
    expression : Expression
        Its reward probability.
    values : mapping from str to int
        A state for every argument of the expression, by label: 1 for the reward, the arm's own states, and
        arbitrary ones for the rest.
    """

    arm: int
    expression: Expression
    values: Assignment


class CompiledEstimators(NamedTuple):
    """The tape and its indices. A *cell* is an arm and a possible sample of it.

    Attributes
    ----------
    code : int64 array, shape (rows, 3)
        The operation of each row (`COUNT` ... `RECIPROCAL`) and its two operands, which are earlier rows.
    constant : float64 array, shape (rows,)
        The value of a row that is constant.
    cell_start : int64 array, shape (arms + 1,)
        Where the cells of each arm begin.
    stride : int64 array, shape (arms, variables)
        A sample of an arm has cell ``cell_start[arm] + stride[arm] @ values``.
    supports : int64 array, shape (estimators,)
        How many marginal cells must have samples before an estimator is used.
    result : int64 array, shape (estimators,)
        The row with the estimate.
    lists : int64 array
        Lists of integers, in the families below; `tape.bounds` finds one.
    """

    code: IntArray
    constant: FloatArray
    cell_start: IntArray
    stride: IntArray
    supports: IntArray
    result: IntArray
    lists: IntArray


# Families of lists. Each comment states what has a list and what the list contains. The names are NumPy integers: a
# loop compiles once for all of them, but again for every Python constant.
(
    CELL_COUNTS,  # per cell: the counts that a sample in it adds to
    CELL_OPS,  # per cell: the rows to recompute after a sample in it, in order
    CELL_SUPPORTS,  # per cell: the marginal cells it belongs to
    SUPPORT_ESTIMATORS,  # per marginal cell: the estimators that wait for a sample in it
    COUNT_CELLS,  # per row: the cells that a count covers (nothing for other rows)
    ESTIMATOR_OPS,  # per estimator: the rows that its result depends on, in order
    ESTIMATOR_COUNTS,  # per estimator: the counts among them
    ESTIMATOR_CELLS,  # per estimator: the cells whose counts it depends on
    ARM_ESTIMATORS,  # per arm: its estimators
    ARM_SOURCES,  # per arm: the arms whose samples its estimators read
    SOURCE_ESTIMATORS,  # per arm: the estimators that read its samples
    SOURCE_ARMS,  # per arm: the arms whose estimators read its samples
) = np.arange(12, dtype=np.int64)

#: Families of lists, by name.
Families: TypeAlias = dict[np.int64, Sequence[Sequence[int]]]


def _inverted(lists: Iterable[Collection[int]], size: int) -> list[list[int]]:
    """Return, for each number from 0 to size - 1, the positions of the lists that contain it, in ascending order."""
    positions: list[list[int]] = [[] for _ in range(size)]
    for position, numbers in enumerate(lists):
        for number in numbers:
            positions[number].append(position)
    return positions


def _laid_out(families: Sequence[Sequence[Sequence[int]]]) -> IntArray:
    """Concatenate all lists into one array: where each family's table begins, then these tables, then the items."""
    heads: list[int] = []
    tables: list[int] = []
    items: list[int] = []
    position = len(families) + sum(len(family) + 1 for family in families)
    for family in families:
        heads.append(len(families) + len(tables))
        for numbers in family:
            tables.append(position + len(items))
            items += numbers
        tables.append(position + len(items))
    return np.array([*heads, *tables, *items], dtype=np.int64)


def reward_estimators(
    expressions: Mapping[frozenset[str], Sequence[Expression]],
    arms: Sequence[Assignment],
    reward: str,
    cardinality: Mapping[str, int],
) -> tuple[Estimator, ...]:
    """Return all non-trivial estimators: every expression of every arm, for all free values.

    Parameters
    ----------
    expressions : mapping from intervention set to expressions
        As `causal_bandits.identification.reward_expressions` returns them; the first of each set is trivial and
        is left out.
    arms : sequence of assignments
    reward : str
        Binary; the estimators estimate the probability of 1.
    cardinality : mapping from str to int

    Returns
    -------
    tuple of Estimator
        Ordered by arm, expression, free values.
    """
    found = []
    for number, arm in enumerate(arms):
        for expression in expressions[frozenset(arm)][1:]:
            fixed = {label: state for label, state in ({reward: 1} | dict(arm)).items()}
            free = sorted(value for value in expression.free if value.label not in fixed)
            for states in product(*(range(cardinality[value.variable]) for value in free)):
                chosen = fixed | {value.label: state for value, state in zip(free, states, strict=True)}
                values = {label: chosen[label] for label in expression.arguments}
                found.append(Estimator(number, expression, values))
    return tuple(found)


def compile_estimators(
    estimators: Sequence[Estimator],
    arms: Sequence[Assignment],
    variables: Sequence[str],
    cardinality: Mapping[str, int],
    support: str = "values",
) -> CompiledEstimators:
    """Compile estimators into flat arrays for compiled loops.

    Parameters
    ----------
    estimators : sequence of Estimator
        Ordered by arm.
    arms : sequence of assignments
        What each arm sets.
    variables : sequence of str
        The order of a sample's states. Hidden variables, which ``cardinality`` lacks, are skipped.
    cardinality : mapping from str to int
        States of each observed variable.
    support : str
        What an estimator needs before it is used; see `Expression.cells` (ledger L10).

    Raises
    ------
    ValueError
        If estimators are not ordered by arm, or one needs samples of an intervention that is not an arm.
    """
    numbers = [estimator.arm for estimator in estimators]
    if numbers != sorted(numbers):
        raise ValueError("estimators must be ordered by arm")
    tape = _Tape(arms, [v for v in variables if v in cardinality], cardinality)
    results, supports = [], []
    for estimator in estimators:
        results.append(tape.compile(estimator))
        supports.append(tape.support(estimator, support))
    return tape.finish(numbers, results, supports, variables)


# ---------------------------------------------------------------------- the tape


class _Tape:
    """A tape under construction; equal rows are created only once."""

    def __init__(self, arms: Sequence[Assignment], variables: Sequence[str], cardinality: Mapping[str, int]) -> None:
        self.arms = [dict(arm) for arm in arms]
        self.number = {frozenset(arm.items()): i for i, arm in enumerate(self.arms)}
        self.cardinality = cardinality
        self.free_variables = [[v for v in variables if v not in arm] for arm in self.arms]
        sizes = [prod(cardinality[v] for v in free) for free in self.free_variables]
        self.cell_start = np.cumsum([0, *sizes], dtype=np.int64)
        self.n_cells = sum(sizes)
        self.rows: dict[tuple[int, int, int, float], int] = {}  # (op, left, right, constant) -> row
        self.constants: dict[int, float] = {}  # row -> value
        self.covered: dict[int, tuple[int, ...]] = {}  # row of a count -> its cells
        self.count_rows: dict[tuple[int, ...], int] = {}  # cells -> row

    def cells(self, do: Assignment, values: Assignment) -> tuple[int, ...]:
        """Return the cells of the arm ``do`` whose samples agree with ``values``."""
        arm = self.number.get(frozenset(do.items()))
        if arm is None:
            raise ValueError(f"an estimator needs samples of do({dict(do)}), which is not an arm")
        states = product(*(range(self.cardinality[v]) for v in self.free_variables[arm]))
        wanted = [(i, values[v]) for i, v in enumerate(self.free_variables[arm]) if v in values]
        first = int(self.cell_start[arm])
        return tuple(first + i for i, cell in enumerate(states) if all(cell[j] == state for j, state in wanted))

    def row(self, op: int, left: int = -1, right: int = -1, constant: float = 0.0) -> int:
        """Return the row with this content, created if it is new; constants are folded."""
        known = [self.constants.get(operand) for operand in (left, right)]
        if op == MULTIPLY and 1.0 in known:
            return right if known[0] == 1.0 else left
        if op in (ADD, MULTIPLY) and None not in known:
            return self.row(CONSTANT, constant=(operator.add if op == ADD else operator.mul)(*known))
        if op == RECIPROCAL and known[0]:
            return self.row(CONSTANT, constant=1.0 / known[0])
        if op in (ADD, MULTIPLY) and right < left:
            left, right = right, left
        row = self.rows.setdefault((op, left, right, constant), len(self.rows))
        if op == CONSTANT:
            self.constants[row] = constant
        return row

    def count(self, cells: tuple[int, ...]) -> int:
        """Return the row that counts samples in ``cells``."""
        if cells not in self.count_rows:
            self.count_rows[cells] = self.row(COUNT, len(self.count_rows))  # the number distinguishes counts
            self.covered[self.count_rows[cells]] = cells
        return self.count_rows[cells]

    def fold(self, op: int, rows: Sequence[int]) -> int:
        """Combine rows as a balanced tree."""
        if len(rows) == 1:
            return rows[0]
        middle = len(rows) // 2
        return self.row(op, self.fold(op, rows[:middle]), self.fold(op, rows[middle:]))

    def compile(self, estimator: Estimator) -> int:
        """Compile an estimator and return the row that holds its estimate."""
        expression = renamed_apart(estimator.expression, itertools.count(1))
        states = {value: estimator.values[value.label] for value in expression.free}
        done: dict[tuple[int, frozenset[tuple[Value, int]]], int] = {}

        def row_of(node: Node, states: Mapping[Value, int]) -> int:
            key = id(node), frozenset((v, states[v]) for v in node.free)
            if key not in done:
                done[key] = new_row(node, states)
            return done[key]

        def new_row(node: Node, states: Mapping[Value, int]) -> int:
            if isinstance(node, Count):
                do, values = ({v.variable: states[v] for v in side} for side in (node.do, node.values))
                return self.count(self.cells(do, values))
            if isinstance(node, Reciprocal):
                return self.row(RECIPROCAL, row_of(node.of, states))
            if isinstance(node, Total):
                choices = range(self.cardinality[node.over.variable])
                if (
                    node.over not in node.of.free
                ):  # a value that the node does not depend on: multiply by its number of states
                    times = self.row(CONSTANT, constant=float(len(choices)))
                    return self.row(MULTIPLY, times, row_of(node.of, states))
                return self.fold(ADD, [row_of(node.of, {**states, node.over: state}) for state in choices])
            if not node.factors:
                return self.row(CONSTANT, constant=1.0)
            return functools.reduce(
                lambda left, right: self.row(MULTIPLY, left, right), [row_of(f, states) for f in node.factors]
            )

        root = nested(expression, self.cardinality)
        return row_of(root, states)

    def support(self, estimator: Estimator, support: str) -> set[tuple[int, ...]]:
        """Return the marginal cells that need samples, as `Expression.cells` names them."""
        needed = estimator.expression.cells(self.cardinality, estimator.values, support)
        return {self.cells(do, cell) for cells in needed.values() for do, cell in cells}

    def finish(
        self,
        estimator_arms: Sequence[int],
        results: Sequence[int],
        supports: Sequence[set[tuple[int, ...]]],
        variables: Sequence[str],
    ) -> CompiledEstimators:
        """Return the tape and its indices as flat arrays."""
        stride = np.zeros((len(self.arms), len(variables)), dtype=np.int64)
        for arm, free in enumerate(self.free_variables):
            for i, v in enumerate(free):
                stride[arm, variables.index(v)] = prod(self.cardinality[u] for u in free[i + 1 :])
        below, cells = self._dependencies()
        families = {
            **self._of_rows([below[result] for result in results], cells),
            **self._of_supports(supports),
            ESTIMATOR_CELLS: [sorted(cells[result]) for result in results],
            **self._of_arms(estimator_arms, [cells[result] for result in results]),
        }
        return CompiledEstimators(
            np.array([row[:3] for row in self.rows], dtype=np.int64).reshape(-1, 3),
            np.array([row[3] for row in self.rows], dtype=np.float64),
            self.cell_start,
            stride,
            np.array([len(wanted) for wanted in supports], dtype=np.int64),
            np.array(results, dtype=np.int64),
            _laid_out([families[name] for name in sorted(families)]),
        )

    def _dependencies(self) -> tuple[list[set[int]], list[set[int]]]:
        """Return what each row depends on: rows, including itself, and the cells that they count."""
        below: list[set[int]] = []
        cells: list[set[int]] = []
        for row, (op, left, right, _) in enumerate(self.rows):
            operands = {COUNT: [], CONSTANT: [], RECIPROCAL: [left]}.get(op, [left, right])
            below.append({row}.union(*(below[operand] for operand in operands)))
            cells.append(set(self.covered.get(row, ())).union(*(cells[operand] for operand in operands)))
        return below, cells

    def _of_rows(self, below: Sequence[set[int]], cells: Sequence[set[int]]) -> Families:
        """Build the families of rows, given what is ``below`` each estimator's result and the ``cells`` of each row."""
        is_op = [op not in (COUNT, CONSTANT) for op, *_ in self.rows]
        counted = [self.covered.get(row, ()) for row in range(len(self.rows))]
        used = set().union(*below)
        computed = [cells[row] if is_op[row] and row in used else () for row in range(len(self.rows))]
        return {
            CELL_COUNTS: _inverted(counted, self.n_cells),
            CELL_OPS: _inverted(computed, self.n_cells),
            COUNT_CELLS: counted,
            ESTIMATOR_OPS: [sorted(row for row in rows if is_op[row]) for rows in below],
            ESTIMATOR_COUNTS: [sorted(row for row in rows if row in self.covered) for rows in below],
        }

    def _of_supports(self, supports: Sequence[set[tuple[int, ...]]]) -> Families:
        """Build the families of marginal cells, which are numbered in sorted order."""
        groups = sorted(set().union(*supports))
        number = {cells: i for i, cells in enumerate(groups)}
        return {
            CELL_SUPPORTS: _inverted(groups, self.n_cells),
            SUPPORT_ESTIMATORS: _inverted([[number[cells] for cells in wanted] for wanted in supports], len(groups)),
        }

    def _of_arms(self, estimator_arms: Sequence[int], cells: Sequence[set[int]]) -> Families:
        """Build the families of arms; ``cells`` are those whose samples each estimator reads."""
        arms = range(len(self.arms))
        arm_of_cell = np.repeat(arms, np.diff(self.cell_start)).tolist()
        readers = _inverted([{arm_of_cell[cell] for cell in read} for read in cells], len(arms))
        reader_arms = [sorted({estimator_arms[e] for e in found}) for found in readers]
        return {
            ARM_ESTIMATORS: _inverted([[arm] for arm in estimator_arms], len(arms)),
            ARM_SOURCES: _inverted(reader_arms, len(arms)),
            SOURCE_ESTIMATORS: readers,
            SOURCE_ARMS: reader_arms,
        }
