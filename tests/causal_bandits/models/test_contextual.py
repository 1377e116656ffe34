"""The contextual bandit's exact quantities against plain counting, and the refusal of what cannot be played."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.models import ContextualBandit, DiscreteSCM
from causal_bandits.seeding import generators

GRAPH = ADMG(
    directed=[("C1", "M"), ("C1", "C2"), ("C2", "V"), ("X1", "M"), ("X2", "V"), ("M", "V")],
    bidirected=[("M", "V"), ("C2", "M")],
)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_exact_means_and_distributions_are_those_of_the_model(seed):
    scm = positive_scm(GRAPH, np.random.default_rng(seed))
    problem = ContextualBandit(scm, ("C1", "C2"), ("X1", "X2"), {"V": 0.4, "M": -0.2}, intercept=0.3)
    table = problem.distribution(["X1", "M", "C2"])
    for (c, context), (a, arm) in itertools.product(enumerate(problem.contexts), enumerate(problem.arms)):
        expected = 0.3 + sum(w * scm.expectation(v, do=arm, given=context) for v, w in problem.weights.items())
        assert problem.means[c, a] == pytest.approx(expected, abs=1e-12)
        np.testing.assert_allclose(
            table[c, a, arm["X1"], :, context["C2"]], scm.distribution(["M"], do=arm, given=context), atol=1e-12
        )
        assert table[c, a].sum() == pytest.approx(1)
        assert problem.features[c, a].tolist() == [context["C1"], context["C2"], arm["X1"], arm["X2"]]
    with pytest.raises(ValueError, match="read-only"):  # shared by all runs
        problem.means[0, 0] = 0.0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_reward_without_noise_leaves_the_range(seed):
    """Not by rounding either: weights and intercept are no sums of powers of two."""
    rng = np.random.default_rng(seed)
    weights = dict(zip(("V", "M", "X1"), rng.normal(size=3).round(2).tolist(), strict=True))
    problem = ContextualBandit(positive_scm(GRAPH, rng), ("C1", "C2"), ("X1", "X2"), weights, intercept=0.1)
    low, high = problem.reward_range
    assert low == pytest.approx(0.1 + sum(min(w, 0) * (problem.scm.cardinality(v) - 1) for v, w in weights.items()))
    assert high == pytest.approx(0.1 + sum(max(w, 0) * (problem.scm.cardinality(v) - 1) for v, w in weights.items()))
    world = problem.worlds(0, 200, rng)
    rewards = [problem.play(world, i, i % len(problem.arms))[1] for i in range(200)]
    assert low <= min(rewards) <= max(rewards) <= high


def test_rewards_with_noise_have_no_range(contextual_task):
    assert contextual_task.reward_range == (-np.inf, np.inf)


def test_rounds_follow_the_model_and_all_policies_see_the_same_ones(contextual_task):
    horizon = 40_000
    worlds, twin = (contextual_task.worlds(0, horizon, generators(3, "rounds", 0).environment) for _ in range(2))
    task = contextual_task
    rewards = {key: [] for key in itertools.product(range(len(contextual_task.contexts)), range(2))}
    for t in range(horizon):
        context = task.contexts.index(task.seen(worlds, t))
        outcome, reward = task.play(worlds, t, t % 2)
        assert contextual_task.arms[t % 2].items() <= outcome.items()
        assert task.seen(worlds, t).items() <= outcome.items()
        rewards[context, t % 2].append(reward)
        if t < 200:
            assert task.play(twin, t, 1 - t % 2) != (outcome, reward)
            assert task.play(twin, t, t % 2) == (outcome, reward)
    for (context, arm), values in rewards.items():
        share = 2 * len(values) / horizon
        assert share == pytest.approx(contextual_task.context_probabilities[context], abs=0.02)
        assert np.mean(values) == pytest.approx(contextual_task.means[context, arm], abs=5 * 0.4 / len(values) ** 0.5)


def test_users_from_data_come_in_their_order():
    graph = ADMG(directed=[("C1", "C2"), ("C2", "V"), ("C1", "V"), ("X", "V")])
    scm = positive_scm(graph, np.random.default_rng(0))
    users = np.array([2, 0, 1, 1, 3]) % (scm.cardinality("C1") * scm.cardinality("C2"))
    problem = ContextualBandit(scm, ("C1", "C2"), ("X",), {"V": 1.0}, users=users)
    worlds = problem.worlds(0, 5, np.random.default_rng(1))
    assert [problem.contexts.index(problem.seen(worlds, t)) for t in range(5)] == users.tolist()
    assert all(problem.seen(worlds, t).items() <= problem.play(worlds, t, 1)[0].items() for t in range(5))
    assert problem.worlds(3, 2, np.random.default_rng(1)).contexts.tolist() == users[3:].tolist()
    np.testing.assert_allclose(problem.context_probabilities, np.bincount(users, minlength=len(problem.contexts)) / 5)
    with pytest.raises(ValueError, match="6 rounds, but the data have only 5 users"):
        problem.worlds(4, 2, np.random.default_rng(1))


def test_without_a_context_there_is_one(contextual_task):
    problem = ContextualBandit(contextual_task.scm, (), ("X1", "X2"), {"V": 1.0})
    assert problem.contexts == ({},)
    assert problem.means.shape == (1, len(problem.arms))
    assert problem.distribution([]).tolist() == [[1.0] * len(problem.arms)]
    assert set(problem.worlds(0, 20, np.random.default_rng(0)).contexts.tolist()) == {0}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"context": ("C9",)}, "context: C9 not among the observed variables"),
        ({"manipulable": ()}, "expected at least one manipulable variable, and none in both"),
        ({"context": ("C1", "X1")}, "expected at least one manipulable variable, and none in both"),
        ({"context": ("M",)}, "X1: set by an arm, but a cause of the context"),
        ({"weights": {"R": 1.0}}, "weights: R not among"),
        ({"sd": -1.0}, "sd=-1.0"),
        ({"sd": np.nan}, r"sd=nan: expected a number in \[0, inf\)"),
        ({"sd": np.inf}, "sd=inf"),
        ({"weights": {"V": np.nan}}, r"weights: V=nan: expected a number in \(-inf, inf\)"),
        ({"weights": {"V": 1.0, "M": np.inf}}, "weights: M=inf"),
        ({"intercept": -np.inf}, "intercept=-inf"),
        ({"users": np.array([0, 99])}, "users: expected indices of contexts"),
        ({"prior": {"upper": np.ones(3)}}, r"prior 'upper': shape \(3,\), expected \(contexts, arms\)"),
    ],
)
def test_a_problem_that_cannot_be_played_is_refused(contextual_task, changes, message):
    settings = {"context": ("C1", "C2"), "manipulable": ("X1", "X2"), "weights": {"V": 1.0}} | changes
    with pytest.raises(ValueError, match=message):
        ContextualBandit(contextual_task.scm, **settings)


def test_users_and_prior_can_be_changed_without_computing_anew():
    graph = ADMG(directed=[("C", "V"), ("X", "V")])
    drawn = ContextualBandit(positive_scm(graph, np.random.default_rng(0)), ("C",), ("X",), {"V": 1.0})
    means, users = drawn.means, np.array([1, 1, 0])
    drawn.worlds(0, 1, np.random.default_rng(1)), drawn.context_probabilities
    given_users = drawn.with_users(users).with_prior({"upper": means})
    twin = ContextualBandit(drawn.scm, ("C",), ("X",), {"V": 1.0}, users=users, prior={"upper": means})
    assert given_users.means is means
    assert given_users.memory is drawn.memory
    np.testing.assert_array_equal(given_users.context_probabilities, twin.context_probabilities)
    ours, theirs = (problem.worlds(0, 3, np.random.default_rng(1)) for problem in (given_users, twin))
    for mine, other in zip(ours[:-1], theirs[:-1], strict=True):  # without the room for values
        np.testing.assert_equal(mine, other)
    assert [problem_.play(ours, 2, 1) for problem_ in (given_users, twin)] == [twin.play(theirs, 2, 1)] * 2
    assert drawn.users is None
    with pytest.raises(ValueError, match="users: expected indices of contexts"):
        drawn.with_users(np.array([-1]))


def test_users_that_the_model_excludes_are_refused():
    graph = ADMG(directed=[("C", "V"), ("X", "V")])
    cpts = {"C": ((), [1, 0]), "X": ((), [0.5, 0.5]), "V": (("C", "X"), np.full((2, 2, 2), 0.5))}
    problem = ContextualBandit(DiscreteSCM(graph, cpts), ("C",), ("X",), {"V": 1.0})
    assert problem.with_users(np.array([0, 0])).users is not None
    with pytest.raises(ValueError, match=r"users with probability zero in the model: {'C': 1}"):
        problem.with_users(np.array([0, 1]))


def test_confounded_contexts_cannot_come_from_data():
    scm = positive_scm(GRAPH, np.random.default_rng(0))
    with pytest.raises(ValueError, match="C2 share a hidden cause"):
        ContextualBandit(scm, ("C1", "C2"), ("X1",), {"V": 1.0}, users=np.array([0, 1]))
