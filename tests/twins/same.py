"""Compiled policies against their plain twins."""

import numpy as np

from causal_bandits.play.run import play
from causal_bandits.seeding import generators


def assert_same_choices(compiled, plain, bandit, seed, horizon=120):
    """Two policies play the same arms, with the same rewards and regrets."""
    a, b = (play(policy, bandit, horizon, generators(1, "twins", seed)) for policy in (compiled, plain))
    np.testing.assert_array_equal(a.arms, b.arms)
    np.testing.assert_array_equal(a.rewards, b.rewards)
    np.testing.assert_array_equal(a.regrets, b.regrets)
