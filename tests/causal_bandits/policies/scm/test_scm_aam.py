"""SCM-AAM: the arms of a plain twin, when the set is empty, and what the options do."""

import numpy as np
import pytest
from twins.canonical import PlainSCMAAM

from causal_bandits.graphs import ADMG
from causal_bandits.models import SCMBandit
from causal_bandits.models.families import uniform_cpt
from causal_bandits.play.run import play
from causal_bandits.policies.scm.scm_aam import SCMAAM
from causal_bandits.seeding import generators

#: The second has arms whose means are products of two hidden variables; in the third a variable does not cause Y.
GRAPHS = (
    ADMG([("Z", "X"), ("X", "Y")], [("X", "Y")]),
    ADMG([("A", "B"), ("B", "Y"), ("C", "Y")], [("A", "Y"), ("B", "C")]),
    ADMG([("X", "M"), ("M", "Y"), ("M", "W")], [("X", "Y")]),
)
KINDS = (
    {},
    {"confidence_set": "printed", "leader": "counted", "index": "cells"},
    {"confidence_set": "printed", "initial": 2},
    {"index": "cells", "leader": "counted", "gamma": 1.0},
    {"epsilon": 0.5, "every": 3},
)


def bandit_on(graph, seed):
    return SCMBandit(uniform_cpt(graph, np.random.default_rng(seed)), arm_strategy="possibly_optimal")


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("graph", GRAPHS, ids=["chain", "products", "irrelevant"])
def test_runs_are_those_of_the_plain_reference(kind, graph):
    settings = {"every": 6, **kind} if graph == GRAPHS[0] else {**kind, "every": 15}
    bandit, seed = bandit_on(graph, KINDS.index(kind)), KINDS.index(kind)
    a, b = (play(policy(**settings), bandit, 40, generators(1, "aam", seed)) for policy in (SCMAAM, PlainSCMAAM))
    np.testing.assert_array_equal(a.arms, b.arms)
    np.testing.assert_array_equal(a.rewards, b.rewards)


def test_a_run_with_new_indices_in_every_round_is_that_of_the_plain_reference():
    bandit, seed = bandit_on(GRAPHS[0], 0), 0
    a, b = (play(policy(), bandit, 32, generators(1, "aam", seed)) for policy in (SCMAAM, PlainSCMAAM))
    np.testing.assert_array_equal(a.arms, b.arms)


def per_round(run, name):
    return np.diff(run.extras[name], prepend=0)


def test_the_relative_set_is_never_empty_and_the_printed_one_at_times():
    empty = 0
    for seed in range(20):
        bandit = bandit_on(GRAPHS[0], seed)
        assert not per_round(play(SCMAAM(every=10), bandit, 200, generators(1, "empty", seed)), "empty").any()
        printed = per_round(play(SCMAAM("printed", every=10), bandit, 200, generators(1, "empty", seed)), "empty")
        assert not printed[:16].any()
        empty += printed.any()
    assert 2 <= empty <= 18


def test_a_leader_is_exploited_less_often_where_its_own_bound_is_counted():
    """Its mean is above its own bound only while the printed set is empty."""
    for seed in (0, 2):
        exploited = {}
        for leader in ("counted", "others"):
            policy = SCMAAM("printed", leader, gamma=0.01, every=20)
            run = play(policy, bandit_on(GRAPHS[0], seed), 2000, generators(1, "leader", 0))
            exploited[leader] = run.extras["exploits"][-1]
        assert exploited["counted"] < exploited["others"]


def test_no_arm_is_played_less_than_its_share_of_exploration():
    """With a large epsilon the least arm is forced as often as that; with none, never."""
    bandit = bandit_on(GRAPHS[0], 1)
    run = play(SCMAAM(epsilon=0.2, every=10), bandit, 400, generators(1, "forced", 0))
    explored = 400 - 16 - per_round(run, "exploits").sum()
    assert np.bincount(run.arms, minlength=4).min() >= 0.2 * explored - 1
    assert per_round(run, "forced").any()
    assert not per_round(play(SCMAAM(epsilon=0.0, every=10), bandit, 400, generators(1, "forced", 0)), "forced").any()
