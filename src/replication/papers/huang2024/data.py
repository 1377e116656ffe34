"""Draw the offline samples of huang2024 from Table 2, keep those with S = 1, and count them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from causal_bandits.problems.huang2024 import scm
from experiments.stages import Builder, Generators

#: The observed variables, in the order of the tables' axes.
OFFLINE = ("U1", "U2", "X1", "X2", "I1", "Y")


def offline_samples(seeds: Iterable[int], generators: Generators, draws: int) -> pa.Table:
    """Count the joint states of the observed variables among the selected of ``draws`` samples, per seed.

    Returns
    -------
    table
        Columns ``seed``, one per variable of `OFFLINE` (its state) and ``count``; one row per joint state, in C order.
        Counts suffice because samples are exchangeable.
    """
    if draws < 1:
        raise ValueError(f"draws={draws}: must be at least 1")
    model = scm()
    shape = tuple(model.cardinality(v) for v in OFFLINE)
    states = np.indices(shape, dtype=np.int8).reshape(len(shape), -1)
    seeds = list(seeds)
    counts = np.empty((len(seeds), states.shape[1]), dtype=np.int64)
    for row, seed in enumerate(seeds):
        sample = model.sample(draws, generators(seed))
        kept = sample[sample["S"] == 1]
        cells = np.ravel_multi_index(tuple(kept[v] for v in OFFLINE), shape)
        counts[row] = np.bincount(cells, minlength=states.shape[1])
    columns: dict[str, NDArray[Any]] = {"seed": np.repeat(np.array(seeds, dtype=np.int32), states.shape[1])}
    columns |= {v: np.tile(states[i], len(seeds)) for i, v in enumerate(OFFLINE)}
    return pa.table({**columns, "count": counts.ravel()})


DATA: dict[str, Builder] = {"offline_samples": offline_samples}
