"""Theorem 4 with and without the exchange condition that stands before it, on random models (E01)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from causal_bandits.estimation.bounds import find_rsi
from causal_bandits.evaluation.results import Results
from causal_bandits.graphs import ADMG
from causal_bandits.models.families import uniform_cpt

#: Graphs over X, Z, W and Y, in each of which {W} is a substitute as printed; S is apart from all.
GRAPHS = {
    "Z -> W, Z -> Y, W -> Y": ADMG([("X", "Y"), ("Z", "W"), ("Z", "Y"), ("W", "Y")], nodes="S"),
    "Z -> Y, W -> Y": ADMG([("X", "Y"), ("Z", "Y"), ("W", "Y")], nodes="S"),
    "W -> Z, Z -> Y, W -> Y": ADMG([("X", "Y"), ("W", "Z"), ("Z", "Y"), ("W", "Y")], nodes="S"),
}
#: Random models per graph, seeds 0, 1, ...
MODELS = 500
#: Differences below this are rounding.
_ROUNDING = 1e-9


def theorem_4(results: Results) -> pd.DataFrame:
    """How often P_x(y) lies outside the extremes over w of P_{x,w}(y), every conditional probability uniform on [0, 1].

    "As printed" asks for recoverability alone, as Theorem 4 does; "with the exchange condition" for both.
    """
    rows = []
    for name, graph in GRAPHS.items():
        printed, strict = (
            frozenset("W") in {s.variables for s in find_rsi(graph, ["X"], [], "Y", exchangeable=exchangeable)}
            for exchangeable in (False, True)
        )
        excess = np.array([_excess(graph, seed) for seed in range(MODELS)])
        rows.append(
            {
                "graph, besides X -> Y": name,
                "{W} is a substitute as printed": "yes" if printed else "no",
                "with the exchange condition": "yes" if strict else "no",
                "random models": MODELS,
                "P_x(y) outside for some x, %": f"{100 * (excess > _ROUNDING).mean():.1f}",
                "by at most": f"{max(excess.max(), 0):.3f}",
            }
        )
    return pd.DataFrame(rows)


def _excess(graph: ADMG, seed: int) -> float:
    """How far P_x(Y=1) lies outside the extremes over w, for the worse x; negative inside."""
    scm = uniform_cpt(graph, np.random.default_rng([2024, seed]))
    excess = []
    for x in (0, 1):
        effect = scm.expectation("Y", do={"X": x})
        forced = [scm.expectation("Y", do={"X": x, "W": w}) for w in (0, 1)]
        excess += [min(forced) - effect, effect - max(forced)]
    return max(excess)
