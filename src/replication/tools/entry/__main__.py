"""Write a package, pack its results, or check a file of results.

Call: ``python -m replication.tools.entry new|pack|check``. ``new NAME FOLDER`` (`make new-entry`) writes a package with
an algorithm to fill in. ``pack EXPERIMENT FILE`` (`make arena-pack`) writes the runs of a package's algorithms as one
file. ``check FILE`` (`make arena-check`) checks such a file, and shows the entry beside our algorithms.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is asked for; returns 0, or 1 if something is wrong, with one line for each fault."""
    parser = argparse.ArgumentParser(prog="python -m replication.tools.entry", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    new = commands.add_parser("new", help="write a package with one algorithm")
    new.add_argument("name", help="such as my_policy")
    new.add_argument("folder", type=Path, help="such as ../my_entry")
    packed = commands.add_parser("pack", help="write runs as one file")
    packed.add_argument("experiment", help="a key of `entries` in the overlay")
    packed.add_argument("file", type=Path)
    packed.add_argument("--results", type=Path, default=Path("results"), help="folder of the results (results)")
    checked = commands.add_parser("check", help="check a file, and show the entry beside ours")
    checked.add_argument("file", type=Path)
    known = parser.parse_args(arguments)
    if known.command == "new":
        return _new(known.name, known.folder)
    return _pack(known.experiment, known.file, known.results) if known.command == "pack" else _check(known.file)


def _new(name: str, folder: Path) -> int:
    from replication.tools.entry import package
    from replication.tools.scaffold import ScaffoldError

    try:
        files = package.write(name, folder)
    except ScaffoldError as error:
        return _failed("new-entry", str(error))
    print(f"{folder}: {', '.join(str(path.relative_to(folder)) for path in files)}")
    print(f"install it: uv pip install --python .venv/bin/python --no-deps --no-build-isolation --editable {folder}")
    print(f"   or with: python3 -m pip --python .venv/bin/python install --no-deps --no-build-isolation -e {folder}")
    print(f"test it:    .venv/bin/python -m pytest {folder}/tests")
    print(f"play it:    make arena ARENA= ENTRY={folder}/arena.yaml   (makes figures/arena/entries.md)")
    return 0


def _pack(experiment: str, file: Path, results: Path) -> int:
    from experiments import ConfigError, others
    from replication.tools.entry import columns

    try:
        known = {name: (entry.package, entry.version) for name, entry in others.policies().items()}
        runs = columns.pack(results, experiment, known, file)
    except (columns.PackError, ConfigError, OSError) as error:
        return _failed("arena-pack", str(error))
    print(f"arena-pack: {runs} runs into {file}")
    return 0


def _check(file: Path) -> int:
    from replication.tools.entry.check import beside, check

    try:
        found = check(file)
    except OSError as error:
        return _failed("arena-check", str(error).replace("; delete it and it is made again", ""))
    if found.faults:
        return _failed(f"arena-check: {file}", *found.faults)
    runs = len(found.rows[["problem", "options", "policy", "seed"]].drop_duplicates())
    print(f"arena-check: {file}: {runs} runs, no fault found")
    print("\n".join(beside(found.rows, Path.cwd())))
    return 0


def _failed(place: str, *faults: str) -> int:
    for fault in faults:
        print(f"{place}: {fault}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
