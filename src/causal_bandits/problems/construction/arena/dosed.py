"""Random problems whose learners believe in a diagram with a given number of wrong edges (`doses`)."""

from __future__ import annotations

from typing import Any

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.problems import lu2021
from causal_bandits.problems.construction.arena.beliefs import (
    BelievingGLMBandit,
    ToldBandit,
    drawn,
    generator,
    logistic_model,
    single_actions,
    told_sets,
)
from causal_bandits.problems.construction.arena.diagrams import REWARD, one_at_most
from causal_bandits.problems.construction.arena.doses import MIXED, believed, believed_tree

#: Who plays without a diagram: every intervention, or those on one variable at most.
EVERYTHING, SINGLE = "nothing", "single"


def without_diagram(told: str, nodes: int, confounders: int, draw: int) -> ToldBandit:
    """Create the bandit of a learner without a diagram.

    Its arms are all interventions or the small ones.

    Parameters
    ----------
    told : str
        `EVERYTHING` or `SINGLE`.
    nodes, confounders, draw
        As in `beliefs.drawn`.
    """
    scm = drawn(nodes, confounders, draw)
    if told == EVERYTHING:
        return ToldBandit(scm, REWARD)
    return told_sets(scm, one_at_most(v for v in scm.graph.nodes if v != REWARD))


def diagram(nodes: int, confounders: int, kind: str = MIXED, wrong: int = 0, draw: int = 0) -> ToldBandit:
    """Draw the problem of `arena.diagram`, whose learner believes in a diagram with wrong edges.

    Parameters
    ----------
    nodes, confounders : int
        See `diagrams.random_diagram`.
    kind : str
        `EVERYTHING` or `SINGLE`, for a learner without a diagram; else see `doses.believed`.
    wrong : int
        How many edges are wrong, or all that can be.
    draw : int
    """
    if kind in (EVERYTHING, SINGLE):
        return without_diagram(kind, nodes, confounders, draw)
    scm = drawn(nodes, confounders, draw)
    belief, _ = belief_of(scm.graph, nodes, confounders, kind, wrong, draw)
    return told_sets(scm, possibly_optimal_intervention_sets(belief, REWARD), belief)


def belief_of(graph: ADMG, nodes: int, confounders: int, kind: str, wrong: int, draw: int) -> tuple[ADMG, int]:
    """Return what the learner of `diagram` believes, and how many errors are in it (`doses.believed`).

    The dose is not in the name of the random numbers: errors at a larger dose are those at a smaller one, and more.
    """
    return believed(graph, kind, wrong, generator("dose", draw, nodes, confounders, kind))


def exploration(nodes: int, confounders: int, kind: str = MIXED, wrong: int = 0, draw: int = 0) -> GLMBandit:
    """Draw the problem of `arena.exploration`, whose learner adjusts by a diagram with wrong edges.

    Parameters are those of `diagram`, without a learner that has no diagram: that is an algorithm that reads none.
    """
    model = logistic_model(nodes, confounders, draw)
    rng = generator("dose of exploration", draw, nodes, confounders, kind)
    return BelievingGLMBandit(model, single_actions(model), believed(model.graph, kind, wrong, rng)[0])


def tree(nodes: int, wrong: int = 0, draw: int = 0, **model: Any) -> SingleNodeBandit:
    """Draw the problem of `arena.tree`, whose learner is told an essential graph with wrong edges.

    Parameters
    ----------
    nodes : int
    wrong : int
        How many edges are wrong (`doses.believed_tree`).
    draw : int
    **model
        See `causal_bandits.problems.lu2021.tree`.
    """
    bandit = lu2021.tree(nodes, draw=draw, sd=1.0, **model)
    belief, _ = believed_tree(bandit.essential, bandit.dag, wrong, generator("dose of trees", draw, nodes))
    return bandit.with_told(bandit.told._replace(essential=belief))
