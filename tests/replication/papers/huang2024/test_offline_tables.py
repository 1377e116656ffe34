"""Tables of Table 1's columns: the spread of samples, coverage, and the exact model's functionals."""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from made_huang2024 import EFFECT, LB_ROWS, ROWS, TABLE_1, cells, literal_samples, made, samples

from causal_bandits.problems.huang2024 import PROBLEMS
from causal_bandits.problems.huang2024 import scm as model
from replication.papers.huang2024 import estimates, offline_tables, table1
from replication.papers.huang2024.bounds import literal_columns
from replication.papers.huang2024.misprints import fit_context_weights
from replication.papers.huang2024.offline_tables import (
    IDENTIFIED,
    nearest,
    observed_functionals,
)
from replication.papers.huang2024.table1 import ROW_VARIABLES, VARIABLES


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
    exact = model().distribution(VARIABLES)
    rng = np.random.default_rng(0)
    first, second = (literal_columns(rng.multinomial(15_000, exact.ravel()).reshape(exact.shape)) for _ in range(2))
    kept = dict.fromkeys(table1.COLUMNS, range(16))
    for difference in offline_tables._averages(literal_columns(exact), kept).values():
        np.testing.assert_allclose(difference, 0, atol=1e-12)
    for columns, near in ((first, True), (second | {"biased": first["biased"]}, False)):
        for difference in offline_tables._averages(columns, kept).values():
            assert (np.abs(difference).max() < 0.007) == near


def test_bounds_may_miss_by_the_rounding_on_either_side():
    bounds = {"lower": [0.501, 0.503, 0.2, 0.2], "upper": [0.9, 0.9, 0.499, 0.497]}
    frame = pd.DataFrame({"row": 3, "seed": range(4), **bounds})
    truth = np.full(16, 0.5)
    assert estimates.covered_rows(frame, truth, rounding=0.002).tolist() == [1, 0, 1, 0]
    assert estimates.covered_rows(frame, truth).tolist() == [0] * 4


def test_coverage_counts_samples_by_cell(tmp_path, exact):
    files = {
        "bounds_contextual_exact": exact["bounds_contextual_exact"],
        "bounds_contextual": str(tmp_path / "bounds.parquet"),
    }
    columns = {"lower": EFFECT - 0.1, "upper": EFFECT + 0.1, "strict_lower": 0.0, "strict_upper": 1.0}
    columns |= {"confident_lower": EFFECT - 0.2, "confident_upper": EFFECT + 0.1}
    samples(files["bounds_contextual"], columns, 8, sd=0.001)
    frame = estimates.by_row(files["bounds_contextual"])
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
    assert cells(table, index="all 16 at once")["exact effect"] == "15.6 cells on average, minimum 15"


def test_candidates_are_what_their_names_say(scm, candidates):
    assert len(candidates) > 1000
    for row in range(16):
        x1, x2, u1, u2 = (row >> shift & 1 for shift in (3, 2, 1, 0))

        def p(scm=scm, do=None, **given):
            return scm.distribution(["Y"], do=do, given=given)[1]

        exact = {
            "P(y)": p(),
            "P(y | x1, u2, S=1)": p(X1=x1, U2=u2, S=1),
            "P(y | x1, x2)": p(X1=x1, X2=x2),
            "P(y | do(x1, x2), u1, u2)": p(do={"X1": x1, "X2": x2}, U1=u1, U2=u2),
            "P(y | do(x1), x2, u2, S=1)": p(do={"X1": x1}, X2=x2, U2=u2, S=1),
            "max_i1 P(y | x1, x2, i1, S=1)": max(p(X1=x1, X2=x2, I1=i, S=1) for i in (0, 1)),
            "sum_u1 P(y | x1, x2, u1, S=1) P(u1)": sum(
                p(X1=x1, X2=x2, U1=u, S=1) * scm.distribution(["U1"])[u] for u in (0, 1)
            ),
            "sum_i1 P(y | x1, u1, i1, S=1) P(i1 | x1, S=1)": sum(
                p(X1=x1, U1=u1, I1=i, S=1) * scm.distribution(["I1"], given={"X1": x1, "S": 1})[i] for i in (0, 1)
            ),
        }
        for name, value in exact.items():
            assert candidates[name][row] == pytest.approx(value, abs=1e-12), name
    assert set(IDENTIFIED.values()) <= candidates.keys()


@pytest.mark.parametrize("column", ["truth", "biased", "lower", "upper"])
def test_no_candidate_is_nearer_to_what_is_left_than_the_identified_one(candidates, column):
    factor = np.repeat(fit_context_weights(TABLE_1[column], LB_ROWS if column == "lower" else None).factor, 4)
    best = nearest(factor, candidates)[0]
    np.testing.assert_allclose(candidates[best.name], candidates[IDENTIFIED[column]], atol=1e-9)


def test_the_published_truth_is_no_effect_and_the_published_bounds_miss_the_effect_of_table_2(candidates):
    """E03, E04."""
    effect = candidates["P(y | do(x1, x2), u1, u2)"]
    assert np.abs(TABLE_1["truth"] - effect).max() > 0.1
    below, above = effect < TABLE_1["lower"] - 5e-4, effect > TABLE_1["upper"] + 5e-4
    assert np.flatnonzero(above).tolist() == [2, 3, 6, 7]
    assert not below.any()
    # The exact functional misses it in the same rows: it is no matter of sampling.
    assert np.flatnonzero(effect > candidates[IDENTIFIED["upper"]]).tolist() == [2, 3, 6, 7]


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="expected one axis of two states"):
        observed_functionals(np.ones((2, 2)))
    assert VARIABLES[:4] == ROW_VARIABLES


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
