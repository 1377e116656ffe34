"""What `make test-faults` tried last is what it would try now; and it starts."""

import csv
import os
import re
import subprocess
import sys

from checkout import ROOT
from faults.__main__ import COLUMNS, RECORD
from faults.table import DEFENCES, DEFENDED, FAULTS


def test_the_command_starts():
    line = re.search(r"^test-faults:.*(?:\n\t.*)+", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)[0]
    path, module = re.search(r"PYTHONPATH=(\S+) \$\(RUN\)python -m (\S+)", line).groups()
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_record_has_every_fault_and_what_protects_from_it():
    with RECORD.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = list(dict.fromkeys(name for name, _ in FAULTS))  # some are tried several times
    assert [row["fault"] for row in rows] == names
    assert [row["protection"] for row in rows] == [DEFENDED.get(name, "") for name in names]
    assert set(rows[0]) == set(COLUMNS)


def test_the_guide_says_how_many_are_tried():
    text = (ROOT / "docs/guide/faults.md").read_text()
    tried, kinds = re.search(r"(\d+) trials of (\d+) kinds", text).groups()
    switches = re.search(r"All (\d+) faults whose protection has a switch", text)[1]
    assert (int(tried), int(kinds), int(switches)) == (len(FAULTS), len({name for name, _ in FAULTS}), len(DEFENDED))


def test_every_fault_that_was_tried_was_survived_and_none_without_its_protection():
    with RECORD.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert row["survived"] in ("yes", ""), row
            assert row["survived without it"] in (("no", "") if row["protection"] else ("",)), row


def test_every_protection_is_switched_off_for_some_fault():
    assert set(DEFENDED.values()) == set(DEFENCES)
