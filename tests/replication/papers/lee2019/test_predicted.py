"""Tables of what the found six-variable instances predict, from made-up results with known answers."""

import numpy as np
import pandas as pd
import pytest
from lee2019_results import TABLE_1, made_up

from replication.papers.lee2019 import predicted


@pytest.fixture(scope="module")
def results():
    made = made_up(experiments=["ensemble_sixvar"])
    table = made.curves["ensemble_sixvar"]
    drawn = table.assign(metric="drawn_regret", std=10.0)
    made.curves["ensemble_sixvar"] = pd.concat([table, drawn], ignore_index=True)
    return made


def test_curves_that_were_kept_back_are_predicted_at_the_published_checkpoints(results):
    table = predicted.predicted_curves(results)
    counts = table.groupby(["solver", "strategy"]).size().to_dict()
    assert counts == {("TS", s): 101 for s in ("BF", "MIS", "POMIS", "POMIS+")} | {("KL-UCB", "POMIS+"): 101}
    last = table[table["t"] == 10_000].set_index(["solver", "strategy"])
    plus, pomis, mis, bf = TABLE_1["sixvar", "thompson"]
    assert last.loc["TS", "mean"].to_dict() == pytest.approx({"BF": bf, "MIS": mis, "POMIS": pomis, "POMIS+": plus})
    half = table[table["t"] == 5001].set_index(["solver", "strategy"])
    assert half.loc[("TS", "BF"), "mean"] == pytest.approx(bf * 0.5001, abs=0.001)


def test_intervals_are_symmetric_in_logarithms_and_hold_the_noise_of_the_papers_trials(results):
    """All variance lies between instances here: 1 at the end, with 10^2 / 1,000 of the trials' rewards."""
    table = predicted.predicted_curves(results)
    assert (table["low"] > 0).all()
    row = table[(table["t"] == 10_000) & (table["strategy"] == "BF")].iloc[0]
    error = np.sqrt(1 * (1 + 1 / 20) + 10**2 / 1000)
    assert np.log(row["high"] / row["mean"]) == pytest.approx(2.093024 * error / row["mean"], rel=1e-3)
    assert row["low"] * row["high"] == pytest.approx(row["mean"] ** 2, rel=1e-4)


def test_the_found_instances_differ_in_noises_and_not_in_the_best_mean(results):
    table = predicted.found_instances(results)
    assert len(table) == 20
    assert set(table["best mean"]) == {"0.6332843"}
    assert set(table["best set"]) == {"{B,D}"}
    assert set(table["best arms"]) == {2}
    assert table["noise of B"].nunique() > 1
