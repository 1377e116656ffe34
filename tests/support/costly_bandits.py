"""Small bandits whose arms have costs, for tests of algorithms that spend a budget."""

import numpy as np

from causal_bandits.graphs import ADMG
from causal_bandits.models import SCMBandit, uniform_cpt
from causal_bandits.models.arms import Arms
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.budgeted import BudgetedGLMBandit, BudgetedSCMBandit
from causal_bandits.models.glm_bandit import GLMBandit

GRAPHS = (
    ADMG([("A", "B"), ("B", "Y")]),
    ADMG([("A", "B"), ("B", "Y")], [("A", "Y")]),
    ADMG([("A", "B"), ("A", "Y"), ("B", "Y")]),
    ADMG([("A", "C"), ("B", "C"), ("C", "Y")], [("A", "B"), ("B", "Y")]),
)


def on_graph(number, seed, most=4):
    """Random tables on one of `GRAPHS`; costs of 1 to ``most``, and do() anywhere among the arms."""
    rng, graph = np.random.default_rng([number, seed]), GRAPHS[number]
    scm = uniform_cpt(graph, rng)
    arms = [{v: s} for v in graph.nodes if v != "Y" for s in (0, 1)]
    place = int(rng.integers(len(arms) + 1))
    arms.insert(place, {})
    costs = rng.integers(1, most + 1, size=len(arms))
    costs[place] = 1
    return BudgetedSCMBandit(SCMBandit(scm, arm_strategy=Arms(scm.variables, arms)), costs)


def of_causes(seed, most=4):
    """Independent causes, some of them with probability 0, and a linear reward."""
    rng = np.random.default_rng(seed)
    names = [f"X{i}" for i in range(int(rng.integers(1, 5)))]
    chances = rng.choice([0.0, 0.05, 0.2, 0.5], size=len(names))
    weights = dict(zip(names, rng.uniform(0, 0.9 / len(names), size=len(names)), strict=True))
    model = BinaryGLM(dict(zip(names, chances, strict=True)) | {"Y": 0.05}, {"Y": weights})
    arms = [{}, *({x: s} for x in names for s in (0, 1))]
    return BudgetedGLMBandit(GLMBandit(model, arms), [1, *rng.integers(1, most + 1, size=len(arms) - 1)])
