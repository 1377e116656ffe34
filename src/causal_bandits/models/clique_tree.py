"""Exact means under all single-node interventions at once, by message passing between cliques.

The mean of a function of one variable is a polynomial in the entries of the conditional probability tables, linear in
each table (Darwiche 2003, "A differential approach to inference in Bayesian networks"). do(X = x) makes the entries of
X's table 1 for x and 0 for its other states, so E[f | do(X = x)] is the sum, over the states of X's parents, of the
derivatives with respect to the entries for x. One pass up the tree and one down give the derivatives with respect to
all tables. There is no division, so probabilities of zero do no harm. Time and memory are linear in the number of
variables if the cliques are bounded in size, as in trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit, kernel
from causal_bandits.errors import CausalBanditsError
from causal_bandits.models.clique_order import eliminated
from causal_bandits.models.discrete_scm import DiscreteSCM

#: The largest number of joint states of one clique.
WIDEST = 2**16


class TooWideError(CausalBanditsError):
    """Exact inference would need a table over too many variables at once."""


class Cliques(NamedTuple):
    """A tree of cliques for compiled loops: one clique per variable, in the order of elimination.

    A clique's axes are the variables not yet eliminated that share a table with its own variable, then its own
    variable. Its factors are tables of the model and messages of earlier cliques; one array holds all their numbers.

    Attributes
    ----------
    variable, size, own : int64 arrays, shape (cliques,)
        The variable eliminated; the number of joint states of the clique; the number of states of the variable.
    message : int64 array, shape (cliques,)
        Where the clique's message begins in ``numbers``.
    axis_start : int64 array, shape (cliques + 1,)
    axis : int64 array
        Number of states of each axis; those of clique ``c`` are at ``axis_start[c]`` to ``axis_start[c + 1]``.
    factor_start : int64 array, shape (cliques + 1,)
        The factors of clique ``c`` are ``factor_start[c]`` to ``factor_start[c + 1]``.
    at, kept, sender, stride_start : int64 arrays, shape (factors,)
        Where a factor begins in ``numbers``; where the products of the factors before it are stored; the variable whose
        table the factor is, or -1 for a message; where its strides along the clique's axes begin in ``stride``.
    stride : int64 array
    place : int64 array
        From ``kept[f]`` on, the index of factor ``f``'s number at each joint state of its clique. These indices do
        not depend on the mean sought, so they are computed once.
    numbers : float64 array
        The model's tables, then workspace for messages.
    state_start : int64 array, shape (variables + 1,)
        Where the states of each variable begin in the result of `derivatives`.
    """

    variable: IntArray
    size: IntArray
    own: IntArray
    message: IntArray
    axis_start: IntArray
    axis: IntArray
    factor_start: IntArray
    at: IntArray
    kept: IntArray
    sender: IntArray
    stride_start: IntArray
    stride: IntArray
    place: IntArray
    numbers: FloatArray
    state_start: IntArray


class CliqueTree:
    """Exact inference in a sparse discrete SCM with any number of variables.

    Parameters
    ----------
    scm : DiscreteSCM

    Raises
    ------
    TooWideError
        If a clique would have more than `WIDEST` joint states.

    Examples
    --------
    >>> from causal_bandits.graphs.admg import ADMG
    >>> chain = ADMG(directed=[("A", "B"), ("B", "C")])
    >>> copy = [[0.9, 0.1], [0.2, 0.8]]
    >>> tree = CliqueTree(DiscreteSCM(chain, {"A": ((), [0.5, 0.5]), "B": (("A",), copy), "C": (("B",), copy)}))
    >>> tree.of("A", tree.effects("C", [0.0, 1.0])).round(3)  # E[C | do(A = 0)], E[C | do(A = 1)]
    array([0.17, 0.66])
    """

    def __init__(self, scm: DiscreteSCM) -> None:
        self.scm = scm
        self._number = {v: i for i, v in enumerate(scm.variables)}
        self.cliques = _cliques(scm)

    def of(self, variable: str, flat: FloatArray) -> FloatArray:
        """Return the entries of ``variable``, one per state, in a result of `marginals` or `effects`."""
        i = self._number[variable]
        return flat[self.cliques.state_start[i] : self.cliques.state_start[i + 1]]

    @property
    def marginals(self) -> FloatArray:
        """P(V = x) for every variable and state as a flat array, in the order of the variables; see `of`."""
        return derivatives(self.cliques, 0, np.ones(self.scm.compiled.cardinality[0]))[1]

    def effects(self, target: str, values: ArrayLike, do: Mapping[str, int] | None = None) -> FloatArray:
        """Compute E[f(target) | do(V = x), do] for every variable V and state x as a flat array; see `of`.

        Parameters
        ----------
        target : str
        values : array, shape (states of target,)
            The function f.
        do : mapping from str to int
            A further intervention; if it also sets V, the single-node intervention replaces it for V.
        """
        cliques = self.cliques
        if do:
            cliques = cliques._replace(numbers=cliques.numbers.copy())
            for variable, state in do.items():
                i = self._number[variable]
                begin = self.scm.compiled.table_start[i]
                table = np.zeros(np.shape(self.scm.cpt(variable).table))
                table[..., state] = 1.0
                cliques.numbers[begin : begin + table.size] = table.ravel()
        return derivatives(cliques, self._number[target], np.asarray(values, dtype=np.float64))[0]


def _cliques(scm: DiscreteSCM) -> Cliques:
    graph = scm.compiled
    tables = [scm.cpt(v).table for v in scm.variables]
    order, begin, member = eliminated(graph.parent_start, graph.parent, graph.cardinality, WIDEST)
    if len(order) < len(tables):
        variable, near = member[-1], member[begin[-2] : -1]
        size = prod(graph.cardinality[member[begin[-2] :]].tolist())
        raise TooWideError(
            f"{scm.variables[variable]} and {', '.join(scm.variables[w] for w in near)} would share a table of {size} "
            f"numbers; at most {WIDEST} are supported"
        )
    states = graph.cardinality[member]
    size = np.multiply.reduceat(states, begin[:-1])
    own = graph.cardinality[order]
    entries = int(graph.table_start[-1]) + np.size(tables[-1])
    message = entries + np.concatenate([[0], np.cumsum(size // own)])
    factor_start, at, sender = _factors(
        graph.parent_start, graph.parent, graph.table_start, order, begin, member, message
    )
    lengths = np.repeat(np.diff(begin), np.diff(factor_start))
    sizes = np.repeat(size, np.diff(factor_start))
    found = Cliques(
        variable=order,
        size=size,
        own=own,
        message=message[:-1],
        axis_start=begin,
        axis=states,
        factor_start=factor_start,
        at=at,
        kept=np.cumsum(sizes) - sizes,
        sender=sender,
        stride_start=np.cumsum(lengths) - lengths,
        stride=np.zeros(lengths.sum(), dtype=np.int64),
        place=np.empty(sizes.sum(), dtype=np.int64),
        numbers=np.concatenate([*(np.ravel(table) for table in tables), np.zeros(int(message[-1]) - entries)]),
        state_start=np.concatenate([[0], np.cumsum(graph.cardinality)]),
    )
    _find_strides(found, graph.parent_start, graph.parent, graph.stride, member, message[:-1])
    _find_places(found)
    return found


@jit
def _factors(
    parent_start: IntArray,
    parent: IntArray,
    table_start: IntArray,
    order: IntArray,
    begin: IntArray,
    member: IntArray,
    message: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Assign each table and message to a clique; return ``factor_start``, ``at`` and ``sender``."""
    n = len(order)
    position = np.empty(n, dtype=np.int64)
    for c in range(n):  # fancy assignment and cumsum would take a second longer to compile
        position[order[c]] = c
    receiver = np.empty(2 * n - 1, dtype=np.int64)  # of the tables, then of the messages
    for v in range(n):
        receiver[v] = position[v]
        for e in range(parent_start[v], parent_start[v + 1]):
            receiver[v] = min(receiver[v], position[parent[e]])
    for c in range(n - 1):
        # A message over no variables, the last of a connected component, goes to the last clique: there is one tree.
        receiver[n + c] = n - 1
        for e in range(begin[c], begin[c + 1] - 1):
            receiver[n + c] = min(receiver[n + c], position[member[e]])
    factor_start = np.zeros(n + 1, dtype=np.int64)
    for factor in range(len(receiver)):
        factor_start[receiver[factor] + 1] += 1
    for c in range(n):
        factor_start[c + 1] += factor_start[c]
    at, sender = np.empty(len(receiver), dtype=np.int64), np.empty(len(receiver), dtype=np.int64)
    filled = factor_start.copy()
    for factor in range(len(receiver)):
        f = filled[receiver[factor]]
        filled[receiver[factor]] += 1
        at[f] = table_start[factor] if factor < n else message[factor - n]
        sender[f] = factor if factor < n else -1
    return factor_start, at, sender


@kernel
def _find_strides(
    cliques: Cliques, parent_start: IntArray, parent: IntArray, stride: IntArray, member: IntArray, message: IntArray
) -> None:
    """Fill ``cliques.stride``: how far one step along each axis of a clique moves in each of its factors.

    Parameters
    ----------
    cliques : Cliques
    parent_start, parent, stride : int64 arrays
        As in `CompiledSCM`.
    member : int64 array
        The variables of the cliques' axes.
    message : int64 array, shape (cliques,)
        As in `Cliques`; ascending.
    """
    for c in range(len(cliques.variable)):
        first, last = cliques.axis_start[c], cliques.axis_start[c + 1]
        for f in range(cliques.factor_start[c], cliques.factor_start[c + 1]):
            out, v = cliques.stride_start[f], cliques.sender[f]
            if v >= 0:
                for axis in range(first, last):
                    if member[axis] == v:
                        cliques.stride[out + axis - first] = 1
                    for e in range(parent_start[v], parent_start[v + 1]):
                        if member[axis] == parent[e]:
                            cliques.stride[out + axis - first] = stride[e]
                continue
            source = np.searchsorted(message, cliques.at[f])
            step = 1
            for along in range(cliques.axis_start[source + 1] - 2, cliques.axis_start[source] - 1, -1):
                for axis in range(first, last):
                    if member[axis] == member[along]:
                        cliques.stride[out + axis - first] = step
                step *= cliques.axis[along]


@jit
def derivatives(cliques: Cliques, target: int, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the means of a function f of one variable under every single-node intervention.

    Parameters
    ----------
    cliques : Cliques
    target : int
        The index of the variable.
    values : float64 array, shape (states of target,)
        The value of f at each state.

    Returns
    -------
    (float64 array, float64 array), each of shape (state_start[-1],)
        E[f(target) | do(V = x)] and E[f(target) 1{V = x}] for every variable V and state x.
    """
    numbers, before = cliques.numbers.copy(), np.empty(len(cliques.place))
    above = np.zeros(len(numbers))  # at a message's place: the product of everything that multiplies the message
    under_do, jointly = np.zeros(cliques.state_start[-1]), np.zeros(cliques.state_start[-1])
    largest = 0  # by a loop, since `max` of an array takes long to compile
    for size in cliques.size:
        largest = max(largest, size)
    table, last = np.empty(largest), len(cliques.variable) - 1
    for c in range(last + 1):
        own, size = cliques.own[c], cliques.size[c]
        for entry in range(size):
            table[entry] = values[entry % own] if cliques.variable[c] == target else 1.0
        for f in range(cliques.factor_start[c], cliques.factor_start[c + 1]):
            at, kept = cliques.at[f], cliques.kept[f]
            for entry in range(size):
                before[kept + entry] = table[entry]
                table[entry] *= numbers[at + cliques.place[kept + entry]]
        message = cliques.message[c]
        for entry in range(size // own):
            numbers[message + entry] = 0.0
        for entry in range(size):
            numbers[message + entry // own] += table[entry]
    above[cliques.message[last]] = 1.0
    for c in range(last, -1, -1):
        own, size = cliques.own[c], cliques.size[c]
        for entry in range(size):
            table[entry] = above[cliques.message[c] + entry // own]
        for f in range(cliques.factor_start[c + 1] - 1, cliques.factor_start[c] - 1, -1):
            sender, at, kept = cliques.sender[f], cliques.at[f], cliques.kept[f]
            for entry in range(size):
                place = cliques.place[kept + entry]
                factor = numbers[at + place]
                derivative = before[kept + entry] * table[entry]
                if sender < 0:
                    above[at + place] += derivative
                else:
                    start = cliques.state_start[sender]
                    state = start + place % (cliques.state_start[sender + 1] - start)
                    under_do[state] += derivative
                    jointly[state] += derivative * factor
                table[entry] *= factor
    return under_do, jointly


@kernel
def _find_places(cliques: Cliques) -> None:
    """Fill ``cliques.place`` (see `Cliques`)."""
    for c in range(len(cliques.variable)):
        for f in range(cliques.factor_start[c], cliques.factor_start[c + 1]):
            for entry in range(cliques.size[c]):
                cliques.place[cliques.kept[f] + entry] = _place(cliques, c, f, entry)


@kernel
def _place(cliques: Cliques, c: int, f: int, entry: int) -> int:
    """Return the index of factor ``f``'s number at the joint state ``entry`` of clique ``c``."""
    begin, place = cliques.axis_start[c], 0
    for axis in range(cliques.axis_start[c + 1] - begin - 1, -1, -1):
        states = cliques.axis[begin + axis]
        place += (entry % states) * cliques.stride[cliques.stride_start[f] + axis]
        entry //= states
    return place
