"""huang2024's offline samples and bounds, and the rows of Table 1."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_huang2024 import rng

from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.confident_bounds import confident_bounds
from causal_bandits.problems.huang2024 import CONTEXT, GRAPH, MANIPULABLE, PROBLEMS, scm
from experiments.files import write
from replication.papers.huang2024 import stages
from replication.papers.huang2024.stages import (
    COLUMNS,
    OFFLINE,
    bounds_at_levels,
    causal_bounds,
    exact_bounds,
    exact_bounds_at_levels,
    offline_samples,
    published_bounds,
)


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


def test_rows_of_table_1_are_contexts_and_arms():
    problem = PROBLEMS["synthetic"]()
    for row in range(stages.ROW_COUNT):
        arm, context = divmod(row, 4)
        states = {**problem.arms[arm], **problem.contexts[context]}
        digits = "".join(str(states[v]) for v in ("X1", "X2", "U1", "U2"))
        assert stages.row_name(row) == f"{digits[:2]}|{digits[2:]}"
        assert stages.rows_of_pairs(problem.means)[row] == problem.means[context, arm]


ROOT = Path(__file__).parents[4]
PUBLISHED = list(csv.DictReader((ROOT / "data/published/huang2024.csv").open()))


@pytest.mark.parametrize("contextual", [True, False])
def test_bounds_are_those_of_each_seed_in_the_order_of_the_bandit(offline, contextual):
    frame = causal_bounds([3, 5], rng, offline, contextual).to_pandas()
    context = CONTEXT if contextual else ()
    problem = PROBLEMS["synthetic" if contextual else "non_contextual"]()
    counts = pd.read_parquet(offline)
    bce = BCE(GRAPH, treatment=MANIPULABLE, context=context, outcome="Y")
    for seed in (3, 5):
        mine = counts[counts["seed"] == seed]
        joint = mine["count"].to_numpy().reshape((2,) * len(OFFLINE))
        lower, upper = bce.bounds(joint, OFFLINE)
        sure = confident_bounds(bce, joint, OFFLINE)
        rows = frame[frame["seed"] == seed].set_index(["context", "arm"])
        for c, context_states in enumerate(problem.contexts):
            for a, arm_states in enumerate(problem.arms):
                states = {**context_states, **arm_states}
                cell = tuple(states[v] for v in (*context, *MANIPULABLE))
                units = mine[np.logical_and.reduce([mine[v] == x for v, x in states.items()])]
                row = rows.loc[(c, a)]
                assert (row["lower"], row["upper"]) == (lower[cell], upper[cell])
                assert (row["confident_lower"], row["confident_upper"]) == (sure[0][cell], sure[1][cell])
                assert row["count"] == units["count"].sum()
                ones = units.loc[units["Y"] == 1, "count"].sum()
                assert row["cp"] == pytest.approx(ones / units["count"].sum())
                if contextual:  # Eq. 2 given the context has nothing to adjust for
                    assert row["biased_conditional"] == pytest.approx(row["cp"])
        assert (rows["strict_lower"] == 0).all()
        assert (rows["strict_upper"] == 1).all()


def test_the_order_of_the_offline_table_does_not_matter(offline, tmp_path):
    frame = pd.read_parquet(offline)
    mixed = tmp_path / "mixed.parquet"
    frame.sample(frac=1, random_state=0).to_parquet(mixed, index=False)
    pd.testing.assert_frame_equal(
        causal_bounds([3, 0], rng, str(mixed)).to_pandas(), causal_bounds([3, 0], rng, offline).to_pandas()
    )
    others = frame.assign(seed=frame["seed"] * 7 + 2)
    others.to_parquet(mixed, index=False)
    found = causal_bounds([23], rng, str(mixed)).to_pandas().drop(columns="seed")
    pd.testing.assert_frame_equal(found, causal_bounds([3], rng, offline).to_pandas().drop(columns="seed"))


def test_an_incomplete_offline_table_is_refused(offline, tmp_path):
    frame, path = pd.read_parquet(offline), tmp_path / "wrong.parquet"
    short = frame.drop(index=5)
    for wrong in (short, pd.concat([frame, frame.iloc[:1]]), pd.concat([short, frame.iloc[:1]])):
        wrong.to_parquet(path, index=False)
        with pytest.raises(ValueError, match="expected every joint state of U1, U2, X1, X2, I1, Y once per seed"):
            causal_bounds([0], rng, str(path))


def test_exact_bounds_contain_the_effect_and_feed_the_bandit(tmp_path):
    for contextual, name in ((True, "synthetic"), (False, "non_contextual")):
        path = tmp_path / f"{name}.parquet"
        write(exact_bounds([0], rng, contextual), path)
        problem = PROBLEMS[name](bounds=path, draw=0)
        assert (problem.prior["lower"] <= problem.means + 1e-12).all()
        assert (problem.means <= problem.prior["upper"] + 1e-12).all()
        assert (problem.prior["upper"] - problem.prior["lower"]).max() < 0.5


def test_the_biased_estimate_is_equation_2_as_printed(tmp_path):
    """sum over u of P(y | x, u, S=1) P(u | S=1), the same for every context (ledger L25)."""
    frame = exact_bounds([0], rng).to_pandas()
    joint = scm().distribution(["U1", "U2", "X1", "X2", "Y"], given={"S": 1})
    given = joint[..., 1] / joint.sum(axis=-1)
    expected = np.einsum("uvxy,uv->xy", given, joint.sum(axis=(2, 3, 4))).ravel()
    for _, cells in frame.groupby("context"):
        np.testing.assert_allclose(cells["biased"], expected, atol=1e-12)


def test_bounds_at_levels_are_those_of_samples_of_the_model_at_that_level():
    options = {"confounding": [0, 1.5], "selection": [1, 1.1], "offline_draws": [2_000, 200_000]}
    frame = bounds_at_levels(range(20), rng, **options).to_pandas()
    assert len(frame) == 20 * 16 * 8
    exact = exact_bounds_at_levels([0], rng, [0, 1.5], [1, 1.1]).to_pandas()
    for (confounding, selection, draws), level in frame.groupby(["confounding", "selection", "offline_draws"]):
        sizes = level.groupby("seed")["count"].sum()
        assert sizes.mean() == pytest.approx(draws * scm(confounding, selection).expectation("S"), rel=0.05)
        if draws == 200_000:
            limit = exact[(exact["confounding"] == confounding) & (exact["selection"] == selection)]
            for column in ("cp", "observed", "upper"):
                mean = level.groupby(["context", "arm"])[column].mean().to_numpy()
                wanted = limit.set_index(["context", "arm"])[column].sort_index().to_numpy()
                np.testing.assert_allclose(mean, wanted, atol=0.04)
        assert level.groupby("seed")["cp"].agg(tuple).nunique() == 20  # another sample for each seed
    again = bounds_at_levels(range(20), rng, **options).to_pandas()
    pd.testing.assert_frame_equal(frame, again)


def with_rows(frame):
    return frame.assign(row=4 * frame["arm"] + frame["context"]).sort_values("row")


def test_published_bounds_are_the_table_as_printed():
    frame = with_rows(published_bounds([0], rng, str(ROOT / "data/published/huang2024.csv")).to_pandas())
    for column, label in COLUMNS.items():
        printed = [float(r["value"]) for r in PUBLISHED if (r["place"], r["column"]) == ("Table 1", label)]
        assert frame[column].tolist() == printed
    expected = 30_000 * scm().distribution(["X1", "X2", "U1", "U2", "S"])[..., 1].ravel()
    np.testing.assert_allclose(frame["count"], expected)
