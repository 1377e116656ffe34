"""What `make mutants` changes, and the table that it writes; a whole run is on request."""

import yaml
from mutants.mutate import mutants, mutated
from mutants.table import FOLDER, readme

SOURCE = """\
from __future__ import annotations

def least(values: list[int | float], start: int = 0, limit: None | float = None) -> int | None:
    found: float | None = None
    for value in values:
        if value < start or not value:
            continue
        found = value - 1
    return found
"""


def changes(source):
    return {(mutant.before, mutant.after) for mutant in mutants(source)}


def test_each_mutant_changes_one_line_that_runs():
    found = mutants(SOURCE)
    assert len({mutant.key for mutant in found}) == len(found)
    for mutant in found:
        lines = mutated(SOURCE, mutant.operator, mutant.occurrence).splitlines()
        differing = [i for i, (old, new) in enumerate(zip(SOURCE.splitlines(), lines, strict=True), 1) if old != new]
        assert differing == [mutant.line]
        assert lines[mutant.line - 1].strip() == mutant.after
    assert {("if value < start or not value:", "if value <= start or not value:")} <= changes(SOURCE)
    assert {("found = value - 1", "found = value + 1"), ("continue", "break")} <= changes(SOURCE)
    assert not {before for before, _ in changes(SOURCE) if before.startswith("found: float")}  # nothing runs it
    (head,) = {before for before, _ in changes(SOURCE) if before.startswith("def ")}
    assert {after.count("|") for before, after in changes(SOURCE) if before == head} == {3}  # annotations stay


def test_a_sample_takes_every_line_once_before_any_twice():
    found = mutants(SOURCE)
    lines = {mutant.line for mutant in found}
    assert {mutant.line for mutant in found[: len(lines)]} == lines
    assert mutants(SOURCE) == found


def test_the_table_counts_survivors_and_names_reasons():
    survivors = [{"line": 3, "before": "a | b", "after": "a & b"}, {"line": 9, "before": "x < 1", "after": "x <= 1"}]
    latest = {
        "room.one": {"mutants": 40, "tried": 10, "survivors": survivors},
        "room.two": {"mutants": 5, "tried": 5, "survivors": []},
    }
    text = readme(latest, {"room.one": [{"before": "x < 1", "after": "x <= 1", "why": "x is whole"}]})
    assert "| room | 45 | 15 | 13 | 1 | 1 | 93% |" in text
    assert "| room.one | 40 | 10 | 8 | 1 | 1 | 89% |" in text
    assert "| room.two | 5 | 5 | 5 | 0 | 0 | 100% |" in text
    noticed, unnoticed = text.split("## Survivors that make no observable difference")
    assert "| room.one | 3 | `a \\| b` | `a & b` |" in noticed
    assert "| room.one | 9 | `x < 1` | `x <= 1` | x is whole |" in unnoticed


def test_every_reason_names_a_mutant_of_its_module():
    source = FOLDER.parents[1] / "src" / "causal_bandits"
    for module, reasons in (yaml.safe_load((FOLDER / "unobservable.yaml").read_text()) or {}).items():
        found = changes(source.joinpath(*module.split(".")).with_suffix(".py").read_text())
        for reason in reasons:
            assert (reason["before"], reason["after"]) in found, f"unobservable.yaml: {module}: {reason}"
            assert reason["why"]
