"""The committed reference: verdicts and tables of the study at published scale.

``python -m replication.tools.reference`` (`make reference`) copies the verdicts and the CSV tables of ``figures/``
after a full run, and describes the Parquet tables in ``results/`` by digests, means and sizes of their columns.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import math
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from experiments.files import read as read_parquet
from experiments.files import whole
from replication.judging.confirmation import beside, other_runs
from replication.judging.judges import Why
from replication.judging.scale import SCALE, limits
from replication.judging.verdict_tables import TableError, read, read_readings, summarise


class Column(NamedTuple):
    """What the reference keeps of one column of a table, or of everything in a table that is not a fraction.

    Attributes
    ----------
    digest : str
        Of all values, in order.
    mean, size : float
        Of a column with fractions, in which other processors may give other last digits: the mean, and the root of the
        mean square, weighted by the row's number so that rows cannot change places unnoticed. Of what is not a
        fraction: NaN. Numbers that are not finite count as 0.
    """

    digest: str
    mean: float = math.nan
    size: float = math.nan


FOLDER = Path("data/reference")
#: The folder of a run's results; those of a small run are below it.
RESULTS = Path("results")
VERDICTS, READINGS, SUMMARY = "verdicts.csv", "verdict_readings.csv", "verdicts.md"
#: What is kept of the Parquet tables, see `Column`.
COLUMNS = "columns.csv"
HEADER = ("table", "column", *Column._fields)
PUBLISHED = Path("data/published")
FIGURES = Path("figures")


class NoReferenceError(Exception):
    """These results cannot become the reference, or there are none; in one line."""


def read_columns(path: str | Path) -> dict[tuple[str, str], Column]:
    """Read what `write_columns` writes: a `Column` by table and column.

    Raises
    ------
    TableError
        If the file is not such a table.
    """
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        if header != list(HEADER):
            raise ValueError(f"columns {','.join(header)}")
        return {(table, name): Column(digest, float(mean), float(size)) for table, name, digest, mean, size in rows}
    except (ValueError, csv.Error) as error:
        raise TableError(f"{path}: {error}; expected the columns {','.join(HEADER)} and a cell of each") from None


def columns_of(results: Path, papers: Collection[str]) -> dict[tuple[str, str], Column]:
    """Describe these papers' tables of stages and tidy tables below ``results``, by table and column.

    Each column with fractions is described by itself, everything else in a table by one digest under the name "". The
    runs themselves are left out, since tidy tables follow from them.
    """
    tables = (p for p in results.glob("*/*/[!.]*.parquet") if p.parts[-3] in papers and p.name != "runs.parquet")
    found = {}
    for path in sorted(tables):
        table, place = read_parquet(path), path.relative_to(results).as_posix()
        rest = hashlib.blake2b(json.dumps([table.num_rows, table.column_names]).encode(), digest_size=8)
        for name, column in zip(table.column_names, table.columns, strict=True):
            if not pa.types.is_primitive(column.type):
                rest.update(json.dumps(column.to_pylist(), default=str).encode())
                continue
            values = column.cast(pa.float64(), safe=False).to_numpy()
            finite = np.isfinite(values)
            rest.update(column.is_null().to_numpy().tobytes() + finite.tobytes())
            values = np.where(finite, values, 0)
            counts = np.rint(values)
            if (abs(values - counts) < 1e-9).all():
                rest.update(counts.astype("<i8").tobytes())
            else:
                digest = hashlib.blake2b(values.astype("<f8").tobytes(), digest_size=4).hexdigest()
                passed = np.arange(1, len(values) + 1) / len(values)
                found[place, name] = Column(digest, float(values.mean()), float(np.sqrt((passed * values**2).mean())))
        found[place, ""] = Column(rest.hexdigest())
    return found


def write_columns(found: Mapping[tuple[str, str], Column], path: Path) -> None:
    """Write what `read_columns` reads, atomically."""
    with whole(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        writer.writerows((*place, c.digest, f"{c.mean:.7g}", f"{c.size:.7g}") for place, c in found.items())


def tables_under(folder: Path, papers: Collection[str]) -> dict[str, Path]:
    """List the CSV tables of these papers below a folder of figures, by ``<paper>/<table>.csv``."""
    tables = sorted(path for path in folder.glob("*/*.csv") if path.parent.name in papers)
    return {path.relative_to(folder).as_posix(): path for path in tables}


def make(results: Path) -> int:
    """Make the current results the reference; return the number of verdicts.

    Raises
    ------
    NoReferenceError
        If the study was smaller than at published scale or left a claim out.
    TableError, OSError
        If results are missing or damaged.
    """
    if less := limits(results):
        raise NoReferenceError(f"{results / SCALE}: {less}; expected the study at published scale")
    rows = read(results / VERDICTS)
    left_out = [claim for claim, row in rows.items() if row["why"] == Why.NOT_RUN]
    if left_out:
        raise NoReferenceError(f"{results / VERDICTS}: {left_out[0]} was left out; expected the whole study")
    papers = {row["paper"] for row in rows.values()}
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in (VERDICTS, READINGS):
        with whole(FOLDER / name) as temporary:
            shutil.copyfile(results / name, temporary)
    marked = list(beside(rows, other_runs(Path())).values())
    with whole(FOLDER / SUMMARY) as temporary:
        temporary.write_text(summarise(marked, read_readings(results / READINGS)), encoding="utf-8")
    write_columns(columns_of(results, papers), FOLDER / COLUMNS)
    shutil.rmtree(FOLDER / FIGURES, ignore_errors=True)
    for name, path in tables_under(FIGURES, papers).items():
        with whole(FOLDER / FIGURES / name) as temporary:
            shutil.copyfile(path, temporary)
    return len(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the reference; return the exit status."""
    argparse.ArgumentParser(prog="python -m replication.tools.reference", description=__doc__).parse_args(arguments)
    try:
        count = make(RESULTS)
    except (OSError, NoReferenceError, TableError) as error:
        print(f"reference: {error}", file=sys.stderr)
        return 1
    print(f"{FOLDER}: {count} verdicts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
