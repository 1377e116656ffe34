"""Learn causal graphs from tables of discrete data, with tiers, and compare the learned graphs."""

from causal_bandits.discovery.compare import (
    ParentRecovery,
    consensus,
    edge_frequencies,
    edge_rows,
    parent_recovery,
    structural_hamming_distance,
)
from causal_bandits.discovery.learn import LEARNERS, learn, quantile_codes

__all__ = [
    "LEARNERS",
    "ParentRecovery",
    "consensus",
    "edge_frequencies",
    "edge_rows",
    "learn",
    "parent_recovery",
    "quantile_codes",
    "structural_hamming_distance",
]
