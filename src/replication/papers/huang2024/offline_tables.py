"""Build the tables about offline data: Table 1, what its columns show, and how often bounds hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.models.discrete_scm import DiscreteSCM
from causal_bandits.problems.huang2024 import PROBLEMS, scm
from experiments.results import Results
from replication.papers.huang2024.estimates import by_row, covered_rows, per_sample, published_column
from replication.papers.huang2024.misprints import (
    DIGITS,
    SAMPLES_PER_NUMBER,
    fit_context_weights,
    joint_test,
    misprints,
)
from replication.papers.huang2024.table1 import (
    COLUMNS,
    ESTIMATED,
    ROW_COUNT,
    ROW_VARIABLES,
    VARIABLES,
    outcome_given,
    row_name,
    rows_of_axes,
    rows_of_pairs,
)

#: Sets of columns that are tested together: can they come from one sample?
TOGETHER: dict[str, Sequence[str]] = {
    **{label: (name,) for name, label in COLUMNS.items()},
    "Biased and the bounds": ("biased", "lower", "upper"),
    "all but CP": ("biased", "lower", "upper", "truth"),
    "CP and Biased": ("cp", "biased"),
    "all": tuple(COLUMNS),
}


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
    """Compare the published Truth with the exact effect of Table 2, and with the functional that it equals (E03)."""
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
    """Tabulate which functional of Table 2's model each published column shows.

    The table also lists the column's deviation from it, and the misprints.
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
    """Test whether printed columns can come from one sample under the literal reading of Eq. 11 (E02).

    Columns are tested individually and jointly.
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
    """Compare each printed cell with the central 95 % of its values in simulated samples, by the literal Eq. 11."""
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
    """List the rows of Table 1 that are not misprints."""
    return [row for row in range(ROW_COUNT) if row not in (broken or ())]


def _averages(columns: Mapping[str, FloatArray], kept: Mapping[str, Sequence[int]]) -> dict[str, FloatArray]:
    """Compute the excess of Biased over two averages from the same sample, each of shape (n, 4).

    Up to noise, Biased equals both. For each (x1, x2), with the exact weights of selected units, they are CP averaged
    over u given x, and the bounds (extremes over i1) averaged over i1 given x. ``columns`` have shape (n, 16). Rows
    that are left out in testing a bound's column are left out of the second average.
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


# Functionals of Table 2 that a column of Table 1 may show, computed exactly or from a sample.
#
# The published columns are compared with every functional of a systematic family: conditional probabilities,
# adjustments, their extremes over i1, with and without selection, and interventional probabilities. Evidence for
# E02 to E05.

#: The candidate that each column of Table 1 shows, up to `bounds.context_weights` and sampling noise (ledger E02).
IDENTIFIED = {
    "cp": "P(y | x1, x2, u1, u2, S=1)",
    "biased": "P(y | x1, x2, S=1)",
    "lower": "min_i1 P(y | x1, x2, i1, S=1)",
    "upper": "max_i1 P(y | x1, x2, i1, S=1)",
    "truth": "P(y | x1, x2)",
}


class Match(NamedTuple):
    """How close a functional comes to a published column.

    Attributes
    ----------
    name : str
    largest : float
        Largest absolute deviation over the rows.
    """

    name: str
    largest: float


def candidate_functionals(scm: DiscreteSCM) -> dict[str, FloatArray]:
    """Compute every candidate functional exactly.

    Parameters
    ----------
    scm : DiscreteSCM
        Table 2's model: binary U1, U2, X1, X2, I1, Y, S.

    Returns
    -------
    dict from str to array of shape (16,)
        The probability of Y=1 in the order of Table 1: x1 slowest, then x2, u1, u2. The keys are formulas.
    """
    return observed_functionals(scm.distribution(VARIABLES)) | interventional_functionals(scm)


def interventional_functionals(scm: DiscreteSCM) -> dict[str, FloatArray]:
    """Compute P(Y=1 | do(some of x), some of the rest, S=1 or not); see `candidate_functionals`."""
    found: dict[str, FloatArray] = {}
    for do in _subsets(("X1", "X2"), smallest=1):
        rest = [v for v in ROW_VARIABLES if v not in do]
        full = np.empty((2,) * (len(ROW_VARIABLES) + 2))
        for states in product((0, 1), repeat=len(do)):
            index = tuple(dict(zip(do, states, strict=True)).get(v, slice(None)) for v in ROW_VARIABLES)
            full[index] = scm.distribution([*rest, "Y", "S"], do=dict(zip(do, states, strict=True)))
        for given, selected in product(_subsets(rest), (False, True)):
            # Summed over the rows' variables that are neither forced nor given.
            joint = full[..., 1] if selected else full.sum(axis=-1)
            joint = joint.sum(
                axis=tuple(i for i, v in enumerate(ROW_VARIABLES) if v not in (*do, *given)), keepdims=True
            )
            name = _probability(given, selected, do)
            found[name] = rows_of_axes(joint[..., 1] / joint.sum(axis=-1))
    return found


def observed_functionals(table: ArrayLike) -> dict[str, FloatArray]:
    """Compute conditional probabilities and adjustments from a table of units; see `candidate_functionals`.

    Parameters
    ----------
    table : array, shape (2,) * 7
        Probabilities or counts, axes `VARIABLES`, including unselected units.

    Returns
    -------
    dict from str to array of shape (16,)
        NaN if no unit meets a condition.
    """
    units = np.asarray(table, dtype=np.float64)
    if units.shape != (2,) * len(VARIABLES):
        raise ValueError(f"table: shape {units.shape}, expected one axis of two states for each of {VARIABLES}")
    found: dict[str, FloatArray] = {}
    for selected in (False, True):
        data = units[..., 1] if selected else units.sum(axis=-1)  # axes: ROW_VARIABLES, I1, Y
        for given in _subsets(ROW_VARIABLES):
            by_i1 = outcome_given(data, (*given, "I1"))
            found[_probability(given, selected)] = rows_of_axes(outcome_given(data, given)[..., 0])
            for name, extreme in (("min", np.min), ("max", np.max)):
                found[f"{name}_i1 {_probability((*given, 'I1'), selected)}"] = rows_of_axes(extreme(by_i1, axis=-1))
            for over in _subsets((*(v for v in ROW_VARIABLES if v not in given), "I1"), smallest=1):
                for weighted_by in _subsets(given):
                    for weights_selected in {selected, False}:
                        weights = units[..., 1] if weights_selected else units.sum(axis=-1)
                        terms = outcome_given(data, (*given, *over)) * _weights(weights, over, weighted_by)
                        axes = tuple(i for i, v in enumerate((*ROW_VARIABLES, "I1")) if v in over)
                        total = terms.sum(axis=axes, keepdims=True)
                        name = (
                            f"sum_{','.join(v.lower() for v in over)} {_probability((*given, *over), selected)} "
                            f"{_probability(weighted_by, weights_selected, of=over)}"
                        )
                        found[name] = rows_of_axes(total[..., 0])
    return found


def nearest(
    published: ArrayLike, candidates: Mapping[str, FloatArray], rows: Sequence[int] | None = None
) -> list[Match]:
    """Sort the candidates by their largest deviation from a published column, nearest first.

    Parameters
    ----------
    published : array, shape (16,)
    candidates : mapping from str to array of shape (16,)
    rows : sequence of int, optional
        The rows to compare, from 0; default all.
    """
    column = np.asarray(published, dtype=np.float64)
    kept = list(range(len(column))) if rows is None else list(rows)
    matches = []
    for name, values in candidates.items():
        matches.append(Match(name, float(np.abs(values - column)[kept].max())))
    return sorted(matches, key=lambda match: (round(match.largest, 9), len(match.name), match.name))


def _weights(data: FloatArray, over: Iterable[str], given: Iterable[str]) -> FloatArray:
    """Compute P(over | given), axes as in `table1.outcome_given`."""
    joint = data.sum(axis=-1)
    joint = joint.sum(
        axis=tuple(i for i, v in enumerate((*ROW_VARIABLES, "I1")) if v not in (*over, *given)), keepdims=True
    )
    with np.errstate(invalid="ignore"):
        return np.asarray(
            joint / joint.sum(axis=tuple(i for i, v in enumerate((*ROW_VARIABLES, "I1")) if v in over), keepdims=True)
        )


def _probability(given: Iterable[str], selected: bool, do: Iterable[str] = (), of: Iterable[str] = ("Y",)) -> str:
    """Name a probability, as in ``P(y | do(x1), u1, S=1)``."""
    forced = ", ".join(v.lower() for v in do)
    conditions = [f"do({forced})"] * bool(forced) + [v.lower() for v in given] + ["S=1"] * selected
    return f"P({', '.join(v.lower() for v in of)}{' | ' if conditions else ''}{', '.join(conditions)})"


def _subsets(items: Iterable[str], smallest: int = 0) -> Iterator[tuple[str, ...]]:
    ordered = tuple(items)
    return chain.from_iterable(combinations(ordered, k) for k in range(smallest, len(ordered) + 1))
