"""Cells of a separator: their numbers and weights, and that the reward's mean is made of theirs."""

from itertools import product

import numpy as np
import pytest
from contextual_strategies import NODES, fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.estimation.cells import (
    cells,
    learn,
    mean_widths,
    minimal_separator,
    no_rewards,
    separator_of,
    upper_bounds,
)


@settings(max_examples=100)
@given(fair_bandits(), st.lists(st.sampled_from(NODES), unique=True))
def test_cells_are_numbered_as_the_joint_states_and_weighted_by_their_probabilities(problem, variables):
    made = cells(problem, tuple(variables))
    joint = list(product(*(range(problem.scm.cardinality(v)) for v in variables)))
    assert made.size == len(joint)
    exact = problem.distribution(variables).reshape(*problem.means.shape, -1)
    found = np.zeros_like(exact)
    for c, a, k in np.ndindex(made.cell.shape):
        found[c, a, made.cell[c, a, k]] += made.weight[c, a, k]
    np.testing.assert_allclose(found, exact, atol=1e-12)
    strides = dict(zip(problem.scm.variables, made.stride.tolist(), strict=True))
    numbers = [sum(strides[v] * state for v, state in zip(variables, w, strict=True)) for w in joint]
    assert numbers == list(range(len(joint)))


@settings(max_examples=100)
@given(fair_bandits())
def test_the_mean_of_an_arm_is_made_of_the_means_of_a_separators_cells(problem):
    """E[R | w] is the same for all contexts and arms that meet in w, and Eq. 2 gives the exact mean."""
    parents = tuple(problem.weights)
    for separator in (minimal_separator(problem), parents, (*problem.context, *problem.manipulable)):
        assert separator_of(problem, separator) == separator
        made = cells(problem, separator)
        expected = np.empty(made.size)
        union = (*separator, *(v for v in parents if v not in separator))
        joint = problem.distribution(union)
        states = np.meshgrid(*(np.arange(problem.scm.cardinality(v)) for v in union), indexing="ij")
        reward = problem.intercept + sum(w * states[union.index(v)] for v, w in problem.weights.items())
        shape = (*problem.means.shape, made.size, -1)
        mass = joint.reshape(shape).sum(axis=-1)
        total = (joint * reward).reshape(shape).sum(axis=-1)
        for w in range(made.size):
            met = mass[:, :, w] > 1e-12
            found = (total[:, :, w] / np.where(met, mass[:, :, w], 1))[met]
            assert np.ptp(found) < 1e-9
            expected[w] = found[0]
        means = no_rewards(made, 0.0)
        means.mean[:] = expected
        bounds = np.empty(len(problem.arms))
        for context in range(len(problem.contexts)):
            upper_bounds(means, context, 0.0, bounds)
            np.testing.assert_allclose(bounds, problem.means[context], atol=1e-9)


def test_learning_keeps_means_visits_and_widths(fair_task):
    made = cells(fair_task, ("M", "X1"))
    means, rng = no_rewards(made, np.inf), np.random.default_rng(0)
    assert np.isinf(means.mean).all()
    rewards = [[] for _ in range(made.size)]
    order = fair_task.scm.variables
    for _ in range(60):
        values, reward = rng.integers(0, 2, len(order)).astype(np.int8), float(rng.random())
        learn(means, values, reward)
        rewards[2 * values[order.index("M")] + values[order.index("X1")]].append(reward)
    np.testing.assert_allclose(means.mean, [np.mean(r) for r in rewards])
    assert means.visits.tolist() == [len(r) for r in rewards]
    arms, width = np.array([3, 0]), np.empty(2)
    mean_widths(means, 1, arms, width)
    expected = [made.weight[1, a] @ (1 / np.sqrt(means.visits[made.cell[1, a]])) for a in arms]
    np.testing.assert_allclose(width, expected)


def test_a_set_that_does_not_separate_is_refused(fair_task):
    assert separator_of(fair_task, ["V", "M"]) == ("V", "M")
    assert separator_of(fair_task, None) == minimal_separator(fair_task)
    with pytest.raises(ValueError, match=r"separator \['V'\]: leaves the reward d-connected to C1, C2, X1, X2"):
        separator_of(fair_task, ("V",))
    with pytest.raises(ValueError, match="separator: R, U not among the observed"):
        separator_of(fair_task, ("U", "R"))
