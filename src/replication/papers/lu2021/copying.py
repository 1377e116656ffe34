"""Random models that hold lu2021's Assumptions 2 and 3 with given constants (L121).

Every variable copies one of its parents, each with a probability of its own, or draws its state from a distribution of
its own. What a state is called differs between variables, so a copy is not seen as one. With W(X, Y) the probability
that the state of Y stems from X,

    P(Y = . | do(X = x)) - P(Y = .) = W(X, Y) (1{. = x} - P(X = .)):

effects of several paths add up and never cancel. An edge X -> Y that copies with probability c has an effect of at
least c (1 - 1/K), and X moves a mean reward with values from 0 to 1 on X_R by at least W(X, X_R) / 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from replication.papers.lu2021.shapes import Parents

FloatArray = NDArray[np.float64]

#: The most that a variable copies, so that all its states keep a probability above zero.
MOST = 1 - 1e-6


def ancestors(parents: Parents, nodes: Sequence[int]) -> set[int]:
    """Find all ancestors of ``nodes``, these included."""
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
    """Draw with which probability each node copies each of its parents.

    Every edge's is at least epsilon / (1 - 1/K). A node above a reward variable copies so much in all that, along the
    longest path, at least ``2 gap`` of the effect is left; others copy anything.

    Raises
    ------
    ValueError
        If a node has too many parents for ``epsilon``, or ``gap`` is not below 1/2.
    """
    least = epsilon / (1 - 1 / states)
    if not 0 < 2 * gap < 1:
        raise ValueError(f"reward gap {gap}: expected a number above 0 and below 1/2")
    above, longest = ancestors(parents, reward), max(1, longest_path(parents, reward))
    probabilities = []
    for node, own in enumerate(parents):
        if len(own) * least > MOST:
            raise ValueError(
                f"epsilon {epsilon}: a node has {len(own)} parents; expected at most {MOST * (1 - 1 / states):g} "
                f"divided by their number"
            )
        low = len(own) * least
        total = np.exp(rng.uniform() * np.log(2 * gap) / longest) if node in above else rng.uniform(low, MOST)
        shares = rng.dirichlet(np.ones(len(own))) if own else np.zeros(0)
        probabilities.append(least + shares * (min(max(total, low), MOST) - low))
    return probabilities


def copying_scm(
    names: Sequence[str], parents: Parents, copies: Sequence[FloatArray], states: int, rng: np.random.Generator
) -> DiscreteSCM:
    """Build the model in which every node copies a parent or draws a state of its own.

    Parameters
    ----------
    names : sequence of str
        Of nodes 0, 1, ...
    parents : list of list of int
    copies : sequence of float64 array, shape (parents,)
        How probably each node copies each of its parents; the sum is at most 1.
    states : int
        K, at least 2.
    rng : numpy.random.Generator
        For the nodes' own distributions, Dirichlet(2, ..., 2), and for what their states are called.
    """
    cpts = {}
    called = [rng.permutation(states) for _ in names]  # called[v][s]: the state of v that copies the parent's s
    drawn = rng.dirichlet(np.full(states, 2.0), size=len(parents))
    for node, (own, copy) in enumerate(zip(parents, copies, strict=True)):
        table = np.zeros((states,) * (len(own) + 1))
        for axis, (p, c) in enumerate(zip(own, copy, strict=True)):
            table.swapaxes(0, axis)[called[p], ..., called[node]] += c
        table += (1 - copy.sum()) * drawn[node]
        cpts[names[node]] = CPT([names[p] for p in own], table)
    graph = ADMG([(p, v) for v, cpt in cpts.items() for p in cpt.parents], nodes=names)
    return DiscreteSCM(graph, cpts)
