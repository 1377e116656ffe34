"""Samples of the given bandit."""

import json
from pathlib import Path

import pyarrow as pa

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


DATA: dict[str, object] = {"samples": samples}
