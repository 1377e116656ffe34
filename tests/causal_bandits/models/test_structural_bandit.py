"""What bandits on a causal model share: worlds, regrets, and what a round shows."""

import numpy as np
import pytest

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit

GLM = BinaryGLM({"U": 0.5, "X": 0.2, "Y": 0.1}, {"X": {"U": 0.3}, "Y": {"X": 0.4, "U": 0.3}}, hidden=["U"])


@pytest.fixture(params=["glm", "scm"])
def bandit(request, build_task):
    return GLMBandit(GLM, [{}, {"X": 0}, {"X": 1}]) if request.param == "glm" else build_task("frontdoor")


def test_a_round_shows_the_observed_variables_and_obeys_the_arm(bandit):
    world = bandit.worlds(0, 20, np.random.default_rng(0))
    for i in range(20):
        arm = i % len(bandit.arms)
        states, reward = bandit.play(world, i, arm)
        assert set(states) == set(bandit.model.graph)
        assert bandit.arms[arm].items() <= states.items()
        assert reward == states[bandit.reward]
        assert reward in bandit.reward_range
        assert (world.forced == -1).all()
        assert bandit.seen(world, i) is None


def test_worlds_are_the_same_in_however_many_pieces(bandit):
    whole = bandit.worlds(0, 12, np.random.default_rng(3)).uniforms
    rng = np.random.default_rng(3)
    np.testing.assert_array_equal(whole, np.concatenate([bandit.worlds(t, 4, rng).uniforms for t in (0, 4, 8)]))
    assert whole.shape == (12, bandit.uniforms)


def test_regret_is_counted_from_the_optimal_mean(bandit):
    arms = np.arange(len(bandit.arms))
    world = bandit.worlds(0, len(arms), np.random.default_rng(0))
    np.testing.assert_allclose(bandit.regrets(world, arms), bandit.optimal_mean - bandit.means, atol=1e-12)
