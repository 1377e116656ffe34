"""Estimates of E[Y | do(x)] from passive observations: several unbiased values, from separate samples.

Source: Jamshidi, Etesami & Kiyavash 2024, "Confounded Budgeted Causal Bandits" (arXiv 2401.07578), Section 3.1 and
Lemma 4. The observations are split into as many parts as there are variables, and part j is used for P(V_j | Z_j)
alone. Z_j are the other members of V_j's c-component and the parents of them all, in the graph of V_j and the variables
before it (L256). If no hidden cause joins X to one of its effects (Tian & Pearl 2002, Theorem 3),

E[Y | do(X = x)] = sum over the states v of all variables with Y = 1 of
                   prod over j in C of P(v_j | z_j)  times  prod over the other j of P(v_j | z_j with X = x),

with C the c-component of X; X is summed over too. Let S be the least number of samples in any cell Z_j = z of part j
that the formula names. Each cell is split into S groups, so that the formula has S values, one of each group's shares.
The factors of one value rest on different observations, so that its mean is E[Y | do(X = x)].
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.compiled import kernel
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Arms

#: The most joint states of a model that are summed over.
MOST_STATES = 2**14


class Formulas(NamedTuple):
    """The formulas of all arms, for compiled loops.

    The cells of all parts stand in one row: cell ``first[j] + z`` is Z_j = z. The last of Z_j's variables moves z by 1.

    Attributes
    ----------
    variable : int64 array, shape (parts,)
        The number of V_j among the model's variables, which are those of a world.
    first : int64 array, shape (parts + 1,)
    given_start : int64 array, shape (parts + 1,)
        Z_j has the entries ``given_start[j]`` to ``given_start[j + 1]`` of ``given``, numbers of variables.
    given : int64 array
    term_start : int64 array, shape (arms + 1,)
        The terms of an arm's sum, which are rows of the next two arrays; do() has none.
    cell, state : int64 arrays, shape (terms, parts)
        The cell of part j that a term reads, and v_j.
    needed_start : int64 array, shape (arms + 1,)
        The cells that an arm's formula names are the entries of ``needed``.
    needed : int64 array
    """

    variable: IntArray
    first: IntArray
    given_start: IntArray
    given: IntArray
    term_start: IntArray
    cell: IntArray
    state: IntArray
    needed_start: IntArray
    needed: IntArray


class SplitSamples(NamedTuple):
    """The observations, part by part.

    Attributes
    ----------
    taken : int64 array, shape (1,)
        The number of observations so far. Observation n, from 0, belongs to part n modulo the number of parts.
    held : int64 array, shape (cells,)
        The number of observations in each cell.
    state : int8 array, shape (cells, most in a part)
        The states of the part's variable in each cell, in the order in which they came.
    share : float64 array, shape (cells, most in a part)
        Memory: in each group of a cell, the share of ones.
    product : float64 array, shape (most in a part,)
        Memory: one term of every group's value.
    """

    taken: IntArray
    held: IntArray
    state: States
    share: FloatArray
    product: FloatArray


def given_of(graph: ADMG) -> dict[str, tuple[str, ...]]:
    """Return Z_j of every variable, in topological order.

    Parameters
    ----------
    graph : ADMG

    Examples
    --------
    >>> given_of(ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")]))
    {'X': (), 'Z': ('X',), 'Y': ('X', 'Z')}
    """
    order = graph.topological_order
    place = {v: i for i, v in enumerate(order)}
    found = {}
    for j, v in enumerate(order):
        before = graph.subgraph(order[: j + 1])
        component = before.c_component(v)
        given = (component | before.parents(component)) - {v}
        found[v] = tuple(sorted(given, key=place.__getitem__))
    return found


def compile_formulas(graph: ADMG, variables: Iterable[str], arms: Arms, reward: str) -> Formulas:
    """Write down the formula of every arm.

    Parameters
    ----------
    graph : ADMG
        Over the observed variables, all of them binary.
    variables : iterable of str
        The model's variables, in the order of a world's values.
    arms : Arms
        Each sets one variable, or none.
    reward : str

    Raises
    ------
    ValueError
        If an arm sets several variables, or one that shares a hidden cause with one of its effects, by a path of
        bidirected edges; or if the model has too many joint states.
    """
    return _compiled(graph, tuple(variables), tuple(tuple(arm.items()) for arm in arms), reward)


@lru_cache(maxsize=64)  # a search over parameters asks for the same graph thousands of times
def _compiled(
    graph: ADMG, variables: tuple[str, ...], arms: tuple[tuple[tuple[str, int], ...], ...], reward: str
) -> Formulas:
    number = {v: i for i, v in enumerate(variables)}
    given, names = given_of(graph), graph.topological_order
    if 2 ** len(names) > MOST_STATES:
        raise ValueError(f"{len(names)} variables have more than {MOST_STATES} joint states, which are summed over")
    place = {v: j for j, v in enumerate(names)}
    first = np.cumsum([0, *(2 ** len(given[v]) for v in names)])
    cells, states, term_start, needed, needed_start = list[list[int]](), list[list[int]](), [0], list[int](), [0]
    for arm in arms:
        if len(arm) > 1:
            raise ValueError(f"arm {dict(arm)}: expected arms that set one variable, or none")
        for x, value in arm:
            component = graph.c_component(x)
            if hit := component & graph.children(x):
                raise ValueError(f"arm {dict(arm)}: bidirected edges join {x} to its effect {', '.join(sorted(hit))}")
            named = set[int]()
            for joint in product((0, 1), repeat=len(names)):
                read = [
                    int(first[j]) + _cell(value if z == x and v not in component else joint[place[z]] for z in given[v])
                    for j, v in enumerate(names)
                ]
                if joint[place[reward]]:
                    cells.append(read)
                    states.append(list(joint))
                named.update(read)
            needed += sorted(named)
        term_start.append(len(cells))
        needed_start.append(len(needed))
    return Formulas(
        variable=np.array([number[v] for v in names], dtype=np.int64),
        first=first,
        given_start=np.cumsum([0, *(len(given[v]) for v in names)]),
        given=np.array([number[z] for v in names for z in given[v]], dtype=np.int64),
        term_start=np.array(term_start, dtype=np.int64),
        cell=np.array(cells, dtype=np.int64).reshape(-1, len(names)),
        state=np.array(states, dtype=np.int64).reshape(-1, len(names)),
        needed_start=np.array(needed_start, dtype=np.int64),
        needed=np.array(needed, dtype=np.int64),
    )


def _cell(states: Iterable[int]) -> int:
    cell = 0
    for state in states:
        cell = 2 * cell + state
    return cell


def no_samples(formulas: Formulas, most: int) -> SplitSamples:
    """Create room for at most ``most`` observations."""
    cells, most_in_part = int(formulas.first[-1]), -(-most // len(formulas.variable))
    return SplitSamples(
        taken=np.zeros(1, dtype=np.int64),
        held=np.zeros(cells, dtype=np.int64),
        state=np.zeros((cells, most_in_part), dtype=np.int8),
        share=np.zeros((cells, most_in_part)),
        product=np.zeros(most_in_part),
    )


@kernel
def observe(formulas: Formulas, samples: SplitSamples, values: States) -> None:
    """Put an observation of all variables into the part whose turn it is."""
    part = samples.taken[0] % len(formulas.variable)
    cell = 0
    for entry in range(formulas.given_start[part], formulas.given_start[part + 1]):
        cell = 2 * cell + values[formulas.given[entry]]
    cell += formulas.first[part]
    samples.state[cell, samples.held[cell]] = values[formulas.variable[part]]
    samples.held[cell] += 1
    samples.taken[0] += 1


@kernel
def values_of(formulas: Formulas, samples: SplitSamples, arm: int) -> tuple[float, int]:
    """Return the sum of the formula's values for an arm, and S, their number, which is 0 for do().

    The r-th observation of a cell, from 0, belongs to group r modulo S (L257).
    """
    groups = len(samples.product) if formulas.term_start[arm] < formulas.term_start[arm + 1] else 0
    for entry in range(formulas.needed_start[arm], formulas.needed_start[arm + 1]):
        groups = min(groups, samples.held[formulas.needed[entry]])
    if groups == 0:
        return 0.0, 0
    share, product = samples.share, samples.product
    for entry in range(formulas.needed_start[arm], formulas.needed_start[arm + 1]):
        cell = formulas.needed[entry]
        share[cell, :groups] = 0.0
        group = 0
        for r in range(samples.held[cell]):
            share[cell, group] += samples.state[cell, r]
            group = group + 1 if group + 1 < groups else 0
        whole, larger = samples.held[cell] // groups, samples.held[cell] % groups
        for group in range(groups):
            share[cell, group] /= whole + 1 if group < larger else whole
    total = 0.0
    for term in range(formulas.term_start[arm], formulas.term_start[arm + 1]):
        product[:groups] = 1.0
        for part in range(len(formulas.variable)):
            cell = formulas.cell[term, part]
            if formulas.state[term, part]:
                for group in range(groups):
                    product[group] *= share[cell, group]
            else:
                for group in range(groups):
                    product[group] *= 1.0 - share[cell, group]
        for group in range(groups):
            total += product[group]
    return total, groups
