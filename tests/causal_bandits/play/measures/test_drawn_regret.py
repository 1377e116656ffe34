"""Regret by the rewards that were drawn."""

import numpy as np

from causal_bandits.play.measures.drawn_regret import DrawnRegret
from causal_bandits.play.run import play
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.seeding import generators


def test_drawn_regret_is_the_optimal_mean_less_what_was_drawn(build_task):
    """L16: in blocks of rounds; its mean is the regret's, its spread is not."""
    problem = build_task("sixvar")
    assert DrawnRegret.applies_to(problem)
    runs = [play(Thompson(), problem, 500, generators(2, "m", s), [DrawnRegret], block=130) for s in range(40)]
    for run in runs:
        np.testing.assert_allclose(run.extras["drawn_regret"], np.cumsum(problem.optimal_mean - run.rewards))
    regrets, drawn = np.array([(run.regrets.sum(), run.extras["drawn_regret"][-1]) for run in runs]).T
    assert abs((drawn - regrets).mean()) < 4 * (drawn - regrets).std() / np.sqrt(40)
    assert drawn.std() > 1.5 * regrets.std()
