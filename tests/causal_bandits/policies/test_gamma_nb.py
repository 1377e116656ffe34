"""gamma-NB-ALG against a plain twin; its variants by hand."""

import numpy as np
import pytest
from costly_bandits import of_causes
from hypothesis import given
from hypothesis import strategies as st
from twins.budgeted import naming, rare_of_gamma_nb
from twins.exploration import run

from causal_bandits.play.run import play
from causal_bandits.policies.gamma_nb import INTERVENES, GammaNB
from causal_bandits.seeding import generators
from replication.papers.arena.budgeted_models import budgeted_parallel


@given(st.integers(0, 10**6), st.sampled_from([2, 9, 60, 151, 400]), st.sampled_from(INTERVENES))
def test_it_plays_the_arms_of_the_plain_twin(seed, budget, intervenes):
    bandit = of_causes(seed)
    compiled = play(GammaNB(budget, intervenes), bandit, budget, generators(1, "gamma", seed), block=41)
    twin = naming(GammaNB(budget), rare_of_gamma_nb(intervenes))
    arms, answer = run(twin, bandit, generators(1, "gamma", seed), budget)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["answer"] == answer


def test_rare_arms_are_played_unless_they_cost_too_much():
    """Of fifty causes two are rare: 0.02 times m = 2 is below 1 / gamma for gamma < 25."""
    share = {}
    for cost in (2, 60):
        bandit = budgeted_parallel(cost, 0)
        for intervenes in INTERVENES:
            run_ = play(GammaNB(1500, intervenes), bandit, 1500, generators(1, "cheap", 0))
            share[cost, intervenes] = (run_.arms != bandit.null).mean()
    assert share[2, "if_cheap"] == share[2, "always"] > 0.3
    assert share[60, "if_cheap"] == 0 < share[60, "always"]
    assert share[2, "never"] == share[60, "never"] == 0
    with pytest.raises(ValueError, match="intervenes='seldom': expected one of if_cheap, always, never"):
        GammaNB(10, "seldom")
    assert np.isfinite(list(share.values())).all()
