"""Tables behind the ledger: couplings (L42), Theorems 2 (E08) and 4 (E01)."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from causal_bandits.evaluation.results import Results
from causal_bandits.papers.huang2022 import couplings, theorem2
from causal_bandits.papers.huang2022.data import joint_counts
from causal_bandits.papers.huang2022.problems import adult_video_bandit, user_counts
from causal_bandits.papers.huang2024 import theorem4

NOTHING = Results({}, {}, pd.DataFrame(), {}, {})


@pytest.fixture
def adult(tmp_path):
    path = tmp_path / "adult.parquet"
    pq.write_table(joint_counts([], lambda seed: None, "adult", path="data/tables/adult.csv"), path)
    return str(path)


def test_unfair_rounds_rest_on_the_coupling(adult):
    table = couplings.couplings(Results({}, {}, pd.DataFrame(), {"adult": adult}, {}))
    assert table["tau = 0.1"].tolist() == ["1023", "1204", "1699"]
    assert (table[[f"tau = 0.{i}" for i in (2, 3, 4, 5)]] == "0").all(axis=None)


def test_the_studys_coupling_is_that_of_the_bandit(adult):
    counts = user_counts(adult)
    own = counts[..., 1] / counts.sum(axis=-1)
    incomes = couplings.Incomes(own, own[:, ::-1])
    both = couplings.both_high(incomes)["one noise for both (the study's)"]
    exact = adult_video_bandit(counts, income_descends_from_sex=True).discrepancies
    ours = np.abs(couplings.discrepancies(incomes, both)).ravel()
    np.testing.assert_allclose(np.abs(exact), np.repeat(ours[:, None], 16, axis=1), atol=1e-12)


def test_couplings_are_those_of_drawn_noise():
    """Incomes of two worlds, drawn with one noise, two, and one and its complement."""
    rng = np.random.default_rng(0)
    own, other = np.array([[[0.3]], [[0.7]]]), np.array([[[0.5]], [[0.6]]])
    noise, second = rng.random((2, 400_000))
    drawn = {"one noise for both (the study's)": noise, "independent noise": second, "opposite noise": 1 - noise}
    computed = couplings.both_high(couplings.Incomes(own, other))
    assert computed.keys() == drawn.keys()
    for name, there in drawn.items():
        disc = couplings.discrepancies(couplings.Incomes(own, other), computed[name])
        for i in (0, 1):
            here_high, there_high = noise < own[i, 0, 0], there < other[i, 0, 0]
            for income in (0, 1):
                change = 0.2 * (there_high[here_high == income].mean() - income)
                assert disc[i, 0, 0, income] == pytest.approx(change, abs=2e-3)


def test_theorem_2_misses_only_where_z_descends_from_s(monkeypatch):
    monkeypatch.setattr(theorem2, "MODELS", 150)
    descends, none = theorem2.theorem_2(NOTHING).to_dict("records")
    assert descends["models"] + none["models"] == 150
    assert none["models"] > 20
    assert descends["missed by Theorem 2"] > descends["models"] / 2
    assert float(descends["by at most"]) > 0.3
    assert (none["missed by Theorem 2"], none["by at most"]) == (0, "0.000")
    assert descends["missed by the corrected bounds"] == none["missed by the corrected bounds"] == 0


def test_theorem_4_fails_where_the_exchange_condition_does(monkeypatch):
    monkeypatch.setattr(theorem4, "MODELS", 60)
    table = theorem4.theorem_4(NOTHING).to_dict("records")
    assert [row["{W} is a substitute as printed"] for row in table] == ["yes"] * 3
    assert [row["with the exchange condition"] for row in table] == ["no", "yes", "yes"]
    outside = [float(row["P_x(y) outside for some x, %"]) for row in table]
    assert outside[0] > 10
    assert outside[1:] == [0, 0]
