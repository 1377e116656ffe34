"""Causal graphs, and everything that can be computed from a graph without data."""

from causal_bandits.graphs.adjustment import (
    AdjustmentPair,
    admissible_sets,
    is_admissible,
    proper_backdoor_graph,
    proper_causal_nodes,
)
from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import (
    brute_force,
    interventional_border,
    minimal_intervention_sets,
    muct,
    possibly_optimal_intervention_sets,
)
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.graphs.separators import minimum_separator, reward_separator

__all__ = [
    "ADMG",
    "AdjustmentPair",
    "PartiallyDirectedGraph",
    "admissible_sets",
    "brute_force",
    "interventional_border",
    "is_admissible",
    "minimal_intervention_sets",
    "minimum_separator",
    "muct",
    "possibly_optimal_intervention_sets",
    "proper_backdoor_graph",
    "proper_causal_nodes",
    "reward_separator",
]
