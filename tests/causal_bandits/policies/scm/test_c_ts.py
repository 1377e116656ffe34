"""C-TS: the choices of a plain twin, and those of Thompson sampling where every state has one arm."""

import numpy as np
import pytest
from cell_bandits import chain
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits
from twins.cells import PlainCTS
from twins.same import assert_same_choices

from causal_bandits.estimation.cells import POOLS, groups_of_arms, observed_parents
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.scm.c_ts import CTS

PRIORS = st.sampled_from([0.5, 1.0, 3.0])


@settings(max_examples=25)
@given(bandits(max_nodes=3), st.sampled_from(POOLS), PRIORS, PRIORS, st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(bandit, pool, ones, zeros, seed):
    z = observed_parents(bandit)
    plain = PlainCTS(z, tuple(groups_of_arms(bandit, z, pool).tolist()), ones, zeros)
    assert_same_choices(CTS(None, pool, ones, zeros), plain, bandit, seed, 80)


@pytest.mark.parametrize("pool", ["checked", "none"])
def test_with_one_arm_for_each_state_it_is_thompson_sampling_with_the_same_draws(pool):
    bandit = chain(np.eye(4), [0.2, 0.5, 0.7, 0.65])
    for seed in range(5):
        assert_same_choices(CTS(pool=pool), Thompson(), bandit, seed, 200)
