"""The parallel bandit algorithm: rare actions by hand, a plain twin, and the means that it converges to."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lattimore import parallel
from twins.exploration import run
from twins.fixed_budget import parallel_bandit

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.glm.parallel_bandit import ParallelBandit, rare_actions
from causal_bandits.seeding import generators


@st.composite
def products(draw):
    """Independent causes, some of them with probability 0, and a linear reward."""
    rng, n = np.random.default_rng(draw(st.integers(0, 10**6))), draw(st.integers(1, 4))
    names = [f"X{i}" for i in range(n)]
    chances = rng.choice([0.0, 0.05, 0.3, 0.5], size=n)
    weights = dict(zip(names, rng.uniform(0, 0.9 / n, size=n), strict=True))
    model = BinaryGLM(dict(zip(names, chances, strict=True)) | {"Y": 0.05}, {"Y": weights})
    return GLMBandit(model, [{}, *({x: j} for x in names for j in (0, 1))])


@settings(max_examples=60)
@given(products(), st.sampled_from([2, 9, 60, 151]), st.booleans(), st.integers(0, 10**6))
def test_it_plays_the_arms_of_the_plain_twin(bandit, budget, reuse, seed):
    compiled = play(ParallelBandit(budget, reuse=reuse), bandit, 200, generators(1, "parallel", seed), block=41)
    arms, answer = run(parallel_bandit(budget, reuse), bandit, generators(1, "parallel", seed), 200)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["answer"] == answer
    assert compiled.outcome["sample_complexity"] == len(arms) <= budget


def test_rare_actions_by_hand():
    def rare(*frequencies):
        return rare_actions(np.array(frequencies), np.random.default_rng(0)).tolist()

    assert sorted(rare(0, 0, 0.4, 0.5, 0.5, 0.6, 1)) == [0, 1]
    assert rare(1, 0.4, 0.6, 0.01)[0] == 3
    assert len(rare(0.5, 0.5, 1)) == 1
    assert len(rare(0.49, 0.49, 0.49, 1)) == 2
    assert rare(1.0) == []
    ties = {tuple(rare_actions(np.array([0.5, 0.5, 1]), np.random.default_rng(s))) for s in range(20)}
    assert ties == {(0,), (1,)}


def test_what_cannot_be_played_is_refused():
    without = GLMBandit(parallel(3).glm, [{"X1": 0}, {"X1": 1}])
    with pytest.raises(ValueError, match=r"is do\(\)"):
        play(ParallelBandit(20), without, 50, generators(1, "parallel", 0))
    assert play(ParallelBandit(100), parallel(3), 70, generators(1, "parallel", 0)).outcome == {}
