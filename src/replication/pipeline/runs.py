"""Read files of runs; each is held against its path and the configuration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypedDict

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from replication.pipeline import files, origin
from replication.pipeline.origin import Origin

#: Columns of every file of runs. Extras follow as float64, then a policy's `Outcome` as float64 on the last row of each
#: seed and null on others; ``draw`` (int32) follows where seeds are grouped.
SCHEMA = pa.schema(
    [
        ("experiment", pa.dictionary(pa.int32(), pa.string())),
        ("policy", pa.dictionary(pa.int32(), pa.string())),
        ("seed", pa.int32()),
        ("t", pa.int32()),
        ("cumulative_regret", pa.float64()),
        ("cumulative_reward", pa.float64()),
    ]
)


def checkpoints(horizon: int, count: int) -> NDArray[np.int64]:
    """Choose ``count`` evenly spaced rounds at which cumulative values are kept, the last included."""
    rounds = np.linspace(horizon / count, horizon, count) if count < horizon else np.arange(1, horizon + 1)
    return np.unique(np.rint(rounds).astype(np.int64))


class RunsExpected(TypedDict):
    """What the files of runs of an experiment must say.

    Attributes
    ----------
    experiment : str
        Full name, for instance ``lee2019/frontdoor``.
    horizon, checkpoints : int
    origins : mapping
        Label of a policy to the origin of its runs.
    """

    experiment: str
    horizon: int
    checkpoints: int
    origins: Mapping[str, Origin]


def read_runs(paths: Iterable[str | Path], expected: RunsExpected) -> pa.Table:
    """Return all rows of several files of runs, in order.

    Parameters
    ----------
    paths : iterable of path
        Each ``.../<policy>/<first>-<last>.parquet``.
    expected : RunsExpected

    Raises
    ------
    OSError
        If a file is damaged.
    ValueError
        If a file does not hold what its path and the configuration say: file, what it holds, what was expected.
    """
    return files.joined(_read(Path(path), expected) for path in paths)


def _read(path: Path, expected: RunsExpected) -> pa.Table:
    table, policy = files.read(path), path.parent.name
    first, last = (int(seed) for seed in path.stem.split("-"))
    for field in SCHEMA:
        found = table.schema.field(field.name).type if field.name in table.schema.names else "no such column"
        _expect(found == field.type, path, f"{field.name}: {found}", str(field.type))
    for name, word in (("experiment", expected["experiment"]), ("policy", policy)):
        words = table[name].cast(pa.string()).unique().to_pylist()
        _expect(words == [word], path, f"{name} {', '.join(map(str, words)) or 'of no row'}", word)
    origin.expect(path, table.schema.metadata, expected["origins"][policy])
    seeds, t = (files.numbers(table[key]).astype(np.int64) for key in ("seed", "t"))
    starts = np.flatnonzero(np.diff(seeds, prepend=first - 1))
    held = seeds[starts].tolist()
    _expect(held == list(range(first, last + 1)), path, f"seeds {held}", f"{first} to {last}")
    kept = checkpoints(expected["horizon"], expected["checkpoints"])
    outcomes = json.loads((table.schema.metadata or {}).get(b"outcomes", b"[]"))
    missing = [name for name in outcomes if name not in table.schema.names]
    _expect(not missing, path, f"no column {', '.join(missing)}", "the outcome of runs that end before the horizon")
    known = [files.numbers(table[name]) for name in outcomes]
    last_rows = np.append(starts[1:], len(t)) - 1
    for seed, rounds, row in zip(held, np.split(t, starts[1:]), last_rows, strict=True):
        end = rounds[-1]
        whole = 1 <= end <= expected["horizon"] and np.array_equal(rounds, [*kept[kept < end], end])
        _expect(whole, path, f"seed {seed} at rounds {_some(rounds)}", f"checkpoints {_some(kept)} up to its end")
        ended = any(not np.isnan(values[row]) for values in known)  # whoever ends a run early says with what
        early = f"seed {seed} ends at round {end} without an outcome"
        _expect(ended or end == expected["horizon"], path, early, f"round {expected['horizon']}")
    for name in ("cumulative_regret", "cumulative_reward"):
        bad = np.flatnonzero(~np.isfinite(files.numbers(table[name])))
        if len(bad):
            _expect(False, path, f"{name} of seed {seeds[bad[0]]} at round {t[bad[0]]} is no number", "finite values")
    return table


def _expect(holds: bool, path: Path, found: str, expected: str) -> None:
    if not holds:
        raise ValueError(f"{path}: {found}; expected {expected}; delete the file and it is made again")


def _some(rounds: NDArray[np.int64]) -> str:
    shown = [*map(str, rounds[:3]), "...", str(rounds[-1])] if len(rounds) > 4 else map(str, rounds)
    return ", ".join(shown)
