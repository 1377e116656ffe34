"""Estimated discrepancies between groups (huang2022, Eq. 9 and 10, Theorem 2), written out from cells of any means."""

import numpy as np
import pytest
from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.estimation.cells import cells, minimal_separator, no_rewards
from causal_bandits.estimation.discrepancies import counterparts, estimated_discrepancies


@pytest.mark.parametrize("descending", [True, False])
@settings(max_examples=30)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1))
def test_the_estimate_is_the_largest_difference_that_the_cells_allow(descending, data, seed):
    """Where C descends from S, users of all C stand for one, and their cells are weighted as the user's own."""
    problem, rng = data.draw(fair_bandits(descending)), np.random.default_rng(seed)
    made = cells(problem, minimal_separator(problem))
    means = no_rewards(made, 0.0)
    means.mean[:] = rng.normal(size=made.size)
    arms = rng.permutation(len(problem.arms))[:2]
    found = np.empty(len(arms))
    for x, user in enumerate(problem.contexts):
        estimated_discrepancies(means, counterparts(problem), x, arms, found)
        for i, arm in enumerate(arms):
            lower, upper = np.empty(2), np.empty(2)
            for s in range(2):
                fixed = {"S": s} if descending else {**user, "S": s}
                alike = [n for n, other in enumerate(problem.contexts) if fixed.items() <= other.items()]
                weight = made.weight[x if descending else alike[0], arm]
                reached = means.mean[made.cell[alike, arm]]
                lower[s], upper[s] = weight @ reached.min(axis=0), weight @ reached.max(axis=0)
            assert found[i] == pytest.approx(max(upper[1] - lower[0], upper[0] - lower[1]))
