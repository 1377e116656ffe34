"""The judging of huang2024's claims on made-up results whose verdicts are known."""

import numpy as np
import pandas as pd
import pytest
from made_huang2024 import CLAIMS, PUBLISHED, exact_files, judged, made, samples, with_column

from replication.judging.judges import (
    BY_CONSTRUCTION,
    CALIBRATED,
    COMPUTED,
    CONTRADICTED,
    DIRECTION_ONLY,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
)
from replication.papers.huang2024 import offline_claims
from replication.papers.huang2024 import samples as offline_samples
from replication.papers.huang2024.bounds import exact_bounds_at_levels
from replication.papers.huang2024.problems import PROBLEMS
from replication.papers.huang2024.table1 import rows_of_pairs
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
    return offline_samples.by_row(exact["bounds_contextual_exact"]).set_index("row").sort_index()


def is_cp(settings):
    return settings.get("warm_start") == "cp"


def is_pcb(settings):
    return settings["algorithm"] == "lin_ucb_pcb"


# ------------------------------------------------------------------ Table 1


def test_a_claim_of_table_1_names_the_index_that_it_is_about():
    for column in ("CP", "Biased", "BCE lb", "BCE ub", "Truth"):
        claims = [claim for claim in CLAIMS.values() if (claim.item, claim.column) == ("Table 1", column)]
        assert [claim.row for claim in claims] == [f"index {claim.arguments['index']}" for claim in claims]
        assert sorted(claim.arguments["index"] for claim in claims) == list(range(1, 17))


def test_the_order_of_the_claims_does_not_matter():
    shuffled = PUBLISHED.sample(frac=1.0, random_state=3)
    for column in ("CP", "Truth"):
        found = offline_samples.published_column(made(published=shuffled), column)
        assert found.tolist() == offline_samples.published_column(made(), column).tolist()
    truths = [judged(f"huang2024.table1.{row}.truth", made(published=shuffled), readings="") for row in (1, 16)]
    assert [found.replicated for found in truths] == [f"{EFFECT[0]:.4f}", f"{EFFECT[15]:.4f}"]


@pytest.mark.parametrize(
    ("off_here", "off_elsewhere", "seeds", "verdict"),
    [
        (0.0, 0.0, 400, REPRODUCED),
        (0.04, 0.0, 400, NOT_REPRODUCED),  # more than two standard deviations
        (0.0, 0.03, 400, NOT_REPRODUCED),  # no sample has such a column
        (0.0, 0.03, 40, INCONCLUSIVE),  # too few samples to tell whether one has
        (0.04, 0.03, 40, INCONCLUSIVE),  # nor whether one has such a cell
        (0.04, 0.03, 200, NOT_REPRODUCED),
    ],
)
def test_a_cell_stands_and_falls_with_its_column(tmp_path, off_here, off_elsewhere, seeds, verdict):
    path = samples(tmp_path / "bounds.parquet", {"cp": CENTRE}, seeds)
    rng, row = np.random.default_rng(5), 6
    column = CENTRE + rng.normal(0, 0.01, 16) + off_elsewhere
    column[row] = CENTRE[row] + off_here
    files = {"bounds_contextual": path, "bounds_eq_11": path}
    results = made(files=files, published=with_column("CP", column))
    found = judged("huang2024.table1.7.cp", results, value=f"{column[row]:.6f}")
    assert (found.verdict, found.n) == (verdict, seeds)
    if verdict != INCONCLUSIVE:
        assert found.level == pytest.approx(0.025 + 0.05)  # of the test of the cell, and of that of the column
    assert float(found.replicated) == pytest.approx(CENTRE[row], abs=0.005)
    assert "the column as a whole: " in found.why


def test_the_reading_found_with_the_table_in_view_is_told_and_lifts_nothing(tmp_path):
    """Ledger L90."""
    text = {"biased": CENTRE + 0.1, "biased_conditional": CENTRE + 0.1, "observed": CENTRE + 0.1}
    files = {
        "bounds_contextual": samples(tmp_path / "text.parquet", text, 400),
        "bounds_eq_11": samples(tmp_path / "eq_11.parquet", {"biased": CENTRE, "truth": CENTRE}, 400),
    }
    results = made(files=files, published=with_column("Biased", CENTRE))
    found = judged("huang2024.table1.7.biased", results, value=f"{CENTRE[6]:.6f}")
    assert (found.verdict, found.evidence) == (NOT_REPRODUCED, SIMULATED)
    assert "Eq. 2 as printed: does not hold" in found.why
    assert "found with the table in view: calibrated (" in found.why
    assert {"L90"} <= set(found.ledger.split())
    results = made(files=files, published=with_column("Truth", CENTRE))
    found = judged("huang2024.table1.7.truth", results, value=f"{CENTRE[6]:.6f}")
    assert found.verdict == CONTRADICTED
    assert "the exact effect of Table 2: contradicted by the paper" in found.why


def test_the_literal_column_is_compared_without_its_misprints(tmp_path):
    """Of lb as printed the rows 5, 13 and 16 are left out of the column, but each is judged itself."""
    printed = PUBLISHED[PUBLISHED["column"] == "BCE lb"]["value"].astype(float).to_numpy()
    centre = printed + np.where(np.isin(np.arange(16), (4, 12, 15)), 0.1, 0.0)
    results = made(files={"bounds_eq_11": samples(tmp_path / "eq_11.parquet", {"lower": centre}, 400)})
    for row, fits in ((4, True), (5, False)):
        claim = CLAIMS[f"huang2024.table1.{row}.lower"]
        found = offline_claims.cell(claim, results, index=row, estimate="lower", precision=10.0, literal=True)
        assert found.verdict == CALIBRATED
        assert "the column without rows 5, 13, 16" in found.why
        assert (abs(float(found.replicated) - claim.number) < 0.05) is fits


def test_one_sample_tells_nothing(tmp_path):
    path = samples(tmp_path / "bounds.parquet", {"cp": CENTRE}, 1)
    files = {"bounds_contextual": path, "bounds_eq_11": path}
    assert judged("huang2024.table1.7.cp", made(files=files)).verdict == INCONCLUSIVE


def test_biased_is_judged_under_every_reading(tmp_path):
    columns = {"biased": CENTRE + 0.1, "biased_conditional": CENTRE - 0.1, "observed": CENTRE}
    path = samples(tmp_path / "bounds.parquet", columns, 200)
    results = made(files={"bounds_contextual": path, "bounds_eq_11": path}, published=with_column("Biased", CENTRE))
    found = judged("huang2024.table1.3.biased", results, value=f"{CENTRE[2]:.6f}")
    assert found.verdict == DIRECTION_ONLY
    assert "Eq. 2 as printed: does not hold" in found.why
    assert "Eq. 2 given the context: does not hold" in found.why
    assert "P(y | x, S=1): holds" in found.why
    assert "found with the table in view: calibrated (" in found.why
    assert {"L25", "E02", "L90"} == set(found.ledger.split())


@pytest.mark.parametrize(("bound", "column"), [("lower", "BCE lb"), ("upper", "BCE ub")])
def test_a_bound_to_the_letter_is_computed(tmp_path, bound, column):
    columns = {bound: CENTRE, "strict_lower": 0.0, "strict_upper": 1.0}
    path = samples(tmp_path / "bounds.parquet", columns, 200)
    files = {"bounds_contextual": path, "bounds_eq_11": path}
    results = made(files=files, published=with_column(column, CENTRE))
    found = judged(f"huang2024.table1.3.{bound}", results, value=f"{CENTRE[2]:.6f}")
    assert found.verdict == DIRECTION_ONLY
    assert "conditional substitutes: holds" in found.why
    shown = {"lower": "0.0000000", "upper": "1.0000000"}[bound]
    assert f"Algorithm 1 to the letter: contradicted by the paper ({shown})" in found.why


def test_the_truth_is_the_exact_effect_of_its_own_row():
    results = made()
    cells = [claim for claim in CLAIMS.values() if claim.judge == "truth"]
    assert len(cells) == 16
    for row, claim in enumerate(cells):
        found = judged(claim.claim_id, results, readings="")
        assert (found.verdict, found.evidence, found.ledger) == (CONTRADICTED, COMPUTED, "E03")
        assert judged(claim.claim_id, results, readings="", value=f"{EFFECT[row]:.3f}").verdict == REPRODUCED
        off = judged(claim.claim_id, results, readings="", value=f"{EFFECT[row] + 0.002:.3f}")
        assert off.verdict == CONTRADICTED
    assert len({claim.fact for claim in cells}) == 1


# ------------------------------------------------------------------ offline evaluation


def test_the_published_bounds_are_held_against_the_effect(exact):
    found = judged("huang2024.contains.bce.truth", made(files=exact))
    assert (found.verdict, found.evidence, found.replicated) == (CONTRADICTED, COMPUTED, "12")
    assert "this study's bounds of the exact distribution contain it in 16" in found.why
    wide = with_column("BCE ub", EFFECT + 0.01)
    assert judged("huang2024.contains.bce.truth", made(files=exact, published=wide)).verdict == REPRODUCED


def test_one_samples_bounds_must_contain_all_effects_at_once(tmp_path):
    def found(missing, seeds=200):
        columns = {"lower": EFFECT - 0.1, "upper": EFFECT + 0.1}
        columns |= {"confident_lower": EFFECT - 0.3, "confident_upper": EFFECT + 0.3}
        path = samples(tmp_path / "bounds.parquet", columns, seeds)
        frame = pd.read_parquet(path)
        frame.loc[(frame["seed"] < missing) & (frame["arm"] == 1) & (frame["context"] == 2), "upper"] = 0.0
        frame.to_parquet(path, index=False)
        return judged("huang2024.contains.bce.sample", made(files={"bounds_contextual": path}))

    assert (found(0).verdict, found(0).evidence) == (REPRODUCED, SIMULATED)
    assert (found(60).verdict, found(60).replicated) == (NOT_REPRODUCED, "140 of 200")
    assert "15.7 of 16 cells on average" in found(60).why
    assert "valid for a finite sample: all at once in 100.0 % of samples" in found(60).why
    assert found(10).verdict == INCONCLUSIVE


def test_a_bias_in_the_limit_is_computed_and_one_that_a_sample_shows_is_counted(tmp_path, exact, limits):
    limit, sample = "huang2024.deviates.cp.limit", "huang2024.deviates.cp.sample"

    def shown(sd, seeds=200):
        path = samples(tmp_path / "bounds.parquet", {"cp": limits["cp"]}, seeds, sd)
        return judged(sample, made(files={**exact, "bounds_contextual": path}))

    found = judged(limit, made(files=exact))
    assert (found.verdict, found.evidence, found.replicated) == (REPRODUCED, COMPUTED, "16")
    assert "it misses the effect by 0.0574 to 0.0901" in found.why
    assert (shown(0.01).verdict, shown(0.01).evidence) == (REPRODUCED, SIMULATED)  # the smallest gap is 0.057
    assert shown(0.05).verdict == NOT_REPRODUCED
    assert shown(0.01, seeds=20).verdict == INCONCLUSIVE
    unbiased = offline_samples.by_row(exact["bounds_contextual_exact"])
    unbiased["cp"] = np.where(unbiased["row"] == 3, EFFECT[3], unbiased["cp"])
    unbiased.to_parquet(tmp_path / "unbiased.parquet")
    files = {**exact, "bounds_contextual_exact": str(tmp_path / "unbiased.parquet")}
    found = judged(limit, made(files=files))
    assert (found.verdict, found.replicated) == (NOT_REPRODUCED, "15")


def test_what_approximately_means_decides(tmp_path):
    rng = np.random.default_rng(0)

    def found(size):
        counts = pd.DataFrame({"seed": np.repeat(range(400), 2), "count": size // 2 + rng.integers(-60, 60, 800)})
        counts.to_parquet(tmp_path / "offline.parquet")
        return judged("huang2024.kept.offline", made(files={"data_offline": str(tmp_path / "offline.parquet")}))

    assert (found(14_290).verdict, found(14_290).n) == (DIRECTION_ONLY, 400)
    assert "to the nearest thousand: does not hold" in found(14_290).why
    assert "to the nearest five thousand: holds" in found(14_290).why
    assert found(14_800).verdict == REPRODUCED
    assert found(12_000).verdict == NOT_REPRODUCED


def test_the_exact_bounds_must_hold_at_the_worst_level(tmp_path, exact):
    path = tmp_path / "levels.parquet"
    table = exact_bounds_at_levels([0], None, [0, 1], [0, 1.25]).to_pandas()
    table.to_parquet(path)
    found = judged("huang2024.robust.bounds", made(files={"bounds_levels_exact": str(path)}))
    assert (found.verdict, found.evidence, found.replicated) == (REPRODUCED, BY_CONSTRUCTION, "16")
    assert "4 levels" in found.why
    table.loc[(table["confounding"] == 1) & (table["selection"] == 0) & (table["arm"] == 2), "upper"] = 0.0
    table.to_parquet(path)
    found = judged("huang2024.robust.bounds", made(files={"bounds_levels_exact": str(path)}))
    assert (found.verdict, found.replicated) == (NOT_REPRODUCED, "12")


def test_regret_is_compared_at_every_level():
    def regret(experiment, settings):
        small = settings.get("offline_draws") == 3000
        return 100.0 + (0.0 if is_pcb(settings) or small else 9.0)

    claim = "huang2024.robust.lin_ucb.lin_ucb_pcb"
    found = judged(claim, made(regret))
    assert found.verdict == DIRECTION_ONLY
    assert "; 3,000 draws: does not hold" in found.why
    assert found.why.count(": holds (difference") == 11
    assert judged(claim, made(lambda e, s: 100.0 + 9.0 * (not is_pcb(s)))).verdict == REPRODUCED


def test_the_worked_example_is_computed():
    found = judged("huang2024.ancestors.example", made())
    assert (found.verdict, found.replicated) == (CONTRADICTED, "{I1} {U1} {U2} {Y}")
    assert judged("huang2024.ancestors.example", made(), value="{I1} {U1} {U2} {Y}").verdict == REPRODUCED
    found = judged("huang2024.substitutes.example", made())
    assert (found.verdict, found.evidence) == (DIRECTION_ONLY, COMPUTED)
    assert "conditional substitutes: holds ({I1})" in found.why
    assert "to the letter: contradicted by the paper (none)" in found.why
    assert judged("huang2024.substitutes.example", made(), value="{Y}").verdict == CONTRADICTED


# ------------------------------------------------------------------ orderings


@pytest.mark.parametrize(
    ("default", "others", "verdict"),
    [(9.0, 9.0, REPRODUCED), (9.0, -9.0, DIRECTION_ONLY), (-9.0, 9.0, DIRECTION_ONLY), (-9.0, -9.0, NOT_REPRODUCED)],
)
def test_an_ordering_must_hold_under_every_reading(default, others, verdict):
    def regret(experiment, settings):
        above = default if experiment == "linear" else others
        return 100.0 + (0.0 if is_pcb(settings) else above)

    found = judged(ORDER, made(regret))
    assert found.verdict == verdict
    assert [found.why.count(f"alpha = {alpha}: ") for alpha in (0.25, 0.5, 2)] == [1, 1, 1]
    assert set(found.ledger.split()) == {"L53", "L55", "L61", "L92", "L95"}


@pytest.mark.parametrize(
    ("exception", "reading"),
    [
        ({"alpha": 0.5}, "alpha = 0.5"),
        ({"shared": True}, "one theta for all arms"),
        ({"warm_weight": 1}, "weight 1"),
        ({"cells": True}, "each cell of Table 1 an arm"),
        ({"warm_start": "observed"}, "P(y | x, S=1) for Biased"),
        ({"warm_start": "cp"}, "Eq. 2 given the context, which is CP, for Biased"),
    ],
)
def test_a_warm_start_is_compared_with_the_policy_of_the_same_reading(exception, reading):
    """One reading fails alone: the warm start that it selects, and no other, lies below LinUCB-PCB."""

    def regret(experiment, settings):
        if is_pcb(settings):
            return 100.0
        return 90.0 if exception.items() <= settings.items() else 110.0

    found = judged(BIASED_ORDER, made(regret))
    assert found.verdict == DIRECTION_ONLY
    failing = [told for told in found.why.partition("by reading: ")[2].split("; ") if "does not hold" in told]
    assert len(failing) == 1
    assert failing[0].startswith(f"{reading}: ")


def test_the_default_of_a_warm_start_is_no_warm_start():
    def regret(experiment, settings):
        return 110.0 if is_cp(settings) else 100.0 if settings.get("warm_start") is None else 50.0

    found = judged("huang2024.order.linear.lin_ucb_cp.lin_ucb", made(regret))
    assert (found.verdict, found.why.count(": holds (difference ")) == (REPRODUCED, 8)


def test_extras_that_are_left_out_leave_the_ordering():
    def regret(experiment, settings):
        return 100.0 + 9.0 * (not is_pcb(settings))

    found = judged(ORDER, made(regret, extras=False))
    assert found.verdict == DIRECTION_ONLY
    for reading in ("alpha = 0.25", "alpha = 0.5", "alpha = 2", "one theta for all arms", "no constant feature"):
        assert f"; {reading}: not run" in found.why
    assert judged("huang2024.theorem5.linear.lin_ucb_pcb", made(extras=False)).why.startswith(
        "not in this configuration: "
    )


def test_a_shorter_run_is_not_judged():
    for claim_id in (ORDER, "huang2024.order.oam.oam.oam_pcb", "huang2024.order.non_contextual.ucb.ucb_pcb"):
        found = judged(claim_id, made(horizon=100))
        assert found.verdict == NOT_TESTABLE
        assert "not in this configuration: 15000 rounds" in found.why


def test_oam_is_judged_by_how_far_the_bounds_reach():
    def regret(experiment, settings):
        return 100.0 - 9.0 * (settings.get("bounds_enter") == "arms" and settings["epsilon"] == 1)

    found = judged("huang2024.order.oam.oam.oam_pcb", made(regret))
    assert found.verdict == DIRECTION_ONLY
    assert "Algorithm 5 as printed: does not hold" in found.why
    assert "; arms left out too: holds" in found.why
    assert "; arms left out too, eps_t times 0.01: does not hold" in found.why
    assert set(found.ledger.split()) == {"L57", "L58", "E30"}


def test_what_theorems_promise_of_the_bounds_is_computed(exact):
    """Theorem 5's longest arm is a best one and Theorem 8's bounds rule nothing out; Theorem 7's do (E13)."""
    for theorem, pairs in ((5, "8 of 16"), (8, "0 of 4")):
        found = judged(f"huang2024.theorem{theorem}.gain", made(files=exact))
        assert (found.verdict, found.evidence, found.replicated) == (NOT_REPRODUCED, COMPUTED, "=")
        assert f"rule out {pairs} pairs" in found.why
    free = PROBLEMS["non_contextual"](bounds=exact["bounds_non_contextual_exact"], draw=0)
    assert f"{ucb_bound(free, 15_000, with_bounds=False):.1f} without" in found.why
    found = judged("huang2024.theorem7.gain", made(files=exact))
    assert (found.verdict, found.evidence, found.replicated) == (DIRECTION_ONLY, COMPUTED, ">")
    assert "all arms, as printed: does not hold (<)" in found.why


# ------------------------------------------------------------------ theorems


def test_never_is_on_no_seed():
    def one_seed(experiment, settings):
        return np.eye(100)[0] if settings.get("alpha") == 1 else np.zeros(100)

    fixed, of_proof = "huang2024.lemma6.fixed_alpha", "huang2024.lemma6.proof_alpha"
    found = judged(fixed, made(ruled_out=one_seed))
    assert found.verdict == DIRECTION_ONLY
    assert "99 of 100 seeds keep it" in found.why
    assert "alpha = 1: does not hold (0.01" in found.why
    assert "alpha = 0.25: holds (0.00" in found.why
    assert judged(of_proof, made(ruled_out=one_seed)).verdict == REPRODUCED
    assert judged(fixed, made(ruled_out=lambda *_: np.zeros(100))).verdict == REPRODUCED
    assert judged(of_proof, made(ruled_out=lambda *_: np.zeros(20), seeds=20)).verdict == INCONCLUSIVE


def test_lower_regret_on_every_seed_and_on_average_are_two_claims():
    def regret(higher):
        def of(experiment, settings):
            rng = np.random.default_rng(1)
            below = np.where(np.arange(100) < higher, -20.0, 10.0) + rng.normal(0, 1, 100)
            return 100.0 - below if is_pcb(settings) else np.full(100, 100.0)

        return of

    mean, every = "huang2024.theorem6.mean", "huang2024.theorem6.every_seed"
    for higher, verdicts in ((0, [REPRODUCED] * 2), (1, [REPRODUCED, NOT_REPRODUCED]), (60, [NOT_REPRODUCED] * 2)):
        results = made(regret(higher))
        assert [judged(claim, results).verdict for claim in (mean, every)] == verdicts
    assert judged(every, made(regret(1))).replicated == "99 of 100"


def test_bounds_that_nothing_can_break_test_nothing(exact):
    for claim_id in ("huang2024.theorem5.linear.lin_ucb_pcb", "huang2024.theorem8.non_contextual.ucb_pcb"):
        found = judged(claim_id, made(files=exact))
        assert found.verdict == NOT_TESTABLE
        assert "so no run could break it" in found.why


def test_theorem_5_is_judged_by_seed_and_theorem_8_by_the_mean(exact):
    """At ten million rounds either bound is below what a policy can lose."""
    horizon = 10**7
    contextual = PROBLEMS["synthetic"](bounds=exact["bounds_contextual_exact"], draw=0)
    free = PROBLEMS["non_contextual"](bounds=exact["bounds_non_contextual_exact"], draw=0)
    fifth = lin_ucb_bound(contextual, horizon, with_bounds=True)
    eighth = ucb_bound(free, horizon, with_bounds=True)

    def verdict(claim_id, values):
        return judged(claim_id, made(lambda *_: values, files=exact, horizon=horizon)).verdict

    low, one_high = np.linspace(0.1, 0.5, 100), np.r_[np.linspace(0.1, 0.5, 99), 1.1]
    claims = ("huang2024.theorem5.linear.lin_ucb_pcb", "huang2024.theorem8.non_contextual.ucb_pcb")
    assert [verdict(c, low * b) for c, b in zip(claims, (fifth, eighth), strict=True)] == [REPRODUCED] * 2
    assert verdict(claims[0], one_high * fifth) == NOT_REPRODUCED
    assert verdict(claims[1], one_high * eighth) == REPRODUCED
    assert verdict(claims[1], (low + 1) * eighth) == NOT_REPRODUCED


def test_theorem_7_cannot_be_tested(exact):
    found = judged("huang2024.theorem7.oam.oam_pcb", made(files=exact))
    problem = PROBLEMS["synthetic"](bounds=exact["bounds_contextual_exact"], draw=0)
    assert found.verdict == NOT_TESTABLE
    assert f"its value here is {oam_bound(problem, 15_000, with_bounds=True):.1f}" in found.why
    assert "inf for all arms as printed" in found.why
