"""huang2022's claims: how each is tested, and under which readings of what the paper leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.settings import Setting
from replication.judging.checks import above, above_at, mean
from replication.judging.claims import (
    Check,
    Checkpoint,
    Claim,
    Experiment,
    Final,
    Policy,
    Reading,
    Under,
    claim,
    final,
    under,
)
from replication.judging.judges import Why
from replication.papers.huang2022.judges import (
    brackets,
    eq_12,
    larger_bound,
    learnt_parents,
    learnt_separator,
    proof_of_theorem_1,
    proof_of_theorem_3,
    records,
    regret_of_column,
    safe_policy,
    separator,
    slightly_above,
    states,
    theorem_1_bounds,
    theorem_2,
    theorem_3_bounds,
    video_features,
    video_types,
)
from replication.papers.huang2022.policies import COUNTS, ROUNDS, TRIALS
from replication.papers.huang2022.unfair_claims import Definition, counts, more_unfair, never_unfair

#: UCB with a mean per context and arm; it plays each once first.
UCB = Policy("ucb", {"context_free": False, "unplayed": "one"})
C_UCB, D_UCB, F_UCB = Policy("c_ucb"), Policy("d_ucb"), Policy("f_ucb")
FAIR_LIN_UCB = Policy("fair_lin_ucb", {"alpha": 10})

#: After all of the paper's rounds.
end = partial(final, rounds=ROUNDS)

Settings = dict[str, Setting]

# What F-UCB does if its conservative set is empty (L48), and the scale of the reward's bonus (L49). What is said of its
# regret alone is first judged with the safe policy that the paper assumes to be given, which no experiment can play.
SCALE_1: Settings = {"alpha_r": 1.0, "alpha_c": 1.0}
THEOREM_3: Settings = {"alpha_r": "theorem_3", "alpha_c": 1.0}
THEOREM_3_APPENDIX_D: Settings = {"alpha_r": "theorem_3", "alpha_c": 0.5}
APPENDIX_D: Settings = {"alpha_r": 1.0, "alpha_c": 0.5}
BEST: Settings = {"fallback": "best"}
SAFEST: Settings = {"fallback": "safest"}

BEST_1 = Reading("best arm, scale 1", "L48 L49", BEST | SCALE_1)
SAFEST_1 = Reading("safest arm, scale 1", "L48 L49", SAFEST | SCALE_1)
SAFEST_3 = Reading("safest arm, Theorem 3's scale", "L48 L49", SAFEST | THEOREM_3)
BEST_3 = Reading("best arm, Theorem 3's scale", "L48 L49", BEST | THEOREM_3)
#: Table `readings` also has Appendix D's radius, and table `comparison` a mean per arm for UCB.
FALLBACK_AND_SCALE = (BEST_1, SAFEST_1, SAFEST_3, BEST_3)
#: Theorem 3 is about policies with its scale.
THEOREM_3_SCALE = (
    Reading("safest arm, Theorem 3's scale, Appendix D's radius", "L48 L49", SAFEST | THEOREM_3_APPENDIX_D),
    Reading("best arm, Theorem 3's scale, Appendix D's radius", "L48 L49", BEST | THEOREM_3_APPENDIX_D),
    SAFEST_3,
    BEST_3,
)
UCB_MEANS = (Reading("a mean per context and arm", "L80", False), Reading("a mean per arm", "L80", True))


class Unfair(NamedTuple):
    """What makes a decision unfair, in which experiment, and what is played if the conservative set is empty."""

    experiment: str
    definition: Definition
    settings: Settings


#: Table `unfair` has all definitions.
UNFAIR = (
    Reading("own answer, safest arm", "L48 L50", Unfair("email", "answer", SAFEST | SCALE_1)),
    Reading("own answer, best arm", "L48 L50", Unfair("email", "answer", BEST | SCALE_1)),
    Reading("arm held fixed, safest arm", "L48 L50", Unfair("email", "exact", SAFEST | SCALE_1)),
    Reading("Eq. 10's estimate, safest arm", "L48 L50", Unfair("email", "plugin", SAFEST | SCALE_1)),
)
ADULT_UNFAIR = (
    Reading("own answer, edge from sex to income", "L37 L42 L50", Unfair("adult_bounds", "answer", SAFEST | SCALE_1)),
    Reading("own answer, no edge", "L37 L50", Unfair("adult", "answer", SAFEST | SCALE_1)),
    Reading(
        "arm held fixed, edge from sex to income", "L37 L42 L50", Unfair("adult_bounds", "exact", SAFEST | SCALE_1)
    ),
    Reading("Eq. 10's estimate, no edge", "L37 L50", Unfair("adult", "plugin", SAFEST | SCALE_1)),
)


class Adult(NamedTuple):
    """The experiment with Adult-Video's graph, and the settings of F-UCB."""

    experiment: str
    settings: Settings


ADULT_GRAPH = (
    Reading("edge from sex to income", "L37 L42", "adult_bounds"),
    Reading("no edge", "L37", "adult"),
)
_EDGE = (
    Reading("edge from sex to income, best arm", "L37 L42 L48 L49", Adult("adult_bounds", BEST | SCALE_1)),
    Reading("edge from sex to income, safest arm", "L37 L42 L48 L49", Adult("adult_bounds", SAFEST | SCALE_1)),
    Reading("no edge, best arm", "L37 L48 L49", Adult("adult", BEST | SCALE_1)),
)
ADULT = (*_EDGE, Reading("no edge, best arm, Theorem 3's scale", "L37 L48 L49", Adult("adult", BEST | THEOREM_3)))
#: Compared with Fair-LinUCB, Theorem 3's scale fails throughout, and Appendix D's radius comes close.
ADULT_SLIGHTLY = (
    *_EDGE,
    Reading("no edge, best arm, Appendix D's radius", "L37 L48 L49", Adult("adult", BEST | APPENDIX_D)),
)
#: The factor of the reward's bonus, in both policies.
BONUS = (
    Reading("as printed", "L87", 1.0),
    Reading("1.25 times", "L87", 1.25),
    Reading("1.5 times", "L87", 1.5),
    Reading("twice", "L87", 2.0),
)
#: The condition that Theorem 3's proof names last, and the one that its steps need.
CONDITION = (
    Reading("alpha_c <= tau (alpha_r - 1), as the proof states", "E09", True),
    Reading("(tau - Delta_0)(alpha_r - 1) >= 1 + alpha_c, which its steps need", "E09", False),
)
#: E08: the email campaign's graph has an edge from users to an intermediate variable; Fig. 1's text names none.
Z_DESCENDS = (Reading("an intermediate variable descends from S", "", True), Reading("none does", "", False))
RADIUS = (Reading("Eq. 12's radius", "", 1.0), Reading("Appendix D's radius", "L49", 0.5))
FALLBACK = (Reading("safest arm", "", "safest"), Reading("best arm", "L48", "best"))


def email(tau: float, settings: Settings) -> Final:
    """Return F-UCB on the email campaign."""
    return end("email", F_UCB(tau=tau, **settings))


def adult(tau: float, at: Adult) -> Final:
    """Return F-UCB on Adult-Video."""
    return end(at.experiment, F_UCB(tau=tau, **at.settings))


def given(experiment: str, taus: Sequence[float]) -> tuple[Under, ...]:
    """Test what is said of F-UCB's regret if it plays a given safe policy where no arm is provably fair."""
    test = safe_policy(Experiment(experiment), tuple(taus), rounds=ROUNDS)
    return (Under("the given safe policy", "L48", test),)


def email_regret(tau: float) -> tuple[Under, ...]:
    """Test a cell of Table 1, with its column."""

    def test(settings: Settings) -> Check:
        column = [email(t, settings) for t in THRESHOLDS]
        return regret_of_column(email(tau, settings), column, trials=TRIALS)

    return given("email", [tau]) + under(FALLBACK_AND_SCALE, test)


def adult_regret(tau: float) -> tuple[Under, ...]:
    """Test a cell of Table 2, with its column."""

    def test(at: Adult) -> Check:
        return regret_of_column(adult(tau, at), [adult(t, at) for t in THRESHOLDS], trials=TRIALS)

    return given("adult_bounds", [tau]) + under(ADULT, test)


def no_unfair(r: Unfair) -> Check:
    """Test whether F-UCB makes no unfair decision at any threshold."""
    at = [end(r.experiment, F_UCB(tau=tau, **r.settings)) for tau in THRESHOLDS]
    return never_unfair(at, definition=r.definition, trials=TRIALS)


def falls(tau: float, larger: float, claimed: float) -> tuple[Under, ...]:
    """Test whether F-UCB's regret on the email campaign falls from one threshold to a larger one."""
    played = under(FALLBACK_AND_SCALE, lambda s: above(email(tau, s), email(larger, s), claimed=claimed))
    return given("email", [tau, larger]) + played


def adult_falls(tau: float, larger: float, claimed: float) -> tuple[Under, ...]:
    """Test whether F-UCB's regret on Adult-Video falls from one threshold to a larger one."""
    played = under(ADULT, lambda at: above(adult(tau, at), adult(larger, at), claimed=claimed))
    return given("adult_bounds", [tau, larger]) + played


def above_fair_lin_ucb(tau: float, claimed: float) -> tuple[Under, ...]:
    """Test whether F-UCB has slightly more regret on Adult-Video than Fair-LinUCB."""

    def test(at: Adult) -> Check:
        other = end(at.experiment, FAIR_LIN_UCB)
        return slightly_above(adult(tau, at), other, claimed=claimed, times=2.0)

    return under(ADULT_SLIGHTLY, test)


#: What the cells of a column rest on.
COLUMN = "L87: same; each cell by itself; L48: fails; without the given safe policy as a reading"

CLAIMS: dict[str, Claim] = {
    "huang2022.table1.regret.f_ucb.01": claim(email_regret(0.1), "L45 L87", in_view=COLUMN),
    "huang2022.table1.unfair": claim(
        counts(Experiment("email"), COUNTS["email"], trials=TRIALS, rounds=ROUNDS), "L50 L81 L82 E11"
    ),
    "huang2022.table1.unfair.f_ucb": claim(under(UNFAIR, no_unfair), "L48 L50 L81 E11", headline=True),
    "huang2022.table1.regret.f_ucb.02": claim(email_regret(0.2), "L45 L87", in_view=COLUMN),
    "huang2022.table1.regret.f_ucb.03": claim(email_regret(0.3), "L45 L87", in_view=COLUMN),
    "huang2022.table1.regret.f_ucb.04": claim(email_regret(0.4), "L45 L87", in_view=COLUMN),
    "huang2022.table1.regret.f_ucb.05": claim(email_regret(0.5), "L45 L87", in_view=COLUMN),
    "huang2022.table2.regret.f_ucb.01": claim(adult_regret(0.1), "L87", in_view=COLUMN),
    "huang2022.table2.unfair": claim(
        counts(Experiment("adult_bounds"), COUNTS["adult_bounds"], trials=TRIALS, rounds=ROUNDS, described=False),
        "L50 L51 L81 L82 E11",
    ),
    "huang2022.table2.unfair.f_ucb": claim(under(ADULT_UNFAIR, no_unfair), "L37 L48 L50 L81 E11"),
    "huang2022.table2.regret.f_ucb.02": claim(adult_regret(0.2), "L87", in_view=COLUMN),
    "huang2022.table2.regret.f_ucb.03": claim(adult_regret(0.3), "L87", in_view=COLUMN),
    "huang2022.table2.regret.f_ucb.04": claim(adult_regret(0.4), "L87", in_view=COLUMN),
    "huang2022.table2.regret.f_ucb.05": claim(adult_regret(0.5), "L87", in_view=COLUMN),
    "huang2022.table2.regret.fair_lin_ucb.any": claim(
        under(ADULT_GRAPH, lambda experiment: mean(end(experiment, FAIR_LIN_UCB), trials=TRIALS)),
        "L51",
        evidence="fitted",
    ),
    "huang2022.order.email.ucb.c_ucb": claim(
        under(UCB_MEANS, lambda context_free: above(end("email", UCB(context_free=context_free)), end("email", C_UCB))),
        "L45 L80",
    ),
    "huang2022.order.email.ucb.d_ucb": claim(
        under(UCB_MEANS, lambda context_free: above(end("email", UCB(context_free=context_free)), end("email", D_UCB))),
        "L45 L80",
        headline=True,
        shown="UCB > D-UCB",
    ),
    "huang2022.order.email.ucb.f_ucb_03": claim(
        under(FALLBACK_AND_SCALE, lambda s: above(end("email", UCB), email(0.3, s))),
        "L45",
        headline=True,
        shown="UCB > F-UCB (tau = 0.3)",
    ),
    "huang2022.order.email.c_ucb.d_ucb": claim(
        above(end("email", C_UCB), end("email", D_UCB)), "L45", headline=True, shown="C-UCB > D-UCB"
    ),
    "huang2022.order.email.c_ucb.f_ucb_03": claim(
        under(FALLBACK_AND_SCALE, lambda s: above(end("email", C_UCB), email(0.3, s))), "L45"
    ),
    "huang2022.order.email.f_ucb_03.d_ucb": claim(
        under(FALLBACK_AND_SCALE, lambda s: above(email(0.3, s), end("email", D_UCB))), "L45"
    ),
    "huang2022.fig2b.bonus": claim(
        under(
            BONUS,
            lambda scale: brackets(
                end("fig2b", F_UCB(alpha_r=scale, separator=["A3", "I1", "I2"])),
                end("fig2b", F_UCB(alpha_r=scale, separator=["A3", "I1", "I2", "I3"])),
                trials=TRIALS,
                in_print=scale == 1.0,
            ),
        ),
        "L87",
    ),
    "huang2022.early.email.d_ucb.f_ucb_03": claim(
        under(FALLBACK_AND_SCALE, lambda s: above_at(end("email", D_UCB), email(0.3, s), Checkpoint(2_000))), "L45"
    ),
    "huang2022.order.email.f_ucb_01.f_ucb_02": claim(falls(0.1, 0.2, claimed=28.57), "L45"),
    "huang2022.order.email.f_ucb_02.f_ucb_03": claim(falls(0.2, 0.3, claimed=8.34), "L45"),
    "huang2022.order.email.f_ucb_03.f_ucb_04": claim(falls(0.3, 0.4, claimed=37.41), "L45"),
    "huang2022.order.email.f_ucb_04.f_ucb_05": claim(falls(0.4, 0.5, claimed=3.91), "L45"),
    "huang2022.order.adult.f_ucb_01.f_ucb_02": claim(adult_falls(0.1, 0.2, claimed=29.33)),
    "huang2022.order.adult.f_ucb_02.f_ucb_03": claim(adult_falls(0.2, 0.3, claimed=8.98)),
    "huang2022.order.adult.f_ucb_03.f_ucb_04": claim(adult_falls(0.3, 0.4, claimed=19.8)),
    "huang2022.order.adult.f_ucb_04.f_ucb_05": claim(adult_falls(0.4, 0.5, claimed=7.13)),
    "huang2022.order.adult.f_ucb_01.fair_lin_ucb": claim(
        above_fair_lin_ucb(0.1, claimed=111.43),
        "L51",
        evidence="fitted",
        in_view="L51: same; with Theorem 3's scale in place of Appendix D's radius",
    ),
    "huang2022.order.adult.f_ucb_02.fair_lin_ucb": claim(
        above_fair_lin_ucb(0.2, claimed=82.1),
        "L51",
        evidence="fitted",
        in_view="L51: fails; with Theorem 3's scale in place of Appendix D's radius",
    ),
    "huang2022.order.adult.f_ucb_03.fair_lin_ucb": claim(
        above_fair_lin_ucb(0.3, claimed=73.12),
        "L51",
        evidence="fitted",
        in_view="L51: fails; with Theorem 3's scale in place of Appendix D's radius",
    ),
    "huang2022.order.adult.f_ucb_04.fair_lin_ucb": claim(
        above_fair_lin_ucb(0.4, claimed=53.32),
        "L51",
        evidence="fitted",
        in_view="L51: same; with Theorem 3's scale in place of Appendix D's radius",
    ),
    "huang2022.order.adult.f_ucb_05.fair_lin_ucb": claim(
        above_fair_lin_ucb(0.5, claimed=46.19),
        "L51",
        evidence="fitted",
        in_view="L51: same; with Theorem 3's scale in place of Appendix D's radius",
    ),
    "huang2022.separator.email": claim(separator(), "L41"),
    "huang2022.separator.adult": claim(learnt_separator(), "L37 L39 L40 L41", evidence="by construction"),
    "huang2022.count.adult.rows": claim(
        records("data_adult", parts=["huang2022.count.adult.male", "huang2022.count.adult.female"]),
        "L35 E06",
        fault=Why.MISPRINT,
    ),
    "huang2022.count.adult.male": claim(records("data_adult", where={"sex": 1}), "L35 E06"),
    "huang2022.count.adult.female": claim(records("data_adult", where={"sex": 0}), "L35 E06"),
    "huang2022.count.youtube.rows": claim(records("data_youtube", named=False), "L33"),
    "huang2022.count.youtube.arms": claim(video_types(), "L32 L33", evidence="by construction"),
    "huang2022.features.youtube": claim(video_features(), "L32 E07", fault=Why.MISPRINT),
    "huang2022.domain.email.i3": claim(states("I3", implied_by="Appendix E.1"), "E10", fault=Why.MISPRINT),
    "huang2022.domain.email.i4": claim(states("I4", implied_by="Table 5"), "E10", fault=Why.MISPRINT),
    "huang2022.parents.adult": claim(learnt_parents(), "L37 L38 L39 L40", evidence="by construction"),
    "huang2022.theorem1.email.d_ucb": claim(theorem_1_bounds(final("email", D_UCB)), "L43"),
    "huang2022.theorem1.constant": claim(proof_of_theorem_1(), "E27"),
    "huang2022.theorem2.contains": claim(under(Z_DESCENDS, lambda z_descends: theorem_2(z_descends=z_descends)), "E08"),
    "huang2022.theorem3.email.f_ucb_03": claim(
        under(THEOREM_3_SCALE, lambda s: theorem_3_bounds(final("email", F_UCB(tau=0.3, **s)))), "L43 L49 E09"
    ),
    "huang2022.theorem3.unfair_optimum": claim(
        under(RADIUS, lambda alpha_c: theorem_3_bounds(final("unconstrained", F_UCB(tau=0.9, alpha_c=alpha_c)))),
        "L49 E25",
        fault=Why.ERROR,
    ),
    "huang2022.theorem3.scales": claim(under(CONDITION, lambda named: proof_of_theorem_3(named=named)), "E09"),
    "huang2022.theorem3.larger": claim(larger_bound(horizon=5_000), "L43"),
    "huang2022.eq12.upper": claim(
        under(FALLBACK, lambda fallback: eq_12(final("rare", F_UCB(fallback=fallback)))), "E26", fault=Why.ERROR
    ),
    "huang2022.contrast.email.ucb.f_ucb": claim(
        under(
            UNFAIR,
            lambda r: more_unfair(
                end("email", UCB), end("email", F_UCB(tau=0.1, **r.settings)), tau=0.1, definition=r.definition
            ),
        ),
        "L48 L50 L81 E11",
    ),
}
