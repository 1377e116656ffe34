"""Algorithm 2 of Jamshidi et al. 2024 against a plain twin, and gamma-NB-ALG where everything costs the same."""

from costly_bandits import of_causes
from hypothesis import given
from hypothesis import strategies as st
from twins.budgeted import naming, rare_with_costs
from twins.exploration import run

from causal_bandits.play.run import play
from causal_bandits.policies.confounded_naming import ConfoundedNaming
from causal_bandits.policies.gamma_nb import GammaNB
from causal_bandits.seeding import generators


@given(st.integers(0, 10**6), st.sampled_from([2, 9, 60, 151, 400]))
def test_it_plays_the_arms_of_the_plain_twin(seed, budget):
    bandit = of_causes(seed)
    compiled = play(ConfoundedNaming(budget), bandit, budget, generators(1, "naming", seed), block=41)
    arms, answer = run(naming(ConfoundedNaming(budget), rare_with_costs), bandit, generators(1, "naming", seed), budget)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["answer"] == answer


def test_with_unit_costs_it_is_gamma_nb_but_for_arms_at_the_threshold_and_the_test_of_gamma():
    same = tied = 0
    for seed in range(300):
        bandit = of_causes(seed, most=1)
        one, other = (
            play(policy, bandit, 100, generators(1, "unit", seed))
            for policy in (ConfoundedNaming(100), GammaNB(100, "always"))
        )
        at_threshold = one.outcome["rare"] != other.outcome["rare"]
        tied += at_threshold
        if not at_threshold:
            assert one.arms.tolist() == other.arms.tolist()
            assert one.outcome == other.outcome
            same += 1
    assert same > 100
    assert tied > 10
