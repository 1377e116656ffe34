"""The table of what the mutants showed: README.md, from latest.json and the judgements in unobservable.yaml."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from mutants.mutate import room

FOLDER = Path(__file__).parent
HEAD = """# Mutants

A mutant is the code of `src` with one place changed: a boundary, a sign, a constant one off, a condition negated (not
what an exception says, nor the sizes and shades of a figure). Tests that would notice such an error fail on it: the
mutant is caught. `make mutants` tries them, on request:

    make mutants                                    every mutant of every module: hours; it goes on where it stopped
    make mutants SAMPLE=30                          30 of each room, drawn at random, the same each time
    make mutants ROOM=causal_bandits.graphs         one room; several in quotes, separated by spaces
    make mutants MODULE=causal_bandits.graphs.admg  one module

It works in a private copy below `.mutants`, runs kernels as plain Python, and asks the tests of the module's own room
(those of `tests/workflow`, which run Snakemake, are left out). Tests for which plain Python is too slow (over 15 s of
processor time, or after the first 45 s of their file's), or which fail so, are asked with compiled kernels about what
survives the others. It then writes this file, from `latest.json`.

A room is a folder of a package, a paper's folder, or a module beside the folders. The tables are of the rooms and
modules that they name, and of no other: of what is not there nothing has been tried. A row holds for its module as it
was at the revision that `tried at` names; the module may have changed since, and its line numbers with it.

A survivor that no test could notice, because the change makes no observable difference, is judged so in
`unobservable.yaml`, with the reason. `share caught` is that of the others. `mutants` is how many the module has.
"""


def record(found: Mapping[str, Any], folder: Path = FOLDER) -> None:
    """Enter what was found of one module into latest.json, and write the README anew."""
    path = folder / "latest.json"
    latest = json.loads(path.read_text()) if path.exists() else {}
    tried = found["tried"].values()
    survivors = [{key: e[key] for key in ("line", "before", "after")} for e in tried if e["outcome"] == "survived"]
    latest[found["module"]] = {
        "revision": found["revision"],
        "mutants": found["possible"],
        "tried": len(tried),
        "survivors": sorted(survivors, key=lambda e: (e["line"], e["after"])),
    }
    path.write_text(json.dumps(dict(sorted(latest.items())), indent=1, ensure_ascii=False) + "\n")
    write(folder)


def write(folder: Path = FOLDER, modules: Iterable[str] | None = None) -> None:
    """Write README.md; given the package's modules, forget those that are no more."""
    path = folder / "latest.json"
    latest = json.loads(path.read_text())
    if modules is not None:
        present = set(modules)
        latest = {module: entry for module, entry in latest.items() if module in present}
        path.write_text(json.dumps(latest, indent=1, ensure_ascii=False) + "\n")
    reasons = yaml.safe_load((folder / "unobservable.yaml").read_text()) or {}
    (folder / "README.md").write_text(readme(latest, reasons))


def readme(latest: Mapping[str, Any], reasons: Mapping[str, list[Mapping[str, str]]]) -> str:
    """Return the text of README.md.

    `latest` maps a module to its numbers, survivors and revision. `reasons` maps a module to its unobservable ones:
    `before` and `after`, the line as it stands and as it was changed, and `why`.
    """
    rows, left, excused = [], [], []
    totals: dict[str, list[int]] = {}
    revisions: dict[str, list[str]] = {}
    for module, entry in latest.items():
        why = {(reason["before"], reason["after"]): reason["why"] for reason in reasons.get(module, [])}
        equivalent = [e for e in entry["survivors"] if (e["before"], e["after"]) in why]
        open_ones = [e for e in entry["survivors"] if e not in equivalent]
        numbers = [entry["mutants"], entry["tried"], len(entry["survivors"]), len(equivalent)]
        rows.append((module, numbers, entry["revision"]))
        total = totals.setdefault(room(module), [0] * 4)
        revisions.setdefault(room(module), []).append(entry["revision"])
        total[:] = [a + b for a, b in zip(total, numbers, strict=True)]
        left += [f"| {module} | {e['line']} | {_code(e['before'])} | {_code(e['after'])} |" for e in open_ones]
        excused += [
            f"| {module} | {e['line']} | {_code(e['before'])} | {_code(e['after'])} | {why[e['before'], e['after']]} |"
            for e in equivalent
        ]
    of_rooms = [(name, total, ", ".join(dict.fromkeys(revisions[name]))) for name, total in totals.items()]
    lines = [HEAD]
    lines += ["## By room", "", *_table("room", of_rooms), ""]
    lines += ["## By module", "", *_table("module", rows), ""]
    lines += ["## Survivors that a test could notice", ""]
    lines += (
        ["| module | line | as it stands | as changed |", "| --- | --- | --- | --- |", *left] if left else ["None."]
    )
    lines += ["", "## Survivors that make no observable difference", ""]
    lines += ["| module | line | as it stands | as changed | why |", "| --- | --- | --- | --- | --- |", *excused]
    return "\n".join(lines) + "\n"


def _table(first: str, rows: list[tuple[str, list[int], str]]) -> list[str]:
    lines = [
        f"| {first} | mutants | tried | caught | survived | unobservable | share caught | tried at |",
        "| --- |" + " ---: |" * 6 + " --- |",
    ]
    for name, (possible, tried, survived, equivalent), revision in rows:
        caught, observable = tried - survived, tried - equivalent
        share = f"{caught / observable:.0%}" if observable else ""
        numbers = [possible, tried, caught, survived - equivalent, equivalent, share]
        lines.append(f"| {name} | {' | '.join(map(str, numbers))} | {revision} |")
    return lines


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")
