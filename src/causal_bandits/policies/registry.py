"""The algorithms that a config file can name. A new one is one file, and one line here.

The table holds import paths, not classes: the workflow reads it for every job (0.01 s), and to import all algorithms
takes more than a second. An import path is also what a job's configuration states, and where the digest of its code
starts. `load` gives the class. An algorithm that is not in the table is named by its import path.
"""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import Any

ALGORITHMS: dict[str, str] = {
    "c_ts": "causal_bandits.policies.c_ts:CTS",  # Lu et al. 2020
    "bglm_ofu": "causal_bandits.policies.bglm_ofu:BGLMOFU",  # Feng & Chen 2023
    "blm_lr": "causal_bandits.policies.blm_lr:BLMLR",  # Feng & Chen 2023
    "c_ucb": "causal_bandits.policies.c_ucb:CUCB",  # Lu et al. 2020; huang2022, Section 4
    "c_ucb_arms": "causal_bandits.policies.c_ucb_arms:CUCBArms",  # Lu et al. 2020, for arms without a context
    "ccpe_bglm": "causal_bandits.policies.ccpe_bglm:CCPEBGLM",  # xiong2023, Alg. 1 and 2
    "ccpe_general": "causal_bandits.policies.ccpe_general:CCPEGeneral",  # xiong2023, Alg. 3
    "cn_ucb": "causal_bandits.policies.cn_ucb:CNUCB",  # lu2021, Alg. 1, 2 and 5
    "confounded_budgeted": "causal_bandits.policies.confounded_budgeted:ConfoundedBudgeted",  # Jamshidi et al. 2024
    "confounded_naming": "causal_bandits.policies.confounded_naming:ConfoundedNaming",  # Jamshidi et al. 2024, Alg. 2
    "d_ucb": "causal_bandits.policies.d_ucb:DUCB",  # huang2022, Alg. 1
    "discounted_thompson": "causal_bandits.policies.discounted_thompson:DiscountedThompson",  # Raj & Kalyani 2017
    "discounted_ucb": "causal_bandits.policies.discounted_ucb:DiscountedUCB",  # Garivier & Moulines 2011
    "explore_ends": "causal_bandits.policies.explore_ends:ExploreEnds",  # beside lu2021's lower bounds
    "f_ucb": "causal_bandits.policies.f_ucb:FUCB",  # huang2022, Alg. 2
    "fair_lin_ucb": "causal_bandits.policies.fair_lin_ucb:FairLinUCB",  # Huang et al. 2020, reconstructed
    "ga_lcb": "causal_bandits.policies.ga_lcb:GALCB",  # Yan & Tajer 2024
    "gaussian_thompson": "causal_bandits.policies.gaussian_thompson:GaussianThompson",  # Agrawal & Goyal 2017
    "gaussian_ucb": "causal_bandits.policies.gaussian_ucb:GaussianUCB",  # Lattimore & Szepesvári 2020; lu2021, stage 3
    "general_bandit": "causal_bandits.policies.general_bandit:GeneralBandit",  # Lattimore et al. 2016, Alg. 2
    "hac_ucb": "causal_bandits.policies.hac_ucb:HACUCB",  # Bilodeau et al. 2022
    "kl_ucb": "causal_bandits.policies.kl_ucb:KLUCB",  # Garivier & Cappé 2011; lee2019, Alg. 3 without z2ID
    "lin_ucb": "causal_bandits.policies.lin_ucb:LinUCB",  # Li et al. 2010; huang2024, Alg. 4 without line 10
    "lin_ucb_pcb": "causal_bandits.policies.lin_ucb:LinUCBPCB",  # huang2024, Alg. 4
    "linsem_ts": "causal_bandits.policies.linsem_ts:LinSEMTS",  # Varici et al. 2023
    "linsem_ucb": "causal_bandits.policies.linsem_ucb:LinSEMUCB",  # Varici et al. 2023
    "lucb": "causal_bandits.policies.lucb:LUCB",  # Kalyanakrishnan et al. 2012; Kaufmann & Kalyanakrishnan 2013
    "normal_thompson": "causal_bandits.policies.normal_thompson:NormalThompson",  # Honda & Takemura 2014
    "oam": "causal_bandits.policies.oam:OAM",  # Hao et al. 2020; huang2024, Alg. 5 without bounds
    "oam_pcb": "causal_bandits.policies.oam:OAMPCB",  # huang2024, Alg. 5
    "observe_then_lucb": "causal_bandits.policies.observe_then_lucb:ObserveThenLUCB",  # two stages, beside xiong2023
    "scm_aam": "causal_bandits.policies.scm_aam:SCMAAM",  # Wei et al. 2023
    "sliding_window_ucb": "causal_bandits.policies.sliding_window_ucb:SlidingWindowUCB",  # Garivier & Moulines 2011
    "successive_rejects": "causal_bandits.policies.successive_rejects:SuccessiveRejects",  # Audibert et al. 2010
    "parallel_bandit": "causal_bandits.policies.parallel_bandit:ParallelBandit",  # Lattimore et al. 2016, Alg. 1
    "partial_discovery": "causal_bandits.policies.partial_discovery:PartialDiscovery",  # Elahi et al. 2024
    "raps": "causal_bandits.policies.raps:RAPS",  # Konobeev et al. 2023, a baseline of lu2021
    "thompson": "causal_bandits.policies.thompson:Thompson",  # Thompson 1933; lee2019, Alg. 3 without z2ID
    "track_and_stop": "causal_bandits.policies.track_and_stop:TrackAndStop",  # Garivier & Kaufmann 2016
    "ucb": "causal_bandits.policies.ucb:UCB",  # Auer et al. 2002; huang2022, Section 4
    "ucb_pcb": "causal_bandits.policies.ucb:UCBPCB",  # huang2024, Alg. 6
    "ucb_plus": "causal_bandits.policies.ucb_plus:UCBPlus",  # Shahverdikondori et al. 2026, k known
    "ucb_plus_unknown": "causal_bandits.policies.ucb_plus_unknown:UCBPlusUnknown",  # the same, k unknown
    "z2_kl_ucb": "causal_bandits.policies.z2_kl_ucb:Z2KLUCB",  # lee2019, Alg. 3, lines 13 to 21
    "z2_thompson": "causal_bandits.policies.z2_thompson:Z2Thompson",  # lee2019, Alg. 3, lines 1 to 12
}


def import_path(algorithm: str) -> str:
    """Return the import path of an algorithm.

    Parameters
    ----------
    algorithm : str
        A key of `ALGORITHMS`, or an import path ``package.module:Class``, which is returned as it is.

    Raises
    ------
    KeyError
        If it is neither.
    """
    if algorithm in ALGORITHMS:
        return ALGORITHMS[algorithm]
    if ":" not in str(algorithm):
        near = get_close_matches(str(algorithm), ALGORITHMS)
        hint = f"; did you mean {' or '.join(map(repr, near))}?" if near else f"; there are {', '.join(ALGORITHMS)}"
        raise KeyError(f"no algorithm {algorithm!r}{hint}")
    return algorithm


def load(algorithm: str) -> Any:
    """Import one algorithm, and no other, and return its class: a `causal_bandits.policies.base.Policy`.

    Parameters
    ----------
    algorithm : str
        A key of `ALGORITHMS`, or the import path ``package.module:Class`` of an algorithm of your own.

    Raises
    ------
    KeyError
        If it is neither.
    ImportError, AttributeError
        If there is no such module or class.
    """
    module, _, name = import_path(algorithm).partition(":")
    return getattr(import_module(module), name)
