"""Acyclic directed mixed graphs and what is computed from the graph alone."""

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.intervention_sets import (
    brute_force,
    interventional_border,
    minimal_intervention_sets,
    muct,
    possibly_optimal_intervention_sets,
)
from causal_bandits.graphs.separators import minimum_separator, reward_separator

__all__ = [
    "ADMG",
    "brute_force",
    "interventional_border",
    "minimal_intervention_sets",
    "minimum_separator",
    "muct",
    "possibly_optimal_intervention_sets",
    "reward_separator",
]
