"""Files of runs are held against their paths and the configuration before anything is made of them."""

import numpy as np
import pyarrow as pa
import pytest

from experiments import files
from experiments.runs import SCHEMA, checkpoints, read_runs

ORIGINS = {label: {"config_digest": digest * 16, "code_digest": "c" * 16} for label, digest in (("a", "1"), ("b", "2"))}
EXPECTED = {"experiment": "p/e", "horizon": 40, "checkpoints": 4, "origins": ORIGINS}
ENDS = {3: 40, 4: 17, 5: 20}  # the last round of each seed


def runs(experiment="p/e", policy="a", ends=ENDS, digest="1" * 16, code="c" * 16, **changed):
    """Runs at every tenth round and each seed's last, with the outcome of those that ended before the horizon."""
    rows = [(seed, t) for seed, end in ends.items() for t in [*range(10, end, 10), end]]
    seeds, t = np.array(rows, np.int32).T
    noise = np.random.default_rng(1).random((2, len(rows)))
    columns = [
        pa.array([experiment] * len(rows)).dictionary_encode(),
        pa.array([policy] * len(rows)).dictionary_encode(),
        pa.array(seeds),
        pa.array(t),
        *map(pa.array, noise),
    ]
    answers = pa.array([1.0 if t == ends[seed] < EXPECTED["horizon"] else None for seed, t in rows], pa.float64())
    columns = {**dict(zip(SCHEMA.names, columns, strict=True)), "answer": answers, **changed}
    metadata = {"config_digest": digest, "code_digest": code, "outcomes": '["answer"]'}
    return pa.table({k: v for k, v in columns.items() if v is not None}, metadata=metadata)


def written(folder, table, policy="a", name="3-5"):
    path = folder / policy / f"{name}.parquet"
    files.write(table, path)
    return path


def test_whole_files_are_read_in_order(tmp_path):
    paths = [written(tmp_path, runs()), written(tmp_path, runs(policy="b", digest="2" * 16), policy="b")]
    found = read_runs(paths, EXPECTED)
    assert found["seed"].to_pylist() == [3, 3, 3, 3, 4, 4, 5, 5] * 2
    assert found["t"].to_pylist() == [10, 20, 30, 40, 10, 17, 10, 20] * 2
    assert found["policy"].to_pylist() == ["a"] * 8 + ["b"] * 8
    assert checkpoints(40, 4).tolist() == [10, 20, 30, 40]


NAN = pa.array([0.5] * 6 + [float("nan"), 1.0])
WRONG = {
    "another experiment": ({"experiment": "p/f"}, r"experiment p/f; expected p/e"),
    "another policy": ({"policy": "b"}, r"policy b; expected a"),
    "no seeds": ({"seed": None}, r"seed: no such column; expected int32"),
    "another configuration": ({"digest": "2" * 16}, rf"made by the configuration {'2' * 16}; expected {'1' * 16}"),
    "other code": ({"code": "d" * 16}, rf"made by the code {'d' * 16}; expected {'c' * 16}"),
    "a lost seed": ({"ends": {3: 40, 5: 20}}, r"seeds \[3, 5\]; expected 3 to 5"),
    "a seed too many": ({"ends": {**ENDS, 6: 40}}, r"seeds \[3, 4, 5, 6\]; expected 3 to 5"),
    "other seeds": ({"ends": {0: 40, 1: 17, 2: 20}}, r"seeds \[0, 1, 2\]"),
    "a seed twice": ({"seed": pa.array([3, 3, 3, 3, 4, 4, 4, 4], pa.int32())}, r"seeds \[3, 4\]"),
    "a lost checkpoint": ({"t": pa.array([10, 20, 30, 40, 10, 17, 11, 20], pa.int32())}, r"seed 5 at rounds 11, 20"),
    "past the horizon": (
        {"ends": {3: 50, 4: 17, 5: 20}},
        r"seed 3 at rounds 10, 20, 30, ..., 50; expected checkpoints",
    ),
    "lost last rows": (
        {"ends": {3: 30, 4: 17, 5: 20}, "answer": pa.array([None] * 4 + [1.0] + [None] * 2, pa.float64())},
        r"seed 3 ends at round 30 without an outcome; expected round 40",
    ),
    "no answers": ({"answer": None}, r"no column answer; expected the outcome of runs that end before the horizon"),
    "a value throughout, but no answer": (
        {"answer": pa.array([None] * 8, pa.float64()), "extra": pa.array([1.0] * 8)},
        r"seed 4 ends at round 17 without an outcome; expected round 40",
    ),
    "no regret": ({"cumulative_regret": None}, r"cumulative_regret: no such column; expected double"),
    "whole regrets": ({"cumulative_regret": pa.array(range(8))}, r"cumulative_regret: int64; expected double"),
    "no number": ({"cumulative_reward": NAN}, r"cumulative_reward of seed 5 at round 10 is no number"),
}


@pytest.mark.parametrize(("changed", "message"), WRONG.values(), ids=list(WRONG))
def test_a_file_that_is_not_what_its_path_says_is_named(tmp_path, changed, message):
    path = written(tmp_path, runs(**changed))
    with pytest.raises(ValueError, match=rf"^{path}: {message}.*; delete the file and it is made again$"):
        read_runs([path], EXPECTED)


def test_flipped_bits_are_noticed(tmp_path):
    path = written(tmp_path, runs())
    content, rng = path.read_bytes(), np.random.default_rng(0)
    expected, silent = read_runs([path], EXPECTED), 0
    for place in rng.integers(8 * len(content), size=400):
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        try:
            silent += not read_runs([path], EXPECTED).equals(expected)
        except (OSError, ValueError) as error:
            assert str(path) in str(error)  # noqa: PT017 - which of the two it is depends on the bit
    assert silent <= 2  # names and types stand in the footer, which has no checksum of its own
