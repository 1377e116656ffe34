"""huang2024's tables."""

from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from made_huang2024 import EFFECT, ROWS, TABLE_1, cells, made, regret, samples

from causal_bandits.problems.huang2024 import PROBLEMS
from replication.papers.huang2024 import tables
from replication.papers.huang2024.stages import random_models
from replication.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound


def test_theory_puts_each_bound_beside_the_regret_of_its_policy(exact):
    table = tables.theory(made(regret, files=exact))
    contextual = PROBLEMS["synthetic"](bounds=exact["bounds_contextual_exact"], draw=0)
    free = PROBLEMS["non_contextual"](bounds=exact["bounds_non_contextual_exact"], draw=0)
    expected = {
        ("Theorem 5: LinUCB, one theta", "no"): (lin_ucb_bound(contextual, 15_000, with_bounds=False), 108),
        ("Theorem 5: LinUCB, one theta", "yes"): (lin_ucb_bound(contextual, 15_000, with_bounds=True), 208),
        ("Theorem 7: OAM", "no"): (oam_bound(contextual, 15_000, with_bounds=False), 301),
        ("Theorem 7: OAM", "yes"): (oam_bound(contextual, 15_000, with_bounds=True), 401),
        ("Theorem 8: UCB", "no"): (ucb_bound(free, 15_000, with_bounds=False), 501),
        ("Theorem 8: UCB", "yes"): (ucb_bound(free, 15_000, with_bounds=True), 601),
    }
    for (statement, bounds), (bound, measured) in expected.items():
        row = cells(table, **{"statement": statement, "prior causal bounds": bounds})
        assert row["bound on regret"] == f"{bound:.1f}"
        assert float(row["regret measured"].partition(" ")[0]) == pytest.approx(measured, abs=0.5)
        assert row["largest regret possible"] == "3125.0"
    printed = table[table["statement"].str.contains("as printed")]["bound on regret"].tolist()
    assert printed == [f"{oam_bound(contextual, 15_000, with_bounds=False):.1f}", "inf"]


def test_pairs_are_ruled_out_below_the_best_mean(tmp_path, exact):
    """In every context the best arm, (1, 1), has row 12 + context; its mean lies 5/24 above that of (0, 0)."""
    best = EFFECT[12 + ROWS % 4]
    upper = np.where(ROWS < 4, best - 0.1, best + 0.1)
    path = samples(tmp_path / "bounds.parquet", {"upper": upper}, 4, sd=0.001)
    frame = pd.read_parquet(path)
    frame["lower"] = np.where((frame["seed"] == 1) & (frame["arm"] == 2), 0.95, 0.0)
    frame.loc[(frame["seed"] == 2) & (frame["arm"] == 3) & (frame["context"] == 1), "upper"] = 0.0
    frame.to_parquet(path, index=False)
    free = exact["bounds_non_contextual_exact"]
    files = {**exact, "bounds_contextual": path, "bounds_non_contextual": free}
    table = tables.ruled_out_pairs(made(files=files))
    row = cells(table, context="U1, U2")
    assert (row["pairs"], row["ruled out, mean"], row["least"], row["most"]) == (16, "4.25", 4, 5)
    assert row["samples whose bound of a best arm is too low, %"] == "25.0"
    assert row["below another arm's lower bound, mean"] == "4.00"  # all 16 of one seed in four
    assert cells(table, context="U1, U2, exact bounds")["ruled out, mean"] == "8.00"
    assert cells(table, context="none, exact bounds")["ruled out, mean"] == "0.00"


def test_theorem_4_fails_where_the_exchange_condition_does(tmp_path):
    path = tmp_path / "models.parquet"
    pq.write_table(random_models(range(60), np.random.default_rng), path)
    table = tables.theorem_4(made(files={"bounds_theorem_4": str(path)})).to_dict("records")
    assert [row["random models"] for row in table] == [60] * 3
    assert [row["{W} is a substitute as printed"] for row in table] == ["yes"] * 3
    assert [row["with the exchange condition"] for row in table] == ["no", "yes", "yes"]
    outside = [float(row["P_x(y) outside for some x, %"]) for row in table]
    assert outside[0] > 10
    assert outside[1:] == [0, 0]


# ------------------------------------------------------------------ figures


def test_the_spread_of_table_1_is_that_of_samples(tmp_path):
    path = samples(
        tmp_path / "bounds.parquet",
        {"cp": 0.1 + ROWS / 100} | dict.fromkeys(("biased", "lower", "upper"), EFFECT),
        500,
        sd=0.05,
    )
    found = (
        tables.table1(made(files={"bounds_contextual": path}))["CP replicated"]
        .str.extract(r"\((.*)\)")[0]
        .astype(float)
    )
    assert found.between(0.042, 0.058).all()


def test_bounds_may_miss_by_the_rounding_on_either_side():
    bounds = {"lower": [0.501, 0.503, 0.2, 0.2], "upper": [0.9, 0.9, 0.499, 0.497]}
    frame = pd.DataFrame({"row": 3, "seed": range(4), **bounds})
    truth = np.full(16, 0.5)
    assert tables.covered_rows(frame, truth, rounding=0.002).tolist() == [1, 0, 1, 0]
    assert tables.covered_rows(frame, truth).tolist() == [0] * 4


def test_coverage_counts_samples_by_cell(tmp_path, exact):
    files = {
        "bounds_contextual_exact": exact["bounds_contextual_exact"],
        "bounds_contextual": str(tmp_path / "bounds.parquet"),
    }
    columns = {"lower": EFFECT - 0.1, "upper": EFFECT + 0.1, "strict_lower": 0.0, "strict_upper": 1.0}
    columns |= {"confident_lower": EFFECT - 0.2, "confident_upper": EFFECT + 0.1}
    samples(files["bounds_contextual"], columns, 8, sd=0.001)
    frame = tables.by_row(files["bounds_contextual"])
    frame.loc[(frame["row"] == 6) & (frame["seed"] < 2), "upper"] = EFFECT[6] - 0.01
    frame.loc[(frame["row"] == 9) & (frame["seed"] == 7), "lower"] = EFFECT[9] + 0.01
    frame.drop(columns="row").to_parquet(files["bounds_contextual"], index=False)
    table = tables.coverage(made(files=files))
    covered = table["coverage, %"].tolist()
    assert (covered.pop(), covered.pop(9), covered.pop(6)) == ("62.5", "87.5", "75.0")
    assert covered == ["100.0"] * 14
    assert set(table["coverage, valid for a sample, %"]) == {"100.0"}
    assert cells(table, index="7")["mean width, valid for a sample"] == "0.300"
    assert cells(table, index="7")["offline samples of the cell"] == "106"
    assert cells(table, index="7")["strict bounds"] == "[0, 1]"
    assert cells(table, index="all 16 at once")["exact effect"] == "15.6 cells on average, minimum 15"


def shared_form(column, rows):
    """The column whose logarithm is a number for each arm plus one for each user, by least squares on these rows."""
    x, u = np.divmod(ROWS, 4)
    design = np.hstack([np.eye(4)[x], np.eye(4)[u][:, 1:]])
    return np.exp(design @ np.linalg.lstsq(design[rows], np.log(column[rows]))[0])


def misprints(column):
    """The smallest set of rows, at most four, without which the others share the form to the printed digits."""
    for size in range(5):
        sets = [np.array(rows, dtype=int) for rows in combinations(range(16), size)]
        off = [np.abs(shared_form(column, kept) - column)[kept].max() for kept in (np.delete(ROWS, s) for s in sets)]
        if min(off) <= 0.001:
            return sets[int(np.argmin(off))].tolist()
    return None


def test_all_columns_but_cp_ignore_the_user_and_three_cells_of_lb_are_misprints():
    """E02 and E05: 0.350, 0.414 and 0.324 in rows 5, 13 and 16 of lb, where the form has other numbers."""
    found = {column: misprints(values) for column, values in TABLE_1.items()}
    assert found == {"cp": None, "biased": [], "lower": [4, 12, 15], "upper": [], "truth": []}
    fitted = shared_form(TABLE_1["lower"], np.delete(ROWS, [4, 12, 15]))
    np.testing.assert_allclose(fitted[[4, 12, 15]], [0.391, 0.425, 0.423], atol=6e-4)


def test_the_published_truth_is_no_effect_and_the_published_bounds_miss_the_effect_of_table_2(scm):
    """E03, E04."""
    for row in ROWS:
        x1, x2, u1, u2 = (int(row) >> shift & 1 for shift in (3, 2, 1, 0))
        own = scm.distribution(["Y"], do={"X1": x1, "X2": x2}, given={"U1": u1, "U2": u2})[1]
        assert EFFECT[row] == pytest.approx(own, abs=1e-12)
    table = tables.truth(made())
    for row in range(16):
        given = {"X1": row >> 3 & 1, "X2": row >> 2 & 1}
        assert table["P(y | x1, x2) of Table 2"][row] == f"{scm.distribution(['Y'], given=given)[1]:.4f}"
    assert float(table["deviation"][16]) > 0.1
    assert float(table["deviation from it"][16]) < 0.02
    below, above = (TABLE_1["lower"] - EFFECT) > 5e-4, (EFFECT - TABLE_1["upper"]) > 5e-4
    assert np.flatnonzero(above).tolist() == [2, 3, 6, 7]
    assert not below.any()


def test_no_order_of_the_rows_makes_the_truth_the_effect():
    """Ledger L98: 24 orders of the variables, each variable from 0 to 1 or from 1 to 0."""
    effect = PROBLEMS["synthetic"]().means.T.reshape(2, 2, 2, 2)  # axes X1, X2, U1, U2
    printed, misses = np.asarray(TABLE_1["truth"]), []
    for axes in permutations(range(4)):
        for flips in product((1, -1), repeat=4):
            rows = effect.transpose(axes)[tuple(slice(None, None, flip) for flip in flips)].ravel()
            misses.append(np.abs(rows - printed).max())
    assert len(misses) == 384
    assert min(misses) > 0.05
