"""Files that are whole or not there, Parquet without pandas, and objects by import path."""

import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments import files


def test_an_import_path_names_a_module_and_what_it_holds():
    assert files.resolve("math:hypot") is math.hypot
    with pytest.raises(AttributeError):
        files.resolve("math:no_such_name")


def test_rows_come_in_the_order_of_the_files_and_lacking_columns_are_null(tmp_path):
    files.write(pa.table({"t": [3, 1], "extra": [0.5, 0.25]}), tmp_path / "b")
    files.write(pa.table({"t": [2]}).replace_schema_metadata({"from": "here"}), tmp_path / "a")
    table = files.joined(files.read(tmp_path / name) for name in ("b", "a"))
    assert table.to_pydict() == {"t": [3, 1, 2], "extra": [0.5, 0.25, None]}
    assert table.schema.metadata is None


def test_a_seal_stands_before_the_footer_and_nothing_else_is_added(tmp_path):
    files.write(pa.table({"t": [1, 2, 3]}), tmp_path / "sealed")
    found = (tmp_path / "sealed").read_bytes()
    footer = int.from_bytes(found[-8:-4], "little") + 8
    at = found.index(files.SEAL)
    seal, rest = found[at : len(found) - footer], found[:at] + found[-footer:]
    assert found.count(files.SEAL) == 1
    assert len(seal) == len(files.SEAL) + 16
    table = pa.table({"t": [1, 2, 3]}).replace_schema_metadata({files.SEALED: b"blake2b"})
    pq.write_table(table, tmp_path / "plain", compression="zstd", write_page_checksum=True)
    assert rest == (tmp_path / "plain").read_bytes()


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


@pytest.mark.parametrize(
    "values",
    [np.arange(20, dtype=np.int32), np.linspace(0, 1, 20), np.arange(20) % 3 == 0, np.arange(40.0)[::2]],
    ids=["integers", "numbers", "truth values", "every second"],
)
def test_columns_hold_the_values_and_nulls(values):
    valid = np.arange(20) % 7 != 2
    assert files.column(values).to_pylist() == values.tolist()
    expected = [value if present else None for value, present in zip(values.tolist(), valid, strict=True)]
    assert files.column(values, valid).to_pylist() == expected


def test_words_hold_the_texts_and_nulls():
    texts = ["", "α ≤ β", None, "plain", *"abcdefgh", None]
    assert files.words(texts).to_pylist() == texts
    assert files.words([]).to_pylist() == []


def test_numbers_are_float64_and_nan_where_null():
    chunks = pa.chunked_array([[1, None], [3, 4, None]])
    np.testing.assert_array_equal(files.numbers(chunks), [1.0, np.nan, 3.0, 4.0, np.nan])
    np.testing.assert_array_equal(files.numbers(chunks.slice(1, 3)), [np.nan, 3.0, 4.0])
    truth = files.numbers(pa.chunked_array([[True, False, None]]))
    np.testing.assert_array_equal(truth, [1.0, 0.0, np.nan])
    assert truth.dtype == np.float64
