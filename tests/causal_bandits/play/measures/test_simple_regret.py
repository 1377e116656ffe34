"""Simple regret is the loss of the arm with the best mean so far, at every checkpoint and for every policy."""

import numpy as np
import pytest
from single_node import small_tree

from causal_bandits.play.measures.simple_regret import SimpleRegret
from causal_bandits.play.run import play, play_sums
from causal_bandits.policies.classical.gaussian_ucb import GaussianUCB
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.glm.successive_rejects import SuccessiveRejects
from causal_bandits.seeding import generators


def by_hand(run, losses):
    """The mean loss of all arms whose mean reward is the largest, after each round."""
    found, rewards = [], [[] for _ in losses]
    for arm, reward in zip(run.arms, run.rewards, strict=True):
        rewards[arm].append(reward)
        means = [np.mean(own) if own else -np.inf for own in rewards]
        found.append(np.mean([losses[a] for a, mean in enumerate(means) if mean > max(means) - 1e-9]))
    return found


@pytest.mark.parametrize(
    ("policy", "task"), [(Thompson(), "frontdoor"), (Thompson(), "exploration"), (GaussianUCB(), "single_node")]
)
def test_it_is_the_loss_of_the_best_empirical_arm(policy, task, build_task, exploration_task):
    others = {"exploration": exploration_task, "single_node": small_tree(0)}
    bandit = others[task] if task in others else build_task(task)
    run = play(policy, bandit, 150, generators(1, "simple", 0), [SimpleRegret], block=40)
    losses = bandit.means.max() - bandit.means
    assert run.extras["simple_regret"] == pytest.approx(by_hand(run, losses), abs=1e-12)
    kept = play_sums(policy, bandit, 150, generators(1, "simple", 0), np.array([1, 60, 150]), [SimpleRegret], block=40)
    assert kept.extras["simple_regret"].tolist() == run.extras["simple_regret"][[0, 59, 149]].tolist()
    plain = play(policy, bandit, 150, generators(1, "simple", 0))
    assert plain.arms.tolist() == run.arms.tolist()


def test_the_last_value_of_a_run_that_ends_with_an_answer_is_the_answers(exploration_task):
    policy, losses = SuccessiveRejects(budget=60), exploration_task.means.max() - exploration_task.means
    other = 0
    for seed in range(40):
        run = play(policy, exploration_task, 100, generators(1, "answer", seed), [SimpleRegret])
        own = losses[int(run.outcome["answer"])]
        sums = play_sums(policy, exploration_task, 100, generators(1, "answer", seed), np.array([50]), [SimpleRegret])
        assert run.extras["simple_regret"][-1] == sums.extras["simple_regret"][-1] == pytest.approx(own, abs=1e-12)
        other += abs(by_hand(run, losses)[-1] - own) > 1e-12
    assert other


def test_a_bandit_with_contexts_has_none(contextual_task):
    with pytest.raises(ValueError, match="expected a bandit without contexts"):
        SimpleRegret(contextual_task, np.random.default_rng(0))
