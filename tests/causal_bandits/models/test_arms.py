"""Sparse arms, and rounds on ten thousand variables that come in small blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from causal_bandits.graphs import ADMG
from causal_bandits.models import Arms, DiscreteSCM, SCMBandit
from causal_bandits.play.run import play
from causal_bandits.seeding import generators

NAMES = [f"X{i}" for i in range(6)]


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3))))
def test_arms_give_back_what_they_were_made_of(assignments):
    arms = Arms(NAMES, assignments)
    assert list(arms) == assignments
    assert [arms[i] for i in range(-len(arms), 0)] == assignments
    with pytest.raises(IndexError):
        arms[len(assignments)]


@given(st.permutations(range(6)), st.sets(st.integers(0, 5)).map(sorted), st.integers(0, 6))
def test_arms_on_single_variables_are_those_made_one_by_one(order, states, count):
    chosen = order[:count]
    found = Arms.single(NAMES, np.array(chosen, dtype=np.int64), states)
    expected = Arms(NAMES, [*({NAMES[v]: state} for v in chosen for state in states), {}])
    assert list(found) == list(expected)
    for ours, plain in zip(found.compiled, expected.compiled, strict=True):
        assert (ours.dtype, ours.tolist()) == (plain.dtype, plain.tolist())


def test_an_unknown_variable_is_named():
    with pytest.raises(ValueError, match="no variable 'Q' in the model"):
        Arms(NAMES, [{"Q": 0}])


def test_thirty_thousand_arms_on_ten_thousand_variables_take_less_than_a_megabyte():
    names = [f"X{i}" for i in range(10_000)]
    arms = Arms(names, ({names[i // 3]: i % 3} for i in range(30_000)))
    assert sum(array.nbytes for array in arms.compiled) < 1_000_000
    assert arms[29_999] == {"X9999": 2}


class Wide(SCMBandit):
    """Its one arm's mean is known; to sum over all joint states would take for ever."""

    means = np.array([0.5])


class Counting:
    """Plays to a round of its own, and keeps the largest block of rounds that it was given."""

    plays, most = SCMBandit, 0

    def run(self, bandit, rounds, rng):
        played = 0
        for world in rounds:
            self.most, played = max(self.most, world.uniforms.nbytes), played + rounds.size
            rounds.record(np.zeros(rounds.size, dtype=np.int64), np.ones(rounds.size))
            if played >= 2000:
                return {"sample_complexity": played}


def test_on_ten_thousand_variables_an_unknown_number_of_rounds_is_drawn_in_blocks_of_few_megabytes():
    names = [f"X{i:05}" for i in range(10_000)]
    scm = DiscreteSCM(ADMG(nodes=names), {v: ((), [0.5, 0.5]) for v in names})
    bandit, policy = Wide(scm, names[-1], arm_strategy=Arms(names, [{names[0]: 1}])), Counting()
    run = play(policy, bandit, 10**7, generators(0, "large", 0))
    assert len(run.arms) < 10_000
    assert policy.most < 2**28  # the uniforms of all rounds would be 745 GiB
