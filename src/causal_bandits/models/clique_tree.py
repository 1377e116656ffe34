"""Exact means under all single-node interventions at once, by message passing between cliques.

The mean of a function of one variable is a polynomial in the entries of the conditional probability tables, linear in
each table (Darwiche 2003, "A differential approach to inference in Bayesian networks"). do(X = x) makes the entries of
X's table 1 for x and 0 for its other states, so E[f | do(X = x)] is the sum, over the states of X's parents, of the
derivatives by the entries for x. One pass up the tree and one down give the derivatives by all tables. Nothing is
divided, so probabilities of zero do no harm. Time and memory are linear in the number of variables where the cliques
are bounded, for instance in trees.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import jit, kernel
from causal_bandits.models.discrete_scm import DiscreteSCM

#: The most joint states of one clique.
WIDEST = 2**16


class TooWideError(ValueError):
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
        Where the clique's message begins among the numbers.
    axis_start : int64 array, shape (cliques + 1,)
    axis : int64 array
        Number of states of each axis; those of clique ``c`` are at ``axis_start[c]`` to ``axis_start[c + 1]``.
    factor_start : int64 array, shape (cliques + 1,)
        The factors of clique ``c`` are ``factor_start[c]`` to ``factor_start[c + 1]``.
    at, kept, sender, stride_start : int64 arrays, shape (factors,)
        Where a factor begins among the numbers; where the products of the factors before it are stored; the variable
        whose table the factor is, or -1 for a message; where its strides along the clique's axes begin in ``stride``.
    stride : int64 array
    place : int64 array
        Which of its numbers factor ``f`` has at each joint state of its clique, from ``kept[f]`` on: the same for all
        means, so it is found once.
    numbers : float64 array
        The model's tables, then memory for messages.
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
        families = [[*(self._number[p] for p in scm.cpt(v).parents), self._number[v]] for v in scm.variables]
        self._states = [scm.cardinality(v) for v in scm.variables]
        self._tables = [np.asarray(scm.cpt(v).table, dtype=np.float64) for v in scm.variables]
        self.cliques = _cliques(families, self._states, self._tables, scm.variables)

    def of(self, variable: str, flat: FloatArray) -> FloatArray:
        """Return the entries of ``variable``, one per state, of a result of `marginals` or `effects`."""
        i = self._number[variable]
        return flat[self.cliques.state_start[i] : self.cliques.state_start[i + 1]]

    @property
    def marginals(self) -> FloatArray:
        """P(V = x) of every variable and state as a flat array, the first variable first; see `of`."""
        return derivatives(self.cliques, 0, np.ones(self._states[0]))[1]

    def effects(self, target: str, values: ArrayLike, do: Mapping[str, int] | None = None) -> FloatArray:
        """Compute E[f(target) | do(V = x), do] of every variable V and state x; flat, see `of`.

        Parameters
        ----------
        target : str
        values : array, shape (states of target,)
            The function f.
        do : mapping from str to int
            A further intervention; on its variables the single-node intervention takes its place.
        """
        cliques = self.cliques
        if do:
            cliques = cliques._replace(numbers=cliques.numbers.copy())
            for variable, state in do.items():
                i = self._number[variable]
                begin = sum(table.size for table in self._tables[:i])
                table = np.zeros_like(self._tables[i])
                table[..., state] = 1.0
                cliques.numbers[begin : begin + table.size] = table.ravel()
        return derivatives(cliques, self._number[target], np.asarray(values, dtype=np.float64))[0]


def _cliques(families: list[list[int]], states: list[int], tables: list[FloatArray], names: tuple[str, ...]) -> Cliques:
    order, cliques = _eliminated(families, states, names)
    position = {v: c for c, v in enumerate(order)}
    sizes = [prod(states[v] for v in axes) for axes in cliques]
    at = np.concatenate([[0], np.cumsum([table.size for table in tables])])
    messages = int(at[-1]) + np.concatenate(
        [[0], np.cumsum([s // states[v] for s, v in zip(sizes, order, strict=True)])]
    )
    # by clique, for each factor: where it begins, its axes, the variable whose table it is
    factors: list[list[tuple[int, list[int], int]]] = [[] for _ in order]
    for v, family in enumerate(families):
        factors[min(position[w] for w in family)].append((int(at[v]), family, v))
    for c, axes in enumerate(cliques[:-1]):
        # A message over nothing, the last of a connected component, goes to the last clique: one tree in all.
        receiver = min((position[w] for w in axes[:-1]), default=len(order) - 1)
        factors[receiver].append((int(messages[c]), axes[:-1], -1))
    strides: list[int] = []
    begins, kept, room = [], [], 0
    for axes, size, own in zip(cliques, sizes, factors, strict=True):
        for _, along, _ in own:
            begins.append(len(strides))
            kept.append(room)
            room += size
            step, entries = {}, 1
            for w in reversed(along):
                step[w] = entries
                entries *= states[w]
            strides += [step.get(w, 0) for w in axes]
    flat = [factor for own in factors for factor in own]
    found = Cliques(
        variable=np.array(order),
        size=np.array(sizes),
        own=np.array([states[v] for v in order]),
        message=messages[:-1].astype(np.int64),
        axis_start=np.concatenate([[0], np.cumsum([len(axes) for axes in cliques])]),
        axis=np.array([states[w] for axes in cliques for w in axes]),
        factor_start=np.concatenate([[0], np.cumsum([len(own) for own in factors])]),
        at=np.array([begin for begin, _, _ in flat]),
        kept=np.array(kept),
        sender=np.array([sender for _, _, sender in flat]),
        stride_start=np.array(begins),
        stride=np.array(strides),
        place=np.empty(room, dtype=np.int64),
        numbers=np.concatenate([*(table.ravel() for table in tables), np.zeros(int(messages[-1] - at[-1]))]),
        state_start=np.concatenate([[0], np.cumsum(states)]),
    )
    _find_places(found)
    return found


def _eliminated(
    families: list[list[int]], states: list[int], names: tuple[str, ...]
) -> tuple[list[int], list[list[int]]]:
    """Find the order of elimination, fewest neighbours first, and the clique of each variable."""
    neighbours: list[set[int]] = [set() for _ in families]
    for family in families:
        for v in family:
            neighbours[v].update(w for w in family if w != v)
    waiting = [(len(near), -v) for v, near in enumerate(neighbours)]
    heapq.heapify(waiting)
    order: list[int] = []
    cliques: list[list[int]] = []
    done = [False] * len(families)
    while waiting:
        degree, v = heapq.heappop(waiting)
        v = -v
        if done[v] or degree != len(neighbours[v]):
            continue  # another entry of the heap stands for it
        near = sorted(neighbours[v])
        size = prod(states[w] for w in (*near, v))
        if size > WIDEST:
            raise TooWideError(
                f"{names[v]} and {', '.join(names[w] for w in near)} would share a table of {size} numbers; "
                f"at most {WIDEST} are supported"
            )
        done[v] = True
        order.append(v)
        cliques.append([*near, v])
        for w in near:
            neighbours[w].discard(v)
            neighbours[w].update(u for u in near if u != w)
            heapq.heappush(waiting, (len(neighbours[w]), -w))
    return order, cliques


@jit
def derivatives(cliques: Cliques, target: int, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute the means of a function f of one variable under every single-node intervention.

    Parameters
    ----------
    cliques : Cliques
    target : int
        The number of the variable.
    values : float64 array, shape (states of target,)
        f of each state.

    Returns
    -------
    (float64 array, float64 array), each of shape (state_start[-1],)
        E[f(target) | do(V = x)] and E[f(target) 1{V = x}] of every variable V and state x.
    """
    numbers, before = cliques.numbers.copy(), np.empty(len(cliques.place))
    above = np.zeros(len(numbers))  # at a message's place: the product of everything that multiplies the message
    under_do, jointly = np.zeros(cliques.state_start[-1]), np.zeros(cliques.state_start[-1])
    table = np.empty(cliques.size.max())
    last = len(cliques.variable) - 1
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
    """Fill ``cliques.place``."""
    for c in range(len(cliques.variable)):
        for f in range(cliques.factor_start[c], cliques.factor_start[c + 1]):
            for entry in range(cliques.size[c]):
                cliques.place[cliques.kept[f] + entry] = _place(cliques, c, f, entry)


@kernel
def _place(cliques: Cliques, c: int, f: int, entry: int) -> int:
    """Return which of its numbers factor ``f`` has at the joint state ``entry`` of clique ``c``."""
    begin, place = cliques.axis_start[c], 0
    for axis in range(cliques.axis_start[c + 1] - begin - 1, -1, -1):
        states = cliques.axis[begin + axis]
        place += (entry % states) * cliques.stride[cliques.stride_start[f] + axis]
        entry //= states
    return place
