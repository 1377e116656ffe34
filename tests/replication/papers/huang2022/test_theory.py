"""The bounds of Theorems 1 and 3 and the email campaign's largest discrepancy, against values made by hand."""

import math

import numpy as np
import pytest

from causal_bandits.estimation.cells import cells, minimal_separator
from causal_bandits.problems.construction.huang2022.constructed import rare, straddling, unconstrained
from causal_bandits.problems.huang2022 import email
from replication.papers.huang2022.theory import (
    d_ucb_bound,
    f_ucb_bound,
    fair_value,
    largest_regret,
    least_width,
    theorem_3,
)

LOG_5000 = 8.517193191416238


def test_theorem_1_by_hand():
    """W = {A3, I1, I2} has 3 * 2 * 2 cells; T = 5000 and delta = 1/T^2."""
    problem = email()
    size = math.prod(problem.scm.cardinality(v) for v in minimal_separator(problem))
    bound = d_ucb_bound(5000, size)
    # sqrt(60,000 * 8.5172) * 8.5172 = 714.865 * 8.5172 = 6088.64, and sqrt(32 * 60,000 * 17.0344) = 5718.92
    assert bound.regret == pytest.approx(6088.64 + 5718.92, abs=0.02)
    # 1 - 24 / 5000 - exp(-12 * 72.5426 / 64), as in Corollary 1
    assert bound.probability == pytest.approx(1 - 0.0048 - math.exp(-12 * LOG_5000**2 / 64), abs=1e-12)
    assert bound.regret > 5000  # it says nothing of the paper's experiment
    other = d_ucb_bound(100, 1, math.exp(-2))
    # sqrt(100 * 4.60517) * 4.60517 + sqrt(32 * 100 * 2) = 98.8254 + 80
    assert other.regret == pytest.approx(178.8254, abs=1e-3)
    assert other.probability == pytest.approx(1 - 200 * math.exp(-2) - math.exp(-(math.log(100) ** 3) / 64))
    assert other.probability < 0


def test_no_history_has_a_narrower_width_and_the_best_one_comes_near():
    """Ledger L48: with N_z as P(z | x, a)^(2/3), and with random visits."""
    problem, horizon, rng = email(), 5000, np.random.default_rng(0)
    weights = cells(problem, minimal_separator(problem)).weight
    weights = weights.reshape(-1, weights.shape[-1])
    least = least_width(problem, horizon)

    def widths(visits, t):
        return math.sqrt(16 * math.log(t)) * (weights / np.sqrt(np.maximum(visits, 1))).sum(axis=1)

    shares = weights ** (2 / 3) / (weights ** (2 / 3)).sum(axis=1, keepdims=True)
    assert least < widths((horizon - 1) * shares, horizon).min() < 1.01 * least
    for t in (2, 3, 10, 100, 4000, horizon):
        for _ in range(20):
            assert widths(rng.multinomial(t - 1, rng.dirichlet(np.ones(weights.shape[1]))), t).min() > least
    assert 0.2 < least < 0.3


def test_the_least_width_of_round_2_by_hand():
    """Context and arm leave one state of Z possible; one round is over: sqrt(16 ln 2 / (1 + 1))."""
    assert least_width(rare(), 2) == pytest.approx(math.sqrt(16 * math.log(2) / 2))


def test_the_probability_of_theorem_1_by_its_proof():
    """E27: increments of at most sqrt(8 log(1/delta)), so that Azuma's exponent has 16 where 32 is stated."""
    stated, proved = (d_ucb_bound(5000, 12, of_proof=of_proof) for of_proof in (False, True))
    assert stated.regret == proved.regret
    assert proved.probability == pytest.approx(1 - 0.0048 - math.exp(-12 * LOG_5000**2 / 32), abs=1e-12)
    assert proved.probability >= stated.probability


def test_no_increment_of_theorem_1s_martingale_exceeds_one_bonus():
    """E27, on random probabilities and bonuses: only one cell is met in a round."""
    rng = np.random.default_rng(27)
    for _ in range(1000):
        cells = int(rng.integers(1, 8))
        chances, bonuses = rng.dirichlet(np.ones(cells)), rng.uniform(0, 1, cells)
        increments = [float(bonuses @ (chances - met)) for met in np.eye(cells)]
        assert max(map(abs, increments)) <= bonuses.max()


@pytest.mark.parametrize("tau", [0.05, 0.1, 0.3, 0.6])
def test_the_best_fair_policy_is_that_of_enumeration(tau):
    problem = straddling()
    values = []
    for x in range(2):
        fair = [problem.means[x, a] for a in range(6) if abs(problem.discrepancies[x, a]) <= tau + 1e-9]
        values.append(max(fair))
    assert fair_value(problem, tau) == pytest.approx(np.mean(values))
    mixes = []
    for x in range(2):
        d, m = problem.discrepancies[x], problem.means[x]
        best = max(values[x], -1)
        for a in range(6):
            for b in range(6):
                if d[a] <= tau < d[b]:
                    p = (tau - d[a]) / (d[b] - d[a])
                    best = max(best, (1 - p) * m[a] + p * m[b])
        mixes.append(best)
    assert fair_value(problem, tau, mixed=True) == pytest.approx(np.mean(mixes))
    assert fair_value(problem, np.inf) == pytest.approx(problem.means.max(axis=1).mean())


def test_no_fair_policy_is_told():
    for mixed in (False, True):
        with pytest.raises(ValueError, match=r"tau=0\.01: no "):
            fair_value(straddling(), 0.01, mixed)


def test_the_constructed_bandits_are_what_they_are_made_for():
    straddled, lost, rarely = straddling(), unconstrained(), rare()
    np.testing.assert_allclose(straddled.discrepancies, [[0.05, 0.15, 0.25, 0.35, 0.45, 0.55]] * 2)
    assert (np.diff(straddled.means, axis=1) > 0).all()
    np.testing.assert_allclose(lost.discrepancies, [[0, 1]] * 2)
    np.testing.assert_allclose(lost.means, [[0.05, 0], [0.05, 1]])
    np.testing.assert_allclose(rarely.discrepancies, 0.5)
    np.testing.assert_allclose(rarely.context_probabilities, [0.99, 0.01])
    assert set(minimal_separator(rarely)) == {"S", "A"}


def test_theorem_3_is_below_what_fair_play_loses():
    """E25: at 1,000,000 rounds, whatever fair policy is played."""
    problem = unconstrained()
    bound = theorem_3(problem, 10**6, 0.9)
    assert bound.regret < 10**6 * (fair_value(problem, np.inf) - fair_value(problem, 0.9))
    assert bound.probability > 0.999


def test_the_largest_regret_is_that_of_the_costliest_context():
    """Mean rewards 0.05 and 0 in one context, 0.05 and 1 in the other."""
    assert largest_regret(unconstrained(), 200) == pytest.approx(200 * 0.95)


def test_theorem_1_is_within_corollary_1():
    """Corollary 1: at most 16 sqrt(|W| T log T) log T."""
    for horizon, size in [(2, 1), (50, 7), (5000, 12), (10**6, 300)]:
        corollary = 16 * math.sqrt(size * horizon * math.log(horizon)) * math.log(horizon)
        assert d_ucb_bound(horizon, size).regret <= corollary


def test_theorem_3_by_hand():
    bound = f_ucb_bound(5000, 12, tau=0.3, safe=0.1)
    # 11 (2 sqrt(120,000 * 17.0344) + 4 sqrt(5000 * 17.7275 * 17.0344)) = 11 (2859.46 + 4915.09)
    assert bound.regret == pytest.approx(11 * (2859.46 + 4915.09), abs=0.2)
    assert bound.probability == 1 - 1 / 5000**2
    # delta_E = 1/e, so that logs are 1 and 1 + ln 2: 3 (2 sqrt(2 * 100 * 2) + 4 sqrt(100 * 1.693147))
    other = f_ucb_bound(100, 2, tau=1, safe=0, delta_e=math.exp(-1))
    assert other.regret == pytest.approx(3 * (40 + 52.04839), abs=1e-3)


def test_what_the_proof_of_theorem_3_arrives_at_is_larger():
    """delta_E = 0.01: delta = 0.01 / (4 * 2 * 100) = 1.25e-5, ln 80,000 = 11.28978; ln 200 = 5.29832."""
    found = f_ucb_bound(100, 2, tau=0.5, safe=0.1, delta_e=0.01, of_proof=True)
    assert found.regret == pytest.approx(7 * (2 * math.sqrt(400 * 11.28978) + 4 * math.sqrt(529.832 * 11.28978)), 1e-5)
    assert found.probability == 0.99
    assert found.regret > f_ucb_bound(100, 2, tau=0.5, safe=0.1, delta_e=0.01).regret
    # The theorem's alpha_r misses the condition (tau - Delta_0)(alpha_r - 1) >= 1 + alpha_c, the proof's meets it.
    assert (0.5 - 0.1) * (2 / 0.4 - 1) < 2 <= (0.5 - 0.1) * (1 + 2 / 0.4 - 1) + 1e-12


def test_the_proof_of_theorem_3_makes_its_bound_larger_by_about_a_half():
    """E09: at the paper's thresholds and rounds, on the email campaign's 12 cells; both exceed the rounds."""
    safe = np.abs(email().discrepancies).min(axis=1).max()
    for tau in (0.1, 0.2, 0.3, 0.4, 0.5):
        stated, proved = (f_ucb_bound(5000, 12, tau, safe, of_proof=of_proof).regret for of_proof in (False, True))
        assert stated > 5000
        assert 1.35 < proved / stated < 1.65


def test_the_largest_discrepancy_of_the_email_campaign():
    """E[I4] differs by at most 3.3 - 1.8 between genders; I1 + I2 + I3 by -0.7 / 12 of that; the reward by 1 / 12."""
    assert np.abs(email().discrepancies).max() == pytest.approx(0.7 * 1.5 / 144, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: d_ucb_bound(1, 3), "horizon=1, cells=3: expected at least 2 and 1"),
        (lambda: d_ucb_bound(9, 0), "horizon=9, cells=0: expected at least 2 and 1"),
        (lambda: d_ucb_bound(9, 3, 1.0), "delta=1.0: expected a number between 0 and 1"),
        (lambda: f_ucb_bound(9, 3, 0.2, 0.1, 0.0), "delta_e=0.0: expected a number between 0 and 1"),
        (lambda: f_ucb_bound(9, 3, 0.2, 0.2), r"safe=0.2, tau=0.2: expected 0 <= safe < tau"),
    ],
)
def test_numbers_out_of_range_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
