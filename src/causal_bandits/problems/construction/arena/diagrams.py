"""Random causal diagrams with a reward: the arena's own family, and two from graph theory (ledger L247).

Sources: Erdős & Rényi (1959), "On random graphs I", in Gilbert's form, in which every pair is an edge independently of
the others; Barabási & Albert (1999), "Emergence of scaling in random networks".
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from causal_bandits.graphs.admg import ADMG, Edge

#: The reward.
REWARD = "Y"
#: The families of diagrams, taken in turn by the draws: half of the diagrams are of the arena's own family.
FAMILIES = ("own", "erdos_renyi", "own", "scale_free")
#: The largest number of causes of a variable other than the reward in the first family, and of any variable in the
#: last.
CAUSES = 2
#: The expected number of neighbours in the second family, and the largest share of pairs that are edges.
DEGREE, DENSITY = 3.0, 0.5


def random_diagram(nodes: int, confounders: int, family: str, rng: np.random.Generator) -> ADMG:
    """Draw a diagram of X1, ..., Xn in random causal order and a reward Y without effects.

    Parameters
    ----------
    nodes : int
        n >= 2.
    confounders : int
        The number of pairs of variables, including Y, that share a hidden cause; the first is Y with another variable.
    family : str
        ``own``: the reward has a number of causes drawn uniformly from 1 to n/2 (rounded up), and each other variable
        up to two, if that many come before it. ``erdos_renyi``: every pair is an edge with probability min(1/2, 3/n); a
        reward without causes is given one. ``scale_free``: each variable has two causes, drawn among those before it
        with a probability proportional to the number of their neighbours so far, plus one.
    rng : numpy.random.Generator

    Raises
    ------
    ValueError
        If the family is unknown, there are fewer pairs than ``confounders``, or fewer than two variables.
    """
    pairs = (nodes + 1) * nodes // 2
    if nodes < 2 or not 0 <= confounders <= pairs or family not in FAMILIES:
        raise ValueError(
            f"nodes={nodes}, confounders={confounders}, family={family!r}: expected at least 2, 0 to {pairs}, and one "
            f"of {', '.join(sorted(set(FAMILIES)))}"
        )
    names = [f"X{i}" for i in range(1, nodes + 1)]
    order = [names[i] for i in rng.permutation(nodes)]
    bidirected = _confounded_pairs(names, confounders, rng)
    draw = {"own": _own, "erdos_renyi": _erdos_renyi, "scale_free": _scale_free}[family]
    return ADMG(draw([*order, REWARD], rng), bidirected, [*names, REWARD])


def _confounded_pairs(names: Sequence[str], confounders: int, rng: np.random.Generator) -> list[Edge]:
    """Draw the pairs that share a hidden cause; the random numbers used do not depend on how many are requested."""
    first = (names[int(rng.integers(len(names)))], REWARD)
    others = [pair for pair in combinations([*names, REWARD], 2) if pair != first]
    return [first, *(others[i] for i in rng.permutation(len(others)))][:confounders]


def _own(order: Sequence[str], rng: np.random.Generator) -> list[Edge]:
    n, directed = len(order) - 1, list[Edge]()
    for i, node in enumerate(order):
        size = int(rng.integers(1, (n + 1) // 2 + 1)) if i == n else int(rng.integers(min(i, CAUSES) + 1))
        directed += [(order[j], node) for j in rng.choice(i, size=size, replace=False)] if size else []
    return directed


def _erdos_renyi(order: Sequence[str], rng: np.random.Generator) -> list[Edge]:
    n = len(order) - 1
    directed = [pair for pair in combinations(order, 2) if rng.random() < min(DENSITY, DEGREE / n)]
    if not any(effect == REWARD for _, effect in directed):
        directed.append((order[int(rng.integers(n))], REWARD))
    return directed


def _scale_free(order: Sequence[str], rng: np.random.Generator) -> list[Edge]:
    neighbours, directed = np.zeros(len(order)), list[Edge]()
    for i in range(1, len(order)):
        weight = neighbours[:i] + 1
        for cause in rng.choice(i, size=min(i, CAUSES), replace=False, p=weight / weight.sum()).tolist():
            directed.append((order[cause], order[i]))
            neighbours[[cause, i]] += 1
    return directed
