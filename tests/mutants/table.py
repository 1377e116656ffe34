"""The table of what the mutants showed: README.md, from latest.json and the judgements in unobservable.yaml."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from mutants.mutate import room

FOLDER = Path(__file__).parent
HEAD = """# Mutants

A mutant is the package with one place changed: a boundary, a sign, a constant one off, a condition negated (not what an
exception says, nor the sizes and shades of a figure). Tests that would notice such an error fail on it: the mutant is
caught. `make mutants` tries them, on request:

    make mutants                        every mutant of every module: hours, and it goes on where it was stopped
    make mutants SAMPLE=30              30 of each room, drawn at random, the same each time
    make mutants ROOM=papers.lee2019    one room, or several: ROOM="graphs jobs"
    make mutants MODULE=graphs.admg     one module

It works in a private copy below `.mutants`, runs kernels as plain Python, and asks the tests of the module's own room
(those of `tests/workflow`, which run Snakemake, are left out). Tests for which plain Python is too slow (over 15 s of
processor time, or after the first 45 s of their file's), or which fail so, are asked with compiled kernels about what
survives the others. It then writes this file, from `latest.json`: each module as it was when last tried. Of a room or
module that is not in the tables nothing has been tried.

A survivor that no test could notice, because the change makes no observable difference, is judged so in
`unobservable.yaml`, with the reason. `share caught` is that of the others. `mutants` is how many the module has.
"""


def record(found: Mapping[str, Any], folder: Path = FOLDER) -> None:
    """Enter what was found of one module into latest.json, and write the README anew."""
    path = folder / "latest.json"
    latest = json.loads(path.read_text()) if path.exists() else {}
    tried = found["tried"].values()
    survivors = [{key: e[key] for key in ("line", "before", "after")} for e in tried if e["outcome"] == "survived"]
    latest[found["module"].partition(".")[2]] = {
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
        present = {module.partition(".")[2] for module in modules}
        latest = {module: entry for module, entry in latest.items() if module in present}
        path.write_text(json.dumps(latest, indent=1, ensure_ascii=False) + "\n")
    reasons = yaml.safe_load((folder / "unobservable.yaml").read_text()) or {}
    (folder / "README.md").write_text(readme(latest, reasons))


def readme(latest: Mapping[str, Any], reasons: Mapping[str, list[Mapping[str, str]]]) -> str:
    """Return the text of README.md.

    `latest` maps a module to its numbers and survivors, `reasons` a module to its unobservable ones: `before` and
    `after`, the line as it stands and as it was changed, and `why`.
    """
    rows, left, excused = [], [], []
    totals: dict[str, list[int]] = {}
    for module, entry in latest.items():
        why = {(reason["before"], reason["after"]): reason["why"] for reason in reasons.get(module, [])}
        equivalent = [e for e in entry["survivors"] if (e["before"], e["after"]) in why]
        open_ones = [e for e in entry["survivors"] if e not in equivalent]
        numbers = [entry["mutants"], entry["tried"], len(entry["survivors"]), len(equivalent)]
        rows.append((module, numbers))
        total = totals.setdefault(room(module), [0] * 4)
        total[:] = [a + b for a, b in zip(total, numbers, strict=True)]
        left += [f"| {module} | {e['line']} | {_code(e['before'])} | {_code(e['after'])} |" for e in open_ones]
        excused += [
            f"| {module} | {e['line']} | {_code(e['before'])} | {_code(e['after'])} | {why[e['before'], e['after']]} |"
            for e in equivalent
        ]
    lines = [HEAD]
    lines += ["## By room", "", *_table("room", list(totals.items())), ""]
    lines += ["## By module", "", *_table("module", rows), ""]
    lines += ["## Survivors that a test could notice", ""]
    lines += (
        ["| module | line | as it stands | as changed |", "| --- | --- | --- | --- |", *left] if left else ["None."]
    )
    lines += ["", "## Survivors that make no observable difference", ""]
    lines += ["| module | line | as it stands | as changed | why |", "| --- | --- | --- | --- | --- |", *excused]
    return "\n".join(lines) + "\n"


def _table(first: str, rows: list[tuple[str, list[int]]]) -> list[str]:
    lines = [
        f"| {first} | mutants | tried | caught | survived | unobservable | share caught |",
        "| --- |" + " ---: |" * 6,
    ]
    for name, (possible, tried, survived, equivalent) in rows:
        caught, observable = tried - survived, tried - equivalent
        share = f"{caught / observable:.0%}" if observable else ""
        lines.append(f"| {name} | {possible} | {tried} | {caught} | {survived - equivalent} | {equivalent} | {share} |")
    return lines


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|")
