"""The algorithms that an `OnlineBandit` plays, and the learner of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from causal_bandits.online.cells import Cells
from causal_bandits.online.linear import Linear
from causal_bandits.online.problem import Learner, Problem
from causal_bandits.online.without_context import Betas, KLIndices, OfArrays
from causal_bandits.policies.base import IncrementalPolicy, StepwisePolicy
from causal_bandits.policies.classical.kl_ucb import KLUCB
from causal_bandits.policies.classical.normal_thompson import NormalThompson
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.policies.contextual.ucb_pcb import UCBPCB

LEARNERS: Mapping[type, Callable[[Problem], Learner]] = {
    Thompson: Betas,
    KLUCB: KLIndices,
    UCB: Cells,
    UCBPCB: Cells,
    LinUCB: Linear,
    LinUCBPCB: Linear,
    NormalThompson: OfArrays,
}


def learner_of(policy: object) -> Callable[[Problem], Learner]:
    """Return the learner of an algorithm; raise a TypeError if there is none."""
    if (learner := LEARNERS.get(type(policy))) is not None:
        return learner
    if isinstance(policy, IncrementalPolicy):
        if dataclasses.is_dataclass(policy):
            return OfArrays
        why = " is not a dataclass, so it has no fields to save"
    elif isinstance(policy, StepwisePolicy):
        why = " keeps its state where it cannot be saved, and needs a problem and a horizon"
    else:
        why = "" if isinstance(policy, str | type) else " needs a model or a horizon"
    known = ", ".join(f"{kind.__name__}()" for kind in LEARNERS)
    raise TypeError(
        f"policy: {policy!r}{why}; expected an instance, one of {known}, or of your own dataclass that extends "
        "IncrementalPolicy"
    )
