"""huang2024's offline samples."""

import numpy as np
import pandas as pd
import pytest
from made_huang2024 import rng

from causal_bandits.problems.huang2024 import scm
from replication.papers.huang2024.stages import OFFLINE, offline_samples


def test_offline_samples_are_counts_of_the_selected(offline):
    frame = pd.read_parquet(offline)
    assert list(frame.columns) == ["seed", *OFFLINE, "count"]
    assert frame.groupby("seed").size().tolist() == [2 ** len(OFFLINE)] * 30
    sizes = frame.groupby("seed")["count"].sum()
    selected = scm().expectation("S")
    assert abs(sizes.mean() - 30_000 * selected) < 5 * (30_000 * selected * (1 - selected) / 30) ** 0.5
    shares = frame.groupby(list(OFFLINE))["count"].sum().to_numpy() / sizes.sum()
    exact = scm().distribution(OFFLINE, given={"S": 1}).ravel()
    assert np.abs(shares - exact).max() < 5 * (exact.max() / sizes.sum()) ** 0.5
    again = offline_samples([7], rng, 30_000).to_pandas()
    pd.testing.assert_frame_equal(again, frame[frame["seed"] == 7].reset_index(drop=True))
    with pytest.raises(ValueError, match="draws=0"):
        offline_samples([0], rng, 0)
