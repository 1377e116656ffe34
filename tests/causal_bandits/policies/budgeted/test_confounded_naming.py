"""Algorithm 2 of Jamshidi et al. 2024: a plain twin, the threshold, the budget, the answer."""

from fractions import Fraction

import numpy as np
import pytest
from costly_bandits import of_causes
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.budgeted import naming, searched_tau
from twins.exploration import run as run_plainly

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.budgeted import BudgetedGLMBandit
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.budgeted.confounded_naming import ConfoundedNaming, inverses, least_tau
from causal_bandits.seeding import generators

#: Few numbers, so that ties and zeros are frequent.
shares = st.builds(Fraction, st.integers(0, 12), st.just(12)) | st.builds(Fraction, st.integers(0, 997), st.just(997))


@settings(max_examples=800)
@given(st.lists(st.tuples(shares, st.integers(1, 6)), min_size=1, max_size=8), st.booleans())
def test_the_closed_form_is_what_a_search_finds(arms, unit):
    p, costs = [q for q, _ in arms], [1 if unit else c for _, c in arms]
    s = inverses([float(q) for q in p])
    tau, exact = least_tau(s, costs), searched_tau(p, costs)
    assert tau == pytest.approx(float(exact), rel=1e-12)
    # who compares s and tau finds the arms of the definitions, whatever is rounded
    assert (s > tau).tolist() == [q * exact < 1 for q in p]
    assert (s >= tau).tolist() == [q * exact <= 1 for q in p]


@given(st.integers(0, 10**6), st.sampled_from([2, 9, 60, 151, 400]))
def test_it_plays_the_arms_of_the_plain_twin(seed, budget):
    bandit = of_causes(seed)
    compiled = play(ConfoundedNaming(budget), bandit, budget, generators(1, "naming", seed), block=41)
    arms, answer = run_plainly(naming(ConfoundedNaming(budget)), bandit, generators(1, "naming", seed), budget)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["answer"] == answer


@given(st.integers(0, 10**6), st.integers(2, 150))
def test_the_whole_budget_is_spent_and_the_answer_is_judged(seed, budget):
    bandit = of_causes(seed)
    run = play(ConfoundedNaming(budget), bandit, budget, generators(1, "named", seed), block=29)
    answer = int(run.outcome["answer"])
    assert run.outcome["spent"] == budget == bandit.costs[run.arms].sum()
    assert run.outcome["rounds"] == len(run.arms)
    assert run.outcome["excess"] == pytest.approx(bandit.means.max() - bandit.means[answer])
    assert run.outcome["correct"] == (bandit.means[answer] >= bandit.means.max() - 1e-12)
    assert set(run.arms[: budget // 2]) == {bandit.null}


def test_what_cannot_be_played_is_refused():
    confounded = BinaryGLM({"U": 0.5, "A": 0.2, "Y": 0.1}, {"A": {"U": 0.5}, "Y": {"U": 0.5}}, hidden=["U"])
    bandit = BudgetedGLMBandit(GLMBandit(confounded, [{}, {"A": 1}]), [1, 2])
    with pytest.raises(ValueError, match="A has a backdoor path to Y"):
        play(ConfoundedNaming(20), bandit, 20, generators(1, "refused", 0))
    pair = BinaryGLM({"A": 0.5, "B": 0.5, "Y": 0.1}, {"Y": {"A": 0.3, "B": 0.3}})
    both = BudgetedGLMBandit(GLMBandit(pair, [{}, {"A": 1, "B": 1}]), [1, 2])
    with pytest.raises(ValueError, match="arm on A, B: expected arms that set one variable"):
        play(ConfoundedNaming(20), both, 20, generators(1, "refused", 0))
    for arms, costs, message in (([{"A": 1}], [2], r"is do\(\)"), ([{}], [1], "no arm sets a variable")):
        with pytest.raises(ValueError, match=message):
            play(ConfoundedNaming(20), BudgetedGLMBandit(GLMBandit(pair, arms), costs), 20, generators(1, "refused", 0))
    for horizon in (5, 12, 19):
        assert play(ConfoundedNaming(20), of_causes(3, most=1), horizon, generators(1, "short", 0)).outcome == {}


def test_a_causes_own_causes_are_no_backdoor():
    """A chain: what is watched of B is what B does if its cause acts on Y through B alone."""
    chain = BinaryGLM({"A": 0.5, "B": 0.2, "Y": 0.1}, {"B": {"A": 0.5}, "Y": {"B": 0.5}})
    bandit = BudgetedGLMBandit(GLMBandit(chain, [{}, {"A": 1}]), [1, 2])
    answers = [play(ConfoundedNaming(200), bandit, 200, generators(1, "chain", s)).outcome["answer"] for s in range(20)]
    assert np.mean(answers) > 0.8
