"""Tables of huang2024."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from causal_bandits.metrics import Results
from causal_bandits.papers.huang2024.labels import COLUMNS, ROWS, by_row, cell_name, in_rows
from causal_bandits.papers.huang2024.problems import PROBLEMS, scm
from causal_bandits.tabulate import comparison


def table1(results: Results) -> pd.DataFrame:
    """Table 1: per cell, published and replicated (mean and standard deviation over offline samples; truth exact)."""
    groups = by_row(results.files["bounds"]).groupby("row")
    mean, spread = groups.mean(), groups.std()
    truth = in_rows(PROBLEMS["synthetic"]().means)
    rows = []
    for row in range(ROWS):
        cells = {"index": str(row + 1), "x1 x2|u1 u2": cell_name(row)}
        for column, label in COLUMNS.items():
            cells[f"{label} published"] = f"{results.value(f'huang2024.table1.{row + 1}.{column}'):.3f}"
            cells[f"{label} replicated"] = f"{mean[column][row]:.3f} ({spread[column][row]:.3f})"
        cells["Truth published"] = f"{results.value(f'huang2024.table1.{row + 1}.truth'):.3f}"
        cells["Truth exact"] = f"{truth[row]:.3f}"
        rows.append(cells)
    return pd.DataFrame(rows)


def coverage(results: Results) -> pd.DataFrame:
    """How often each cell's estimated bounds contain the exact effect, beside the bounds of the exact distribution."""
    frame, exact = by_row(results.files["bounds"]), by_row(results.files["exact"]).set_index("row")
    truth = in_rows(PROBLEMS["synthetic"]().means)
    rows = []
    for row, cell in frame.groupby("row"):
        number = int(str(row))
        inside = (cell["lower"] <= truth[number]) & (truth[number] <= cell["upper"])
        rows.append(
            {
                "index": str(number + 1),
                "x1 x2|u1 u2": cell_name(number),
                "offline samples of the cell": f"{cell['count'].mean():.0f}",
                "exact effect": f"{truth[number]:.4f}",
                "exact bounds": f"[{exact['lower'][number]:.4f}, {exact['upper'][number]:.4f}]",
                "mean width of estimated bounds": f"{(cell['upper'] - cell['lower']).mean():.3f}",
                "coverage, %": f"{100 * inside.mean():.1f}",
                "strict bounds": f"[{cell['strict_lower'].min():.0f}, {cell['strict_upper'].max():.0f}]",
                "offline seeds": len(cell),
            }
        )
    return pd.DataFrame(rows)


def table2(results: Results) -> pd.DataFrame:
    """Table 2: the conditional probabilities of the model that is simulated."""
    model, rows = scm(), []
    for variable in model.variables:
        parents, table = model.cpt(variable)
        ones = np.asarray(table)[..., 1]
        entries = [
            f"{', '.join(f'{p}={x}' for p, x in zip(parents, states, strict=True))}: {ones[states]:.4g}"
            for states in np.ndindex(*ones.shape)
        ]
        given = f" | {', '.join(parents)}" if parents else ""
        rows.append({"variable": variable, "probability of 1": f"P({variable}=1{given})", "value": "; ".join(entries)})
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "table1": table1,
    "table2": table2,
    "coverage": coverage,
    "comparison": comparison,
}
