"""xiong2023: the problems, what the definitions say of them, and the judges of its own claims."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from told import numbers

from causal_bandits.graphs import ADMG
from causal_bandits.policies.glm.ccpe_bglm import on_paths
from causal_bandits.problems.xiong2023 import (
    FENG_CHEN,
    PROBLEMS,
    confounded,
    parallel,
    parallel_bglm,
    sequential,
    two_gaps,
    two_layers,
)
from experiments.results import Plan, Results
from replication.judging.claims import Claim
from replication.judging.judges import Outcome
from replication.papers.xiong2023 import claims, exact_claims, theory
from replication.papers.xiong2023.profiles import Profile
from replication.papers.xiong2023.theory import easiness


def named(bandit, values):
    return {frozenset(action.items()): value for action, value in zip(bandit.arms, values, strict=True)}


def action(**states):
    return frozenset(states.items())


def test_the_parallel_graph_with_fair_coins():
    """Section 3: q is the probability of the value set; the threshold is 2 whatever the number of variables."""
    for variables in (2, 5, 30):
        profile = Profile(parallel(variables, 0.6))
        assert profile.q.tolist() == [1.0] + [0.5] * (2 * variables)
        assert (profile.threshold, profile.gap_dependent) == (2, 2)
        assert profile.bandit.means[:4].tolist() == pytest.approx([0.4, 0.1, 0.7, 0.4])
    q = named(parallel(4, 0.5, rare=2, rare_chance=0.1), easiness(parallel(4, 0.5, rare=2, rare_chance=0.1)))
    assert q[action(X3=1)] == pytest.approx(0.1)
    assert q[action(X3=0)] == pytest.approx(0.9)
    assert q[action(X2=1)] == q[action()] / 2 == 0.5
    assert named(parallel(4, 0.5, rare=2), easiness(parallel(4, 0.5, rare=2)))[action(X4=1)] == pytest.approx(0.01)


@pytest.mark.parametrize(("size", "variables"), [(5, 6), (10, 20), (12, 12)])
def test_the_example_after_lemma_1_as_a_bandit(size, variables):
    """q = 1/n, two gaps 1/n, the others at least 1/2: m is n, the gap-dependent threshold 2."""
    profile = Profile(two_gaps(size, variables))
    assert profile.q.tolist() == pytest.approx([1.0] + [1 / size] * variables)
    gaps = np.sort(profile.gaps)
    assert gaps[:2].tolist() == pytest.approx([1 / size, 1 / size])
    assert gaps[2:].min() == pytest.approx(0.5)
    assert (profile.threshold, profile.gap_dependent) == (size, 2)


def test_which_actions_can_be_learnt_by_watching():
    assert easiness(confounded(3, 0.5)).tolist() == [1.0] + [0.0] * 6
    bandit = sequential(0.5)
    q, scm = named(bandit, easiness(bandit)), bandit.glm.to_scm()
    assert q[action(X2=0)] == q[action(X2=1)] == 0
    joint = scm.distribution(["X1", "X3", "X2"])
    assert q[action(X1=1, X3=0)] == pytest.approx(joint[1, 0].min())
    assert q[action(X1=1)] == pytest.approx(0.5)
    assert min(q[action(X3=0)], q[action(X3=1)]) > 0


def test_profiles_come_from_settings_and_know_theorem_3s_class():
    settings = {"problem": "parallel", "variables": 10, "effect": 0.25, "rare": 8, "rare_chance": 0.01}
    profile = Profile.of(settings | {"epsilon": 0.0, "delta": 0.1, "algorithm": "ccpe_general", "alpha_o": 8.0})
    assert profile.in_class
    assert profile.gap_dependent == 8
    assert 0 < profile.lower < profile.hard * np.log(10) < profile.upper < profile.bandit_upper
    assert not Profile(parallel(10, 0.8)).in_class  # its means are too far apart
    for bandit in (two_gaps(10, 20), confounded(3, 0.25), sequential(0.3), two_layers(1)):
        assert not Profile(bandit).in_class


def test_the_models_of_feng_and_chen():
    for causes, (chances, weights) in FENG_CHEN.items():
        bandit = parallel_bglm(causes, 2)
        assert len(bandit.arms) == 1 + 2 * causes + 2 * causes * (causes - 1)
        assert bandit.means[0] == pytest.approx(np.dot(chances, weights))
        assert sum(weights) == pytest.approx(1)
    assert two_layers(1).glm.expectation("Y", {"X4": 1}) == pytest.approx(0.6 + 2 * 0.1 * (0.1 + 0.07 + 0.01))
    # The logistic scores keep the order of the linear probabilities, 4 (s - 1/2).
    linear, logistic = two_layers(1).glm, two_layers(1, "logistic").glm
    p = linear.to_scm().expectation("X5", given={"X2": 1, "X3": 0})
    q = logistic.to_scm().expectation("X5", given={"X2": 1, "X3": 0})
    assert np.log(q / (1 - q)) == pytest.approx(4 * (p - 0.5))


@pytest.mark.parametrize("wrong", [{"variables": 1}, {"rare": 2}, {"values": "zeros"}])
def test_wrong_options_are_refused(wrong):
    with pytest.raises(ValueError, match="expected >= 2"):
        PROBLEMS["parallel"](**{"variables": 3, "effect": 0.3} | wrong)


# ---------------------------------------------------------------------- judges


def claim(value="0", **cells):
    return Claim("c", "item", "row", "column", value, "judge", metric="sample_complexity", **cells)


def results(rounds, **settings):
    """An experiment e with the policies of ``rounds``, label to rounds by seed."""
    plans = {label: {"algorithm": label.split("@")[0], "n": int(label.split("@")[1])} for label in rounds}
    frame = pd.concat(
        pd.DataFrame({"policy": label, "seed": range(len(values)), "t": values, "sample_complexity": values})
        for label, values in rounds.items()
    )
    plan = Plan(1000, plans, {}, {"ours": {}, "theirs": {}})
    return Results({}, {"e": frame}, pd.DataFrame(), {}, {"e": plan})


def asked(**cells):
    sides = {"policy": {"algorithm": "ours", "n": 1}, "against": {"algorithm": "theirs", "n": 1}}
    return claim(experiment="e", **(sides | cells))


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
    found = results(rounds)
    assert claims.fewer_rounds(asked(), found, where="everywhere", over={"n": [1, 2]}).outcome == everywhere
    judged = claims.fewer_rounds(asked(), found, where="somewhere", over={"n": [1, 2]})
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
        return claims.fewer_rounds(asked(), found, where="everywhere").outcome

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
        assert claims.rounds_move(asked(), found, over={"n": [1, 2, 3]}, direction=direction).outcome == verdict
    capped = results({"ours@1": np.full(200, np.nan), "ours@2": rng.normal(500, 1, 200)})
    assert claims.rounds_move(asked(), capped, over={"n": [1, 2]}, direction="falls").outcome == Outcome.HOLDS
    capped = results({"ours@1": np.where(np.arange(200) < 9, np.nan, 100.0), "ours@2": rng.normal(500, 1, 200)})
    assert claims.rounds_move(asked(), capped, over={"n": [1, 2]}, direction="rises").outcome == Outcome.OPEN


@pytest.mark.parametrize(("last", "verdict"), [(300, Outcome.HOLDS), (200, Outcome.OPEN), (150, Outcome.FAILS)])
def test_gain_rises_with_the_ratio_of_means(last, verdict):
    rng = np.random.default_rng(2)
    rounds = {f"ours@{n}": rng.normal(100, 5, 200) for n in (1, 2)}
    rounds |= {"theirs@1": rng.normal(200, 5, 200), "theirs@2": rng.normal(last, 5, 200)}
    judged = claims.gain_rises(asked(), results(rounds), over={"n": [1, 2]})
    assert judged.outcome == verdict
    assert float(judged.replicated.split()[0]) == pytest.approx(2, abs=0.03)


def test_a_step_of_ratios_is_wrong_as_seldom_as_it_says():
    """Equal ratios of skewed values: either side is called in 2.5 % of cases at most, by simulation."""
    rng, above, below = np.random.default_rng(3), 0, 0
    for _ in range(2000):
        first, second = ((rng.gamma(20, 5 * n, 30), rng.gamma(20, 10 * n, 30)) for n in (1, 2))
        step = claims.step_of_ratios(first, second)
        above += step.low > 0
        below += step.high < 0
    assert max(above, below) <= 60
    assert claims.step_of_ratios(first, second).value == pytest.approx(
        second[1].mean() / second[0].mean() - first[1].mean() / first[0].mean()
    )


def test_an_action_on_a_parallel_graph_has_no_radius_unless_a_covariate_is_counted(monkeypatch):
    """E50: a covariate more halves the least P(x, z) of fair coins, so that only none gives q_a = P(X_i = x)."""
    found = exact_claims.no_radius(claim("0"), None, variables=[2, 4])
    assert (found.outcome, found.replicated) == (Outcome.FAILS, str(2 * 2 + 2 * 4))
    printed = theory.radius_of_equation_16
    monkeypatch.setattr(
        theory, "radius_of_equation_16", lambda *at, covariates, **of: printed(*at, covariates=covariates + 1, **of)
    )
    assert exact_claims.no_radius(claim("0"), None, variables=[2, 4]).outcome == Outcome.HOLDS


def lower_bound_by_hand(variables, effect, rare):
    """Definition 2 and Theorem 3 to the letter, epsilon = 0: P(Y=1 | x) = 0.1 + effect x_1."""
    chances = [0.5] * (variables - rare) + [0.01] * rare
    actions = [(1.0, 0.1 + effect / 2)]  # do() first: q_a and the mean
    for i, chance in enumerate(chances):
        for x in (0, 1):
            actions.append((chance if x else 1 - chance, 0.1 + effect * (x if i == 0 else 0.5)))
    best, second = sorted((mean for _, mean in actions), reverse=True)[:2]
    squares = [((best - mean) or (best - second)) ** 2 for _, mean in actions]
    ranked = sorted((q * square, 1 / square) for (q, _), square in zip(actions, squares, strict=True))
    terms = [term for _, term in ranked]
    m = next(
        tau for tau in range(1, len(terms) + 1) if sum(ease * sum(terms[:tau]) < 1 - 1e-9 for ease, _ in ranked) <= tau
    )
    hard = terms[: m - 1]
    return m, (sum(hard) - max(hard, default=0) - 1 / squares[0]) * np.log(10)


def test_the_lower_bound_is_silent_on_the_problems_of_its_class_with_two_hard_actions():
    """E53, each problem beside a computation by hand."""
    variables, rare, effects = [8, 12], [0, 2, 3, 5], [0.1, 0.25]
    problems = list(product(variables, effects, rare))
    silent = 0
    for n, effect, r in problems:
        m, bound = lower_bound_by_hand(n, effect, r)
        profile = Profile(parallel(n, effect, rare=r))
        assert profile.gap_dependent == m
        assert profile.lower == pytest.approx(bound, abs=1e-6)
        assert (bound <= 1e-6) == (m <= 3)
        silent += m <= 3
    of = {"variables": variables, "rare": rare, "effects": effects}
    few, many = (
        exact_claims.no_lower_bound(claim("0"), None, hard=hard, **of) for hard in ("at most three", "four or more")
    )
    assert (few.outcome, few.replicated) == (Outcome.FAILS, str(silent))
    assert (many.outcome, many.replicated) == (Outcome.HOLDS, "0")
    assert numbers(many.reason) == ["0", "0", str(len(problems) - silent)]
    with pytest.raises(ValueError, match="outside Theorem 3's class"):
        exact_claims.no_lower_bound(claim("0"), None, hard="at most three", variables=[8], rare=[0], effects=[0.8])


@pytest.mark.parametrize(("share", "verdict"), [(1.0, Outcome.HOLDS), (1 - 1e-6, Outcome.FAILS)])
def test_the_least_q_is_held_against_the_fifth_power(monkeypatch, share, verdict):
    """Were it that share of 1/n^5 on every graph; n counts the global variable, and not Y."""
    monkeypatch.setattr(
        exact_claims, "easiness", lambda bandit: np.array([1.0, share * len(bandit.glm.variables) ** -5.0])
    )
    assert exact_claims.least_q(claim("0"), None, observed=2).outcome == verdict


@pytest.mark.parametrize(
    ("edges", "missed"), [([("A", "B"), ("B", "C"), ("A", "Y")], 1), ([("B", "C"), ("A", "Y")], 0)]
)
def test_an_order_with_the_effect_first_misses_the_effect(monkeypatch, edges, missed):
    """B causes C. In the order (C, B) the formula takes P(a | c) for P(a), which is another number where A causes B."""
    monkeypatch.setattr(exact_claims, "_small_graphs", lambda observed, hidden: iter([ADMG(edges, nodes=list("ABCY"))]))
    assert exact_claims.orders(claim("0"), None, observed=4).replicated == str(missed)


def test_computed_claims_hold_or_not():
    none = None
    assert exact_claims.lemma_1(claim("0"), none, problems=300).outcome == Outcome.HOLDS
    assert exact_claims.fair_threshold(claim("2"), none, variables=[1, 3, 50]).outcome == Outcome.HOLDS
    assert exact_claims.fair_threshold(claim("3"), none, variables=[1, 3, 50]).outcome == Outcome.FAILS
    for what, value in (("m", "n"), ("m_gap", "2"), ("H", "at least n^2")):
        assert exact_claims.example(claim(value), none, what=what, sizes=[5, 20], actions=40).outcome == Outcome.HOLDS
    assert exact_claims.example(claim("3"), none, what="m_gap", sizes=[5], actions=40).outcome == Outcome.FAILS
    assert exact_claims.parents_are_admissible(claim("0"), none, observed=3).outcome == Outcome.HOLDS
    assert exact_claims.adjustment_sets(claim("0"), none, observed=3).outcome == Outcome.FAILS
    assert exact_claims.existence(claim("none"), none, observed=3).outcome == Outcome.FAILS  # E52
    assert exact_claims.orders(claim("0"), none, observed=3).outcome == Outcome.HOLDS  # E51 needs a third variable
    assert exact_claims.null_is_not_best(claim("0"), none, problems=20).outcome == Outcome.HOLDS
    assert exact_claims.least_q(claim("0"), none, observed=3).outcome == Outcome.HOLDS
    assert exact_claims.lemma_2(claim("0"), none, models=10).outcome == Outcome.HOLDS
    assert exact_claims.theorem_1_rounds(claim("O(1)"), none, parents=[2, 8, 64]).outcome == Outcome.FAILS


def test_every_random_counterexample_would_be_counted(monkeypatch):
    """Were do() the best action of every bandit, and the threshold of Lemma 1 beyond twice the other."""
    monkeypatch.setattr(exact_claims, "parallel", lambda *_: SimpleNamespace(means=np.array([0.6, 0.5, 0.5])))
    monkeypatch.setattr(theory, "gap_dependent_threshold", lambda q, *_: 2 * theory.observation_threshold(q) + 1)
    assert exact_claims.null_is_not_best(claim("20"), None, problems=20).outcome == Outcome.HOLDS
    assert exact_claims.lemma_1(claim("20"), None, problems=20).outcome == Outcome.HOLDS


@pytest.mark.parametrize("link", ["linear", "logistic"])
def test_random_models_have_coefficients_of_either_sign(link):
    """In half of the cases each, and none is 0; `BinaryGLM` refuses probabilities outside [0, 1]."""
    rng, edges = np.random.default_rng(4), [("A", "B"), ("A", "Y"), ("B", "Y")]
    models = [exact_claims._random_model("ABY", edges, link, rng) for _ in range(300)]
    weights = np.concatenate([model.compiled.weight for model in models])
    assert (weights != 0).all()
    assert abs((weights > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(900)


def test_lemma_2_fails_without_a_variable_on_a_path(monkeypatch):
    """The sum has to be over all of N_{S,Y}: without Y itself the bound breaks."""
    monkeypatch.setattr(
        exact_claims, "on_paths", lambda graph, chosen, reward: on_paths(graph, chosen, reward) - {reward}
    )
    assert exact_claims.lemma_2(claim("0"), None, models=5).outcome == Outcome.FAILS


def test_an_order_without_a_constant_cannot_be_contradicted():
    options = {"problem": "parallel", "variables": 10, "effect": 0.25, "rare": 8, "rare_chance": 0.01}
    settings = options | {"algorithm": "ccpe_general", "alpha_o": 8.0, "alpha_i": 2.0, "epsilon": 0.0, "delta": 0.1}
    frame = pd.DataFrame({"policy": "ccpe", "seed": [0, 1], "t": [1000, 3000]})
    found = Results({}, {"e": frame}, pd.DataFrame(), {}, {"e": Plan(10_000, {"ccpe": settings})})
    profile = Profile.of(settings)
    judged = claims.order(claim(), found, bound="lower")
    assert judged.outcome == Outcome.OPEN
    assert judged.replicated == f"{2000 / profile.lower:.3g} to {2000 / profile.lower:.3g}"
    assert judged.because == "untestable"
    assert theory.lower_bound(profile.q, profile.gaps, 0.0, 0.1, 0) == profile.lower
