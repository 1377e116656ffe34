"""Track-and-Stop: the optimal shares against scipy, the whole against a plain twin, and what is refused."""

import numpy as np
import pytest
from scipy.optimize import minimize
from twins.exploration import kl, run, track_and_stop

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.glm.helpers.best_arm import Tally
from causal_bandits.policies.glm.track_and_stop import Shares, TrackAndStop, apart, learn, least_apart, optimal_shares
from causal_bandits.problems.xiong2023 import parallel, sequential
from causal_bandits.seeding import generators

EASY = GLMBandit(BinaryGLM({"X": 0.5, "Y": 0.05}, {"Y": {"X": 0.9}}), [{}, {"X": 1}, {"X": 0}])
BANDITS = {"easy": EASY, "sequential": sequential(0.5)}


def rates(share, mean):
    """What tells the best arm from each other per round, if arms have such shares: the least is to be made largest."""
    best = int(np.argmax(mean))
    found = []
    for b in range(len(mean)):
        if b != best:
            both = (share[best] * mean[best] + share[b] * mean[b]) / (share[best] + share[b])
            found.append(share[best] * kl(mean[best], both) + share[b] * kl(mean[b], both))
    return np.array(found)


def solved(mean, before=None):
    shares = before or Shares.unknown(len(mean))
    for arm, value in enumerate(mean):
        learn(shares, arm, value)
    optimal_shares(shares)
    return shares


def test_shares_are_those_of_a_general_optimiser():
    rng = np.random.default_rng(0)
    for _ in range(8):
        k = int(rng.integers(2, 7))
        mean = rng.uniform(0.02, 0.98, k)
        least = rates(solved(mean).share, mean).min()
        constraints = [
            {"type": "eq", "fun": lambda z: z[:-1].sum() - 1},
            {"type": "ineq", "fun": lambda z, mean=mean: 100 * (rates(np.maximum(z[:-1], 1e-9), mean) - z[-1])},
        ]
        found = minimize(lambda z: -z[-1], np.r_[np.full(k, 1 / k), 0], constraints=constraints, method="SLSQP",
                         bounds=[(1e-6, 1)] * k + [(0, 5)], options={"maxiter": 500, "ftol": 1e-14})  # fmt: skip
        assert least == pytest.approx(found.x[-1], abs=1e-5 * max(least, 1e-3))


def test_shares_tell_all_arms_at_the_same_rate_from_any_start():
    """Theorem 5 on hundreds of problems, each from where the one before ended; nothing near is better."""
    rng, shares = np.random.default_rng(1), Shares.unknown(6)
    for _ in range(400):
        mean = rng.choice([rng.uniform(0, 1, 6), rng.uniform(0.4, 0.6, 6), rng.integers(0, 5, 6) / 4])
        shares = solved(mean, shares)
        assert shares.share.sum() == pytest.approx(1)
        if (np.sort(mean)[-2:] > mean.max() - 1e-9).all():
            assert shares.share.tolist() == ((mean == mean.max()) / (mean == mean.max()).sum()).tolist()
            continue
        own = rates(shares.share, shares.mean)
        assert own == pytest.approx(own[0], rel=1e-6)
        for moved in rng.dirichlet(np.ones(6), 5):
            assert rates(0.99 * shares.share + 0.01 * moved, shares.mean).min() <= own.min() * (1 + 1e-6)


def test_the_statistic_is_a_likelihood_ratio():
    rng = np.random.default_rng(2)
    for _ in range(200):
        plays = rng.integers(1, 40, 4).astype(float)
        ones = np.array([rng.integers(0, n + 1) for n in plays], dtype=float)
        expected, best = np.inf, int((ones / plays).argmax())
        for b in set(range(4)) - {best}:
            both = (ones[best] + ones[b]) / (plays[best] + plays[b])
            expected = min(expected, sum(plays[a] * kl(ones[a] / plays[a], both) for a in (best, b)))
        tally = Tally(ones, plays)
        assert apart(tally, best, least_apart(tally, best)) == pytest.approx(expected, abs=1e-9)


def test_shares_found_from_those_before_are_those_found_afresh():
    """Means that move a little from round to round, as in a run, and now and then jump."""
    rng, shares = np.random.default_rng(3), Shares.unknown(12)
    mean, moved = rng.uniform(0.05, 0.95, 12), 0.0
    for step in range(600):
        arm = rng.integers(12)
        mean[arm] = np.clip(mean[arm] + rng.normal(0, 0.01), 0, 1) if step % 50 else rng.uniform()
        afresh, before = solved(mean).share, shares.share.copy()
        assert solved(mean, shares).share == pytest.approx(afresh, abs=1e-9)
        moved = max(moved, np.abs(shares.share - before).max())
    assert moved > 0.1


@pytest.mark.parametrize("bandit", BANDITS.values(), ids=BANDITS)
def test_it_plays_as_its_plain_twin(bandit):
    cap = 120 if bandit is EASY else 40
    for seed in range(2):
        found = play(TrackAndStop(delta=0.4), bandit, cap, generators(1, "track", seed), block=50)
        arms, answer = run(track_and_stop(0.4), bandit, generators(1, "track", seed), cap)
        assert found.arms.tolist() == arms
        assert found.outcome.get("answer") == answer
    assert (answer is not None) == (bandit is EASY)


def test_it_is_right_and_needs_few_rounds():
    """At most delta wrong answers; the fewest rounds that are possible asymptotically are not far."""
    bandit = parallel(4, 0.6)
    runs = [play(TrackAndStop(), bandit, 20_000, generators(1, "few", seed)) for seed in range(40)]
    assert sum(not run.outcome["correct"] for run in runs) <= 4
    rounds = np.mean([run.outcome["sample_complexity"] for run in runs])
    least = np.log(10) / rates(solved(bandit.means).share, bandit.means).min()
    assert least < rounds < 5 * least
    capped = play(TrackAndStop(), bandit, 50, generators(1, "few", 0)).outcome
    assert capped["unmet_width"] > 0
    assert "answer" not in capped


def test_what_it_cannot_do_is_refused():
    with pytest.raises(ValueError, match=r"epsilon=0.1: expected a number in \[0, 0\]"):
        TrackAndStop(epsilon=0.1)
    one = GLMBandit(BinaryGLM({"X": 0.5, "Y": 0.2}, {"Y": {"X": 0.3}}), [{"X": 1}])
    with pytest.raises(ValueError, match="expected at least two"):
        play(TrackAndStop(), one, 10, generators(1, "one", 0))
