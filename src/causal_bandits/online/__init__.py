"""Causal bandits in use: act, learn when the outcome comes, save the state and resume.

=========================  ====================================================================================
`CausalBandit`             arms from a causal graph, with samples shared between them
`ContextualCausalBandit`   a context, a regression per arm, and bounds from logs
`Choice`                   what to do, and with which probability it was chosen
`replay`                   what a bandit would have earned on logged decisions
=========================  ====================================================================================
"""

from causal_bandits.online.base import Choice, Replay, replay
from causal_bandits.online.causal_bandit import CausalBandit
from causal_bandits.online.contextual import ContextualCausalBandit

__all__ = ["CausalBandit", "Choice", "ContextualCausalBandit", "Replay", "replay"]
