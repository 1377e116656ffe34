"""Files that are whole or not there, Parquet tables, and the objects that import paths name."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from causal_bandits.provenance import config_digest


def resolve(path: str) -> Any:
    """The object that an import path ``package.module:name`` names."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


@contextmanager
def whole(output: str | Path) -> Iterator[Path]:
    """A temporary name beside ``output`` that takes its place if all goes well: ``output`` is whole or not there."""
    output = Path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    temporary = output.with_name(f".{os.getpid()}.{output.name}")
    try:
        yield temporary
        temporary.replace(output)
    finally:
        temporary.unlink(missing_ok=True)


def write(table: pa.Table, output: str | Path) -> None:
    """Write a table as Parquet, whole or not at all."""
    with whole(output) as temporary:
        pq.write_table(table, temporary, compression="zstd")


def read(paths: Iterable[str | Path]) -> pa.Table:
    """All rows of several files, in the order of ``paths``; columns that one of them lacks are null there."""
    tables = [pq.read_table(path) for path in paths]
    return pa.concat_tables(tables, promote_options="permissive").replace_schema_metadata(None)


def content_digest(path: str | Path) -> str:
    """Digest of a Parquet file's rows: the same values give the same digest on every system (its bytes may differ)."""
    frame = pq.read_table(path).replace_schema_metadata(None)
    return config_digest([frame.schema.names, frame.to_pylist()])


def column(values: NDArray[Any]) -> pa.Array:
    """``values`` as an Arrow array; ``pa.array`` would first load pandas, which takes a job nearly a second."""
    values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(values)])
