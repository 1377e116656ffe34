"""Judge xiong2023's claims about runs: comparisons along a setting, orders without constants."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Literal

import numpy as np

from causal_bandits.arrays import FloatArray
from experiments import files
from experiments.results import Results
from experiments.settings import as_setting, compact
from replication.judging.claims import Along, Final, Policy, Printed, check, pair
from replication.judging.judges import Judgement, Outcome, Why, opened, reason
from replication.judging.judges.growth import undecided
from replication.judging.judges.intervals import Estimate, mean_interval
from replication.papers.xiong2023 import theory
from replication.papers.xiong2023.theory import Profile

#: Smallest difference in rounds that matters, relative to the mean that should be smaller or equal.
SHARE = 0.01


@check
def fewer_rounds(
    printed: Printed,
    results: Results,
    ours: Final | Along,
    others: Final | Along,
    *,
    where: Literal["everywhere", "somewhere"],
) -> Judgement:
    """Judge whether a policy takes no more rounds than another everywhere, or clearly fewer somewhere.

    Level: 95 % intervals of the paired mean differences, simultaneous (Bonferroni) over the values of a setting. Border
    at each: for ``everywhere``, a hundredth above the other's rounds; for ``somewhere``, a hundredth of the policy's
    own rounds below the other's. A run that reached the cap counts as the cap, which is less than it needs; no point is
    decided by rounds that are understated in this way.
    """
    points, told, ratios, n = _points(ours), [], [], 0
    for (_, mine), (_, theirs) in zip(points, _points(others), strict=True):
        own, own_ended = _rounds(mine, results)
        other, others_ended = _rounds(theirs, results)
        ratios.append(own.mean() / other.mean())
        border = -SHARE * other if where == "everywhere" else SHARE * own
        more = mean_interval(own - other + border, len(points))
        told.append(_told(-more.high, -more.low, own_ended, others_ended))
        n = more.n
    shown = [f"{r:.2f} times{at} ({t})" for (at, _), r, t in zip(points, ratios, told, strict=True)]
    telling = ratios.index(min(ratios) if where == "somewhere" else max(ratios))
    outcome = _outcome(told, some=where == "somewhere")
    why = reason(f"no more rounds than the other {where}, {_tally(told, 'points')}", *shown)
    return _judgement(outcome, why, f"{ratios[telling]:.2f} times{points[telling][0]}", n)


@check
def rounds_move(printed: Printed, results: Results, ours: Along, direction: Literal["rises", "falls"]) -> Judgement:
    """Judge whether a policy's rounds rise, or fall, at every step of a setting.

    Level: 95 % intervals of the mean steps, simultaneous (Bonferroni), paired by seed. Border of each step: a hundredth
    of the mean at its smaller end. Runs that reached the cap count as in `fewer_rounds`.
    """
    name, values, finals = ours
    at = [_rounds(each, results) for each in finals]
    told, shown = [], []
    for (first, second), (start, end) in zip(pairwise(at), pairwise(values), strict=True):
        (large, large_ended), (small, small_ended) = (second, first) if direction == "rises" else (first, second)
        step = mean_interval(large - (1 + SHARE) * small, len(values) - 1)
        told.append(_told(step.low, step.high, small_ended, large_ended))
        ratio = second[0].mean() / first[0].mean()
        shown.append(f"{compact(as_setting(start))} to {compact(as_setting(end))}: {ratio:.2f} times ({told[-1]})")
    why = reason(f"it {direction} along {name}, {_tally(told, 'steps')}", *shown)
    whole = f"{at[-1][0].mean() / at[0][0].mean():.2f} times, {told.count(Outcome.HOLDS)} of {len(told)} steps"
    return _judgement(_outcome(told), why, whole, len(at[0][0]))


@check
def gain_rises(printed: Printed, results: Results, ours: Along, others: Along) -> Judgement:
    """Judge whether the ratio of another policy's rounds to this one's rises at every step of a setting.

    Level: 95 % intervals of the steps of the ratio of means, simultaneous (Bonferroni), by the delta method, paired by
    seed. Boundary: a step of 0. Not judged if a run reached the cap.
    """
    pairs = [pair(mine, theirs, results) for mine, theirs in zip(ours.finals, others.finals, strict=True)]
    ratios = [theirs.mean() / mine.mean() for mine, theirs in pairs]
    steps = [step_of_ratios(first, second, len(pairs) - 1) for first, second in pairwise(pairs)]
    told = [_told(step.low, step.high) for step in steps]
    shown = [f"{ratio:.2f} at {compact(as_setting(v))}" for v, ratio in zip(ours.values, ratios, strict=True)]
    outcome = _outcome(told)
    rise = f"the ratio of the other's rounds to its own rises along {ours.name}, {_tally(told, 'steps')}"
    whole, why = f"{ratios[0]:.2f} to {ratios[-1]:.2f} times", undecided(steps, len(steps))
    return Judgement(outcome, reason(rise, *shown), whole, n=steps[0].n, why=opened(outcome, why))


def step_of_ratios(
    first: tuple[FloatArray, FloatArray], second: tuple[FloatArray, FloatArray], tests: int = 1
) -> Estimate:
    """Estimate the rise, from the first pair to the second, of the ratio of means others / ours (delta method)."""

    def linear(pair: tuple[FloatArray, FloatArray]) -> FloatArray:
        ours, others = pair
        ratio = others.mean() / ours.mean()
        return np.asarray(ratio + (others - ratio * ours) / ours.mean())

    return mean_interval(linear(second) - linear(first), tests)


def _points(of: Final | Along) -> list[tuple[str, Final]]:
    """List final values, each with the setting's value in words."""
    if isinstance(of, Final):
        return [("", of)]
    return [(f" at {of.name} = {compact(v)}", each) for v, each in zip(of.values, of.finals, strict=True)]


def _rounds(of: Final, results: Results) -> tuple[FloatArray, bool]:
    """Return a policy's rounds by seed, with the cap for a run that reached it, and whether all runs ended earlier."""
    values = of.values(results, cut_off=True)
    return values.fillna(of.horizon(results)).to_numpy(), not values.isna().any()


def _told(low: float, high: float, small_ended: bool = True, large_ended: bool = True) -> Outcome:
    """Return the outcome implied by the interval of a margin.

    The margin is how far the rounds that should be fewer are below the boundary. If runs reached the cap, the rounds on
    either side look fewer than they are.
    """
    if low > 0 and small_ended:
        return Outcome.HOLDS
    return Outcome.FAILS if high <= 0 and large_ended else Outcome.OPEN


def _outcome(told: Collection[Outcome], some: bool = False) -> Outcome:
    """Combine the outcomes at all points: all must hold or, with ``some``, at least one."""
    first, every = (Outcome.HOLDS, Outcome.FAILS) if some else (Outcome.FAILS, Outcome.HOLDS)
    return first if first in told else every if set(told) == {every} else Outcome.OPEN


def _tally(told: Sequence[Outcome], places: str) -> str:
    held, failed = told.count(Outcome.HOLDS), told.count(Outcome.FAILS)
    return f"clearly at {held} of {len(told)} {places}, clearly not at {failed} (simultaneous 95 % intervals)"


def _judgement(outcome: Outcome, why: str, shown: str, n: int) -> Judgement:
    return Judgement(outcome, why, shown, n=n, why=opened(outcome, Why.SEEDS))


#: Why an order of growth is open.
WITHOUT_CONSTANT = "an order without its constant, which no finite number of runs can contradict"


@check
def without_constant(printed: Printed, results: Results) -> Judgement:
    """Leave open a comparison of orders, which ignores every factor."""
    return Judgement(Outcome.OPEN, WITHOUT_CONSTANT, "no ratio of rounds decides", why=Why.UNTESTABLE)


@check
def order(printed: Printed, results: Results, policy: Policy, bound: Literal["upper", "lower"]) -> Judgement:
    """Report the ratio of the measured rounds to a bound without a constant, which no runs can contradict.

    All experiments that play the policy count.
    """
    ratios, silent, problems = [], 0, 0
    for experiment in results.experiments(algorithm=policy.algorithm):
        for label in results.policies(experiment, **policy.selection):
            settings = results.settings(experiment, label)
            if settings.get("radius", "printed") != "printed" or settings.get("divisor") == 1:
                continue
            profile = Profile.of(settings)
            problems += 1
            if bound == "lower" and (profile.lower <= 0 or not profile.in_class):
                silent += 1
                continue
            ratios.append(results.final(experiment, "t", policy=label).mean() / getattr(profile, bound))
    told = f"{min(ratios):.3g} to {max(ratios):.3g}" if ratios else "nothing"
    why = reason(
        WITHOUT_CONSTANT,
        f"of {problems} problems, {silent} are outside its class or have a bound of 0 or less" if silent else "",
    )
    return Judgement(Outcome.OPEN, why, told, why=Why.UNTESTABLE)


# Judges of xiong2023's claims that its algorithms adapt to gaps and to observations.

#: Gaps that differ by less count as equal: a problem's means are sums of a small number of products.
_SAME_GAP = 1e-9
#: An action is rare if it is seen in less than this share of the passive observations.
RARE = 0.1
#: Actions that are often observed must be played less than this fraction as often as rare ones.
LESS_PLAYED = 0.5


@check
def larger_gaps_fewer_plays(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge whether the plays of an action fall with its gap, at every step to the next larger gap.

    The plays of actions with equal gaps are averaged. do() is left out because its plays are passive observations too.
    Level: 95 % intervals of the mean steps, simultaneous (Bonferroni), paired by seed. Boundary: a step of 0.
    """
    profile, plays = Profile.of(ours.settings(results)), _plays(ours, results)
    gaps = profile.gaps
    played = [a for a, action in enumerate(profile.bandit.arms) if action]
    levels = [gaps[a] for a in sorted(played, key=lambda a: gaps[a])]
    levels = [g for i, g in enumerate(levels) if i == 0 or g > levels[i - 1] + _SAME_GAP]
    means = [plays[:, [a for a in played if abs(gaps[a] - g) <= _SAME_GAP]].mean(axis=1) for g in levels]
    steps = [mean_interval(small - large, len(levels) - 1) for small, large in pairwise(means)]
    told = [_told(step.low, step.high) for step in steps]
    shown = [f"{mean.mean():.0f} at gap {gap:.2f}" for mean, gap in zip(means, levels, strict=True)]
    why = reason(f"plays of an action fall at {told.count(Outcome.HOLDS)} of {len(told)} steps of the gap", *shown)
    return _judgement(_outcome(told), why, f"{means[0].mean():.0f} to {means[-1].mean():.0f} plays", len(plays))


@check
def seen_actions_need_no_plays(printed: Printed, results: Results, ours: Final) -> Judgement:
    """Judge whether often observed actions are played less than half as often as rare ones of equal gap.

    An action is rare if its q_a is below `RARE`. Only actions with the most common gap count, so that they differ only
    in q_a; do() and the best action are left out. Level: 95 % interval of the mean difference, paired by seed.
    Boundary: half of the plays of rare actions.
    """
    profile, plays = Profile.of(ours.settings(results)), _plays(ours, results)
    gaps, q = np.round(profile.gaps, 9), profile.q
    values, counts = np.unique(gaps, return_counts=True)
    best = int(profile.bandit.means.argmax())
    actions = [a for a, action in enumerate(profile.bandit.arms) if action and a != best]
    same = [a for a in actions if gaps[a] == values[counts.argmax()]]
    rare, often = ([a for a in same if (q[a] < RARE) == wanted] for wanted in (True, False))
    of_rare, of_often = plays[:, rare].mean(axis=1), plays[:, often].mean(axis=1)
    margin = mean_interval(LESS_PLAYED * of_rare - of_often)
    shown = f"{of_often.mean():.1f} against {of_rare.mean():.1f}"
    why = reason(f"plays of an action that is often observed against one that is rare: {shown}; boundary: half")
    return _judgement(_told(margin.low, margin.high), why, f"{shown} plays", len(plays))


@check
def fewer_than_two_stages(
    printed: Printed, results: Results, ours: Final, knows: Literal["gap", "epsilon"]
) -> Judgement:
    """Judge whether a policy needs fewer rounds than the best two-stage plan with the same radii.

    The plan (`theory.two_stages`) knows every q_a, and makes all intervals narrow enough for a right answer: their
    half-width is half of epsilon, or half of the smallest gap if that is larger and the plan ``knows`` the gap. Level:
    95 % interval of the policy's mean rounds. Boundary: the plan's rounds, computed.
    """
    settings = ours.settings(results)
    profile = Profile.of(settings)
    gap = float(profile.gaps.min()) if knows == "gap" else 0.0
    plan = theory.two_stages(
        profile.bandit,
        max(profile.epsilon, gap) / 2,
        profile.delta / float(str(settings["divisor"])),
        float(str(settings["alpha_o"])),
        float(str(settings["alpha_i"])),
    )
    rounds = ours.values(results).to_numpy()
    fewer = mean_interval(plan.rounds - rounds)
    why = reason(
        f"{rounds.mean():,.0f} rounds against {plan.rounds:,} of the plan",
        f"which observes {plan.observations:,} times and plays {plan.played} actions {plan.plays:,} times each",
    )
    return _judgement(_told(fewer.low, fewer.high), why, f"{rounds.mean() / plan.rounds:.2f} times", len(rounds))


@check
def easier_by_observation(printed: Printed, results: Results) -> Judgement:
    """Judge whether the error of an action's estimate falls as its q_a rises, with equally many observations.

    Level: 95 % intervals of the steps of the mean squared error, simultaneous (Bonferroni). Boundary: a step of 0.
    """
    estimates = files.read(results.file("data_estimates")).to_pandas()
    squared = [of["squared"].to_numpy() for _, of in estimates.groupby("q")]
    steps = [mean_interval(first - second, len(squared) - 1) for first, second in pairwise(squared)]
    told = [_told(step.low, step.high) for step in steps]
    roots = ", ".join(f"{np.sqrt(errors.mean()):.3f}" for errors in squared)
    at = ", ".join(f"{q:g}" for q in sorted(set(estimates["q"])))
    why = reason(f"root mean squared errors {roots} at q_a = {at}")
    return _judgement(_outcome(told), why, roots, len(squared[0]))


def _plays(ours: Final, results: Results) -> FloatArray:
    """Return how often each action was played, shape (seeds, actions).

    Raises
    ------
    CutOffError
        If a run reached its cap: how often it would have played each action is unknown.
    """
    actions = len(Profile.of(ours.settings(results)).bandit.arms)
    return np.transpose([ours.of(f"pulls_{a}").values(results) for a in range(actions)])
