"""CRM-NB-ALG: a plain twin, and UCB where watching teaches nothing and everything costs the same."""

import math

import numpy as np
from costly_bandits import on_graph
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.budgeted import spending
from twins.exploration import largest, run

from causal_bandits.graphs import ADMG
from causal_bandits.models import CPT, DiscreteSCM, SCMBandit
from causal_bandits.models.arms import Arms
from causal_bandits.models.budgeted import BudgetedSCMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.crm_nb import CRMNB
from causal_bandits.seeding import generators


@given(st.integers(0, 3), st.integers(0, 10**6), st.sampled_from(["rate", "mean"]), st.booleans(), st.integers(0, 90))
def test_it_plays_the_arms_of_the_plain_twin(number, seed, index, forces, more):
    bandit = on_graph(number, seed)
    policy = CRMNB(int(bandit.costs.sum()) + more, index, forces)
    compiled = play(policy, bandit, policy.budget, generators(1, "crm", seed), block=41)
    twin = spending(policy, "shown", 8.0, index == "rate", forces)
    arms, rounds = run(twin, bandit, generators(1, "crm", seed), policy.budget)
    assert compiled.arms.tolist() == arms
    assert compiled.outcome["rounds"] == rounds


def ucb(rounds):
    """UCB by its definition: the largest mean + sqrt(8 ln t / N) after one round of each arm."""

    def play_on(player):
        rewards = [[player.play(a)[1]] for a in range(len(player.bandit.arms))]
        for t in range(len(rewards), rounds):
            index = [np.mean(own) + math.sqrt(8 * math.log(t) / len(own)) for own in rewards]
            arm = largest(index, player.rng)
            rewards[arm].append(player.play(arm)[1])

    return play_on


@settings(max_examples=100)
@given(st.integers(0, 10**6))
def test_it_is_ucb_where_nothing_is_forced_costs_are_one_and_do_never_shows_an_arm(seed):
    rng = np.random.default_rng(seed)
    one = rng.uniform(size=(2, 2, 2))
    scm = DiscreteSCM(
        ADMG([(x, "Y") for x in "ABC"]),
        {x: CPT((), [1.0, 0.0]) for x in "ABC"} | {"Y": CPT(tuple("ABC"), np.stack([1 - one, one], axis=-1))},
    )
    arms = Arms(scm.variables, [{}, {"A": 1}, {"B": 1}, {"C": 1}])
    bandit = BudgetedSCMBandit(SCMBandit(scm, arm_strategy=arms), np.ones(4))
    compiled = play(CRMNB(120, forces=False), bandit, 120, generators(1, "ucb", seed))
    assert compiled.arms.tolist() == run(ucb(120), bandit, generators(1, "ucb", seed), 120)[0]
