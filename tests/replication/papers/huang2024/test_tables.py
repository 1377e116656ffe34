"""The tables and figures of huang2024 on made-up results whose cells are known."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from made_huang2024 import EFFECT, ROWS, cells, made, regret, samples

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
