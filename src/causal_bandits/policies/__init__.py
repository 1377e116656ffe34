"""Bandit algorithms, one file each; `registry` names them for config files.

An algorithm is a dataclass of its hyper-parameters; `causal_bandits.play.play` plays one run of it. `StepwisePolicy`
is the base of algorithms in plain Python. Each name is imported when it is used for the first time.
"""

from typing import TYPE_CHECKING

from causal_bandits.lazy import lazily
from causal_bandits.policies.registry import ALGORITHMS, load

if TYPE_CHECKING:  # for type checkers
    from causal_bandits.policies.base import Policy, StepwisePolicy
    from causal_bandits.policies.bglm_ofu import BGLMOFU
    from causal_bandits.policies.blm_lr import BLMLR
    from causal_bandits.policies.c_ts import CTS
    from causal_bandits.policies.c_ucb import CUCB
    from causal_bandits.policies.c_ucb_arms import CUCBArms
    from causal_bandits.policies.ccpe_bglm import CCPEBGLM
    from causal_bandits.policies.ccpe_general import CCPEGeneral
    from causal_bandits.policies.cn_ucb import CNUCB
    from causal_bandits.policies.confounded_budgeted import ConfoundedBudgeted
    from causal_bandits.policies.confounded_naming import ConfoundedNaming
    from causal_bandits.policies.d_ucb import DUCB
    from causal_bandits.policies.discounted_thompson import DiscountedThompson
    from causal_bandits.policies.discounted_ucb import DiscountedUCB
    from causal_bandits.policies.explore_ends import ExploreEnds
    from causal_bandits.policies.f_ucb import FUCB
    from causal_bandits.policies.fair_lin_ucb import FairLinUCB
    from causal_bandits.policies.ga_lcb import GALCB
    from causal_bandits.policies.gaussian_thompson import GaussianThompson
    from causal_bandits.policies.gaussian_ucb import GaussianUCB
    from causal_bandits.policies.general_bandit import GeneralBandit
    from causal_bandits.policies.hac_ucb import HACUCB
    from causal_bandits.policies.kl_ucb import KLUCB
    from causal_bandits.policies.lin_ucb import LinUCB, LinUCBPCB
    from causal_bandits.policies.linsem_ts import LinSEMTS
    from causal_bandits.policies.linsem_ucb import LinSEMUCB
    from causal_bandits.policies.lucb import LUCB
    from causal_bandits.policies.normal_thompson import NormalThompson
    from causal_bandits.policies.oam import OAM, OAMPCB
    from causal_bandits.policies.observe_then_lucb import ObserveThenLUCB
    from causal_bandits.policies.parallel_bandit import ParallelBandit
    from causal_bandits.policies.partial_discovery import PartialDiscovery
    from causal_bandits.policies.raps import RAPS
    from causal_bandits.policies.scm_aam import SCMAAM
    from causal_bandits.policies.sliding_window_ucb import SlidingWindowUCB
    from causal_bandits.policies.successive_rejects import SuccessiveRejects
    from causal_bandits.policies.thompson import Thompson
    from causal_bandits.policies.track_and_stop import TrackAndStop
    from causal_bandits.policies.ucb import UCB, UCBPCB
    from causal_bandits.policies.ucb_plus import UCBPlus
    from causal_bandits.policies.ucb_plus_unknown import UCBPlusUnknown
    from causal_bandits.policies.z2_kl_ucb import Z2KLUCB
    from causal_bandits.policies.z2_thompson import Z2Thompson

_HOMES = {
    **{path.partition(":")[2]: path.partition(":")[0] for path in ALGORITHMS.values()},
    "Policy": "causal_bandits.policies.base",
    "StepwisePolicy": "causal_bandits.policies.base",
}

__all__ = [
    "ALGORITHMS",
    "BGLMOFU",
    "BLMLR",
    "CCPEBGLM",
    "CNUCB",
    "CTS",
    "CUCB",
    "DUCB",
    "FUCB",
    "GALCB",
    "HACUCB",
    "KLUCB",
    "LUCB",
    "OAM",
    "OAMPCB",
    "RAPS",
    "SCMAAM",
    "UCB",
    "UCBPCB",
    "Z2KLUCB",
    "CCPEGeneral",
    "CUCBArms",
    "ConfoundedBudgeted",
    "ConfoundedNaming",
    "DiscountedThompson",
    "DiscountedUCB",
    "ExploreEnds",
    "FairLinUCB",
    "GaussianThompson",
    "GaussianUCB",
    "GeneralBandit",
    "LinSEMTS",
    "LinSEMUCB",
    "LinUCB",
    "LinUCBPCB",
    "NormalThompson",
    "ObserveThenLUCB",
    "ParallelBandit",
    "PartialDiscovery",
    "Policy",
    "SlidingWindowUCB",
    "StepwisePolicy",
    "SuccessiveRejects",
    "Thompson",
    "TrackAndStop",
    "UCBPlus",
    "UCBPlusUnknown",
    "Z2Thompson",
    "load",
]

if not TYPE_CHECKING:  # else any misspelt name would pass
    __getattr__, __dir__ = lazily(__name__, _HOMES)
