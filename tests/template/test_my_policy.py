"""MyPolicy; `tests/contract` holds the tests that every policy has to pass."""

import numpy as np
import pytest

from causal_bandits.play.run import play
from causal_bandits.policies.scm.my_policy import MyPolicy
from causal_bandits.seeding import generators


def test_it_learns(build_task):
    """The regret of the last rounds is below that of uniform play."""
    task = build_task("frontdoor")
    last = [play(MyPolicy(), task, 2_000, generators(1, "my_policy", seed)).regrets[-500:].mean() for seed in range(10)]
    assert np.mean(last) < 0.5 * (task.optimal_mean - task.means.mean())


@pytest.mark.parametrize("exploration", [-0.1, 1.1])
def test_a_probability_out_of_range_is_an_error(exploration):
    with pytest.raises(ValueError, match="exploration"):
        MyPolicy(exploration)
