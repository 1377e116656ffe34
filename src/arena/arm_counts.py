"""How many arms the players of the arena have, counted from diagrams where arms follow from them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from arena.players import Player
from causal_bandits.graphs.intervention_sets import possibly_optimal_intervention_sets
from causal_bandits.problems import arena as problems
from causal_bandits.problems.construction.arena.beliefs import true_diagram
from causal_bandits.problems.construction.arena.diagrams import REWARD
from causal_bandits.problems.construction.arena.dosed import EVERYTHING, SINGLE


def arm_count(kind: str, player: Player, situation: Mapping[str, Any], draws: int) -> str:
    """Count a player's arms; where they differ between problems, write their mean.

    Parameters
    ----------
    kind : str
        Of the problem, a key of `players.PLAYERS`.
    player : Player
    situation : mapping
        The problem's options.
    draws : int
        How many problems are played: the first so many.
    """
    if kind in ("diagram", "kl_ucb"):
        told = str(player.algorithm.get("told", "diagram"))
        size = (int(situation["nodes"]), int(situation["confounders"]))
        counts = [_told_arms(*size, told, draw) for draw in range(draws)]
        return f"{sum(counts) / draws:.1f}" if len(set(counts)) > 1 else str(counts[0])
    if kind == "tree":
        return "2" if player.algorithm.get("arms") == "reward" else str(2 * int(situation["nodes"]) + 1)
    if kind == "offline":
        return str(len(problems.offline(0.0, 1).arms))
    return str(2 * int(situation["nodes"]) + 1)


@cache
def _told_arms(nodes: int, confounders: int, told: str, draw: int) -> int:
    """Count the arms of `problems.diagram`, from the diagram alone."""
    if told == EVERYTHING:
        return int(3**nodes)
    if told == SINGLE:
        return 1 + 2 * nodes
    belief = problems.taken(true_diagram(nodes, confounders, draw), told, nodes, confounders, draw)
    return sum(2 ** len(chosen) for chosen in possibly_optimal_intervention_sets(belief, REWARD))
