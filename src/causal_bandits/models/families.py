"""Random parameters for a causal diagram, for papers that publish only the diagram (L01, L70)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from causal_bandits.arrays import BoolArray, FloatArray, IntArray
from causal_bandits.graphs.admg import ADMG, hidden_name
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM

Family = Callable[[ADMG, np.random.Generator], DiscreteSCM]
Range = tuple[float, float]

#: Gates by name: functions of an array of zeros and ones whose first axis indexes the inputs.
GATES: dict[str, Callable[[IntArray], BoolArray]] = {
    "xor": lambda inputs: inputs.sum(axis=0) % 2 == 1,
    "and": lambda inputs: inputs.min(axis=0) == 1,
    "or": lambda inputs: inputs.max(axis=0) == 1,
}


def uniform_cpt(graph: GraphLike, rng: np.random.Generator, *, confounders: Range = (0.5, 0.5)) -> DiscreteSCM:
    """Draw a binary SCM in which every P(V=1 | parents, confounders) is uniform on [0, 1].

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        Each bidirected edge becomes one hidden binary cause.
    rng : numpy.random.Generator
    confounders : pair of float
        Each confounder is 1 with a probability that is uniform between these; by default all are fair coins.
    """

    def probability_of_one(variable: str, parents: int) -> FloatArray:
        return rng.uniform(size=(2,) * parents)

    return _binary_scm(graph, confounder=partial(_between, rng, confounders), probability_of_one=probability_of_one)


def noisy_gates(
    graph: GraphLike,
    rng: np.random.Generator,
    *,
    gates: Sequence[str] = ("xor",),
    negations: bool = False,
    confounders: Range = (0.4, 0.6),
    noise: Range = (0.01, 0.1),
    roots: Range = (0.1, 0.9),
) -> DiscreteSCM:
    """Draw a binary SCM whose variables are gates of their parents and confounders.

    Each variable has a noise bit that flips the gate's output.

    The ranges are those of the authors' public code for Lee & Bareinboim (2018), whose gates are exclusive ors, some of
    them negated, and, in one model, an or of an and.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        Each bidirected edge becomes one hidden binary cause.
    rng : numpy.random.Generator
    gates : sequence of str
        Keys of `GATES`; one of them is drawn for every variable.
    negations : bool
        Whether every input of a gate is negated with probability 1/2.
    confounders, noise, roots : pair of float
        Confounders, noise bits, and the noise bits of variables without parents or confounders are 1 with
        probabilities that are uniform on these ranges, respectively.
    """

    def probability_of_one(variable: str, parents: int) -> FloatArray:
        flip = _between(rng, noise if parents else roots)
        gate = gates[int(rng.integers(len(gates)))] if len(gates) > 1 else gates[0]
        negated = rng.integers(2, size=parents) if negations else np.zeros(parents, dtype=np.int64)
        inputs = np.indices((2,) * parents) ^ negated.reshape(parents, *(1,) * parents)
        return np.where(GATES[gate](inputs) if parents else False, 1 - flip, flip)

    return _binary_scm(graph, confounder=partial(_between, rng, confounders), probability_of_one=probability_of_one)


def hundredths_xor(graph: GraphLike, rng: np.random.Generator) -> DiscreteSCM:
    """Draw a binary SCM whose variables are exclusive ors.

    Each is the exclusive or of its parents, its confounders and its own noise bit. Every noise bit and every confounder
    is 1 with a probability that is uniform on 0.01, 0.02, ..., 0.99: the values of a table of probabilities with two
    decimals. A noise bit with probability 1 - p is the negation of one with p.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        Each bidirected edge becomes one hidden binary cause.
    rng : numpy.random.Generator
    """

    def hundredths() -> float:
        return float(rng.integers(1, 100)) / 100

    def probability_of_one(variable: str, parents: int) -> FloatArray:
        flip = hundredths()
        return np.where(GATES["xor"](np.indices((2,) * parents)) if parents else False, 1 - flip, flip)

    return _binary_scm(graph, confounder=hundredths, probability_of_one=probability_of_one)


def _between(rng: np.random.Generator, ends: Range) -> float:
    low, high = ends
    return float(rng.uniform(low, high)) if low < high else low


def _binary_scm(
    graph: GraphLike, confounder: Callable[[], float], probability_of_one: Callable[[str, int], FloatArray]
) -> DiscreteSCM:
    """Draw every variable's probability of being 1, first the confounders', then the others' in topological order."""
    graph = as_admg(graph)
    ones: dict[str, FloatArray] = {hidden_name(*edge): np.asarray(confounder()) for edge in sorted(graph.bidirected)}
    for v in graph.topological_order:
        ones[v] = probability_of_one(v, len(inputs_of(graph, v)))
    return from_ones(graph, ones)


def from_ones(graph: GraphLike, ones: Mapping[str, FloatArray]) -> DiscreteSCM:
    """Create the binary SCM with given probabilities of one.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        Each bidirected edge is one hidden binary cause, named by `hidden_name`.
    ones : mapping from str to float64 array, shape (2,) * inputs
        For every confounder and variable; axes: its parents in order of name, then its confounders.
    """
    graph = as_admg(graph)
    inputs = {hidden_name(*edge): () for edge in graph.bidirected} | {v: inputs_of(graph, v) for v in graph.nodes}
    return DiscreteSCM(graph, {v: CPT(inputs[v], np.stack([1 - ones[v], ones[v]], axis=-1)) for v in inputs})


def inputs_of(graph: ADMG, variable: str) -> tuple[str, ...]:
    """Return the parents of ``variable`` in order of name, then its confounders."""
    hidden = [hidden_name(*edge) for edge in sorted(graph.bidirected) if variable in edge]
    return (*sorted(graph.parents(variable)), *hidden)


#: The families by the names that config files use.
FAMILIES: dict[str, Family] = {
    "uniform_cpt": uniform_cpt,
    "skewed_cpt": partial(uniform_cpt, confounders=(0.01, 0.99)),
    "noisy_xor": noisy_gates,
    "negated_xor": partial(noisy_gates, negations=True),
    "noisy_gates": partial(noisy_gates, gates=("xor", "and", "or"), negations=True, confounders=(0.01, 0.99)),
    "hundredths_xor": hundredths_xor,
}
