"""What all measures share: their queries."""

import numpy as np
import pytest
from kept_answers import Answers

from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.play.measures.unfair import Unfair
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.seeding import generators


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
