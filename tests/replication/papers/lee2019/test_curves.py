"""lee2019's published curves: what they are made of, and how a whole curve is tested."""

import copy

import numpy as np
import pandas as pd
import pytest
from lee2019_results import CLAIMS as ALL
from lee2019_results import ROOT, TABLE_1, made_up

from causal_bandits.problems import make
from replication.judging import judges
from replication.papers.lee2019 import curves, policies, stages

CURVES = pd.read_csv(ROOT / "data/published/curves/lee2019_fig5.csv")
NAMED = {name: group for name, group in CURVES.groupby(["task", "solver", "strategy"], sort=False)}
CLAIMS = {name: claim for name, claim in ALL.items() if claim.judge == "curve"}


def judged(claim, results):
    """The verdict of a curve under the first reading."""
    return claim.default.judged(results)


# ------------------------------------------------------------------ the published curves


def test_there_are_21_of_24_curves_and_a_claim_for_each():
    arms = ("POMIS+", "POMIS", "MIS", "BF")
    all_of_them = {(task, s, p) for task in policies.TASKS for s in ("TS", "KL-UCB") for p in arms}
    assert all_of_them - set(NAMED) == {(task, "TS", "POMIS+") for task in policies.TASKS}
    assert {len(group) for group in NAMED.values()} == {101}
    assert [list(group["t"]) for group in NAMED.values()] == [[*range(1, 9902, 100), 10_000]] * 21
    assert len(CLAIMS) == 21


@pytest.mark.parametrize(("task", "most"), [("frontdoor", 0.001), ("fourvar", 0.001), ("sixvar", 0.0052)])
def test_every_point_is_a_whole_number_of_rewards_short_of_the_best_mean(task, most):
    own = CURVES[CURVES["task"] == task]
    rewards = 1000 * (make(f"lee2019/{task}").optimal_mean * own["t"] - own["regret"])
    assert np.abs(rewards - rewards.round()).max() <= most + 1e-6
    other = 1000 * ((make(f"lee2019/{task}").optimal_mean + 0.0001) * own["t"] - own["regret"])
    assert np.abs(other - other.round()).max() > 0.09  # another best mean leaves fractions


def test_the_ends_are_table_1():
    for (task, solver, strategy), group in NAMED.items():
        row = TABLE_1[task, {"TS": "thompson", "KL-UCB": "kl_ucb"}[solver]]
        printed = row[("POMIS+", "POMIS", "MIS", "BF").index(strategy)]
        assert group["regret"].iloc[-1] == pytest.approx(printed, abs=0.0051)


def test_strategies_with_the_same_arms_have_the_same_curve():
    for solver in ("TS", "KL-UCB"):
        for task, others in (("frontdoor", ("MIS", "BF")), ("fourvar", ("MIS",))):
            pomis = NAMED[task, solver, "POMIS"]["regret"].to_numpy()
            for other in others:
                np.testing.assert_allclose(NAMED[task, solver, other]["regret"], pomis, atol=0.002)


def test_a_file_with_other_columns_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("t,regret\n1,2\n")
    with pytest.raises(ValueError, match=r"a\.csv: columns t, regret; expected task, solver, strategy, t, regret"):
        stages.published_curves([], None, str(tmp_path / "a.csv"))


# ------------------------------------------------------------------ the test of a whole curve


def runs(rng, n, points=40, spread=30.0):
    """Runs whose sums add up noise: points of one run depend on each other as those of regrets do."""
    return np.cumsum(rng.normal(0, spread / np.sqrt(points), (n, points)), axis=1)


def of(drawn, expected, mean):
    n = len(expected)
    centred = [values - values.mean(axis=0) for values in (drawn, expected)]
    error = expected.std(axis=0, ddof=1) / np.sqrt(n)
    return curves.Ours(np.arange(2.0, len(mean) + 2), mean, error, *centred, spread=centred[0].std(axis=0, ddof=1))


def test_curves_of_equal_means_fail_at_the_declared_level():
    """Simulated: published means of 1,000 runs, ours of 300. At single points of 40 far more would lie outside."""
    rng, fails, single, trials = np.random.default_rng(1), 0, 0, 200
    for _ in range(trials):
        expected = runs(rng, 300)
        own = of(expected + runs(rng, 300, spread=50.0), expected, np.zeros(40))
        paper = runs(rng, 1, spread=np.hypot(30.0, 50.0))[0] / np.sqrt(curves.TRIALS)
        joint = np.hypot(own.error, own.drawn.std(axis=0, ddof=1) / np.sqrt(curves.TRIALS))
        z = np.abs((expected.mean(axis=0) - paper) / joint)
        largest = curves.largest_differences(own)
        fails += (largest >= z.max()).mean() <= curves.FEW
        single += z.max() > curves.NORMAL
    assert 1 <= fails <= 12  # 5 are expected
    assert single > 30


def test_the_border_is_that_of_one_point_where_all_points_are_one_and_higher_where_they_are_many():
    rng = np.random.default_rng(2)
    one = np.repeat(rng.normal(0, 1, (500, 1)), 30, axis=1)
    many = rng.normal(0, 1, (500, 30))
    borders = [np.quantile(curves.largest_differences(of(x, x, np.zeros(30))), 0.975) for x in (one, many)]
    assert borders[0] == pytest.approx(2.2414, abs=0.001)
    assert borders[1] == pytest.approx(3.34, abs=0.04)  # 30 independent points: 1 - 0.975 ** (1 / 30), two-sided


@pytest.mark.parametrize("exact", [False, True])
def test_the_distribution_is_that_of_simulated_curves(exact):
    """Twin: 200,000 draws with the same covariance, of a walk's first steps and of its later ones."""
    rng = np.random.default_rng(3)
    expected = runs(rng, 2000, spread=100.0)
    own = of(expected + runs(rng, 2000, spread=150.0), expected, np.zeros(40))
    covariance = np.cov(own.drawn.T) / curves.TRIALS + (not exact) * np.cov(own.expected.T) / 2000
    found = np.sort(curves.largest_differences(own, exact=exact))
    draws = rng.multivariate_normal(np.zeros(40), covariance, 200_000, method="cholesky")
    simulated = np.abs(draws / np.sqrt(np.diag(covariance))).max(axis=1)
    for share in (0.5, 0.1, 0.025, 0.01):
        border = np.quantile(simulated, 1 - share)
        assert (found >= border).mean() == pytest.approx(share, rel=0.08)
        assert np.quantile(found, 1 - share) == pytest.approx(border, abs=0.03)


def test_the_sign_of_an_eigenvector_does_not_matter(monkeypatch):
    rng = np.random.default_rng(5)
    own = of(runs(rng, 100), runs(rng, 100), np.zeros(40))
    before, eigh = curves.largest_differences(own), np.linalg.eigh
    signs = rng.choice([-1.0, 1.0], 40)
    monkeypatch.setattr(np.linalg, "eigh", lambda matrix: (eigh(matrix)[0], eigh(matrix)[1] * signs))
    np.testing.assert_array_equal(curves.largest_differences(own), before)


def test_round_1_is_known_exactly():
    results = made_up(experiments=["sixvar"])
    t = np.array([1.0, 101.0, 10_000.0])
    own = curves.ours(results, "sixvar", "TS", "BF", t)
    bandit = make("lee2019/sixvar")
    nothing = curves.ours(results, "sixvar", "KL-UCB", "BF", t)
    assert nothing.mean[0] == pytest.approx(bandit.optimal_mean - bandit.means[0])
    assert own.mean[0] == pytest.approx(bandit.optimal_mean - bandit.means.mean())
    assert own.error[0] == 0
    assert (own.error[1:] > 0).all()
    assert own.mean[2] == pytest.approx(313.39)
    assert own.spread[0] == pytest.approx(np.sqrt(bandit.means.mean() * (1 - bandit.means.mean())))
    assert own.spread[2] == pytest.approx(
        results.final("sixvar", "drawn_regret", algorithm="thompson", arms="brute_force").std()
    )


def test_between_checkpoints_every_run_is_a_straight_line():
    values = np.array([[0.0, 10.0, 30.0], [1.0, 1.0, 1.0]])
    kept, t = np.array([100.0, 200.0, 300.0]), np.array([100.0, 150.0, 201.0, 300.0])
    np.testing.assert_allclose(curves._between(values, kept, t), [[0, 5, 10.2, 30], [1, 1, 1, 1]])


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        (lambda t: 1.0, judges.Outcome.HOLDS),
        (lambda t: 1.2, judges.Outcome.FAILS),
        (lambda t: 1 + 0.2 * (2000 <= t <= 3000), judges.Outcome.FAILS),  # the end is as published
    ],
)
@pytest.mark.parametrize("name", ["frontdoor.kl_ucb.pomis_plus", "sixvar.ts.mis"])
def test_a_curve_that_differs_somewhere_is_another(name, change, outcome):
    claim = CLAIMS[f"lee2019.curve.{name}"]
    results = made_up(replicates=4000, experiments=[claim.experiment])
    label = claim.finals[0].label(results)
    table = results.finals[claim.experiment]
    own = table["policy"] == label
    for t in [*range(100, 10_000, 100)]:
        table.loc[own, f"cumulative_regret_after_{t}"] *= change(t)
    table.loc[own, "cumulative_regret"] *= change(10_000)
    found = judged(claim, results)
    assert found.outcome == outcome
    assert found.replicated.endswith(" of 101")
    if outcome == judges.Outcome.HOLDS:
        assert int(found.replicated.split()[0]) >= 99
    else:
        assert int(found.replicated.split()[0]) <= 95


@pytest.mark.parametrize("off", [0.93, 1.07])
@pytest.mark.parametrize("name", ["frontdoor.kl_ucb.pomis_plus", "sixvar.ts.mis"])
def test_no_prefix_of_the_seeds_confirms_a_curve_that_all_seeds_reject(name, off):
    claim = CLAIMS[f"lee2019.curve.{name}"]
    results = made_up(replicates=4000, experiments=[claim.experiment])
    table = results.finals[claim.experiment]
    regrets = [column for column in table if column.startswith("cumulative_regret")]
    table.loc[table["policy"] == claim.finals[0].label(results), regrets] *= off
    found = {}
    for n in (72, 100, 200, 500, 1000, 2000, 4000):
        results.finals[claim.experiment] = table[table["seed"] < n]
        found[n] = judged(claim, copy.copy(results)).outcome
    assert found[4000] == judges.Outcome.FAILS
    assert judges.Outcome.HOLDS not in found.values()


def test_a_curve_holds_where_our_error_is_half_of_the_papers_and_the_papers_own_explains_the_difference():
    t, points = np.arange(2.0, 42.0), 40

    def found(error, off):
        rng = np.random.default_rng(4)
        expected = runs(rng, 4000, spread=100.0)
        own = of(expected, expected, np.full(points, 1000.0 + off))._replace(error=np.full(points, error))
        band = curves.NORMAL * np.full(points, 1.0)
        stated = {"t": t, "regret": np.full(points, 1000.0)}
        return curves.beside(pd.DataFrame({**stated, "band_low": 1000 - band, "band_high": 1000 + band}), own)

    border = float(np.quantile(found(0.0, 0.0).of_paper, 0.975))
    assert curves.judge_curve(found(0.5, border - 0.01)).outcome == judges.Outcome.HOLDS
    assert curves.judge_curve(found(0.5, border + 0.01)).outcome == judges.Outcome.OPEN
    wide = curves.judge_curve(found(0.51, border - 0.01))
    assert (wide.outcome, wide.why) == (judges.Outcome.OPEN, judges.Why.SEEDS)
    assert curves.judge_curve(found(0.0, border + 0.5)).outcome == judges.Outcome.FAILS


def test_few_seeds_and_rounds_decide_nothing():
    claim = CLAIMS["lee2019.curve.fourvar.ts.bf"]
    few = judged(claim, made_up(experiments=["fourvar"], replicates=8))
    assert (few.outcome, few.why) == (judges.Outcome.OPEN, judges.Why.SEEDS)
    short = judged(claim, made_up(experiments=["fourvar"], horizon=5000))
    assert (short.outcome, short.why) == (judges.Outcome.OPEN, judges.Why.NOT_RUN)


# ------------------------------------------------------------------ tables


def test_the_prediction_is_of_the_curves_that_are_not_published():
    results = made_up(experiments=list(policies.TASKS))
    table = curves.predicted_curves(results)
    assert list(dict.fromkeys(zip(table["task"], table["solver"], table["strategy"], strict=True))) == [
        *((task, "TS", "POMIS+") for task in policies.TASKS),
        ("sixvar", "TS", "POMIS+, larger experiments first"),
    ]
    table = table[table["strategy"] == "POMIS+"]
    last = table[table["t"] == 10_000]
    assert list(last["regret"]) == pytest.approx([29.08, 50.29, 121.54], abs=0.001)
    for task, row in zip(policies.TASKS, last.itertuples(), strict=True):
        own = results.final(task, algorithm="z2_thompson", tried="maximal")
        assert row.band_high - row.regret == pytest.approx(1.96 * own.std() / np.sqrt(1000), abs=0.001)
        drawn = results.final(task, "drawn_regret", algorithm="z2_thompson", tried="maximal")
        expected = 1.96 * np.hypot(own.std(), drawn.std()) / np.sqrt(1000)
        assert row.regret - row.published_low == pytest.approx(expected, abs=0.001)
