"""Draw random models of graphs with and without the exchange condition before Theorem 4 (E01)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from causal_bandits.estimation.bounds import find_rsi
from causal_bandits.graphs import ADMG
from causal_bandits.models.families import uniform_cpt
from experiments.stages import Generators

#: Graphs over X, Z, W and Y, in each of which {W} is a substitute as printed; S is apart from all.
GRAPHS = {
    "Z -> W, Z -> Y, W -> Y": ADMG([("X", "Y"), ("Z", "W"), ("Z", "Y"), ("W", "Y")], nodes="S"),
    "Z -> Y, W -> Y": ADMG([("X", "Y"), ("Z", "Y"), ("W", "Y")], nodes="S"),
    "W -> Z, Z -> Y, W -> Y": ADMG([("X", "Y"), ("W", "Z"), ("Z", "Y"), ("W", "Y")], nodes="S"),
}


#: Differences below this are rounding.
ROUNDING = 1e-9


def substitutes(name: str, exchange: bool) -> bool:
    """Tell whether {W} is a substitute in one of `GRAPHS`, as Theorem 4 prints it or with ``exchange``."""
    found = find_rsi(GRAPHS[name], treatment=["X"], context=[], outcome="Y", exchangeable=exchange)
    return frozenset("W") in {each.variables for each in found}


def exchangeable(name: str) -> bool:
    """Tell whether {W} meets the exchange condition before Theorem 4 in one of `GRAPHS`."""
    return substitutes(name, exchange=True)


def random_models(seeds: Iterable[int], generators: Generators) -> pa.Table:
    """Measure how far P_x(Y=1) lies outside the extremes over w of P_{x,w}(Y=1), on uniform random models.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; a seed draws one model of each of `GRAPHS`.

    Returns
    -------
    table
        Columns ``seed, graph`` and ``excess``, for the worse x; negative inside.
    """
    rows = [
        {"seed": seed, "graph": name, "excess": _excess(graph, rng)}
        for seed in seeds
        for rng in (generators(seed),)
        for name, graph in GRAPHS.items()
    ]
    return pa.Table.from_pylist(rows)


def _excess(graph: ADMG, rng: np.random.Generator) -> float:
    scm = uniform_cpt(graph, rng)
    excess = []
    for x in (0, 1):
        effect = scm.expectation("Y", do={"X": x})
        forced = [scm.expectation("Y", do={"X": x, "W": w}) for w in (0, 1)]
        excess += [min(forced) - effect, effect - max(forced)]
    return max(excess)
