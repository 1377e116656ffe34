"""The UCI Adult data (Becker & Kohavi 1996): the users of huang2022's Adult-Video experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pandas as pd

from causal_bandits.datasets import CountTable, DataError
from replication.datasets.binarise import MEDIAN_GE, binarise, count, indicator
from replication.datasets.reading import (
    LoadReport,
    OnBad,
    is_cut,
    leave_out,
    note_missing,
    provenance,
    read_text,
    verify_hash,
)

#: The file's columns, in order, as ``adult.names`` calls them; ``income`` is the label.
COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "income",
)
NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")

#: Columns of two values. The test file ends each label with a full stop.
ALLOWED = {"sex": ("Female", "Male"), "income": ("<=50K", ">50K")}

#: SHA-256 (Unix line ends) and rows of the two original files.
ORIGINALS = {
    "data": ("5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d", 32_561),
    "test": ("a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05", 16_281),
}
URL = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/adult.data"

#: The user features X of huang2022, in the paper's order.
VARIABLES = ("age", "sex", "race", "income")

SOURCE = {
    "data": "UCI Adult, file adult.data: Becker, B. & Kohavi, R. (1996), doi:10.24432/C5XW20",
    "licence": "CC BY 4.0",
    "url": URL,
}


def load_adult(
    path: str | Path, part: Literal["data", "test"] = "data", *, verify: bool = True, on_bad: OnBad = "raise"
) -> tuple[pd.DataFrame, LoadReport]:
    """Read one of the UCI files.

    Parameters
    ----------
    path : path
    part : {"data", "test"}
        Which original ``path`` is: ``adult.data`` (32,561 rows) or ``adult.test`` (16,281).
    verify : bool
        Compare the number of rows and the SHA-256 with the original's. False accepts other extracts of this layout.
    on_bad : {"raise", "count"}
        What a line that is no record does.

    Returns
    -------
    frame : DataFrame
        The columns `COLUMNS`; numbers as integers (floats where some are missing), ``?`` as missing, labels without
        the test file's full stop.
    report : LoadReport

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    DataError
        If a line is bad, or the file is cut off or not the original; the message names file, line and expectation.
    """
    file = read_text(path)
    report = LoadReport(sha256={file.path.name: file.sha256}, lines=len(file.lines))
    rows: list[list[str | None]] = []
    for number, line in enumerate(file.lines, start=1):
        if not line.strip():
            report.blank += 1
        elif line.startswith("|"):
            report.comments += 1
        else:
            row, trouble = _parse(line)
            if trouble:
                leave_out(report, file, number, *trouble, on_bad)
                continue
            for column, value in zip(COLUMNS, row, strict=True):
                if value is None:
                    note_missing(report, file, number, column)
            rows.append(row)
    report.rows = len(rows)
    if verify:
        sha256, expected = ORIGINALS[part]
        if report.rows != expected:
            last = len(file.lines)
            where = f"it ends inside line {last}" if is_cut(file, last) else f"it ends with line {last}"
            raise DataError(
                f"{file.path}: {report.rows} rows, expected {expected} (adult.{part}); {where}: cut off, or not the "
                "original (verify=False accepts another extract)"
            )
        verify_hash(file, sha256)
    columns = zip(*rows, strict=True) if rows else ((),) * len(COLUMNS)
    series = {
        name: pd.Series([None if value is None else int(value) for value in values], dtype=_dtype(values))
        if name in NUMBERS
        else pd.Series(values, dtype=object)
        for name, values in zip(COLUMNS, columns, strict=True)
    }
    return pd.DataFrame(series), report


def _dtype(values: tuple[str | None, ...]) -> str:
    return "float64" if None in values else "int64"


def _parse(line: str) -> tuple[list[str | None], tuple[str, str] | None]:
    """Parse a line into values; if it is no record, say why: what was found and what was expected."""
    values = [value.strip() for value in line.split(",")]
    if len(values) != len(COLUMNS):
        reason = f"not {len(COLUMNS)} columns"
        return [], (reason, f"{len(values)} columns, expected {len(COLUMNS)}, separated by commas")
    values[-1] = values[-1].removesuffix(".")
    row = [None if value == "?" else value for value in values]
    for name, value in zip(COLUMNS, row, strict=True):
        if value is None:
            continue
        if name in NUMBERS and not (value.isascii() and value.isdigit()):
            reason = f"{name} is no number"
            return [], (reason, f"{name} is {value!r}, expected a whole number >= 0 or ?")
        if name in ALLOWED and value not in ALLOWED[name]:
            reason = f"{name} is no known value"
            return [], (reason, f"{name} is {value!r}, expected {' or '.join(ALLOWED[name])} or ?")
        if not value:
            return [], (f"{name} is empty", f"{name} is empty, expected a value or ?")
    return row, None


def count_adult(path: str | Path, rule: str = MEDIAN_GE, *, verify: bool = True) -> CountTable:
    """Count the joint states of `VARIABLES` in ``adult.data`` (huang2022, Appendix E.2; ledger L30).

    age by ``rule``; sex: Female 0, Male 1; race: any other 0, White 1; income: <=50K 0, >50K 1.

    Parameters
    ----------
    path : path
        ``adult.data``.
    rule : str
        A key of `causal_bandits.datasets.RULES`.
    verify : bool
        As `load_adult`.

    Raises
    ------
    FileNotFoundError, DataError
        As `load_adult`.
    """
    frame, report = load_adult(path, verify=verify)
    columns = {
        "age": binarise(frame["age"].to_numpy(dtype=float), rule, "age"),
        "sex": indicator(list(frame["sex"]), "Male", ("Female", "Male")),
        "race": indicator(list(frame["race"]), "White", ("other than White", "White")),
        "income": indicator(list(frame["income"]), ">50K", ("<=50K", ">50K")),
    }
    return count(columns, provenance(SOURCE, report, [ORIGINALS["data"][0]], rule))
