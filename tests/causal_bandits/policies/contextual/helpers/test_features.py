"""What linear policies share: features, indicators of contexts, and prior knowledge that must be there."""

import numpy as np
import pytest

from causal_bandits.play.run import play
from causal_bandits.policies.contextual.helpers.features import (
    context_indicators,
    feature_vectors,
    prior_bounds,
    prior_knowledge,
)
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.problems.huang2024 import PROBLEMS
from causal_bandits.seeding import generators


def test_prior_knowledge_that_is_missing_is_asked_for(synthetic_task):
    rngs = generators(1, "missing", 0)
    bare = PROBLEMS["synthetic"]()
    with pytest.raises(ValueError, match="no prior 'upper'; the problem has none"):
        play(LinUCBPCB(), bare, 10, rngs)
    with pytest.raises(ValueError, match="no prior 'guess'; the problem has lower, upper"):
        play(LinUCB(warm_start="guess"), synthetic_task, 10, rngs)
    with pytest.raises(ValueError, match="no prior 'count'"):
        play(LinUCB(warm_start="lower"), synthetic_task, 10, rngs)
    with pytest.raises(ValueError, match="prior 'upper': an entry is not a number"):
        play(LinUCBPCB(), bare.with_prior({"upper": np.full((4, 4), np.nan)}), 10, rngs)


def test_features_are_the_states_of_context_and_arm_and_then_a_constant(synthetic_task):
    problem = synthetic_task
    bare, full = (feature_vectors(problem, intercept) for intercept in (False, True))
    for c, context in enumerate(problem.contexts):
        for a, arm in enumerate(problem.arms):
            states = [*(context[v] for v in problem.context), *(arm[v] for v in problem.manipulable)]
            assert bare[c, a].tolist() == states
            assert full[c, a].tolist() == [*states, 1.0]


def test_indicators_tell_contexts_apart_and_no_arms(synthetic_task):
    found = context_indicators(synthetic_task)
    contexts, arms = synthetic_task.means.shape
    assert found.shape == (contexts, arms, contexts)
    assert [found[c, a].nonzero()[0].tolist() for c in range(contexts) for a in range(arms)] == [
        [c] for c in range(contexts) for _ in range(arms)
    ]
    assert found.max() == found.sum(axis=-1).max() == 1


def test_an_estimate_may_be_unknown_and_a_bound_may_not(synthetic_task):
    half = np.full(synthetic_task.means.shape, 0.5)
    half[1, 2] = np.nan
    problem = synthetic_task.with_prior({"lower": half, "upper": np.full(half.shape, np.inf)})
    np.testing.assert_array_equal(prior_knowledge(problem, "lower"), half)
    assert np.isposinf(prior_bounds(problem, "upper")).all()
    with pytest.raises(ValueError, match="'lower'"):
        prior_bounds(problem, "lower")
