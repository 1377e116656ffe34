"""What mypy has to refuse and to accept (`make lint`): an ignored line without an error is an error itself."""

from __future__ import annotations

from causal_bandits.models import ContextualBandit, SCMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.base import StepwisePolicy
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.single_node.cn_ucb import CNUCB
from causal_bandits.seeding import generators


def refused(bandit: SCMBandit) -> None:
    """CN-UCB plays interventions on single nodes."""
    play(CNUCB(), bandit, 10, generators(0, "kinds", 0))  # type: ignore[misc]


def accepted(bandit: SCMBandit, other: ContextualBandit, mine: StepwisePolicy) -> None:
    """Thompson sampling plays the arms of an SCM; a policy of one's own may play anything."""
    play(Thompson(), bandit, 10, generators(0, "kinds", 0))
    play(mine, bandit, 10, generators(0, "kinds", 0))
    play(mine, other, 10, generators(0, "kinds", 0))
