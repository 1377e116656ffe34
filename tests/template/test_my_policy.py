"""MyPolicy; `tests/contract` holds the tests that every policy has to pass."""

import numpy as np
import pytest

from causal_bandits.play.run import play
from causal_bandits.policies.scm.my_policy import MyPolicy
from causal_bandits.problems import make
from causal_bandits.seeding import generators


def late_regret(policy, bandit):
    """Return the mean regret of the last 500 of 2,000 rounds, of 10 runs."""
    runs = [play(policy, bandit, 2_000, generators(1, "my_policy", seed)) for seed in range(10)]
    return np.mean([run.regrets[-500:].mean() for run in runs])


def test_it_learns():
    """The regret of the last rounds is below that of uniform play."""
    bandit = make("lee2019/frontdoor")
    assert late_regret(MyPolicy(), bandit) < 0.8 * late_regret(MyPolicy(exploration=1.0), bandit)


@pytest.mark.parametrize("exploration", [-0.1, 1.1])
def test_a_probability_out_of_range_is_an_error(exploration):
    with pytest.raises(ValueError, match="exploration"):
        MyPolicy(exploration)
