"""C-UCB for arms without a context: the choices of a plain twin, and UCB where no arms share cells."""

import numpy as np
import pytest
from cell_bandits import NAMED, chain, direct
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bandits
from twins.cells import PlainCUCB
from twins.same import assert_same_choices

from causal_bandits.estimation.cells import POOLS, groups_of_arms, observed_parents
from causal_bandits.play.run import play
from causal_bandits.policies.scm.c_ucb_arms import WIDTHS, CUCBArms
from causal_bandits.seeding import generators


@settings(max_examples=25)
@given(
    bandits(max_nodes=3),
    st.sampled_from(["horizon", "anytime"]),
    st.sampled_from(sorted(WIDTHS)),
    st.sampled_from(POOLS),
    st.integers(0, 10**6),
)
def test_choices_equal_those_of_the_plain_reference(bandit, confidence, width, pool, seed):
    z = observed_parents(bandit)
    plain = PlainCUCB(z, tuple(groups_of_arms(bandit, z, pool).tolist()), confidence, WIDTHS[width])
    assert_same_choices(CUCBArms(None, confidence, width, pool), plain, bandit, seed, 80)


def test_named_cells_are_those_of_the_plain_reference():
    rng = np.random.default_rng(3)
    bandit = direct(rng.dirichlet(np.ones(3), size=4), rng.random((4, 3)))
    plain = PlainCUCB(NAMED, (0,) * 4)
    assert_same_choices(CUCBArms(["Z"], pool="all"), plain, bandit, 0, 200)


def test_listing_every_arm_twice_hardly_changes_its_regret_and_much_that_of_ucb():
    """The cells do not grow with the arms."""
    rng = np.random.default_rng(0)
    rows, means = rng.dirichlet(np.ones(4), size=12), rng.random(4)
    regret = {}
    for name, law in (("once", rows), ("twice", np.repeat(rows, 2, axis=0))):
        for pool in ("checked", "none"):
            runs = [
                play(CUCBArms(width="bounded", pool=pool), chain(law, means), 1000, generators(1, "twice", s))
                for s in range(15)
            ]
            regret[name, pool] = np.mean([run.regrets.sum() for run in runs])
    assert regret["twice", "checked"] == pytest.approx(regret["once", "checked"], rel=0.2)
    assert regret["twice", "none"] > 1.15 * regret["once", "none"]
    assert regret["once", "none"] > 2 * regret["once", "checked"]
