"""Judges of xiong2023's own claims, on made-up runs."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from causal_bandits.problems.xiong2023 import (
    two_gaps,
)
from experiments import files
from experiments.results import Plan, Results
from replication.judging.claims import Policy, along, final
from replication.judging.judges import Outcome, Why
from replication.papers.xiong2023 import judges, stages, theory
from replication.papers.xiong2023.theory import Profile


def rounds_of(algorithm, **settings):
    return final("e", Policy(algorithm, settings), "sample_complexity")


OURS, THEIRS = rounds_of("ours"), rounds_of("theirs")


def results(rounds, **settings):
    """An experiment e with the policies of ``rounds``, label to rounds by seed."""
    plans = {label: {"algorithm": label.split("@")[0], "n": int(label.split("@")[1])} for label in rounds}
    frame = pd.concat(
        pd.DataFrame({"policy": label, "seed": range(len(values)), "t": values, "sample_complexity": values})
        for label, values in rounds.items()
    )
    plan = Plan(1000, plans, {}, {"ours": {}, "theirs": {}})
    return Results({}, {"e": frame}, pd.DataFrame(), {}, {"e": plan})


@pytest.mark.parametrize(
    ("shifts", "everywhere", "somewhere"),
    [
        ((-5, -5), Outcome.HOLDS, Outcome.HOLDS),
        ((-5, 5), Outcome.FAILS, Outcome.HOLDS),
        ((-5, 0.9), Outcome.OPEN, Outcome.HOLDS),
        ((0.0, -5), Outcome.HOLDS, Outcome.HOLDS),
        ((0.0, 0.0), Outcome.HOLDS, Outcome.FAILS),
        ((5, -0.9), Outcome.FAILS, Outcome.OPEN),
    ],
)
def test_fewer_rounds_at_every_point_or_at_some(shifts, everywhere, somewhere):
    rng = np.random.default_rng(0)
    theirs = 100 + rng.normal(0, 1, 200)
    rounds = {f"theirs@{n}": theirs for n in (1, 2)}
    rounds |= {f"ours@{n}": theirs + shift + rng.normal(0, 2, 200) for n, shift in zip((1, 2), shifts, strict=True)}
    found, both = results(rounds), [along(each, n=[1, 2]) for each in (OURS, THEIRS)]
    assert judges.fewer_rounds(*both, where="everywhere")(None, found).outcome == everywhere
    judged = judges.fewer_rounds(*both, where="somewhere")(None, found)
    assert judged.outcome == somewhere
    at = 1 + int(shifts[1] < shifts[0])
    ratio = rounds[f"ours@{at}"].mean() / theirs.mean()
    assert judged.replicated == f"{ratio:.2f} times at n = {at}"


def test_a_capped_run_decides_nothing_that_the_cap_understates():
    """The cap is 1000 rounds: a run that met it took more, nobody knows how many."""
    rng = np.random.default_rng(0)
    low, high = (mean + rng.normal(0, 1, 200) for mean in (500, 900))
    cut = np.where(np.arange(200) == 7, np.nan, low), np.where(np.arange(200) == 7, np.nan, high)

    def judged(ours, theirs):
        found = results({"ours@1": ours, "theirs@1": theirs})
        return judges.fewer_rounds(OURS(n=1), THEIRS(n=1), where="everywhere")(None, found).outcome

    assert judged(low, high) == judged(low, cut[1]) == Outcome.HOLDS
    assert judged(cut[0], high) == Outcome.OPEN
    assert judged(high, low) == judged(cut[1], low) == Outcome.FAILS
    assert judged(high, cut[0]) == Outcome.OPEN


@pytest.mark.parametrize(
    ("means", "rises", "falls"),
    [
        ((100, 110, 130), Outcome.HOLDS, Outcome.FAILS),
        ((100, 100, 130), Outcome.FAILS, Outcome.FAILS),
        ((100, 101, 130), Outcome.OPEN, Outcome.FAILS),
        ((130, 120, 100), Outcome.FAILS, Outcome.HOLDS),
    ],
)
def test_rounds_move_by_a_hundredth_at_every_step(means, rises, falls):
    rng = np.random.default_rng(1)
    found = results({f"ours@{n}": mean + rng.normal(0, 2, 200) for n, mean in enumerate(means, 1)})
    for direction, verdict in (("rises", rises), ("falls", falls)):
        assert judges.rounds_move(along(OURS, n=[1, 2, 3]), direction)(None, found).outcome == verdict
    capped = results({"ours@1": np.full(200, np.nan), "ours@2": rng.normal(500, 1, 200)})
    assert judges.rounds_move(along(OURS, n=[1, 2]), "falls")(None, capped).outcome == Outcome.HOLDS
    capped = results({"ours@1": np.where(np.arange(200) < 9, np.nan, 100.0), "ours@2": rng.normal(500, 1, 200)})
    assert judges.rounds_move(along(OURS, n=[1, 2]), "rises")(None, capped).outcome == Outcome.OPEN


@pytest.mark.parametrize(("last", "verdict"), [(300, Outcome.HOLDS), (200, Outcome.OPEN), (150, Outcome.FAILS)])
def test_gain_rises_with_the_ratio_of_means(last, verdict):
    rng = np.random.default_rng(2)
    rounds = {f"ours@{n}": rng.normal(100, 5, 200) for n in (1, 2)}
    rounds |= {"theirs@1": rng.normal(200, 5, 200), "theirs@2": rng.normal(last, 5, 200)}
    judged = judges.gain_rises(along(OURS, n=[1, 2]), along(THEIRS, n=[1, 2]))(None, results(rounds))
    assert judged.outcome == verdict
    assert float(judged.replicated.split()[0]) == pytest.approx(2, abs=0.03)


def test_a_step_of_ratios_is_wrong_as_seldom_as_it_says():
    """Equal ratios of skewed values: either side is called in 2.5 % of cases at most, by simulation."""
    rng, above, below = np.random.default_rng(3), 0, 0
    for _ in range(2000):
        first, second = ((rng.gamma(20, 5 * n, 30), rng.gamma(20, 10 * n, 30)) for n in (1, 2))
        step = judges.step_of_ratios(first, second)
        above += step.low > 0
        below += step.high < 0
    assert max(above, below) <= 60
    assert judges.step_of_ratios(first, second).value == pytest.approx(
        second[1].mean() / second[0].mean() - first[1].mean() / first[0].mean()
    )


def test_an_order_without_a_constant_cannot_be_contradicted():
    options = {"problem": "parallel", "variables": 10, "effect": 0.25, "rare": 8, "rare_chance": 0.01}
    settings = options | {"algorithm": "ccpe_general", "alpha_o": 8.0, "alpha_i": 2.0, "epsilon": 0.0, "delta": 0.1}
    frame = pd.DataFrame({"policy": "ccpe", "seed": [0, 1], "t": [1000, 3000]})
    found = Results({}, {"e": frame}, pd.DataFrame(), {}, {"e": Plan(10_000, {"ccpe": settings})})
    profile = Profile.of(settings)
    judged = judges.order(Policy("ccpe_general", {"alpha_o": 8.0, "alpha_i": 2.0}), "lower")(None, found)
    assert judged.outcome == Outcome.OPEN
    assert judged.replicated == f"{2000 / profile.lower:.3g} to {2000 / profile.lower:.3g}"
    assert judged.why == "untestable"
    assert theory.lower_bound(profile.q, profile.gaps, 0.0, 0.1, 0) == profile.lower


POLICY = {"algorithm": "ccpe_general", "alpha_o": 0.7071, "alpha_i": 0.7071, "divisor": 5.0}
PLAYED = rounds_of("ccpe_general")


def played(problem, plays, rounds=1000, **options):
    """Runs of one policy: plays by seed and action, or by action, give or take one."""
    settings = POLICY | {"problem": problem, "epsilon": 0.0, "delta": 0.1} | options
    noise = np.tile([-0.1, 0.1], 20)
    frame = pd.DataFrame({"policy": "p", "seed": range(40), "t": rounds, "sample_complexity": rounds + noise})
    for a, mean in enumerate(plays):
        frame[f"pulls_{a}"] = mean + np.roll(noise, a // 2) * (1 + a)
    return Results({}, {"e": frame}, pd.DataFrame(), {}, {"e": Plan(10**6, {"p": settings})})


@pytest.mark.parametrize(
    ("plays", "outcome"),
    [
        ((0, 60, 50, 30, 20, 10), Outcome.HOLDS),
        ((0, 40, 30, 36, 20, 10), Outcome.FAILS),  # the third has more than the mean of the first two
        ((0, 60, 50, 10, 20, 30), Outcome.FAILS),
    ],
)
def test_plays_fall_with_the_gap(plays, outcome):
    """do() is no part of it, however often it is played."""
    for observed in (0, 10_000):
        found = played("graded", (observed, *plays[1:]), chance=0.01)
        judged = judges.larger_gaps_fewer_plays(PLAYED)(None, found)
        assert judged.outcome == outcome


@pytest.mark.parametrize(("often", "outcome"), [(1, Outcome.HOLDS), (24, Outcome.HOLDS), (26, Outcome.FAILS)])
def test_seen_actions_are_played_less_than_half_as_often(often, outcome):
    """X1's actions have other gaps and count for nothing; the last two variables are rare."""
    plays = [500, 900, 900, *[often] * 4, often, 50, often, 50]
    found = played("parallel", plays, variables=5, effect=0.8, rare=2, rare_chance=0.01)
    judged = judges.seen_actions_need_no_plays(PLAYED)(None, found)
    assert judged.outcome == outcome
    assert judged.replicated == f"{often:.1f} against 50.0 plays"


def test_a_policy_is_held_against_the_plan_with_its_own_radii():
    options = {"size": 5, "variables": 6}
    plan = theory.two_stages(two_gaps(**options), 0.1, 0.02, 0.7071, 0.7071)
    for rounds, outcome in ((plan.rounds - 1, Outcome.HOLDS), (plan.rounds + 1, Outcome.FAILS)):
        found = played("two_gaps", [0] * 7, rounds=rounds, **options)
        judged = judges.fewer_than_two_stages(PLAYED, "gap")(None, found)
        assert judged.outcome == outcome
    wide = played("two_gaps", [0] * 7, rounds=10 * plan.rounds, **options | {"epsilon": 0.01})
    judged = judges.fewer_than_two_stages(PLAYED, "epsilon")(None, wide)
    assert judged.outcome == Outcome.HOLDS  # epsilon / 2 is a twentieth of the gap


def easier(tmp_path, estimates):
    path = tmp_path / "estimates.parquet"
    files.write(estimates, path)
    return judges.easier_by_observation()(None, Results({}, {}, pd.DataFrame(), {"data_estimates": str(path)}, {}))


def test_the_error_of_an_estimate_falls_with_q(tmp_path):
    chances = [0.02, 0.1, 0.5]
    found = easier(tmp_path, stages.estimates(range(100), np.random.default_rng, chances, observations=1000))
    assert found.outcome == Outcome.HOLDS
    # The mean of q n coins whose chance is about 1/2.
    expected = [0.5 / math.sqrt(q * 1000) for q in chances]
    assert [float(x) for x in found.replicated.split(", ")] == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize(
    ("errors", "outcome"),
    [
        ((9, 4, 1), Outcome.HOLDS),
        ((9, 1, 4), Outcome.FAILS),
        ((1, 4, 9), Outcome.FAILS),
        ((9, 4, 4), Outcome.OPEN),
    ],
)
def test_an_error_has_to_fall_at_every_step(tmp_path, errors, outcome):
    """Half of 40 squared errors are a tenth above the given one and half below, in another half for each q."""
    signs = {0.1: [1, -1] * 20, 0.2: [1, 1, -1, -1] * 10, 0.5: [1] * 20 + [-1] * 20}
    rows = [
        {"seed": seed, "q": q, "squared": error * (1 + sign / 10)}
        for error, (q, own) in reversed(list(zip(errors, signs.items(), strict=True)))
        for seed, sign in enumerate(own)
    ]
    judged = easier(tmp_path, pa.Table.from_pylist(rows))
    assert (judged.outcome, judged.n) == (outcome, 40)
    assert judged.replicated == ", ".join(f"{math.sqrt(error):.3f}" for error in errors)


def test_an_order_is_open_whatever_the_rounds():
    judged = judges.without_constant()(None, None)
    assert (judged.outcome, judged.why) == (Outcome.OPEN, Why.UNTESTABLE)
