"""LinSEM-UCB against a plain twin, its radius by hand, and its largest mean against an exact search."""

import math

import numpy as np
import pytest
from linear_models import believed_otherwise, layered, random_sem
from twins.linear_sem import PlainLinSEMUCB
from twins.same import assert_same_choices

from causal_bandits.models.linear_sem import LinearSEM
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.linear_sem.helpers.rows import learn_round, start_rows
from causal_bandits.policies.linear_sem.linsem_ucb import LinSEMUCB, Room, indices, largest_values, radius
from causal_bandits.seeding import generators


@pytest.mark.parametrize("number", range(6))
def test_with_the_forward_pass_it_plays_as_its_plain_twin(number):
    rng = np.random.default_rng(10 + number)
    sem = random_sem(rng, 3)
    beliefs = believed_otherwise(sem, rng)[1] if number % 3 == 2 else None
    bandit = LinearSEMBandit(sem, believed=beliefs, told_noise={"Y": 0.3})
    policy = LinSEMUCB(maximum="forward", scale=0.2, constant=number % 2 == 0)
    assert_same_choices(policy, PlainLinSEMUCB(scale=0.2, constant_too=number % 2 == 0), bandit, number, horizon=80)


def test_its_radius_is_that_of_the_formula():
    """Seven variables, T = 40,000: m = (1, 1, 1, 4, 4, 4, 13), whose square is 220; delta = 1 / 560,000."""
    model = start_rows(layered(3, 2, (1.0, 0.5), (0.5, 1.0)), 1.0, constant=False).model
    assert sorted(largest_values(model, 3)) == [1, 1, 1, 4, 4, 4, 13]
    expected = 3 + math.sqrt(2 * math.log(560_000) + 3 * math.log(1 + 220 * 40_000 / 3))
    assert radius(model, 3, 3.0, 40_000) == pytest.approx(expected, abs=1e-12)
    assert expected == pytest.approx(11.43, abs=0.01)


def learnt(bandit, samples, rng):
    rows = start_rows(bandit, 1.0)
    world = bandit.worlds(0, samples, rng)
    for i in range(samples):
        arm = int(rng.integers(len(bandit.arms)))
        bandit.play(world, i, arm)
        learn_round(rows, world, arm)
    return rows


def exact(rows, beta, bound, arm):
    """X -> Y, rows on the constant and on (X, constant): the best row of Y is known for each row of X, so try 20,001.

    The bound on norms is so wide that it does not matter.
    """
    k = rows.arms.mechanism[arm]
    inverse, theta = rows.ridge.inverse, rows.ridge.theta
    reach = beta * math.sqrt(inverse[k[0], 0, 0])
    x = np.stack([theta[k[0], 0] + np.linspace(-reach, reach, 20_001), np.ones(20_001)])
    y = 2 + k[1]
    return (theta[y] @ x + beta * np.sqrt(np.einsum("ij,ik,jk->k", inverse[y], x, x))).max()


def test_block_ascent_finds_the_largest_mean_of_two_rows_and_never_exceeds_it():
    rng = np.random.default_rng(4)
    gaps, forward_gaps = [], []
    for _ in range(12):
        a, b, c, d = rng.normal(size=4)
        sem = LinearSEM({"X": {}, "Y": {"X": a}}, {"X": {}, "Y": {"X": b}}, ({"X": c}, {"X": d}))
        bandit = LinearSEMBandit(sem)
        rows, beta = learnt(bandit, 30, rng), float(rng.uniform(0.5, 3))
        room, index, forward = Room(np.zeros((2, 2, 2)), np.empty((3, 2)), np.empty(2)), np.empty(4), np.empty(4)
        indices(rows, beta, 1e6, False, room, forward)
        indices(rows, beta, 1e6, True, room, index)
        for arm in range(4):
            best = exact(rows, beta, 1e6, arm)
            gaps.append(best - index[arm])
            forward_gaps.append(best - forward[arm])
    assert min(gaps) > -1e-6  # the grid's step
    assert max(gaps) < 1e-3
    assert max(forward_gaps) > 0.1  # an optimistic mean of X does not help where its weight is negative


def test_rows_stay_within_the_bound_on_norms():
    """X has one row, the constant's: with the bound 1 its mean under the most favourable row is at most 1."""
    bandit = LinearSEMBandit(LinearSEM({"Y": {}}, {"Y": {}}, ({"Y": 0.5}, {"Y": 0.2})))
    rows = learnt(bandit, 20, np.random.default_rng(0))
    room, index = Room(np.zeros((2, 1, 1)), np.empty((3, 1)), np.empty(1)), np.empty(2)
    indices(rows, 5.0, 1.0, True, room, index)
    assert index.tolist() == pytest.approx([1.0, 1.0], abs=1e-12)
    indices(rows, 0.1, 1.0, True, room, index)
    by_hand = [rows.ridge.theta[k, 0] + 0.1 * math.sqrt(rows.ridge.inverse[k, 0, 0]) for k in (0, 1)]
    assert index.tolist() == pytest.approx(by_hand, abs=1e-12)


def test_regret_of_the_forward_pass_is_near_the_authors():
    """Exact gaps; the printed ones give 488 to 499 at 1,000 rounds."""
    bandit = layered(3, 2, (1.0, 0.5), (0.5, 1.0))
    policy = LinSEMUCB(maximum="forward", constant=False)
    runs = [play(policy, bandit, 1000, generators(1, "ucb", s)).regrets.sum() for s in range(4)]
    assert 150 < np.mean(runs) < 320
