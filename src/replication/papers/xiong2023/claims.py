"""xiong2023's claims: how each is tested, and under which readings of what the paper leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import sqrt
from typing import Literal, NamedTuple

from experiments.settings import Setting
from replication.judging.checks import above, growth, growth_bound, rate
from replication.judging.claims import Along, Check, Claim, Final, Policy, Under, along, claim, final, under
from replication.judging.gaps import Gap, Reading, reading
from replication.judging.judges import Why
from replication.papers.xiong2023.exact_claims import (
    adjustment_sets,
    example,
    existence,
    fair_threshold,
    least_q,
    lemma_1,
    lemma_2,
    means_in_order,
    no_lower_bound,
    no_radius,
    null_is_not_best,
    orders,
    parents_are_admissible,
    theorem_1_rounds,
)
from replication.papers.xiong2023.judges import (
    easier_by_observation,
    fewer_rounds,
    fewer_than_two_stages,
    gain_rises,
    larger_gaps_fewer_plays,
    order,
    rounds_move,
    seen_actions_need_no_plays,
    without_constant,
)

OWN_LEVEL = "1 - delta (here 0.9)"

CCPE = Policy("ccpe_general", {"divisor": 5.0})
CCPE_BGLM = Policy("ccpe_bglm")
LUCB = Policy("lucb")
OBSERVE_FIRST = Policy("observe_then_lucb")

#: Until a run ends, by its cap of a million rounds.
rounds = partial(final, metric="sample_complexity", rounds=1_000_000)

Settings = dict[str, Setting]

# The radii. Section 4 lets alpha_O and alpha_I be "more aggressive" than in theory, and LUCB1 has its own (L132).
THEORY: Settings = {"alpha_o": 8.0, "alpha_i": 2.0}
HOEFFDING: Settings = {"alpha_o": 0.7071, "alpha_i": 0.7071}
LUCB1: Settings = {"bounds": "lucb1", "alpha": 2.0}
LUCB_THEORY: Settings = {"bounds": "xiong", "alpha": 2.0}
LUCB_HOEFFDING: Settings = {"bounds": "xiong", "alpha": 0.7071}

RADII = Gap("L132", "how wide the radii are", {"theory": THEORY, "Hoeffding radii": HOEFFDING})
RADII_OF_LUCB1 = Gap(
    "L132", "which radii LUCB1 has", {"LUCB1 with its own radii": "lucb1", "LUCB1 with those of Eq. 16": "xiong"}
)
#: Where the order of Theorem 2 shows: with the theoretical radii, playing is faster up to about 20 variables.
VARIABLES = Gap(
    "L144",
    "for how many variables an order shows",
    {
        "5 to 200 variables": [5, 10, 20, 50, 100, 200],
        "5 to 20 variables": [5, 10, 20],
        "50 to 200 variables": [50, 100, 200],
    },
)
#: "Other causal bandit algorithms" that observe first are free to choose the number of observations.
OBSERVATIONS = Gap(
    "L136",
    "how often others observe first",
    {"1,000 observations": 1000, "30,000 observations": 30000, "100 observations": 100},
)
#: Line 5's condition on t only delays the end: without it, a run ends as early as its intervals allow.
LINE_5 = Gap("L140", "c in line 5's condition on t", {"c = 1": 1.0, "no condition on t": 0.0})
BGLM_RADIUS = Gap(
    "L132 L140 L146 L180",
    "CCPE-BGLM's radius",
    {"printed radius": "printed", "bare radius (ours)": "bare"},
)
#: The width for which a speed-up is claimed: is the answer still right with probability 0.9?
WIDTH = Gap(
    "L140 L146 L181",
    "the width of the bare radius",
    {"Hoeffding's": 0.7071, "sqrt(7) times as wide": 1.8708, "divided by sqrt(eta)": 3.1623},
)
CONSTANT = Gap("L137", "what as good means", {"at most as many rounds": True, "in order": False})
ORDER_OF_TREATMENTS = Gap(
    "E52",
    "for which order of treatments a sequence exists",
    {"treatments in a given order": False, "treatments in any order": True},
)
#: The lower bound adds m - 1 terms and subtracts two, so with at most three hard actions, no more are added than
#: subtracted (E53).
HARD_ACTIONS = Gap(
    "E53",
    "the problems on which the bounds nearly match",
    {"at most three hard actions": range(4), "four or more hard actions": range(4, 202)},
)
SIZES = VARIABLES.default.value
FEW, MANY = VARIABLES["5 to 20 variables"], VARIABLES["50 to 200 variables"]
OFTEN, SELDOM = OBSERVATIONS["30,000 observations"], OBSERVATIONS["100 observations"]
NARROW, WIDER, WIDEST = (WIDTH[name] for name in WIDTH.options)

WITH_HOEFFDING, WITH_EQ_16 = RADII["Hoeffding radii"], RADII_OF_LUCB1["LUCB1 with those of Eq. 16"]


class Radii(NamedTuple):
    """The settings of both algorithms."""

    ours: Settings
    theirs: Settings


#: LUCB with the radii of CCPE-General: what adapts to gaps alone, which is not LUCB1.
SAME_RADII = (
    reading(Radii(THEORY, LUCB_THEORY)),
    reading(Radii(HOEFFDING, LUCB_HOEFFDING), WITH_HOEFFDING),
)
BOTH_RADII = (
    reading(Radii(THEORY, LUCB1)),
    reading(Radii(THEORY, LUCB_THEORY), WITH_EQ_16),
    reading(Radii(HOEFFDING, LUCB_HOEFFDING), WITH_HOEFFDING, WITH_EQ_16),
)
#: In order, nothing is compared.
AS_GOOD: tuple[Reading[Radii | None], ...] = (
    *(Reading[Radii | None](radii, options) for radii, options in BOTH_RADII),
    reading(None, CONSTANT["in order"]),
)
GROWTH = (
    reading((THEORY, SIZES)),
    reading((THEORY, FEW.value), FEW),
    reading((THEORY, MANY.value), MANY),
    reading((HOEFFDING, SIZES), WITH_HOEFFDING),
)
STAGES = (
    reading((THEORY, OBSERVATIONS.default.value)),
    reading((THEORY, OFTEN.value), OFTEN),
    reading((HOEFFDING, SELDOM.value), WITH_HOEFFDING, SELDOM),
    reading((HOEFFDING, OBSERVATIONS.default.value), WITH_HOEFFDING),
)

# Theorem 1 with the radius as printed, and what is left once its constants are dropped.
WITH_BARE = BGLM_RADIUS["bare radius (ours)"]
NO_CONDITION = LINE_5["no condition on t"]
BARE: Settings = {"radius": WITH_BARE.value, "c": NO_CONDITION.value, **HOEFFDING}
PRINTED: Settings = {"radius": BGLM_RADIUS.default.value, "c": LINE_5.default.value}
UNCONDITIONAL: Settings = {**PRINTED, "c": NO_CONDITION.value}
BGLM_RADII = (
    reading(("bglm_two_layers", PRINTED, LUCB1)),
    reading(("bglm_two_layers", UNCONDITIONAL, LUCB1), NO_CONDITION),
    reading(
        ("bglm_two_layers_bare", BARE, LUCB_HOEFFDING),
        WITH_BARE,
        NO_CONDITION,
        WITH_HOEFFDING,
        WITH_EQ_16,
    ),
)
#: Up to 129 actions with the printed radius, up to 577 with the bare one.
BGLM_ACTIONS = (
    reading(("bglm_actions_printed", PRINTED, LUCB1, [1, 2])),
    reading(("bglm_actions", BARE, LUCB_HOEFFDING, [1, 2, 3]), WITH_BARE, WITH_HOEFFDING, WITH_EQ_16),
)
BGLM_SETTINGS = (reading(NARROW.value), reading(WIDER.value, WIDER))
BARE_RADIUS = (
    reading(("pac_rare_causes", NARROW.value)),
    reading(("pac_rare_causes_wide", WIDEST.value), WIDEST),
)


def as_good(experiment: str, **problems: list[int]) -> tuple[Under, ...]:
    """Test that CCPE-General needs at most as many rounds as LUCB1, on all problems of an experiment.

    In order, nothing is compared (L137).
    """

    def played(policy: Policy) -> Final | Along:
        return along(rounds(experiment, policy), **problems) if problems else rounds(experiment, policy)

    def compare(radii: Radii) -> Check:
        return fewer_rounds(played(CCPE(**radii.ours)), played(LUCB(**radii.theirs)), where="everywhere")

    return under(AS_GOOD, lambda radii: compare(radii) if radii else without_constant())


def moves(experiment: str, direction: Literal["rises", "falls"], **problems: Sequence[float]) -> tuple[Under, ...]:
    """Test that the rounds of CCPE-General always rise or fall along a setting of the problem."""
    return under(RADII, lambda radii: rounds_move(along(rounds(experiment, CCPE(**radii)), **problems), direction))


CLAIMS: dict[str, Claim] = {
    "xiong2023.example.fair.m": claim(fair_threshold([1, 2, 5, 20, 100, 1000])),
    "xiong2023.example.gaps.m": claim(example("m", sizes=[5, 10, 30, 99], actions=100)),
    "xiong2023.example.gaps.m_gap": claim(example("m_gap", sizes=[5, 10, 30, 99], actions=100)),
    "xiong2023.example.gaps.h": claim(example("H", sizes=[5, 10, 30, 99], actions=100)),
    "xiong2023.lemma1": claim(lemma_1(), "L130"),
    "xiong2023.lemma2": claim(lemma_2(), "L141"),
    "xiong2023.theorem4.parents": claim(parents_are_admissible(observed=4)),
    "xiong2023.section5.adjustment": claim(adjustment_sets(observed=3), "E54", fault=Why.SLIP),
    "xiong2023.section5.existence": claim(
        under(ORDER_OF_TREATMENTS, lambda any_order: existence(observed=3, any_order=any_order)), "E52"
    ),
    "xiong2023.definition3.orders": claim(orders(), "E51", fault=Why.SLIP),
    "xiong2023.section4.topological.linear": claim(means_in_order(), "E56"),
    "xiong2023.theorem3.null": claim(null_is_not_best()),
    "xiong2023.section5.radius": claim(no_radius([2, 3, 4]), "E50", fault=Why.SLIP),
    "xiong2023.section5.lower_bound": claim(
        under(
            HARD_ACTIONS,
            lambda hard: no_lower_bound(
                hard, variables=[10, 20, 50, 100], rare=[0, 1, 2, 3, 4, 8], effects=[0.1, 0.25]
            ),
        ),
        "E53",
        headline=True,
        in_view="E53: fails; one reading for all problems",
    ),
    "xiong2023.theorem2.pac.parallel": claim(
        rate(final("pac_parallel", CCPE(**THEORY), "correct", 60_000)), "L132 L143 E50", shown=OWN_LEVEL
    ),
    "xiong2023.theorem2.pac.rare": claim(
        rate(final("pac_rare", CCPE(**THEORY), "correct", 60_000)), "L132 L143 E50", shown=OWN_LEVEL
    ),
    "xiong2023.theorem2.pac.confounded": claim(
        rate(final("pac_confounded", CCPE(**THEORY), "correct", 60_000)), "L132 L143 E50", shown=OWN_LEVEL
    ),
    "xiong2023.theorem2.pac.sequential": claim(
        rate(final("pac_sequential", CCPE(epsilon=0.15, **THEORY), "correct", 60_000)), "L132 L143 E50", shown=OWN_LEVEL
    ),
    "xiong2023.theorem2.pac.two_gaps": claim(
        rate(final("pac_two_gaps", CCPE(**THEORY), "correct", 60_000)), "L132 L143 L181 E50", shown=OWN_LEVEL
    ),
    "xiong2023.theorem2.pac.many": claim(
        rate(final("pac_many", CCPE(**THEORY), "correct", 100_000)),
        "L132 L143 L181 E50",
        untested=(RADII,),
        headline=True,
        shown=f"{OWN_LEVEL}; 100 fair coins",
    ),
    "xiong2023.theorem2.order": claim(order(CCPE(**THEORY), "upper")),
    "xiong2023.theorem3.order": claim(order(CCPE(**HOEFFDING), "lower"), "E53"),
    "xiong2023.theorem3.rises": claim(
        rounds_move(
            along(final("lower_bound", CCPE(**HOEFFDING), "sample_complexity", 2_000_000), rare=[4, 6, 8]), "rises"
        ),
        "E53 L182",
    ),
    "xiong2023.theorem2.growth.variables": claim(
        under(GROWTH, lambda r: growth_bound(along(rounds("scaling", CCPE(**r[0])), variables=r[1]), "log")),
        "L132 L144",
    ),
    "xiong2023.lucb1.growth.variables": claim(
        growth(along(rounds("scaling", LUCB(**LUCB1)), variables=SIZES), "linear"),
        "L144",
        in_view="L144: holds; if the range played decides",
    ),
    "xiong2023.section3.easier.observation": claim(easier_by_observation(), "L145"),
    "xiong2023.theorem2.skew": claim(
        moves("skew", "falls", rare_chance=[0.01, 0.05, 0.2, 0.5]),
        "L132 L145",
    ),
    "xiong2023.theorem2.threshold": claim(
        moves("rare", "rises", rare=[0, 40, 70, 98]),
        "L132 L145",
    ),
    "xiong2023.theorem2.gap": claim(
        moves("gap", "falls", effect=[0.3, 0.5, 0.8]),
        "L132",
    ),
    "xiong2023.theorem2.epsilon": claim(
        moves("epsilon", "falls", epsilon=[0.0, 0.1, 0.2, 0.4]),
        "L132",
    ),
    "xiong2023.theorem2.epsilon.large": claim(
        moves("epsilon", "falls", epsilon=[0.4, 0.6, 0.8]),
        "L132",
    ),
    "xiong2023.theorem2.delta": claim(
        moves("delta", "falls", delta=[0.0001, 0.01, 0.5]),
        "L132",
    ),
    "xiong2023.adaptive.gaps": claim(
        under(RADII, lambda radii: larger_gaps_fewer_plays(rounds("graded", CCPE(**radii)))),
        "L132 L183",
        in_view="L183: same; the problem was chosen after seeing first numbers, and no other is played",
    ),
    "xiong2023.adaptive.observations": claim(
        under(RADII, lambda radii: seen_actions_need_no_plays(rounds("seen", CCPE(**radii)))),
        "L132 L145 L183",
        in_view="L183: holds; with 100 variables, 70 of them rare",
    ),
    "xiong2023.adaptive.observations.many": claim(
        under(RADII, lambda radii: seen_actions_need_no_plays(rounds("rare", CCPE(rare=70, **radii)))),
        "L132 L145 L183",
        in_view="L183: depends; with 20 variables, 6 of them rare",
    ),
    "xiong2023.adaptive.both.gaps": claim(
        under(
            SAME_RADII,
            lambda r: fewer_rounds(
                rounds("rare", CCPE(rare=40, **r.ours)), rounds("rare", LUCB(rare=40, **r.theirs)), where="somewhere"
            ),
        ),
        "L132 L136 L183",
        headline=True,
        shown="CCPE-General < LUCB (40 of 100 actions rare)",
        in_view="L183: fails; with 70 or 98 rare actions",
    ),
    "xiong2023.adaptive.both.observation": claim(
        under(RADII, lambda radii: fewer_than_two_stages(rounds("rare", CCPE(rare=40, **radii)), "gap")),
        "L132 L136 L183",
        in_view="L183: same; with 70 or 98 rare actions",
    ),
    "xiong2023.as_good.scaling": claim(
        as_good("scaling", variables=SIZES),
        "L132 L137",
    ),
    "xiong2023.as_good.two_gaps": claim(
        as_good("two_gaps"),
        "L132 L137",
    ),
    "xiong2023.as_good.rare": claim(
        as_good("rare", rare=[0, 40, 70, 98]),
        "L132 L137 L145",
    ),
    "xiong2023.as_good.confounded": claim(
        as_good("confounded"),
        "L132 L137",
    ),
    "xiong2023.as_good.sequential": claim(
        as_good("sequential"),
        "L132 L137",
    ),
    "xiong2023.better.lucb1": claim(
        under(
            BOTH_RADII,
            lambda r: fewer_rounds(
                along(rounds("scaling", CCPE(**r.ours)), variables=SIZES),
                along(rounds("scaling", LUCB(**r.theirs)), variables=SIZES),
                where="somewhere",
            ),
        ),
        "L132 L144",
        headline=True,
        shown="CCPE-General < LUCB1 (fair coins)",
        in_view="L144: depends; with up to 50 variables",
    ),
    "xiong2023.better.plan.two_gaps": claim(
        under(RADII, lambda radii: fewer_than_two_stages(rounds("two_gaps", CCPE(**radii)), "gap")), "L132 L136"
    ),
    "xiong2023.better.plan.large_gaps": claim(
        under(RADII, lambda radii: fewer_than_two_stages(rounds("stages", CCPE(epsilon=0.1, **radii)), "epsilon")),
        "L132 L136",
    ),
    "xiong2023.better.stages.two_gaps": claim(
        under(
            STAGES,
            lambda r: above(
                rounds("two_gaps", OBSERVE_FIRST(observations=r[1], **r[0])), rounds("two_gaps", CCPE(**r[0]))
            ),
        ),
        "L132 L136",
    ),
    "xiong2023.better.stages.scaling": claim(
        under(
            STAGES,
            lambda r: above(
                rounds("stages", OBSERVE_FIRST(observations=r[1], **r[0])), rounds("stages", CCPE(epsilon=0.0, **r[0]))
            ),
        ),
        "L132 L136",
    ),
    "xiong2023.theorem1.pac": claim(
        under(LINE_5, lambda c: rate(final("pac_bglm", CCPE_BGLM(radius="printed", c=c), "correct", 60_000))),
        "L140 L143",
        shown=OWN_LEVEL,
    ),
    "xiong2023.theorem1.pac.rare_causes": claim(
        rate(final("pac_rare_causes_printed", CCPE_BGLM(**UNCONDITIONAL), "correct", 300_000)),
        "L140 L143 L181",
        shown=OWN_LEVEL,
    ),
    "xiong2023.theorem1.order": claim(order(CCPE_BGLM(alpha_o=6 * sqrt(2), alpha_i=2.0), "upper"), "L140"),
    "xiong2023.theorem1.rounds": claim(theorem_1_rounds([2, 4, 8, 16, 64, 256, 1024]), "E55 L140", fault=Why.ERROR),
    "xiong2023.section4.least_q": claim(least_q(observed=4), "L141"),
    "xiong2023.section4.speedup": claim(
        under(
            BGLM_RADII,
            lambda r: above(rounds(r[0], LUCB(epsilon=0.1, **r[2])), rounds(r[0], CCPE_BGLM(epsilon=0.1, **r[1]))),
        ),
        "L140 L180",
        untested=(WIDTH,),
        headline=True,
        shown="LUCB1 > CCPE-BGLM (51 actions)",
    ),
    "xiong2023.section4.speedup.logistic": claim(
        above(
            rounds("bglm_logistic", LUCB(epsilon=0.1, bounds="xiong")),
            rounds("bglm_logistic", CCPE_BGLM(epsilon=0.1, radius="bare", c=0.0)),
        ),
        "L140 L184",
        in_view="L184: same; two layers were there before the chains",
    ),
    "xiong2023.section4.speedup.chain_linear": claim(
        above(
            rounds("bglm_chain", LUCB(epsilon=0.1, link="linear")),
            rounds("bglm_chain", CCPE_BGLM(epsilon=0.1, radius="bare", c=0.0, link="linear")),
        ),
        "L140 L184",
        in_view="L184: holds; with two layers alone, before the chains were added",
    ),
    "xiong2023.section4.speedup.chain_logistic": claim(
        above(
            rounds("bglm_chain", LUCB(epsilon=0.1, link="logistic")),
            rounds("bglm_chain", CCPE_BGLM(epsilon=0.1, radius="bare", c=0.0, link="logistic")),
        ),
        "L140 L184",
        in_view="L184: holds; with two layers alone, before the chains were added",
    ),
    "xiong2023.section4.speedup.guarantee": claim(
        under(
            BARE_RADIUS,
            lambda r: rate(final(r[0], CCPE_BGLM(radius="bare", alpha_o=r[1], c=0.0, chance=0.05), "correct", 300_000)),
        ),
        "L132 L140 L143 L181",
        shown=OWN_LEVEL,
    ),
    "xiong2023.section4.exponential": claim(
        under(
            BGLM_ACTIONS,
            lambda r: gain_rises(
                along(rounds(r[0], CCPE_BGLM(epsilon=0.1, **r[1])), most=r[3]),
                along(rounds(r[0], LUCB(epsilon=0.1, **r[2])), most=r[3]),
            ),
        ),
        "L140 L146 L180",
        in_view="L180: open; with the first 10 seeds",
    ),
    "xiong2023.section4.exponential.settings": claim(
        under(
            BGLM_SETTINGS,
            lambda alpha_o: gain_rises(
                along(
                    rounds("bglm_settings", CCPE_BGLM(epsilon=0.1, radius="bare", alpha_o=alpha_o, c=0.0)),
                    causes=[2, 3, 4, 5, 6],
                ),
                along(rounds("bglm_settings", LUCB(epsilon=0.1)), causes=[2, 3, 4, 5, 6]),
            ),
        ),
        "L140 L146 L181",
    ),
}
