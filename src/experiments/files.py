"""Write files completely or not at all, Parquet tables with checksums, and a job's log."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import re
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


@contextmanager
def writer(schema: pa.Schema, output: str | Path) -> Iterator[Callable[[pa.Table], None]]:
    """Yield a function that writes a table as one row group of a Parquet file, with checksums of its pages.

    The file appears, whole, when the block succeeds.
    """
    with (
        whole(output) as temporary,
        pq.ParquetWriter(temporary, schema, compression="zstd", write_page_checksum=True) as parquet,
    ):
        yield lambda table: parquet.write_table(table, row_group_size=max(len(table), 1))


def write(table: pa.Table, output: str | Path) -> None:
    """Write a table atomically as Parquet, with checksums of its pages."""
    with writer(table.schema, output) as rows:
        rows(table)


def read(path: str | Path, columns: Sequence[str] | None = None, row_group: int | None = None) -> pa.Table:
    """Read a Parquet file, or one of its row groups, and verify the checksums of its pages.

    Raises
    ------
    OSError
        If the file is not a complete Parquet file, or a page is not what was written; the message names the file.
    """
    with _damage_named(path):  # pq.read_table would load pandas
        file = pq.ParquetFile(path, page_checksum_verification=True)
        table = file.read(columns) if row_group is None else file.read_row_group(row_group, columns)
        table.validate(full=True)
        return table


def read_metadata(path: str | Path) -> dict[bytes, bytes]:
    """Read the metadata of a Parquet file; raises OSError like `read`."""
    with _damage_named(path):
        return dict(pq.read_schema(path).metadata or {})


@contextmanager
def _damage_named(path: str | Path) -> Iterator[None]:
    """Turn whatever a damaged file raises into an OSError that names it."""
    try:
        yield
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise OSError(
            f"{path}: damaged ({' '.join(str(error).split())}); delete it and run the same command again"
        ) from error


def content_digest(path: str | Path) -> str:
    """Digest a Parquet file's columns in order; the same values give the same digest on every system."""
    table, digest = read(path), hashlib.blake2b(digest_size=8)
    for name, column in zip(table.schema.names, table.columns, strict=True):
        digest.update(json.dumps([name, len(column), column.null_count]).encode())
        if pa.types.is_floating(column.type):  # a table has millions of numbers, and writing them as text takes minutes
            values = column.to_numpy().astype("<f8")
            values[np.isnan(values)] = np.nan  # the one with the usual bits
            digest.update(values.tobytes() + np.packbits(column.is_null().to_numpy()).tobytes())
        else:
            digest.update(json.dumps(column.to_pylist()).encode())
    return digest.hexdigest()


@contextmanager
def whole(output: str | Path) -> Iterator[Path]:
    """Yield a temporary path to write to, which is renamed to ``output`` if the block succeeds.

    Temporary files for this output are deleted if killed processes of this machine left them behind.
    """
    output = Path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    left = re.compile(rf"\.(\d+)\.{re.escape(output.name)}")
    for path in output.parent.iterdir():
        if (writer := left.fullmatch(path.name)) and not _runs(int(writer[1])):
            path.unlink(missing_ok=True)
    temporary = output.with_name(f".{os.getpid()}.{output.name}")
    try:
        yield temporary
        temporary.replace(output)
    finally:
        temporary.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)  # signal 0 only checks that the process exists
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


@contextmanager
def logged(path: str | Path) -> Iterator[None]:
    """Redirect output to the file ``path`` for the rest of the job, which ends with the block.

    An exception is written there once.
    """
    # By default Python looks for garbage after every 700 new objects (2,000 from 3.13 on). Importing makes many objects
    # and little garbage, and the search takes a tenth of a job's start.
    gc.set_threshold(100_000)
    with Path(path).open("w", encoding="utf-8") as log, redirect_stdout(log), redirect_stderr(log):
        try:
            yield
        except BaseException:
            traceback.print_exc(file=log)
            raise SystemExit(1) from None
        gc.freeze()  # the job ends here; otherwise Python looks for garbage among all modules, which takes .1 s
