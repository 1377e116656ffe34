"""How often the interval of Theorem 2 misses the exact counterfactual mean, on random models (E08)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from causal_bandits.evaluation.results import Results
from causal_bandits.graphs import ADMG

if TYPE_CHECKING:
    from causal_bandits.models.discrete_scm import DiscreteSCM

#: The user's features, the sensitive one first; B descends from it.
CONTEXT = ("S", "B")
#: Possible members of Z, the reward's parents outside context and arm.
INTERMEDIATE = ("I1", "I2", "I3")
#: Nothing is set: one arm.
ARMS: list[dict[str, int]] = [{}]
#: Random models, seeds 0, 1, ...
MODELS = 1000
#: Differences below this are rounding.
_ROUNDING = 1e-9


def random_model(seed: int) -> tuple[DiscreteSCM, dict[str, float]]:
    """A random Markovian model of binary variables, and the reward's weights.

    S causes B, which the context holds too; every other edge along S, B, I1, I2, I3 is there with probability 1/2, and
    every conditional probability is uniform on [0, 1]. Each variable but S is a parent of the reward with probability
    1/2, with a weight uniform on [-1, 1].

    Parameters
    ----------
    seed : int
        At least 0.
    """
    from causal_bandits.models.families import uniform_cpt  # loads Numba, which other tables do not need

    rng = np.random.default_rng([2022, seed])
    order = [*CONTEXT, *INTERMEDIATE]
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    edges = [pair for pair in pairs if pair == CONTEXT or rng.random() < 0.5]
    weights = {v: float(rng.uniform(-1, 1)) for v in order[1:] if rng.random() < 0.5}
    return uniform_cpt(ADMG(edges, nodes=order), rng), weights


def theorem_2(results: Results) -> pd.DataFrame:
    """Theorem 2 as printed, and with Z's weights inside the extremes, where members of Z descend from S and where not.

    A model is missed if for some user the exact E[R | s* = 1, x] lies outside the interval.
    """
    from causal_bandits.models.counterfactual import UserModel, bounds, corrected_bounds, counterfactual_means

    models: dict[bool, int] = {True: 0, False: 0}
    excess: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for seed in range(MODELS):
        scm, weights = random_model(seed)
        descends = bool(scm.graph.descendants("S") & weights.keys() & set(INTERMEDIATE))
        model = UserModel(scm, CONTEXT, "S", ARMS, weights, 0.0)
        exact = counterfactual_means(model, 1)
        misses = []
        for lower, upper in (bounds(model, 1), corrected_bounds(model, 1)):
            misses.append(float(np.maximum(lower - exact, exact - upper).max()))
        models[descends] += 1
        excess[descends].append((misses[0], misses[1]))
    rows = []
    for descends, said in ((True, "a member of Z descends from S"), (False, "none does")):
        printed, corrected = np.array(excess[descends]).T
        rows.append(
            {
                "random models in which": said,
                "models": models[descends],
                "missed by Theorem 2": int((printed > _ROUNDING).sum()),
                "by at most": f"{max(printed.max(), 0):.3f}",
                "missed by the corrected bounds": int((corrected > _ROUNDING).sum()),
            }
        )
    return pd.DataFrame(rows)
