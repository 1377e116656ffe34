"""CCPE-General and observe-then-LUCB against a plain twin by the letter of Algorithm 3; what is refused."""

import math
import time

import numpy as np
import pytest
from twins.exploration import adjusted, ccpe, run

from causal_bandits.identification.admissible import find_admissible_sequence
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.glm.ccpe_general import CCPEGeneral
from causal_bandits.policies.glm.observe_then_lucb import ObserveThenLUCB
from causal_bandits.problems.xiong2023 import confounded, parallel, sequential
from causal_bandits.seeding import generators

BANDITS = {"parallel": parallel(3, 0.8), "sequential": sequential(0.5), "confounded": confounded(2, 0.6)}


def watcher(bandit, alpha, delta):
    """Eq. 14 with the radius of Eq. 16, Z_a at least 1 in the logarithm."""
    arms = list(bandit.arms)

    def watch(rows, t):
        found = []
        for action in arms:
            sequence = (
                find_admissible_sequence(bandit.glm.graph, treatment=frozenset(action), outcome="Y") if action else None
            )
            estimate, seen = adjusted(rows, action, sequence) if sequence else (0.0, 0)
            if not seen:
                found.append(None)
                continue
            k, z = len(action), sum(map(len, sequence.covariates))
            level = math.log(20 * k * len(arms) * max(z, 1) * 2**z * math.log(2 * t) / delta)
            found.append((estimate, alpha * math.sqrt(level / seen)))
        return found

    return watch


@pytest.mark.parametrize("bandit", BANDITS.values(), ids=BANDITS)
@pytest.mark.parametrize("observations", [None, 40])
def test_it_plays_as_its_plain_twin(bandit, observations):
    settings = {"epsilon": 0.1, "delta": 0.5, "alpha_o": 0.5, "alpha_i": 0.4}
    policy = ObserveThenLUCB(**settings, observations=observations) if observations else CCPEGeneral(**settings)
    twin = ccpe(watcher(bandit, 0.5, 0.1), 0.1, 0.1, 0.4, observations=observations)
    ended = 0
    for seed in range(3):
        found = play(policy, bandit, 300, generators(1, "ccpe", seed), block=50)
        arms, answer = run(twin, bandit, generators(1, "ccpe", seed), 300)
        assert found.arms.tolist() == arms
        assert found.outcome.get("answer") == answer
        ended += answer is not None
    assert ended > 0 or bandit is BANDITS["sequential"]


def test_an_action_set_without_do_is_refused():
    bandit = GLMBandit(BANDITS["parallel"].glm, [{"X1": 0}, {"X1": 1}])
    for policy in (CCPEGeneral(), ObserveThenLUCB()):
        with pytest.raises(ValueError, match=r"none of the 2 actions is do\(\)"):
            play(policy, bandit, 10, generators(1, "ccpe", 0))


def test_an_action_without_an_admissible_sequence_is_learnt_by_playing_alone():
    bandit = BANDITS["confounded"]
    run_ = play(CCPEGeneral(alpha_o=0.7, alpha_i=0.7), bandit, 20_000, generators(1, "ccpe", 0))
    assert run_.outcome["correct"] == 1
    assert run_.extras["by_watching"].max() == 0
    assert run_.extras["by_playing"][-1] <= len(bandit.arms)
    assert run_.outcome["observed_share"] >= 1 / 3
    # With a sequence for every action, nearly all are known better by watching.
    run_ = play(CCPEGeneral(alpha_o=0.7, alpha_i=0.7), parallel(20, 0.8), 20_000, generators(1, "ccpe", 0))
    assert run_.extras["by_watching"][-1] > 30


def test_a_run_at_its_cap_says_which_condition_was_not_met():
    found = play(CCPEGeneral(), BANDITS["parallel"], 500, generators(1, "ccpe", 0))
    assert len(found.arms) == 500
    assert found.outcome.keys() == {"unmet_width", "unmet_observations"}
    assert found.outcome["unmet_width"] > 0
    assert found.outcome["unmet_observations"] == 0


def test_the_cost_of_a_round_does_not_grow():
    """Ten times the rounds take at most fifteen times as long: counts, not rows, are kept."""
    bandit, policy = parallel(6, 0.02), CCPEGeneral()
    play(policy, bandit, 100, generators(1, "cost", 0))

    def seconds(rounds):
        start = time.process_time()
        play(policy, bandit, rounds, generators(1, "cost", 0))
        return time.process_time() - start

    short, long = min(seconds(5_000) for _ in range(3)), min(seconds(50_000) for _ in range(2))
    assert long < 15 * short


def test_errors_are_rarer_than_delta():
    wrong = [
        play(CCPEGeneral(alpha_o=0.7071, alpha_i=0.7071), BANDITS["parallel"], 50_000, generators(1, "pac", s)).outcome
        for s in range(100)
    ]
    assert np.mean([not o["correct"] for o in wrong]) <= 0.1
