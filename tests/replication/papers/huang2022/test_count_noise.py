"""The noise that would give published counts is found again where counts are made of known noise."""

import numpy as np
import pytest
from scipy import stats

from experiments.jobs import ReaderJob
from experiments.results import Results
from replication.papers.huang2022.tables import MEANS, count_noise, fitted, implied

TAUS = (0.1, 0.2, 0.3, 0.4, 0.5)


def beyond(tau, mean, sd):
    return stats.norm.sf(tau, mean, sd) + stats.norm.cdf(-tau, mean, sd)


@pytest.mark.parametrize(("mean", "sd"), [(0.0, 0.18), (0.1, 0.15), (0.3, 0.4)])
def test_known_noise_is_found(mean, sd):
    shares = {tau: beyond(tau, mean, sd) for tau in TAUS}
    assert fitted(shares, MEANS) == pytest.approx((mean, sd, 0), abs=1e-9)
    if mean == 0:
        assert [implied(tau, share) for tau, share in shares.items()] == pytest.approx([sd] * 5)
        assert fitted(shares, np.zeros(1))[1:] == pytest.approx((sd, 0), abs=1e-9)


def test_every_policy_with_published_counts_has_a_row():
    table = count_noise(Results.load(ReaderJob(), {"published": "data/published/huang2022.csv"}))
    assert list(table["policy"]) == ["UCB", "C-UCB", "D-UCB", "Fair-LinUCB"]
    first = table.iloc[0]
    assert float(first["sd at tau = 0.1"]) == pytest.approx(-0.1 / stats.norm.ppf(3030 / 5000 / 2), abs=5e-4)
