"""GA-LCB against a plain twin; the cost of its first stage, exact; its Lasso and eigenvalues; what is refused."""

import numpy as np
import pytest
from linear_models import layered
from sklearn.linear_model import Lasso
from twins.linear_sem import PlainGALCB
from twins.same import assert_same_choices

from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
from causal_bandits.play.run import play
from causal_bandits.policies.linear_sem.ga_lcb import GALCB, Moments, largest_eigenvalue, lasso
from causal_bandits.seeding import generators

THREE = layered(3, 2, (1.0, 0.5), (0.5, 1.0))
TWO = layered(2, 2, (1.0, 0.5), (0.5, 1.0))


@pytest.mark.parametrize(
    ("settings", "twin"),
    [
        ({"known": True}, {"known": True}),
        ({"known": True, "penalty": "one", "restart": True}, {"known": True, "one": True, "restart": True}),
        ({"cycles": 40}, {"cycles": 40}),
        ({"cycles": 30, "observations": 10, "alpha": 0.02}, {"cycles": 30, "observations": 10, "alpha": 0.02}),
    ],
)
def test_it_plays_as_its_plain_twin(settings, twin):
    assert_same_choices(GALCB(**settings), PlainGALCB(**twin), TWO, 0, horizon=350)


@pytest.mark.parametrize(("bandit", "per_cycle"), [(THREE, 22.125), (layered(2, 4, (1.0, 0.5), (1.0, 0.5)), 24.5)])
def test_a_cycle_of_the_first_stage_has_an_exact_cost(bandit, per_cycle):
    rounds = 20 * (len(bandit.sem.variables) + 1)
    run = play(GALCB(cycles=20), bandit, rounds, generators(1, "cycle", 0))
    assert run.regrets.sum() == pytest.approx(20 * per_cycle, abs=1e-9)


def test_it_finds_the_graph_and_settles_on_the_best_arm():
    for seed in range(2):
        run = play(GALCB(), THREE, 6000, generators(1, "graph", seed))
        assert {name: run.outcome[name] for name in ("missing_edges", "superfluous_edges", "dropped_edges")} == {
            "missing_edges": 0,
            "superfluous_edges": 0,
            "dropped_edges": 0,
        }
    known = play(GALCB(known=True), THREE, 40_000, generators(1, "graph", 0))
    assert 450 < known.outcome["settled"] < 650  # 520 to 569 in an independent program
    assert (known.arms[int(known.outcome["settled"]) :] == int(THREE.means.argmax())).all()


def test_a_horizon_within_the_first_stage_leaves_no_outcome():
    assert play(GALCB(), THREE, 100, generators(1, "short", 0)).outcome == {}


def test_the_lasso_is_scikit_learns():
    rng = np.random.default_rng(0)
    for _ in range(20):
        x = rng.normal(size=(50, 4)) @ rng.normal(size=(4, 4))
        y = x @ (rng.normal(size=4) * (rng.random(4) < 0.5)) + rng.normal(size=50)
        expected = Lasso(alpha=0.1, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(x, y).coef_
        found = lasso(x.T @ x / 50, x.T @ y / 50, 0.1)
        np.testing.assert_allclose(found, expected, atol=1e-6)
        np.testing.assert_array_equal(found == 0, expected == 0)


def test_the_largest_eigenvalue_is_numpys():
    rng = np.random.default_rng(1)
    for d in (1, 2, 3, 5, 8):
        for spread in (0.01, 1.0, 100.0):
            a = rng.normal(size=(d, d + 1)) * spread
            a = a @ a.T
            assert largest_eigenvalue(a) == pytest.approx(np.linalg.eigvalsh(a)[-1], rel=1e-10)


def test_arms_that_the_first_stage_needs_are_asked_for():
    bandit = LinearSEMBandit(THREE.sem, arms=[{}, {"Y": 1}])
    with pytest.raises(ValueError, match=r"no arm intervenes on \['X10'\] alone"):
        play(GALCB(), bandit, 10, generators(1, "arms", 0))


@pytest.mark.parametrize("strong_first", [True, False])
def test_of_a_cycle_the_weakest_edge_is_dropped(strong_first):
    """Means that move each other, one by 1.0 and one by 0.9: the stronger edge stays, whichever name comes first."""
    variables = TWO.sem.variables
    first, second = (variables.index(v) for v in sorted(TWO.sem.intervenable)[:2])
    strong, weak = (first, second) if strong_first else (second, first)
    moments = Moments.empty(len(variables))
    moments.rounds[:] = 1.0
    moments.total[1 + strong, weak], moments.total[1 + weak, strong] = 1.0, 0.9
    together = np.eye(len(variables))
    together[strong, weak] = together[weak, strong] = 0.8
    moments.square[0, 0] = together * len(variables) * moments.rounds.sum()
    parents, dropped = GALCB(effect=0.5)._graph(TWO, moments, np.zeros(len(variables)))
    assert dropped == 1
    assert variables[strong] in parents[variables[weak]]
    assert variables[weak] not in parents[variables[strong]]
