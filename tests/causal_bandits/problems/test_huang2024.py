"""The synthetic bandit of huang2024: Table 2, and prior knowledge from a table of offline bounds."""

import os

import numpy as np
import pandas as pd
import pytest

from causal_bandits.problems.huang2024 import GRAPH, PROBLEMS, scm


@pytest.fixture
def table():
    rows = [{"seed": s, "context": c, "arm": a} for s in (0, 1) for c in range(4) for a in range(4)]
    frame = pd.DataFrame(rows)
    return frame.assign(lower=frame.seed + 0.01 * (4 * frame.context + frame.arm), upper=2.0, count=range(32)).sample(
        frac=1, random_state=0
    )


@pytest.fixture
def bounds(tmp_path, table):
    table.to_parquet(tmp_path / "bounds.parquet", index=False)
    return tmp_path / "bounds.parquet"


def test_table_2():
    model = scm()
    assert model.graph == GRAPH
    assert model.hidden == ("C1",)
    assert model.expectation("U1") == pytest.approx(0.4)
    assert model.expectation("U2") == pytest.approx(0.6)
    assert model.expectation("C1") == pytest.approx(0.5)
    assert model.expectation("X1", given={"U1": 1}) == pytest.approx(0.75)
    assert model.expectation("X2", given={"U2": 0}) == pytest.approx(0.15)
    assert model.expectation("I1", given={"X1": 1, "C1": 0}) == pytest.approx(0.55)
    assert model.expectation("Y", given={"C1": 1, "U1": 0, "X2": 1, "I1": 1}) == pytest.approx(0.6)
    assert model.expectation("S", given={"I1": 1}) == pytest.approx(0.8)
    assert model.expectation("S", given={"I1": 0}) == pytest.approx(0.1)
    # "approximately 15000 data points" of 30,000 are kept
    assert model.expectation("S") == pytest.approx(0.5, abs=0.05)


def test_the_mean_reward_is_linear_in_the_features():
    """theta = (1/6, 0, 1/24, 1/6) and a constant: what the linear algorithms assume holds for this model."""
    problem = PROBLEMS["synthetic"]()
    np.testing.assert_allclose(problem.means, problem.features @ [1 / 6, 0, 1 / 24, 1 / 6] + 61 / 240, atol=1e-14)
    free = PROBLEMS["non_contextual"]()
    assert free.contexts == ({},)
    np.testing.assert_allclose(free.means, (problem.context_probabilities @ problem.means)[None], atol=1e-14)


def test_levels_of_the_biases_leave_the_effects_as_they_are():
    """Confounding and selection change what offline data say, not the bandit; 1 and 1 are Table 2's."""
    table_2, means = scm(), PROBLEMS["synthetic"]().means
    for confounding in (0, 0.5, 2):
        for selection in (0, 1.25):
            model = scm(confounding, selection)
            np.testing.assert_allclose(PROBLEMS["synthetic"](confounding=confounding).means, means, atol=1e-12)
            high, low = (model.expectation("S", given={"I1": i}) for i in (1, 0))
            assert (high + low, high - low) == pytest.approx((0.9, 0.7 * selection))
            moved = [model.expectation("I1", given={"X1": 0, "C1": c}) for c in (0, 1)]
            assert moved[1] - moved[0] == pytest.approx(confounding / 4)
            rewards = [model.expectation("Y", given={"C1": c, "U1": 0, "X2": 0, "I1": 0}) for c in (0, 1)]
            assert rewards[1] - rewards[0] == pytest.approx(confounding / 6)
    for variable in table_2.variables:
        np.testing.assert_array_equal(table_2.cpt(variable).table, scm(1, 1).cpt(variable).table)


def test_the_prior_is_that_of_the_level(tmp_path, table):
    levels = [(0.0, 1.25, 3_000), (2.0, 1.25, 3_000), (2.0, 1.25, 9_000)]
    frames = [
        table.assign(confounding=c, selection=s, offline_draws=n, lower=table.lower + 10 * i)
        for i, (c, s, n) in enumerate(levels)
    ]
    pd.concat(frames).to_parquet(tmp_path / "levels.parquet", index=False)
    for i, (c, s, n) in enumerate(levels):
        options = {"confounding": c, "selection": s, "offline_draws": n}
        prior = PROBLEMS["synthetic"](bounds=tmp_path / "levels.parquet", draw=1, **options).prior
        assert prior.keys() == {"lower", "upper", "count"}
        np.testing.assert_allclose(prior["lower"], 1 + 10 * i + 0.01 * np.arange(16).reshape(4, 4))
    with pytest.raises(ValueError, match="seed 1 has 0 rows"):
        PROBLEMS["synthetic"](bounds=tmp_path / "levels.parquet", draw=1, offline_draws=9_000)


def test_the_prior_is_that_of_the_draw(bounds):
    for draw in (0, 1):
        prior = PROBLEMS["synthetic"](bounds=bounds, draw=draw).prior
        assert prior.keys() == {"lower", "upper", "count"}
        np.testing.assert_allclose(prior["lower"], draw + 0.01 * np.arange(16).reshape(4, 4))
        np.testing.assert_array_equal(prior["count"], 16.0 * draw + np.arange(16).reshape(4, 4))
        assert prior["count"].dtype == np.float64


def test_a_table_is_read_again_after_it_has_changed(bounds, table):
    assert PROBLEMS["synthetic"](bounds=bounds, draw=0).prior["upper"].max() == 2.0
    table.assign(upper=3.0).to_parquet(bounds, index=False)
    os.utime(bounds, ns=(1, 1))
    assert PROBLEMS["synthetic"](bounds=bounds, draw=0).prior["upper"].max() == 3.0


def test_what_is_wrong_with_a_table_is_said(tmp_path, bounds, table):
    build, other = PROBLEMS["synthetic"], tmp_path / "other.parquet"
    with pytest.raises(ValueError, match="expected both"):
        build(draw=0)
    with pytest.raises(ValueError, match="expected both"):
        build(bounds=bounds)
    with pytest.raises(ValueError, match="no column confounding, and confounding=2"):
        build(bounds=bounds, draw=0, confounding=2)
    with pytest.raises(ValueError, match="seed 7 has 0 rows"):
        build(bounds=bounds, draw=7)
    with pytest.raises(ValueError, match=r"seed 0 has 16 rows .* expected each of 1 x 4 once"):
        PROBLEMS["non_contextual"](bounds=bounds, draw=0)
    for changed, message in (
        (table.drop(columns="arm"), "no column arm"),
        (table.assign(arm=table.arm.astype(float)), "column 'arm' is of type double; expected integers"),
        (table.assign(method="bce"), "column 'method' .* expected numbers"),
        (table.drop(index=table[table.seed == 0].index[0]), "seed 0 has 15 rows"),
        (pd.concat([table, table.iloc[:1]]).assign(seed=0), "seed 0 has 33 rows"),
    ):
        changed.to_parquet(other, index=False)
        with pytest.raises(ValueError, match=message):
            build(bounds=other, draw=0)
        other.unlink()
