"""What `make mutants` changes, and the table that it writes; a whole run is on request."""

import json

import pytest
import yaml
from mutants.mutate import mutant, places, room, sampled
from mutants.run import PACKAGES, modules
from mutants.table import FOLDER, readme, record, write

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
    return [found for found in (mutant(source, place) for place in places(source)) if found]


def test_each_mutant_changes_one_line_that_runs():
    for found in changes(SOURCE):
        lines = enumerate(zip(SOURCE.splitlines(), found.code.splitlines(), strict=True), 1)
        assert [(i, old.strip(), new.strip()) for i, (old, new) in lines if old != new] == [
            (found.line, found.before, found.after)
        ]
    pairs = {(found.before, found.after) for found in changes(SOURCE)}
    assert ("if value < start or not value:", "if value <= start or not value:") in pairs
    assert {("found = value - 1", "found = value + 1"), ("continue", "break")} <= pairs
    assert not [before for before, _ in pairs if before.startswith("found: float")]  # nothing runs it
    assert {after.count("|") for before, after in pairs if before.startswith("def ")} == {3}  # annotations stay


def test_signatures_but_for_defaults_and_what_exceptions_say_stay():
    source = """\
@dataclass(frozen=True, order=True)
class Pair:
    first: int = 2

    def scaled(self, *, by: float = 3) -> Pair:
        if by < 0:
            raise ValueError(f"by={by - 1}: expected " + "more" * 1)
        return Pair(self.first * by)
"""
    changed = {found.before for found in changes(source)}
    assert changed == {
        "@dataclass(frozen=True, order=True)",
        "first: int = 2",
        "def scaled(self, *, by: float = 3) -> Pair:",
        "if by < 0:",
        "return Pair(self.first * by)",
    }
    after = {found.after for found in changes(source)}
    assert "@dataclass(frozen=True, order=False)" in after
    assert "@dataclass(frozen=False, order=True)" not in after
    assert not any("/" in line and line.startswith("def") for line in after)


def test_a_sample_takes_every_line_once_before_any_twice():
    found = places(SOURCE)
    assert len({place.key for place in found}) == len(found)
    lines = {place.line for place in found}
    assert {place.line for place in found[: len(lines)]} == lines
    assert places(SOURCE) == found


def test_a_sample_is_of_rooms_and_larger_ones_hold_smaller_ones():
    names = ["pkg.room.one", "pkg.room.two", "pkg.other"]
    population = {name: places(SOURCE) for name in names}
    assert {name: set(found) for name, found in sampled(population).items()} == {n: set(places(SOURCE)) for n in names}
    few, more = (sampled(population, size) for size in (4, 9))
    assert sum(len(few[name]) for name in names[:2]) == len(few["pkg.other"]) == 4
    assert all(set(few[name]) < set(more[name]) for name in names)
    lines = len({place.line for place in places(SOURCE)})
    assert len({place.line for place in sampled(population, lines)["pkg.other"]}) == lines
    del population["pkg.room.two"]
    assert set(few["pkg.room.one"]) <= set(sampled(population, 4)["pkg.room.one"])


def test_modules_that_are_no_more_leave_the_table(tmp_path):
    (tmp_path / "unobservable.yaml").write_text("")
    for name in ("one", "two"):
        entry = {"line": 3, "before": "a", "after": "b", "outcome": "survived" if name == "two" else "caught"}
        record({"module": f"pkg.room.{name}", "revision": "c0ffee", "possible": 7, "tried": {"key": entry}}, tmp_path)
    assert "| pkg.room | 14 | 2 | 1 | 1 | 0 | 50% | c0ffee |" in (tmp_path / "README.md").read_text()
    write(tmp_path, ["pkg.room.one"])
    text = (tmp_path / "README.md").read_text()
    assert "| pkg.room | 7 | 1 | 1 | 0 | 0 | 100% | c0ffee |" in text
    assert "room.two" not in text


def test_the_table_counts_survivors_and_names_reasons():
    survivors = [{"line": 3, "before": "a | b", "after": "a & b"}, {"line": 9, "before": "x < 1", "after": "x <= 1"}]
    latest = {
        "pkg.room.one": {"revision": "c0ffee", "mutants": 40, "tried": 10, "survivors": survivors},
        "pkg.room.two": {"revision": "decaf", "mutants": 5, "tried": 5, "survivors": []},
    }
    text = readme(latest, {"pkg.room.one": [{"before": "x < 1", "after": "x <= 1", "why": "x is whole"}]})
    assert "| pkg.room | 45 | 15 | 13 | 1 | 1 | 93% | c0ffee, decaf |" in text
    assert "| pkg.room.one | 40 | 10 | 8 | 1 | 1 | 89% | c0ffee |" in text
    assert "| pkg.room.two | 5 | 5 | 5 | 0 | 0 | 100% | decaf |" in text
    noticed, unnoticed = text.split("## Survivors that make no observable difference")
    assert "| pkg.room.one | 3 | `a \\| b` | `a & b` |" in noticed
    assert "| pkg.room.one | 9 | `x < 1` | `x <= 1` | x is whole |" in unnoticed


def test_every_module_of_the_table_and_of_the_reasons_is_there():
    there = modules("", "", FOLDER.parents[1])
    latest = json.loads((FOLDER / "latest.json").read_text())
    reasons = yaml.safe_load((FOLDER / "unobservable.yaml").read_text())
    assert latest
    assert reasons
    assert {*latest, *reasons} <= set(there)
    assert {module.partition(".")[0] for module in latest} == set(PACKAGES)


def test_the_page_is_that_of_the_last_trials_and_of_the_reasons():
    latest = json.loads((FOLDER / "latest.json").read_text())
    reasons = yaml.safe_load((FOLDER / "unobservable.yaml").read_text())
    assert (FOLDER / "README.md").read_text() == readme(latest, reasons), "run `make mutants`"


def test_every_reason_says_what_changes_and_why():
    for reasons in yaml.safe_load((FOLDER / "unobservable.yaml").read_text()).values():
        for reason in reasons:
            assert reason["before"] != reason["after"]
            assert reason["why"]


def test_a_room_is_a_folder_a_paper_or_a_module_beside_the_folders():
    names = modules("", "", FOLDER.parents[1])
    rooms = {room(name) for name in names}
    assert {"causal_bandits.graphs", "causal_bandits.seeding", "replication.papers.lee2019"} <= rooms
    chosen = modules("causal_bandits.graphs experiments", "", FOLDER.parents[1])
    assert {room(name) for name in chosen} == {"causal_bandits.graphs", "experiments"}
    assert modules("", "causal_bandits.graphs.admg", FOLDER.parents[1]) == ["causal_bandits.graphs.admg"]
    with pytest.raises(SystemExit, match="graphs"):
        modules("graphs", "", FOLDER.parents[1])
