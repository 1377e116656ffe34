"""Compare the bounds of Theorem 2 with the exact counterfactual mean, on random models (E08)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from causal_bandits.graphs import ADMG
from causal_bandits.models.counterfactual import UserModel, bounds, corrected_bounds, counterfactual_means
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.models.families import uniform_cpt
from experiments.stages import Builder, Generators

#: The user's features, with the sensitive one first; B descends from it.
CONTEXT = ("S", "B")
#: Possible members of Z, the reward's parents outside context and arm.
INTERMEDIATE = ("I1", "I2", "I3")
#: A single arm, which sets nothing.
ARMS: list[dict[str, int]] = [{}]


def random_model(rng: np.random.Generator) -> tuple[DiscreteSCM, dict[str, float]]:
    """Draw a random Markovian model of binary variables, and the reward's weights.

    S causes B, and both are context; every other edge along the order S, B, I1, I2, I3 is present with probability
    1/2, and every conditional probability is uniform on [0, 1]. Each variable but S is a parent of the reward with
    probability 1/2, with a weight uniform on [-1, 1].
    """
    order = [*CONTEXT, *INTERMEDIATE]
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    edges = [pair for pair in pairs if pair == CONTEXT or rng.random() < 0.5]
    weights = {v: float(rng.uniform(-1, 1)) for v in order[1:] if rng.random() < 0.5}
    return uniform_cpt(ADMG(edges, nodes=order), rng), weights


def theorem_2(seeds: Iterable[int], generators: Generators) -> pa.Table:
    """Measure how far the exact E[R | s* = 1, x] lies outside Theorem 2's interval, on random models.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`.

    Returns
    -------
    table
        Columns ``seed``; ``descends``, whether a member of Z descends from S; and, maximised over users, ``printed``
        and ``corrected``: how far the mean lies outside the interval as printed, and outside that with Z's weights
        inside the extremes; negative if inside.
    """
    rows = []
    for seed in seeds:
        scm, weights = random_model(generators(seed))
        model = UserModel(scm, CONTEXT, "S", ARMS, weights, 0.0)
        exact = counterfactual_means(model, 1)
        row: dict[str, int | bool | float] = {"seed": seed}
        row["descends"] = bool(scm.graph.descendants("S") & weights.keys() & set(INTERMEDIATE))
        for name, (lower, upper) in (("printed", bounds(model, 1)), ("corrected", corrected_bounds(model, 1))):
            row[name] = float(np.maximum(lower - exact, exact - upper).max())
        rows.append(row)
    return pa.Table.from_pylist(rows)


BOUNDS: dict[str, Builder] = {"theorem_2": theorem_2}
