"""Claims as data: what is wrong is one line before any job; what is right is judged under every open reading."""

import csv
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from causal_bandits.evaluation import binding, claims, judges, verdict_tables, verdicts
from causal_bandits.evaluation.claims import COLUMNS, Claim, Judge
from causal_bandits.evaluation.judges import generic
from causal_bandits.evaluation.results import NotRunError, Plan, Results
from causal_bandits.evaluation.selection import ClaimError

THOMPSON = {"algorithm": "thompson", "problem": "frontdoor"}
Z2 = {"algorithm": "z2_thompson", "arms": "possibly_optimal", "averaging": "minimum_variance", "problem": "frontdoor"}
SETTINGS = {
    "ts_bf": THOMPSON | {"arms": "brute_force"},
    "ts_mis": THOMPSON | {"arms": "minimal"},
    "ts_pomis": THOMPSON | {"arms": "possibly_optimal"},
    "ts_pomis_plus": Z2,
}
LEFT_OUT = {"ts_pomis_plus_delta": Z2 | {"averaging": "delta"}}
DEFAULTS = {"thompson": {}, "z2_thompson": {"averaging": "minimum_variance"}}
SIZES = {f"n={n}": {"algorithm": "kl_ucb", "problem": "tree", "n": n} for n in (10, 100, 1000)}
DECLARED = {
    "frontdoor": Plan(10000, SETTINGS | LEFT_OUT, {}, DEFAULTS),
    "random_frontdoor": Plan(10000, SETTINGS, {}, DEFAULTS),
    "sizes": Plan(1000, SIZES, {}, {"kl_ucb": {}}),
}
PLAYED = DECLARED | {"frontdoor": Plan(10000, SETTINGS, LEFT_OUT, DEFAULTS)}
READINGS = {
    "averaging": [{"name": "minimum variance"}, {"name": "delta", "ledger": "L18", "settings": {"averaging": "delta"}}],
    "instances": [{"name": "calibrated"}, {"name": "random", "ledger": "L01", "experiment": "random_frontdoor"}],
    "one": [{"name": "random", "experiment": "random_frontdoor"}],
    "arms": [
        {"name": "all"},
        {"name": "few", "to": "policy", "settings": {"arms": "minimal"}, "instead_of": {"arms": "brute_force"}},
    ],
    "definition": [{"name": "exact"}, {"name": "plug-in", "metric": "unfair_plugin"}],
    "pairs": [{"name": "seeds"}, {"name": "draws", "arguments": {"by": "draw"}}],
    "wrong": [{"name": "seeds"}, {"name": "draws", "arguments": {"per": "draw"}}],
}

#: A row of every kind that lee2019 has.
ROWS = {
    "baseline": {
        "value": "44.40",
        "judge": "mean",
        "experiment": "frontdoor",
        "policy": "thompson arms=possibly_optimal",
        "arguments": "{trials: 1000, rounds: 10000}",
        "evidence": "calibrated",
        "ledger": "L01",
    },
    "plus": {
        "value": "29.08",
        "judge": "mean_and_order",
        "experiment": "frontdoor",
        "policy": "z2_thompson",
        "against": "thompson arms=possibly_optimal",
        "readings": "averaging",
        "arguments": "{trials: 1000, margin: 0.1, direction: below}",
    },
    "reduction": {
        "value": "34.5",
        "judge": "percentage",
        "experiment": "frontdoor",
        "policy": "z2_thompson",
        "against": "thompson arms=possibly_optimal",
        "arguments": "{trials: 1000}",
    },
    "order": {
        "value": ">",
        "judge": "above",
        "experiment": "frontdoor",
        "policy": "thompson arms=brute_force",
        "against": "z2_thompson",
        "readings": "instances",
        "arguments": "{by: draw}",
        "ledger": "L10 L01",
    },
    "same": {
        "value": "=",
        "judge": "same",
        "experiment": "frontdoor",
        "policy": "thompson arms=brute_force",
        "against": "thompson arms=minimal",
        "evidence": "by construction",
        "fact": "MIS and POMIS are all sets of the front-door graph",
    },
    "sets": {"value": "{} {X}", "judge": "sets", "arguments": "{task: frontdoor, strategy: minimal}", "ledger": "L06"},
    "growth": {
        "value": "sqrt",
        "judge": "growth",
        "experiment": "sizes",
        "policy": "kl_ucb",
        "arguments": "{over: {n: [10, 100, 1000]}, model: sqrt}",
    },
}


def sets(claim, results, *, task: str, strategy: str) -> judges.Judgement:
    """A peculiar judge, as a paper has them."""
    assert task == "frontdoor"
    return judges.judge_exact(claim.value, "{} {X}" if strategy == "minimal" else "{}")


@pytest.fixture(autouse=True)
def paper(monkeypatch):
    """A paper with one peculiar judge."""
    monkeypatch.setattr(binding, "judges_of", lambda paper: {**generic.JUDGES, "sets": Judge(sets)})
    monkeypatch.setattr(verdicts, "judges_of", lambda paper: {**generic.JUDGES, "sets": Judge(sets)})


def write(root, rows, header=COLUMNS):
    path = root / "data/published/made2000.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows([[{"claim_id": name, **row}.get(column, "") for column in header] for name, row in rows])
    return path


def bound(root, rows):
    write(root, rows)
    return binding.bind("made2000", DECLARED, READINGS, root)


def test_rows_of_every_kind_are_bound(tmp_path):
    found = {claim.claim_id: claim for claim in bound(tmp_path, ROWS.items())}
    assert list(found) == list(ROWS)
    assert found["baseline"].rounds == 10000
    assert found["baseline"].arguments == {"trials": 1000}
    assert found["baseline"].policy == {"algorithm": "thompson", "arms": "possibly_optimal"}
    assert found["plus"].number == 29.08
    assert found["order"].metric == "cumulative_regret"
    assert [claim.line for claim in found.values()] == list(range(2, 2 + len(ROWS)))


@pytest.mark.parametrize(
    ("row", "changed", "message"),
    [
        ("sets", {"judge": "set"}, "judge: 'set' is unknown; expected one of: above, above_at, bound, growth, "),
        ("sets", {"judge": ""}, "judge: '' is unknown; expected one of: "),
        ("plus", {"value": "29,08"}, "value: '29,08' is no number; expected one for judge 'mean_and_order'"),
        ("plus", {"value": "nan"}, "value: 'nan' is no number; expected one for judge 'mean_and_order'"),
        ("order", {"against": ""}, "against: '' is empty; judge 'above' needs one"),
        ("order", {"experiment": ""}, "experiment: '' is empty; judge 'above' needs one"),
        (
            "baseline",
            {"against": "z2_thompson"},
            "against: judge 'mean' does not read it; expected an empty cell",
        ),
        ("sets", {"experiment": "frontdoor"}, "experiment: judge 'sets' does not read it; expected an empty cell"),
        (
            "order",
            {"experiment": "frontdor"},
            "experiment: 'frontdor' is unknown; expected one of: frontdoor, random_frontdoor, sizes",
        ),
        (
            "order",
            {"policy": "tompson arms=minimal"},
            "policy (reading 'calibrated'): no 'tompson' of experiment 'frontdoor'; "
            "expected one of: thompson, z2_thompson",
        ),
        (
            "reduction",
            {"policy": "z2_thompson average=delta"},
            "policy: 'z2_thompson' of experiment 'frontdoor' has no 'average'; "
            "expected one of: algorithm, arms, averaging, problem",
        ),
        (
            "reduction",
            {"policy": "z2_thompson averaging=none"},
            "policy: no 'z2_thompson' of experiment 'frontdoor' has averaging=none; "
            "expected one of: minimum_variance, delta",
        ),
        (
            "same",
            {"against": "thompson"},
            "against: experiment 'frontdoor': algorithm=thompson leaves 3 policies (ts_bf; ts_mis; ts_pomis); "
            "told apart by: arms; expected one",
        ),
        (
            "reduction",
            {"policy": "z2_thompson averaging=delta problem=frontdoor", "experiment": "random_frontdoor"},
            "policy: no 'z2_thompson' of experiment 'random_frontdoor' has averaging=delta; "
            "expected one of: minimum_variance",
        ),
        (
            "same",
            {"policy": "arms=minimal"},
            "policy: 'arms=minimal' selects nothing; expected an algorithm, then name=value, each name once",
        ),
        (
            "same",
            {"policy": "thompson arms"},
            "policy: 'thompson arms' selects nothing; expected an algorithm, then name=value, each name once",
        ),
        (
            "same",
            {"policy": "thompson arms=minimal arms=minimal"},
            "policy: 'thompson arms=minimal arms=minimal' selects nothing; "
            "expected an algorithm, then name=value, each name once",
        ),
        (
            "same",
            {"metric": "Cumulative regret"},
            "metric: 'Cumulative regret' is no name of a metric; expected one as in the runs",
        ),
        (
            "order",
            {"readings": "instance"},
            "readings: 'instance' is unknown; "
            "expected one of: arms, averaging, definition, instances, one, pairs, wrong",
        ),
        (
            "baseline",
            {"readings": "averaging"},
            "readings: 'averaging' change nothing of this claim; expected an empty cell",
        ),
        (
            "plus",
            {"policy": "z2_thompson averaging=minimum_variance"},
            "readings: 'averaging' sets 'averaging', which the claim names; expected one of them",
        ),
        (
            "same",
            {"readings": "arms", "policy": "thompson arms=possibly_optimal"},
            "readings: 'arms' sets 'arms', which the claim names; expected one of them",
        ),
        (
            "plus",
            {"experiment": "random_frontdoor"},
            "policy (reading 'delta'): no 'z2_thompson' of experiment 'random_frontdoor' has averaging=delta; "
            "expected one of: minimum_variance",
        ),
        ("plus", {"arguments": "trials"}, "arguments: 'trials' is no YAML mapping; expected one such as {trials: 5}"),
        ("plus", {"arguments": "{a"}, "arguments: '{a' is no YAML mapping; expected one such as {trials: 5}"),
        (
            "reduction",
            {"arguments": "{trial: 5}"},
            "arguments: {trial: 5}: judge 'percentage': missing a required argument: 'trials'",
        ),
        (
            "reduction",
            {"arguments": "{trials: 5, claimed: 3}"},
            "arguments: {claimed: 3, trials: 5}: judge 'percentage': got an unexpected keyword argument 'claimed'",
        ),
        (
            "reduction",
            {"arguments": "{trials: five}"},
            "arguments: trials: 'five' does not fit judge 'percentage'; expected int",
        ),
        (
            "reduction",
            {"arguments": "{trials: true}"},
            "arguments: trials: True does not fit judge 'percentage'; expected int",
        ),
        (
            "order",
            {"arguments": "{by: instance}"},
            "arguments: by: 'instance' does not fit judge 'above'; expected 'seed' or 'draw'",
        ),
        (
            "growth",
            {"arguments": "{over: {n: 10}, model: sqrt}"},
            "arguments: over: {'n': 10} does not fit judge 'growth'; "
            "expected collections.abc.Mapping[str, collections.abc.Sequence[float]]",
        ),
        (
            "growth",
            {"arguments": "{over: {n: [10, 100, 500]}, model: sqrt}"},
            "policy: no 'kl_ucb' of experiment 'sizes' has n=500; expected one of: 10, 100, 1000",
        ),
        (
            "growth",
            {"arguments": "{over: {n: [10, 100], m: [1, 2]}, model: sqrt}"},
            "arguments: over: n, m; expected one setting and two of its values at least",
        ),
        (
            "sets",
            {"arguments": "{task: frontdoor, strategy: minimal, rounds: 5}"},
            "arguments: rounds: 5 rounds of no experiment; expected an experiment",
        ),
        (
            "baseline",
            {"arguments": "{trials: 5, rounds: many}"},
            "arguments: rounds: 'many' is no number of rounds; expected an integer, at least 1",
        ),
        (
            "same",
            {"evidence": "constructed"},
            "evidence: 'constructed' is unknown; expected an empty cell or: by construction, calibrated",
        ),
        (
            "order",
            {"readings": "wrong", "arguments": ""},
            "arguments (reading 'draws'): {per: draw}: judge 'above': got an unexpected keyword argument 'per'",
        ),
        ("sets", {"ledger": "L06, E1"}, "ledger: 'L06,' is no entry's id; expected ids such as L07 or E03"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, row, changed, message):
    rows = ROWS | {row: ROWS[row] | changed}
    with pytest.raises(ClaimError) as caught:
        bound(tmp_path, rows.items())
    line = 2 + list(ROWS).index(row)
    said = str(caught.value)
    assert said.startswith(f"data/published/made2000.csv:{line}: {row}: {message}")
    assert said.endswith(message) or message.endswith(", ") or message.endswith(": ")
    assert "\n" not in said


def test_the_columns_are_exactly_these(tmp_path):
    write(tmp_path, [], header=[*COLUMNS[:-1], "notes"])
    with pytest.raises(ClaimError, match=r"made2000.csv:1: columns claim_id,.*,notes; expected claim_id,.*,note$"):
        binding.bind("made2000", DECLARED, READINGS, tmp_path)


def test_a_short_row_is_refused(tmp_path):
    path = write(tmp_path, ROWS.items())
    path.write_text(path.read_text() + "last,Table 1\n")
    line = 2 + len(ROWS)
    with pytest.raises(ClaimError, match=rf"made2000.csv:{line}: last: 2 cells; expected {len(COLUMNS)}"):
        binding.bind("made2000", DECLARED, READINGS, tmp_path)


def test_an_id_stands_once(tmp_path):
    with pytest.raises(ClaimError, match=r"made2000.csv:4: sets: claim_id: also in line 2; expected every id once"):
        bound(tmp_path, [("sets", ROWS["sets"]), ("same", ROWS["same"]), ("sets", ROWS["sets"])])


def test_readings_change_what_they_name(tmp_path):
    found = {claim.claim_id: claim for claim in bound(tmp_path, ROWS.items())}
    _, delta = claims.at_readings(found["plus"], READINGS["averaging"], DECLARED)
    assert delta[0]["name"] == "delta"
    assert delta[1].policy == {"algorithm": "z2_thompson", "averaging": "delta"}
    assert delta[1].against == found["plus"].against  # Thompson sampling averages nothing
    _, random = claims.at_readings(found["order"], READINGS["instances"], DECLARED)
    assert random[1] == replace(found["order"], experiment="random_frontdoor")
    _, plugin = claims.at_readings(found["order"], READINGS["definition"], DECLARED)
    assert plugin[1] == replace(found["order"], metric="unfair_plugin")
    whole = replace(found["order"], arguments={"precision": 0.5, "by": "seed"})
    _, draws = claims.at_readings(whole, READINGS["pairs"], DECLARED)
    assert draws[1] == replace(whole, arguments={"precision": 0.5, "by": "draw"})
    assert [r["name"] for r, _ in claims.at_readings(found["baseline"], READINGS["averaging"], DECLARED)] == [
        "minimum variance"
    ]


@pytest.mark.parametrize(
    ("to", "sides"), [("policy", ("delta", None)), ("against", (None, "delta")), ("both", ("delta", "delta"))]
)
def test_a_reading_changes_the_side_that_it_names(to, sides):
    claim = Claim("a", "", "", "", ">", "above", experiment="frontdoor", policy={"algorithm": "z2_thompson"})
    claim = replace(claim, against={"algorithm": "z2_thompson", "arms": "possibly_optimal"})
    reading = {"name": "delta", "settings": {"averaging": "delta"}, "to": to}
    ((_, changed),) = claims.at_readings(claim, [reading], DECLARED)
    assert (changed.policy.get("averaging"), changed.against.get("averaging")) == sides


# ------------------------------------------------------------------ judging

N = 400
RNG = np.random.default_rng(5)
SHARED = RNG.normal(0, 8, N)
REGRET = {
    "ts_bf": 60 + SHARED,
    "ts_mis": 60 + SHARED,
    "ts_pomis": 44 + SHARED + RNG.normal(0, 1, N),
    "ts_pomis_plus": 29 + SHARED / 4 + RNG.normal(0, 1, N),
}


def finals(regret, **more):
    tables = [
        pd.DataFrame({"policy": label, "seed": np.arange(len(v)), "cumulative_regret": v, **more})
        for label, v in regret.items()
    ]
    return pd.concat(tables, ignore_index=True)


@pytest.fixture
def results():
    """The front door as above, on random instances 10 more for the last policy; delta is not run."""
    draw = {"draw": np.arange(N) // 4}
    tables = {
        "frontdoor": finals(REGRET, **draw),
        "random_frontdoor": finals(REGRET | {"ts_pomis_plus": REGRET["ts_pomis_plus"] + 10}, **draw),
        "sizes": finals({label: 5 * np.sqrt(s["n"]) + RNG.normal(0, 1, N) for label, s in SIZES.items()}),
    }
    at = [
        {"policy": "ts_bf", "t": 2000, "metric": "cumulative_regret", "n": 400, "mean": 30.0, "std": 8.0},
        {"policy": "ts_pomis", "t": 2000, "metric": "cumulative_regret", "n": 400, "mean": 22.0, "std": 6.0},
    ]
    return Results({"frontdoor": pd.DataFrame(at)}, tables, pd.DataFrame(), {}, PLAYED)


def claim_of(name, **changed):
    cells = dict.fromkeys(COLUMNS, "") | {"claim_id": name, **ROWS.get(name, {}), **changed}
    return claims._claim(list(cells.values()), 2, "made2000.csv")


def judged(results, name, readings=None, **changed):
    claim = claim_of(name, **changed)
    judge = {**generic.JUDGES, "sets": Judge(sets)}[claim.judge]
    chosen = READINGS.get(claim.readings, ()) if readings is None else readings
    return verdicts.judge_claim(claim, judge, chosen, results)


def test_a_calibrated_number_is_no_evidence(results):
    found = judged(results, "baseline")
    assert (found.verdict, found.evidence, found.ledger) == (judges.CALIBRATED, judges.CALIBRATED_EVIDENCE, "L01")
    assert float(found.replicated) == pytest.approx(REGRET["ts_pomis"].mean(), abs=0.01)
    assert found.fact == "baseline"


def test_a_mean_is_the_policys_own(results):
    found = judged(results, "baseline", evidence="", value="29.00", policy="z2_thompson", ledger="")
    assert (found.verdict, found.evidence, found.n) == (judges.REPRODUCED, judges.SIMULATED, N)
    assert judged(results, "baseline", evidence="").verdict != judges.NOT_TESTABLE
    assert judged(results, "baseline", evidence="", value="60.0").verdict == judges.NOT_REPRODUCED


def test_a_mean_judges_with_its_arguments(results):
    """Beyond what 1,000 trials explain, a tenth off: only the declared margin lets it pass."""
    near = {"value": "32.0", "readings": "", "against": "", "judge": "mean"}
    assert judged(results, "plus", **near, arguments="{trials: 1000}").verdict == judges.NOT_REPRODUCED
    assert judged(results, "plus", **near, arguments="{trials: 1000, margin: 0.2}").verdict == judges.REPRODUCED
    draws = judged(results, "plus", **near, arguments="{trials: 1000, by: draw}")
    assert draws.n == N // 4


@pytest.mark.parametrize(("direction", "verdict"), [("below", judges.DIRECTION_ONLY), ("above", judges.NOT_REPRODUCED)])
def test_a_number_that_is_off_keeps_its_direction(results, direction, verdict):
    arguments = f"{{trials: 1000, direction: {direction}}}"
    assert judged(results, "plus", value="20", readings="", arguments=arguments).verdict == verdict


def test_a_direction_is_a_tenth_of_the_claimed_difference(results):
    """POMIS+ lies 15 below POMIS, whose mean is 44: less than a tenth of a claimed 200 is none that matters."""
    for claimed, verdict in ((100, judges.DIRECTION_ONLY), (200, judges.NOT_REPRODUCED)):
        arguments = f"{{trials: 1000, direction: below, claimed: {claimed}}}"
        assert judged(results, "plus", value="20", readings="", arguments=arguments).verdict == verdict
    assert judged(results, "reduction", value="200").verdict == judges.DIRECTION_ONLY
    assert judged(results, "reduction", value="500").verdict == judges.NOT_REPRODUCED


def test_a_percentage_is_below_the_other(results):
    true = 100 * (1 - REGRET["ts_pomis_plus"].mean() / REGRET["ts_pomis"].mean())
    found = judged(results, "reduction", value=f"{true:.1f}")
    assert (found.verdict, found.replicated) == (judges.REPRODUCED, f"{true:.1f}")
    assert judged(results, "reduction", value="70").verdict == judges.DIRECTION_ONLY
    turned = {"policy": "thompson arms=possibly_optimal", "against": "z2_thompson"}
    assert judged(results, "reduction", **turned).verdict == judges.NOT_REPRODUCED


def test_an_ordering_has_a_side_and_pairs(results):
    plain = {"readings": "", "arguments": ""}
    found = judged(results, "order", **plain)
    assert (found.verdict, found.n) == (judges.REPRODUCED, N)
    assert found.why.startswith("paired by seed, ")
    difference = REGRET["ts_bf"] - REGRET["ts_pomis_plus"]
    assert found.ci_low < difference.mean() < found.ci_high
    assert found.ci_high - found.ci_low < 4.5 * difference.std() / math.sqrt(N)
    exchanged = {"policy": "z2_thompson", "against": "thompson arms=brute_force"}
    assert judged(results, "order", **plain, **exchanged).verdict == judges.NOT_REPRODUCED
    by_draw = judged(results, "order", readings="", arguments="{by: draw}")
    assert (by_draw.n, by_draw.why.split(",")[0]) == (N // 4, "paired by draw")
    small = judged(results, "order", readings="", arguments="{claimed: 1000}")
    assert small.verdict == judges.NOT_REPRODUCED  # 31 is no difference of 1,000


def test_the_other_may_have_another_metric(results):
    table = results.finals["frontdoor"]
    table["unfair"] = table["cumulative_regret"] + 5
    row = {"readings": "", "against": "thompson arms=brute_force"}
    assert judged(results, "order", **row, arguments="{other_metric: unfair}").verdict == judges.NOT_REPRODUCED
    found = judged(results, "order", **row, metric="unfair", arguments="{other_metric: cumulative_regret}")
    assert (found.verdict, found.replicated) == (judges.REPRODUCED, "difference 5.00")


def test_an_early_ordering_is_read_from_the_curves(results):
    row = {"readings": "", "judge": "above_at", "against": "thompson arms=possibly_optimal"}
    found = judged(results, "order", **row, arguments="{at: 2000}")
    assert (found.verdict, found.replicated, found.n) == (judges.REPRODUCED, "difference 8.00", 400)
    half = 8 - found.ci_low
    assert half == pytest.approx(found.ci_high - 8)
    assert 1.96 * 0.5 < half < 1.2 * 1.96 * 0.5  # sqrt(64 + 36) / 20 is 0.5
    turned = row | {"policy": row["against"], "against": "thompson arms=brute_force"}
    assert judged(results, "order", **turned, arguments="{at: 2000}").verdict == judges.NOT_REPRODUCED
    missing = judged(results, "order", **row, arguments="{at: 500}")
    assert missing.verdict == judges.NOT_TESTABLE
    assert missing.why == "not in this configuration: a checkpoint of frontdoor at t = 500"


def test_moments_of_few_or_equal_seeds_tell_nothing():
    spread, constant = judges.Moments(5, 1, 1), judges.Moments(5, 0, 100)
    assert judges.judge_above_apart(spread, judges.Moments(1, 1, 1)).verdict == judges.INCONCLUSIVE
    assert judges.judge_above_apart(constant, judges.Moments(1, 0, 100)).verdict == judges.INCONCLUSIVE


def test_an_identity_by_construction_says_so(results):
    found = judged(results, "same")
    assert (found.verdict, found.evidence) == (judges.REPRODUCED, judges.BY_CONSTRUCTION)
    assert found.fact == "MIS and POMIS are all sets of the front-door graph"
    assert judged(results, "same", evidence="").evidence == judges.SIMULATED
    broken = judged(results, "same", against="z2_thompson")
    assert (broken.verdict, broken.evidence) == (judges.NOT_REPRODUCED, judges.SIMULATED)


def test_a_bound_is_the_published_number(results):
    row = {"judge": "bound", "readings": "", "against": "", "policy": "z2_thompson"}
    assert judged(results, "plus", **row, value="100", arguments="{worst: 5000}").verdict == judges.REPRODUCED
    assert judged(results, "plus", **row, value="29", arguments="{worst: 5000}").verdict == judges.NOT_REPRODUCED
    assert judged(results, "plus", **row, value="100", arguments="{worst: 100}").verdict == judges.NOT_TESTABLE
    kept = judged(results, "plus", **row, value="29", arguments="{worst: 5000, probability: 0.3}")
    assert kept.verdict == judges.REPRODUCED


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
    assert judged(results, "plus", **row, value="0.8").verdict == judges.REPRODUCED
    assert judged(results, "plus", **row, value="0.95").verdict == judges.NOT_REPRODUCED
    with pytest.raises(ValueError, match="cumulative_regret is not 0 or 1 on every seed"):
        judged(results, "plus", **row | {"metric": ""}, value="0.8")


def test_growth_and_trend_run_along_a_setting(results):
    assert judged(results, "growth").verdict == judges.REPRODUCED
    wrong = "{over: {n: [10, 100, 1000]}, model: linear, rivals: [sqrt]}"
    assert judged(results, "growth", arguments=wrong).verdict == judges.NOT_REPRODUCED
    for direction, verdict in (("rises", judges.REPRODUCED), ("falls", judges.NOT_REPRODUCED)):
        arguments = f"{{over: {{n: [10, 100, 1000]}}, direction: {direction}}}"
        assert judged(results, "growth", judge="trend", arguments=arguments).verdict == verdict


def test_other_seeds_are_no_pair(results):
    table = results.finals["frontdoor"]
    results.finals["frontdoor"] = table[(table["policy"] != "ts_bf") | (table["seed"] > 0)]
    with pytest.raises(ValueError, match="the two policies were not played with the same seeds"):
        judged(results, "order", readings="", arguments="")


def test_a_claim_is_judged_under_every_reading(results):
    found = judged(results, "order")
    assert (found.verdict, found.ledger) == (judges.REPRODUCED, "L10 L01")
    assert "calibrated: holds (difference 30." in found.why
    assert "random: holds (difference 20." in found.why
    number = {"judge": "mean", "policy": "z2_thompson", "against": "", "arguments": "{trials: 1000}", "value": "29.0"}
    some = judged(results, "order", **number)
    assert some.verdict == judges.DIRECTION_ONLY
    assert "calibrated: holds" in some.why
    assert "random: does not hold" in some.why


def test_a_reading_may_replace_what_the_claim_names_if_it_says_so(tmp_path, results):
    """One side only: the other names the same setting."""
    row = {"against": "thompson arms=possibly_optimal", "arguments": ""}
    bound(tmp_path, [("order", ROWS["order"] | row | {"readings": "arms"})])
    found = judged(results, "order", READINGS["arms"], **row)
    means = REGRET["ts_bf"].mean(), REGRET["ts_mis"].mean(), REGRET["ts_pomis"].mean()
    assert f"all: holds (difference {means[0] - means[2]:.2f}" in found.why
    assert f"(difference {means[1] - means[2]:.2f}" in found.why.partition("few: ")[2]


def test_a_reading_that_is_not_run_leaves_the_others(results):
    found = judged(results, "plus", value="29.0")
    assert found.verdict == judges.DIRECTION_ONLY
    assert found.why.endswith("; delta: not run")
    assert float(found.replicated) == pytest.approx(29, abs=0.5)


def test_what_is_not_run_at_all_says_so(results):
    found = judged(results, "reduction", policy="z2_thompson averaging=delta")
    assert found.verdict == judges.NOT_TESTABLE
    assert found.why.startswith("not in this configuration: algorithm=z2_thompson, averaging=delta in frontdoor")
    found = judged(results, "baseline", arguments="{trials: 5, rounds: 5000}")
    assert found.why == "not in this configuration: 5000 rounds of frontdoor (played: 10000)"
    assert (found.verdict, found.evidence) == (judges.NOT_TESTABLE, judges.CALIBRATED_EVIDENCE)
    other = Results({}, {}, pd.DataFrame(), {}, {})
    assert judged(other, "order").why.startswith("not in this configuration: experiment frontdoor")


def test_files_that_are_not_there_are_not_run(results):
    with pytest.raises(NotRunError, match="not in this configuration: bounds_contextual"):
        results.file("bounds_contextual")
    assert replace(results, files={"data_adult": "there"}).file("data_adult") == "there"


# ------------------------------------------------------------------ tables


@pytest.fixture
def job(tmp_path, monkeypatch, results):
    path = write(tmp_path, ROWS.items())
    monkeypatch.setattr(Results, "load", classmethod(lambda cls, experiments, inputs: results))
    return {"paper": "made2000", "experiments": [], "readings": READINGS}, {"published": str(path)}


def test_the_table_of_verdicts_has_every_claim_in_order(tmp_path, job):
    verdicts.judge(*job, tmp_path / "verdicts.csv")
    table = pd.read_csv(tmp_path / "verdicts.csv", keep_default_na=False)
    assert list(table.columns) == list(verdict_tables.COLUMNS)
    assert list(table["claim_id"]) == list(ROWS)
    by_id = table.set_index("claim_id")
    assert by_id.at["sets", "evidence"] == "computed"
    assert by_id.at["sets", "ci_low"] == ""
    assert by_id.at["baseline", "published"] == "44.40"
    assert by_id.at["same", "fact"] == "MIS and POMIS are all sets of the front-door graph"


def test_a_judge_that_fails_names_its_claim_and_keeps_the_former_table(tmp_path, job, results):
    former = tmp_path / "verdicts.csv"
    former.write_text("former")
    results.finals["frontdoor"]["cumulative_regret"] = np.nan
    with pytest.raises(RuntimeError, match=r"made2000.csv:2: baseline: judge 'mean': ValueError: 400 of 400 values"):
        verdicts.judge(*job, former)
    assert former.read_text() == "former"
    assert list(tmp_path.glob(".*")) == []


def row(claim_id, verdict, evidence, fact, why="", paper="a2000"):
    cells = dict.fromkeys(verdict_tables.COLUMNS, "")
    return (
        cells
        | {"claim_id": claim_id, "verdict": verdict, "evidence": evidence, "fact": fact, "why": why}
        | {"paper": paper}
    )


def test_headline_counts_are_by_evidence_and_facts(tmp_path):
    rows = [
        row("1", "reproduced", "simulated", "f"),
        row("2", "reproduced", "simulated", "f"),
        row("3", "reproduced", "computed", "g"),
        row("4", "not reproduced", "simulated", "f"),
        row("5", "not testable", "simulated", "h", "not in this configuration: x"),
        row("6", "inconclusive", "simulated", "i"),
        row("7", "reproduced", "computed", "g", paper="b2000"),
    ]
    for paper in ("a2000", "b2000"):
        verdict_tables.write([r for r in rows if r["paper"] == paper], tmp_path / paper)
    verdict_tables.combine([tmp_path / "a2000", tmp_path / "b2000"], tmp_path / "all.csv", tmp_path / "all.md")
    assert list(pd.read_csv(tmp_path / "all.csv")["claim_id"]) == [1, 2, 3, 4, 5, 6, 7]
    said = (tmp_path / "all.md").read_text()
    header = " | ".join(judges.VERDICTS)
    assert f"| evidence | {header} | all |" in said
    assert "| computed | 2 | 0 | 0 | 0 | 0 | 0 | 0 | 2 |" in said
    assert "| simulated | 2 | 0 | 1 | 0 | 1 | 0 | 1 | 5 |" in said
    assert "| facts | 3 | 0 | 1 | 0 | 1 | 0 | 1 | 5 |" in said
    assert "| rows | 4 | 0 | 1 | 0 | 1 | 0 | 1 | 7 |" in said
    assert "| a2000 | simulated | 2 | 0 | 1 | 0 | 1 | 0 | 1 | 5 |" in said
    assert "| b2000 | computed | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 1 |" in said
    assert "1 are not in this configuration" in said
    assert "up to 0.1 of them" in said  # four tests at 2.5 %
