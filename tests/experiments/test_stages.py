"""One table of a stage: what its builder is given, what the file says of itself, and inputs that are refused."""

import sys
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from causal_bandits import provenance, seeding
from experiments import files
from experiments.origin import of_job
from experiments.stages import make


def draws(seeds, generators, size, source=None):
    """The first draws of every seed, and what was read."""
    rows = [{"seed": s, "x": x} for s in seeds for x in generators(s).random(size)]
    return pa.Table.from_pylist([row | {"source": source} for row in rows]).replace_schema_metadata({"own": "lost"})


@pytest.fixture
def job(monkeypatch):
    module = ModuleType("made_builders")
    module.DATA = {"draws": draws}
    monkeypatch.setitem(sys.modules, "made_builders", module)
    return {
        "name": "made2000/data/offline",
        "builders": "made_builders:DATA",
        "builder": "draws",
        "options": {"size": 3},
        "replicates": 2,
        "root_seed": 5,
        "code": "c0de",
        "versions": {"numpy": "0"},
    }


def test_a_builder_has_its_options_and_every_seeds_own_environment(job, tmp_path):
    make(tmp_path / "t.parquet", job, {"source": "data/x.csv"})
    table = files.read(tmp_path / "t.parquet")
    expected = [
        {"seed": s, "x": x, "source": "data/x.csv"}
        for s in (0, 1)
        for x in seeding.generators(5, "made2000/data/offline", s).environment.random(3)
    ]
    assert table.to_pylist() == expected


def test_a_file_says_where_it_comes_from_and_keeps_nothing_of_its_builders_own(job, tmp_path):
    make(tmp_path / "t.parquet", job, {})
    metadata = pq.read_schema(tmp_path / "t.parquet").metadata
    assert metadata[b"code_digest"] == b"c0de"
    assert metadata[b"config_digest"].decode() == provenance.configuration_of(job)
    assert b"own" not in metadata


def test_an_input_of_another_origin_is_refused_and_nothing_is_written(job, tmp_path):
    make(tmp_path / "in.parquet", job, {})
    inputs = {"source": str(tmp_path / "in.parquet")}
    make(tmp_path / "out.parquet", job, inputs, {"source": of_job(job)})
    with pytest.raises(ValueError, match=r"in\.parquet.*c0de.*0ther"):
        make(tmp_path / "refused.parquet", job, inputs, {"source": of_job(job | {"code": "0ther"})})
    assert (tmp_path / "out.parquet").exists()
    assert not (tmp_path / "refused.parquet").exists()
