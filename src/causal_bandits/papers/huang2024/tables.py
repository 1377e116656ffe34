"""Tables of huang2024."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from causal_bandits.evaluation.results import Results
from causal_bandits.papers.huang2024.functionals import (
    IDENTIFIED,
    ContextWeights,
    FloatArray,
    as_published,
    candidate_functionals,
    deviations_by_chance,
    fit_context_weights,
    nearest,
)
from causal_bandits.papers.huang2024.labels import (
    COLUMNS,
    ROWS,
    by_row,
    cell_name,
    covered_cells,
    in_rows,
    published_column,
)
from causal_bandits.papers.huang2024.problems import PROBLEMS, scm
from causal_bandits.papers.huang2024.theorem4 import theorem_4
from causal_bandits.papers.huang2024.theory import lin_ucb_bound, oam_bound, ucb_bound
from causal_bandits.tabulate import comparison, plus_minus

#: Rows of Table 1 whose lb breaks the pattern of all others (E05).
MISPRINTS = (5, 13, 16)


def table1(results: Results) -> pd.DataFrame:
    """Table 1: per cell, published and replicated (mean and standard deviation over offline samples; truth exact)."""
    groups = by_row(results.files["bounds"]).groupby("row")
    mean, spread = groups.mean(), groups.std()
    truth = in_rows(PROBLEMS["synthetic"]().means)
    published = {label: published_column(results, label).to_numpy() for label in (*COLUMNS.values(), "Truth")}
    rows = []
    for row in range(ROWS):
        cells = {"index": str(row + 1), "x1 x2|u1 u2": cell_name(row)}
        for column, label in COLUMNS.items():
            cells[f"{label} published"] = f"{published[label][row]:.3f}"
            cells[f"{label} replicated"] = f"{mean[column][row]:.3f} ({spread[column][row]:.3f})"
        cells["Truth published"] = f"{published['Truth'][row]:.3f}"
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
    counts = covered_cells(frame, pd.Series(truth))
    together = {"index": "all 16 at once", "coverage, %": f"{100 * (counts == ROWS).mean():.1f}"}
    together |= {"exact effect": f"{counts.mean():.1f} cells on average, least {counts.min()}"}
    blank = {name: "" for name in rows[0] if name not in together}
    return pd.DataFrame([*rows, {**blank, **together, "offline seeds": len(counts)}])


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


def truth(results: Results) -> pd.DataFrame:
    """The published Truth beside the exact effect of Table 2, and beside what it equals (E03)."""
    published = published_column(results, "Truth").to_numpy()
    effect = in_rows(PROBLEMS["synthetic"]().means)
    shown = candidate_functionals(scm())[IDENTIFIED["Truth"]]
    fit = fit_context_weights(published)
    fitted = np.repeat(fit.factor, 4) * _context_weights(fit)
    rows = [
        {
            "index": str(row + 1),
            "x1 x2|u1 u2": cell_name(row),
            "published": f"{published[row]:.3f}",
            "E[Y | do(x), u] of Table 2": f"{effect[row]:.4f}",
            "deviation": f"{published[row] - effect[row]:+.3f}",
            f"{IDENTIFIED['Truth']} of Table 2": f"{shown[row]:.4f}",
            "deviation from it": f"{published[row] - shown[row]:+.3f}",
            "K(x1, x2) P(u1) P(u2) / P(u1, u2), fitted": f"{fitted[row]:.4f}",
        }
        for row in range(ROWS)
    ]
    deviations = {"deviation": effect, "deviation from it": shown, "K(x1, x2) P(u1) P(u2) / P(u1, u2), fitted": fitted}
    largest = {name: f"{np.abs(published - values).max():.4f}" for name, values in deviations.items()}
    return pd.DataFrame([*rows, {"index": "largest", **dict.fromkeys(list(rows[0])[1:], ""), **largest}])


def functionals(results: Results) -> pd.DataFrame:
    """Which functional of Table 2 each published column shows, how near, and how often a sample is as far off."""
    model = scm()
    candidates = candidate_functionals(model)
    chance = deviations_by_chance(model, as_published, np.random.default_rng(0))
    effect = in_rows(PROBLEMS["synthetic"]().means)
    rows = []
    for column, printed in (("CP", "CP"), ("Biased", "Biased"), ("lb", "BCE lb"), ("ub", "BCE ub"), ("Truth", "Truth")):
        published = published_column(results, printed).to_numpy()
        kept = [row for row in range(ROWS) if column != "lb" or row + 1 not in MISPRINTS]
        miss = np.abs(published - candidates[IDENTIFIED[column]])[kept].max()
        further = np.abs(chance[column][:, kept]).max(axis=1) >= miss
        best = nearest(published, candidates, kept)[0]
        rows.append(
            {
                "column": column,
                "nearest plausible functional": IDENTIFIED[column],
                "cells used": len(kept),
                "largest deviation": f"{miss:.3f}",
                "samples of 30,000 that deviate as far, %": f"{100 * further.mean():.1f}",
                f"nearest of {len(candidates)} candidates": best.name,
                "its deviation": f"{best.largest:.3f}",
                "K(x1, x2) P(u1) P(u2) / P(u1, u2), fitted": f"{fit_context_weights(published, kept).largest:.4f}",
                "E[Y | do(x), u]": f"{np.abs(published - effect)[kept].max():.3f}",
            }
        )
    return pd.DataFrame(rows)


def _context_weights(fit: ContextWeights) -> FloatArray:
    """P(u1) P(u2) / P(u1, u2) of a fit, in the order of Table 1's rows."""
    independent = np.outer([1 - fit.p_u1, fit.p_u1], [1 - fit.p_u2, fit.p_u2])
    joint = independent + fit.covariance * np.array([[1, -1], [-1, 1]])
    return np.asarray(np.tile((independent / joint).ravel(), 4))


def theory(results: Results) -> pd.DataFrame:
    """The regret bounds of Theorems 5, 7 and 8 with the exact causal bounds, beside the regret measured."""
    contextual = PROBLEMS["synthetic"](bounds=results.files["exact"], draw=0)
    without_context = PROBLEMS["non_contextual"](bounds=results.files["non_contextual_exact"], draw=0)
    rows = []
    linear, oam, ucb = ("lin_ucb", "lin_ucb_pcb"), ("oam", "oam_pcb"), ("ucb", "ucb_pcb")
    shared: dict[str, Any] = {"shared": True}
    oam_as_printed = partial(oam_bound, contextual, bounded="all")
    for name, experiment, algorithms, settings, bound in (
        ("Theorem 5: LinUCB, one theta", "variants", linear, shared, partial(lin_ucb_bound, contextual)),
        ("Theorem 7: OAM", "oam", oam, {}, partial(oam_bound, contextual)),
        ("Theorem 7 as printed, constraints of all arms: OAM", "oam", oam, {}, oam_as_printed),
        ("Theorem 8: UCB", "non_contextual", ucb, {}, partial(ucb_bound, without_context)),
    ):
        horizon = results.horizon(experiment)
        means = (without_context if experiment == "non_contextual" else contextual).means
        for with_bounds, algorithm in zip((False, True), algorithms, strict=True):
            rows.append(
                {
                    "statement": name,
                    "prior causal bounds": "yes" if with_bounds else "no",
                    "bound on regret": f"{bound(horizon, with_bounds=with_bounds):.1f}",
                    "largest regret possible": f"{horizon * (means.max(axis=1) - means.min(axis=1)).max():.1f}",
                    "regret measured": plus_minus(results.final(experiment, algorithm=algorithm, **settings)),
                    "rounds": horizon,
                }
            )
    return pd.DataFrame(rows)


def ruled_out_pairs(results: Results) -> pd.DataFrame:
    """N_pcb: pairs of arm and context that the bounds rule out, and how often they rule out a best arm."""
    rows = []
    for name, problem, path in (
        ("U1, U2", "synthetic", results.files["bounds"]),
        ("U1, U2, exact bounds", "synthetic", results.files["exact"]),
        ("none", "non_contextual", results.files["non_contextual"]),
        ("none, exact bounds", "non_contextual", results.files["non_contextual_exact"]),
    ):
        means = PROBLEMS[problem]().means
        best = means.max(axis=1)
        frame = pq.read_table(path).to_pandas()
        frame = frame.assign(
            out=frame["upper"].to_numpy() < best[frame["context"]],
            optimal=means[frame["context"], frame["arm"]] >= best[frame["context"]] - 1e-12,
        )
        counts = frame.groupby("seed")["out"].sum()
        hit = (frame["out"] & frame["optimal"]).groupby(frame["seed"]).any()
        rows.append(
            {
                "context": name,
                "pairs": means.size,
                "ruled out, mean": f"{counts.mean():.2f}",
                "least": int(counts.min()),
                "most": int(counts.max()),
                "samples whose bound of a best arm is too low, %": f"{100 * hit.mean():.1f}",
                "offline samples": len(counts),
            }
        )
    return pd.DataFrame(rows)


def ruled_out_pulls(results: Results) -> pd.DataFrame:
    """Lemma 6: how often arms were pulled that the bounds rule out."""
    rows = []
    for experiment in results.experiments():
        for policy in results.policies(experiment):
            pulls = results.final(experiment, policy=policy, metric="ruled_out")
            rows.append(
                {
                    "experiment": experiment,
                    "policy": policy,
                    "pulls of ruled-out arms": plus_minus(pulls),
                    "seeds with any": int((pulls > 0).sum()),
                    "seeds": len(pulls),
                    "rounds": results.horizon(experiment),
                }
            )
    return pd.DataFrame(rows)


TABLES: dict[str, Callable[[Results], pd.DataFrame]] = {
    "table1": table1,
    "table2": table2,
    "coverage": coverage,
    "truth": truth,
    "functionals": functionals,
    "theory": theory,
    "theorem4": theorem_4,
    "ruled_out_pairs": ruled_out_pairs,
    "ruled_out_pulls": ruled_out_pulls,
    "comparison": comparison,
}
