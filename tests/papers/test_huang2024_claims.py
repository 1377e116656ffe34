"""The judging of huang2024's claims on made-up results whose verdicts are known."""

import numpy as np
import pandas as pd
import pytest
from made_huang2024 import CLAIMS, PUBLISHED, exact_files, judged, made, samples, with_column

from causal_bandits.evaluation.judges import (
    COMPUTED,
    CONTRADICTED,
    DIRECTION_ONLY,
    INCONCLUSIVE,
    NOT_REPRODUCED,
    NOT_TESTABLE,
    REPRODUCED,
    SIMULATED,
)
from causal_bandits.papers.huang2024 import labels
from causal_bandits.papers.huang2024.problems import PROBLEMS
from causal_bandits.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound

EFFECT = labels.in_rows(PROBLEMS["synthetic"]().means)
CENTRE = np.linspace(0.3, 0.6, 16)
ORDER = "huang2024.order.linear.lin_ucb.lin_ucb_pcb"
BIASED_ORDER = "huang2024.order.linear.lin_ucb_biased.lin_ucb_pcb"


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    return exact_files(tmp_path_factory.mktemp("exact"))


@pytest.fixture(scope="module")
def limits(exact):
    return labels.by_row(exact["bounds_contextual_exact"]).set_index("row").sort_index()


def is_cp(settings):
    return settings.get("warm_start") == "cp"


def is_pcb(settings):
    return settings["algorithm"] == "lin_ucb_pcb"


# ------------------------------------------------------------------ Table 1


def test_rows_of_table_1_stand_in_its_order():
    for column in ("CP", "Biased", "BCE lb", "BCE ub", "Truth"):
        rows = PUBLISHED[(PUBLISHED["item"] == "Table 1") & (PUBLISHED["column"] == column)]
        assert rows["row"].tolist() == [f"index {i}" for i in range(1, 17)]


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
    results = made(files={"bounds_contextual": path}, published=with_column("CP", column))
    found = judged("huang2024.table1.7.cp", results, value=f"{column[row]:.6f}")
    assert (found.verdict, found.evidence, found.n) == (verdict, SIMULATED, seeds)
    assert float(found.replicated) == pytest.approx(CENTRE[row], abs=0.005)
    assert "the column as a whole: " in found.why


def test_one_sample_tells_nothing(tmp_path):
    path = samples(tmp_path / "bounds.parquet", {"cp": CENTRE}, 1)
    assert judged("huang2024.table1.7.cp", made(files={"bounds_contextual": path})).verdict == INCONCLUSIVE


def test_biased_is_judged_under_every_reading(tmp_path):
    columns = {"biased": CENTRE + 0.1, "biased_conditional": CENTRE - 0.1, "observed": CENTRE}
    path = samples(tmp_path / "bounds.parquet", columns, 200)
    results = made(files={"bounds_contextual": path}, published=with_column("Biased", CENTRE))
    found = judged("huang2024.table1.3.biased", results, value=f"{CENTRE[2]:.6f}")
    assert found.verdict == DIRECTION_ONLY
    assert "Eq. 2 as printed: does not hold" in found.why
    assert "Eq. 2 given the context: does not hold" in found.why
    assert "P(y | x, S=1): holds" in found.why
    assert {"L25", "E02"} == set(found.ledger.split())


@pytest.mark.parametrize(("bound", "column"), [("lower", "BCE lb"), ("upper", "BCE ub")])
def test_a_bound_to_the_letter_is_computed(tmp_path, bound, column):
    columns = {bound: CENTRE, "strict_lower": 0.0, "strict_upper": 1.0}
    path = samples(tmp_path / "bounds.parquet", columns, 200)
    results = made(files={"bounds_contextual": path}, published=with_column(column, CENTRE))
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
        found = judged(claim.claim_id, results)
        assert (found.verdict, found.evidence, found.ledger) == (CONTRADICTED, COMPUTED, "E03")
        assert judged(claim.claim_id, results, value=f"{EFFECT[row]:.3f}").verdict == REPRODUCED
        assert judged(claim.claim_id, results, value=f"{EFFECT[row] + 0.002:.3f}").verdict == CONTRADICTED
    assert len({claim.fact for claim in cells}) == 1


# ------------------------------------------------------------------ offline evaluation


def test_the_published_bounds_are_held_against_the_effect(tmp_path, exact, limits):
    path = samples(tmp_path / "bounds.parquet", {"lower": limits["lower"] - 0.1, "upper": limits["upper"] + 0.1}, 20)
    files = {**exact, "bounds_contextual": path}
    found = judged("huang2024.contains.bce.truth", made(files=files))
    assert (found.verdict, found.evidence, found.replicated) == (CONTRADICTED, COMPUTED, "12")
    assert "those of the exact distribution contain the effect in 16 cells" in found.why
    assert "one offline sample in 16.0 on average, in all 16 at once in 100.0 %" in found.why
    wide = with_column("BCE ub", EFFECT + 0.01)
    assert judged("huang2024.contains.bce.truth", made(files=files, published=wide)).verdict == REPRODUCED


def test_a_bias_that_one_sample_shows_and_one_that_only_many_show(tmp_path, exact, limits):
    def found(sd, seeds=200, limit=limits["cp"], files=exact):
        path = samples(tmp_path / "bounds.parquet", {"cp": limit}, seeds, sd)
        return judged("huang2024.deviates.cp", made(files={**files, "bounds_contextual": path}))

    assert found(0.01).verdict == REPRODUCED  # the smallest gap is 0.057
    assert "misses the effect by 0.0574 to 0.0901, in 16 of 16 cells" in found(0.01).why
    assert found(0.05).verdict == DIRECTION_ONLY
    assert found(0.01, seeds=20).verdict == INCONCLUSIVE
    unbiased = labels.by_row(exact["bounds_contextual_exact"])
    unbiased["cp"] = np.where(unbiased["row"] == 3, EFFECT[3], unbiased["cp"])
    unbiased.to_parquet(tmp_path / "unbiased.parquet")
    files = {**exact, "bounds_contextual_exact": str(tmp_path / "unbiased.parquet")}
    assert found(0.01, files=files).verdict == NOT_REPRODUCED
    assert "in 15 of 16 cells" in found(0.01, files=files).why


def test_approximately_is_a_margin(tmp_path):
    rng = np.random.default_rng(0)
    counts = pd.DataFrame({"seed": np.repeat(range(100), 2), "count": 7145 + rng.integers(-60, 60, 200)})
    counts.to_parquet(tmp_path / "offline.parquet")
    results = made(files={"data_offline": str(tmp_path / "offline.parquet")})
    found = judged("huang2024.kept.offline", results)
    assert (found.verdict, found.n) == (REPRODUCED, 100)
    assert float(found.replicated) == pytest.approx(14_290, abs=20)
    few = judged("huang2024.kept.offline", results, arguments={"margin": 0.03})
    assert (few.verdict, "0 of 100 means" in few.why) == (INCONCLUSIVE, True)  # 146 samples would refute it


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
    assert set(found.ledger.split()) == {"L53", "L55", "L61"}


@pytest.mark.parametrize(
    ("exception", "reading"),
    [
        ({"alpha": 0.5}, "alpha = 0.5"),
        ({"shared": True}, "one theta for all arms"),
        ({"warm_weight": 1}, "weight 1"),
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
    assert (found.verdict, found.why.count(": holds (difference ")) == (REPRODUCED, 6)


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


def test_oam_is_judged_with_little_forced_exploration_too():
    def regret(experiment, settings):
        return 100.0 + 9.0 * (settings["algorithm"] == "oam" and settings["epsilon"] == 1)

    found = judged("huang2024.order.oam.oam.oam_pcb", made(regret))
    assert found.verdict == DIRECTION_ONLY
    assert "eps_t as published: holds" in found.why
    assert set(found.ledger.split()) == {"L57", "L58"}


def test_a_gain_without_context_stands_beside_what_theorem_8_promises(exact):
    def regret(experiment, settings):
        return 300.0 if settings["algorithm"] == "ucb" else 200.0

    found = judged("huang2024.order.non_contextual.ucb.ucb_pcb", made(regret, files=exact))
    assert (found.verdict, found.ledger) == (REPRODUCED, "L63")
    problem = PROBLEMS["non_contextual"](bounds=exact["bounds_non_contextual_exact"], draw=0)
    assert "rule out 0 of 4 arms" in found.why
    same = f"{ucb_bound(problem, 15_000, with_bounds=False):.0f}"
    assert f"Theorem 8's bound on regret is {same} without and {same} with them" in found.why


# ------------------------------------------------------------------ theorems


def test_never_is_on_no_seed():
    def one_seed(experiment, settings):
        return np.eye(100)[0] if settings.get("alpha") == 1 else np.zeros(100)

    claim = "huang2024.lemma6.linear.lin_ucb_pcb"
    found = judged(claim, made(ruled_out=one_seed))
    assert found.verdict == DIRECTION_ONLY
    assert "99 of 100 seeds keep it" in found.why
    assert "alpha = 1: does not hold (0.01" in found.why
    assert "alpha = 9, about Eq. 13's: holds (0.00" in found.why
    assert judged(claim, made(ruled_out=lambda *_: np.zeros(100))).verdict == REPRODUCED
    assert judged(claim, made(ruled_out=lambda *_: np.zeros(20), seeds=20)).verdict == INCONCLUSIVE


def test_guaranteed_is_on_every_seed(exact):
    def regret(higher):
        def of(experiment, settings):
            return np.full(100, 90.0) + 20.0 * (np.arange(100) < higher) if is_pcb(settings) else np.full(100, 100.0)

        return of

    claim = "huang2024.theorem6.exact.lin_ucb.lin_ucb_pcb"
    found = judged(claim, made(regret(0), files=exact))
    assert (found.verdict, found.replicated) == (REPRODUCED, "100 of 100")
    assert found.why.startswith("the exact bounds rule out 8 pairs")
    found = judged(claim, made(regret(1), files=exact))
    assert (found.verdict, found.replicated) == (NOT_REPRODUCED, "99 of 100")
    assert "on average it is lower by 9.8" in found.why


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
