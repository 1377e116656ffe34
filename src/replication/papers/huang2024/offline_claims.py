"""Judge what huang2024 says of offline data: Table 1, the bounds, the worked example."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.bounds import BCE, Method
from causal_bandits.problems.huang2024 import CONTEXT, GRAPH, LEVELS, MANIPULABLE, PROBLEMS
from experiments import files
from experiments.results import Results
from replication.judging.claims import Claim
from replication.judging.judges import (
    Basis,
    Judgement,
    Outcome,
    fitted,
    judge_exact,
    judge_mean,
    judge_rate,
    judge_rounded,
    noted,
    reason,
)
from replication.judging.judges.arguments import Count, NotNegative, Positive
from replication.papers.huang2024.misprints import judge_column, misprints
from replication.papers.huang2024.samples import by_row, covered_rows, cp_per_sample, per_sample, published_column
from replication.papers.huang2024.table1 import ROW_COUNT, rows_of_pairs

#: Columns of the stage ``bounds`` that a column of Table 1 may be.
Estimate = Literal[
    "cp", "biased", "biased_conditional", "observed", "lower", "upper", "strict_lower", "strict_upper", "truth"
]  # fmt: skip

#: Rounding of the published table.
ROUNDING = 0.0005

#: What a paper shows on one sample fails if at most this share of samples show it.
ONE_SAMPLE = 0.025


def _effect() -> FloatArray:
    """Compute the exact E[Y | do(x), u] of Table 2, shape (16,)."""
    return rows_of_pairs(PROBLEMS["synthetic"]().means)


def _limits(results: Results) -> pd.DataFrame:
    """Read what endless offline data would give, by row of Table 1."""
    return by_row(results.file("bounds_contextual_exact")).set_index("row").sort_index()


def cell(
    claim: Claim, results: Results, *, index: Count, estimate: Estimate, precision: Positive, literal: bool = False
) -> Judgement:
    """Judge whether a cell of Table 1 can be from one offline sample, and its whole column too.

    A cell inside its own interval is no evidence if no sample shows such a column: the weaker of the two verdicts
    counts. A bound that does not vary over the samples is no estimate; it is compared with the printed digits. CP has
    samples of its own, many more (ledger L160).

    With ``literal`` the samples are those of `eq_11.literal_columns`, and the column is compared without its misprints.
    That reading was found with the table in view: it is told, and decides no verdict (ledger L90).
    """
    judged = _of_samples(claim, results, index, estimate, precision, literal)
    return fitted(judged, "found with the table in view") if literal else judged


def _of_samples(
    claim: Claim, results: Results, index: int, estimate: Estimate, precision: float, literal: bool
) -> Judgement:
    values = _samples(results, estimate, literal)
    ours = values[:, index - 1]
    if len(ours) > 1 and (ours == ours[0]).all():
        return judge_rounded(claim.value, float(ours[0]), implied_by="Algorithm 1")
    judged = judge_mean(claim.number, ours, 1, precision=precision, unit="sample")
    if len(ours) == 1:
        return judged
    published = published_column(results, claim.column)
    left_out = (misprints(published) or ()) if literal else ()
    return _with_column(judged, published, values, left_out)


def _samples(results: Results, estimate: Estimate, literal: bool) -> FloatArray:
    """Read a column of Table 1 on every sample, shape (samples, 16)."""
    if estimate == "cp" and not literal:
        return cp_per_sample(results.file("bounds_cp"))
    return per_sample(results.file("bounds_eq_11" if literal else "bounds_contextual"), estimate).to_numpy()


def _with_column(judged: Judgement, published: FloatArray, values: FloatArray, left_out: tuple[int, ...]) -> Judgement:
    """Take the weaker of a cell's verdict and its column's; the column is compared without ``left_out``."""
    kept = [row for row in range(ROW_COUNT) if row not in left_out]
    column = judge_column(published[kept], values[:, kept])
    without = f" without rows {', '.join(str(row + 1) for row in left_out)}" if left_out else ""
    found = replace(judged, reason=reason(f"the column{without}: {column.reason}", judged.reason))
    order = (Outcome.FAILS, Outcome.OPEN)
    if column.outcome not in order or (judged.outcome in order[: order.index(column.outcome) + 1]):
        return found
    return replace(found, outcome=column.outcome, because=column.because, needs=column.needs)


def truth(claim: Claim, results: Results, *, index: Count, precision: Positive, literal: bool = False) -> Judgement:
    """Judge a cell of the column Truth against the exact effect of Table 2, or the literal reading."""
    if literal:
        return cell(claim, results, index=index, estimate="truth", precision=precision, literal=True)
    return judge_rounded(claim.value, float(_effect()[index - 1]), implied_by="Table 2")


def contains(
    claim: Claim, results: Results, *, bounds: Literal["printed", "exact", "strict", "sample"] = "printed"
) -> Judgement:
    """Judge in how many rows of Table 1 the bounds contain the exact effect of Table 2.

    Parameters
    ----------
    bounds
        ``printed``: those of Table 1. ``exact``: those that endless offline data give, ``strict`` by Algorithm 1 to the
        letter (ledger L22); both are proven to contain the effect. ``sample``: those of one offline sample.
    """
    effect = _effect()
    if bounds == "printed":
        lower, upper = (published_column(results, column) for column in ("BCE lb", "BCE ub"))
        inside = int(((lower - ROUNDING <= effect) & (effect <= upper + ROUNDING)).sum())
        return judge_exact(claim.value, str(inside), implied_by="Table 2, for the printed bounds")
    if bounds != "sample":
        limits, prefix = _limits(results), "strict_" if bounds == "strict" else ""
        lower, upper = (limits[f"{prefix}{side}"].to_numpy() for side in ("lower", "upper"))
        inside = int(((lower <= effect + 1e-12) & (effect <= upper + 1e-12)).sum())
        return replace(judge_exact(claim.value, str(inside)), basis=Basis.IDENTITY)
    counts = covered_rows(by_row(results.file("bounds_contextual")), effect)
    judged = _shown_by_one((counts >= claim.number).to_numpy())
    return noted(judged, f"a sample's bounds contain {counts.mean():.1f} of {ROW_COUNT} on average")


def _shown_by_one(shows: NDArray[np.bool_]) -> Judgement:
    """Judge what the paper shows on one sample: it fails if at most 2.5 % of samples show it."""
    judged = judge_rate(shows, ONE_SAMPLE)
    why = f"{int(shows.sum())} of {len(shows)} samples show it, border {100 * ONE_SAMPLE:g} %: the paper has one sample"
    return replace(judged, reason=reason(why, str(judged.needs or "")))


def covers_at_levels(claim: Claim, results: Results) -> Judgement:
    """Judge how many rows' effects the exact bounds contain, at the level of bias with the fewest."""
    frame, effect = by_row(results.file("bounds_levels_exact")), _effect()
    at_levels = frame.groupby(list(LEVELS), dropna=False)
    inside = [int(covered_rows(level, effect, rounding=1e-12).min()) for _, level in at_levels]
    judged = judge_exact(claim.value, str(min(inside)))
    return noted(judged, f"{len(inside)} levels of confounding and selection")


def misses(
    claim: Claim, results: Results, *, estimate: Estimate, beyond: Literal["rounding", "noise"] = "rounding"
) -> Judgement:
    """Judge in how many rows an estimate on endless offline data misses the exact effect.

    A miss is more than ``beyond``: the rounding of the printed digits, or 1.96 standard deviations of the estimate over
    offline samples as large as the paper's, since less could not be told from noise on the one sample that it shows.
    """
    gap = np.abs(_limits(results)[estimate].to_numpy() - _effect())
    noise = per_sample(results.file("bounds_contextual"), estimate).to_numpy().std(axis=0, ddof=1)
    judged = judge_exact(claim.value, str(int((gap > (1.96 * noise if beyond == "noise" else ROUNDING)).sum())))
    return noted(judged, f"off by {gap.min():.3f} to {gap.max():.3f}; one sample scatters by {noise.max():.3f} at most")


def kept(claim: Claim, results: Results, *, margin: NotNegative) -> Judgement:
    """Judge how many of one sample's draws the selection keeps; ``margin`` reads "approximately" (L64)."""
    table = files.read(results.file("data_offline"), ["seed", "count"]).to_pandas()
    counts = table.groupby("seed")["count"].sum().to_numpy()
    return judge_mean(claim.number, counts, 1, margin=margin, unit="sample")


def ancestors(claim: Claim, results: Results) -> Judgement:
    """Judge which variables' c-factors make up P_x(y, c): An(Y) without X, and the context."""
    rest = GRAPH.subgraph(set(GRAPH) - set(MANIPULABLE))
    found = " ".join(f"{{{v}}}" for v in sorted(rest.ancestors("Y") | set(CONTEXT)))
    return judge_exact(claim.value, found, implied_by="the paper's own Fig. 2")


def substitutes(claim: Claim, results: Results, *, method: Method) -> Judgement:
    """Judge what FindRSI returns on the paper's example."""
    found = BCE(GRAPH, treatment=MANIPULABLE, context=CONTEXT, outcome="Y", selection="S", method=method).substitutes
    shown = " ".join("{" + ",".join(sorted(w)) + "}" for w in found)
    return judge_exact(claim.value, shown or "none", implied_by="the paper's own Fig. 2")
