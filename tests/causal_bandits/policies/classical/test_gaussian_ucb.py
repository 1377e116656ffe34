"""Gaussian UCB on many arms: the choices of a plain twin that looks at every arm."""

from hypothesis import given, settings
from hypothesis import strategies as st
from single_node import copying_bandits, small_tree
from twins.same import assert_same_choices
from twins.single_node import PlainGaussianUCB

from causal_bandits.play.run import play
from causal_bandits.policies.classical.gaussian_ucb import GaussianUCB
from causal_bandits.seeding import generators


@settings(max_examples=40)
@given(copying_bandits(), st.booleans(), st.sampled_from([1.0, 2.0]), st.integers(0, 10**6))
def test_ucb_makes_the_choices_of_the_plain_one(bandit, reward_only, exponent, seed):
    compiled = GaussianUCB("reward" if reward_only else "all", exponent)
    assert_same_choices(compiled, PlainGaussianUCB(reward_only, exponent), bandit, seed, 150)


def test_the_oracle_plays_the_reward_variable_alone():
    bandit = small_tree(0)
    run = play(GaussianUCB("reward"), bandit, 500, generators(1, "oracle", 0))
    assert set(run.arms) == set(bandit.arms_of(bandit.rewarding[0]).tolist())
    everywhere = play(GaussianUCB(), bandit, 500, generators(1, "oracle", 0))
    assert run.regrets.sum() < everywhere.regrets.sum()
