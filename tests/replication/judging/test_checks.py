"""The tests that any claim may call read what it selects."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from judgements import numbers
from made_claims import BF, CLAIMS, PLUS, POMIS, REGRET, SIZE, N, judged, made_results, printed

from replication.judging import judges, verdicts
from replication.judging.checks import (
    above,
    above_at,
    bound,
    growth,
    growth_bound,
    growth_by_construction,
    mean,
    percentage,
    rate,
    trend,
)
from replication.judging.claims import Checkpoint, along

HOLDS, FAILS, OPEN = judges.Outcome.HOLDS, judges.Outcome.FAILS, judges.Outcome.OPEN
NS = [10, 100, 1000]


@pytest.fixture
def results():
    """Of the made-up paper."""
    return made_results()


def test_a_mean_is_the_policys_own(results):
    found = judged(results, mean(PLUS, trials=100), "29.00")
    assert (found.outcome, found.n) == (HOLDS, N)
    assert judged(results, mean(POMIS, trials=1000), "60.0").outcome == FAILS


def test_an_ordering_has_a_side_and_pairs(results):
    found = judged(results, above(BF, PLUS))
    assert (found.outcome, found.n) == (HOLDS, N)
    difference = REGRET["ts_bf"] - REGRET["ts_pomis_plus"]
    assert found.ci_low < difference.mean() < found.ci_high
    assert found.ci_high - found.ci_low < 4.5 * difference.std() / math.sqrt(N)
    assert judged(results, above(PLUS, BF)).outcome == FAILS
    assert judged(results, above(BF, PLUS, by="draw")).n == N // 4
    assert judged(results, above(BF, PLUS, claimed=1000)).outcome == FAILS  # 31 is no difference of 1,000


def test_an_early_ordering_is_read_from_the_curves(results):
    found = judged(results, above_at(BF, POMIS, Checkpoint(2000)))
    assert (found.outcome, found.n) == (HOLDS, 400)
    assert re.fullmatch(r"difference 8\.00 \([0-9.]+ against [0-9.]+\)", found.replicated)
    half = 8 - found.ci_low
    assert half == pytest.approx(found.ci_high - 8)
    assert 1.96 * 0.5 < half < 1.2 * 1.96 * 0.5  # sqrt(64 + 36) / 20 is 0.5
    assert judged(results, above_at(POMIS, BF, Checkpoint(2000))).outcome == FAILS
    missing = judged(results, above_at(BF, POMIS, Checkpoint(500)))
    assert (missing.outcome, missing.why) == (OPEN, judges.Why.NOT_RUN)


def test_moments_of_few_or_equal_seeds_tell_nothing():
    spread, constant = judges.Moments(5, 1, 1), judges.Moments(5, 0, 100)
    assert judges.judge_above_apart(spread, judges.Moments(1, 1, 1)).outcome == OPEN
    assert judges.judge_above_apart(constant, judges.Moments(1, 0, 100)).outcome == OPEN


def test_a_bound_is_the_published_number(results):
    assert judged(results, bound(PLUS), "100").why == judges.Why.SEEDS
    assert judged(results, bound(PLUS), "29").outcome == FAILS


def test_a_rate_is_of_what_is_0_or_1(results):
    results.finals["frontdoor"]["correct"] = 1.0 * (np.arange(4 * N) % 10 > 0)
    assert judged(results, rate(PLUS.of("correct")), "0.8").outcome == HOLDS
    assert judged(results, rate(PLUS.of("correct")), "0.95").outcome == FAILS
    with pytest.raises(ValueError, match="cumulative_regret is not 0 or 1 on every seed"):
        judged(results, rate(PLUS), "0.8")


def test_growth_and_trend_run_along_a_setting(results):
    assert judged(results, growth_by_construction(along(SIZE, n=NS), "sqrt")).outcome == HOLDS
    assert judged(results, growth_by_construction(along(SIZE, n=NS), "linear")).outcome == FAILS
    for direction, verdict in (("rises", HOLDS), ("falls", FAILS)):
        assert judged(results, trend(along(SIZE, n=NS), direction)).outcome == verdict


@pytest.mark.parametrize(
    ("test", "law", "seen"),
    [
        (growth, "sqrt", "up to 1,000 it fits, and no other law explains as much"),
        (growth, "linear", "up to 1,000 sqrt explains more"),
        (growth_bound, "sqrt", "it keeps the bound up to 1,000; from 100 to 1000 it becomes"),
        (growth_bound, "log", "it exceeds the bound up to 1,000; from 100 to 1000 it becomes"),
    ],
)
def test_an_order_of_growth_is_open_and_says_what_is_seen_over_the_range(results, test, law, seen):
    found = judged(results, test(along(SIZE, n=NS), law))
    assert (found.outcome, found.why) == (OPEN, judges.Why.UNTESTABLE)
    assert found.reason.startswith(seen)


def test_other_seeds_are_no_pair(results):
    table = results.finals["frontdoor"]
    results.finals["frontdoor"] = table[(table["policy"] != "ts_bf") | (table["seed"] > 0)]
    with pytest.raises(ValueError, match="the two policies were not played with the same seeds"):
        judged(results, above(BF, PLUS))


@pytest.fixture
def stopped(results):
    """Runs that end themselves, but for a tenth that the horizon cuts off when n = 1000."""
    table = results.finals["sizes"]
    table["sample_complexity"] = table["cumulative_regret"]
    table["correct"] = 1.0
    cut = (table["policy"] == "n=1000") & ~np.tile(np.arange(N) % 10 > 0, 3)
    table.loc[cut, ["sample_complexity", "correct"]] = np.nan
    return results


def test_runs_that_were_cut_off_have_no_mean(stopped):
    took = SIZE.of("sample_complexity")
    assert judged(stopped, mean(took(n=100), trials=100), "50").outcome == HOLDS
    cut = judged(stopped, mean(took(n=1000), trials=100), "50")
    assert (cut.outcome, cut.why) == (OPEN, judges.Why.NOT_RUN)
    assert numbers(cut.reason) == ["40", "400", "1000"]  # of so many seeds, after so many rounds
    assert "sample_complexity" in cut.reason
    for test in (growth(along(took, n=NS), "sqrt"), trend(along(took, n=NS), "rises")):
        found = judged(stopped, test)
        assert (found.outcome, found.reason) == (OPEN, cut.reason)


def test_runs_that_were_cut_off_keep_no_bound_and_are_not_correct(stopped):
    last = SIZE(n=1000)
    for claimed, verdict in (("0.8", HOLDS), ("0.95", FAILS)):
        found = judged(stopped, rate(last.of("correct")), claimed)
        assert (found.outcome, found.replicated) == (verdict, "360 of 400")
    assert judged(stopped, bound(last.of("sample_complexity")), "1e3").outcome == FAILS
    stopped.finals["sizes"]["correct"] = np.nan
    found = judged(replace(stopped), rate(last.of("correct")), "0.5")
    assert (found.outcome, found.replicated) == (FAILS, "0 of 400")


@pytest.mark.parametrize("drawn", ["", "drawn_regret"])
def test_a_percentage_is_that_of_the_means_with_the_error_of_their_ratio(results, drawn):
    """By hand: y = x / 2 and noise; the paper's trials have the spread of drawn rewards where these are named."""
    table, rng = results.finals["frontdoor"], np.random.default_rng(2)
    plus, base = ((table["policy"] == label).to_numpy() for label in ("ts_pomis_plus", "ts_pomis"))
    x = rng.gamma(9, 5, base.sum())
    y = x / 2 + rng.normal(0, 1, len(x))
    table.loc[base, "cumulative_regret"], table.loc[plus, "cumulative_regret"] = x, y
    table["drawn_regret"] = table["cumulative_regret"] + rng.normal(0, 30, len(table))
    test = percentage(PLUS, POMIS, trials=1000 if drawn else 100, drawn=drawn)
    found = judged(results, test, "50")
    percent = 100 * (1 - y.mean() / x.mean())
    assert float(found.replicated) == pytest.approx(percent, abs=0.006)
    error = 100 * np.std(y - y.mean() / x.mean() * x, ddof=1) / x.mean() / math.sqrt(len(x))
    assert 1.96 * error < found.ci_high - percent < 2.35 * error  # widened for skewness (L17)
    assert found.outcome == HOLDS
    assert judged(results, test, "80" if drawn else "52").outcome == FAILS


def test_evidence_is_what_no_judge_can_know(results):
    def found(id_, **cells):
        return verdicts.judge_claim(printed(id_, **cells), CLAIMS[id_], results)

    assert (found("baseline").outcome, found("baseline").why) == (OPEN, judges.Why.FITTED)
    assert (found("same").outcome, found("same").why) == (HOLDS, judges.Why.BY_CONSTRUCTION)
    assert (found("sets").why, found("sets", value="{}").why) == (None, judges.Why.SLIP)
    assert found("order").ledger == "L10 L01"
    assert [under.why for _, under in found("plus").readings] == [judges.Why.SEEDS, judges.Why.NOT_RUN]
