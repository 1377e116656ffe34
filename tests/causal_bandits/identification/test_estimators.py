"""The expressions of several intervention sets by each other's samples."""

import pytest

from causal_bandits.identification.estimators import expressions_among, reward_expressions


def test_the_possibly_optimal_sets_are_what_reward_expressions_takes(calibrated_task):
    graph, fixed = calibrated_task.scm.graph, calibrated_task.non_manipulable
    sets = {frozenset(arm) for arm in calibrated_task.arms}
    assert expressions_among(graph, "Y", sets) == reward_expressions(graph, "Y", fixed)


def test_too_many_intervention_sets_are_refused(calibrated_task):
    sets = [{f"V{i}"} for i in range(17)]
    with pytest.raises(ValueError, match=r"17 intervention sets: .* at most 16"):
        expressions_among(calibrated_task.scm.graph, "Y", sets)
