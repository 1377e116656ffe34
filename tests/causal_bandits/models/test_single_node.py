"""The single-node bandit: exact means and assumptions against enumeration, worlds that do not depend on who looks."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from single_node import single_node_bandits

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph
from causal_bandits.models import DiscreteSCM
from causal_bandits.models.single_node import SingleNodeBandit, Told
from causal_bandits.models.single_node_worlds import tally


def expected_reward(bandit, do):
    return sum(bandit.scm.distribution([v], do) @ np.array(m) for v, m in bandit.rewards.items())


@settings(max_examples=100)
@given(single_node_bandits())
def test_means_are_exact(bandit):
    np.testing.assert_allclose(bandit.means, [expected_reward(bandit, arm) for arm in bandit.arms], atol=1e-12)
    n, states = len(bandit.variables), bandit.states
    assert len(bandit.arms) == n * states + 1
    for i, v in enumerate(bandit.variables):
        assert [bandit.arms[a] for a in bandit.arms_of(i)] == [{v: x} for x in range(states)]
        assert [bandit.arm({i: x}) for x in range(states)] == bandit.arms_of(i).tolist()
    assert bandit.arms[bandit.empty] == {}
    assert bandit.arm({}) == bandit.empty


@settings(max_examples=60)
@given(single_node_bandits(sd=0.0))
def test_no_reward_without_noise_leaves_the_range(bandit):
    low, high = bandit.reward_range
    assert low == pytest.approx(sum(min(amounts) for amounts in bandit.rewards.values()))
    assert high == pytest.approx(sum(max(amounts) for amounts in bandit.rewards.values()))
    world = bandit.worlds(0, 50, np.random.default_rng(0))
    rewards = [bandit.play(world, i, i % len(bandit.arms))[1] for i in range(50)]
    assert low <= min(rewards) <= max(rewards) <= high
    assert replace(bandit, sd=0.1).reward_range == (-np.inf, np.inf)


@settings(max_examples=60)
@given(single_node_bandits())
def test_marginals_are_exact(bandit):
    for i, v in enumerate(bandit.variables):
        np.testing.assert_allclose(bandit.marginals[i], bandit.scm.distribution([v]), atol=1e-12)


@settings(max_examples=40)
@given(single_node_bandits(max_nodes=4, together=3))
def test_means_of_joint_interventions_are_exact(bandit):
    np.testing.assert_allclose(bandit.means, [expected_reward(bandit, arm) for arm in bandit.arms], atol=1e-12)


@settings(max_examples=100)
@given(single_node_bandits())
def test_the_assumptions_constants_are_exact(bandit):
    scm, graph = bandit.scm, bandit.scm.graph
    base = expected_reward(bandit, {})
    gaps = [
        max(abs(expected_reward(bandit, {v: x}) - base) for x in range(scm.cardinality(v)))
        for v in graph.ancestors(bandit.rewards)
    ]
    assert bandit.least_gap == pytest.approx(min(gaps), abs=1e-12)
    effects = [
        max(np.abs(scm.distribution([b], {a: x}) - scm.distribution([b])).max() for x in range(scm.cardinality(a)))
        for a, b in graph.directed
    ]
    assert bandit.least_effect == pytest.approx(min(effects, default=np.inf), abs=1e-12)


def test_a_large_tree_is_built_and_played_in_a_moment():
    n, rng = 10_000, np.random.default_rng(1)
    names = [f"X{i}" for i in range(n)]
    copy = 0.8 * np.eye(3) + 0.2 / 3
    parent = [None, *(names[int(rng.integers(i))] for i in range(1, n))]
    cpts = {v: ((p,), copy) if p else ((), np.full(3, 1 / 3)) for v, p in zip(names, parent, strict=True)}
    graph = ADMG([(p, v) for v, p in zip(names, parent, strict=True) if p], nodes=names)
    bandit = SingleNodeBandit(DiscreteSCM(graph, cpts), {names[-1]: [0.0, 0.2, 0.9]})
    assert len(bandit.arms) == 30_001
    np.testing.assert_allclose(bandit.marginals, 1 / 3, atol=1e-9)
    assert bandit.least_effect == pytest.approx(0.8 * 2 / 3)
    depth = len(bandit.dag.ancestors(names[-1])) - 1
    assert bandit.least_gap == pytest.approx(0.8**depth * (0.9 - 1.1 / 3))
    world = bandit.worlds(0, 50_000, np.random.default_rng(2))
    counts, rewards = np.zeros((2, 3), dtype=np.int64), np.empty(50_000)
    tally(world, 0, bandit.arm({bandit.rewarding[0]: 2}), np.array([0, 77]), counts, rewards)
    assert abs(rewards.mean() - 0.9) < 0.03
    np.testing.assert_allclose(counts / 50_000, 1 / 3, atol=0.02)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rewards": {}}, "no reward variable"),
        ({"rewards": {"Z": [0, 1]}}, "no variable 'Z'"),
        ({"rewards": {"B": [0, 1, 2]}}, "expected 2 numbers, one per state"),
        ({"sd": -1}, r"sd=-1: expected a number in \[0, inf\)"),
        ({"sd": float("nan")}, "sd=nan"),
        ({"rewards": {"B": [0, np.nan]}}, "rewards of B: 1=nan"),
        ({"told": Told(sd=np.nan)}, "told sd=nan"),
        ({"told": Told(sd=np.inf)}, "told sd=inf"),
        ({"sd": float("inf")}, "sd=inf"),
        ({"together": 0}, "together=0"),
        ({"together": np.nan}, "together=nan"),
        ({"settable": (1, 0)}, r"settable \(1, 0\): expected states from 0 to 1, ascending"),
        ({"settable": (2,)}, "expected states from 0 to 1"),
        ({"told": Told(epsilon=0)}, r"epsilon=0: expected None or a number in \(0, 1\]"),
        ({"told": Told(reward_gap=1.5)}, "reward_gap=1.5"),
        ({"told": Told(marginals=np.ones(3))}, "marginals: shape"),
    ],
)
def test_what_is_wrong_is_named(changes, message):
    scm = DiscreteSCM(ADMG([("A", "B")]), {"A": ((), [0.5, 0.5]), "B": (("A",), [[0.9, 0.1], [0.1, 0.9]])})
    with pytest.raises(ValueError, match=message):
        SingleNodeBandit(scm, **({"rewards": {"B": [0, 1]}} | changes))


def test_hidden_variables_are_refused():
    scm = DiscreteSCM(
        ADMG(bidirected=[("A", "B")]),
        {"U": ((), [0.5, 0.5]), "A": (("U",), np.eye(2)), "B": (("U",), np.eye(2))},
    )
    with pytest.raises(ValueError, match="hidden variables: U"):
        SingleNodeBandit(scm, {"B": [0, 1]})


def test_what_the_learner_is_told_need_not_be_true():
    scm = DiscreteSCM(ADMG([("A", "B")]), {"A": ((), [0.5, 0.5]), "B": (("A",), [[0.9, 0.1], [0.1, 0.9]])})
    bandit = SingleNodeBandit(scm, {"B": [0, 1]})
    assert (bandit.epsilon, bandit.reward_gap) == (pytest.approx(0.4), pytest.approx(0.4))
    assert bandit.essential.undirected == {("A", "B")}
    told = Told(0.1, 0.2, PartiallyDirectedGraph("AB"), np.full((2, 2), 0.25))
    other = SingleNodeBandit(scm, {"B": [0, 1]}, told=told)
    assert (other.epsilon, other.reward_gap, other.essential, other.marginals) == told[:4]
    assert other.least_effect == pytest.approx(0.4)


@pytest.mark.parametrize(("settable", "together"), [(None, 1), ((1, 2), 1), ((0, 2), 2)])
def test_every_arm_is_found_by_what_it_sets(settable, together):
    table = np.full((3, 3), 1 / 3)
    scm = DiscreteSCM(ADMG([("C", "A"), ("C", "B")]), {"A": (("C",), table), "B": (("C",), table), "C": ((), table[0])})
    bandit = SingleNodeBandit(scm, {"B": [0, 0, 1]}, settable=settable, together=together)
    number = {v: i for i, v in enumerate(bandit.variables)}
    for a, arm in enumerate(bandit.arms):
        assert bandit.arm({number[v]: x for v, x in arm.items()}) == a
    for wrong in ({0: 3}, {0: -1}, *([{0: 0}] if settable == (1, 2) else [])):
        with pytest.raises(ValueError, match="no arm sets"):
            bandit.arm(wrong)


def test_states_that_no_arm_sets_do_not_count():
    """B copies A; with state 2 alone settable, an effect on B shows only there."""
    table = [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.4, 0.4, 0.2]]
    scm = DiscreteSCM(ADMG([("A", "B")]), {"A": ((), [0.5, 0.4, 0.1]), "B": (("A",), table)})
    bandit = SingleNodeBandit(scm, {"B": [0, 0, 1]}, settable=(0, 1))
    assert [dict(arm) for arm in bandit.arms] == [{"A": 0}, {"A": 1}, {"B": 0}, {"B": 1}, {}]
    assert bandit.least_effect == pytest.approx(0.02)
    np.testing.assert_allclose(bandit.means, [0, 0, 0, 0, 0.02], atol=1e-12)
    assert bandit.least_gap == pytest.approx(0.02)
    with pytest.raises(ValueError, match=r"no arm sets \{'A': 2\}"):
        bandit.arm({0: 2})


def test_a_copy_that_is_told_more_does_not_keep_what_was_told_before():
    scm = DiscreteSCM(ADMG([("A", "B")]), {"A": ((), [0.5, 0.5]), "B": (("A",), [[0.9, 0.1], [0.1, 0.9]])})
    bandit = SingleNodeBandit(scm, {"B": [0, 1]})
    before = bandit.epsilon, bandit.reward_gap, bandit.reward_sd, bandit.marginals.copy(), bandit.means
    told = bandit.with_told(Told(epsilon=0.2, reward_gap=0.3, sd=2.0, marginals=np.full((2, 2), 0.25)))
    assert (told.epsilon, told.reward_gap, told.reward_sd) == (0.2, 0.3, 2.0)
    np.testing.assert_array_equal(told.marginals, np.full((2, 2), 0.25))
    assert told.means is bandit.means
    assert told.arms is bandit.arms
    back = told.with_told(Told())
    assert (back.epsilon, back.reward_gap, back.reward_sd) == before[:3]
    np.testing.assert_array_equal(back.marginals, before[3])
