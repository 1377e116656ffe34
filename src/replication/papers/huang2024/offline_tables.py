"""Build the tables about offline data: Table 1, its column Truth, and how often bounds hold."""

from __future__ import annotations

import numpy as np
import pandas as pd

from causal_bandits.problems.huang2024 import PROBLEMS, scm
from experiments.results import Results
from replication.papers.huang2024.estimates import by_row, covered_rows, published_column
from replication.papers.huang2024.table1 import (
    COLUMNS,
    ESTIMATED,
    ROW_COUNT,
    VARIABLES,
    outcome_given,
    row_name,
    rows_of_axes,
    rows_of_pairs,
)


def table1(results: Results) -> pd.DataFrame:
    """Build Table 1, with each cell as published and as replicated.

    Replicated cells show the mean and standard deviation over offline samples.
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

    The bounds from the exact distribution are listed next to them.
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
    together |= {"exact effect": f"{counts.mean():.1f} cells on average, minimum {counts.min()}"}
    sure = covered_rows(frame, truth, "confident_")
    together |= {"coverage, valid for a sample, %": f"{100 * (sure == ROW_COUNT).mean():.1f}"}
    blank = {name: "" for name in rows[0] if name not in together}
    return pd.DataFrame([*rows, {**blank, **together, "offline seeds": len(counts)}])


def truth(results: Results) -> pd.DataFrame:
    """Compare the published Truth with the exact effect of Table 2, and with P(y | x1, x2), which it shows (E03)."""
    published = published_column(results, "Truth")
    effect = rows_of_pairs(PROBLEMS["synthetic"]().means)
    shown = rows_of_axes(outcome_given(scm().distribution(VARIABLES).sum(axis=-1), ("X1", "X2"))[..., 0])
    rows = [
        {
            "index": str(row + 1),
            "x1 x2|u1 u2": row_name(row),
            "published": f"{published[row]:.3f}",
            "E[Y | do(x), u] of Table 2": f"{effect[row]:.4f}",
            "deviation": f"{published[row] - effect[row]:+.3f}",
            "P(y | x1, x2) of Table 2": f"{shown[row]:.4f}",
            "deviation from it": f"{published[row] - shown[row]:+.3f}",
        }
        for row in range(ROW_COUNT)
    ]
    deviations = {"deviation": effect, "deviation from it": shown}
    largest = {name: f"{np.abs(published - values).max():.4f}" for name, values in deviations.items()}
    return pd.DataFrame([*rows, {"index": "largest", **dict.fromkeys(list(rows[0])[1:], ""), **largest}])
