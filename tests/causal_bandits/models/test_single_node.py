"""The single-node bandit: exact means and assumptions against enumeration, worlds that do not depend on who looks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from strategies import admgs

from causal_bandits.graphs import ADMG, PartiallyDirectedGraph
from causal_bandits.models import DiscreteSCM
from causal_bandits.models.single_node import SingleNodeBandit, Told
from causal_bandits.models.single_node_worlds import play_round, tally


@st.composite
def single_node_bandits(draw, max_nodes=5, **options):
    """Random DAG, tables and one or two reward variables."""
    drawn = draw(admgs(max_nodes=max_nodes))
    graph, rng = ADMG(drawn.directed, nodes=drawn.nodes), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    states = int(rng.integers(2, 4))
    cpts = {}
    for v in graph:
        parents = sorted(graph.parents(v))
        cpts[v] = (parents, rng.dirichlet(np.ones(states), size=(states,) * len(parents)))
    chosen = rng.choice(graph.nodes, size=min(len(graph), int(rng.integers(1, 3))), replace=False)
    rewards = {str(v): rng.uniform(0, 0.5, size=states).tolist() for v in chosen}
    return SingleNodeBandit(DiscreteSCM(graph, cpts), rewards, **options)


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
@given(single_node_bandits())
def test_responses_are_exact(bandit):
    scm, everything = bandit.scm, range(len(bandit.variables))
    for i, v in enumerate(bandit.variables):
        np.testing.assert_allclose(bandit.marginals[i], scm.distribution([v]), atol=1e-12)
        response = bandit.response(i, everything)
        for x in range(bandit.states):
            expected = [scm.distribution([w], {v: x}) for w in bandit.variables]
            np.testing.assert_allclose(response[x], expected, atol=1e-12)


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


def test_rounds_are_drawn_the_same_in_however_many_pieces():
    scm = DiscreteSCM(ADMG([("A", "B")]), {"A": ((), [0.5, 0.5]), "B": (("A",), [[0.9, 0.1], [0.1, 0.9]])})
    bandit = SingleNodeBandit(scm, {"B": [0.0, 1.0]})
    whole, rng = bandit.worlds(0, 6, np.random.default_rng(3)), np.random.default_rng(3)
    parts = [bandit.worlds(0, 2, rng), bandit.worlds(2, 4, rng)]
    np.testing.assert_array_equal(whole.key, np.concatenate([p.key for p in parts]))
    np.testing.assert_array_equal(whole.noise, np.concatenate([p.noise for p in parts]))


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
        ({"sd": -1}, "expected sd >= 0"),
        ({"together": 0}, "together >= 1"),
        ({"settable": (1, 0)}, r"settable \(1, 0\): expected states from 0 to 1, ascending"),
        ({"settable": (2,)}, "expected states from 0 to 1"),
        ({"told": Told(epsilon=0)}, "epsilon=0: expected a number above 0"),
        ({"told": Told(reward_gap=1.5)}, "reward_gap=1.5: expected a number above 0"),
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
    assert (other.epsilon, other.reward_gap, other.essential, other.marginals) == told
    assert other.least_effect == pytest.approx(0.4)


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
