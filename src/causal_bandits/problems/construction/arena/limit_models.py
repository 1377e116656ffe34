"""Small models without hidden causes, whose least possible regret is known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.wide_bandit import WideSCMBandit, arms_on
from causal_bandits.problems.construction.arena.beliefs import check_told
from causal_bandits.problems.construction.arena.diagrams import REWARD


def _binary(edges: Sequence[tuple[str, str]], **ones: ArrayLike) -> DiscreteSCM:
    """Return a binary model by P(V = 1); a table's axes are the parents in the order of ``edges``."""
    cpts = {}
    for v, p in ones.items():
        p = np.asarray(p, dtype=np.float64)
        cpts[v] = CPT([a for a, b in edges if b == v], np.stack([1 - p, p], axis=-1))
    return DiscreteSCM(ADMG(edges), cpts)


_CHAIN = [("X", "Z"), ("Z", REWARD)]
_TWO = [("W", "Z"), ("X", "Z"), ("Z", REWARD), ("X", REWARD)]
_Z = frozenset({"Z"})

#: By the option ``model``: in words, the model, and the variables that no arm sets.
MODELS: dict[str, tuple[str, DiscreteSCM, frozenset[str]]] = {
    "cause": ("X causes Y", _binary([("X", REWARD)], X=0.4, Y=[0.3, 0.6]), frozenset()),
    "chain": ("X causes Z, Z causes Y", _binary(_CHAIN, X=0.4, Z=[0.2, 0.7], Y=[0.25, 0.8]), frozenset()),
    "mediator": ("X causes Z, Z causes Y; Z cannot be set", _binary(_CHAIN, X=0.4, Z=[0.2, 0.7], Y=[0.25, 0.8]), _Z),
    "sure_mediator": (
        "X causes Z, Z causes Y; Z cannot be set, and is sure under X=1",
        _binary(_CHAIN, X=0.4, Z=[0.2, 1.0], Y=[0.25, 0.8]),
        _Z,
    ),
    "direct": (
        "X causes Z and Y, Z causes Y; Z cannot be set",
        _binary([("X", "Z"), ("X", REWARD), ("Z", REWARD)], X=0.4, Z=[0.2, 0.7], Y=[[0.25, 0.5], [0.3, 0.8]]),
        _Z,
    ),
    "two_causes": (
        "W and X cause Z, X and Z cause Y; Z cannot be set",
        _binary(_TWO, W=0.5, X=0.5, Z=[[0.3, 0.2], [0.6, 0.7]], Y=[[0.2, 0.3], [0.6, 0.8]]),
        _Z,
    ),
}
#: What a learner may be told: nothing of the diagram, or which sets of variables are possibly optimal.
TOLD = ("nothing", "diagram")


def limit(model: str, told: str = "diagram") -> WideSCMBandit:
    """Build a bandit on one of the small models.

    Parameters
    ----------
    model : str
        A key of `MODELS`.
    told : str
        ``nothing``: arms are all values of all sets of variables that can be set; in ``chain`` of one variable at most,
        as X and Z together do no more than Z. ``diagram``: those on the possibly optimal sets.

    Raises
    ------
    ValueError
        If the model or what is told is unknown.
    """
    if model not in MODELS:
        raise ValueError(f"model {model!r}: expected one of {', '.join(MODELS)}")
    check_told(told, TOLD)
    _, scm, fixed = MODELS[model]
    if told == "diagram":
        sets = possibly_optimal_intervention_sets(scm.graph, REWARD, fixed)
    else:
        free = [v for v in scm.graph.nodes if v != REWARD and v not in fixed]
        largest = 1 if model == "chain" else len(free)
        sets = frozenset(frozenset(s) for size in range(largest + 1) for s in combinations(free, size))
    return WideSCMBandit(scm, REWARD, fixed, arms_on(scm, sets))
