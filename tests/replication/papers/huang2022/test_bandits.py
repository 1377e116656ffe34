"""How a user's two possible incomes are coupled, and what is unfair by it."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_huang2022 import adult_counts

from causal_bandits.problems.huang2022 import adult_video_bandit, user_counts
from experiments.results import Results
from replication.papers.huang2022 import bandits

NOTHING = Results({}, {}, pd.DataFrame(), {}, {})


@pytest.fixture
def adult(tmp_path):
    return adult_counts(tmp_path)


def test_unfair_rounds_rest_on_the_coupling(adult):
    table = bandits.couplings(replace(NOTHING, files={"data_adult": adult}))
    assert table["tau = 0.1"].tolist() == ["1023", "1204", "1699"]
    assert (table[[f"tau = 0.{i}" for i in (2, 3, 4, 5)]] == "0").all(axis=None)


def test_the_studys_coupling_is_that_of_the_bandit(adult):
    counts = user_counts(adult)
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = bandits.Incomes(own, own[:, ::-1])
    both = bandits.both_high(incomes)["one noise for both (the study's)"]
    exact = adult_video_bandit(counts, income_descends_from_sex=True).discrepancies
    ours = np.abs(bandits.discrepancies(incomes, both)).ravel()
    np.testing.assert_allclose(np.abs(exact), np.repeat(ours[:, None], 16, axis=1), atol=1e-12)


def test_no_coupling_takes_a_discrepancy_beyond_the_weight_of_income(adult):
    """Among all couplings, in steps between Frechet's bounds, the largest is that of opposite noise."""
    counts = user_counts(adult)
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = bandits.Incomes(own, own[:, ::-1])
    least, most = np.maximum(own + incomes.other - 1, 0), np.minimum(own, incomes.other)
    largest = [np.abs(bandits.discrepancies(incomes, least + s * (most - least))).max() for s in np.linspace(0, 1, 21)]
    sizes = bandits.discrepancies_by_coupling(counts)
    assert max(largest) == sizes["opposite noise"].max() <= 0.2
    assert sizes["one noise for both (the study's)"].max() == pytest.approx(largest[-1])
    assert largest == sorted(largest, reverse=True)


def test_couplings_are_those_of_drawn_noise():
    """Incomes of two worlds, drawn with one noise, two, and one and its complement."""
    rng = np.random.default_rng(0)
    own, other = np.array([[[0.3]], [[0.7]]]), np.array([[[0.5]], [[0.6]]])
    noise, second = rng.random((2, 400_000))
    drawn = {"one noise for both (the study's)": noise, "independent noise": second, "opposite noise": 1 - noise}
    computed = bandits.both_high(bandits.Incomes(own, other))
    assert computed.keys() == drawn.keys()
    for name, there in drawn.items():
        disc = bandits.discrepancies(bandits.Incomes(own, other), computed[name])
        for i in (0, 1):
            here_high, there_high = noise < own[i, 0, 0], there < other[i, 0, 0]
            for income in (0, 1):
                change = 0.2 * (there_high[here_high == income].mean() - income)
                assert disc[i, 0, 0, income] == pytest.approx(change, abs=2e-3)
