"""Parquet files: checksums of pages, and digests of rows."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments import files


def test_a_flipped_bit_of_a_page_is_an_error_that_names_the_file(tmp_path):
    path = tmp_path / "t.parquet"
    files.write(pa.table({"x": pa.array(range(50), pa.int32())}), path)
    written, chunk = path.read_bytes(), pq.ParquetFile(path).metadata.row_group(0).column(0)
    end = chunk.dictionary_page_offset + chunk.total_compressed_size
    for place in range(end - 20, end):
        path.write_bytes(written[:place] + bytes([written[place] ^ 4]) + written[place + 1 :])
        with pytest.raises(OSError, match=r"t\.parquet: damaged .*delete it and run the same command again"):
            files.read(path)


def test_the_digest_is_that_of_rows_and_names(tmp_path):
    def digest(**columns):
        files.write(
            pa.table(columns).replace_schema_metadata({"n": str(len(list(tmp_path.iterdir())))}), tmp_path / "t"
        )
        return files.content_digest(tmp_path / "t")

    first = digest(a=[1, 2], b=["x", "y"])
    assert digest(a=[1, 2], b=["x", "y"]) == first
    changed = [digest(a=[2, 1], b=["x", "y"]), digest(a=[1, 2], b=["x", "z"]), digest(a=[1, 2], c=["x", "y"])]
    assert len({first, *changed}) == 4
    numbers = [[0.5, 1.0], [1.0, 0.5], [0.5, None], [None, 0.5], [0.5, float("nan")], [0.0, 1.0], [-0.0, 1.0]]
    numbers += [[None, float("nan")], [float("nan"), None], [True, False], [True, None], [{"a": 1}, {"a": 2}]]
    assert len({digest(a=values) for values in numbers}) == len(numbers)
    assert digest(a=[math.nan]) == digest(a=np.array([0x7FF8000000000001]).view(np.float64))  # any of its bits
