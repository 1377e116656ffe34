"""The bandits of lu2021: random ones, the constructions of its proofs, and Fig. 1's tree.

Random ones satisfy its assumptions; the constructions violate them. The paper publishes no instance. Whatever its
construction promises, each drawn model is checked here to satisfy Assumptions 2 and 3 with the requested constants, by
computing the exact ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.single_node import TRUTH, SingleNodeBandit, Told
from causal_bandits.problems.construction.lu2021 import shapes
from causal_bandits.problems.construction.lu2021.copying import copy_probabilities, copying_scm
from causal_bandits.problems.construction.lu2021.learned import frequencies, learned_graph
from causal_bandits.problems.construction.lu2021.shapes import Parents
from causal_bandits.seeding import stable_hash

#: The largest number of models drawn in search of one that satisfies the assumptions.
ATTEMPTS = 200
#: Standard deviation of the Gaussian noise. A mean in [0, 1] that depends on the state of X_R is 1/2-subGaussian
#: (Hoeffding's lemma), so with this noise the reward of every arm is 1-subGaussian, as Section 3.2 assumes (L129).
SD = sqrt(3) / 2


def generator(kind: str, draw: int) -> np.random.Generator:
    """Create the random generator for draw ``draw`` of a kind of problem."""
    return np.random.default_rng([stable_hash(f"lu2021/{kind}"), draw])


def names(n: int) -> list[str]:
    """Name n variables X1, ..., Xn, with leading zeros, so that they sort by number."""
    return [f"X{i:0{len(str(n))}}" for i in range(1, n + 1)]


def assumed(
    parents: Parents,
    rng: np.random.Generator,
    states: int = 3,
    epsilon: float = 0.1,
    reward_gap: float = 0.2,
    rewards: int = 1,
    together: int = 1,
    told: str = "set",
    sd: float = SD,
) -> SingleNodeBandit:
    """Draw a random model on a DAG that satisfies Assumptions 2 and 3 with at least these constants.

    Parameters
    ----------
    parents : list of list of int
    rng : numpy.random.Generator
    states : int
        K.
    epsilon, reward_gap : float
        The constants of Assumptions 2 and 3.
    rewards : int
        The number of reward variables, which may be any nodes. The values of one are 0 and 1 at two of its states and
        uniform between these at the others; several reward variables have equal shares of the reward.
    together : int
        See `SingleNodeBandit`.
    told : {"set", "exact"}
        Whether the learner is told these constants, or those that the model turns out to have (L122).
    sd : float
        Standard deviation of the noise, > 0. The learner is told that the standard deviation of every arm's reward is
        at most 1.

    Raises
    ------
    ValueError
        If none of `ATTEMPTS` models satisfies the assumptions.
    """
    if told not in ("set", "exact"):
        raise ValueError(f"told {told!r}: expected set or exact")
    if not 1 <= rewards <= len(parents) or states < 2:
        raise ValueError(f"rewards={rewards}, states={states}: expected 1 to {len(parents)}, and at least 2")
    n, best = len(parents), 0.0
    known = names(n)
    for _ in range(ATTEMPTS):
        reward = rng.choice(n, size=rewards, replace=False).tolist()
        copies = copy_probabilities(parents, reward, states, epsilon, reward_gap, rng)
        shown = [known[i] for i in rng.permutation(n)]  # the order of the names says nothing about causes
        scm = copying_scm(shown, parents, copies, states, rng)
        bandit = SingleNodeBandit(
            scm,
            {shown[v]: (_values(states, rng) / rewards).tolist() for v in reward},
            sd=sd,
            told=(Told(epsilon, reward_gap) if told == "set" else TRUTH)._replace(sd=1.0),
            together=together,
        )
        best = max(best, bandit.least_gap)
        # A constant that is reached up to rounding counts as reached.
        if bandit.least_gap >= reward_gap - 1e-9 and bandit.least_effect >= epsilon - 1e-9:
            return bandit
    raise ValueError(f"reward_gap {reward_gap}: the largest of {ATTEMPTS} models on this graph is {best:.3g}")


def _values(states: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the mean rewards of the states of a reward variable.

    They are 0, 1 and uniform values between these, in random order.
    """
    return rng.permutation([0.0, 1.0, *rng.uniform(size=states - 2)])


def tree(nodes: int, shape: str = "uniform", degree: int = 3, draw: int = 0, **model: Any) -> SingleNodeBandit:
    """Draw a causal tree with a model that satisfies the assumptions.

    Parameters
    ----------
    nodes : int
    shape : str
        A key of `shapes.SHAPES`.
    degree : int
        The degree of the inner nodes of a ``regular`` tree.
    draw : int
    **model
        See `assumed`.
    """
    rng = generator("tree", draw)
    return assumed(shapes.tree(nodes, shape, degree, rng), rng, **model)


def forest(
    size: int,
    components: int,
    colliders: int = 0,
    shape: str = "uniform",
    degree: int = 3,
    draw: int = 0,
    **model: Any,
) -> SingleNodeBandit:
    """Draw a causal forest: trees of one size side by side, and colliders between pairs of them.

    Parameters
    ----------
    size, components : int
        The number of nodes of each tree, and the number of trees: either can change while the other does not (L176).
    colliders : int
        Further nodes with one parent in each of two trees: chain components of one node.
    shape, degree, draw
        As for `tree`.
    **model
        See `assumed`.
    """
    if components < 1:
        raise ValueError(f"components={components}: expected at least 1")
    rng = generator("forest", draw)
    trees = [shapes.tree(size, shape, degree, rng) for _ in range(components)]
    return assumed(shapes.with_colliders(trees, colliders, rng), rng, **model)


def general(
    size: int,
    kind: str = "interval",
    clique: int = 3,
    degree: int = 2,
    components: int = 1,
    colliders: int = 0,
    draw: int = 0,
    **model: Any,
) -> SingleNodeBandit:
    """Draw moral DAGs with chordal skeletons, equal in size and side by side, and colliders between pairs of them.

    Parameters
    ----------
    size : int
        The number of nodes of each.
    kind : str
        A key of `shapes.CHORDAL`.
    clique : int
        The largest number of nodes of a clique.
    degree : int
        The degree of the junction tree, for the kind ``regular``.
    components : int
    colliders : int
        As for `forest`.
    draw : int
    **model
        See `assumed`.
    """
    if components < 1:
        raise ValueError(f"components={components}: expected at least 1")
    rng = generator(f"general/{kind}", draw)
    parts = [shapes.chordal(size, kind, clique, rng, degree) for _ in range(components)]
    return assumed(shapes.with_colliders(parts, colliders, rng), rng, **model)


def learned(graphs: str | Path, samples: int, draw: int, **options: Any) -> SingleNodeBandit:
    """Draw a `tree` whose learner has observations instead of the essential graph and the probabilities.

    It needs pyarrow and a table of learned graphs.

    Parameters
    ----------
    graphs : path
        A Parquet file with the edges of the graph that each ``seed`` learned from each number of ``samples``, with
        ``source``, ``target`` and ``kind`` ("directed" or "undirected"), for the same options. The study creates it:
        `replication.papers.lu2021.stages.learn_graphs`.
    samples : int
        The number of observations that the learner has: one for which the table has graphs.
    draw : int
    **options
        See `tree`.
    """
    bandit = tree(draw=draw, **options)
    graph = learned_graph(graphs, samples, draw, bandit.variables)
    return bandit.with_told(bandit.told._replace(essential=graph, marginals=frequencies(bandit, samples, draw)))


#: A tree with Fig. 1's trace: the first central node, X2, is not an ancestor of X7; the next, X3, is, and has parent
#: X1.
FIGURE1 = [
    ("X1", "X2"),
    ("X1", "X3"),
    ("X2", "X4"),
    ("X2", "X5"),
    ("X4", "X8"),
    ("X5", "X9"),
    ("X3", "X6"),
    ("X3", "X7"),
]


def figure1(states: int = 2, kept: float = 0.9) -> SingleNodeBandit:
    """Build Fig. 1's tree with the reward on X7.

    Every node keeps its parent's state with probability ``kept``.
    """
    copy = kept * np.eye(states) + (1 - kept) / states
    cpts = {"X1": CPT((), np.full(states, 1 / states))} | {v: CPT((p,), copy) for p, v in FIGURE1}
    values = np.linspace(0, 1, states).tolist()
    return SingleNodeBandit(DiscreteSCM(ADMG(FIGURE1), cpts), {"X7": values}, sd=SD)


def _line(order: Sequence[int], n: int, copy: np.ndarray) -> DiscreteSCM:
    """Build a chain of numbered variables, the first always in state 0, with one table for all others."""
    known = names(n)
    shown = [known[i - 1] for i in order]
    first = np.eye(len(copy))[0]
    cpts = {v: CPT(shown[i - 1 : i], copy if i else first) for i, v in enumerate(shown)}
    return DiscreteSCM(ADMG(pairwise(shown), nodes=shown), cpts)


def _needle(
    scm: DiscreteSCM, node: int, state: int, horizon: int, settable: Sequence[int], told: Told
) -> SingleNodeBandit:
    """Give one state of one variable the reward Delta = sqrt(nK/T) / 4 (proof of Theorem 4)."""
    n = len(scm.variables)
    size = 0.25 * np.sqrt(n * len(settable) / horizon)
    values = np.where(np.arange(scm.cardinality(names(n)[0])) == state, size, 0.0).tolist()
    told = told._replace(reward_gap=min(1.0, size) if told.reward_gap is None else told.reward_gap)
    return SingleNodeBandit(scm, {names(n)[node - 1]: values}, told=told, settable=tuple(settable))


def theorem4(
    nodes: int, states: int, horizon: int, epsilon: float = 0.1, reward_gap: float | None = None, draw: int = 0
) -> SingleNodeBandit:
    """Draw an instance from the proof of Theorem 4, one in which a state is rewarded.

    Without interventions all variables are constant.

    Parameters
    ----------
    nodes, states, horizon : int
        n, K and T: variables have K + 1 states, and arms set 1, ..., K.
    epsilon, reward_gap : float
        What the learner is told; no value of epsilon is true. By default ``reward_gap`` is the reward.
    draw : int
    """
    rng = generator("theorem4", draw)
    j, k = int(rng.integers(1, nodes + 1)), int(rng.integers(1, states + 1))
    order = list(range(nodes, 0, -1)) if j == nodes else [j, *(i for i in range(1, nodes + 1) if i != j)]
    constant = np.tile(np.eye(states + 1)[0], (states + 1, 1))
    return _needle(_line(order, nodes, constant), j, k, horizon, range(1, states + 1), Told(epsilon, reward_gap))


def theorem5(
    nodes: int,
    states: int,
    horizon: int,
    epsilon: float = 0.5,
    reward_gap: float | None = None,
    beyond: int = 1,
    draw: int = 0,
) -> SingleNodeBandit:
    """Draw an instance from the proof of Theorem 5, one in which a state is rewarded.

    X_R is last, and no arm on another variable changes the reward.

    Parameters
    ----------
    nodes, states, horizon : int
        n, K and T: variables have K + 2 states, and arms set 2, ..., K + 1.
    epsilon, reward_gap : float
        What the learner is told; no value of ``reward_gap`` is true. By default it is the reward.
    beyond : {0, 1}
        The state that follows a state of 2 or more, which the paper leaves open. With 0, no arm changes any other
        variable, so Assumption 2 holds only through interventions that are not among the arms (L123).
    draw : int
    """
    if beyond not in (0, 1):
        raise ValueError(f"beyond={beyond}: expected 0 or 1")
    rng = generator("theorem5", draw)
    j, k = int(rng.integers(1, nodes + 1)), int(rng.integers(2, states + 2))
    order = [*range(j - 1, 0, -1), *range(nodes, j - 1, -1)]
    copy = np.eye(states + 2)[[0, 1, *[beyond] * states]]
    return _needle(_line(order, nodes, copy), j, k, horizon, range(2, states + 2), Told(epsilon, reward_gap))


#: The problems by name.
PROBLEMS: dict[str, Callable[..., SingleNodeBandit]] = {
    "tree": tree,
    "forest": forest,
    "general": general,
    "learned": learned,
    "figure1": figure1,
    "theorem4": theorem4,
    "theorem5": theorem5,
}
