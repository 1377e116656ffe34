"""What all measures share: their queries, which change nothing that is played."""

import numpy as np
import pytest
from kept_answers import Answers

from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.play.measures.unfair import Unfair
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.d_ucb import DUCB
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.policies.fair.f_ucb import FUCB
from causal_bandits.policies.fair.fair_lin_ucb import FairLinUCB
from causal_bandits.seeding import generators


@pytest.mark.parametrize(
    "policy", [UCB(), DUCB(), FUCB(tau=0.2), FairLinUCB()], ids=lambda policy: type(policy).__name__
)
def test_a_query_changes_nothing_that_is_played(policy, fair_task):
    plain, queried = (play(policy, fair_task, 500, generators(1, "query", 0), m) for m in ([], [Answers]))
    np.testing.assert_array_equal(plain.arms, queried.arms)
    np.testing.assert_array_equal(plain.rewards, queried.rewards)


class Others(Answers):
    """Queries other contexts than `Answers`."""

    def __init__(self, bandit, rng):
        self.queries = np.zeros((len(bandit.contexts), 2), dtype=np.int64)


def test_measures_share_their_queries_or_are_refused(fair_task):
    Answers.kept = []
    play(UCB(), fair_task, 50, generators(1, "query", 0), [Answers, RuledOut, Unfair])
    assert np.concatenate(Answers.kept).shape == (50, fair_task.others.shape[1])
    with pytest.raises(ValueError, match="two measures query different contexts"):
        play(UCB(), fair_task, 50, generators(1, "query", 0), [Answers, Others])
