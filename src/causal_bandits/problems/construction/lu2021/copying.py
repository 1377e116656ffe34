"""Random models that satisfy lu2021's Assumptions 2 and 3 with given constants (L121).

Every variable copies one of its parents, each with its own probability, or draws its state from the variable's own
distribution. The names of states differ between variables, so a copy does not look like one. With W(X, Y) the
probability that the state of Y stems from X,

    P(Y = . | do(X = x)) - P(Y = .) = W(X, Y) (1{. = x} - P(X = .)):

effects of several paths add up and never cancel. An edge X -> Y that copies with probability c has an effect of at
least c (1 - 1/K), and X moves a mean reward that ranges from 0 to 1 over the states of X_R by at least W(X, X_R) / 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.compiled import loop
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.problems.construction.lu2021.shapes import Parents

#: The largest probability with which a variable copies, so that all its states keep a probability above zero.
MOST = 1 - 1e-6


def ancestors(parents: Parents, nodes: Sequence[int]) -> set[int]:
    """Find all ancestors of ``nodes``, including the nodes themselves."""
    found, pending = set(nodes), list(nodes)
    while pending:
        new = set(parents[pending.pop()]) - found
        found |= new
        pending += new
    return found


def longest_path(parents: Parents, nodes: Sequence[int]) -> int:
    """Count the edges of the longest directed path into one of ``nodes``."""
    depth: list[int] = []
    for own in parents:
        depth.append(1 + max((depth[p] for p in own), default=-1))
    return max(depth[v] for v in nodes)


def copy_probabilities(
    parents: Parents, reward: Sequence[int], states: int, epsilon: float, gap: float, rng: np.random.Generator
) -> list[FloatArray]:
    """Draw the probability with which each node copies each of its parents.

    The probability of every edge is at least epsilon / (1 - 1/K). For reward variables and their ancestors, the total
    is so large that, along the longest path, at least ``2 gap`` of the effect is left; for others it is arbitrary.

    Raises
    ------
    ValueError
        If a node has too many parents for ``epsilon``, or ``gap`` is not below 1/2.
    """
    least = epsilon / (1 - 1 / states)
    if not 0 < 2 * gap < 1:
        raise ValueError(f"reward gap {gap}: expected a number above 0 and below 1/2")
    above, longest = ancestors(parents, reward), max(1, longest_path(parents, reward))
    counts = np.array([len(own) for own in parents], dtype=np.int64)
    low = counts * least
    if (low > MOST).any():
        raise ValueError(
            f"epsilon {epsilon}: a node has {counts[low > MOST][0]} parents; expected at most "
            f"{MOST * (1 - 1 / states):g} divided by their number"
        )
    uniform, exponential = np.empty(len(parents)), np.empty(counts.sum())
    _draw(rng, counts, uniform, exponential)
    upstream = np.zeros(len(parents), dtype=np.bool_)
    upstream[list(above)] = True
    total = np.where(upstream, np.exp(uniform * np.log(2 * gap) / longest), low + (MOST - low) * uniform)
    spread = np.minimum(np.maximum(total, low), MOST) - low
    ends = np.cumsum(counts)
    probabilities = np.empty(len(exponential))
    for count in set(counts.tolist()) - {0}:  # nodes with equally many parents together
        own = ends[counts == count, np.newaxis] - count + np.arange(count)
        draws = exponential[own]
        # Dirichlet(1, ..., 1), as ``rng.dirichlet`` computes it from these draws
        shares = draws * (1.0 / draws.cumsum(axis=1)[:, -1:])
        probabilities[own] = least + shares * spread[counts == count, np.newaxis]
    return [probabilities[end - count : end] for end, count in zip(ends.tolist(), counts.tolist(), strict=True)]


@loop
def _draw(rng: np.random.Generator, counts: IntArray, uniform: FloatArray, exponential: FloatArray) -> None:
    """Draw, node by node, a uniform number and an exponential one for each of its parents."""
    filled = 0
    for node in range(len(counts)):
        uniform[node] = rng.random()
        for _ in range(counts[node]):
            exponential[filled] = rng.standard_exponential()
            filled += 1


def copying_scm(
    names: Sequence[str], parents: Parents, copies: Sequence[FloatArray], states: int, rng: np.random.Generator
) -> DiscreteSCM:
    """Build the model in which every node copies a parent or draws its own state.

    Parameters
    ----------
    names : sequence of str
        The names of nodes 0, 1, ...
    parents : list of list of int
    copies : sequence of float64 array, shape (parents,)
        The probability with which each node copies each of its parents; the sum is at most 1.
    states : int
        K, at least 2.
    rng : numpy.random.Generator
        For the nodes' own distributions, Dirichlet(2, ..., 2), and for the names of their states.
    """
    for own, copy in zip(parents, copies, strict=True):
        for _ in zip(own, copy, strict=True):
            pass
    # called[v, s]: v's name for the common state s, which copying keeps; row by row, these are the numbers of
    # ``rng.permutation``
    called = rng.permuted(np.tile(np.arange(states), (len(parents), 1)), axis=1)
    drawn = rng.dirichlet(np.full(states, 2.0), size=len(parents))
    tables: dict[int, FloatArray] = {}
    for count in set(map(len, parents)):  # with equally many parents, tables have one shape and are filled together
        nodes = [v for v, own in enumerate(parents) if len(own) == count]
        above = np.array([parents[v] for v in nodes], dtype=np.int64)
        copied = np.array([copies[v] for v in nodes])
        joined = np.zeros((len(nodes), *(states,) * (count + 1)))
        inner = (1,) * (count - 1)
        for axis in range(count):
            each = np.arange(len(nodes))[:, np.newaxis]
            c = copied[:, axis].reshape(-1, 1, *inner)
            joined.swapaxes(1, 1 + axis)[each, called[above[:, axis]], ..., called[nodes]] += c
        rest = (1 - copied.sum(axis=1))[:, np.newaxis] * drawn[nodes]
        joined += rest.reshape(-1, *(1,) * count, states)
        tables |= zip(nodes, joined, strict=True)
    cpts = {names[v]: CPT([names[p] for p in own], tables[v]) for v, own in enumerate(parents)}
    graph = ADMG([(p, v) for v, cpt in cpts.items() for p in cpt.parents], nodes=names)
    return DiscreteSCM(graph, cpts)
