"""What is fixed before a run: a claim's cells, its readings and all settings of its experiments."""

import csv
from pathlib import Path

import pytest

from replication.judging.claims import COLUMNS, Judge
from replication.judging.generic import judges_of
from replication.judging.judges import means
from replication.tools import reference
from replication.tools.terms import came_and_went, constants, terms, unmarked

ROOT = Path(__file__).parents[3]
PAPERS = ("lee2019", "lu2021", "huang2022", "xiong2023", "huang2024")
CONFIG = """experiments:
  e: {{replicates: {seeds}, horizon: {horizon}, policies: {{a: {{parameters: {{width: {width}}}}}}}}}
  f: {{replicates: {others}}}
  g_1: {{replicates: {third}}}
data:
  records: {{rule: {rule}}}
readings:
  open:
    - {{name: {name}}}
    - {{name: other, experiment: f, settings: {{scale: {scale}}}}}
"""


BORDER, UNUSED = 0.5, 1


def near(claim, results, *, share=0.1):
    return means.judge_mean(BORDER, claim, results, share)


JUDGES = {
    "apart": Judge(lambda claim, results: None, reads=lambda arguments: (f"{arguments['part']}_*",)),
    "near": Judge(near),
}


def written(in_view="", statement="It grows.", value="10", **settings):
    """Write the claim p.a, one beside it, and the settings of their paper; returns the digest of p.a's terms."""
    cells = {"claim_id": "p.a", "statement": statement, "value": value, "experiment": "e", "in_view": in_view}
    rows = [
        cells | {"readings": "open"},
        {"claim_id": "p.b"},
        {"claim_id": "p.c", "judge": "apart", "arguments": "{part: g}"},
        {"claim_id": "p.d", "judge": "near"},
    ]
    lines = [COLUMNS, *([row.get(column, "") for column in COLUMNS] for row in rows)]
    with Path("data/published/p.csv").open("w", newline="") as file:
        csv.writer(file).writerows(lines)
    known = {"seeds": 5, "others": 6, "third": 7, "horizon": 9, "width": 1, "rule": "a", "name": "printed", "scale": 1}
    known |= settings
    Path("config/papers/p.yaml").write_text(CONFIG.format(**known))
    return terms("p", JUDGES, reference.PUBLISHED, Path())


def test_terms_are_cells_readings_and_settings_and_not_words(checkout):
    known = written()
    assert written(statement="It shrinks.", in_view="L01: same", name="as printed") == known
    of_a = ("value", "11"), ("seeds", 50), ("others", 60), ("scale", 2), ("horizon", 90), ("width", 2), ("rule", "b")
    changed = [written(**{name: value})["p.a"] for name, value in of_a]
    assert len({known["p.a"], *changed}) == 8
    assert written(seeds=50)["p.b"] == known["p.b"]


def test_terms_hold_the_experiments_that_a_judge_names_by_its_arguments(checkout):
    known = written()
    assert written(third=70)["p.c"] != known["p.c"]
    assert written(third=70)["p.a"] == known["p.a"]
    assert written(seeds=50)["p.c"] == known["p.c"]


def test_terms_hold_the_numbers_that_a_judge_uses_and_no_others(checkout, monkeypatch):
    known = written()
    monkeypatch.setattr(means, "FEW", 0.05)
    used = written()
    assert used.pop("p.d") != known.pop("p.d")
    assert used == known
    found = constants(near)
    assert (found["near.BORDER"], found["near.share"], found["explained_by.FEW"]) == ("0.5", "0.1", "0.05")
    assert not any("UNUSED" in name for name in found)


@pytest.mark.parametrize(
    ("paper", "judge", "name"),
    [
        ("lu2021", "above", "judge_above.SHARE_OF_SMALLER"),
        ("lee2019", "gain_by_gap", "_student.CONFIDENCE"),  # behind a cache
        ("lu2021", "growth", "judge_growth.GROWTHS"),  # the rivals of a law, by name
        ("huang2022", "regret_of_column", "as_far.RARE"),
        ("huang2022", "regret_of_column", "quantile.skewness"),
    ],
)
def test_a_judge_is_followed_to_the_end(paper, judge, name):
    assert name in constants(judges_of(paper)[judge].function)


def test_numbers_of_other_packages_and_of_python_are_no_terms():
    found = {name for paper in PAPERS for judge in judges_of(paper).values() for name in constants(judge.function)}
    assert not any(name.startswith(("Enum.", "EnumType.")) for name in found)


@pytest.mark.parametrize("name", ["lee2019.efficiency", "lee2019.gaps.ts.large", "lee2019.low_arms.ts"])
def test_judges_that_find_their_experiments_themselves_name_them(name):
    claims = ROOT / "data/published/lee2019.csv"
    with claims.open(newline="") as file:
        row = next(row for row in csv.DictReader(file) if row["claim_id"] == name)
    judge = judges_of("lee2019")[row["judge"]]
    arguments = {"instances": "sixvar", "task": "sixvar", "than": "large_gap", "family": "noisy_gates"}
    expected = {
        "efficiency": ["sixvar"],
        "gain_by_gap": ["sixvar", "large_gap_sixvar"],
        "many_low_arms": ["noisy_gates_frontdoor", "noisy_gates_fourvar", "noisy_gates_sixvar"],
    }
    assert list(judge.reads(arguments)) == expected[row["judge"]]


def test_a_change_after_the_reference_was_made_is_marked(checkout, capsys, monkeypatch):
    monkeypatch.setattr(reference, "judges_of", lambda paper: JUDGES)
    written()
    assert reference.main([]) == 0
    written(seeds=50)
    assert reference.main([]) == 1
    assert (
        "p.a: its cells, readings, experiments or the numbers of its judge changed after the reference was made"
        in capsys.readouterr().err
    )
    written(seeds=50, in_view="L01: open; with the first 5 seeds")
    assert reference.main([]) == 0


def test_claims_that_came_since_are_not_changed():
    assert unmarked({"p.a": "1"}, {"p.a": "1", "p.b": "2"}, {}, {"p.a": "", "p.b": ""}) == []


def test_an_old_mark_says_nothing_of_a_new_change():
    marks = {"p.a": "L01: same", "p.b": "L01: same", "p.c": ""}
    before, now = dict.fromkeys(marks, "1"), dict.fromkeys(marks, "2")
    assert unmarked(before, now, {**marks, "p.b": ""}, marks) == ["p.a", "p.c"]


def test_claims_that_came_and_went_are_listed():
    assert came_and_went({"p.a": "1", "p.b": "2"}, {"p.b": "2", "p.c": "3"}) == "new: p.c\ngone: p.a"
    assert came_and_went({"p.a": "1"}, {"p.a": "2"}) == ""


def test_what_changed_since_the_committed_reference_is_marked():
    assert reference.terms_of(reference.published_papers(ROOT / reference.PUBLISHED), ROOT)
