"""Judges of adaptivity on made-up runs, and two-stage plans against a search by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.policies.glm.ccpe_bglm import constants_of
from causal_bandits.problems.xiong2023 import (
    all_settings,
    chain,
    confounded,
    graded,
    parallel,
    rare_causes,
    two_gaps,
)
from experiments.results import Plan, Results
from replication.judging.claims import Claim
from replication.judging.judges import Outcome
from replication.papers.xiong2023 import claims, exact_claims, theory
from replication.papers.xiong2023.profiles import Profile

POLICY = {"algorithm": "ccpe_general", "alpha_o": 0.7071, "alpha_i": 0.7071, "divisor": 5.0}


def claim(value="<", **cells):
    return Claim("c", "item", "row", "column", value, "judge", metric="sample_complexity", **cells)


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
        judged = claims.larger_gaps_fewer_plays(claim(experiment="e", policy=POLICY), found)
        assert judged.outcome == outcome


@pytest.mark.parametrize(("often", "outcome"), [(1, Outcome.HOLDS), (24, Outcome.HOLDS), (26, Outcome.FAILS)])
def test_seen_actions_are_played_less_than_half_as_often(often, outcome):
    """X1's actions have other gaps and count for nothing; the last two variables are rare."""
    plays = [500, 900, 900, *[often] * 4, often, 50, often, 50]
    found = played("parallel", plays, variables=5, effect=0.8, rare=2, rare_chance=0.01)
    judged = claims.seen_actions_need_no_plays(claim(experiment="e", policy=POLICY), found)
    assert judged.outcome == outcome
    assert judged.replicated == f"{often:.1f} against 50.0 plays"


def test_a_policy_is_held_against_the_plan_with_its_own_radii():
    options = {"size": 5, "variables": 6}
    plan = theory.two_stages(two_gaps(**options), 0.1, 0.02, 0.7071, 0.7071)
    for rounds, outcome in ((plan.rounds - 1, Outcome.HOLDS), (plan.rounds + 1, Outcome.FAILS)):
        found = played("two_gaps", [0] * 7, rounds=rounds, **options)
        judged = claims.fewer_than_two_stages(claim(experiment="e", policy=POLICY), found, knows="gap")
        assert judged.outcome == outcome
    wide = played("two_gaps", [0] * 7, rounds=10 * plan.rounds, **options | {"epsilon": 0.01})
    judged = claims.fewer_than_two_stages(claim(experiment="e", policy=POLICY), wide, knows="epsilon")
    assert judged.outcome == Outcome.HOLDS  # epsilon / 2 is a twentieth of the gap


@pytest.mark.parametrize(
    ("bandit", "width"),
    [
        (parallel(4, 0.8), 0.2),
        (parallel(6, 0.8, rare=3, rare_chance=0.01), 0.1),
        (parallel(30, 0.8, rare=10, rare_chance=0.001, values="ones"), 0.2),
        (confounded(3, 0.6), 0.1),
        (two_gaps(5, 8), 0.3),
    ],
)
@pytest.mark.parametrize("alpha", [0.7071, 2.0])
def test_no_other_plan_of_fixed_size_is_shorter(bandit, width, alpha):
    """By hand: for every number of observations, which actions are not known well enough and how often to play them."""
    found, q, actions = theory.two_stages(bandit, width, 0.02, alpha, alpha), theory.easiness(bandit), len(bandit.arms)

    def played_radius(n):
        return alpha * math.sqrt(math.log(actions * math.log(2 * n) / 0.02) / n)

    def watched_radius(share, n):  # of actions without covariates: k = Z_a = I_a = 1 in Eq. 16
        return alpha * math.sqrt(math.log(20 * actions * math.log(2 * n) / 0.02) / (share * n))

    plays = next(n for n in range(2, 10**7) if played_radius(n) <= width)
    assert found.plays == plays
    best = actions * plays
    for n in {*np.unique(np.geomspace(2, best, 400).astype(int)), found.observations}:
        if n >= 2:
            open_ = sum(1 for share in q[1:] if share == 0 or watched_radius(share, n) > width) + (n < plays)
            best = min(best, n + open_ * plays)
    assert found.rounds == best


def test_the_error_of_an_estimate_falls_with_q():
    def judged(chances):
        return claims.easier_by_observation(claim("falls"), None, chances=chances, observations=1000, repetitions=100)

    found = judged([0.02, 0.1, 0.5])
    assert found.outcome == Outcome.HOLDS
    # The mean of q n coins whose chance is about 1/2.
    expected = [0.5 / math.sqrt(q * 1000) for q in (0.02, 0.1, 0.5)]
    assert [float(x) for x in found.replicated.split(", ")] == pytest.approx(expected, rel=0.25)
    assert judged([0.5, 0.1]).outcome == Outcome.FAILS


@pytest.mark.parametrize(("link", "outcome"), [("linear", Outcome.HOLDS), ("logistic", Outcome.FAILS)])
def test_means_along_the_order_are_exact_for_linear_links_only(link, outcome):
    assert exact_claims.means_in_order(claim("0"), None, link=link, models=10).outcome == outcome


def test_a_passed_mean_by_hand():
    glm = BinaryGLM({"A": 0.0, "Y": -1.0}, {"Y": {"A": 2.0}}, dict.fromkeys("AY", "logistic"))
    assert exact_claims._passed_mean(glm, {}) == pytest.approx(0.5)  # at the mean 1/2 of A the score is 0
    assert exact_claims._passed_mean(glm, {"A": 1}) == pytest.approx(1 / (1 + math.exp(-1)))


def test_at_most_twice_the_rounds():
    rng = np.random.default_rng(0)
    plans = {"ours": {"algorithm": "a"}, "theirs": {"algorithm": "b"}}
    theirs = 100 + rng.normal(0, 1, 100)
    for factor, outcome in ((1.9, Outcome.HOLDS), (2.1, Outcome.FAILS)):
        rounds = {"ours": factor * theirs, "theirs": theirs}
        frame = pd.concat(
            pd.DataFrame({"policy": p, "seed": range(100), "t": r, "sample_complexity": r}) for p, r in rounds.items()
        )
        found = Results({}, {"e": frame}, pd.DataFrame(), {}, {"e": Plan(1000, plans)})
        asked = claim(experiment="e", policy={"algorithm": "a"}, against={"algorithm": "b"})
        judged = claims.fewer_rounds(asked, found, where="everywhere", at_most=2.0)
        assert (judged.outcome, judged.replicated) == (outcome, f"{factor:.2f} times")
        assert claims.fewer_rounds(asked, found, where="everywhere").outcome == Outcome.FAILS


def test_the_problems_that_the_judges_need():
    assert rare_causes(0.05).means.max() == pytest.approx(0.2 + 0.2 + 0.5 * 0.05)
    assert constants_of(rare_causes(0.05).glm).freedom == pytest.approx(0.05)
    assert [len(all_settings(n).arms) for n in (2, 4)] == [9, 81]
    assert all_settings(3).means.max() == pytest.approx(0.9)
    gaps = Profile(graded(0.01)).gaps
    assert np.diff(gaps[2:]) == pytest.approx(np.full(3, 0.06 * 0.99))
    assert gaps[1] == gaps[2]
    bandit = chain(3, 1)
    assert bandit.glm.expectation("Y", {"X4": 1}) == pytest.approx(0.8)
    assert bandit.glm.expectation("Y", {"X3": 1}) == pytest.approx(0.2 + 0.6 * 0.8)
    odds = chain(1, 1, "logistic").glm.expectation("Y", {"X2": 1})
    assert math.log(odds / (1 - odds)) == pytest.approx(4 * 0.8 - 2)
