"""huang2022's claims: how each is tested, and under which readings of what the paper leaves open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from causal_bandits.problems.construction.huang2022.constants import THRESHOLDS
from experiments.settings import Setting
from replication.judging.checks import above, above_at, mean
from replication.judging.claims import (
    Check,
    Checkpoint,
    Claim,
    Experiment,
    Policy,
    Under,
    claim,
    final,
    under,
)
from replication.judging.gaps import Gap, Option, Reading, filled, reading
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
from replication.papers.huang2022.policies import LEARNERS, ROUNDS, TRIALS
from replication.papers.huang2022.unfair_claims import Definition, counts, more_unfair, never_unfair

#: UCB with a mean per context and arm; it plays each once first.
UCB = Policy("ucb", {"context_free": False, "unplayed": "one"})
C_UCB, D_UCB, F_UCB = Policy("c_ucb"), Policy("d_ucb"), Policy("f_ucb")
FAIR_LIN_UCB = Policy("fair_lin_ucb", {"alpha": 10})

#: After all of the paper's rounds.
end = partial(final, rounds=ROUNDS)

T = TypeVar("T")

THEOREM_3 = "theorem_3"
#: What F-UCB plays where no arm is provably fair. The paper assumes that a safe policy is given and does not say which,
#: so no experiment can play it: as default, it leaves open what rests on it.
FALLBACK = Gap(
    "L48",
    "what is played where no arm is provably fair",
    {"the given safe policy": "given", "safest arm": "safest", "best arm": "best"},
)
#: In Fig. 2b also of other policies; the last three were chosen after seeing the printed regret (L87).
SCALE: Gap[Setting] = Gap(
    "L49",
    "the scale of the reward's bonus",
    {"scale 1": 1.0, "Theorem 3's scale": THEOREM_3, "1.25 times": 1.25, "1.5 times": 1.5, "twice": 2.0},
)
RADIUS = Gap("L49", "the radius of the discrepancy", {"Eq. 12's radius": 1.0, "Appendix D's radius": 0.5})
MEANS = Gap("L80", "how many means UCB has", {"a mean per context and arm": False, "a mean per arm": True})
DEFINITION: Gap[Definition] = Gap(
    "L50",
    "what an unfair decision is",
    {"own answer": "answer", "arm held fixed": "exact", "Eq. 10's estimate": "plugin"},
)
EDGE = Gap("L37 L42", "Adult-Video's graph", {"edge from sex to income": "adult_bounds", "no edge": "adult"})
#: The condition that Theorem 3's proof names last, and the one that its steps need.
CONDITION = Gap(
    "E09",
    "the condition of Theorem 3's proof",
    {
        "alpha_c <= tau (alpha_r - 1), as the proof states": True,
        "(tau - Delta_0)(alpha_r - 1) >= 1 + alpha_c, which its steps need": False,
    },
)
#: The email campaign's graph has an edge from users to an intermediate variable; Fig. 1's text names none.
Z_DESCENDS = Gap(
    "E08",
    "the graphs of which Theorem 2 speaks",
    {"an intermediate variable descends from S": True, "none does": False},
)
LEARNER = Gap("L40", "which algorithm learns the graph", {name: name for name in LEARNERS})

SAFEST, BEST = FALLBACK["safest arm"], FALLBACK["best arm"]
BY_THEOREM_3, BY_APPENDIX_D = SCALE["Theorem 3's scale"], RADIUS["Appendix D's radius"]
BIGGER = SCALE["1.25 times"], SCALE["1.5 times"], SCALE["twice"]


def plays(*options: Option) -> Reading[Policy]:
    """Return F-UCB with some options."""
    fallback, scale, radius = filled(options, (FALLBACK, SCALE, RADIUS))
    return reading(F_UCB(fallback=fallback.value, alpha_r=scale.value, alpha_c=radius.value), *options)


#: Table `readings` also has Appendix D's radius, and table `comparison` a mean per arm for UCB.
FALLBACK_AND_SCALE = plays(BEST), plays(SAFEST), plays(SAFEST, BY_THEOREM_3), plays(BEST, BY_THEOREM_3)
MEANS_TOO = tuple(
    reading((policy, context_free), *options, MEANS[name])
    for policy, options in FALLBACK_AND_SCALE
    for name, context_free in MEANS.options.items()
)
#: Theorem 3 is about policies with its scale.
WITH_ITS_SCALE = (
    plays(SAFEST, BY_THEOREM_3, BY_APPENDIX_D),
    plays(BEST, BY_THEOREM_3, BY_APPENDIX_D),
    plays(SAFEST, BY_THEOREM_3),
    plays(BEST, BY_THEOREM_3),
)


class Unfair(NamedTuple):
    """What makes a decision unfair, in which experiment, and what plays."""

    experiment: str
    definition: Definition
    policy: Policy


def unfair(*options: Option, experiment: str = "") -> Reading[Unfair]:
    """Count unfair decisions of F-UCB in an experiment, by default on Adult-Video's graph, with some options."""
    edge, definition = filled(options, (EDGE, DEFINITION))
    return reading(Unfair(experiment or edge.value, definition.value, plays(*options).value), *options)


#: Of F-UCB on the email campaign: every definition, with what is played and how, for the claim on all thresholds.
UNFAIR = tuple(
    unfair(fallback, scale, DEFINITION[definition], experiment="email")
    for fallback in (SAFEST, BEST)
    for scale in (SCALE.default, BY_THEOREM_3)
    for definition in DEFINITION.options
)
NO_EDGE, ESTIMATE = EDGE["no edge"], DEFINITION["Eq. 10's estimate"]
ADULT_UNFAIR = (
    unfair(SAFEST),
    unfair(SAFEST, NO_EDGE),
    unfair(SAFEST, DEFINITION["arm held fixed"]),
    unfair(SAFEST, NO_EDGE, ESTIMATE),
)


class Adult(NamedTuple):
    """The experiment with Adult-Video's graph, and what plays."""

    experiment: str
    policy: Policy


def on_adult(*options: Option) -> Reading[Adult]:
    """Return F-UCB on Adult-Video with some options."""
    (edge,) = filled(options, (EDGE,))
    return reading(Adult(edge.value, plays(*options).value), *options)


_EITHER_GRAPH = on_adult(BEST), on_adult(SAFEST), on_adult(BEST, NO_EDGE)
ADULT = (*_EITHER_GRAPH, on_adult(BEST, NO_EDGE, BY_THEOREM_3))
#: Compared with Fair-LinUCB, Theorem 3's scale fails throughout, and Appendix D's radius comes close.
ADULT_SLIGHTLY = (*_EITHER_GRAPH, on_adult(BEST, NO_EDGE, BY_APPENDIX_D))


def played(
    readings: Sequence[Reading[T]], experiment: str, taus: Sequence[float], test: Callable[[T], Check]
) -> tuple[Under, ...]:
    """Test what is said of F-UCB with the given safe policy, which leaves it open, and with what is played instead."""
    return under(readings, test, default=safe_policy(Experiment(experiment), tuple(taus), rounds=ROUNDS))


def on_email(taus: Sequence[float], test: Callable[[Policy], Check]) -> tuple[Under, ...]:
    """Test what is said of F-UCB on the email campaign."""
    return played(FALLBACK_AND_SCALE, "email", taus, test)


def email_regret(tau: float) -> tuple[Under, ...]:
    """Test a cell of Table 1, with its column."""

    def test(policy: Policy) -> Check:
        column = [end("email", policy(tau=t)) for t in THRESHOLDS]
        return regret_of_column(end("email", policy(tau=tau)), column, trials=TRIALS)

    return on_email([tau], test)


def adult_regret(tau: float) -> tuple[Under, ...]:
    """Test a cell of Table 2, with its column."""

    def test(at: Adult) -> Check:
        column = [end(at.experiment, at.policy(tau=t)) for t in THRESHOLDS]
        return regret_of_column(end(at.experiment, at.policy(tau=tau)), column, trials=TRIALS)

    return played(ADULT, "adult_bounds", [tau], test)


def no_unfair(r: Unfair) -> Check:
    """Test whether F-UCB makes no unfair decision at any threshold."""
    at = [end(r.experiment, r.policy(tau=tau)) for tau in THRESHOLDS]
    return never_unfair(at, definition=r.definition, trials=TRIALS)


def falls(tau: float, larger: float, claimed: float) -> tuple[Under, ...]:
    """Test whether F-UCB's regret on the email campaign falls from one threshold to a larger one."""

    def test(policy: Policy) -> Check:
        return above(end("email", policy(tau=tau)), end("email", policy(tau=larger)), claimed=claimed)

    return on_email([tau, larger], test)


def adult_falls(tau: float, larger: float, claimed: float) -> tuple[Under, ...]:
    """Test whether F-UCB's regret on Adult-Video falls from one threshold to a larger one."""

    def test(at: Adult) -> Check:
        here, there = (end(at.experiment, at.policy(tau=t)) for t in (tau, larger))
        return above(here, there, claimed=claimed)

    return played(ADULT, "adult_bounds", [tau, larger], test)


def above_fair_lin_ucb(tau: float, claimed: float) -> tuple[Under, ...]:
    """Test whether F-UCB has slightly more regret on Adult-Video than Fair-LinUCB."""

    def test(at: Adult) -> Check:
        ours, other = end(at.experiment, at.policy(tau=tau)), end(at.experiment, FAIR_LIN_UCB)
        return slightly_above(ours, other, claimed=claimed, times=2.0)

    return played(ADULT_SLIGHTLY, "adult_bounds", [tau], test)


#: What the cells of a column rest on.
COLUMN = "L48: fails; without the given safe policy as a reading"

CLAIMS: dict[str, Claim] = {
    "huang2022.table1.regret.f_ucb.01": claim(email_regret(0.1), "L45 L87", in_view=COLUMN),
    **{
        f"huang2022.table1.unfair.{policy}.0{i}": claim(
            counts(Experiment("email"), trials=TRIALS, rounds=ROUNDS), "L50 L81 L82 E11"
        )
        for policy in ("ucb", "c_ucb", "d_ucb")
        for i in range(1, len(THRESHOLDS) + 1)
    },
    "huang2022.table1.unfair.f_ucb": claim(
        played(UNFAIR, "email", THRESHOLDS, no_unfair), "L48 L50 L81 E11", untested=(RADIUS,), headline=True
    ),
    "huang2022.table1.regret.f_ucb.02": claim(email_regret(0.2), "L45 L87", in_view=COLUMN),
    "huang2022.table1.regret.f_ucb.03": claim(email_regret(0.3), "L45 L87", in_view=COLUMN),
    "huang2022.table1.regret.f_ucb.04": claim(email_regret(0.4), "L45 L87", in_view=COLUMN),
    "huang2022.table1.regret.f_ucb.05": claim(email_regret(0.5), "L45 L87", in_view=COLUMN),
    "huang2022.table2.regret.f_ucb.01": claim(adult_regret(0.1), "L87", in_view=COLUMN),
    **{
        f"huang2022.table2.unfair.fair_lin_ucb.0{i}": claim(
            counts(Experiment("adult_bounds"), trials=TRIALS, rounds=ROUNDS, described=False), "L50 L51 L81 L82 E11"
        )
        for i in range(1, len(THRESHOLDS) + 1)
    },
    "huang2022.table2.unfair.f_ucb": claim(
        played(ADULT_UNFAIR, "adult_bounds", THRESHOLDS, no_unfair), "L37 L48 L50 L81 E11"
    ),
    "huang2022.table2.regret.f_ucb.02": claim(adult_regret(0.2), "L87", in_view=COLUMN),
    "huang2022.table2.regret.f_ucb.03": claim(adult_regret(0.3), "L87", in_view=COLUMN),
    "huang2022.table2.regret.f_ucb.04": claim(adult_regret(0.4), "L87", in_view=COLUMN),
    "huang2022.table2.regret.f_ucb.05": claim(adult_regret(0.5), "L87", in_view=COLUMN),
    "huang2022.table2.regret.fair_lin_ucb.any": claim(
        under(EDGE, lambda experiment: mean(end(experiment, FAIR_LIN_UCB), trials=TRIALS)),
        "L51",
        evidence="fitted",
    ),
    "huang2022.order.email.ucb.c_ucb": claim(
        under(MEANS, lambda context_free: above(end("email", UCB(context_free=context_free)), end("email", C_UCB))),
        "L45 L80",
    ),
    "huang2022.order.email.ucb.d_ucb": claim(
        under(MEANS, lambda context_free: above(end("email", UCB(context_free=context_free)), end("email", D_UCB))),
        "L45 L80",
        headline=True,
        shown="UCB > D-UCB",
    ),
    "huang2022.order.email.ucb.f_ucb_03": claim(
        played(
            MEANS_TOO,
            "email",
            [0.3],
            lambda r: above(end("email", UCB(context_free=r[1])), end("email", r[0](tau=0.3))),
        ),
        "L45",
        untested=(RADIUS,),
        headline=True,
        shown="UCB > F-UCB (tau = 0.3)",
    ),
    "huang2022.order.email.c_ucb.d_ucb": claim(
        above(end("email", C_UCB), end("email", D_UCB)), "L45", headline=True, shown="C-UCB > D-UCB"
    ),
    "huang2022.order.email.c_ucb.f_ucb_03": claim(
        on_email([0.3], lambda f: above(end("email", C_UCB), end("email", f(tau=0.3)))), "L45"
    ),
    "huang2022.order.email.f_ucb_03.d_ucb": claim(
        on_email([0.3], lambda f: above(end("email", f(tau=0.3)), end("email", D_UCB))), "L45"
    ),
    "huang2022.fig2b.bonus": claim(
        under(
            [reading(scale.value, scale) for scale in (SCALE.default, *BIGGER)],
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
        on_email([0.3], lambda f: above_at(end("email", D_UCB), end("email", f(tau=0.3)), Checkpoint(2_000))), "L45"
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
    "huang2022.separator.adult": claim(under(LEARNER, learnt_separator), "L37 L39 L40 L41", evidence="by construction"),
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
    "huang2022.parents.adult": claim(under(LEARNER, learnt_parents), "L37 L38 L39 L40", evidence="by construction"),
    "huang2022.theorem1.email.d_ucb": claim(theorem_1_bounds(final("email", D_UCB)), "L43"),
    "huang2022.theorem1.constant": claim(proof_of_theorem_1(), "E27"),
    "huang2022.theorem2.contains": claim(under(Z_DESCENDS, lambda z_descends: theorem_2(z_descends=z_descends)), "E08"),
    "huang2022.theorem3.email.f_ucb_03": claim(
        played(WITH_ITS_SCALE, "email", [0.3], lambda f: theorem_3_bounds(final("email", f(tau=0.3)))), "L43 L49 E09"
    ),
    "huang2022.theorem3.unfair_optimum": claim(
        under(RADIUS, lambda alpha_c: theorem_3_bounds(final("unconstrained", F_UCB(tau=0.9, alpha_c=alpha_c)))),
        "L49 E25",
        fault=Why.ERROR,
    ),
    "huang2022.theorem3.scales": claim(under(CONDITION, lambda named: proof_of_theorem_3(named=named)), "E09"),
    "huang2022.theorem3.larger": claim(larger_bound(horizon=5_000), "L43"),
    # Whatever is played if the set is empty, the bound fails: table `eq_12` has the best arm too.
    "huang2022.eq12.upper": claim(eq_12(final("rare", F_UCB(fallback="safest"))), "L48 E26", fault=Why.ERROR),
    "huang2022.contrast.email.ucb.f_ucb": claim(
        played(
            UNFAIR,
            "email",
            [0.1],
            lambda r: more_unfair(end("email", UCB), end("email", r.policy(tau=0.1)), tau=0.1, definition=r.definition),
        ),
        "L48 L50 L81 E11",
    ),
}
