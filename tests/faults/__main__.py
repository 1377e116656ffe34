"""``python -m faults`` (`make test-faults`): try all faults on small studies, and say how many were survived."""

import argparse
import csv
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checkout import ROOT

from faults.table import DEFENCES, DEFENDED, FAULTS, FOLDERS, REPLAYED
from faults.trial import NotSurvivedError, Trial, prepare

#: What came out when each fault was last tried; docs/guide/faults.md shows it.
RECORD = Path(__file__).with_name("latest.csv")
COLUMNS = ("fault", "protection", "survived", "survived without it")


def record(outcomes, column):
    """Keep what came out for the docs: whether each fault was survived, with its protection or without."""
    rows = {name: dict.fromkeys(COLUMNS, "") | {"fault": name} for name, _ in FAULTS}
    if RECORD.is_file():
        with RECORD.open(newline="", encoding="utf-8") as file:
            rows |= {row["fault"]: row for row in csv.DictReader(file) if row["fault"] in rows}
    for name, survived in outcomes.items():
        rows[name][column] = "yes" if survived else "no"
    with RECORD.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(row | {"protection": DEFENDED.get(name, "")} for name, row in rows.items())


def tried(number, name, fault, folder, seed, prepared, without):
    """Try one fault in a folder of its own; returns what is printed, and whether it came out as it should.

    ``without``: its defence is switched off, and it should not be survived.
    """
    place = folder / str(number) / (FOLDERS[number - len(FAULTS)] if name.startswith("folder:") else "study")
    started, why = time.monotonic(), ""
    try:
        edits = DEFENCES[DEFENDED[name]] if without else ()
        fault(Trial(place, random.Random(f"{seed} {number}"), prepared, edits))
    except NotSurvivedError as error:
        why = f": {error}"
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        why = f": {type(error).__name__}: {error}"
    shutil.rmtree(place.parent, ignore_errors=True)
    off = f" without {DEFENDED[name]!r}" if without else ""
    told = f"{'NOT ' if why else ''}survived{off}  {name} ({time.monotonic() - started:.0f} s){why}"
    return told, bool(why) == without


def can_mount():
    """Whether this user may mount what the faults of disks need."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["mount", "-t", "tmpfs", "none", folder], capture_output=True, check=False)
        if done.returncode == 0:
            subprocess.run(["umount", folder], check=True)
    return done.returncode == 0


def main():
    """Try, print; returns 0 if all came out as they should."""
    parser = argparse.ArgumentParser(prog="python -m faults", description=__doc__)
    parser.add_argument("--only", default=[""], nargs="+", help="faults whose name has one of these texts")
    parser.add_argument("--seed", type=int, default=20190127, help="of the moments, bits and places")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="studies that are tried at a time")
    parser.add_argument("--without", action="store_true", help="with each fault's defence off: none should be survived")
    parser.add_argument("--record", action="store_true", help=f"write what came out to {RECORD.name}, for the docs")
    known = parser.parse_args()
    chosen = [(i, name, fault) for i, (name, fault) in enumerate(FAULTS) if any(text in name for text in known.only)]
    if known.without:
        chosen = [one for one in chosen if one[1] in DEFENDED]
    mountable = can_mount()
    skipped = [name for _, name, _ in chosen if name.startswith("disk: ") and "2 kB" not in name and not mountable]
    chosen = [one for one in chosen if one[1] not in skipped]
    with tempfile.TemporaryDirectory(prefix="faults") as text:
        folder = Path(text)
        print(f"{len(chosen)} faults, each on a study of its own below {folder}", flush=True)
        started = time.monotonic()
        prepared = {"": prepare(folder / "prepared/study")}
        prepared[""].took = time.monotonic() - started
        for defence in sorted(REPLAYED.intersection(DEFENDED[name] for _, name, _ in chosen if known.without)):
            prepared[defence] = prepare(folder / f"prepared-{len(prepared)}/study", DEFENCES[defence])
            prepared[defence].took = prepared[""].took

        def one(number, name, fault):
            defence = DEFENDED.get(name, "") if known.without else ""
            study = prepared.get(defence, prepared[""])
            return tried(number, name, fault, folder, known.seed, study, known.without)

        survived, outcomes = 0, {}
        with ThreadPoolExecutor(known.jobs) as pool:
            for (_, name, _), (line, well) in zip(chosen, pool.map(lambda c: one(*c), chosen), strict=True):
                print(line, flush=True)
                survived += well
                outcomes.setdefault(name, []).append(well != known.without)
    if known.record:
        every, column = (any, COLUMNS[3]) if known.without else (all, COLUMNS[2])
        record({name: every(found) for name, found in outcomes.items()}, column)
    for name in skipped:
        print(f"not tried  {name}: needs the right to mount")
    what = "not survived without their defence" if known.without else "survived"
    print(f"{survived} {what} out of {len(chosen)} tried in {time.monotonic() - started:.0f} s ({ROOT.name})")
    return 0 if survived == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
