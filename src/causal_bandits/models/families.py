"""Random parametrisations of a causal diagram, for experiments whose papers publish the diagram alone (ledger L01)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from causal_bandits.graphs.admg import ADMG, hidden_name
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM

Family = Callable[[ADMG, np.random.Generator], DiscreteSCM]


def uniform_cpt(graph: ADMG, rng: np.random.Generator) -> DiscreteSCM:
    """Binary SCM whose every P(V=1 | parents, confounders) is uniform on [0, 1]; confounders are fair coins.

    Parameters
    ----------
    graph : ADMG
        Each bidirected edge becomes one hidden binary cause.
    rng : numpy.random.Generator
    """

    def probability_of_one(variable: str, parents: int) -> np.ndarray:
        return rng.uniform(size=(2,) * parents)

    return _binary_scm(graph, confounder=lambda: 0.5, probability_of_one=probability_of_one)


def noisy_xor(graph: ADMG, rng: np.random.Generator) -> DiscreteSCM:
    """Binary SCM in which every variable is the exclusive or of its parents, its confounders and its own noise bit.

    Noise bits are 1 with probability U(0.01, 0.1), those of variables without parents and confounders with U(0.1, 0.9),
    confounders with U(0.4, 0.6): the convention of the authors' public code for Lee & Bareinboim (2018).

    Parameters
    ----------
    graph : ADMG
        Each bidirected edge becomes one hidden binary cause.
    rng : numpy.random.Generator
    """

    def probability_of_one(variable: str, parents: int) -> np.ndarray:
        noise = rng.uniform(0.01, 0.1) if parents else rng.uniform(0.1, 0.9)
        parity = np.indices((2,) * parents).sum(axis=0) % 2
        return np.where(parity == 1, 1 - noise, noise)

    return _binary_scm(graph, confounder=lambda: rng.uniform(0.4, 0.6), probability_of_one=probability_of_one)


def _binary_scm(
    graph: ADMG, confounder: Callable[[], float], probability_of_one: Callable[[str, int], np.ndarray]
) -> DiscreteSCM:
    cpts, hidden_of = {}, {v: [] for v in graph.nodes}  # type: dict[str, CPT], dict[str, list[str]]
    for a, b in sorted(graph.bidirected):
        one = confounder()
        cpts[hidden_name(a, b)] = CPT((), np.array([1 - one, one]))
        hidden_of[a].append(hidden_name(a, b))
        hidden_of[b].append(hidden_name(a, b))
    for v in graph.topological_order:
        parents = (*sorted(graph.parents(v)), *hidden_of[v])
        ones = probability_of_one(v, len(parents))
        cpts[v] = CPT(parents, np.stack([1 - ones, ones], axis=-1))
    return DiscreteSCM(graph, cpts)


#: Names that config files use.
FAMILIES: dict[str, Family] = {"uniform_cpt": uniform_cpt, "noisy_xor": noisy_xor}
