"""UCB+ for an unknown number of parents: its phases by hand, and a plain twin."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.subsets import ucb_plus_unknown
from unknown_graph import unknown_graph

from causal_bandits.play.run import play
from causal_bandits.policies.scm.ucb_plus_unknown import Phase, Sums, UCBPlusUnknown, best, phases
from causal_bandits.seeding import generators


@settings(max_examples=20)
@given(
    st.integers(1, 2),
    st.booleans(),
    st.sampled_from(["best", "fresh"]),
    st.sampled_from(["one", "infinite"]),
    st.sampled_from([40, 300]),
    st.integers(0, 10**6),
)
def test_it_plays_the_arms_of_the_plain_twin(size, divided, next_arms, unplayed, horizon, seed):
    bandit = unknown_graph(3, 1, 2, size, draw=seed)
    policy = UCBPlusUnknown(0.3, divided, next_arms, unplayed)
    run = play(policy, bandit, horizon, generators(1, "phases", seed), block=37)
    assert run.arms.tolist() == ucb_plus_unknown(policy, bandit, generators(1, "phases", seed), horizon)[0]


def test_a_play_of_a_mixture_counts_for_its_arm_too():
    bandit = unknown_graph(3, 1, 2, 2, draw=1)
    policy = UCBPlusUnknown()
    played, of_arm, of_mixture = ucb_plus_unknown(policy, bandit, generators(1, "phases", 3), 300)
    assert sum(map(len, of_arm.values())) == len(played) == 300
    assert sum(map(len, of_mixture.values())) > 0
    assert play(policy, bandit, 300, generators(1, "phases", 3)).arms.tolist() == played


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(2, 4), st.integers(1, 12), st.integers(1, 10**6))
def test_phases_fill_the_horizon(n, v, m, horizon):
    plan = phases(n, v, min(n, m), horizon)
    assert sum(phase.rounds for phase in plan) == horizon
    assert all(b.arms in (a.arms, a.arms // 2) for a, b in pairwise(plan))


def test_phases_of_the_authors_settings():
    assert phases(8, 3, 3, 2000) == [Phase(64, 1024), Phase(32, 976)]
    sizes = [(phase.arms, phase.rounds) for phase in phases(8, 3, 3, 30000)]  # r = 8, i_f = 6
    assert sizes == [(256, 4096), (128, 8192), (64, 16384), (32, 1328)]
    assert phases(1, 2, 1, 32) == [Phase(8, 32)]
    assert phases(4, 2, 4, 8) == [Phase(4, 8)]  # i_f = 1
    assert phases(5, 2, 5, 100)[:1] == [Phase(16, 64)]
    assert phases(8, 3, 3, 1) == [Phase(1, 1)]


def test_with_fewer_arms_than_a_phase_asks_for_all_are_in():
    bandit = unknown_graph(2, 1, 2, 1, draw=0)
    run = play(UCBPlusUnknown(unplayed="infinite"), bandit, 200, generators(1, "phases", 0))
    assert set(run.arms) == set(range(4))


def test_newly_drawn_arms_are_none_that_were_in_a_set_without_being_played():
    """Of five arms 0 and 1 were in the set and only 0 was played: the other three make up four."""
    sums = Sums(np.array([3.0, 0, 0, 0, 0]), np.array([5.0, 0, 0, 0, 0]))
    for seed in range(20):
        assert sorted(best(sums, [0, 1], 4, np.random.default_rng(seed))) == [0, 2, 3, 4]
