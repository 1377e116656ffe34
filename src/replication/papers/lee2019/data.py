"""Data of lee2019: the published curves of KL-UCB's baselines in Fig. 5c."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from experiments.stages import Builder, Generators
from replication.papers.lee2019.fractions import read_curves


def published_curves(seeds: Iterable[int], generators: Generators, path: str) -> pa.Table:
    """Read published curves into a table; nothing is drawn.

    Parameters
    ----------
    path : path
        See `fractions.read_curves`.

    Returns
    -------
    table
        Columns ``strategy``, ``t``, ``regret``, ``band_low`` and ``band_high``.
    """
    curves = read_curves(path)
    return pa.table(
        {
            "strategy": np.concatenate([[name] * len(curve.rounds) for name, curve in curves.items()]),
            "t": np.concatenate([curve.rounds for curve in curves.values()]),
            "regret": np.concatenate([curve.regrets for curve in curves.values()]),
            "band_low": np.concatenate([curve.low for curve in curves.values()]),
            "band_high": np.concatenate([curve.high for curve in curves.values()]),
        }
    )


DATA: dict[str, Builder] = {"published_curves": published_curves}
