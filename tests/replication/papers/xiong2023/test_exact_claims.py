"""Claims of xiong2023 that are computed without runs."""

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from committed import made
from judgements import numbers

from causal_bandits.graphs import ADMG
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.policies.glm.ccpe_bglm import on_paths
from causal_bandits.problems.xiong2023 import (
    parallel,
)
from experiments import files
from replication.judging.judges import Outcome
from replication.papers.xiong2023 import exact_claims, stages, theory
from replication.papers.xiong2023.theory import Profile


@pytest.fixture
def judged(tmp_path):
    """Judge a claim on a table of its stage."""

    def judge(value, test, name, table):
        path = tmp_path / f"{name}.parquet"
        files.write(table, path)
        return made(value, test).judged(SimpleNamespace(file={f"data_{name}": str(path)}.__getitem__))

    return judge


def generators(seed):
    return np.random.default_rng(seed)


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
    few, many = (made("0", exact_claims.no_lower_bound(hard, **of)).judged(None) for hard in (range(4), range(4, 99)))
    assert (few.outcome, few.replicated) == (Outcome.FAILS, str(silent))
    assert (many.outcome, many.replicated) == (Outcome.HOLDS, "0")
    assert numbers(many.reason) == ["0", "0", str(len(problems) - silent)]
    with pytest.raises(ValueError, match="outside Theorem 3's class"):
        made("0", exact_claims.no_lower_bound(range(4), variables=[8], rare=[0], effects=[0.8])).judged(None)


@pytest.mark.parametrize(("share", "verdict"), [(1.0, Outcome.HOLDS), (1 - 1e-6, Outcome.FAILS)])
def test_the_least_q_is_held_against_the_fifth_power(monkeypatch, share, verdict):
    """Were it that share of 1/n^5 on every graph; n counts the global variable, and not Y."""
    monkeypatch.setattr(
        exact_claims, "easiness", lambda bandit: np.array([1.0, share * len(bandit.glm.variables) ** -5.0])
    )
    assert made("0", exact_claims.least_q(observed=2)).judged(None).outcome == verdict


@pytest.mark.parametrize(
    ("edges", "missed"), [([("A", "B"), ("B", "C"), ("A", "Y")], 1), ([("B", "C"), ("A", "Y")], 0)]
)
def test_an_order_with_the_effect_first_misses_the_effect(monkeypatch, judged, edges, missed):
    """B causes C. In the order (C, B) the formula takes P(a | c) for P(a), which is another number where A causes B."""
    monkeypatch.setattr(stages, "small_graphs", lambda observed, hidden: iter([ADMG(edges, nodes=list("ABCY"))]))
    table = stages.orders([0], generators)
    assert judged("0", exact_claims.orders(), "orders", table).replicated == str(missed)


def test_computed_claims_hold_or_not(judged):
    found = judged("0", exact_claims.lemma_1(), "lemma_1", stages.lemma_1(range(300), generators))
    assert found.outcome == Outcome.HOLDS
    assert made("2", exact_claims.fair_threshold([1, 3, 50])).judged(None).outcome == Outcome.HOLDS
    assert made("3", exact_claims.fair_threshold([1, 3, 50])).judged(None).outcome == Outcome.FAILS
    for what, value in (("m", "n"), ("m_gap", "2"), ("H", "at least n^2")):
        assert made(value, exact_claims.example(what, sizes=[5, 20], actions=40)).judged(None).outcome == Outcome.HOLDS
    assert made("3", exact_claims.example("m_gap", sizes=[5], actions=40)).judged(None).outcome == Outcome.FAILS
    assert made("0", exact_claims.parents_are_admissible(observed=3)).judged(None).outcome == Outcome.HOLDS
    assert made("0", exact_claims.adjustment_sets(observed=3)).judged(None).outcome == Outcome.FAILS
    assert made("none", exact_claims.existence(observed=3)).judged(None).outcome == Outcome.FAILS  # E52
    third = stages.orders([0], generators, observed=3)  # E51 needs a third variable
    assert judged("0", exact_claims.orders(), "orders", third).outcome == Outcome.HOLDS
    bandits = stages.parallel_bandits(range(20), generators)
    assert judged("0", exact_claims.null_is_not_best(), "parallel", bandits).outcome == Outcome.HOLDS
    assert made("0", exact_claims.least_q(observed=3)).judged(None).outcome == Outcome.HOLDS
    pairs = stages.lemma_2(range(10), generators)
    assert judged("0", exact_claims.lemma_2(), "lemma_2", pairs).outcome == Outcome.HOLDS
    assert made("O(1)", exact_claims.theorem_1_rounds([2, 8, 64])).judged(None).outcome == Outcome.FAILS


def test_every_random_counterexample_would_be_counted(monkeypatch, judged):
    """Were do() the best action of every bandit, and the threshold of Lemma 1 beyond twice the other."""
    monkeypatch.setattr(stages, "parallel", lambda *_: SimpleNamespace(means=np.array([0.6, 0.5, 0.5])))
    monkeypatch.setattr(theory, "gap_dependent_threshold", lambda q, *_: 2 * theory.observation_threshold(q) + 1)
    bandits, problems = (builder(range(20), generators) for builder in (stages.parallel_bandits, stages.lemma_1))
    assert judged("20", exact_claims.null_is_not_best(), "parallel", bandits).outcome == Outcome.HOLDS
    assert judged("20", exact_claims.lemma_1(), "lemma_1", problems).outcome == Outcome.HOLDS


@pytest.mark.parametrize("link", ["linear", "logistic"])
def test_random_models_have_coefficients_of_either_sign(link):
    """In half of the cases each, and none is 0; `BinaryGLM` refuses probabilities outside [0, 1]."""
    rng, edges = np.random.default_rng(4), [("A", "B"), ("A", "Y"), ("B", "Y")]
    models = [stages._random_model("ABY", edges, link, rng) for _ in range(300)]
    weights = np.concatenate([model.compiled.weight for model in models])
    assert (weights != 0).all()
    assert abs((weights > 0).mean() - 0.5) < 4 * 0.5 / np.sqrt(900)


def test_the_sum_of_lemma_2_does_not_depend_on_the_order_of_a_set(monkeypatch):
    """Which differs from process to process; the last digits did."""
    tables = []
    for reverse in (False, True):
        monkeypatch.setattr(stages, "on_paths", lambda *of, r=reverse: sorted(on_paths(*of), reverse=r))
        tables.append(stages.lemma_2(range(20), generators))
    assert tables[0].equals(tables[1])


def test_lemma_2_fails_without_a_variable_on_a_path(monkeypatch, judged):
    """The sum has to be over all of N_{S,Y}: without Y itself the bound breaks."""
    monkeypatch.setattr(stages, "on_paths", lambda graph, chosen, reward: on_paths(graph, chosen, reward) - {reward})
    pairs = stages.lemma_2(range(5), generators)
    assert judged("0", exact_claims.lemma_2(), "lemma_2", pairs).outcome == Outcome.FAILS


def test_an_action_on_a_parallel_graph_has_no_radius_unless_a_covariate_is_counted(monkeypatch):
    """E50: a covariate more halves the least P(x, z) of fair coins, so that only none gives q_a = P(X_i = x)."""
    found = made("0", exact_claims.no_radius([2, 4])).judged(None)
    assert (found.outcome, found.replicated) == (Outcome.FAILS, str(2 * 2 + 2 * 4))
    printed = theory.radius_of_equation_16
    monkeypatch.setattr(
        theory, "radius_of_equation_16", lambda *at, covariates, **of: printed(*at, covariates=covariates + 1, **of)
    )
    assert made("0", exact_claims.no_radius([2, 4])).judged(None).outcome == Outcome.HOLDS


@pytest.mark.parametrize(("link", "outcome"), [("linear", Outcome.HOLDS), ("logistic", Outcome.FAILS)])
def test_means_along_the_order_are_exact_for_linear_links_only(judged, link, outcome):
    table = stages.passed_means(range(10), generators, link)
    assert judged("0", exact_claims.means_in_order(), "passed_means", table).outcome == outcome


def test_a_passed_mean_by_hand():
    glm = BinaryGLM({"A": 0.0, "Y": -1.0}, {"Y": {"A": 2.0}}, dict.fromkeys("AY", "logistic"))
    assert stages._passed_mean(glm, {}) == pytest.approx(0.5)  # at the mean 1/2 of A the score is 0
    assert stages._passed_mean(glm, {"A": 1}) == pytest.approx(1 / (1 + math.exp(-1)))
