"""Successive Rejects: its phases by hand, a plain twin, and what watching adds."""

import numpy as np
import pytest

from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.glm.successive_rejects import SuccessiveRejects
from causal_bandits.problems.xiong2023 import confounded, parallel
from causal_bandits.seeding import generators


def plainly(bandit, budget, streams):
    """Audibert et al. 2010, Fig. 3, on lists; the arms played and the answer."""
    world, k = bandit.worlds(0, budget, streams.environment), len(bandit.arms)
    logbar = 0.5 + sum(1 / i for i in range(2, k + 1))
    left, rewards, arms = list(range(k)), [[] for _ in range(k)], []
    for phase in range(1, k):
        each = int(np.ceil((budget - k) / (logbar * (k + 1 - phase))))
        while len(rewards[left[0]]) < each:
            for a in left:
                rewards[a].append(bandit.play(world, len(arms), a)[1])
                arms.append(a)
        means = [np.mean(rewards[a]) for a in left]
        worst = [a for a, mean in zip(left, means, strict=True) if mean <= min(means) + 1e-10]
        left.remove(worst[int(streams.policy.random() * len(worst))] if len(worst) > 1 else worst[0])
    return arms, left[0]


@pytest.mark.parametrize("budget", [30, 200, 1001])
def test_without_watching_it_is_successive_rejects(budget):
    bandit = parallel(4, 0.5)
    for seed in range(5):
        run = play(SuccessiveRejects(budget), bandit, 2000, generators(1, "sr", seed), block=50)
        arms, answer = plainly(bandit, budget, generators(1, "sr", seed))
        assert run.arms.tolist() == arms
        assert run.outcome["answer"] == answer
        assert run.outcome["sample_complexity"] == len(arms) <= budget


def test_with_watching_a_share_of_each_phase_observes():
    bandit = parallel(4, 0.5)
    run = play(SuccessiveRejects(400, watch=0.5), bandit, 2000, generators(1, "sr", 0))
    assert len(run.arms) <= 400
    assert 0.5 <= run.outcome["observed_share"] < 0.65


def test_rounds_that_cannot_be_shared_equally_go_to_arms_that_are_drawn():
    """Phase 1 has 9 * ceil(391 / (9 * 2.329)) = 171 rounds: 86 observe, and four of nine arms have one more than 9."""
    more = np.zeros(9)
    for seed in range(60):
        run = play(SuccessiveRejects(400, watch=0.5), parallel(4, 0.5), 400, generators(1, "turns", seed))
        assert (run.arms[:86] == 0).all()
        plays = np.bincount(run.arms[86:171], minlength=9)
        assert sorted(plays) == [9] * 5 + [10] * 4
        more += plays == 10
    assert (more > 10).all()


@pytest.mark.parametrize(("bandit", "gains"), [(parallel(15, 0.3), True), (confounded(3, 0.3), False)])
def test_watching_makes_errors_rarer_where_it_can(bandit, gains):
    wrong = {}
    for watch in (0.0, 0.5):
        runs = [play(SuccessiveRejects(400, watch), bandit, 400, generators(1, "gain", s)) for s in range(150)]
        wrong[watch] = np.mean([not run.outcome["correct"] for run in runs])
    assert (wrong[0.5] < wrong[0.0] - 0.1) == gains


def test_a_cap_below_the_budget_leaves_no_answer():
    run = play(SuccessiveRejects(500), parallel(4, 0.5), 100, generators(1, "sr", 0))
    assert (len(run.arms), run.outcome) == (100, {})


def test_what_cannot_be_played_is_refused():
    with pytest.raises(ValueError, match="each of 9 arms"):
        play(SuccessiveRejects(8), parallel(4, 0.5), 100, generators(1, "sr", 0))
    without = GLMBandit(parallel(4, 0.5).glm, [{"X1": 0}, {"X1": 1}])
    with pytest.raises(ValueError, match=r"is do\(\)"):
        play(SuccessiveRejects(50, 0.5), without, 100, generators(1, "sr", 0))
