"""One table of a stage: what its builder is given, what the file says of itself, and inputs that are refused."""

import sys
from dataclasses import replace
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from causal_bandits import seeding
from experiments import files
from experiments.key import StaleError
from experiments.stages import make
from experiments.study import StageJob


def draws(seeds, generators, size, source=None):
    """The first draws of every seed, and what was read."""
    rows = [{"seed": s, "x": x} for s in seeds for x in generators(s).random(size)]
    return pa.Table.from_pylist([row | {"source": source} for row in rows]).replace_schema_metadata({"own": "lost"})


@pytest.fixture
def job(monkeypatch):
    module = ModuleType("made_builders")
    module.STAGES = {"draws": draws}
    monkeypatch.setitem(sys.modules, "made_builders", module)
    return StageJob("made2000/data/offline", "made_builders:STAGES", "draws", {"size": 3}, 2, 5, key="c0de")


def test_a_builder_has_its_options_and_every_seeds_own_environment(job, tmp_path):
    make(tmp_path / "t.parquet", job, {"source": "data/x.csv"})
    expected = [
        {"seed": s, "x": x, "source": "data/x.csv"}
        for s in (0, 1)
        for x in seeding.generators(5, "made2000/data/offline", s).environment.random(3)
    ]
    assert files.read(tmp_path / "t.parquet").to_pylist() == expected
    metadata = pq.read_schema(tmp_path / "t.parquet").metadata
    assert metadata[b"key"] == b"c0de"
    assert b"own" not in metadata


def test_an_input_of_another_key_is_refused_and_nothing_is_written(job, tmp_path):
    make(tmp_path / "in.parquet", job, {})
    inputs = {"source": str(tmp_path / "in.parquet")}
    make(tmp_path / "out.parquet", replace(job, inputs={"source": "c0de"}), inputs)
    with pytest.raises(StaleError, match=r"in\.parquet.*c0de.*expected 0ther.*delete the file"):
        make(tmp_path / "refused.parquet", replace(job, inputs={"source": "0ther"}), inputs)
    assert not (tmp_path / "refused.parquet").exists()
