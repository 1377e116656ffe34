"""Worlds of single-node bandits: the same whatever is looked at, and distributed as the model says."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from single_node import single_node_bandits

from causal_bandits.graphs import ADMG
from causal_bandits.models import DiscreteSCM
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import play_round, tally


@settings(max_examples=100)
@given(single_node_bandits(), st.integers(0, 2**32 - 1))
def test_a_world_does_not_depend_on_what_is_looked_at(bandit, seed):
    """And arms move only what descends from what they set."""
    rng = np.random.default_rng(seed)
    world, graph = bandit.worlds(0, 5, rng), bandit.scm.graph
    for i in range(5):
        base, _ = bandit.play(world, i, bandit.empty)
        for number, arm in enumerate(bandit.arms):
            states, reward = bandit.play(world, i, number)
            below = graph.descendants(set(arm)) if arm else frozenset()
            assert all(states[v] == base[v] for v in graph if v not in below)
            assert all(states[v] == x for v, x in arm.items())
            assert play_round(world, i, number) == reward
            watched, rewards = rng.choice(len(graph), size=2), np.empty(1)
            counts = np.zeros((2, bandit.states), dtype=np.int64)
            tally(world, i, number, watched, counts, rewards)
            assert rewards[0] == reward
            assert counts.sum() == 2
            assert all(counts[k, states[bandit.variables[v]]] == 1 for k, v in enumerate(watched))
            assert (world.forced == -1).all()


def test_on_a_path_nothing_above_the_variable_that_is_set_is_drawn():
    """And the reward is that of a world in which everything is drawn."""
    copy = np.array([[0.8, 0.2], [0.3, 0.7]])
    cpts = {"A": ((), [0.5, 0.5])} | {v: ((p,), copy) for p, v in ("AB", "BC", "CD", "CE")}
    scm = DiscreteSCM(ADMG(["AB", "BC", "CD", "CE"]), cpts)
    bandit = SingleNodeBandit(scm, {"D": [0.0, 1.0]}, sd=0.5)
    world = bandit.worlds(0, 200, np.random.default_rng(1))
    assert [int(world.begin[scm.variables.index(v)]) for v in "ABCDE"] == [0, 1, 2, 3, 0]
    for i in range(200):
        for arm in range(bandit.empty + 1):
            assert play_round(world, i, arm) == bandit.play(world, i, arm)[1]
    two = SingleNodeBandit(scm, {"B": [0.0, 1.0], "E": [0.0, 1.0]}, sd=0.5)
    assert not two.worlds(0, 1, np.random.default_rng(1)).begin.any()


@settings(max_examples=200)
@given(st.integers(0, 2**32 - 1))
def test_a_reward_that_an_arm_on_a_path_makes_certain_is_not_drawn(seed):
    """And the reward is that of a world in which everything is drawn."""
    rng = np.random.default_rng(seed)
    tables = {v: np.where(rng.random((3, 1)) < 0.7, np.eye(3)[rng.integers(3, size=3)], 1 / 3) for v in "BCDE"}
    cpts = {"A": ((), np.full(3, 1 / 3))} | {v: ((p,), tables[v]) for p, v in pairwise("ABCDE")}
    scm = DiscreteSCM(ADMG(pairwise("ABCDE")), cpts)
    bandit = SingleNodeBandit(scm, {"D": [0.0, 0.5, 1.0]}, sd=0.5)
    world = bandit.worlds(0, 20, rng)
    for v in "ABCD":
        for state in range(3):
            certain = state
            for effect in "ABCD"["ABCD".index(v) + 1 :]:
                row = [*tables[effect][certain]] if certain >= 0 else []
                certain = row.index(1.0) if 1.0 in row else -1
            assert world.certain[scm.variables.index(v), state] == certain
    assert (world.certain[scm.variables.index("E")] == -1).all()
    for i in range(20):
        for number, arm in enumerate(bandit.arms):
            world.values[:] = -1
            reward = play_round(world, i, number)
            certain = [int(world.certain[scm.variables.index(v), state]) for v, state in arm.items()]
            assert (world.values == -1).all() == (len(certain) == 1 and certain[0] >= 0)
            assert reward == bandit.play(world, i, number)[1]


def test_where_causes_are_no_path_only_the_reward_variable_itself_makes_the_reward_certain():
    cpts = {"A": ((), [0.5, 0.5]), "B": ((), [0.5, 0.5]), "D": (("A", "B"), np.eye(2)[[[0, 0], [1, 1]]])}
    scm = DiscreteSCM(ADMG(["AD", "BD"]), cpts)
    world = SingleNodeBandit(scm, {"D": [0.0, 1.0]}, sd=0.5).worlds(0, 1, np.random.default_rng(1))
    assert {v: world.certain[i].tolist() for i, v in enumerate(scm.variables)} == {
        "A": [-1] * 2,
        "B": [-1] * 2,
        "D": [0, 1],
    }
    two = SingleNodeBandit(scm, {"A": [0.0, 1.0], "D": [0.0, 1.0]}, sd=0.5)
    assert (two.worlds(0, 1, np.random.default_rng(1)).certain == -1).all()


@settings(max_examples=25)
@given(single_node_bandits(max_nodes=4), st.integers(0, 2**32 - 1))
def test_sampled_states_fit_the_exact_joint(bandit, seed):
    """Chi-square of 4,000 worlds against the exact joint; one in 10^6 may fail by chance, none of these does."""
    rng = np.random.default_rng(seed)
    world, number = bandit.worlds(0, 4000, rng), int(rng.integers(len(bandit.arms)))
    arm = bandit.arms[number]
    free = [v for v in bandit.scm.variables if v not in arm]
    joint = bandit.scm.distribution(free, arm)
    observed, rewards = np.zeros(joint.shape), []
    for i in range(4000):
        states, reward = bandit.play(world, i, number)
        observed[tuple(states[v] for v in free)] += 1
        rewards.append(reward)
    large = joint * 4000 >= 5
    pooled = np.append(joint[large], joint[~large].sum())
    seen = np.append(observed[large], observed[~large].sum())
    keep = pooled > 1e-12
    if keep.sum() > 1:
        assert stats.chisquare(seen[keep], 4000 * pooled[keep] / pooled[keep].sum()).pvalue > 1e-6
    assert abs(np.mean(rewards) - bandit.means[number]) < 5 * np.sqrt(1.3 / 4000)


@settings(max_examples=30)
@given(single_node_bandits(together=2), st.integers(0, 2**32 - 1))
def test_a_tally_is_that_of_its_rounds(bandit, seed):
    rng = np.random.default_rng(seed)
    world, arm = bandit.worlds(0, 200, rng), int(rng.integers(len(bandit.arms)))
    first, n = int(rng.integers(50)), int(rng.integers(1, 150))
    watched = rng.permutation(len(bandit.variables))[:3]
    counts, rewards = np.ones((len(watched), bandit.states), dtype=np.int64), np.empty(n)
    tally(world, first, arm, watched, counts, rewards)
    expected = np.ones_like(counts)
    for i in range(n):
        states, reward = bandit.play(world, first + i, arm)
        assert rewards[i] == reward
        for w, v in enumerate(watched):
            expected[w, states[bandit.variables[v]]] += 1
    np.testing.assert_array_equal(counts, expected)
    assert (world.forced == -1).all()
