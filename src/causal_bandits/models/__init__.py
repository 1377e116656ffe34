"""Causal models, and the bandits whose arms intervene on them.

=====================================  ============================================================================
`DiscreteSCM`                          probability tables; `read_bif` and `write_bif` for files
`BinaryGLM`                            binary generalised linear models
`SCMBandit`, `WideSCMBandit`           arms intervene on a `DiscreteSCM`; the second has many variables
`ContextualBandit`, `FairBandit`       a context is seen first; the second has a sensitive attribute
`SingleNodeBandit`                     arms set single nodes of a large sparse graph
`GLMBandit`                            arms intervene on a `BinaryGLM`
=====================================  ============================================================================
"""

from causal_bandits.models.arms import Arms
from causal_bandits.models.bandit import ARM_STRATEGIES, SCMBandit
from causal_bandits.models.bif import read_bif, write_bif
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.fair import FairBandit
from causal_bandits.models.families import FAMILIES, from_ones, noisy_gates, uniform_cpt
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.wide_bandit import WideSCMBandit

__all__ = [
    "ARM_STRATEGIES",
    "CPT",
    "FAMILIES",
    "Arms",
    "BinaryGLM",
    "ContextualBandit",
    "DiscreteSCM",
    "FairBandit",
    "GLMBandit",
    "SCMBandit",
    "SingleNodeBandit",
    "WideSCMBandit",
    "from_ones",
    "noisy_gates",
    "read_bif",
    "uniform_cpt",
    "write_bif",
]
