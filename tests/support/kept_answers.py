"""A measure that keeps the answers of the queries that a policy is asked."""

from causal_bandits.models.fair import FairBandit
from causal_bandits.play.measures.measure import Measure


class Answers(Measure):
    """Queries the contexts that a user may have in the other group, and keeps the policy's choices."""

    of, names, kept = FairBandit, (), []

    def __init__(self, bandit, rng):
        self.queries = bandit.others

    def update(self, played):
        self.kept.append(played.queried_arms)
        return {}
