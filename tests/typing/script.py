"""A user's script with the public imports of the guide: `mypy --strict` accepts it, and refuses names that are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

import causal_bandits
from causal_bandits import (
    ADMG,
    CausalBandit,
    CausalBanditsError,
    ContextualCausalBandit,
    DiscreteSCM,
    Logs,
    NotIdentifiable,
    SCMBandit,
    StepwisePolicy,
    as_admg,
    generators,
    identify,
    policies,
    possibly_optimal_intervention_sets,
    z2id,
)
from causal_bandits.estimation import LinearProgramBounds, natural_bounds
from causal_bandits.identification import identify_conditional
from causal_bandits.models import ContextualBandit, uniform_cpt
from causal_bandits.online import Choice, replay
from causal_bandits.play import play
from causal_bandits.policies import KLUCB, UCBPCB, LinUCB, Policy, Thompson

__all__ = [
    "ADMG",
    "CausalBanditsError",
    "ContextualBandit",
    "LinUCB",
    "LinearProgramBounds",
    "Policy",
    "StepwisePolicy",
    "main",
    "natural_bounds",
]


@dataclass
class Greedy(StepwisePolicy):
    """An algorithm of a user's own."""

    optimism: float = 1.0

    def start(self, problem: SCMBandit, horizon: int) -> None:
        self.pulls = np.ones(len(problem.arms))
        self.rewards = np.full(len(problem.arms), self.optimism)

    def select(self, t: int, context: object, rng: np.random.Generator) -> int:
        return int((self.rewards / self.pulls).argmax())

    def update(self, arm: int, states: Mapping[str, int], reward: float) -> None:
        self.pulls[arm] += 1
        self.rewards[arm] += reward


def own() -> None:
    """An algorithm of one's own."""
    scm = uniform_cpt("dag { X -> Y }", np.random.default_rng(1))
    play(Greedy(), SCMBandit(scm, "Y"), 10, generators(0, "own", 0))
    play(UCBPCB(), scm, 10, generators(0, "own", 0))  # type: ignore[misc]


def effects(logs: Logs) -> float:
    """Effects with intervals and conditional effects."""
    print(identify_conditional("dag { X -> Y }", outcome="Y", treatment="X", given="X"))
    return float(logs.effect().difference({"x": 1}, {"x": 0}).estimate[0])


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
    total += len(possibly_optimal_intervention_sets(graph, outcome="Y"))
    try:
        print(identify(graph, outcome="Y", treatment="X"), z2id(graph, outcome="Y", treatment="X", experiments=[()]))
    except NotIdentifiable as error:
        print(error)
    logs = Logs.from_frame({"x": [0, 1], "y": [0, 1]}, "dag { x -> y }", treatment="x", outcome="y")
    causal = CausalBandit(graph, outcome="Y", states={"X": ["off", "on"]}, policy=Thompson())
    causal.update(causal.act(available=[{"X": "on"}]), {"Y": 1})
    online = ContextualCausalBandit("dag { x -> y }", outcome="y", treatment="x", context=(), logs=logs)
    choice = online.act({})
    online.update([choice], [{"y": 1}])
    total += choice.probability or 0.0
    total += replay(online, [(Choice({"x": 0}, 0.5), {"y": 1})]).mean + sum(causal.expectations().values())
    return total
