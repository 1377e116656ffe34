"""The tables and figures of huang2024 on made-up results whose cells are known."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from made_huang2024 import EFFECT, ROWS, exact_files, level_files, literal_samples, made, regret, samples
from matplotlib.patches import FancyBboxPatch

from causal_bandits.problems.huang2024 import PROBLEMS, scm
from replication.papers.huang2024 import figures, offline_tables, table1_layout, tables
from replication.papers.huang2024 import samples as offline_samples
from replication.papers.huang2024.eq_11 import literal_columns
from replication.papers.huang2024.table1_layout import VARIABLES
from replication.papers.huang2024.theorem4 import random_models
from replication.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    return exact_files(tmp_path_factory.mktemp("exact"))


def cells(table, **key):
    """The one row of a table with these cells."""
    found = table[(table[list(key)] == pd.Series(key)).all(axis=1)]
    assert len(found) == 1
    return found.iloc[0]


def test_the_spread_of_table_1_is_that_of_samples(tmp_path):
    path = samples(
        tmp_path / "bounds.parquet",
        {"cp": 0.1 + ROWS / 100} | dict.fromkeys(("biased", "lower", "upper"), EFFECT),
        500,
        sd=0.05,
    )
    found = (
        offline_tables.table1(made(files={"bounds_contextual": path}))["CP replicated"]
        .str.extract(r"\((.*)\)")[0]
        .astype(float)
    )
    assert found.between(0.042, 0.058).all()


def test_columns_are_tested_one_by_one_and_together(tmp_path):
    fits, apart = (literal_samples(tmp_path / f"{x}.parquet", x) for x in (False, True))
    table = offline_tables.joint(made(files={"bounds_eq_11": fits, "bounds_eq_11_text": apart})).set_index("columns")
    assert table["numbers"].tolist() == ["16", "16", "13", "16", "16", "45", "61", "32", "77", "4", "4"]
    near, far = (table[f"samples of {draws} that lie as far, %"].astype(float) for draws in ("15,000", "30,000"))
    assert (near.drop("Biased less CP's average") > 20).all()
    assert (far[["CP and Biased", "all", "Biased less CP's average"]] < 1).all()
    assert (far[["Biased", "all but CP"]] > 20).all()
    few = offline_tables.joint(
        made(files={"bounds_eq_11": literal_samples(tmp_path / "few.parquet", False, 50), "bounds_eq_11_text": fits})
    )
    assert few["samples of 15,000 that lie as far, %"][0] == "50 samples are too few"


def test_biased_is_the_average_of_cp_and_of_the_bounds_on_one_sample():
    """The two differences vanish on the exact distribution, and nearly on one sample, not between two."""
    exact = scm().distribution(VARIABLES)
    rng = np.random.default_rng(0)
    first, second = (literal_columns(rng.multinomial(15_000, exact.ravel()).reshape(exact.shape)) for _ in range(2))
    kept = dict.fromkeys(table1_layout.COLUMNS, range(16))
    for difference in offline_tables._averages(literal_columns(exact), kept).values():
        np.testing.assert_allclose(difference, 0, atol=1e-12)
    for columns, near in ((first, True), (second | {"biased": first["biased"]}, False)):
        for difference in offline_tables._averages(columns, kept).values():
            assert (np.abs(difference).max() < 0.007) == near


def test_bounds_may_miss_by_the_rounding_on_either_side():
    bounds = {"lower": [0.501, 0.503, 0.2, 0.2], "upper": [0.9, 0.9, 0.499, 0.497]}
    frame = pd.DataFrame({"row": 3, "seed": range(4), **bounds})
    truth = np.full(16, 0.5)
    assert offline_samples.covered_rows(frame, truth, rounding=0.002).tolist() == [1, 0, 1, 0]
    assert offline_samples.covered_rows(frame, truth).tolist() == [0] * 4


def test_coverage_counts_samples_by_cell(tmp_path, exact):
    files = {
        "bounds_contextual_exact": exact["bounds_contextual_exact"],
        "bounds_contextual": str(tmp_path / "bounds.parquet"),
    }
    columns = {"lower": EFFECT - 0.1, "upper": EFFECT + 0.1, "strict_lower": 0.0, "strict_upper": 1.0}
    columns |= {"confident_lower": EFFECT - 0.2, "confident_upper": EFFECT + 0.1}
    samples(files["bounds_contextual"], columns, 8, sd=0.001)
    frame = offline_samples.by_row(files["bounds_contextual"])
    frame.loc[(frame["row"] == 6) & (frame["seed"] < 2), "upper"] = EFFECT[6] - 0.01
    frame.loc[(frame["row"] == 9) & (frame["seed"] == 7), "lower"] = EFFECT[9] + 0.01
    frame.drop(columns="row").to_parquet(files["bounds_contextual"], index=False)
    table = offline_tables.coverage(made(files=files))
    covered = table["coverage, %"].tolist()
    assert (covered.pop(), covered.pop(9), covered.pop(6)) == ("62.5", "87.5", "75.0")
    assert covered == ["100.0"] * 14
    assert set(table["coverage, valid for a sample, %"]) == {"100.0"}
    assert cells(table, index="7")["mean width, valid for a sample"] == "0.300"
    assert cells(table, index="7")["offline samples of the cell"] == "106"
    assert cells(table, index="7")["strict bounds"] == "[0, 1]"
    assert cells(table, index="all 16 at once")["exact effect"] == "15.6 cells on average, least 15"


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


def drawn(axes):
    """The last value of every line, by what the legend calls it."""
    handles, names = axes.get_legend_handles_labels()
    lines = (getattr(handle, "lines", [handle])[0] for handle in handles)
    return {name: np.asarray(line.get_ydata(), float) for name, line in zip(names, lines, strict=True)}


def test_the_boxes_of_fig_1_stand_apart_and_in_view():
    figure = figures.figure1(made(regret))
    (axes,) = figure.axes
    boxes = [box.get_bbox() for box in axes.patches if isinstance(box, FancyBboxPatch)]
    assert len(boxes) == 7
    assert all(axes.viewLim.contains(*corner) for box in boxes for corner in box.get_points())
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    plt.close(figure)


def test_fig_4_draws_the_policies_of_its_caption():
    figure = figures.figure4(made(regret))
    found = {name: float(y[-1]) for name, y in drawn(figure.axes[0]).items()}
    expected = {"LinUCB": 101, "LinUCB-PCB": 201, "LinUCB_Biased": 121, "LinUCB_CP": 141}
    assert found == pytest.approx(expected, abs=0.5)
    plt.close(figure)


def test_pairs_draws_both_forced_explorations():
    figure = figures.pairs(made(regret))
    found = [{name: float(y[-1]) for name, y in drawn(axes).items()} for axes in figure.axes]
    expected = {"OAM": 301, "OAM-PCB as printed": 401, "OAM-PCB, arms left out": 404}
    assert found[0] == pytest.approx(expected, abs=0.5)
    assert found[1] == pytest.approx({name: value + 5 for name, value in expected.items()}, abs=0.5)
    assert found[2] == pytest.approx({"UCB": 501, "UCB-PCB": 601}, abs=0.5)
    plt.close(figure)


def test_levels_are_drawn_with_their_coverage(tmp_path):
    figure = figures.levels(made(regret, files=level_files(tmp_path)))
    regrets, coverage = (drawn(axes) for axes in figure.axes)
    np.testing.assert_allclose(regrets["LinUCB_CP"], 141 + 10 * np.isin(np.arange(12), (6, 7, 8)), atol=0.5)
    assert coverage["as estimated: all 16 cells at once"].tolist() == [75.0] + [100.0] * 11
    assert coverage["valid for a sample: of the cells"].tolist() == [100.0] * 12
    plt.close(figure)


def test_alpha_draws_every_width_once():
    figure = figures.alpha(made(regret))
    base = {"LinUCB": 100, "LinUCB-PCB": 200, "LinUCB_Biased": 120, "LinUCB_CP": 140}
    found = drawn(figure.axes[0])
    assert found.keys() == base.keys()
    for name, y in found.items():
        np.testing.assert_allclose(y, base[name] + np.array([0.25, 0.5, 1, 2]), atol=0.5)
    plt.close(figure)


def test_fig_2_tells_users_items_and_the_reward_apart(monkeypatch):
    drawn = {}
    monkeypatch.setattr(figures, "draw_diagram", lambda axes, graph, positions, **looks: drawn.update(looks))
    plt.close(figures.figure2(None))
    colours = {name: figures.COLOURS[name] for name in ("green", "blue", "red")}
    kinds = {"U1": "green", "U2": "green", "X1": "blue", "X2": "blue", "Y": "red"}
    assert drawn["node_colours"] == {node: colours[kind] for node, kind in kinds.items()}
    assert (drawn["shaded"], drawn["dashed"]) == (["S"], ["C1"])
