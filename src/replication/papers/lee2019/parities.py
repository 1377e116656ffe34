"""Arms of a model of noisy exclusive ors.

Which noises lie between an arm and the reward, and what do they leave of it? Every variable is the exclusive or of its
parents, its confounders and its own noise bit. So under an intervention the reward is the exclusive or of the
intervened values of some variables and of some noises and confounders: those that reach it along an odd number of
paths. With p the probability of each, P(Y = 1) = (1 -+ prod (1 - 2 p)) / 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from causal_bandits.graphs.admg import ADMG, hidden_name


def sources(graph: ADMG, intervened: Iterable[str], reward: str = "Y") -> frozenset[str]:
    """Find the noises and confounders that reach the reward along an odd number of paths.

    Parameters
    ----------
    graph : ADMG
    intervened : iterable of str
    reward : str

    Returns
    -------
    frozenset of str
        A variable's name stands for its own noise; confounders have their `hidden_name`.
    """
    chosen = frozenset(intervened)
    return _reach(graph, chosen, reward) - chosen


def sign_of(graph: ADMG, values: Mapping[str, int], reward: str = "Y") -> int:
    """Sign of P(Y = 1) - 1/2 under an intervention whose noises all have p < 1/2: 1 or -1.

    Parameters
    ----------
    graph : ADMG
    values : mapping from str to int
        The intervention, 0 or 1 per variable.
    reward : str
    """
    reaching = _reach(graph, frozenset(values), reward)
    return 1 if sum(value for v, value in values.items() if v in reaching) % 2 else -1


def _reach(graph: ADMG, intervened: frozenset[str], reward: str) -> frozenset[str]:
    """Find what reaches the reward along an odd number of paths.

    It is noises, confounders and intervened values, by name.
    """
    inputs: dict[str, frozenset[str]] = {}
    for v in graph.topological_order:
        found = frozenset({v})
        if v not in intervened:
            for parent in graph.parents(v):
                found ^= inputs[parent]
            for edge in graph.bidirected:
                if v in edge:
                    found ^= {hidden_name(*edge)}
        inputs[v] = found
    return inputs[reward]


def ones(graph: ADMG, probabilities: Mapping[str, float]) -> dict[str, NDArray[np.float64]]:
    """Return the probabilities of one of every variable and confounder.

    They have the form of `causal_bandits.models.families.from_ones`.

    Parameters
    ----------
    graph : ADMG
    probabilities : mapping from str to float
        Of the noise of every variable, and of every confounder.
    """
    found = {hidden_name(*edge): np.asarray(probabilities[hidden_name(*edge)]) for edge in sorted(graph.bidirected)}
    for v in graph.nodes:
        inputs = len(graph.parents(v)) + sum(v in edge for edge in graph.bidirected)
        parity = np.indices((2,) * inputs).sum(axis=0) % 2
        found[v] = np.where(parity == 1, 1 - probabilities[v], probabilities[v])
    return found
