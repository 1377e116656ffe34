"""The arena's random problems.

There is one family for each form that knowledge of the graph takes in the papers.

Draw d of a family is one problem, the same for every policy and for everything that a learner is told of it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.biased import conditional_probability
from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.confident_bounds import confident_bounds
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.play.measures.fair_regret import FairRegret
from causal_bandits.play.measures.measure import Measure
from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.play.measures.unfair import Unfair
from causal_bandits.problems import lu2021
from causal_bandits.problems.construction.arena import dosed
from causal_bandits.problems.construction.arena.beliefs import (
    LostForGood,
    ToldBandit,
    drawn,
    generator,
    logistic_model,
    single_actions,
    told_sets,
)
from causal_bandits.problems.construction.arena.cells import benign, random_cells, worst
from causal_bandits.problems.construction.arena.diagrams import BELIEFS, REWARD
from causal_bandits.problems.construction.arena.dosed import EVERYTHING, SINGLE, without_diagram
from causal_bandits.problems.construction.arena.dosed_linear import dosed_linear
from causal_bandits.problems.construction.arena.fair_models import fair
from causal_bandits.problems.construction.arena.limit_models import limit
from causal_bandits.problems.construction.arena.linear_models import linear
from causal_bandits.problems.construction.arena.matching import matching
from causal_bandits.problems.construction.arena.networks import network
from causal_bandits.problems.construction.arena.random_graphs import erdos_renyi, scale_free

# ---------------------------------------------------------------------- which interventions are worth playing


def diagram(nodes: int, confounders: int, told: str = "diagram", draw: int = 0) -> ToldBandit:
    """Draw a random binary SCM on a random diagram; arms set any of its variables but the reward.

    Parameters
    ----------
    nodes, confounders : int
        See `diagrams.random_diagram`.
    told : str
        ``nothing``: arms are all interventions; ``single``: those on one variable at most; else a key of
        `diagrams.BELIEFS`: those on the possibly optimal sets of the diagram that the learner believes in.
    draw : int

    Raises
    ------
    ValueError
        If ``told`` is none of these.
    """
    if told in (EVERYTHING, SINGLE):
        return without_diagram(told, nodes, confounders, draw)
    scm = drawn(nodes, confounders, draw)
    belief = taken(scm.graph, told, nodes, confounders, draw)
    return told_sets(scm, possibly_optimal_intervention_sets(belief, REWARD), belief)


def taken(graph: ADMG, told: str, nodes: int, confounders: int, draw: int) -> ADMG:
    """Return what the learner of `diagram` takes the diagram for.

    Raises
    ------
    ValueError
        If ``told`` is no key of `diagrams.BELIEFS`.
    """
    if told not in BELIEFS:
        raise ValueError(f"told {told!r}: expected {EVERYTHING}, {SINGLE} or one of {', '.join(BELIEFS)}")
    return BELIEFS[told](graph, generator("belief", draw, nodes, confounders, told))


# ---------------------------------------------------------------------- where the reward comes from


def tree(nodes: int, draw: int = 0, **model: Any) -> SingleNodeBandit:
    """Draw a random causal tree on which lu2021's assumptions hold (`lu2021.tree`).

    Arms set one variable.
    """
    return lu2021.tree(nodes, draw=draw, sd=1.0, **model)


# ---------------------------------------------------------------------- what offline data say

#: A context C, the arm's X, a mediator M, the reward Y; only units with S=1 entered the data. M and Y share a cause.
OFFLINE_GRAPH = ADMG([("C", "X"), ("C", REWARD), ("X", "M"), ("X", REWARD), ("M", REWARD), ("M", "S")], [("M", REWARD)])
OFFLINE = ("C", "X", "M", REWARD)


def offline(bias: float, samples: int, arms: int = 6, draw: int = 0) -> ContextualBandit:
    """A random contextual bandit, with offline data that are confounded and selected.

    With probability 1/2 the hidden cause u is 1, else 0. P(M=1 | x, u) = m_x + bias (u - 1/2) / 2 and
    P(Y=1 | c, x, m, u) = b_cx + w m + s_x bias (u - 1/2) / 2, with random m_x, b_cx, w and signs s_x, half of them
    negative; P(S=1 | m) = 1/2 + 0.45 bias (2 m - 1). So what is selected makes half of the arms look better than they
    are, and the others worse. An arm's means, and the best one, are the same at every bias.

    Parameters
    ----------
    bias : float
        In [0, 1]; 0: all units are taken, and there is no hidden cause.
    samples : int
        Offline units before selection.
    arms : int
        >= 2, the states of X.
    draw : int

    Raises
    ------
    ValueError
        If the bias is not in [0, 1].
    """
    if not 0 <= bias <= 1:
        raise ValueError(f"bias={bias}: expected 0 to 1")
    rng = generator("offline", draw, arms)
    chosen, mediated = rng.dirichlet(np.ones(arms), size=2), rng.uniform(0.3, 0.7, size=arms)
    base, weight = rng.uniform(0.26, 0.64, size=(2, arms)), rng.uniform(0.02, 0.1)
    signs = rng.permutation(np.resize([-1, 1], arms))
    u, m = 0.5 * bias * np.array([-0.5, 0.5]), np.arange(2)
    rewarded = base[:, :, None, None] + weight * m[:, None] + signs[:, None, None] * u

    def binary(p: ArrayLike) -> FloatArray:
        return np.stack([1 - np.asarray(p), np.asarray(p)], axis=-1)

    scm = DiscreteSCM(
        OFFLINE_GRAPH,
        {
            "U": CPT((), binary(0.5)),
            "C": CPT((), binary(rng.uniform(0.3, 0.7))),
            "X": CPT(("C",), chosen),
            "M": CPT(("X", "U"), binary(mediated[:, None] + u)),
            REWARD: CPT(("C", "X", "M", "U"), binary(rewarded)),
            "S": CPT(("M",), binary(0.5 + 0.45 * bias * (2 * m - 1))),
        },
    )
    problem = ContextualBandit(scm, ("C",), ("X",), {REWARD: 1.0})
    sampled = generator("offline sample", draw, arms, bias, samples)
    joint = scm.distribution(OFFLINE, given={"S": 1})
    counts = sampled.multinomial(sampled.binomial(samples, scm.expectation("S")), joint.ravel()).reshape(joint.shape)
    bce = _offline_bounds()
    bounds = dict(zip(("lower", "upper"), bce.bounds(counts, OFFLINE), strict=True))
    bounds |= zip(("safe_lower", "safe_upper"), confident_bounds(bce, counts, OFFLINE), strict=True)
    naive = conditional_probability(counts, OFFLINE, treatment=("X",), context=("C",), outcome=REWARD)
    return problem.with_prior({**bounds, "naive": naive, "count": counts.sum(axis=(2, 3)).astype(np.float64)})


@cache  # what follows from the diagram is found once
def _offline_bounds() -> BCE:
    return BCE(OFFLINE_GRAPH, treatment=("X",), context=("C",), outcome=REWARD)


# ---------------------------------------------------------------------- which arm is best


def exploration(nodes: int, confounders: int, draw: int = 0) -> GLMBandit:
    """A random logistic model on a random diagram; actions set one variable, or none.

    Parameters
    ----------
    nodes, confounders : int
        See `diagrams.random_diagram`; every hidden cause has weights of its own.
    draw : int
    """
    model = logistic_model(nodes, confounders, draw)
    return GLMBandit(model, single_actions(model), REWARD)


#: The problems by name.
PROBLEMS: dict[str, Callable[..., Any]] = {
    "diagram": diagram,
    "tree": tree,
    "offline": offline,
    "fair": fair,
    "exploration": exploration,
    "benign": benign,
    "worst": worst,
    "random_cells": random_cells,
    "dosed_diagram": dosed.diagram,
    "dosed_exploration": dosed.exploration,
    "dosed_tree": dosed.tree,
    "dosed_linear": dosed_linear,
    "limit": limit,
    "network": network,
    "erdos_renyi": erdos_renyi,
    "scale_free": scale_free,
    "linear": linear,
    "matching": matching,
}

MEASURES: tuple[type[Measure], ...] = (RuledOut, LostForGood, Unfair, FairRegret)
