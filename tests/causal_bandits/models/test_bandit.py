"""The structural causal bandit: its arms, and the optimum that regret is counted from."""

import numpy as np
import pytest
from hypothesis import given
from strategies import bandits

from causal_bandits.graphs import ADMG
from causal_bandits.models import ARM_STRATEGIES, FAMILIES, Arms, SCMBandit


@given(bandits())
def test_arms_may_be_given_and_their_best_is_the_optimum(bandit):
    chosen = list(bandit.with_arms("brute_force").arms)[::2]
    given_arms = bandit.with_arms(Arms(bandit.scm.variables, chosen))
    assert list(given_arms.arms) == chosen
    assert given_arms.means.tolist() == bandit.with_arms("brute_force").means[::2].tolist()
    assert given_arms.optimal_mean == given_arms.means.max()


@given(bandits())
def test_no_strategy_has_a_better_optimum_than_the_possibly_optimal_arms(bandit):
    """Lee & Bareinboim 2018, 2019: the best of all manipulable sets is among them."""
    best = {s: bandit.with_arms(s).means.max() for s in ARM_STRATEGIES}
    assert best["possibly_optimal"] == pytest.approx(best["brute_force"], abs=1e-12)
    assert best["minimal"] == pytest.approx(best["brute_force"], abs=1e-12)


@pytest.mark.parametrize(
    ("arm", "message"), [({"Y": 1}, "no arm may set 'Y'"), ({"X": 2}, "a state that its"), ({"U_XY": 0}, "'U_XY'")]
)
def test_arms_that_cannot_be_played_are_refused(build_task, arm, message):
    bandit = build_task("frontdoor")
    assert "U_XY" in bandit.scm.hidden
    with pytest.raises(ValueError, match=message):
        bandit.with_arms(Arms(bandit.scm.variables, [arm]))


def test_arms_are_in_a_fixed_order_and_the_optimum_is_over_all_of_them():
    graph = ADMG(directed=[("A", "Y"), ("B", "Y")])
    bandit = SCMBandit(FAMILIES["uniform_cpt"](graph, np.random.default_rng(1)))
    assert list(bandit.arms)[:4] == [{}, {"A": 0}, {"A": 1}, {"B": 0}]
    assert bandit.arms[-1] == {"A": 1, "B": 1}
    best = bandit.with_arms("possibly_optimal")
    assert [set(arm) for arm in best.arms] == [{"A", "B"}] * 4
    assert best.optimal_mean == bandit.optimal_mean == max(bandit.means)
    assert best.regrets(best.worlds(0, 4, np.random.default_rng(0)), np.arange(4)).min() == 0.0
