"""Samples of the given bandit, and what those of each seed say."""

import json
from pathlib import Path

import pyarrow as pa

from experiments import files

DATA_OF = ("seed", "x", "y")


def samples(seeds, generators, path, size):
    """Draw X and Y for every seed."""
    ones = json.loads(Path(path).read_text())
    rows = []
    for seed in seeds:
        rng = generators(seed)
        for _ in range(size):
            x = int(rng.random() < ones["X"])
            rows.append((seed, x, int(rng.random() < ones["Y"][x])))
    return pa.table(dict(zip(DATA_OF, map(list, zip(*rows, strict=True)), strict=True)))


def shares(seeds, generators, samples):
    """Estimate the parameters of every seed's sample, with one pseudo-count of each value."""
    rows = {}
    for row in files.read(samples).to_pylist():
        rows.setdefault(row["seed"], []).append((row["x"], row["y"]))

    def share(values):
        return (1 + sum(values)) / (2 + len(values))

    return pa.Table.from_pylist(
        [
            {
                "x": share([x for x, _ in drawn]),
                "y_0": share([y for x, y in drawn if not x]),
                "y_1": share([y for x, y in drawn if x]),
            }
            for drawn in rows.values()
        ]
    )


STAGES: dict[str, object] = {"samples": samples, "shares": shares}
