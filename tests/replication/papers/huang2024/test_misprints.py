"""What the columns of huang2024's Table 1 show: the search on the exact model of Table 2."""

import numpy as np
import pytest
from made_huang2024 import LB_ROWS, TABLE_1
from scipy import stats

from replication.judging.judges import Outcome
from replication.judging.judges.intervals import clopper_pearson
from replication.papers.huang2024.bounds import context_weights, literal_columns
from replication.papers.huang2024.misprints import fit_context_weights, joint_test, judge_column, misprints
from replication.papers.huang2024.offline_tables import (
    IDENTIFIED,
)
from replication.papers.huang2024.table1 import COLUMNS, VARIABLES


def test_the_literal_columns_are_the_identified_candidates_on_the_exact_distribution(scm, candidates):
    columns = literal_columns(scm.distribution(VARIABLES))
    assert columns.keys() == IDENTIFIED.keys() == COLUMNS.keys()
    for column, name in IDENTIFIED.items():
        np.testing.assert_allclose(columns[column], candidates[name], atol=1e-12)


def test_the_literal_columns_of_a_sample_are_counted_by_hand(scm):
    """Row x1 = 1, x2 = 0, u1 = 0, u2 = 1: shares of units, times P(u1) P(u2) / P(u1, u2) among those that count."""
    exact = scm.distribution(VARIABLES)
    units = np.random.default_rng(3).multinomial(3_000, exact.ravel()).reshape(exact.shape)  # X1 X2 U1 U2 I1 Y S
    found = {name: column[0b1001] for name, column in literal_columns(units).items()}
    kept, x = units[..., 1], (1, 0)
    of_x = kept[x].sum(axis=(0, 1))  # I1, Y
    share = of_x[:, 1] / of_x.sum(axis=1)
    context = {True: kept.sum(axis=(0, 1, 4, 5)), False: units.sum(axis=(0, 1, 4, 5, 6))}
    factor = {s: c.sum(axis=1)[0] * c.sum(axis=0)[1] / (c[0, 1] * c.sum()) for s, c in context.items()}
    everybody = units[x].sum(axis=(0, 1, 2, 4))
    cell = kept[(*x, 0, 1)].sum(axis=0)
    assert found["cp"] == pytest.approx(cell[1] / cell.sum())
    assert found["biased"] == pytest.approx(of_x[:, 1].sum() / of_x.sum() * factor[True])
    assert found["lower"] == pytest.approx(share.min() * factor[True])
    assert found["upper"] == pytest.approx(share.max() * factor[True])
    assert found["truth"] == pytest.approx(everybody[1] / everybody.sum() * factor[False])


def test_weights_are_one_in_the_population_and_not_on_a_sample(scm):
    exact = scm.distribution(VARIABLES)
    sample = np.random.default_rng(0).multinomial(2_000, exact.ravel()).reshape(exact.shape)
    for selected in (False, True):
        np.testing.assert_allclose(context_weights(exact, selected), 1)
        weights = context_weights(sample, selected)
        assert np.abs(weights - 1).max() > 0.005
        fit = fit_context_weights(np.repeat([0.2, 0.3, 0.4, 0.5], 4) * weights)
        rows = sample[..., 1] if selected else sample.sum(axis=-1)
        np.testing.assert_allclose(fit.factor, [0.2, 0.3, 0.4, 0.5], atol=1e-3)
        assert fit.p_u1 == pytest.approx(rows.sum(axis=(0, 1, 3, 4, 5))[1] / rows.sum(), abs=0.02)
        assert fit.largest < 1e-6


@pytest.mark.parametrize("column", ["truth", "biased", "lower", "upper"])
def test_all_columns_but_cp_move_with_the_contexts_by_sampling_noise_alone(scm, column):
    """E02: to the last printed digit they are K(x1, x2) P(u1) P(u2) / P(u1, u2), with the margins of Table 2."""
    fit = fit_context_weights(TABLE_1[column], LB_ROWS if column == "lower" else None)
    given = {} if column == "truth" else {"S": 1}
    assert fit.largest < 6e-4
    assert fit.p_u1 == pytest.approx(scm.distribution(["U1"], given=given)[1], abs=0.015)
    assert fit.p_u2 == pytest.approx(scm.distribution(["U2"], given=given)[1], abs=0.015)


def test_misprints_are_found_by_rule():
    """E05: 0.350, 0.414 and 0.324 in rows 5, 13 and 16 of lb, where the fit to the other 13 has other numbers."""
    found = {column: misprints(values) for column, values in TABLE_1.items()}
    assert found == {"cp": None, "biased": (), "lower": (4, 12, 15), "upper": (), "truth": ()}
    fit = fit_context_weights(TABLE_1["lower"], LB_ROWS)
    np.testing.assert_allclose(fit.fitted()[[4, 12, 15]], [0.391, 0.425, 0.423], atol=6e-4)


@pytest.mark.parametrize("off", [(), (3,), (0, 9, 14)])
def test_misprints_that_were_put_there_are_found(scm, off):
    exact = scm.distribution(VARIABLES)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        sample = rng.multinomial(15_000, exact.ravel()).reshape(exact.shape)
        printed = literal_columns(sample)["upper"].round(3)
        printed[list(off)] += rng.choice([-0.03, 0.03], len(off))
        assert misprints(printed) == off


def test_the_joint_test_is_exact_and_sees_what_one_by_one_does_not():
    """One more sample has each rank as often; one that breaks what the others share is far off."""
    rng = np.random.default_rng(0)
    mixing = rng.normal(size=(3, 6))
    noise = 0.01
    draws = rng.normal(size=(3_000, 3)) @ mixing + rng.normal(0, noise, (3_000, 6))
    shares = [joint_test(draws[i], draws[1000 * k : 1000 * (k + 1)]).share for k in range(2) for i in range(2000, 2200)]
    assert np.mean(np.array(shares) <= 0.1) == pytest.approx(0.1, abs=0.05)
    apart = np.linalg.svd(mixing)[2][-1]  # a direction in which nothing but the noise moves
    broken = draws[2000] + 10 * noise * apart
    assert (np.abs(broken - draws.mean(axis=0)) < 2 * draws.std(axis=0)).all()
    assert joint_test(broken, draws[:1000]).share < 0.01
    assert joint_test(draws[:1000].mean(axis=0), draws[:1000]).share == 1
    with pytest.raises(ValueError, match=r"40 samples of 6 numbers, 6 published"):
        joint_test(broken, draws[:40])


def test_a_column_is_judged_as_one_sample():
    rng = np.random.default_rng(0)
    samples = rng.normal(0.5, 0.1, (1000, 7))
    assert judge_column(rng.normal(0.5, 0.1, 7), samples).outcome == Outcome.HOLDS
    far = rng.normal(0.5, 0.5, 7)
    verdicts = [judge_column(far, samples[:n]).outcome for n in (69, 145, 146, 1000)]
    assert verdicts == [Outcome.OPEN, Outcome.OPEN, Outcome.FAILS, Outcome.FAILS]
    assert judge_column(far, samples).reason == "p = 0.000999, boundary 0.025"


def test_a_column_is_judged_with_what_its_cells_share():
    """Every sample has its two halves equal: a column that has not is none, however near; one that has may be."""
    rng = np.random.default_rng(1)
    halves = rng.normal(0.5, 0.1, (400, 3))
    samples = np.hstack([halves, halves])
    assert judge_column(np.full(6, 0.5), samples).outcome == Outcome.HOLDS
    assert judge_column(np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.51]), samples).outcome == Outcome.FAILS


def test_a_column_of_the_same_samples_is_rejected_at_its_level():
    for n in (80, 300):
        rng = np.random.default_rng(n)
        drawn = (rng.exponential(1, (n + 1, 8)) for _ in range(400))
        found = [judge_column(samples[0].round(3), samples[1:]).outcome for samples in drawn]
        assert found.count(Outcome.FAILS) <= stats.binom.ppf(0.999, 400, 0.025)


def test_the_interval_of_a_column_covers_what_endless_samples_give():
    """The distance is measured by the samples' own covariance: the counts alone vary less than it does."""
    column, rng = np.full(8, 0.6), np.random.default_rng(2)
    limit = stats.chi2.sf((column**2).sum() / 0.25, 8)
    covered = covered_by_counts = 0
    for _ in range(200):
        samples = rng.normal(0, 0.5, (300, 8)).round(3)
        low, high = clopper_pearson(joint_test(column, samples).as_far, 300)
        judged = judge_column(column, samples)
        covered += judged.ci_low <= limit <= judged.ci_high
        covered_by_counts += low <= limit <= high
    assert covered >= 190
    assert covered_by_counts < 180
