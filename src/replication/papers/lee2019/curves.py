"""Published curves beside those of the runs."""

from __future__ import annotations

import numpy as np
import pandas as pd

#: Quantile of the normal distribution behind a 95 % band.
NORMAL = 1.96


def compare_curves(published: pd.DataFrame, played: pd.DataFrame) -> pd.DataFrame:
    """Lay a published curve beside one of the runs.

    Parameters
    ----------
    published : table
        Columns ``t``, ``regret``, ``band_low`` and ``band_high``.
    played : table
        Columns ``t``, ``mean``, ``ci_low`` and ``ci_high``; between its checkpoints it is interpolated.

    Returns
    -------
    table
        The published points that the runs reach and that are not before their first checkpoint, with the runs' ``mean``
        and ``inside``: whether the two differ by at most 1.96 standard errors of the difference.
    """
    t = published["t"].to_numpy()
    found: pd.DataFrame = published[(t >= played["t"].min()) & (t <= played["t"].max())].copy()
    mean, low, high = (np.interp(found["t"], played["t"], played[c]) for c in ("mean", "ci_low", "ci_high"))
    own, other = (high - low) / 2, (found["band_high"] - found["band_low"]).to_numpy() / 2
    found["mean"] = mean
    found["inside"] = np.abs(found["regret"].to_numpy() - mean) <= np.hypot(own, other)
    return found
