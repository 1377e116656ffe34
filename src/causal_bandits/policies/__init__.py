"""Bandit algorithms by kind of bandit, one file each; `registry` names them for config files.

An algorithm is a dataclass of its hyper-parameters; `causal_bandits.play.play` plays one run of it. `StepwisePolicy` is
the base class for algorithms in plain Python. Each name is imported on first use.
"""

from typing import TYPE_CHECKING

from causal_bandits.lazy import lazily
from causal_bandits.policies.registry import ALGORITHMS, load

if TYPE_CHECKING:  # for type checkers
    from causal_bandits.policies.base import Policy, StepwisePolicy
    from causal_bandits.policies.classical.gaussian_thompson import GaussianThompson
    from causal_bandits.policies.classical.gaussian_ucb import GaussianUCB
    from causal_bandits.policies.classical.kl_ucb import KLUCB
    from causal_bandits.policies.classical.normal_thompson import NormalThompson
    from causal_bandits.policies.classical.thompson import Thompson
    from causal_bandits.policies.contextual.c_ucb import CUCB
    from causal_bandits.policies.contextual.d_ucb import DUCB
    from causal_bandits.policies.contextual.lin_ucb import LinUCB
    from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
    from causal_bandits.policies.contextual.oam import OAM
    from causal_bandits.policies.contextual.oam_pcb import OAMPCB
    from causal_bandits.policies.contextual.ucb import UCB
    from causal_bandits.policies.contextual.ucb_pcb import UCBPCB
    from causal_bandits.policies.fair.f_ucb import FUCB
    from causal_bandits.policies.fair.fair_lin_ucb import FairLinUCB
    from causal_bandits.policies.glm.ccpe_bglm import CCPEBGLM
    from causal_bandits.policies.glm.ccpe_general import CCPEGeneral
    from causal_bandits.policies.glm.lucb import LUCB
    from causal_bandits.policies.glm.observe_then_lucb import ObserveThenLUCB
    from causal_bandits.policies.glm.successive_rejects import SuccessiveRejects
    from causal_bandits.policies.glm.track_and_stop import TrackAndStop
    from causal_bandits.policies.scm.c_ts import CTS
    from causal_bandits.policies.scm.c_ucb_arms import CUCBArms
    from causal_bandits.policies.scm.hac_ucb import HACUCB
    from causal_bandits.policies.scm.ucb_plus import UCBPlus
    from causal_bandits.policies.scm.ucb_plus_unknown import UCBPlusUnknown
    from causal_bandits.policies.scm.z2_kl_ucb import Z2KLUCB
    from causal_bandits.policies.scm.z2_thompson import Z2Thompson
    from causal_bandits.policies.single_node.cn_ucb import CNUCB
    from causal_bandits.policies.single_node.explore_ends import ExploreEnds
    from causal_bandits.policies.single_node.raps import RAPS

_HOMES = {
    **{path.partition(":")[2]: path.partition(":")[0] for path in ALGORITHMS.values()},
    "Policy": "causal_bandits.policies.base",
    "StepwisePolicy": "causal_bandits.policies.base",
}

__all__ = [
    "ALGORITHMS",
    "CCPEBGLM",
    "CNUCB",
    "CTS",
    "CUCB",
    "DUCB",
    "FUCB",
    "HACUCB",
    "KLUCB",
    "LUCB",
    "OAM",
    "OAMPCB",
    "RAPS",
    "UCB",
    "UCBPCB",
    "Z2KLUCB",
    "CCPEGeneral",
    "CUCBArms",
    "ExploreEnds",
    "FairLinUCB",
    "GaussianThompson",
    "GaussianUCB",
    "LinUCB",
    "LinUCBPCB",
    "NormalThompson",
    "ObserveThenLUCB",
    "Policy",
    "StepwisePolicy",
    "SuccessiveRejects",
    "Thompson",
    "TrackAndStop",
    "UCBPlus",
    "UCBPlusUnknown",
    "Z2Thompson",
    "load",
]

if not TYPE_CHECKING:  # otherwise any misspelt name would pass
    __getattr__, __dir__ = lazily(__name__, _HOMES)
