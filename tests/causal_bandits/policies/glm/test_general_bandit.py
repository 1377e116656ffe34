"""The general bandit algorithm: designs against known values, unbiased weights, and a plain twin."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from lattimore import parallel
from strategies import glms
from twins.exploration import run
from twins.fixed_budget import general_bandit

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.glm.general_bandit import (
    GeneralBandit,
    cumulated,
    knowledge,
    mean_weights,
    optimised_design,
    parallel_design,
)
from causal_bandits.policies.glm.parallel_bandit import rare_actions
from causal_bandits.seeding import generators


def independent(*chances):
    """Causes X0, X1, ... with these probabilities, all single interventions, and a reward that X0 moves."""
    names = [f"X{i}" for i in range(len(chances))]
    weights = dict.fromkeys(names, 0.0) | {"X0": 0.4}
    model = BinaryGLM(dict(zip(names, chances, strict=True)) | {"Y": 0.3}, {"Y": weights})
    return GLMBandit(model, [{}, *({x: j} for x in names for j in (0, 1))])


def seen_parents(bandit):
    return bandit.glm.parents("Y") and not set(bandit.glm.parents("Y")) & set(bandit.glm.hidden)


@st.composite
def tasks(draw):
    """A bandit on a random GLM with do() and some interventions on one or two variables."""
    model = draw(glms(max_nodes=4))
    others = [v for v in model.graph if v != "Y"]
    single = [{v: s} for v in others for s in (0, 1)]
    pair = [{others[0]: 1, others[1]: 0}] if len(others) > 1 else []
    return GLMBandit(model, [{}, *single, *pair])


@settings(max_examples=12)
@given(tasks(), st.sampled_from(["clip", "zero", "none"]), st.integers(0, 10**6))
def test_it_plays_the_arms_of_the_plain_twin(bandit, truncation, seed):
    assume(seen_parents(bandit))
    eta = knowledge(bandit, tabulated=True).best_design.tolist()
    policy = GeneralBandit(70, truncation=truncation)
    compiled = play(policy, bandit, 100, generators(1, "general", seed), block=33)
    arms, answer = run(general_bandit(policy, eta), bandit, generators(1, "general", seed), 100)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["answer"] == answer


@settings(max_examples=12)
@given(
    st.lists(st.sampled_from([0.0, 0.0, 0.1, 0.3, 0.5]), min_size=1, max_size=4),
    st.sampled_from(["clip", "zero", "none"]),
    st.sampled_from(["random", "first"]),
    st.integers(0, 10**6),
)
def test_the_product_form_plays_the_arms_of_the_plain_twin(chances, truncation, ties, seed):
    """Without a table, of independent causes; the design of the parallel bandit."""
    bandit, policy = independent(*chances), GeneralBandit(70, truncation=truncation, design="parallel", ties=ties)
    compiled = play(policy, bandit, 100, generators(1, "general", seed), block=33)

    def with_design(player):
        rare = rare_actions(knowledge(bandit, tabulated=False).chances, player.rng)
        return general_bandit(policy, parallel_design(bandit, rare).tolist())(player)

    arms, answer = run(with_design, bandit, generators(1, "general", seed), 100)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["answer"] == answer


KNOWN = {
    (0.5, 0.5, 0.5, 0.5): 2,
    (0.0, 0.5, 0.5, 0.5): 3,
    (0.0, 0.0, 0.5, 0.5, 0.5): 4,
    (0.0, 0.0, 0.0, 0.5, 0.5, 0.5): 5,
    (0.0, 0.0, 0.0, 0.0): 5,
    (0.1, 0.1, 0.5, 0.5): 3.2581,
    (0.2, 0.3, 0.4, 0.5): 2.6042,
    (0.2,): 2,
}


@pytest.mark.parametrize("chances", KNOWN)
def test_optimised_designs_reach_the_known_values(chances):
    bandit = independent(*chances)
    known, product_form = (knowledge(bandit, tabulated=t) for t in (True, False))
    best = known.difficulty(known.best_design)
    assert best == pytest.approx(KNOWN[chances], abs=1e-4)
    rule = parallel_design(bandit, rare_actions(known.chances, np.random.default_rng(0)))
    assert best <= known.difficulty(rule) + 1e-9
    assert known.difficulty(rule) == pytest.approx(product_form.difficulty(rule))
    if chances == (0.0, 0.0, 0.0, 0.5, 0.5, 0.5):
        assert product_form.difficulty(rule) == pytest.approx(6)


@settings(max_examples=12)
@given(tasks(), st.integers(0, 10**6))
def test_designs_lie_between_their_bounds_and_weights_are_unbiased(bandit, seed):
    assume(seen_parents(bandit))
    table, k, rng = knowledge(bandit, tabulated=True).laws, len(bandit.arms), np.random.default_rng(seed)
    eta = optimised_design(table)
    best = mean_weights(table, eta).max()
    assert 1 - 1e-9 <= best <= mean_weights(table, np.full(k, 1 / k)).max() + 1e-9 <= k + 1e-9
    for w in rng.dirichlet(np.ones(k), size=20):  # Cauchy and Schwarz
        assert best >= np.sqrt(w @ table**2).sum() ** 2 - 1e-6
        assert best <= mean_weights(table, w).max() + 1e-6
    scm, parents = bandit.glm.to_scm(), bandit.glm.parents("Y")
    given_z = scm.cpt("Y")[1][..., 1].ravel()
    assert tuple(scm.cpt("Y")[0]) == parents
    q = eta @ table
    weights = np.divide(table, q, out=np.zeros_like(table), where=q > 0)
    np.testing.assert_allclose(weights @ (q * given_z), bandit.means, atol=1e-6)
    assert (np.minimum(weights, 1.5) @ (q * given_z) <= bandit.means + 1e-6).all()


def test_a_design_without_a_reachable_cell_is_infinitely_hard():
    bandit = independent(0.0, 0.5)
    table = knowledge(bandit, tabulated=True).laws
    only_do = np.array([1.0, 0, 0, 0, 0])
    assert mean_weights(table, only_do).tolist() == [1, 1, math.inf, 2, 2]
    assert knowledge(bandit, tabulated=False).difficulty(only_do) == math.inf
    assert cumulated(np.array([0.5, 0.5, 0.0])).tolist() == [0.5, 1.0, 1.0]


def test_zero_erases_an_action_whose_weights_are_all_too_large():
    """With 9 rare causes do(X1=1) has the weight 18 wherever it shows, above B = sqrt(9 T / log(2 T K))."""
    bandit = parallel(50, 9, 0.3)
    chosen = {"design": "parallel", "difficulty": "parallel"}
    assert math.sqrt(9 * 400 / math.log(2 * 400 * 101)) < 18
    answers = {}
    for truncation in ("zero", "clip"):
        policy = GeneralBandit(400, truncation=truncation, **chosen)
        runs = [play(policy, bandit, 400, generators(1, "erased", s)) for s in range(30)]
        answers[truncation] = [run.outcome["answer"] for run in runs]
    assert 2 not in answers["zero"]
    assert 2 in answers["clip"]


def test_what_cannot_be_played_is_refused():
    with pytest.raises(ValueError, match="50 parents of Y: expected at most 14"):
        play(GeneralBandit(50), parallel(50, 2), 50, generators(1, "general", 0))
    many = independent(*[0.01] * 15)
    with pytest.raises(ValueError, match="sets 15 random variables"):
        knowledge(many, tabulated=False).difficulty(np.full(31, 1 / 31))
    hidden = BinaryGLM({"U": 0.5, "X": 0.5, "Y": 0.2}, {"Y": {"U": 0.5, "X": 0.1}}, hidden=["U"])
    with pytest.raises(ValueError, match="U: expected no hidden parent of Y"):
        play(GeneralBandit(50), GLMBandit(hidden, [{}, {"X": 1}]), 50, generators(1, "general", 0))
