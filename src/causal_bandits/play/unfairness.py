"""Definitions of an unfair round, and the names of the columns that count unfair rounds.

Let a be the arm played for user x of group s, and x* the same user in the other group. A round's discrepancy is, by
definition:

================  ======================================================================================================
exact             abs(E[R(a, s+) | x] - E[R(a, s-) | x]), with the arm held fixed (huang2022, Eq. 8)
answer            the same with the arm that the policy, in the same state, would play for x* (Definition 3)
plugin            the estimate of ``exact`` (Eq. 10) from means, before the round, of the minimal separator's cells
plugin_parents    the same from the cells of the reward's parents, which C-UCB uses
plugin_table      the same from the cells of context and arm, which UCB uses
conservative      UCB_Delta of the arm (Eq. 12, delta = 1/t^2)
drawn             the difference from the reward of another user, equal to x but for s, with the same arm and new noise
drawn_answer      the difference from the reward of another user, equal to x*, with the policy's answer and new noise
worst             the difference from the smallest mean reward that an arm has for x*
================  ======================================================================================================

If the context has descendants of the sensitive attribute, x* depends on the SCM's functions (ledger L42). The
definitions with the policy's answer need a policy that answers queries (`causal_bandits.policies.base.Queries`).
"""

from __future__ import annotations

#: The names of the definitions; the first needs neither samples nor estimates.
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

#: Discrepancies and means that differ by less count as equal: the difference is rounding.
ROUNDING = 1e-9

#: The columns that count rounds in which UCB_Delta fails as a bound: as printed (Eq. 12), and with both groups' widths.
MISSED = ("missed_eq_12", "missed_both_groups")


def unfair(definition: str, tau: float) -> str:
    """Return the name of the column that counts rounds whose discrepancy by ``definition`` is above ``tau``."""
    return f"unfair_{definition}_{tau:g}"


def fair_regret(tau: float) -> str:
    """Return the name of the column for the regret against the best policy that is fair at ``tau``."""
    return f"fair_regret_{tau:g}"
