"""lu2021's claims: how each is tested, and under which readings of what the paper leaves open."""

from __future__ import annotations

from typing import Literal

from replication.judging.checks import Law, above, growth_bound, growth_by_construction, rate, trend
from replication.judging.claims import Check, Claim, Policy, Under, along, claim, final, under
from replication.judging.gaps import Gap
from replication.judging.judges import Why
from replication.papers.lu2021.judges import (
    comparable_star,
    counterexamples,
    length_of_stage,
    lower_bound,
    minimax,
    not_recovered,
    printed_forms,
    rate_over,
    regret_bound,
    stage_3_bound,
    star,
    step,
    ucb_bound,
)

OWN_LEVEL, OWN_LEVEL_OF_APPENDIX_C = "1 - delta (here 0.95)", "1 - delta (here 0.9)"
NODES = [10, 30, 100, 300, 1000, 3000, 10000]
SHAPES = ["path", "uniform", "balanced", "preferential", "star"]

CN_UCB = Policy("cn_ucb")
#: UCB on all interventions, and on those on the reward's cause alone.
UCB = Policy("gaussian_ucb", {"arms": "all"})
UCB_ON_CAUSE = Policy("gaussian_ucb", {"arms": "reward"})
TS = Policy("gaussian_thompson")

#: "The UCB algorithm", with which CN-UCB is compared: the exponent of 1/delta = T^2 or T ...
EXPONENT = Gap("L125", "the index of UCB", {"delta = 1/T^2": 2.0, "delta = 1/T": 1.0})
#: ... and the same in CN-UCB's own last stage.
STAGE_3 = Gap("L125", "the index of UCB in stage 3", {"delta = 1/T^2": 2.0, "delta = 1/T": 1.0})
#: Eq. 1's law, or the word taken literally.
LOGARITHMICALLY: Gap[Law] = Gap(
    "L117",
    "what growing logarithmically means",
    {"(log n)^2, as in Eq. 1": "log_squared", "log n, as the text says": "log"},
)
STRICTLY = Gap(
    "E40",
    "whether two edges with equal separators are intersection comparable",
    {"to the letter, equal separators count": False, "proper subsets only": True},
)
#: Which policies Eq. 4 is about.
TOLD: Gap[Literal["the graph", "nothing"]] = Gap(
    "E45",
    "what the policies of Eq. 4 know",
    {"policies told the essential graph": "the graph", "policies that see rewards alone": "nothing"},
)

# What was chosen after seeing results.
AT_T_1 = "at T_1, near which the two were compared first"
ONE_INDEX = "with the index of delta = 1/T^2 alone"


def eq_4(told: Literal["the graph", "nothing"]) -> Check:
    """Test Eq. 4, the same one in Theorems 4 and 5."""
    return lower_bound(told, nodes=1000, states=2, horizon=50_000, explored=0.3)


def less_than_ucb(experiment: str, rounds: int, **problem: int) -> tuple[Under, ...]:
    """Test that CN-UCB has less regret than UCB on one problem of an experiment, for both indices of UCB."""
    return under(
        EXPONENT,
        lambda exponent: above(
            final(experiment, UCB(**problem, exponent=exponent), rounds=rounds),
            final(experiment, CN_UCB(**problem), rounds=rounds),
        ),
    )


def less_than_thompson(nodes: int) -> Check:
    """Test that CN-UCB has less regret than Thompson sampling on trees of this size."""
    return above(*(final("far_thompson", policy(nodes=nodes), rounds=4_000_000) for policy in (TS, CN_UCB)))


def third_stage(states: int) -> tuple[Under, ...]:
    """Test the bound on the regret of the last stage, in which UCB plays the cause's states."""
    return under(
        STAGE_3,
        lambda exponent: stage_3_bound(
            final("stage_3", UCB_ON_CAUSE(states=states, exponent=exponent), rounds=300_000)
        ),
    )


CLAIMS: dict[str, Claim] = {
    "lu2021.fig1.c": claim(step(stage=1, t=0, shows="centre"), "L113", evidence="fitted"),
    "lu2021.fig1.d": claim(step(stage=1, t=0, shows="left"), "L113", evidence="fitted"),
    "lu2021.fig1.e": claim(step(stage=1, t=1, shows="centre"), "L113", evidence="fitted"),
    "lu2021.fig1.f": claim(step(stage=1, t=1, shows="crossed out"), "L113", evidence="fitted"),
    "lu2021.fig1.g": claim(step(stage=1, t=1, shows="left"), "L113", evidence="fitted"),
    "lu2021.fig1.h": claim(step(stage=2, t=0, shows="centre"), "L113", evidence="fitted"),
    "lu2021.fig1.i": claim(step(stage=2, t=0, shows="tested"), "L113", evidence="fitted"),
    "lu2021.fig1.j": claim(step(stage=2, t=0, shows="left"), "L113", evidence="fitted"),
    "lu2021.lemma1.right": claim(rate(final("lemma1", CN_UCB, "correct")), "L100 L101 L102 L112", shown=OWN_LEVEL),
    "lu2021.lemma1.bound": claim(rate(final("lemma1", CN_UCB, "within_bound")), "L112 E41", shown=OWN_LEVEL),
    "lu2021.lemma1.as_printed.uniform": claim(
        printed_forms(final("lemma1", CN_UCB)), "L100 L101 L102 L103 L105 L112", headline=True, fault=Why.SLIP
    ),
    "lu2021.lemma1.as_printed.path": claim(
        printed_forms(final("shapes", CN_UCB(shape="path"))), "L100 L101 L102 L103 L105 L112", fault=Why.SLIP
    ),
    "lu2021.lemma1.shape": claim(
        rate_over(along(final("shapes", CN_UCB, "within_bound"), shape=SHAPES)), "L112 L191 E41", shown=OWN_LEVEL
    ),
    "lu2021.lemma1.stage_1": claim(
        length_of_stage(along(final("shapes", CN_UCB), shape=SHAPES), 1),
        "L112 L191 E41",
        shown=OWN_LEVEL,
    ),
    "lu2021.lemma1.stage_2": claim(
        length_of_stage(along(final("shapes", CN_UCB), shape=SHAPES), 2), "L112 L191", shown=OWN_LEVEL
    ),
    "lu2021.theorem1.regret": claim(
        under(STAGE_3, lambda exponent: regret_bound(final("theorem1", CN_UCB(exponent=exponent), rounds=1_000_000))),
        "L112 L115 L125",
        shown=OWN_LEVEL,
        in_view=f"L125: same; {ONE_INDEX}",
    ),
    "lu2021.theorem1.stage_3.2": claim(
        third_stage(states=2),
        "L112 L115 L125",
        shown=OWN_LEVEL,
        in_view=f"L125: same; {ONE_INDEX}",
    ),
    "lu2021.theorem1.stage_3.4": claim(
        third_stage(states=4),
        "L112 L115 L125",
        shown=OWN_LEVEL,
        in_view=f"L125: same; {ONE_INDEX}",
    ),
    "lu2021.theorem1.stage_3.8": claim(
        third_stage(states=8),
        "L112 L115 L125",
        shown=OWN_LEVEL,
        in_view=f"L125: same; {ONE_INDEX}",
    ),
    "lu2021.theorem1.log_n": claim(
        under(
            LOGARITHMICALLY, lambda law: growth_bound(along(final("nodes", CN_UCB, rounds=700_000), nodes=NODES), law)
        ),
        "L112 L117",
        untested=(STAGE_3,),
        headline=True,
    ),
    "lu2021.theorem1.rounds_log_squared_n": claim(
        growth_bound(along(final("nodes", CN_UCB, "sample_complexity"), nodes=NODES), "log_squared"),
        "L112 L117",
    ),
    "lu2021.theorem1.ucb_sqrt_n": claim(
        under(
            EXPONENT,
            lambda exponent: ucb_bound(
                along(final("far", UCB(exponent=exponent), rounds=4_000_000), nodes=[10, 30, 100, 300, 1000])
            ),
        ),
        "L112 L125",
        in_view=f"L125: same; {ONE_INDEX}",
    ),
    "lu2021.theorem1.order.ucb.100": claim(
        less_than_ucb("far", 4_000_000, nodes=100),
        "L112 L118 L125",
        in_view=f"L118: fails; {AT_T_1}; L125: holds, {ONE_INDEX}",
    ),
    "lu2021.theorem1.order.ucb.300": claim(
        less_than_ucb("far", 4_000_000, nodes=300),
        "L112 L118 L125",
        in_view=f"L118: open; {AT_T_1}; L125: same, {ONE_INDEX}",
    ),
    "lu2021.theorem1.order.ucb.1000": claim(
        less_than_ucb("far", 4_000_000, nodes=1000),
        "L112 L118 L125",
        untested=(STAGE_3,),
        headline=True,
        shown="UCB > CN-UCB (n = 1,000)",
        in_view=f"L118: same; {AT_T_1}; L125: same, {ONE_INDEX}",
    ),
    "lu2021.theorem1.order.ts.100": claim(
        less_than_thompson(nodes=100),
        "L112 L118 L126",
    ),
    "lu2021.theorem1.order.ucb.degree.3": claim(
        less_than_ucb("degrees_regret", 5_400_000, degree=3),
        "L112 L118 L125 L192",
        in_view=f"L118: open; {AT_T_1}; L125: same, {ONE_INDEX}",
    ),
    "lu2021.theorem1.order.ucb.degree.12": claim(
        less_than_ucb("degrees_regret", 5_400_000, degree=12),
        "L112 L118 L125 L192",
        in_view=f"L118: depends; {AT_T_1}; L125: holds, {ONE_INDEX}",
    ),
    "lu2021.theorem1.order.ts.300": claim(
        less_than_thompson(nodes=300),
        "L112 L118 L126",
        in_view="L190: fails; with n = 100 alone, which was judged first",
    ),
    "lu2021.theorem1.order.ts.1000": claim(
        less_than_thompson(nodes=1000),
        "L112 L118 L126",
        in_view="L190: fails; with n = 100 alone, which was judged first",
    ),
    "lu2021.theorem1.states": claim(
        growth_by_construction(along(final("states", CN_UCB, "sample_complexity"), states=[2, 4, 8]), "linear"),
        "L112",
        evidence="by construction",
    ),
    "lu2021.theorem1.degree": claim(
        growth_bound(along(final("degrees", CN_UCB, "sample_complexity"), degree=[3, 6, 12]), "linear"),
        "L112",
    ),
    "lu2021.theorem1.degree.regret": claim(
        trend(along(final("degrees_regret", CN_UCB, rounds=5_400_000), degree=[3, 12]), "rises"),
        "L112 L192",
        in_view="L192: same; its horizon, ten times T_1, was chosen after seeing the orders",
    ),
    "lu2021.theorem1.gap": claim(
        trend(along(final("gaps", CN_UCB, "sample_complexity"), reward_gap=[0.2, 0.3, 0.4]), "falls"),
        "L112",
        evidence="by construction",
    ),
    "lu2021.theorem1.epsilon": claim(
        trend(along(final("effects", CN_UCB, "sample_complexity"), epsilon=[0.05, 0.08, 0.12]), "falls"),
        "L112",
        evidence="by construction",
    ),
    "lu2021.section1.not_recovered": claim(
        not_recovered(final("lemma1", CN_UCB)), "L119 L112", in_view="L119: holds; with a boundary of one half"
    ),
    "lu2021.definition4.bipartite": claim(
        counterexamples("bipartite but no forest", implied_by="Definition 4"), "L119"
    ),
    "lu2021.theorem2.right": claim(rate(final("theorem2", CN_UCB, "correct")), "L106 L112", shown=OWN_LEVEL),
    "lu2021.theorem2.bound": claim(rate(final("theorem2", CN_UCB, "within_bound")), "L106 L112", shown=OWN_LEVEL),
    "lu2021.theorem2.as_printed": claim(
        printed_forms(final("theorem2", CN_UCB)), "L100 L103 L105 L106 L112 E44", fault=Why.SLIP
    ),
    "lu2021.theorem2.regret": claim(
        regret_bound(final("theorem2_regret", CN_UCB, rounds=3_500_000)), "L106 L112 L115 L118", shown=OWN_LEVEL
    ),
    "lu2021.theorem2.order.ucb.64": claim(
        less_than_ucb("forests_regret", 4_400_000, size=64),
        "L106 L112 L118 L125",
        in_view=f"L118: depends; {AT_T_1}; L125: holds, {ONE_INDEX}",
    ),
    "lu2021.theorem2.order.ucb.256": claim(
        less_than_ucb("forests_regret", 4_400_000, size=256),
        "L106 L112 L118 L125",
        untested=(STAGE_3,),
        headline=True,
        shown="UCB > CN-UCB (two trees of 256 nodes)",
        in_view=f"L118: same; {AT_T_1}; L125: same, {ONE_INDEX}",
    ),
    "lu2021.theorem2.components": claim(
        growth_bound(along(final("forests", CN_UCB(size=8), "sample_complexity"), components=[2, 8, 32]), "linear"),
        "L106 L112 L176",
    ),
    "lu2021.theorem2.nodes": claim(
        growth_bound(along(final("forests_nodes", CN_UCB, "sample_complexity"), size=[8, 64, 512, 4096]), "log"),
        "L106 L112 L176",
    ),
    "lu2021.theorem2.algorithm5": claim(
        counterexamples("ancestors in other components", implied_by="the graph alone"), "E44 L106", fault=Why.ERROR
    ),
    "lu2021.theorem3.right.interval": claim(
        rate(final("theorem3", CN_UCB(kind="interval"), "correct")),
        "L107 L108 L109 L112",
        headline=True,
        shown=f"{OWN_LEVEL}; proper interval graphs, algorithm as repaired",
    ),
    "lu2021.theorem3.bound.interval": claim(
        rate(final("theorem3", CN_UCB(kind="interval"), "within_bound")), "L107 L108 L109 L112 L114", shown=OWN_LEVEL
    ),
    "lu2021.theorem3.right.clique_tree": claim(
        rate(final("theorem3", CN_UCB(kind="clique_tree"), "correct")), "L107 L108 L109 L112", shown=OWN_LEVEL
    ),
    "lu2021.theorem3.bound.clique_tree": claim(
        rate(final("theorem3", CN_UCB(kind="clique_tree"), "within_bound")), "L107 L108 L109 L112 L114", shown=OWN_LEVEL
    ),
    "lu2021.theorem3.right.several.interval": claim(
        rate(final("chordal", CN_UCB(kind="interval"), "correct")), "L106 L107 L108 L109 L112 L178", shown=OWN_LEVEL
    ),
    "lu2021.theorem3.bound.several.interval": claim(
        rate(final("chordal", CN_UCB(kind="interval"), "within_bound")),
        "L106 L107 L108 L109 L112 L114 L178",
        shown=OWN_LEVEL,
    ),
    "lu2021.theorem3.right.several.clique_tree": claim(
        rate(final("chordal", CN_UCB(kind="clique_tree"), "correct")), "L106 L107 L108 L109 L112 L178", shown=OWN_LEVEL
    ),
    "lu2021.theorem3.bound.several.clique_tree": claim(
        rate(final("chordal", CN_UCB(kind="clique_tree"), "within_bound")),
        "L106 L107 L108 L109 L112 L114 L178",
        shown=OWN_LEVEL,
    ),
    "lu2021.theorem3.as_printed.interval": claim(
        printed_forms(final("theorem3", CN_UCB(kind="interval"))),
        "E42 E43 L100 L101 L105 L107 L109 L112",
        fault=Why.ERROR,
    ),
    "lu2021.theorem3.as_printed.clique_tree": claim(
        printed_forms(final("theorem3", CN_UCB(kind="clique_tree"))),
        "E42 E43 L100 L101 L105 L107 L109 L112",
        fault=Why.ERROR,
    ),
    "lu2021.theorem3.as_printed.small": claim(
        under(
            STRICTLY,
            lambda strictly: counterexamples(
                "wrong cliques where Theorem 3 holds",
                implied_by="Algorithms 7 and 8 as printed, with exact answers",
                strictly=strictly,
            ),
        ),
        "E42 E43",
        fault=Why.ERROR,
    ),
    "lu2021.theorem3.regret": claim(
        regret_bound(final("theorem3_regret", CN_UCB, rounds=2_100_000), width=3),
        "L107 L108 L109 L112 L115 L118",
        shown=OWN_LEVEL,
    ),
    "lu2021.theorem3.nodes": claim(
        growth_bound(along(final("cliques_nodes", CN_UCB, "sample_complexity"), size=[16, 64, 256]), "log"),
        "L107 L108 L109 L112 L192",
    ),
    "lu2021.theorem3.clique_numbers": claim(
        growth_bound(along(final("cliques_width", CN_UCB, "sample_complexity"), clique=[2, 4, 8]), "linear"),
        "L107 L108 L109 L112 L192",
    ),
    "lu2021.theorem3.order.ucb.64": claim(
        less_than_ucb("cliques_regret", 3_600_000, size=64),
        "L107 L108 L109 L112 L118 L125 L192",
        in_view=f"L118: same; {AT_T_1}; L125: same, {ONE_INDEX}",
    ),
    "lu2021.section5.sound": claim(
        under(
            STRICTLY,
            lambda strictly: counterexamples(
                "wrong cliques", implied_by="Algorithms 7 and 8 as printed, with exact answers", strictly=strictly
            ),
        ),
        "E46 L110",
        fault=Why.ERROR,
    ),
    "lu2021.theorem3.cut_off": claim(
        under(
            STRICTLY,
            lambda strictly: counterexamples(
                "rewards cut off", implied_by="Definition 8 and the graph", strictly=strictly
            ),
        ),
        "E42 L107",
        fault=Why.ERROR,
    ),
    "lu2021.theorem3.wrong_child": claim(
        under(
            STRICTLY,
            lambda strictly: counterexamples(
                "wrong children", implied_by="Definition 8 and the graph", strictly=strictly
            ),
        ),
        "E42 E43 L109",
        fault=Why.ERROR,
    ),
    "lu2021.definition10.star": claim(under(STRICTLY, lambda strictly: comparable_star(strictly=strictly)), "E40"),
    "lu2021.definition10.unique": claim(
        under(
            STRICTLY,
            lambda strictly: counterexamples(
                "not uniquely representable", implied_by="Definition 10", strictly=strictly
            ),
        ),
        "E40",
    ),
    "lu2021.section5.v_structures": claim(
        under(
            STRICTLY,
            lambda strictly: counterexamples(
                "v-structures over cliques", implied_by="Definitions 8 and 10", strictly=strictly
            ),
        ),
        "E40",
    ),
    "lu2021.section5.halves": claim(
        under(
            STRICTLY,
            lambda strictly: counterexamples(
                "rounds that do not halve", implied_by="Definitions 8 and 10", strictly=strictly
            ),
        ),
        "E40",
    ),
    "lu2021.theorem3.star": claim(star(nodes=128), "E40 L108"),
    "lu2021.theorem4.bound.cn_ucb": claim(
        minimax(final("theorem4", CN_UCB(nodes=250), rounds=500_000)), "L112 L116", evidence="by construction"
    ),
    "lu2021.theorem4.bound.ucb": claim(
        minimax(final("theorem4", Policy("gaussian_ucb")(nodes=250), rounds=500_000)),
        "L112 L116",
        evidence="by construction",
    ),
    "lu2021.theorem4.eq4": claim(under(TOLD, eq_4), "E45", headline=True),
    "lu2021.theorem4.sqrt_n": claim(
        growth_by_construction(along(final("theorem4", CN_UCB, rounds=500_000), nodes=[10, 50, 250]), "sqrt"),
        "L112 L116 L193",
        evidence="by construction",
    ),
    "lu2021.theorem5.bound.cn_ucb": claim(
        minimax(final("theorem5", CN_UCB(nodes=250), rounds=500_000)), "L112 L116", evidence="by construction"
    ),
    "lu2021.theorem5.bound.ucb": claim(
        minimax(final("theorem5", Policy("gaussian_ucb")(nodes=250), rounds=500_000)),
        "L112 L116",
        evidence="by construction",
    ),
    "lu2021.theorem5.eq4": claim(under(TOLD, eq_4), "E45"),
    "lu2021.theorem5.sqrt_n": claim(
        growth_by_construction(along(final("theorem5", CN_UCB, rounds=500_000), nodes=[10, 50, 250]), "sqrt"),
        "L112 L116",
        evidence="by construction",
    ),
    "lu2021.appendixc.right": claim(
        rate(final("several", CN_UCB(several=True), "correct")), "L111 L112", shown=OWN_LEVEL_OF_APPENDIX_C
    ),
}
