"""The judges that any claim may name read what the claim selects."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from judgements import numbers
from made_claims import REGRET, N, judged, made_results

from replication.judging import judges


@pytest.fixture
def results():
    """Of the made-up paper."""
    return made_results()


def test_a_mean_is_the_policys_own(results):
    few = {"arguments": "{trials: 100}"}
    found = judged(results, "baseline", evidence="", value="29.00", policy="z2_thompson", ledger="", **few)
    assert (found.outcome, found.basis, found.n) == (judges.Outcome.HOLDS, judges.Basis.SIMULATED, N)
    assert judged(results, "baseline", evidence="").because is not judges.Because.NOT_RUN
    assert judged(results, "baseline", evidence="", value="60.0").outcome == judges.Outcome.FAILS


def test_a_number_that_is_off_says_whether_its_direction_holds(results):
    """POMIS+ lies 15 below POMIS, whose mean is 44: less than a tenth of a claimed 200 is none that matters."""

    def found(arguments, **row):
        return judged(results, "plus", value="20", readings="", arguments=f"{{trials: 1000, {arguments}}}", **row)

    told = [found(f"direction: {side}") for side in ("below", "above", "below, claimed: 200")]
    assert {each.outcome for each in told} == {judges.Outcome.FAILS}
    assert len({each.reason for each in told[:2]}) == 2


def test_an_ordering_has_a_side_and_pairs(results):
    plain = {"readings": "", "arguments": ""}
    found = judged(results, "order", **plain)
    assert (found.outcome, found.n) == (judges.Outcome.HOLDS, N)
    difference = REGRET["ts_bf"] - REGRET["ts_pomis_plus"]
    assert found.ci_low < difference.mean() < found.ci_high
    assert found.ci_high - found.ci_low < 4.5 * difference.std() / math.sqrt(N)
    exchanged = {"policy": "z2_thompson", "against": "thompson arms=brute_force"}
    assert judged(results, "order", **plain, **exchanged).outcome == judges.Outcome.FAILS
    by_draw = judged(results, "order", readings="", arguments="{by: draw}")
    assert by_draw.n == N // 4
    small = judged(results, "order", readings="", arguments="{claimed: 1000}")
    assert small.outcome == judges.Outcome.FAILS  # 31 is no difference of 1,000


def test_an_early_ordering_is_read_from_the_curves(results):
    row = {"readings": "", "judge": "above_at", "against": "thompson arms=possibly_optimal"}
    found = judged(results, "order", **row, arguments="{at: 2000}")
    assert (found.outcome, found.n) == (judges.Outcome.HOLDS, 400)
    assert re.fullmatch(r"difference 8\.00 \([0-9.]+ against [0-9.]+\)", found.replicated)
    half = 8 - found.ci_low
    assert half == pytest.approx(found.ci_high - 8)
    assert 1.96 * 0.5 < half < 1.2 * 1.96 * 0.5  # sqrt(64 + 36) / 20 is 0.5
    turned = row | {"policy": row["against"], "against": "thompson arms=brute_force"}
    assert judged(results, "order", **turned, arguments="{at: 2000}").outcome == judges.Outcome.FAILS
    missing = judged(results, "order", **row, arguments="{at: 500}")
    assert missing.outcome == judges.Outcome.OPEN
    assert missing.because == judges.Because.NOT_RUN


def test_moments_of_few_or_equal_seeds_tell_nothing():
    spread, constant = judges.Moments(5, 1, 1), judges.Moments(5, 0, 100)
    assert judges.judge_above_apart(spread, judges.Moments(1, 1, 1)).outcome == judges.Outcome.OPEN
    assert judges.judge_above_apart(constant, judges.Moments(1, 0, 100)).outcome == judges.Outcome.OPEN


def test_an_identity_by_construction_says_so(results):
    found = judged(results, "same")
    assert (found.outcome, found.basis) == (judges.Outcome.HOLDS, judges.Basis.IDENTITY)
    assert judged(results, "same", evidence="").basis == judges.Basis.SIMULATED
    broken = judged(results, "same", against="z2_thompson")
    assert (broken.outcome, broken.basis) == (judges.Outcome.FAILS, judges.Basis.SIMULATED)


def test_a_bound_is_the_published_number(results):
    row = {"judge": "bound", "readings": "", "against": "", "policy": "z2_thompson"}
    assert judged(results, "plus", **row, value="100", arguments="").needs.count > 700
    assert judged(results, "plus", **row, value="29", arguments="").outcome == judges.Outcome.FAILS


def test_a_rate_is_of_what_is_0_or_1(results):
    row = {
        "judge": "rate",
        "readings": "",
        "against": "",
        "policy": "z2_thompson",
        "arguments": "",
        "metric": "correct",
    }
    results.finals["frontdoor"]["correct"] = 1.0 * (np.arange(4 * N) % 10 > 0)
    assert judged(results, "plus", **row, value="0.8").outcome == judges.Outcome.HOLDS
    assert judged(results, "plus", **row, value="0.95").outcome == judges.Outcome.FAILS
    with pytest.raises(ValueError, match="cumulative_regret is not 0 or 1 on every seed"):
        judged(results, "plus", **row | {"metric": ""}, value="0.8")


def test_growth_and_trend_run_along_a_setting(results):
    assert judged(results, "growth").outcome == judges.Outcome.HOLDS
    wrong = "{over: {n: [10, 100, 1000]}, model: linear}"
    assert judged(results, "growth", arguments=wrong).outcome == judges.Outcome.FAILS
    for direction, verdict in (("rises", judges.Outcome.HOLDS), ("falls", judges.Outcome.FAILS)):
        arguments = f"{{over: {{n: [10, 100, 1000]}}, direction: {direction}}}"
        assert judged(results, "growth", judge="trend", arguments=arguments).outcome == verdict


def test_other_seeds_are_no_pair(results):
    table = results.finals["frontdoor"]
    results.finals["frontdoor"] = table[(table["policy"] != "ts_bf") | (table["seed"] > 0)]
    with pytest.raises(ValueError, match="the two policies were not played with the same seeds"):
        judged(results, "order", readings="", arguments="")


SOME = np.arange(N) % 10 > 0


@pytest.fixture
def stopped(results):
    """Runs that end themselves, but for a tenth that the horizon cuts off when n = 1000."""
    table = results.finals["sizes"]
    table["sample_complexity"] = table["cumulative_regret"]
    table["correct"] = 1.0
    cut = (table["policy"] == "n=1000") & ~np.tile(SOME, 3)
    table.loc[cut, ["sample_complexity", "correct"]] = np.nan
    return results


def test_runs_that_were_cut_off_have_no_mean(stopped):
    row = {"readings": "", "arguments": "{trials: 100}", "against": "", "experiment": "sizes"}
    ended = judged(stopped, "plus", **row, judge="mean", metric="sample_complexity", policy="kl_ucb n=100", value="50")
    assert ended.outcome == judges.Outcome.HOLDS
    cut = judged(stopped, "plus", **row, judge="mean", metric="sample_complexity", policy="kl_ucb n=1000", value="50")
    assert (cut.outcome, cut.basis) == (judges.Outcome.OPEN, judges.Basis.SIMULATED)
    assert numbers(cut.reason) == ["40", "400", "1000"]  # of so many seeds, after so many rounds
    assert "sample_complexity" in cut.reason
    for name, arguments in (("growth", "model: sqrt"), ("trend", "direction: rises")):
        along = f"{{over: {{n: [10, 100, 1000]}}, {arguments}}}"
        assert judged(stopped, "growth", judge=name, arguments=along).outcome == judges.Outcome.HOLDS
        found = judged(stopped, "growth", judge=name, metric="sample_complexity", arguments=along)
        assert (found.outcome, found.reason) == (judges.Outcome.OPEN, cut.reason)


def test_runs_that_were_cut_off_keep_no_bound_and_are_not_correct(stopped):
    row = {"readings": "", "against": "", "experiment": "sizes", "policy": "kl_ucb n=1000"}
    for claimed, verdict in (("0.8", judges.Outcome.HOLDS), ("0.95", judges.Outcome.FAILS)):
        found = judged(stopped, "plus", **row, judge="rate", metric="correct", value=claimed, arguments="")
        assert (found.outcome, found.replicated) == (verdict, "360 of 400")
    found = judged(stopped, "plus", **row, judge="bound", metric="sample_complexity", value="1e3", arguments="")
    assert found.outcome == judges.Outcome.FAILS
    none = stopped.finals["sizes"]["correct"] * np.nan
    stopped.finals["sizes"]["correct"] = none
    found = judged(replace(stopped), "plus", **row, judge="rate", metric="correct", value="0.5", arguments="")
    assert (found.outcome, found.replicated) == (judges.Outcome.FAILS, "0 of 400")


@pytest.mark.parametrize("drawn", [None, "drawn_regret"])
def test_a_percentage_is_that_of_the_means_with_the_error_of_their_ratio(results, drawn):
    """By hand: y = x / 2 and noise; the paper's trials have the spread of drawn rewards where these are named."""
    table, rng = results.finals["frontdoor"], np.random.default_rng(2)
    plus, base = ((table["policy"] == label).to_numpy() for label in ("ts_pomis_plus", "ts_pomis"))
    x = rng.gamma(9, 5, base.sum())
    y = x / 2 + rng.normal(0, 1, len(x))
    table.loc[base, "cumulative_regret"], table.loc[plus, "cumulative_regret"] = x, y
    table["drawn_regret"] = table["cumulative_regret"] + rng.normal(0, 30, len(table))
    arguments = f"{{trials: 1000, drawn: {drawn}}}" if drawn else "{trials: 100}"
    found = judged(results, "reduction", value="50", arguments=arguments)
    percent = 100 * (1 - y.mean() / x.mean())
    assert float(found.replicated) == pytest.approx(percent, abs=0.006)
    error = 100 * np.std(y - y.mean() / x.mean() * x, ddof=1) / x.mean() / math.sqrt(len(x))
    assert 1.96 * error < found.ci_high - percent < 2.35 * error  # widened for skewness (L17)
    assert found.outcome == judges.Outcome.HOLDS
    far = judged(results, "reduction", value="80" if drawn else "52", arguments=arguments)
    assert far.outcome == judges.Outcome.FAILS
