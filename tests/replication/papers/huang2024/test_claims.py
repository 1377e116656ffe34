"""The judging of huang2024's claims on made-up results whose verdicts are known."""

import numpy as np
import pandas as pd
import pytest
from judgements import counted, numbers, under
from made_huang2024 import CLAIMS, PUBLISHED, exact_files, judged, made, samples, with_column
from scipy import stats

from causal_bandits.problems.huang2024 import PROBLEMS
from experiments.files import write
from replication.judging.judges import Outcome, Why
from replication.judging.judges.intervals import clopper_pearson
from replication.papers.huang2024 import tables
from replication.papers.huang2024.judges import joint_test, judge_column
from replication.papers.huang2024.stages import cp_samples, exact_bounds_at_levels, random_models, rows_of_pairs
from replication.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound

EFFECT = rows_of_pairs(PROBLEMS["synthetic"]().means)
CENTRE = np.linspace(0.3, 0.6, 16)
ORDER = "huang2024.order.linear.lin_ucb.lin_ucb_pcb"
BIASED_ORDER = "huang2024.order.linear.lin_ucb_biased.lin_ucb_pcb"


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    return exact_files(tmp_path_factory.mktemp("exact"))


@pytest.fixture(scope="module")
def limits(exact):
    return tables.by_row(exact["bounds_contextual_exact"]).set_index("row").sort_index()


def is_cp(settings):
    return settings.get("warm_start") == "cp"


def is_pcb(settings):
    return settings["algorithm"] == "lin_ucb_pcb"


# ------------------------------------------------------------------ Table 1


def test_the_order_of_the_claims_does_not_matter():
    shuffled = PUBLISHED.sample(frac=1.0, random_state=3)
    for column in ("CP", "Truth"):
        found = tables.published_column(made(published=shuffled), column)
        assert found.tolist() == tables.published_column(made(), column).tolist()
    truths = [judged(f"huang2024.table1.{row}.truth", made(published=shuffled), default=True) for row in (1, 16)]
    assert [found.replicated for found in truths] == [f"{EFFECT[0]:.4f}", f"{EFFECT[15]:.4f}"]


@pytest.mark.parametrize(
    ("off_here", "off_elsewhere", "seeds", "verdict"),
    [
        (0.0, 0.0, 400, Outcome.HOLDS),
        (0.04, 0.0, 400, Outcome.FAILS),  # more than two standard deviations
        (0.0, 0.03, 400, Outcome.FAILS),  # no sample has such a column
        (0.0, 0.03, 40, Outcome.OPEN),  # too few samples to tell whether one has
        (0.04, 0.03, 40, Outcome.OPEN),  # nor whether one has such a cell
        (0.04, 0.03, 200, Outcome.FAILS),
    ],
)
def test_a_cell_stands_and_falls_with_its_column(tmp_path, off_here, off_elsewhere, seeds, verdict):
    path = samples(tmp_path / "bounds.parquet", {"biased": CENTRE}, seeds)
    rng, row = np.random.default_rng(5), 6
    column = CENTRE + rng.normal(0, 0.01, 16) + off_elsewhere
    column[row] = CENTRE[row] + off_here
    results = made(files={"bounds_contextual": path}, published=with_column("Biased", column))
    found = judged("huang2024.table1.7.biased", results, default=True, value=f"{column[row]:.6f}")
    assert (found.outcome, found.n) == (verdict, seeds)
    assert float(found.replicated) == pytest.approx(CENTRE[row], abs=0.005)


def test_one_sample_tells_nothing(tmp_path):
    path = samples(tmp_path / "bounds.parquet", {"biased": CENTRE}, 1)
    results = made(files={"bounds_contextual": path})
    assert judged("huang2024.table1.7.biased", results, default=True).outcome == Outcome.OPEN


@pytest.mark.parametrize(("seeds", "verdict"), [(20_000, Outcome.HOLDS), (100, Outcome.OPEN)])
def test_cp_is_judged_by_samples_of_its_own(tmp_path, seeds, verdict):
    """Ledger L160: a sample of the same kind, whatever the number of samples that it is held against."""
    path = str(tmp_path / "cp.parquet")
    write(cp_samples(range(seeds), np.random.default_rng, 30_000), path)
    (own,) = tables.cp_per_sample(write_one(tmp_path / "one.parquet", 77))
    results = made(files={"bounds_cp": path}, published=with_column("CP", own))
    found = judged("huang2024.table1.7.cp", results, default=True, value=f"{own[6]:.3f}")
    assert (found.outcome, found.n) == (verdict, seeds)
    off = judged("huang2024.table1.7.cp", made(files={"bounds_cp": path}), default=True, value="0.9")
    assert off.outcome in (Outcome.FAILS, verdict if verdict is Outcome.OPEN else Outcome.FAILS)


def write_one(path, seed):
    write(cp_samples([0], lambda _: np.random.default_rng(seed), 30_000), str(path))
    return str(path)


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


def test_biased_is_judged_under_every_reading(tmp_path):
    columns = {"biased": CENTRE + 0.1, "biased_conditional": CENTRE - 0.1, "observed": CENTRE}
    path = samples(tmp_path / "bounds.parquet", columns, 200)
    results = made(files={"bounds_contextual": path}, published=with_column("Biased", CENTRE))
    found = judged("huang2024.table1.3.biased", results, value=f"{CENTRE[2]:.6f}")
    assert found.outcome == Outcome.DEPENDS
    assert under(found, "Eq. 2 as printed").outcome == Outcome.FAILS
    assert under(found, "Eq. 2 given the context").outcome == Outcome.FAILS
    assert under(found, "P(y | x, S=1)").outcome == Outcome.HOLDS
    assert {"L25", "E02"} == set(found.ledger.split())


@pytest.mark.parametrize(("bound", "column"), [("lower", "BCE lb"), ("upper", "BCE ub")])
def test_a_bound_to_the_letter_is_computed(tmp_path, bound, column):
    columns = {bound: CENTRE, "strict_lower": 0.0, "strict_upper": 1.0}
    path = samples(tmp_path / "bounds.parquet", columns, 200)
    results = made(files={"bounds_contextual": path}, published=with_column(column, CENTRE))
    found = judged(f"huang2024.table1.3.{bound}", results, value=f"{CENTRE[2]:.6f}")
    assert found.outcome == Outcome.DEPENDS
    assert under(found, "conditional substitutes").outcome == Outcome.HOLDS
    shown = {"lower": "0.0000000", "upper": "1.0000000"}[bound]
    literal = under(found, "Algorithm 1 to the letter")
    assert (literal.outcome, literal.replicated) == (Outcome.FAILS, shown)


def test_the_truth_is_the_exact_effect_of_its_own_row():
    results = made()
    cells = [claim for claim in CLAIMS.values() if claim.judge == "truth"]
    assert len(cells) == 16
    for row, claim in enumerate(cells):
        found = judged(claim.printed.id, results, default=True)
        assert (found.outcome, found.n, found.ledger) == (Outcome.FAILS, 0, "E03")
        assert judged(claim.printed.id, results, default=True, value=f"{EFFECT[row]:.3f}").outcome == Outcome.HOLDS
        off = judged(claim.printed.id, results, default=True, value=f"{EFFECT[row] + 0.002:.3f}")
        assert off.outcome == Outcome.FAILS


# ------------------------------------------------------------------ offline evaluation


def test_bounds_contain_the_effect_as_printed_exactly_or_on_one_sample(tmp_path, exact):
    def found(shares_missed, published=None):
        columns = {"lower": EFFECT - 0.1, "upper": EFFECT + 0.1}
        path = samples(tmp_path / "bounds.parquet", columns, 200)
        frame = pd.read_parquet(path)
        missed = frame["seed"] < 200 * shares_missed
        frame.loc[missed & (frame["arm"] == 1) & (frame["context"] == 2), "upper"] = 0.0
        frame.to_parquet(path, index=False)
        files = {**exact, "bounds_contextual": path}
        return judged("huang2024.contains.bce", made(files=files, published=published))

    as_published = found(0.7)
    assert (as_published.outcome, as_published.why) == (Outcome.FAILS, Why.ERROR)
    printed = under(as_published, "Table 1 prints")
    assert (printed.outcome, printed.n, printed.replicated) == (Outcome.FAILS, 0, "12")
    assert "exact bounds contain the effect in 16 rows" in printed.reason
    # Proven to contain the effects, whatever the paper prints: told, and not counted.
    proven = under(as_published, "bounds from infinite offline data")
    assert (proven.replicated, proven.why) == ("16", Why.BY_CONSTRUCTION)
    assert "holds under none of 2 readings, fails under 2; 1 true by construction" in as_published.reason
    # A guarantee must hold for 19 of 20 samples.
    sample = under(as_published, "one offline sample")
    assert (sample.outcome, sample.replicated) == (Outcome.FAILS, "60 of 200")
    assert under(found(0.05), "one offline sample").outcome == Outcome.OPEN
    assert under(found(0.0), "one offline sample").outcome == Outcome.HOLDS
    better = with_column("BCE ub", EFFECT + 0.01)
    assert found(0.7, better).outcome == Outcome.DEPENDS
    assert found(0.0, better).outcome == Outcome.HOLDS


def test_a_bias_is_held_against_the_printed_digits_and_the_noise_of_one_sample(tmp_path, exact, limits):
    def found(sd, seeds=200, **changed):
        path = samples(tmp_path / "bounds.parquet", {"cp": limits["cp"]}, seeds, sd)
        return judged("huang2024.deviates.cp", made(files={**exact, "bounds_contextual": path, **changed}))

    endless = under(found(0.01), "on infinite offline data")
    assert (endless.outcome, endless.n, endless.replicated) == (Outcome.HOLDS, 0, "16")
    assert {"0.057", "0.090"} <= set(numbers(endless.reason))
    assert found(0.01).outcome == Outcome.HOLDS  # the smallest gap is 0.057
    noisy = under(found(0.3), "beyond the noise of one offline sample")
    assert (noisy.outcome, noisy.replicated) == (Outcome.FAILS, "0")
    unbiased = tables.by_row(exact["bounds_contextual_exact"])
    unbiased["cp"] = np.where(unbiased["row"] == 3, EFFECT[3], unbiased["cp"])
    unbiased.to_parquet(tmp_path / "unbiased.parquet")
    judgement = under(found(0.01, bounds_contextual_exact=str(tmp_path / "unbiased.parquet")), "infinite offline data")
    assert (judgement.outcome, judgement.replicated) == (Outcome.FAILS, "15")


def test_theorem_4_is_refuted_without_the_exchange_condition_alone(tmp_path):
    path = str(tmp_path / "models.parquet")
    write(random_models(range(60), np.random.default_rng), path)
    found = judged("huang2024.theorem4.bounds", made(files={"bounds_theorem_4": path}))
    assert found.outcome == Outcome.DEPENDS
    printed, strict = under(found, "as the theorem is printed"), under(found, "stated before it")
    assert (printed.outcome, printed.n) == (Outcome.FAILS, 0)
    assert 6 < int(printed.replicated) < 60
    assert (strict.outcome, strict.replicated) == (Outcome.HOLDS, "0")


def test_bounds_of_0_and_1_hold_by_construction(exact):
    found = judged("huang2024.theorem3.example", made(files=exact))
    assert (found.outcome, found.why, found.replicated) == (Outcome.HOLDS, Why.BY_CONSTRUCTION, "16")


def test_line_13_asks_for_more_plays_than_there_are(exact):
    found = judged("huang2024.oam.line_13", made(files=exact))
    assert (found.outcome, found.n, found.replicated) == (Outcome.FAILS, 0, ">")
    problem = PROBLEMS["synthetic"](bounds=exact["bounds_contextual_exact"], draw=0)
    means = problem.means
    gaps = np.unique(np.round(means.max(axis=1, keepdims=True) - means, 9))
    log, d = np.log(15_000), 5
    confidence = 2 * (1 + 1 / log) * log + d * np.log(d * log)
    assert f"{min(15_000, confidence / gaps[1]) ** 2:,.0f}" in numbers(found.reason)


def test_what_approximately_means_decides(tmp_path):
    rng = np.random.default_rng(0)

    def found(size):
        counts = pd.DataFrame({"seed": np.repeat(range(400), 2), "count": size // 2 + rng.integers(-60, 60, 800)})
        counts.to_parquet(tmp_path / "offline.parquet")
        return judged("huang2024.kept.offline", made(files={"data_offline": str(tmp_path / "offline.parquet")}))

    assert (found(14_290).outcome, found(14_290).n) == (Outcome.DEPENDS, 400)
    assert under(found(14_290), "to the nearest thousand").outcome == Outcome.FAILS
    assert under(found(14_290), "to the nearest five thousand").outcome == Outcome.HOLDS
    assert found(14_800).outcome == Outcome.HOLDS
    assert found(12_000).outcome == Outcome.FAILS


def test_the_exact_bounds_must_hold_at_the_worst_level(tmp_path, exact):
    path = tmp_path / "levels.parquet"
    table = exact_bounds_at_levels([0], None, [0, 1], [0, 1.25]).to_pandas()
    table.to_parquet(path)
    found = judged("huang2024.robust.bounds", made(files={"bounds_levels_exact": str(path)}))
    assert (found.outcome, found.why, found.replicated) == (Outcome.HOLDS, Why.BY_CONSTRUCTION, "16")
    table.loc[(table["confounding"] == 1) & (table["selection"] == 0) & (table["arm"] == 2), "upper"] = 0.0
    table.to_parquet(path)
    found = judged("huang2024.robust.bounds", made(files={"bounds_levels_exact": str(path)}))
    assert (found.outcome, found.replicated) == (Outcome.FAILS, "12")


def test_regret_is_compared_at_every_level():
    def regret(experiment, settings):
        strong = (settings.get("confounding"), settings.get("selection")) == (2, 0)
        return 100.0 + (0.0 if is_pcb(settings) or strong else 9.0)

    claim = "huang2024.robust.lin_ucb.lin_ucb_pcb"
    found = judged(claim, made(regret))
    assert found.outcome == Outcome.FAILS
    assert "at 8 of 9 levels, worst at {confounding: 2, selection: 0}" in found.reason
    assert judged(claim, made(lambda e, s: 100.0 + 9.0 * (not is_pcb(s)))).outcome == Outcome.HOLDS


def test_the_worked_example_is_computed():
    found = judged("huang2024.ancestors.example", made())
    assert (found.outcome, found.replicated) == (Outcome.FAILS, "{I1} {U1} {U2} {Y}")
    assert judged("huang2024.ancestors.example", made(), value="{I1} {U1} {U2} {Y}").outcome == Outcome.HOLDS
    found = judged("huang2024.substitutes.example", made())
    assert (found.outcome, found.n) == (Outcome.DEPENDS, 0)
    assert under(found, "conditional substitutes").outcome == Outcome.HOLDS
    assert under(found, "to the letter").outcome == Outcome.FAILS
    assert judged("huang2024.substitutes.example", made(), value="{Y}").outcome == Outcome.FAILS


# ------------------------------------------------------------------ orderings


@pytest.mark.parametrize(
    ("default", "others", "verdict"),
    [
        (9.0, 9.0, Outcome.HOLDS),
        (9.0, -9.0, Outcome.DEPENDS),
        (-9.0, 9.0, Outcome.DEPENDS),
        (-9.0, -9.0, Outcome.FAILS),
    ],
)
def test_an_ordering_must_hold_under_every_reading(default, others, verdict):
    def regret(experiment, settings):
        above = default if experiment == "linear" else others
        return 100.0 + (0.0 if is_pcb(settings) else above)

    found = judged(ORDER, made(regret))
    assert found.outcome == verdict
    assert under(found, "alpha = 0.5")
    assert set(found.ledger.split()) == {"L22", "L55", "L61", "L92"}


@pytest.mark.parametrize(
    ("exception", "reading"),
    [
        ({"alpha": 0.25}, "alpha = 0.25"),
        ({"warm_weight": 1}, "weight 1"),
        ({"warm_start": "observed"}, "P(y | x, S=1)"),
    ],
)
def test_a_warm_start_is_compared_with_the_policy_of_the_same_reading(exception, reading):
    """One reading fails alone: the warm start that it selects, and no other, lies below LinUCB-PCB."""

    def regret(experiment, settings):
        if is_pcb(settings):
            return 100.0
        return 90.0 if exception.items() <= settings.items() else 110.0

    found = judged(BIASED_ORDER, made(regret))
    assert found.outcome == Outcome.DEPENDS
    assert [name for name, told in found.readings if told.outcome == Outcome.FAILS] == [reading]


def test_the_default_of_a_warm_start_is_no_warm_start():
    def regret(experiment, settings):
        return 110.0 if is_cp(settings) else 100.0 if settings.get("warm_start") is None else 50.0

    found = judged("huang2024.order.linear.lin_ucb_cp.lin_ucb", made(regret))
    assert (found.outcome, counted(found, Outcome.HOLDS)) == (Outcome.HOLDS, 4)


def test_extras_that_are_left_out_leave_the_ordering():
    def regret(experiment, settings):
        return 100.0 + 9.0 * (not is_pcb(settings))

    found = judged(ORDER, made(regret, extras=False))
    assert (found.outcome, found.why) == (Outcome.OPEN, Why.NOT_RUN)
    for reading in ("alpha = 0.5", "one theta for all arms", "one arm per cell of Table 1"):
        assert under(found, reading).why == Why.NOT_RUN
    assert judged("huang2024.theorem5.linear.lin_ucb_pcb", made(extras=False)).why == Why.NOT_RUN


def test_a_shorter_run_is_not_judged():
    for claim_id in (ORDER, "huang2024.order.oam.oam.oam_pcb", "huang2024.order.non_contextual.ucb.ucb_pcb"):
        found = judged(claim_id, made(horizon=100))
        assert found.outcome == Outcome.OPEN
        assert found.why == Why.NOT_RUN


def test_oam_is_judged_by_how_far_the_bounds_reach():
    def regret(experiment, settings):
        return 100.0 - 9.0 * (settings.get("bounds_enter") == "arms" and settings["epsilon"] == 1)

    found = judged("huang2024.order.oam.oam.oam_pcb", made(regret))
    assert found.outcome == Outcome.DEPENDS
    assert under(found, "eps_t as printed, Algorithm 5 as printed").outcome == Outcome.FAILS
    assert under(found, "arms left out too").outcome == Outcome.HOLDS
    assert under(found, "eps_t times 0.01, arms left out too").outcome == Outcome.FAILS
    assert set(found.ledger.split()) == {"L57", "L58", "E30"}


def test_what_theorems_promise_of_the_bounds_is_computed(exact):
    """Theorem 5's longest arm is a best one and Theorem 8's bounds rule nothing out; Theorem 7's do (E13)."""
    for theorem, pairs in ((5, {"8", "16"}), (8, {"0", "4"})):
        found = judged(f"huang2024.theorem{theorem}.gain", made(files=exact))
        without, relation, clipped = found.replicated.split()
        assert (found.n, relation) == (0, "=")
        assert found.why == (Why.UNTESTABLE if theorem == 8 else None)  # a gain is promised where some are
        assert without == clipped
        assert pairs <= set(numbers(found.reason))  # ruled out, and all
    free = PROBLEMS["non_contextual"](bounds=exact["bounds_non_contextual_exact"], draw=0)
    assert f"{ucb_bound(free, 15_000, with_bounds=False):.1f}" in numbers(found.reason)
    found = judged("huang2024.theorem7.gain", made(files=exact))
    assert (found.outcome, found.n, found.replicated.split()[1]) == (Outcome.DEPENDS, 0, ">")
    assert under(found, "all arms, as printed").outcome == Outcome.FAILS


# ------------------------------------------------------------------ theorems


def test_never_is_on_no_seed():
    """Only the alpha of the lemma's proof counts."""
    for alpha, outcome in ((1, Outcome.HOLDS), (9, Outcome.FAILS)):
        found = made(ruled_out=lambda _, s, alpha=alpha: np.eye(800)[0] * (s.get("alpha") == alpha), seeds=800)
        assert judged("huang2024.lemma6", found).outcome == outcome
    assert judged("huang2024.lemma6", made(ruled_out=lambda *_: np.zeros(800), seeds=800)).outcome == Outcome.HOLDS
    assert judged("huang2024.lemma6", made(ruled_out=lambda *_: np.zeros(20), seeds=20)).outcome == Outcome.OPEN


def test_lower_regret_on_average_and_in_every_run_are_two_readings():
    def regret(higher):
        def of(experiment, settings):
            rng = np.random.default_rng(1)
            below = np.where(np.arange(800) < higher, -20.0, 10.0) + rng.normal(0, 1, 800)
            return 100.0 - below if is_pcb(settings) else np.full(800, 100.0)

        return of

    for higher, outcome in ((0, Outcome.HOLDS), (1, Outcome.DEPENDS), (480, Outcome.FAILS)):
        assert judged("huang2024.theorem6", made(regret(higher), seeds=800)).outcome == outcome
    found = judged("huang2024.theorem6", made(regret(1), seeds=800))
    assert under(found, "on average").outcome == Outcome.HOLDS
    assert under(found, "in every run").replicated == "799 of 800"


def test_bounds_that_nothing_can_break_test_nothing(exact):
    for claim_id in ("huang2024.theorem5.linear.lin_ucb_pcb", "huang2024.theorem8.non_contextual.ucb_pcb"):
        found = judged(claim_id, made(files=exact))
        assert found.outcome == Outcome.OPEN
        assert found.why == Why.UNTESTABLE


def test_theorem_5_is_judged_by_seed_and_theorem_8_by_the_mean(exact):
    """At ten million rounds either bound is below what a policy can lose."""
    horizon = 10**7
    contextual = PROBLEMS["synthetic"](bounds=exact["bounds_contextual_exact"], draw=0)
    free = PROBLEMS["non_contextual"](bounds=exact["bounds_non_contextual_exact"], draw=0)
    fifth = lin_ucb_bound(contextual, horizon, with_bounds=True)
    eighth = ucb_bound(free, horizon, with_bounds=True)

    def verdict(claim_id, values):
        return judged(claim_id, made(lambda *_: values, files=exact, horizon=horizon, seeds=800)).outcome

    low, one_high = np.linspace(0.1, 0.5, 800), np.r_[np.linspace(0.1, 0.5, 799), 1.1]
    claims = ("huang2024.theorem5.linear.lin_ucb_pcb", "huang2024.theorem8.non_contextual.ucb_pcb")
    assert [verdict(c, low * b) for c, b in zip(claims, (fifth, eighth), strict=True)] == [Outcome.HOLDS] * 2
    assert verdict(claims[0], one_high * fifth) == Outcome.FAILS
    assert verdict(claims[1], one_high * eighth) == Outcome.HOLDS
    assert verdict(claims[1], (low + 1) * eighth) == Outcome.FAILS


def test_theorem_7_cannot_be_tested(exact):
    found = judged("huang2024.theorem7.oam.oam_pcb", made(files=exact))
    problem = PROBLEMS["synthetic"](bounds=exact["bounds_contextual_exact"], draw=0)
    assert found.outcome == Outcome.OPEN
    assert f"{oam_bound(problem, 15_000, with_bounds=True):.1f}" in numbers(found.reason)
