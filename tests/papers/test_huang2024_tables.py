"""The tables and figures of huang2024 on made-up results whose cells are known."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from made_huang2024 import PUBLISHED, exact_files, made, samples

from causal_bandits.papers.huang2024 import figures, labels, tables, theorem4
from causal_bandits.papers.huang2024.problems import PROBLEMS
from causal_bandits.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound

EFFECT = labels.in_rows(PROBLEMS["synthetic"]().means)
ROWS = np.arange(16)
COLUMNS = {"cp": 0.1 + ROWS / 100, "biased": 0.3 + ROWS / 100, "lower": 0.5 + ROWS / 100, "upper": 0.7 + ROWS / 100}


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    return exact_files(tmp_path_factory.mktemp("exact"))


def regret(experiment, settings):
    """Another mean for every policy."""
    order = ["lin_ucb", "lin_ucb_pcb", "oam", "oam_pcb", "ucb", "ucb_pcb"]
    start = [None, "biased", "cp", "observed"].index(settings.get("warm_start"))
    shared, small = settings.get("shared", False), settings.get("epsilon", 1) < 1
    return (
        100.0 * (1 + order.index(settings["algorithm"]))
        + 20 * start
        + 7 * shared
        + 5 * small
        + settings.get("alpha", 1.0)
    )


def cells(table, **key):
    """The one row of a table with these cells."""
    found = table[(table[list(key)] == pd.Series(key)).all(axis=1)]
    assert len(found) == 1
    return found.iloc[0]


def test_table_1_has_each_cell_in_its_place(tmp_path):
    path = samples(tmp_path / "bounds.parquet", COLUMNS, 50, sd=0.0001)
    table = tables.table1(made(files={"bounds": path}))
    assert len(table) == 16
    for row in range(16):
        found = table.iloc[row]
        assert (found["index"], found["x1 x2|u1 u2"]) == (str(row + 1), labels.cell_name(row))
        for column, label in labels.COLUMNS.items():
            assert found[f"{label} replicated"] == f"{COLUMNS[column][row]:.3f} (0.000)"
            assert found[f"{label} published"] == PUBLISHED.at[f"huang2024.table1.{row + 1}.{column}", "value"]
        assert found["Truth published"] == PUBLISHED.at[f"huang2024.table1.{row + 1}.truth", "value"]
        assert found["Truth exact"] == f"{EFFECT[row]:.3f}"


def test_the_spread_of_table_1_is_that_of_samples(tmp_path):
    path = samples(tmp_path / "bounds.parquet", COLUMNS, 500, sd=0.05)
    found = tables.table1(made(files={"bounds": path}))["CP replicated"].str.extract(r"\((.*)\)")[0].astype(float)
    assert found.between(0.042, 0.058).all()


def test_the_published_truth_stands_beside_the_exact_effect():
    table = tables.truth(made())
    row = cells(table, index="5")
    assert (row["published"], row["E[Y | do(x), u] of Table 2"]) == ("0.448", f"{EFFECT[4]:.4f}")
    assert row["deviation"] == f"{0.448 - EFFECT[4]:+.3f}"
    published = PUBLISHED[PUBLISHED["column"] == "Truth"]["value"].astype(float).to_numpy()
    assert cells(table, index="largest")["deviation"] == f"{np.abs(published - EFFECT).max():.4f}"


def test_functionals_say_which_columns_chance_explains(monkeypatch):
    def few(scm, functional, rng):
        return deviations(scm, functional, rng, repetitions=30)

    deviations = tables.deviations_by_chance
    monkeypatch.setattr(tables, "deviations_by_chance", few)
    table = tables.functionals(made())
    assert table["column"].tolist() == ["CP", "Biased", "lb", "ub", "Truth"]
    assert cells(table, column="lb")["cells used"] == 13
    truth = cells(table, column="Truth")
    published = PUBLISHED[PUBLISHED["column"] == "Truth"]["value"].astype(float).to_numpy()
    assert truth["nearest plausible functional"] == "P(y | x1, x2)"
    assert truth["E[Y | do(x), u]"] == f"{np.abs(published - EFFECT).max():.3f}"
    by_chance = table.set_index("column")["samples of 30,000 that deviate as far, %"].astype(float)
    assert by_chance["CP"] > 5 > by_chance["Biased"]


def test_coverage_counts_samples_by_cell(tmp_path, exact):
    files = {"exact": exact["bounds_contextual_exact"], "bounds": str(tmp_path / "bounds.parquet")}
    columns = {"lower": EFFECT - 0.1, "upper": EFFECT + 0.1, "strict_lower": 0.0, "strict_upper": 1.0}
    samples(files["bounds"], columns, 8, sd=0.001)
    frame = labels.by_row(files["bounds"])
    frame.loc[(frame["row"] == 6) & (frame["seed"] < 2), "upper"] = EFFECT[6] - 0.01
    frame.loc[(frame["row"] == 9) & (frame["seed"] == 7), "lower"] = EFFECT[9] + 0.01
    frame.drop(columns="row").to_parquet(files["bounds"], index=False)
    table = tables.coverage(made(files=files))
    covered = table["coverage, %"].tolist()
    assert (covered.pop(), covered.pop(9), covered.pop(6)) == ("62.5", "87.5", "75.0")
    assert covered == ["100.0"] * 14
    assert cells(table, index="7")["offline samples of the cell"] == "106"
    assert cells(table, index="7")["strict bounds"] == "[0, 1]"
    assert cells(table, index="all 16 at once")["exact effect"] == "15.6 cells on average, least 15"


def test_theory_puts_each_bound_beside_the_regret_of_its_policy(exact):
    files = {"exact": exact["bounds_contextual_exact"], "non_contextual_exact": exact["bounds_non_contextual_exact"]}
    table = tables.theory(made(regret, files=files))
    contextual = PROBLEMS["synthetic"](bounds=files["exact"], draw=0)
    free = PROBLEMS["non_contextual"](bounds=files["non_contextual_exact"], draw=0)
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
    frame.loc[(frame["seed"] == 2) & (frame["arm"] == 3) & (frame["context"] == 1), "upper"] = 0.0
    frame.to_parquet(path, index=False)
    free = exact["bounds_non_contextual_exact"]
    files = {"bounds": path, "exact": exact["bounds_contextual_exact"], "non_contextual": free}
    table = tables.ruled_out_pairs(made(files={**files, "non_contextual_exact": free}))
    row = cells(table, context="U1, U2")
    assert (row["pairs"], row["ruled out, mean"], row["least"], row["most"]) == (16, "4.25", 4, 5)
    assert row["samples whose bound of a best arm is too low, %"] == "25.0"
    assert cells(table, context="U1, U2, exact bounds")["ruled out, mean"] == "8.00"
    assert cells(table, context="none, exact bounds")["ruled out, mean"] == "0.00"


def test_pulls_are_counted_by_policy():
    def pulls(experiment, settings):
        counts = np.zeros(100)
        if settings.get("alpha") == 0.25 and experiment == "exact":
            counts[:20] = 50
        return counts

    table = tables.ruled_out_pulls(made(ruled_out=pulls))
    row = cells(table, experiment="exact", policy="lin_ucb_pcb,alpha=0.25")
    assert row["pulls of ruled-out arms"].startswith("10.00 ± ")
    assert (row["seeds with any"], row["seeds"], row["rounds"]) == (20, 100, 15_000)
    assert table["seeds with any"].sum() == 20


def test_theorem_4_fails_where_the_exchange_condition_does(monkeypatch):
    monkeypatch.setattr(theorem4, "MODELS", 60)
    table = theorem4.theorem_4(made()).to_dict("records")
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


def test_fig_4_draws_the_policies_of_its_caption():
    figure = figures.figure4(made(regret))
    found = {name: float(y[-1]) for name, y in drawn(figure.axes[0]).items()}
    expected = {"LinUCB": 101, "LinUCB-PCB": 201, "LinUCB_Biased": 121, "LinUCB_CP": 141}
    assert found == pytest.approx(expected, abs=0.5)
    plt.close(figure)


def test_pairs_draws_both_forced_explorations():
    figure = figures.pairs(made(regret))
    left, right = ({name: float(y[-1]) for name, y in drawn(axes).items()} for axes in figure.axes)
    expected = {"OAM": 301, "OAM-PCB": 401, "OAM, little forced": 306, "OAM-PCB, little forced": 406}
    assert left == pytest.approx(expected, abs=0.5)
    assert right == pytest.approx({"UCB": 501, "UCB-PCB": 601}, abs=0.5)
    plt.close(figure)


def test_alpha_draws_every_width_once():
    figure = figures.alpha(made(regret))
    base = {"LinUCB": 100, "LinUCB-PCB": 200, "LinUCB_Biased": 120, "LinUCB_CP": 140}
    found = drawn(figure.axes[0])
    assert found.keys() == base.keys()
    for name, y in found.items():
        np.testing.assert_allclose(y, base[name] + np.array([0.25, 0.5, 1, 2]), atol=0.5)
    plt.close(figure)
