"""LUCB with each of its bounds against a plain twin, and what a run says at its end."""

import numpy as np
import pytest
from twins.exploration import kl_bound, lucb, run

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.classical.kl_ucb import negative_entropy
from causal_bandits.policies.glm.lucb import BOUNDS, CHALLENGER, LEADER, LUCB, Known, kl_upper_bounds
from causal_bandits.policies.helpers.choice import TIE
from causal_bandits.problems.xiong2023 import parallel, sequential
from causal_bandits.seeding import generators

BANDITS = {"parallel": parallel(3, 0.8), "sequential": sequential(0.5)}


@pytest.mark.parametrize("bandit", BANDITS.values(), ids=BANDITS)
@pytest.mark.parametrize("bounds", BOUNDS)
def test_it_plays_as_its_plain_twin(bandit, bounds):
    policy = LUCB(epsilon=0.3, delta=0.2, bounds=bounds, alpha=0.8)
    cap = 1200 if bandit is BANDITS["parallel"] else 300
    ended = 0
    for seed in range(3):
        found = play(policy, bandit, cap, generators(1, "lucb", seed), block=64)
        arms, answer = run(lucb(bounds, 0.8, 0.3, 0.2), bandit, generators(1, "lucb", seed), cap)
        assert found.arms.tolist() == arms
        assert found.outcome.get("answer") == answer
        ended += answer is not None
    assert ended == 3 or cap == 300


def test_kl_bounds_that_are_not_solved_for_are_never_among_the_largest():
    """The challenger's bound, and all that tie with it, against all bounds by bisection, from any two arms before."""
    rng, kept = np.random.default_rng(0), 0
    for _ in range(300):
        k = int(rng.integers(2, 12))
        known = Known.nothing(k)
        known.tally.pulls[:] = rng.integers(1, 30, k)
        known.tally.ones[:] = rng.binomial(known.tally.pulls.astype(int), rng.choice([0.0, 0.3, 0.8, 1.0], k))
        known.mean[:] = known.tally.ones / known.tally.pulls
        known.own[:] = [negative_entropy(p) for p in known.mean]
        known.step[[LEADER, CHALLENGER]] = rng.integers(0, k, 2)
        level = float(rng.uniform(0.1, 8))
        kl_upper_bounds(known, level)
        exact = np.array([kl_bound(p, level / n, True) for p, n in zip(known.mean, known.tally.pulls, strict=True)])
        second = np.sort(exact)[-2]
        top = exact >= second - 0.9 * TIE
        assert known.upper[top] == pytest.approx(exact[top], abs=1e-11)
        assert (known.upper <= exact + 1e-11).all()
        kept += (known.upper < exact - 1e-6).sum()
    assert kept > 300


def test_what_a_run_says_at_its_end():
    bandit = BANDITS["parallel"]
    found = play(LUCB(), bandit, 100_000, generators(1, "lucb", 0))
    pulls = np.bincount(found.arms, minlength=len(bandit.arms))
    assert [found.outcome[f"pulls_{a}"] for a in range(len(bandit.arms))] == pulls.tolist()
    assert found.outcome["sample_complexity"] == len(found.arms) == pulls.sum()
    assert found.outcome["answer"] == bandit.means.argmax()
    assert found.outcome["correct"] == 1
    assert found.outcome["observed_share"] == pulls[0] / pulls.sum()
    capped = play(LUCB(), bandit, 300, generators(1, "lucb", 0))
    assert len(capped.arms) == 300
    assert capped.outcome["unmet_width"] > 0
    assert "answer" not in capped.outcome


def test_epsilon_makes_a_second_best_answer_right():
    """Y = 0.5 with X1, 0.45 with X2: within 0.1, not within 0.01."""
    bandit = GLMBandit(
        BinaryGLM({"X1": 0.0, "X2": 0.0, "Y": 0.1}, {"Y": {"X1": 0.4, "X2": 0.35}}), [{"X1": 1}, {"X2": 1}]
    )
    loose, strict = (
        [play(LUCB(epsilon, 0.9, "xiong", 0.1), bandit, 500, generators(1, "e", s)).outcome for s in range(60)]
        for epsilon in (0.1, 0.01)
    )
    assert all(o["correct"] for o in loose)
    assert {o["answer"] for o in strict if not o["correct"]} == {1}
