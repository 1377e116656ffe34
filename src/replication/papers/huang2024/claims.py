"""huang2024's claims: how each is tested, and under which readings of what the paper leaves open."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import NamedTuple

from causal_bandits.estimation.bounds import Method
from replication.judging.checks import By, above, bound
from replication.judging.claims import Check, Claim, Policy, claim, final, under
from replication.judging.gaps import Gap, Reading, reading
from replication.judging.judges import Why
from replication.papers.huang2024.judges import (
    ROUNDS,
    Estimate,
    above_at_levels,
    ancestors,
    cell,
    contains,
    covers_at_levels,
    kept,
    line_13,
    misses,
    substitutes,
    theorem_4,
    theorem_5,
    theorem_6,
    theorem_7,
    theorem_8,
    tighter,
    truth,
)
from replication.papers.huang2024.stages import ROW_COUNT

LIN_UCB = Policy("lin_ucb", {"warm_start": None})
LIN_UCB_CP, LIN_UCB_BIASED = LIN_UCB(warm_start="cp"), LIN_UCB(warm_start="biased")
LIN_UCB_PCB = Policy("lin_ucb_pcb")
OAM, OAM_PCB = Policy("oam"), Policy("oam_pcb")
UCB, UCB_PCB = Policy("ucb"), Policy("ucb_pcb")

#: After all of the paper's rounds.
end = partial(final, rounds=ROUNDS)


class Fig4(NamedTuple):
    """The two policies of an ordering in Fig. 4, the experiment, and by what they are paired."""

    experiment: str
    larger: Policy
    smaller: Policy
    by: By = "seed"


ALPHA = Gap("L55", "LinUCB's alpha", {"alpha = 1": 1.0, "alpha = 0.5": 0.5, "alpha = 0.25": 0.25})
THETA = Gap("L61", "whether arms share theta", {"one theta per arm": False, "one theta for all arms": True})
ARMS = Gap("L92", "what an arm is", {"four arms": False, "one arm per cell of Table 1": True})
WEIGHT = Gap("L56", "the weight of a warm start", {"weight of its records": "count", "weight 1": 1})
#: What the column "Biased" of Table 1 shows.
BIASED: Gap[Estimate] = Gap(
    "L25",
    "what the estimate Biased adjusts for",
    {
        "Eq. 2 as printed": "biased",
        "Eq. 2 given the context": "biased_conditional",
        "P(y | x, S=1)": "observed",
    },
)
SUBSTITUTES: Gap[Method] = Gap(
    "L22",
    "when substitute variables give a bound",
    {"conditional substitutes": "conditional_substitute", "Algorithm 1 to the letter": "strict"},
)
#: Those from infinite offline data contain it by construction, so they decide nothing.
CONTAINS = Gap(
    "L22 L24",
    "which bounds contain the truth",
    {
        "the bounds that Table 1 prints": contains("printed"),
        "the bounds from infinite offline data": contains("exact"),
        "the bounds from one offline sample": contains("sample"),
    },
)
DATA = Gap(
    "L24",
    "from which data an estimate deviates",
    {"on infinite offline data": None, "beyond the noise of one offline sample": "noise"},
)
EXCHANGE = Gap(
    "E01",
    "what Theorem 4 requires",
    {
        "recoverability alone, as the theorem is printed": False,
        "with the exchange condition stated before it": True,
    },
)
#: As published, eps_t means uniform play in nearly every round.
EXPLORATION = Gap("L57", "how often OAM explores", {"eps_t as printed": 1.0, "eps_t times 0.01": 0.01})
REACH = Gap(
    "L58", "how far the bounds reach in OAM-PCB", {"Algorithm 5 as printed": "choices", "arms left out too": "arms"}
)
GUARANTEED = Gap("L96", "what is guaranteed to be lower", {"on average": False, "in every run": True})
CONSTRAINT = Gap(
    "E13",
    "the arms to which Theorem 7's constraint applies",
    {"the arms that are kept": tighter(7), "all arms, as printed": tighter(7, bounded="all")},
)
APPROXIMATELY = Gap(
    "L64", "what approximately means", {"to the nearest thousand": 0.0334, "to the nearest five thousand": 0.167}
)

# The orderings of Fig. 4: of LinUCB against LinUCB-PCB, and of either against a warm start. Tables `comparison` and
# `alpha` have other settings. Experiment `variants` plays them one setting at a time.
PLAIN = {"intercept": True, "shared": False, "cells": False}
QUARTER, SHARED, WEIGHT_1 = ALPHA["alpha = 0.25"], THETA["one theta for all arms"], WEIGHT["weight 1"]

GAIN = (
    reading(Fig4("linear", LIN_UCB, LIN_UCB_PCB)),
    reading(
        Fig4("half_alpha", LIN_UCB(alpha=0.5), LIN_UCB_PCB(alpha=0.5), by="draw"),
        ALPHA["alpha = 0.5"],
    ),
    reading(Fig4("one_theta", LIN_UCB(shared=True), LIN_UCB_PCB(shared=True), by="draw"), SHARED),
    reading(Fig4("variants", LIN_UCB(cells=True), LIN_UCB_PCB(cells=True)), ARMS["one arm per cell of Table 1"]),
)


def cp_start(smaller: Policy) -> tuple[Reading[Fig4], ...]:
    """Compare the start from CP with another policy."""
    return (
        reading(Fig4("linear", LIN_UCB_CP, smaller)),
        reading(Fig4("alpha", LIN_UCB_CP(alpha=0.25), smaller(alpha=0.25)), QUARTER),
        reading(Fig4("variants", LIN_UCB_CP(shared=True), smaller(shared=True)), SHARED),
        reading(Fig4("variants", LIN_UCB_CP(warm_weight=1), plain(smaller)), WEIGHT_1),
    )


def biased_start(smaller: Policy) -> tuple[Reading[Fig4], ...]:
    """Compare the start from the biased estimate with another policy."""
    observed = LIN_UCB(warm_start="observed")
    return (
        reading(Fig4("linear", LIN_UCB_BIASED, smaller)),
        reading(Fig4("alpha", LIN_UCB_BIASED(alpha=0.25), smaller(alpha=0.25)), QUARTER),
        reading(Fig4("variants", LIN_UCB_BIASED(warm_weight=1), plain(smaller)), WEIGHT_1),
        reading(Fig4("variants", observed, plain(smaller)), BIASED["P(y | x, S=1)"]),
    )


def plain(policy: Policy) -> Policy:
    """Return a policy of experiment `variants` without any of its variants."""
    return policy(**PLAIN, **({"upper": "upper"} if policy == LIN_UCB_PCB else {"warm_weight": "count"}))


def fig_4(r: Fig4) -> Check:
    """Test an ordering of Fig. 4."""
    return above(end(r.experiment, r.larger), end(r.experiment, r.smaller), by=r.by)


# What shows that an estimate deviates from the truth.
NOISE = DATA["beyond the noise of one offline sample"]
DEVIATES_CP = (reading(misses("cp")), reading(misses("cp", beyond="noise"), NOISE))
DEVIATES_BIASED = (
    reading(misses("biased")),
    reading(misses("biased", beyond="noise"), NOISE),
    reading(misses("biased_conditional", beyond="noise"), NOISE, BIASED["Eq. 2 given the context"]),
    reading(misses("observed", beyond="noise"), NOISE, BIASED["P(y | x, S=1)"]),
)
LETTER = SUBSTITUTES["Algorithm 1 to the letter"]
LOWER: tuple[Reading[Estimate], ...] = (reading("lower"), reading("strict_lower", LETTER))
UPPER: tuple[Reading[Estimate], ...] = (reading("upper"), reading("strict_upper", LETTER))
OAM_READINGS: tuple[Reading[tuple[float, str]], ...] = (
    reading((1, "choices")),
    reading((0.01, "choices"), EXPLORATION["eps_t times 0.01"]),
    reading((1, "arms"), REACH["arms left out too"]),
    reading((0.01, "arms"), REACH["arms left out too"], EXPLORATION["eps_t times 0.01"]),
)


def itself(test: Check) -> Check:
    """Return a reading's test."""
    return test


def row_of_table_1(index: int) -> dict[str, Claim]:
    """Test the cells of a row of Table 1."""
    name = f"huang2024.table1.{index}"
    outlier = index in (5, 13, 16)
    in_view = "" if index in (1, 15) else "L160: fails; with a boundary of 5 % for the column"
    return {
        f"{name}.cp": claim(cell("cp"), "L160", in_view=in_view),
        f"{name}.biased": claim(under(BIASED, cell), "E02"),
        f"{name}.lower": claim(under(LOWER, cell), "E02 E04 E05" if outlier else "E02 E04"),
        f"{name}.upper": claim(under(UPPER, cell), "E02 E04"),
        f"{name}.truth": claim(truth(), "E03", fault=Why.ERROR),
    }


CLAIMS: dict[str, Claim] = {
    **{id_: each for i in range(1, ROW_COUNT + 1) for id_, each in row_of_table_1(i).items()},
    "huang2024.contains.bce": claim(
        under(CONTAINS, itself),
        "E04 E32 L93",
        untested=(SUBSTITUTES,),
        headline=True,
        fault=Why.ERROR,
        in_view="E32: depends; a sample shows it if at least 2.5 % of samples do",
    ),
    "huang2024.deviates.cp": claim(under(DEVIATES_CP, itself)),
    "huang2024.deviates.biased": claim(under(DEVIATES_BIASED, itself)),
    "huang2024.kept.offline": claim(under(APPROXIMATELY, kept), "L64"),
    "huang2024.ancestors.example": claim(ancestors(), "E15", fault=Why.SLIP),
    "huang2024.substitutes.example": claim(under(SUBSTITUTES, substitutes), "E01"),
    "huang2024.theorem3.example": claim(contains("strict"), "L20 L21 L22", evidence="by construction"),
    "huang2024.theorem4.bounds": claim(under(EXCHANGE, lambda exchange: theorem_4(exchange=exchange)), "E01"),
    "huang2024.order.linear.lin_ucb.lin_ucb_pcb": claim(
        under(GAIN, fig_4),
        "L55 L61",
        untested=(SUBSTITUTES,),
        headline=True,
        shown="LinUCB > LinUCB-PCB",
        in_view="L55: open; with alpha = 0.25 as a reading",
    ),
    "huang2024.order.quarter.lin_ucb.lin_ucb_pcb": claim(
        above(end("alpha", LIN_UCB(alpha=0.25)), end("alpha", LIN_UCB_PCB(alpha=0.25))), "L55"
    ),
    "huang2024.order.linear.lin_ucb_cp.lin_ucb_pcb": claim(under(cp_start(LIN_UCB_PCB), fig_4)),
    "huang2024.order.linear.lin_ucb_biased.lin_ucb_pcb": claim(under(biased_start(LIN_UCB_PCB), fig_4)),
    "huang2024.order.linear.lin_ucb_cp.lin_ucb": claim(
        under(cp_start(LIN_UCB), fig_4),
    ),
    "huang2024.order.linear.lin_ucb_biased.lin_ucb": claim(
        under(biased_start(LIN_UCB), fig_4),
        untested=(THETA, ARMS),
        headline=True,
        shown="LinUCB_Biased > LinUCB",
    ),
    "huang2024.order.oam.oam.oam_pcb": claim(
        under(
            OAM_READINGS,
            lambda r: above(end("oam", OAM(epsilon=r[0])), end("oam", OAM_PCB(epsilon=r[0], bounds_enter=r[1]))),
        ),
        "L58 E30",
    ),
    "huang2024.oam.line_13": claim(line_13(horizon=ROUNDS), "E12", fault=Why.SLIP),
    "huang2024.order.non_contextual.ucb.ucb_pcb": claim(
        above(end("non_contextual", UCB), end("non_contextual", UCB_PCB)), "L63"
    ),
    "huang2024.lemma6": claim(bound(final("exact", LIN_UCB_PCB(alpha=9), "ruled_out")), "E14 L55"),
    "huang2024.theorem5.linear.lin_ucb_pcb": claim(theorem_5(final("one_theta", LIN_UCB_PCB)), "L61 E14"),
    "huang2024.theorem5.gain": claim(tighter(5), "E14", untested=(SUBSTITUTES,), headline=True, shown="without > with"),
    "huang2024.theorem6": claim(
        under(
            GUARANTEED,
            lambda every: theorem_6(end("exact", LIN_UCB_PCB(alpha=1)), end("exact", LIN_UCB), in_every_run=every),
        ),
        "E14",
    ),
    "huang2024.theorem7.oam.oam_pcb": claim(
        theorem_7(final("oam", OAM_PCB(epsilon=1, bounds_enter="choices"))), "L57 L58 E13 E30"
    ),
    "huang2024.theorem7.gain": claim(
        under(CONSTRAINT, itself), "E13", untested=(SUBSTITUTES,), headline=True, shown="without > with"
    ),
    "huang2024.theorem8.non_contextual.ucb_pcb": claim(theorem_8(final("non_contextual", UCB_PCB)), "L63"),
    "huang2024.theorem8.gain": claim(tighter(8), "L63"),
    "huang2024.robust.bounds": claim(covers_at_levels(), "L94", evidence="by construction"),
    "huang2024.robust.lin_ucb.lin_ucb_pcb": claim(
        above_at_levels(
            [
                (
                    end("levels", LIN_UCB(confounding=c, selection=s)),
                    end("levels", LIN_UCB_PCB(confounding=c, selection=s)),
                )
                for c, s in product([0, 1, 2], [0, 1, 1.25])
            ]
        ),
        "L94",
        untested=(ALPHA, THETA, ARMS, SUBSTITUTES),
        headline=True,
        shown="LinUCB > LinUCB-PCB",
        in_view="L280: open; with the first 100 seeds, as many as were played first, and with 200",
    ),
}
