"""Fractional KUBE against a plain twin."""

from costly_bandits import on_graph
from hypothesis import given
from hypothesis import strategies as st
from twins.budgeted import spending
from twins.exploration import run

from causal_bandits.play.run import play
from causal_bandits.policies.f_kube import FKUBE
from causal_bandits.seeding import generators


@given(st.integers(0, 3), st.integers(0, 10**6), st.sampled_from(["rate", "mean"]), st.integers(0, 120))
def test_it_plays_the_arms_of_the_plain_twin(number, seed, index, more):
    bandit = on_graph(number, seed)
    policy = FKUBE(int(bandit.costs.sum()) + more, index)
    compiled = play(policy, bandit, policy.budget, generators(1, "kube", seed), block=41)
    twin = spending(policy, "nothing", 2.0, index == "rate", forces=False)
    arms, rounds = run(twin, bandit, generators(1, "kube", seed), policy.budget)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["rounds"] == rounds
