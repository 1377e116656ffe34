"""How an unfair round can be counted, and the names of the columns of runs that count them: the one place for both.

With a the arm played for user x of group s, and x* the same user in the other group, a round's discrepancy is

================  ======================================================================================================
exact             abs(E[R(a, s+) | x] - E[R(a, s-) | x]), the arm held fixed (huang2022, Eq. 8)
answer            the same with the arm that the policy itself, as it stands, would give to x* (Definition 3)
plugin            the estimate of ``exact`` (Eq. 10) from means, before the round, of the minimal separator's cells
plugin_parents    the same from those of the cells of the reward's parents, as C-UCB has them
plugin_table      the same from those of context and arm, as UCB has them
conservative      UCB_Delta of the arm (Eq. 12, delta = 1/t^2)
drawn             the difference of the reward from another user's, who is x but for s, has the same arm and other noise
drawn_answer      the difference of the reward from another user's, who is x*, has the policy's answer and other noise
worst             the difference of the reward from the least mean that an arm has for x*
================  ======================================================================================================

Where the context holds descendants of the sensitive attribute, what x* is depends on the SCM's functions (ledger L42).
The definitions with the policy's answer need one that answers queries (`causal_bandits.policies.base.Queries`).
"""

from __future__ import annotations

#: Their names; the first is the bandit's own, without sampling or estimates.
DEFINITIONS = (
    "exact",
    "answer",
    "plugin",
    "plugin_parents",
    "plugin_table",
    "conservative",
    "drawn",
    "drawn_answer",
    "worst",
)

#: Discrepancies and means that differ by less are equal but for rounding.
ROUNDING = 1e-9

#: The columns that count rounds in which UCB_Delta, as printed (Eq. 12) and with both groups' widths, bounds nothing.
MISSED = ("missed_eq_12", "missed_both_groups")


def unfair(definition: str, tau: float) -> str:
    """The column that counts the rounds whose discrepancy, by one of `DEFINITIONS`, is beyond ``tau``."""
    return f"unfair_{definition}_{tau:g}"


def fair_regret(tau: float) -> str:
    """The column of the regret against the best policy that is fair at ``tau``."""
    return f"fair_regret_{tau:g}"
