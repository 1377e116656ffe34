"""Write and read Parquet tables, and load objects by import path."""

from __future__ import annotations

import hashlib
import importlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from causal_bandits.provenance import config_digest
from experiments.atomic import whole

#: Marks the digest of a file's footer. Parquet has checksums for pages, but none for the names, types, offsets and
#: metadata in the footer; readers ignore bytes between the pages and the footer.
SEAL = b"footer's blake2b"
#: Metadata entry that says that there is a seal, in case the seal itself is damaged.
SEALED = b"footer sealed"


def resolve(path: str) -> Any:
    """Return the object at an import path ``package.module:name``."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def write(table: pa.Table, output: str | Path) -> None:
    """Write a table atomically as Parquet, with checksums of its pages and its footer."""
    table = table.replace_schema_metadata({**(table.schema.metadata or {}), SEALED: b"blake2b"})
    with whole(output) as temporary:
        pq.write_table(table, temporary, compression="zstd", write_page_checksum=True)
        with temporary.open("r+b") as file:
            footer = _footer(file)
            file.seek(-len(footer), os.SEEK_END)
            file.write(_seal(footer) + footer)


def _footer(file: BinaryIO) -> bytes:
    """Read the end of a Parquet file: its footer, the footer's length and the magic number."""
    file.seek(-8, os.SEEK_END)
    length = int.from_bytes(file.read(4), "little")
    file.seek(-8 - length, os.SEEK_END)
    return file.read()


def _seal(footer: bytes) -> bytes:
    return SEAL + hashlib.blake2b(footer, digest_size=16).digest()


def _verify_footer(path: str | Path) -> None:
    """Raise OSError if a footer is not the one that `write` sealed; other writers' files have no seal."""
    with Path(path).open("rb") as file:
        footer = _footer(file)
        sealed = _seal(footer)
        file.seek(max(file.tell() - len(footer) - len(sealed), 0))
        found = file.read(len(sealed))
    if found != sealed and (found.startswith(SEAL) or SEALED in footer):
        raise OSError("its footer, or the footer's seal, is not what was written")


def read(path: str | Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Read a Parquet file and verify the checksums of its pages and of its footer.

    Parameters
    ----------
    path : path
    columns : sequence of str, optional
        The columns to read, by default all.

    Raises
    ------
    OSError
        If the file is not a complete Parquet file, or its content is not what was written; the message names the file.
    """
    with _damage_named(path):  # pq.read_table would load pandas
        _verify_footer(path)
        table = pq.ParquetFile(path, page_checksum_verification=True).read(columns)
        table.validate(full=True)
        table.schema.names  # noqa: B018 - decodes them
        metadata = {key: value for key, value in (table.schema.metadata or {}).items() if key != SEALED}
    return table.replace_schema_metadata(metadata)


def read_metadata(path: str | Path) -> dict[bytes, bytes]:
    """Read the metadata of a Parquet file and verify its footer; raises OSError like `read`."""
    with _damage_named(path):
        _verify_footer(path)
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


def joined(tables: Iterable[pa.Table]) -> pa.Table:
    """Concatenate tables in order; columns that one of them lacks are null in its rows."""
    return pa.concat_tables(tables, promote_options="permissive").replace_schema_metadata(None)


def content_digest(path: str | Path) -> str:
    """Digest a Parquet file's rows; the same values give the same digest on every system."""
    frame = read(path).replace_schema_metadata(None)
    return config_digest([frame.schema.names, frame.to_pylist()])


# The functions below use buffers because ``pa.array`` and ``to_numpy`` would load pandas, which takes over a second.


def column(values: NDArray[Any], valid: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return ``values`` as an Arrow array, null where ``valid`` is false (default: nowhere)."""
    values = np.ascontiguousarray(values)
    present = None if valid is None else pa.py_buffer(np.packbits(valid, bitorder="little"))
    data = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [present, pa.py_buffer(data)])


def words(texts: Sequence[str | None]) -> pa.Array:
    """Return strings as an Arrow array, null where None."""
    encoded = [b"" if text is None else text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int32)
    valid = np.packbits(np.array([text is not None for text in texts], dtype=np.bool_), bitorder="little")
    buffers = [pa.py_buffer(valid), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def numbers(chunks: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return a column of numbers or Booleans as float64, NaN where null."""
    flat = chunks.cast(pa.float64()).combine_chunks()
    absent = column(np.full(len(flat), np.nan))
    filled = pc.if_else(flat.is_null(), absent, flat)
    return np.frombuffer(filled.buffers()[1], np.float64)[filled.offset : filled.offset + len(filled)]
