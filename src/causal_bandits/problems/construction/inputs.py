"""Read Parquet tables that bandits are built from: data, and what was learned before play."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any


def read(path: str | Path, expected: str, columns: Sequence[str] | None = None) -> Any:
    """Read a Parquet table, verifying the checksums of its pages.

    Parameters
    ----------
    path : path
    expected : str
        What the table is and what creates it, for the error message if there is no such file.
    columns : sequence of str, optional
        The columns to read; default: all.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    FileNotFoundError
        If there is no such file; the message names it and what was expected.
    OSError
        If it is not a complete Parquet file.
    """
    try:
        import pyarrow.parquet as pq
    except ImportError as error:
        raise ImportError(f"{path}: pyarrow is needed to read it: pip install pyarrow") from error
    edited(path, expected)
    return pq.ParquetFile(path, page_checksum_verification=True).read(columns)  # read_table would load pandas


def edited(path: str | Path, expected: str) -> int:
    """Return when a file was last edited, in nanoseconds: until the next edit, callers may reuse what they read.

    Raises
    ------
    FileNotFoundError
        If there is no such file; the message names it and what was expected.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"{path}: no such file; expected {expected}")
    return Path(path).stat().st_mtime_ns
