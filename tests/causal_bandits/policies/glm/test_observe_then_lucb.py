"""Observe, then LUCB; its choices are compared with a plain twin's in `test_ccpe_general`."""

import pytest

from causal_bandits.policies.glm.observe_then_lucb import ObserveThenLUCB


def test_observing_takes_at_least_one_round():
    with pytest.raises(ValueError, match="observations=0"):
        ObserveThenLUCB(observations=0)
