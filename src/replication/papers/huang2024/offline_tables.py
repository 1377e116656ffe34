"""Make the tables about offline data: Table 1, what its columns show, and how often bounds hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from causal_bandits.problems.huang2024 import PROBLEMS, scm
from experiments.results import Results
from replication.papers.huang2024.functionals import IDENTIFIED, candidate_functionals, nearest
from replication.papers.huang2024.joint import DIGITS, SAMPLES_PER_NUMBER, joint_test
from replication.papers.huang2024.misprints import fit_context_weights, misprints
from replication.papers.huang2024.samples import by_row, covered_rows, per_sample, published_column
from replication.papers.huang2024.table1 import COLUMNS, ESTIMATED, ROW_COUNT, row_name, rows_of_pairs
from replication.papers.huang2024.units import VARIABLES

#: Sets of columns that are tested together: do they come from one sample?
TOGETHER: dict[str, Sequence[str]] = {
    **{label: (name,) for name, label in COLUMNS.items()},
    "Biased and the bounds": ("biased", "lower", "upper"),
    "all but CP": ("biased", "lower", "upper", "truth"),
    "CP and Biased": ("cp", "biased"),
    "all": tuple(COLUMNS),
}


def table1(results: Results) -> pd.DataFrame:
    """Make Table 1: each cell published and replicated.

    Replicated are mean and standard deviation over offline samples.
    """
    groups = by_row(results.files["bounds_contextual"]).groupby("row")
    mean, spread = groups.mean(), groups.std()
    truth = rows_of_pairs(PROBLEMS["synthetic"]().means)
    published = {label: published_column(results, label) for label in COLUMNS.values()}
    rows = []
    for row in range(ROW_COUNT):
        cells = {"index": str(row + 1), "x1 x2|u1 u2": row_name(row)}
        for column, label in ESTIMATED.items():
            cells[f"{label} published"] = f"{published[label][row]:.3f}"
            cells[f"{label} replicated"] = f"{mean[column][row]:.3f} ({spread[column][row]:.3f})"
        cells["Truth published"] = f"{published['Truth'][row]:.3f}"
        cells["Truth exact"] = f"{truth[row]:.3f}"
        rows.append(cells)
    return pd.DataFrame(rows)


def coverage(results: Results) -> pd.DataFrame:
    """Count how often each row's estimated bounds contain the exact effect.

    Those of the exact distribution stand beside them.
    """
    frame, exact = (
        by_row(results.files["bounds_contextual"]),
        by_row(results.files["bounds_contextual_exact"]).set_index("row"),
    )
    truth = rows_of_pairs(PROBLEMS["synthetic"]().means)
    rows = []
    for row, cell in frame.groupby("row"):
        number = int(str(row))
        inside = (cell["lower"] <= truth[number]) & (truth[number] <= cell["upper"])
        sure = (cell["confident_lower"] <= truth[number]) & (truth[number] <= cell["confident_upper"])
        rows.append(
            {
                "index": str(number + 1),
                "x1 x2|u1 u2": row_name(number),
                "offline samples of the cell": f"{cell['count'].mean():.0f}",
                "exact effect": f"{truth[number]:.4f}",
                "exact bounds": f"[{exact['lower'][number]:.4f}, {exact['upper'][number]:.4f}]",
                "mean width of estimated bounds": f"{(cell['upper'] - cell['lower']).mean():.3f}",
                "coverage, %": f"{100 * inside.mean():.1f}",
                "mean width, valid for a sample": f"{(cell['confident_upper'] - cell['confident_lower']).mean():.3f}",
                "coverage, valid for a sample, %": f"{100 * sure.mean():.1f}",
                "strict bounds": f"[{cell['strict_lower'].min():.0f}, {cell['strict_upper'].max():.0f}]",
                "offline seeds": len(cell),
            }
        )
    counts = covered_rows(frame, truth)
    together = {"index": "all 16 at once", "coverage, %": f"{100 * (counts == ROW_COUNT).mean():.1f}"}
    together |= {"exact effect": f"{counts.mean():.1f} cells on average, least {counts.min()}"}
    sure = covered_rows(frame, truth, "confident_")
    together |= {"coverage, valid for a sample, %": f"{100 * (sure == ROW_COUNT).mean():.1f}"}
    blank = {name: "" for name in rows[0] if name not in together}
    return pd.DataFrame([*rows, {**blank, **together, "offline seeds": len(counts)}])


def truth(results: Results) -> pd.DataFrame:
    """Compare the published Truth with the exact effect of Table 2, and with what it equals (E03)."""
    published = published_column(results, "Truth")
    effect = rows_of_pairs(PROBLEMS["synthetic"]().means)
    shown = candidate_functionals(scm())[IDENTIFIED["truth"]]
    fitted = fit_context_weights(published).fitted()
    rows = [
        {
            "index": str(row + 1),
            "x1 x2|u1 u2": row_name(row),
            "published": f"{published[row]:.3f}",
            "E[Y | do(x), u] of Table 2": f"{effect[row]:.4f}",
            "deviation": f"{published[row] - effect[row]:+.3f}",
            f"{IDENTIFIED['truth']} of Table 2": f"{shown[row]:.4f}",
            "deviation from it": f"{published[row] - shown[row]:+.3f}",
            "K(x1, x2) P(u1) P(u2) / P(u1, u2), fitted": f"{fitted[row]:.4f}",
        }
        for row in range(ROW_COUNT)
    ]
    deviations = {"deviation": effect, "deviation from it": shown, "K(x1, x2) P(u1) P(u2) / P(u1, u2), fitted": fitted}
    largest = {name: f"{np.abs(published - values).max():.4f}" for name, values in deviations.items()}
    return pd.DataFrame([*rows, {"index": "largest", **dict.fromkeys(list(rows[0])[1:], ""), **largest}])


def functionals(results: Results) -> pd.DataFrame:
    """Find the functional of Table 2 that each published column shows.

    The table says how near it comes, and lists the misprints.
    """
    candidates = candidate_functionals(scm())
    effect = rows_of_pairs(PROBLEMS["synthetic"]().means)
    rows = []
    for column, printed in COLUMNS.items():
        published = published_column(results, printed)
        broken = misprints(published)
        kept = _without(broken)
        best = nearest(published, candidates, kept)[0]
        fit = fit_context_weights(published, kept)
        rows.append(
            {
                "column": printed,
                "nearest plausible functional": IDENTIFIED[column],
                "K(x1, x2) P(u1) P(u2) / P(u1, u2), fitted": "no" if broken is None else f"off by {fit.largest:.4f}",
                "misprints, by rule": ", ".join(str(row + 1) for row in broken or ()),
                "the fit has there": ", ".join(f"{fit.fitted()[row]:.3f}" for row in broken or ()),
                "largest deviation": f"{np.abs(published - candidates[IDENTIFIED[column]])[kept].max():.3f}",
                f"nearest of {len(candidates)} candidates": best.name,
                "its deviation": f"{best.largest:.3f}",
                "E[Y | do(x), u]": f"{np.abs(published - effect)[kept].max():.3f}",
            }
        )
    return pd.DataFrame(rows)


def joint(results: Results) -> pd.DataFrame:
    """Test whether printed columns can be one sample's by the literal reading of Eq. 11 (E02).

    Columns are tested singly and together.
    """
    published = {name: published_column(results, label) for name, label in COLUMNS.items()}
    kept = {name: _without(misprints(column)) for name, column in published.items()}
    tests: dict[str, dict[str, str]] = {}
    for draws, file in (("15,000", "bounds_eq_11"), ("30,000", "bounds_eq_11_text")):
        samples = {name: per_sample(results.files[file], name).to_numpy().round(DIGITS) for name in published}
        pairs = {
            label: [np.hstack([columns[name][..., kept[name]] for name in names]) for columns in (published, samples)]
            for label, names in TOGETHER.items()
        }
        printed = _averages(published, kept)
        pairs |= {label: [printed[label][0], values] for label, values in _averages(samples, kept).items()}
        for label, (one, many) in pairs.items():
            row = tests.setdefault(label, {"columns": label, "numbers": str(len(one))})
            row[f"samples of {draws} that lie as far, %"] = _share(one, many)
    return pd.DataFrame(tests.values())


def _share(printed: FloatArray, samples: FloatArray) -> str:
    if len(samples) < SAMPLES_PER_NUMBER * len(printed):
        return f"{len(samples)} samples are too few"
    return f"{100 * joint_test(printed, samples).share:.2f}"


def literal(results: Results) -> pd.DataFrame:
    """Compare every printed cell with 95 % of samples of the literal reading of Eq. 11 on 15,000 draws."""
    frames = {name: per_sample(results.files["bounds_eq_11"], name) for name in COLUMNS}
    inside = dict.fromkeys(COLUMNS, 0)
    rows = []
    for row in range(ROW_COUNT):
        cells = {"index": str(row + 1), "x1 x2|u1 u2": row_name(row)}
        for name, label in COLUMNS.items():
            printed = float(published_column(results, label)[row])
            low, high = frames[name][row].quantile([0.025, 0.975])
            within = bool(low <= printed <= high)
            inside[name] += within
            cells[label] = f"{printed:.3f} {'in' if within else 'not in'} {low:.3f} to {high:.3f}"
        rows.append(cells)
    counts = {label: f"{inside[name]} of {ROW_COUNT}" for name, label in COLUMNS.items()}
    total = f"{sum(inside.values())} of {ROW_COUNT * len(inside)}"
    return pd.DataFrame([*rows, {"index": "inside", "x1 x2|u1 u2": total, **counts}])


def _without(broken: tuple[int, ...] | None) -> list[int]:
    """List the rows of Table 1 that are no misprints."""
    return [row for row in range(ROW_COUNT) if row not in (broken or ())]


def _averages(columns: Mapping[str, FloatArray], kept: Mapping[str, Sequence[int]]) -> dict[str, FloatArray]:
    """Compute by how much Biased exceeds two averages on the same sample, shape (n, 4).

    It equals both of them, but for noise. Per (x1, x2), with the exact weights of the selected: Biased is CP averaged
    over u given x, and the extremes over i1 averaged over i1 given x. Shapes of ``columns``: (n, 16). The rows that a
    bound's column is tested without are left out of the second.
    """
    table = scm().distribution(VARIABLES[:5], given={"S": 1})  # axes: those of the rows, I1
    cells = table.sum(axis=-1)
    context = cells.sum(axis=(0, 1)) / cells.sum()
    given_x = cells / cells.sum(axis=(2, 3), keepdims=True)
    i1 = (table.sum(axis=(2, 3)) / cells.sum(axis=(2, 3))[..., None])[..., 1][..., None, None]
    used = np.zeros(ROW_COUNT)
    used[[row for row in kept["lower"] if row in kept["upper"]]] = 1.0
    weights = used.reshape(cells.shape) * context
    weights /= weights.sum(axis=(2, 3), keepdims=True)
    biased, cp, lower, upper = (columns[name].reshape(-1, *cells.shape) for name in ("biased", "cp", "lower", "upper"))
    over_u = (biased * context).sum(axis=(3, 4)) - (cp * given_x).sum(axis=(3, 4))
    over_i1 = ((biased - i1 * upper - (1 - i1) * lower) * weights).sum(axis=(3, 4))
    return {
        "Biased less CP's average": over_u.reshape(-1, 4),
        "Biased less the bounds' average": over_i1.reshape(-1, 4),
    }
