"""The tournament tree against numpy's argmax."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.policies.classical.helpers.tournament import rematch, runner_up, tournament


@settings(max_examples=100)
@given(st.lists(st.sampled_from([-np.inf, 0.0, 0.5, 1.0]), min_size=1, max_size=20), st.data())
def test_a_tournament_has_the_first_of_the_largest_keys_on_top(keys, data):
    keys = np.array(keys)
    winners = tournament(keys)
    for _ in range(10):
        assert winners[1] == np.argmax(keys)
        assert runner_up(keys, winners) == np.delete(keys, winners[1]).max(initial=-np.inf)
        changed = data.draw(st.integers(0, len(keys) - 1))
        keys[changed] = data.draw(st.floats(-1, 2))
        rematch(keys, winners, changed)
    assert winners[1] == np.argmax(keys)
