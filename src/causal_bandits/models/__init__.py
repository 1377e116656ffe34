"""Causal models over discrete variables, and the bandits whose arms intervene on them."""

from causal_bandits.models.arms import Arms
from causal_bandits.models.bandit import ARM_STRATEGIES, SCMBandit
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.families import FAMILIES, from_ones, noisy_gates, uniform_cpt

__all__ = [
    "ARM_STRATEGIES",
    "CPT",
    "FAMILIES",
    "Arms",
    "ContextualBandit",
    "DiscreteSCM",
    "SCMBandit",
    "from_ones",
    "noisy_gates",
    "uniform_cpt",
]
