"""What is learnt of a linear model's rows, against ridge regression solved at once; and rows that are known."""

import numpy as np
import pytest
from linear_models import believed_otherwise, random_sem

from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.policies.linear_sem.helpers.rows import learn_round, start_rows

ROUNDS = 60


def bandit_of(number):
    rng = np.random.default_rng(number)
    sem = random_sem(rng, 3)
    beliefs = believed_otherwise(sem, rng)[1] if number % 2 else None
    return LinearSEMBandit(sem, believed=beliefs, told_noise={"Y": 0.3})


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("constant", [True, False])
def test_a_row_is_the_ridge_regression_on_the_rounds_with_its_mechanism(number, constant):
    """One row without and one with an intervention; of variables that are no believed ancestor of Y none is learnt."""
    bandit, rng, penalty = bandit_of(number), np.random.default_rng(9), 0.7
    rows, world = start_rows(bandit, penalty, constant), bandit.worlds(0, ROUNDS, rng)
    arms, seen = rng.integers(len(bandit.arms), size=ROUNDS), []
    for i, arm in enumerate(arms):
        bandit.play(world, i, arm)
        seen.append(dict(zip(bandit.sem.variables, world.values.tolist(), strict=True)))
        learn_round(rows, world, arm)
    believed, learnt = bandit.believed, 0
    for at, v in enumerate(believed.topological_order):
        for k in (0, 1):
            of = [states for states, arm in zip(seen, arms, strict=True) if (v in bandit.arms[arm]) == bool(k)]
            theta = rows.ridge.theta[2 * at + k]
            size = len(believed.parents(v)) + constant
            if v not in believed.ancestors("Y") or not of or not size:
                assert not theta.any()
                continue
            names = [believed.topological_order[p] for p in rows.model.parent[slice(*rows.model.start[at : at + 2])]]
            assert set(names) == set(believed.parents(v))
            x = np.array([[states[p] for p in names] + [1.0] * constant for states in of])
            y = np.array([states[v] for states in of]) - bandit.told_noise[v]
            expected = np.linalg.solve(penalty * np.eye(size) + x.T @ x, x.T @ y)
            np.testing.assert_allclose(theta[:size], expected, rtol=1e-8, atol=1e-10)
            assert not theta[size:].any()
            learnt += 1
    assert learnt or not constant  # Y alone, without parents, has no coefficient then


@pytest.mark.parametrize("number", range(6))
def test_known_rows_are_the_true_ones_cut_down_to_believed_parents(number):
    bandit = bandit_of(number)
    rows, sem = start_rows(bandit, 1.0, known=True), bandit.sem
    order = bandit.believed.topological_order
    true, place = sem.compiled, {v: i for i, v in enumerate(sem.variables)}
    for at, v in enumerate(order):
        own = range(true.start[place[v]], true.start[place[v] + 1])
        for i in range(rows.model.start[at], rows.model.start[at + 1]):
            parent = order[rows.model.parent[i]]
            same = [j for j in own if sem.variables[true.parent[j]] == parent]
            expected = true.weight[:, same[0]] if same else np.zeros(2)
            np.testing.assert_array_equal(rows.model.weight[:, i], expected)
        np.testing.assert_array_equal(rows.model.constant[:, at], true.constant[:, place[v]])
        assert rows.learnt[at].any() == (v == "Y")
