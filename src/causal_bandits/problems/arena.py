"""The arena's random problems, and tasks on well-known networks.

Draw d of a family is one problem, the same for every policy and whatever a learner is told about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.families import FAMILIES as PARAMETERS
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.measures.measure import Measure
from causal_bandits.problems.construction.arena.beliefs import (
    BelievingGLMBandit,
    LostForGood,
    ToldBandit,
    generator,
    logistic_model,
    told_bandit,
)
from causal_bandits.problems.construction.arena.diagrams import FAMILIES, REWARD, random_diagram
from causal_bandits.problems.construction.arena.networks import network
from causal_bandits.problems.construction.arena.wrong_edges import MIXED, believed

#: Families of parameters, which alternate every four draws, so each occurs equally often with each family of diagrams.
TABLES = ("uniform_cpt", "noisy_gates")
#: The diagrams by which a learner may adjust: the true one, one without edges, or one drawn anew.
BELIEFS = ("true", "empty", "other")


def tables_of(draw: int) -> str:
    """Return the family of parameters, one of `TABLES`, that draw ``draw`` of `diagram` has."""
    return TABLES[draw // len(FAMILIES) % len(TABLES)]


def diagram(
    nodes: int,
    confounders: int,
    told: str = "diagram",
    kind: str = MIXED,
    wrong: int = 0,
    draw: int = 0,
) -> ToldBandit:
    """Draw a random binary model on a random diagram; arms set any of its variables but the reward.

    Parameters
    ----------
    nodes, confounders : int
        See `diagrams.random_diagram`; the families take turns by draw.
    told : str
        What arms set (see `beliefs.sets_of_arms`).
    kind : str
        The kind of the errors in the diagram that the learner believes in (see `wrong_edges.believed`).
    wrong : int
        The number of wrong edges in that diagram; fewer if no more can be wrong.
    draw : int

    Raises
    ------
    ValueError
        If an option is unknown or out of range.
    """
    rng = generator("diagram", draw, nodes, confounders)
    graph = random_diagram(nodes, confounders, FAMILIES[draw % len(FAMILIES)], rng)
    scm = PARAMETERS[tables_of(draw)](graph, rng)
    # The random numbers do not depend on the number of errors: a larger number adds errors to those of a smaller one.
    belief, _ = believed(graph, kind, wrong, generator("errors", draw, nodes, confounders, kind))
    return told_bandit(scm, told, belief)


def exploration(nodes: int, confounders: int, wrong: int = 0, belief: str = "true", draw: int = 0) -> GLMBandit:
    """Draw a random logistic model on a random diagram; actions set one variable, or none.

    Parameters
    ----------
    nodes, confounders : int
        See `diagrams.random_diagram`; every hidden cause has its own weights.
    wrong : int
        The number of wrong edges in the diagram that the learner adjusts by.
    belief : str
        One of `BELIEFS`: the diagram in which these edges are made wrong.
    draw : int

    Raises
    ------
    ValueError
        If an option is unknown or out of range.
    """
    if belief not in BELIEFS:
        raise ValueError(f"belief {belief!r}: expected one of {', '.join(BELIEFS)}")
    rng = generator("exploration", draw, nodes, confounders)
    family = FAMILIES[draw % len(FAMILIES)]
    model = logistic_model(random_diagram(nodes, confounders, family, rng), rng)
    graph = model.graph
    if belief == "empty":
        graph = ADMG([], [], graph.nodes)
    elif belief == "other":
        graph = random_diagram(nodes, confounders, family, generator("another diagram", draw, nodes, confounders))
    taken_for_it, _ = believed(graph, MIXED, wrong, generator("errors of exploration", draw, nodes, confounders))
    actions = [{}, *({v: s} for v in model.graph.nodes if v != REWARD for s in (0, 1))]
    return BelievingGLMBandit(model, actions, taken_for_it)


#: The problems by name.
PROBLEMS: dict[str, Callable[..., Any]] = {"diagram": diagram, "exploration": exploration, "network": network}

MEASURES: tuple[type[Measure], ...] = (LostForGood,)
