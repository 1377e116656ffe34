"""Judges of xiong2023's claims that its algorithms adapt: to gaps, and to what is observed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np

from causal_bandits.arrays import FloatArray, States
from causal_bandits.compiled import jit
from causal_bandits.estimation.sequential_adjustment import (
    Counts,
    Sequences,
    compile_sequences,
    estimate,
    observe,
)
from causal_bandits.problems.xiong2023 import parallel
from experiments.results import Results
from replication.judging.claims import Claim, Judge
from replication.judging.judges import Basis, Because, Judgement, Outcome, reason
from replication.judging.judges.arguments import Count
from replication.judging.judges.intervals import mean_interval
from replication.papers.xiong2023 import theory
from replication.papers.xiong2023.profiles import Profile

#: Gaps that differ by less are equal: the means of a problem are sums of few products.
_SAME_GAP = 1e-9
#: An action that is seen in fewer than so many of the passive observations is rare.
RARE = 0.1


def larger_gaps_fewer_plays(claim: Claim, results: Results) -> Judgement:
    """Judge whether the plays of an action fall with its gap, at every step to the next larger gap.

    Actions of one gap count with their mean. do() is left out: its plays are passive observations too. Level: 95 %
    intervals of the mean steps, simultaneous (Bonferroni), paired by seed. Border: a step of 0.
    """
    profile, plays = _profile(claim, results), _plays(claim, results)
    gaps = profile.gaps
    played = [a for a, action in enumerate(profile.bandit.arms) if action]
    levels = [gaps[a] for a in sorted(played, key=lambda a: gaps[a])]
    levels = [g for i, g in enumerate(levels) if i == 0 or g > levels[i - 1] + _SAME_GAP]
    means = [plays[:, [a for a in played if abs(gaps[a] - g) <= _SAME_GAP]].mean(axis=1) for g in levels]
    steps = [mean_interval(small - large, len(levels) - 1) for small, large in pairwise(means)]
    told = [_sign(step.low, step.high) for step in steps]
    shown = [f"{mean.mean():.0f} at gap {gap:.2f}" for mean, gap in zip(means, levels, strict=True)]
    why = reason(f"plays of an action fall at {told.count(Outcome.HOLDS)} of {len(told)} steps of the gap", *shown)
    return _judged(_all_of(told), why, f"{means[0].mean():.0f} to {means[-1].mean():.0f} plays", len(plays))


def seen_actions_need_no_plays(claim: Claim, results: Results) -> Judgement:
    """Judge whether often observed actions are played less than half as often as rare ones of equal gap.

    Rare is an action with q_a below `RARE`. Only actions with the commonest gap count, so that nothing but q_a differs;
    do() and the best action do not.
    Level: 95 % interval of the mean difference, paired by seed. Border: half of the plays of the rare.
    """
    profile, plays = _profile(claim, results), _plays(claim, results)
    gaps, q = np.round(profile.gaps, 9), profile.q
    values, counts = np.unique(gaps, return_counts=True)
    best = int(profile.bandit.means.argmax())
    actions = [a for a, action in enumerate(profile.bandit.arms) if action and a != best]
    same = [a for a in actions if gaps[a] == values[counts.argmax()]]
    rare, often = ([a for a in same if (q[a] < RARE) == wanted] for wanted in (True, False))
    of_rare, of_often = plays[:, rare].mean(axis=1), plays[:, often].mean(axis=1)
    margin = mean_interval(of_rare / 2 - of_often)
    shown = f"{of_often.mean():.1f} against {of_rare.mean():.1f}"
    why = reason(f"plays of an action that is often observed against one that is rare: {shown}; border: half")
    return _judged(_sign(margin.low, margin.high), why, f"{shown} plays", len(plays))


def fewer_than_two_stages(claim: Claim, results: Results, *, knows: Literal["gap", "epsilon"]) -> Judgement:
    """Judge whether a policy takes fewer rounds than the best two-stage plan with the same radii.

    The plan (`theory.two_stages`) knows every q_a, and makes all intervals so narrow that the answer is right: half of
    epsilon, or half of the smallest gap if that is larger and it ``knows`` the gap. Level: 95 % interval of the
    policy's mean rounds. Border: the plan's rounds, computed.
    """
    settings = results.settings(claim.experiment, results.policies(claim.experiment, **claim.policy)[0])
    profile = Profile.of(settings)
    gap = float(profile.gaps.min()) if knows == "gap" else 0.0
    plan = theory.two_stages(
        profile.bandit,
        max(profile.epsilon, gap) / 2,
        profile.delta / float(str(settings["divisor"])),
        float(str(settings["alpha_o"])),
        float(str(settings["alpha_i"])),
    )
    rounds = claim.values(results).to_numpy()
    fewer = mean_interval(plan.rounds - rounds)
    why = reason(
        f"{rounds.mean():,.0f} rounds against {plan.rounds:,} of the plan",
        f"which observes {plan.observations:,} times and plays {plan.played} actions {plan.plays:,} times each",
    )
    return _judged(_sign(fewer.low, fewer.high), why, f"{rounds.mean() / plan.rounds:.2f} times", len(rounds))


def easier_by_observation(
    claim: Claim, results: Results, *, chances: Sequence[float], observations: Count, repetitions: Count
) -> Judgement:
    """Judge whether the error of an action's estimate falls as its q_a rises, at equal observations.

    The action is do(X_n=1) on the parallel graph, and ``chances`` are its q_a; the estimate is that of Eq. 10 to 14.
    Level: 95 % intervals of the steps of the mean squared error, simultaneous (Bonferroni). Border: a step of 0.
    """
    rng, squared = np.random.default_rng(20230504), list[FloatArray]()
    for chance in chances:
        bandit = parallel(3, 0.8, rare=1, rare_chance=chance, values="ones")
        variables, last = bandit.glm.variables, len(bandit.arms) - 1
        drawn = bandit.glm.to_scm().sample(observations * repetitions, rng)
        states = np.column_stack([drawn[v] for v in variables]).astype(np.int8)
        sequences, counts = compile_sequences(variables, list(bandit.arms), bandit.sequences)
        found = _estimates(sequences, counts, states, variables.index(bandit.reward), observations, last)
        squared.append((found - bandit.means[last]) ** 2)
    steps = [mean_interval(first - second, len(chances) - 1) for first, second in pairwise(squared)]
    told = [_sign(step.low, step.high) for step in steps]
    roots = ", ".join(f"{np.sqrt(errors.mean()):.3f}" for errors in squared)
    why = reason(
        f"root mean squared errors {roots} at q_a = {', '.join(f'{c:g}' for c in chances)}",
        f"after {observations:,} observations",
    )
    return _judged(_all_of(told), why, roots, repetitions)


@jit
def _estimates(
    sequences: Sequences, counts: Counts, states: States, reward: int, observations: int, action: int
) -> FloatArray:
    """Estimate the action's reward from each block of so many observations on its own."""
    found = np.empty(len(states) // observations)
    for block in range(len(found)):
        for cells in (counts.before, counts.after, counts.ones, counts.total):
            cells[:] = 0
        for i in range(block * observations, (block + 1) * observations):
            observe(sequences, counts, states[i], float(states[i, reward]))
        found[block] = estimate(sequences, counts, action)[0]
    return found


def _profile(claim: Claim, results: Results) -> Profile:
    return Profile.of(results.settings(claim.experiment, results.policies(claim.experiment, **claim.policy)[0]))


def _plays(claim: Claim, results: Results) -> FloatArray:
    """Return how often each action was played, shape (seeds, actions).

    Raises
    ------
    CutOffError
        If a run met its cap: how often it would have played is not known.
    """
    actions = len(_profile(claim, results).bandit.arms)
    return np.transpose([replace(claim, metric=f"pulls_{a}").values(results) for a in range(actions)])


def _sign(low: float, high: float) -> Outcome:
    return Outcome.HOLDS if low > 0 else Outcome.FAILS if high <= 0 else Outcome.OPEN


def _all_of(told: Sequence[Outcome]) -> Outcome:
    if Outcome.FAILS in told:
        return Outcome.FAILS
    return Outcome.HOLDS if set(told) == {Outcome.HOLDS} else Outcome.OPEN


def _judged(outcome: Outcome, why: str, shown: str, n: int) -> Judgement:
    because = Because.SEEDS if outcome is Outcome.OPEN else None
    return Judgement(outcome, why, Basis.SIMULATED, shown, n=n, because=because)


ADAPTIVE: dict[str, Judge] = {
    "larger_gaps_fewer_plays": Judge(larger_gaps_fewer_plays, needs=("policy",)),
    "seen_actions_need_no_plays": Judge(seen_actions_need_no_plays, needs=("policy",)),
    "fewer_than_two_stages": Judge(fewer_than_two_stages, needs=("policy",)),
    "easier_by_observation": Judge(easier_by_observation),
}
