"""A user's script with the public imports of the guide: `mypy --strict` accepts it, and refuses names that are none."""

from __future__ import annotations

import numpy as np

import causal_bandits
from causal_bandits import (
    MAB,
    CausalBanditsError,
    DiscreteSCM,
    Logs,
    NotIdentifiable,
    OnlineBandit,
    SCMBandit,
    as_admg,
    generators,
    identify,
    load,
    policies,
    possibly_optimal_intervention_sets,
    z2id,
)
from causal_bandits.estimation import LinearProgramBounds, natural_bounds
from causal_bandits.models import uniform_cpt
from causal_bandits.play import play
from causal_bandits.policies import KLUCB, LinUCB, LinUCBPCB, Policy, StepwisePolicy, Thompson

__all__ = [
    "CausalBanditsError",
    "LinUCB",
    "LinearProgramBounds",
    "Policy",
    "StepwisePolicy",
    "main",
    "natural_bounds",
]


def refused() -> None:
    """Names that there are not."""
    causal_bandits.nonsense  # type: ignore[attr-defined] # noqa: B018
    policies.Tomson  # type: ignore[attr-defined] # noqa: B018


def main() -> float:
    """Use each of them once."""
    graph = as_admg("dag { X -> Z -> Y ; X <-> Y }")
    scm: DiscreteSCM = uniform_cpt(graph, np.random.default_rng(1))
    bandit = SCMBandit(scm, "Y").with_arms("possibly_optimal")
    total = sum(float(play(p, bandit, 100, generators(0, "typed", 0)).rewards.sum()) for p in (Thompson(), KLUCB()))
    total += len(possibly_optimal_intervention_sets(graph, "Y"))
    try:
        print(identify(graph, outcome="Y", treatment="X"), z2id(graph, outcome="Y", treatment="X", experiments=[()]))
    except NotIdentifiable as error:
        print(error)
    logs = Logs.from_frame({"x": [0, 1], "y": [0, 1]}, "dag { x -> y }", treatment="x", outcome="y")
    online = OnlineBandit(LinUCBPCB(), logs.arms, contexts=logs.contexts, prior=logs.prior(), seed=1)
    online.update(online.act(logs.contexts[0]), reward=1.0, context=logs.contexts[0])
    mab = MAB(["red", "green"], load("thompson")(), seed=1)
    print(mab.fit(["red"], [1]).predict())
    return total
