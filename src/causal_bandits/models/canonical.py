"""The canonical SCM of a diagram: hidden variables whose values are tuples of response functions.

Every family of interventional distributions that a diagram over discrete variables admits is that of such a model:
each c-component has one hidden variable, and each of its values says how every variable of the component responds to
its observed parents (Balke & Pearl 1997; Zhang, Tian & Bareinboim 2022, "Partial Counterfactual Identification from
Observational and Experimental Data"). With q_C the distribution of the hidden variable of component C,

    P_x(v; q) = product over C of b[x, v, C] . q_C ,

where the 0/1 vector b[x, v, C] marks the values that agree with v under do(x). Variables that are set put no condition.
A component of a single variable needs no joint distribution of its responses to different states of its parents: its
responses may be independent. So each state of the parents has a distribution of its own there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from functools import lru_cache
from itertools import accumulate, product
from math import prod
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.graphs.admg import ADMG, listing
from causal_bandits.models.bandit import SCMBandit

#: The most values that a component's hidden variable may have.
LARGEST_COMPONENT = 4_096
#: The most values of all free variables, over all arms.
MOST_CELLS = 65_536


class Products(NamedTuple):
    """Probabilities of events as products of rows: of each arm, some events.

    Attributes
    ----------
    arm_start : int64 array, shape (arms + 1,)
        The events of arm x have the numbers ``arm_start[x]`` to ``arm_start[x + 1]``.
    start : int64 array, shape (events + 1,)
        The rows of event k are ``row[start[k]:start[k + 1]]``.
    row : int64 array
    """

    arm_start: IntArray
    start: IntArray
    row: IntArray


class CanonicalArms(NamedTuple):
    """The interventional distributions of arms in a canonical SCM, as flat arrays for compiled loops.

    A model is one vector q that holds the distributions of all hidden variables, one after the other. A row is a 0/1
    vector b over the values of one of them.

    Attributes
    ----------
    hidden_start : int64 array, shape (hidden variables + 1,)
        Where the distribution of each hidden variable begins in q.
    row_hidden : int64 array, shape (rows,)
        The hidden variable that a row is about.
    row_start : int64 array, shape (rows + 1,)
    member : int64 array
        The places in q that row r adds up are ``member[row_start[r]:row_start[r + 1]]``.
    cells : Products
        P_x(v; q) for all values v of the variables that arm x leaves free.
    rewarded : bool array, shape (cells,)
        Whether the reward is 1 in a cell.
    stride : int64 array, shape (arms, variables)
        ``cells.arm_start[x] + stride[x] @ values`` is the cell of arm x in which the variables have ``values``. The
        variables are those of the model, in its order, hidden ones too.
    events : Products
        The ways to the reward 1, in those variables alone that the reward depends on under do(x); their sum is
        E[Y | do(x)].
    concave : bool array, shape (arms,)
        Whether E[Y | do(x)] is linear in q, since it involves one hidden variable only.
    """

    hidden_start: IntArray
    row_hidden: IntArray
    row_start: IntArray
    member: IntArray
    cells: Products
    rewarded: BoolArray
    stride: IntArray
    events: Products
    concave: BoolArray

    @property
    def size(self) -> int:
        """The length of q."""
        return int(self.hidden_start[-1])


def canonical_arms(bandit: SCMBandit) -> CanonicalArms:
    """Build the canonical SCM of a bandit's diagram and the distributions of its arms.

    Read are the diagram, the numbers of states and the arms, never the tables. Variables that are no ancestors of the
    reward are left out.

    Raises
    ------
    ValueError
        If a component's hidden variable has more than `LARGEST_COMPONENT` values, or the arms have more than
        `MOST_CELLS` cells.
    """
    scm = bandit.scm
    states = tuple((v, scm.cardinality(v)) for v in scm.graph.nodes)
    arms = tuple(tuple(sorted(arm.items())) for arm in bandit.arms)
    return _canonical_arms(scm.graph, bandit.reward, states, arms, scm.variables)


@lru_cache(maxsize=16)  # the runs of an experiment have one diagram
def _canonical_arms(
    graph: ADMG,
    reward: str,
    states: tuple[tuple[str, int], ...],
    arms: tuple[tuple[tuple[str, int], ...], ...],
    variables: tuple[str, ...],
) -> CanonicalArms:
    causes = graph.subgraph(graph.ancestors({reward}))
    canonical = CanonicalSCM(causes, dict(states))
    rows = Rows(canonical)
    cells, events, rewarded, strides, concave = [], [], [], [], []
    _check_cells(canonical, arms)
    for arm in arms:
        do = {v: s for v, s in arm if v in causes}
        free = [v for v in causes.topological_order if v not in do]
        sizes = [canonical.states[v] for v in free]
        steps = dict(zip(free, [prod(sizes[i + 1 :]) for i in range(len(free))], strict=True))
        strides.append([steps.get(v, 0) for v in variables])
        assigned = [dict(zip(free, values, strict=True)) for values in product(*map(range, sizes))]
        cells.append([rows.of(do, v) for v in assigned])
        rewarded += [v[reward] == 1 for v in assigned]
        relevant = causes.do(do).ancestors({reward}).difference(do)
        others = [v for v in free if v in relevant and v != reward]
        ways = product(*(range(canonical.states[v]) for v in others))
        events.append([rows.of(do, dict(zip(others, way, strict=True)) | {reward: 1}) for way in ways])
        single = all(len(event) == 1 for event in events[-1])
        concave.append(single and len({rows.hidden[event[0]] for event in events[-1]}) == 1)
    return CanonicalArms(
        hidden_start=np.array(canonical.hidden_start, dtype=np.int64),
        row_hidden=np.array(rows.hidden, dtype=np.int64),
        row_start=_starts(rows.members),
        member=np.concatenate(rows.members).astype(np.int64),
        cells=_products(cells),
        rewarded=np.array(rewarded, dtype=np.bool_),
        stride=np.array(strides, dtype=np.int64),
        events=_products(events),
        concave=np.array(concave, dtype=np.bool_),
    )


def _check_cells(canonical: CanonicalSCM, arms: Sequence[Sequence[tuple[str, int]]]) -> None:
    names = [{v for v, _ in arm} for arm in arms]
    total = sum(prod(k for v, k in canonical.states.items() if v not in own) for own in names)
    if total > MOST_CELLS:
        raise ValueError(f"the arms have {total} joint values of their free variables; expected at most {MOST_CELLS}")


class CanonicalSCM:
    """The hidden variables of a canonical SCM, and which of their values agree with an event.

    Parameters
    ----------
    graph : ADMG
    states : mapping from str to int
        The number of states of each variable of the graph; others are ignored.

    Attributes
    ----------
    states : dict
        Of the graph's variables.
    hidden_start : list of int
        Where the distribution of each hidden variable begins in q, and at last the length of q.

    Raises
    ------
    ValueError
        If a hidden variable has more than `LARGEST_COMPONENT` values.
    """

    def __init__(self, graph: ADMG, states: Mapping[str, int]) -> None:
        self.states = {v: states[v] for v in graph.nodes}
        self.components = tuple(tuple(v for v in graph.topological_order if v in c) for c in graph.c_components())
        self._parents = {v: tuple(p for p in graph.topological_order if p in graph.parents(v)) for v in graph.nodes}
        self._first: dict[tuple[str, ...], int] = {}
        sizes: list[int] = []
        self._responses: dict[str, IntArray] = {}
        for component in self.components:
            self._first[component] = len(sizes)
            if len(component) == 1:
                (v,) = component
                sizes += [self._size(component, self.states[v])] * self._configurations(v)
            else:
                sizes.append(self._size(component, prod(self.states[v] ** self._configurations(v) for v in component)))
                self._respond(component, sizes[-1])
        self.hidden_start = [0, *accumulate(sizes)]

    def _configurations(self, v: str) -> int:
        return prod(self.states[p] for p in self._parents[v])

    @staticmethod
    def _size(component: Sequence[str], size: int) -> int:
        if size > LARGEST_COMPONENT:
            raise ValueError(
                f"the c-component of {listing(component)} has a hidden variable of {size} values in the canonical SCM; "
                f"expected at most {LARGEST_COMPONENT}"
            )
        return size

    def _respond(self, component: Sequence[str], size: int) -> None:
        """Write the state of each variable of a component by the hidden value and the parents' state."""
        u = np.arange(size)
        for v in component:
            columns = []
            for _ in range(self._configurations(v)):
                columns.append(u % self.states[v])
                u = u // self.states[v]
            self._responses[v] = np.stack(columns, axis=1)

    def configuration(self, v: str, values: Mapping[str, int]) -> int:
        """Return the number of the state of the parents of ``v``, the last parent running fastest."""
        number = 0
        for p in self._parents[v]:
            number = number * self.states[p] + values[p]
        return number

    def response(self, v: str) -> IntArray:
        """Return the state of a variable of a component of several.

        Returns
        -------
        int64 array, shape (values of the component's hidden variable, states of the parents)
        """
        return self._responses[v]

    def factors(
        self, do: Mapping[str, int], values: Mapping[str, int]
    ) -> Iterator[tuple[int, tuple[tuple[str, int, int], ...]]]:
        """Yield the hidden variables that an event under ``do`` depends on, each with its conditions.

        A condition has a variable, the state of its parents, and the variable's own state.

        Parameters
        ----------
        do : mapping from str to int
        values : mapping from str to int
            The event: states of variables that are not set. They have their parents in ``do`` or among them.
        """
        known = {**values, **do}
        for component in self.components:
            conditions = tuple((v, self.configuration(v, known), values[v]) for v in component if v in values)
            if conditions:
                own = conditions[0][1] if len(component) == 1 else 0
                yield self._first[component] + own, conditions

    def members(self, hidden: int, conditions: Sequence[tuple[str, int, int]]) -> IntArray:
        """Return the places in q of the hidden values that meet some conditions (see `factors`)."""
        start = self.hidden_start[hidden]
        if conditions[0][0] not in self._responses:  # a component of one variable: the value is its state
            return np.array([start + conditions[0][2]])
        agree = np.ones(self.hidden_start[hidden + 1] - start, dtype=np.bool_)
        for v, configuration, state in conditions:
            agree &= self._responses[v][:, configuration] == state
        return start + np.flatnonzero(agree)


class Rows:
    """The different 0/1 vectors b, numbered as they are asked for.

    Attributes
    ----------
    hidden : list of int
        The hidden variable of each.
    members : list of int64 arrays
        The places in q that each adds up.
    """

    def __init__(self, canonical: CanonicalSCM) -> None:
        self._canonical = canonical
        self._number: dict[tuple[int, tuple[tuple[str, int, int], ...]], int] = {}
        self.hidden: list[int] = []
        self.members: list[IntArray] = []

    def of(self, do: Mapping[str, int], values: Mapping[str, int]) -> list[int]:
        """Return the rows whose product is the probability of ``values`` under ``do``."""
        found = []
        for key in self._canonical.factors(do, values):
            if key not in self._number:
                self._number[key] = len(self.members)
                self.hidden.append(key[0])
                self.members.append(self._canonical.members(*key))
            found.append(self._number[key])
        return found


def _starts(lists: Sequence[Sized]) -> IntArray:
    return np.array([0, *accumulate(map(len, lists))], dtype=np.int64)


def _products(of_arms: Sequence[Sequence[Sequence[int]]]) -> Products:
    every = [rows for arm in of_arms for rows in arm]
    return Products(_starts(of_arms), _starts(every), np.array([r for rows in every for r in rows], dtype=np.int64))


def cell_probabilities(arms: CanonicalArms, q: FloatArray) -> FloatArray:
    """Compute P_x(v; q) of every cell, shape (cells,), arm by arm."""
    rows = np.add.reduceat(q[arms.member], arms.row_start[:-1])
    return np.asarray(np.multiply.reduceat(rows[arms.cells.row], arms.cells.start[:-1]))
