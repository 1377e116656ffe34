"""What is wrong with a claim is one line before any job starts."""

from dataclasses import replace

import pytest
from made_claims import DECLARED, JUDGES, READINGS, ROWS, bound, write

from experiments.results import Plan
from experiments.settings import ConfigError
from replication.judging import binding
from replication.judging.binding import Declared
from replication.judging.claims import COLUMNS, Claim, Judge
from replication.judging.judges.arguments import Milestone


@pytest.fixture(autouse=True)
def paper(monkeypatch):
    """A paper with two peculiar judges."""
    monkeypatch.setattr(binding, "judges_of", lambda paper: JUDGES)


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
        ("plus", {"value": "29,08"}, "value: '29,08' is not a number; expected one for judge 'mean_and_order'"),
        ("plus", {"value": "nan"}, "value: 'nan' is not a number; expected one for judge 'mean_and_order'"),
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
            "policy (reading 'calibrated'): no policy has algorithm=tompson, arms=minimal in experiment 'frontdoor'; "
            "available: algorithm=thompson, z2_thompson; arms=brute_force, minimal, possibly_optimal",
        ),
        (
            "reduction",
            {"policy": "z2_thompson average=delta"},
            "policy: no policy has algorithm=z2_thompson, average=delta in experiment 'frontdoor'; "
            "available: algorithm=thompson, z2_thompson; average=nothing",
        ),
        (
            "reduction",
            {"policy": "z2_thompson averaging=none"},
            "policy: no policy has algorithm=z2_thompson, averaging=none in experiment 'frontdoor'; "
            "available: algorithm=thompson, z2_thompson; averaging=minimum_variance, delta",
        ),
        (
            "same",
            {"against": "thompson"},
            "against: experiment 'frontdoor': algorithm=thompson matches 3 policies (ts_bf; ts_mis; ts_pomis), "
            "which differ in: arms; expected one",
        ),
        (
            "reduction",
            {"policy": "z2_thompson averaging=delta problem=frontdoor", "experiment": "random_frontdoor"},
            "policy: no policy has algorithm=z2_thompson, averaging=delta, problem=frontdoor in experiment "
            "'random_frontdoor'; available: algorithm=thompson, z2_thompson; averaging=minimum_variance; "
            "problem=frontdoor",
        ),
        (
            "same",
            {"policy": "arms=minimal"},
            "policy: 'arms=minimal' selects no policy; expected an algorithm, then name=value pairs, no name twice",
        ),
        (
            "same",
            {"policy": "thompson arms"},
            "policy: 'thompson arms' selects no policy; expected an algorithm, then name=value pairs, no name twice",
        ),
        (
            "same",
            {"policy": "thompson arms=minimal arms=minimal"},
            "policy: 'thompson arms=minimal arms=minimal' selects no policy; "
            "expected an algorithm, then name=value pairs, no name twice",
        ),
        (
            "same",
            {"metric": "Cumulative regret"},
            "metric: 'Cumulative regret' is not the name of a metric; expected a column of the runs, such as "
            "cumulative_regret",
        ),
        (
            "order",
            {"readings": "instance"},
            "readings: 'instance' is unknown; expected one of: arms, averaging, instances, one, pairs, wrong",
        ),
        (
            "baseline",
            {"readings": "averaging"},
            "readings: 'averaging' change nothing in this claim; expected an empty cell",
        ),
        (
            "plus",
            {"policy": "z2_thompson averaging=minimum_variance"},
            "readings: 'averaging' sets 'averaging', which the claim names too; expected it in only one of them",
        ),
        (
            "same",
            {"readings": "arms", "policy": "thompson arms=possibly_optimal"},
            "readings: 'arms' sets 'arms', which the claim names too; expected it in only one of them",
        ),
        (
            "plus",
            {"experiment": "random_frontdoor"},
            "policy (reading 'delta'): no policy has algorithm=z2_thompson, averaging=delta in experiment "
            "'random_frontdoor'; available: algorithm=thompson, z2_thompson; averaging=minimum_variance",
        ),
        (
            "plus",
            {"arguments": "trials"},
            "arguments: 'trials' is not a YAML mapping; expected one such as {trials: 5}",
        ),
        ("plus", {"arguments": "{a"}, "arguments: '{a' is not a YAML mapping; expected one such as {trials: 5}"),
        (
            "reduction",
            {"arguments": "{trial: 5}"},
            "arguments: {trial: 5}: judge 'percentage': missing a required argument: 'trials'",
        ),
        (
            "reduction",
            {"arguments": "{trials: 5, claimed: 3}"},
            "arguments: {claimed: 3, trials: 5}: judge 'percentage': ",
        ),
        (
            "reduction",
            {"arguments": "{trials: five}"},
            "arguments: trials: 'five' does not fit judge 'percentage'; expected at least 1",
        ),
        (
            "reduction",
            {"arguments": "{trials: true}"},
            "arguments: trials: True does not fit judge 'percentage'; expected at least 1",
        ),
        (
            "order",
            {"arguments": "{by: instance}"},
            "arguments: by: 'instance' does not fit judge 'above'; expected 'seed' or 'draw'",
        ),
        *(
            (
                "growth",
                {"arguments": f"{{over: {over}, model: sqrt}}"},
                f"arguments: over: {found} does not fit judge 'growth'; "
                "expected one setting and at least three increasing positive values of it",
            )
            for over, found in (
                ("{n: 10}", "{'n': 10}"),
                ("{n: [10, 100]}", "{'n': [10, 100]}"),
                ("{n: [0, 100, 1000]}", "{'n': [0, 100, 1000]}"),
                ("{n: [10, 1000, 100]}", "{'n': [10, 1000, 100]}"),
                ("{n: [10, 100, 100]}", "{'n': [10, 100, 100]}"),
                ("{n: [10, 100], m: [1, 2]}", "{'n': [10, 100], 'm': [1, 2]}"),
            )
        ),
        (
            "growth",
            {"judge": "trend", "arguments": "{over: {n: [10]}, direction: falls}"},
            "arguments: over: {'n': [10]} does not fit judge 'trend'; "
            "expected one setting and at least two increasing values of it",
        ),
        (
            "growth",
            {"arguments": "{over: {n: [10, 100, 1000]}, model: cubic}"},
            "arguments: model: 'cubic' does not fit judge 'growth'; "
            "expected 'log' or 'sqrt' or 'linear' or 'log_squared'",
        ),
        (
            "growth",
            {"arguments": "{over: {n: [10, 100, 500]}, model: sqrt}"},
            "policy: no policy has algorithm=kl_ucb, n=500 in experiment 'sizes'; "
            "available: algorithm=kl_ucb; n=10, 100, 1000",
        ),
        (
            "sets",
            {"arguments": "{task: frontdoor, strategy: minimal, rounds: 5}"},
            "arguments: rounds: 5 rounds, but no experiment; expected one",
        ),
        (
            "baseline",
            {"arguments": "{trials: 5, rounds: many}"},
            "arguments: rounds: 'many' is not a number of rounds; expected an integer of at least 1",
        ),
        (
            "same",
            {"evidence": "constructed"},
            "evidence: 'constructed' is unknown; expected an empty cell or: by construction, fitted",
        ),
        (
            "order",
            {"readings": "wrong", "arguments": ""},
            "arguments (reading 'draws'): {per: draw}: judge 'above': got an unexpected keyword argument 'per'",
        ),
        ("order", {"kind": "order"}, "kind: 'order' is unknown; expected one of: bound, count, exact, "),
        ("order", {"kind": ""}, "kind: '' is unknown; expected one of: bound, count, exact, "),
        *(
            (
                "plus",
                {"arguments": f"{{direction: below, {argument}}}"},
                f"arguments: {argument.partition(',')[0]} does not fit judge 'mean_and_order'; expected {expected}",
            )
            for argument, expected in (
                ("trials: 0", "at least 1"),
                ("precision: 0, trials: 5", "a number above 0"),
                ("precision: True, trials: 5", "a number above 0"),
                ("margin: -0.1, trials: 5", "a number of at least 0"),
                ("claimed: 0, trials: 5", "a number above 0"),
            )
        ),
        *(
            (
                "plus",
                {"arguments": f"{{trials: 5, direction: below, precision: {written}}}"},
                f"arguments: precision: {read} does not fit judge 'mean_and_order'; expected a number above 0",
            )
            for written, read in ((".inf", "inf"), (".nan", "nan"), ("wide", "'wide'"))
        ),
        (
            "reduction",
            {"value": "-3"},
            "value: -3 does not fit judge 'percentage'; expected above 0 and at most 100",
        ),
        *(
            (
                "growth",
                {"judge": "rate", "value": value, "policy": "kl_ucb n=10", "metric": "correct", "arguments": ""},
                f"value: {value} does not fit judge 'rate'; expected a probability above 0 and at most 1",
            )
            for value in ("0", "1.5", "95")
        ),
        (
            "plus",
            {"judge": "above_at", "value": ">", "readings": "", "arguments": "{at: 2050}"},
            "arguments: at: 2050 is not a checkpoint of frontdoor; expected one, such as 2000",
        ),
        (
            "order",
            {
                "experiment": "sizes",
                "policy": "kl_ucb n=10",
                "against": "kl_ucb n=100",
                "readings": "",
                "arguments": "{by: draw}",
            },
            "arguments: by: sizes has no seeds_per_draw; expected 'seed'",
        ),
        (
            "order",
            {"metric": "sample_complexity", "arguments": ""},
            "metric (reading 'calibrated'): of ts_bf: 'sample_complexity' is unknown; "
            "expected one of: correct, cumulative_regret, unfair_plugin",
        ),
        ("order", {"headline": "no"}, "headline: 'no'; expected 'yes' or nothing"),
        (
            "order",
            {"headline": "yes"},
            "statement: '' is empty; a headline needs a plain sentence that states the claim",
        ),
        (
            "order",
            {"headline": "yes", "statement": "BF regrets more."},
            "shown: '' is empty; a headline that is an ordering needs its sides: 'UCB > TS'",
        ),
        (
            "order",
            {"shown": "BF > POMIS+"},
            "shown: 'BF > POMIS+': only a headline that is an ordering may have its own text here; "
            "expected an empty cell or '1 - delta (here >)'",
        ),
        (
            "baseline",
            {"headline": "yes", "statement": "POMIS regrets little.", "shown": "1 - delta (here 0.9)"},
            "shown: '1 - delta (here 0.9)': only a headline that is an ordering may have its own text here; "
            "expected an empty cell or '1 - delta (here 44.40)'",
        ),
        (
            "parts",
            {"arguments": "{among: [plus, pls]}"},
            "arguments: among: 'pls' is unknown; expected one of: baseline, ",
        ),
        (
            "parts",
            {"arguments": "{among: [plus, order]}"},
            "arguments: among: order: '>' is not a number; expected one",
        ),
        ("sets", {"ledger": "L06 L07"}, "ledger: L07 is not in docs/ledger; expected ids of entries"),
        ("sets", {"ledger": "L06, E1"}, "ledger: 'L06,' is not the id of an entry; expected ids such as L07 or E03"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, row, changed, message):
    rows = ROWS | {row: ROWS[row] | changed}
    with pytest.raises(ConfigError) as caught:
        bound(tmp_path, rows.items())
    line = 2 + list(ROWS).index(row)
    said = str(caught.value)
    assert said.startswith(f"data/published/made2000.csv:{line}: {row}: {message}")
    assert said.endswith(message) or message.endswith(", ") or message.endswith(": ")
    assert "\n" not in said


def test_the_columns_are_exactly_these(tmp_path):
    write(tmp_path, [], header=[*COLUMNS[:-1], "notes"])
    with pytest.raises(ConfigError, match=r"csv:1: no column in_view, unknown 'notes'; expected claim_id,.*,in_view$"):
        binding.bind("made2000", DECLARED, READINGS, tmp_path)


def test_columns_have_one_order(tmp_path):
    write(tmp_path, [], header=COLUMNS[::-1])
    with pytest.raises(
        ConfigError, match=r"made2000.csv:1: columns in_view,.*,claim_id; expected claim_id,.*,in_view$"
    ):
        binding.bind("made2000", DECLARED, READINGS, tmp_path)


def test_a_reading_cites_entries_that_are_there(tmp_path):
    readings = READINGS | {"averaging": [READINGS["averaging"][0], READINGS["averaging"][1] | {"ledger": f"L{99}"}]}
    write(tmp_path, ROWS.items())
    with pytest.raises(ConfigError, match=r"plus: readings: 'delta': ledger: L\d+ is not in docs/ledger; expected"):
        binding.bind("made2000", DECLARED, readings, tmp_path)


def test_a_short_row_is_refused(tmp_path):
    path = write(tmp_path, ROWS.items())
    path.write_text(path.read_text() + "last,Table 1\n")
    line = 2 + len(ROWS)
    with pytest.raises(ConfigError, match=rf"made2000.csv:{line}: last: 2 cells; expected {len(COLUMNS)}"):
        binding.bind("made2000", DECLARED, READINGS, tmp_path)


def test_an_id_stands_once(tmp_path):
    with pytest.raises(ConfigError, match=r"made2000.csv:4: sets: claim_id: also in line 2; expected distinct ids"):
        bound(tmp_path, [("sets", ROWS["sets"]), ("same", ROWS["same"]), ("sets", ROWS["sets"])])


def test_a_milestone_is_one_of_its_experiment():
    """An argument of the type `Milestone`."""

    def judge(claim, results, *, since: Milestone):
        raise NotImplementedError

    claim = Claim("1", "", "", "", "yes", "widening", experiment="longer", arguments={"since": 500})
    longer = Declared(Plan(1000, {}, {}, {}), frozenset({500, 1000}), draws=True, metrics={})
    with pytest.raises(ConfigError, match=r"^key: since: 500 is not a milestone of longer, which has none$"):
        binding._check_experiment(claim, Judge(judge), longer, "key")
    binding._check_experiment(claim, Judge(judge), replace(longer, milestones=(500,)), "key")
