"""What a fair bandit counts, against plain counting, and the refusal of what cannot be judged."""

from itertools import product

import numpy as np
import pytest
from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positive_scm

from causal_bandits.estimation.cells import cells, minimal_separator, no_rewards
from causal_bandits.estimation.discrepancies import counterparts, estimated_discrepancies
from causal_bandits.graphs import ADMG
from causal_bandits.models.fair import FairBandit
from causal_bandits.models.sampling import sample_many


@settings(max_examples=60)
@given(fair_bandits(descending=False))
def test_exact_discrepancies_are_those_of_two_users_alike_but_for_s(problem):
    for (c, context), (a, arm) in product(enumerate(problem.contexts), enumerate(problem.arms)):
        expected = [
            sum(
                weight * problem.scm.expectation(v, do=arm, given={**context, "S": s})
                for v, weight in problem.weights.items()
            )
            for s in (1, 0)
        ]
        assert problem.discrepancies[c, a] == pytest.approx(expected[0] - expected[1], abs=1e-12)


@settings(max_examples=12)
@given(fair_bandits(descending=True), st.integers(0, 10**6))
def test_exact_discrepancies_are_those_of_the_same_users_in_the_other_group(problem, seed):
    """Where others descend from s: worlds (one uniform per variable) under do(a), do(a, s-) and do(a, s+)."""
    assert problem.descendants == ("C",)
    scm, n = problem.scm, 60_000
    uniforms = np.random.default_rng(seed).random((n, len(scm.variables)))
    weights = np.array([problem.weights.get(v, 0.0) for v in scm.variables])
    arm = problem.arms[1]
    factual, minus, plus = (
        sample_many(scm.compiled, uniforms, scm.assignment_row({**arm, **s})) for s in ({}, {"S": 0}, {"S": 1})
    )
    differences = (plus.astype(float) - minus) @ weights
    for c, context in enumerate(problem.contexts):
        chosen = differences[np.all([factual[:, scm.variables.index(v)] == x for v, x in context.items()], axis=0)]
        assert abs(chosen.mean() - problem.discrepancies[c, 1]) < 5 * chosen.std() / np.sqrt(len(chosen)) + 1e-9


@settings(max_examples=100)
@given(fair_bandits())
def test_what_a_user_is_in_the_other_group_gives_the_exact_discrepancies(problem):
    """E[R(a, s*) | x] is the mean of E[R(a) | x*] over who the user is there."""
    own = problem.sensitive_states[:, None]
    there = np.einsum("xk,xka->xa", problem.other_probabilities, problem.means[problem.others])
    np.testing.assert_allclose(problem.discrepancies, (2 * own - 1) * (problem.means - there), atol=1e-9)
    np.testing.assert_allclose(problem.other_probabilities.sum(axis=1), 1, atol=1e-12)


def exact_cell_means(problem, separator):
    """E[R | w] by counting over the exact distribution of all observed variables under all contexts and arms."""
    union = tuple(dict.fromkeys((*separator, *problem.weights)))
    joint = problem.distribution(union).sum(axis=(0, 1))
    states = np.indices(joint.shape)
    reward = problem.intercept + sum(w * states[union.index(v)] for v, w in problem.weights.items())
    rest = tuple(range(len(separator), len(union)))
    return (joint * reward).sum(axis=rest) / joint.sum(axis=rest)


@settings(max_examples=100)
@given(fair_bandits(descending=False))
def test_where_it_is_identifiable_the_estimate_converges_to_the_exact_discrepancy(problem):
    separator = minimal_separator(problem)
    means, found = no_rewards(cells(problem, separator), 0.0), np.empty(len(problem.arms))
    means.mean[:] = exact_cell_means(problem, separator).ravel()
    assert problem.descendants == ()
    for context in range(len(problem.contexts)):
        every = np.arange(len(problem.arms))
        estimated_discrepancies(means, counterparts(problem), context, every, found)
        np.testing.assert_allclose(found, np.abs(problem.discrepancies[context]), atol=1e-9)


@pytest.mark.parametrize("sensitive", ["X1", "V", "Q"])
def test_the_sensitive_variable_is_one_of_the_context(contextual_task, sensitive):
    task = contextual_task
    with pytest.raises(ValueError, match=f"sensitive '{sensitive}': expected a binary variable of the context"):
        FairBandit(task.scm, task.context, task.manipulable, task.weights, sensitive=sensitive)


@pytest.mark.parametrize(
    "graph",
    [
        ADMG([("S", "M"), ("X", "M")], [("S", "M")]),  # a hidden cause
        ADMG([("K", "S"), ("K", "M"), ("X", "M")]),  # an observed one that is no context
    ],
)
def test_a_sensitive_variable_that_is_confounded_with_the_reward_is_refused(graph):
    scm = positive_scm(graph, np.random.default_rng(0), max_states=2)
    with pytest.raises(ValueError, match="sensitive 'S': confounded with the reward"):
        FairBandit(scm, ("S",), ("X",), {"M": 1.0}, sensitive="S")


def test_descendants_of_the_sensitive_variable_want_a_markovian_model():
    scm = positive_scm(ADMG([("S", "C"), ("X", "M")], [("M", "N")]), np.random.default_rng(0), max_states=2)
    with pytest.raises(ValueError, match="context variables C descend from S, but the model is not Markovian"):
        FairBandit(scm, ("S", "C"), ("X",), {"M": 1.0}, sensitive="S")


def test_a_sensitive_variable_of_three_states_is_refused():
    graph, rng = ADMG([("S", "M"), ("X", "M")]), np.random.default_rng(0)
    scm = positive_scm(graph, rng)
    while scm.cardinality("S") == 2:
        scm = positive_scm(graph, rng)
    with pytest.raises(ValueError, match="expected a binary variable"):
        FairBandit(scm, ("S",), ("X",), {"M": 1.0}, sensitive="S")
