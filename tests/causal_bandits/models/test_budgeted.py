"""Bandits whose arms have costs: what a round regrets, and what costs are refused."""

import numpy as np
import pytest
from lattimore import parallel

from causal_bandits.graphs import ADMG
from causal_bandits.models import SCMBandit, uniform_cpt
from causal_bandits.models.arms import Arms
from causal_bandits.models.budgeted import BudgetedGLMBandit, BudgetedSCMBandit

SCM = uniform_cpt(ADMG([("A", "B"), ("B", "Y")]), np.random.default_rng(2))
ARMS = Arms(SCM.variables, [{"A": 1}, {}, {"B": 0}, {"B": 1}])


@pytest.fixture(params=["scm", "glm"])
def bandit(request):
    if request.param == "scm":
        return BudgetedSCMBandit(SCMBandit(SCM, arm_strategy=ARMS), [2, 1, 3, 7])
    return BudgetedGLMBandit(parallel(2, 1, chance=0.2), [1, 2, 3, 2, 4])


def test_the_regrets_of_a_run_that_spends_all_are_what_the_best_rate_brings_less_what_is_had(bandit):
    rng = np.random.default_rng(1)
    for _ in range(20):
        arms = rng.integers(len(bandit.arms), size=30)
        budget = sum(int(bandit.costs[a]) for a in arms)
        best = max(mu / c for mu, c in zip(bandit.means, bandit.costs, strict=True))
        world = bandit.worlds(0, 30, rng)
        assert bandit.regrets(world, arms).sum() == pytest.approx(budget * best - bandit.means[arms].sum())
        assert bandit.spent(arms) == budget
    assert min(bandit.regrets(world, np.arange(len(bandit.arms)))) == 0


def test_it_plays_the_worlds_of_the_bandit_without_costs(bandit):
    """Arms, draws, states and rewards are the same."""
    world, plain = bandit.worlds(5, 9, np.random.default_rng(3)), bandit.bandit.worlds(5, 9, np.random.default_rng(3))
    for i in range(9):
        arm = i % len(bandit.arms)
        assert bandit.play(world, i, arm) == bandit.bandit.play(plain, i, arm)
        assert bandit.seen(world, i) is None
    assert bandit.uniforms == bandit.bandit.uniforms
    assert bandit.reward_range == (0, 1)
    assert bandit.arms[bandit.null] == {}


@pytest.mark.parametrize(
    "costs", [[2, 1, 3], [2, 2, 3, 4], [0, 1, 3, 4], [1.5, 1, 3, 4], [np.nan, 1, 3, 4], [np.inf, 1, 3, 4]]
)
def test_wrong_costs_are_refused(costs):
    with pytest.raises(ValueError, match=r"costs: .*expected"):
        BudgetedSCMBandit(SCMBandit(SCM, arm_strategy=ARMS), costs)


def test_a_bandit_without_do_has_no_arm_to_watch_with():
    without = BudgetedGLMBandit(type(parallel(2))(parallel(2).glm, [{"X1": 1}]), [3])
    with pytest.raises(ValueError, match=r"none of the 1 arms is do\(\)"):
        _ = without.null
