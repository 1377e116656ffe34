"""The bandit on a linear model: played values, means of drawn worlds, beliefs, and what is refused."""

import numpy as np
import pytest
from linear_models import believed_otherwise, layered, random_sem

from causal_bandits.models.linear_sem import LinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit, subsets


def test_a_round_follows_the_equations_with_the_same_noise_under_every_arm():
    rng = np.random.default_rng(0)
    for _ in range(20):
        sem = random_sem(rng, 4)
        bandit = LinearSEMBandit(sem)
        world = bandit.worlds(3, 2, rng)
        model = sem.compiled
        for arm, chosen in enumerate(bandit.arms):
            values, reward = bandit.play(world, 1, arm)
            assert reward == values["Y"]
            for v, name in enumerate(sem.variables):
                k = int(name in chosen)
                own = range(model.start[v], model.start[v + 1])
                total = sum(model.weight[k, i] * values[sem.variables[model.parent[i]]] for i in own)
                assert values[name] == pytest.approx(model.constant[k, v] + total + world.noise[1, v], abs=1e-12)


def test_mean_rewards_of_drawn_worlds_are_the_exact_means():
    bandit = LinearSEMBandit(random_sem(np.random.default_rng(5), 3))
    world = bandit.worlds(0, 2000, np.random.default_rng(6))
    for arm in range(len(bandit.arms)):
        rewards = [bandit.play(world, i, arm)[1] for i in range(2000)]
        assert abs(np.mean(rewards) - bandit.means[arm]) < 5 * np.std(rewards) / 2000**0.5


def test_gaps_of_the_layered_problems_are_those_of_their_authors():
    """Two layers of three: gaps reach 4.125. Four layers of two: do() and the single interventions cost 24.5."""
    three = layered(3, 2, (1.0, 0.5), (0.5, 1.0))
    gaps = three.optimal_mean - three.means
    assert (len(gaps), gaps.min(), gaps.max()) == (16, 0, 4.125)
    assert three.arms[int(three.means.argmax())] == {"Y": 1}
    two = layered(2, 4, (1.0, 0.5), (1.0, 0.5))
    assert len(two.arms) == 128
    assert (two.optimal_mean - two.means)[:8].sum() == 24.5


def test_beliefs_and_what_is_told_are_kept():
    rng = np.random.default_rng(3)
    sem = random_sem(rng, 4)
    graph, beliefs = believed_otherwise(sem, rng)
    bandit = LinearSEMBandit(sem, believed=beliefs, told_noise={"Y": 2.0})
    assert set(bandit.believed.directed) == set(graph.directed)
    assert bandit.told_noise["Y"] == 2.0
    assert bandit.means.tolist() == LinearSEMBandit(sem).means.tolist()


SEM = LinearSEM({"X": {}, "Y": {"X": 1.0}}, {"X": {}})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reward": "X"}, "without effects"),
        ({"arms": []}, "none; expected at least one"),
        ({"arms": [{"X": 0}]}, "expected 1"),
        ({"arms": [{"Y": 1}]}, "expected 1 for each variable, all among X"),
        ({"arms": [{}, {}]}, "occurs twice"),
        ({"believed": {"X": []}}, "believed: parents of X; expected parents of X, Y"),
        ({"believed": {"X": ["Y"], "Y": []}}, "has effects"),
        ({"told_noise": {"Z": 1.0}}, "expected names of variables"),
        ({"told_noise": {"X": float("nan")}}, "told_noise: X=nan"),
    ],
)
def test_what_is_no_problem_is_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        LinearSEMBandit(SEM, **settings)


def test_all_sets_are_arms_by_default_smaller_ones_first():
    assert list(LinearSEMBandit(SEM).arms) == subsets(["X"]) == [{}, {"X": 1}]
