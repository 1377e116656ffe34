"""Estimates of identified effects with intervals, by the delta method and by the bootstrap.

Both evaluate the identification formula on relative frequencies (`plug_in`). The delta method's standard error is
``sqrt(sum over cells of n g^2)``, where n is the cell's count and g the formula's derivative with respect to it,
because the counts are multinomial and the formula does not change if all counts are doubled. The bootstrap draws tables
with the same number of records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from causal_bandits import checks
from causal_bandits.arrays import FloatArray
from causal_bandits.datasets.frames import text_of
from causal_bandits.estimation.count_tables import Evaluated, einsum, plug_in
from causal_bandits.identification.expression import Expression, Value

IntervalMethod: TypeAlias = Literal["delta", "bootstrap"]

#: The maximum number of entries that bootstrap tables or derivatives hold at a time.
MOST_NUMBERS = 1 << 22


@dataclass(frozen=True, eq=False)
class Difference:
    """The effect of one arm minus that of another.

    Attributes
    ----------
    estimate, lower, upper : float64 arrays, shape (contexts,)
        In [-1, 1].
    arms : tuple of str
        The two arms, in words.
    contexts : tuple of mapping from str to str
    """

    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    arms: tuple[str, str]
    contexts: tuple[Mapping[str, str], ...]

    def __repr__(self) -> str:
        return "\n".join(
            f"{' minus '.join(self.arms)}{' given ' * bool(context)}{_in_words(context)}: "
            f"{self.estimate[c]:z.3f} ({self.lower[c]:z.3f}, {self.upper[c]:z.3f})"
            for c, context in enumerate(self.contexts)
        )


def _in_words(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{v} = {label}" for v, label in labels.items())


@dataclass(frozen=True, eq=False)
class EffectEstimates:
    """Estimates of P(success | do(arm), context), and what they rest on.

    Attributes
    ----------
    estimate : float64 array, shape (contexts, arms)
        The formula on relative frequencies; NaN where a cell that it needs has no records.
    lower, upper : float64 arrays, shape (contexts, arms)
        A separate interval for each effect. NaN where the estimate is NaN, is 0 or 1, or does not vary.
    contexts, arms : tuple of mapping from str to str
        The labels of each context's and each arm's states.
    success : str
        The state of the outcome whose probability is estimated, for example ``well = 1``.
    formula : str
    method : {"delta", "bootstrap"}
    confidence : float
        The probability with which each interval holds, if there are many records.
    assumptions, notes : tuple of str
        Sentences; the intervals hold if all assumptions do.
    covariance : float64 array, shape (contexts, arms, arms)
        Of the estimates within a context, by the delta method.
    replicates : float64 array, shape (replicates, contexts, arms), or None
        The bootstrap's estimates.
    """

    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    contexts: tuple[Mapping[str, str], ...]
    arms: tuple[Mapping[str, str], ...]
    success: str
    formula: str
    method: IntervalMethod
    confidence: float
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    covariance: FloatArray
    replicates: FloatArray | None

    def difference(self, arm: int | Mapping[str, object], other: int | Mapping[str, object]) -> Difference:
        """Estimate P(success | do(arm), context) - P(success | do(other), context), with an interval.

        Parameters
        ----------
        arm, other : int or mapping from str to object
            The index of an arm, or the values of its variables, as in the data frame or as labels.

        Raises
        ------
        ValueError
            If there is no such arm.
        """
        a, b = self._number(arm), self._number(other)
        estimate = self.estimate[:, a] - self.estimate[:, b]
        if self.replicates is not None:
            lower, upper = _percentiles(self.replicates[..., a] - self.replicates[..., b], self.confidence)
        else:
            c = self.covariance
            radius = _quantile(self.confidence) * np.sqrt(np.maximum(c[:, a, a] + c[:, b, b] - 2 * c[:, a, b], 0))
            lower, upper = estimate - radius, estimate + radius
        blank = np.isnan(self.lower[:, a]) | np.isnan(self.lower[:, b])
        lower, upper = (np.where(blank, np.nan, np.clip(limit, -1, 1)) for limit in (lower, upper))
        arms = _in_words(self.arms[a]), _in_words(self.arms[b])
        return Difference(estimate, lower, upper, arms, self.contexts)

    def _number(self, arm: int | Mapping[str, object]) -> int:
        if isinstance(arm, Mapping):
            labels = {v: text_of(label) for v, label in arm.items()}
            if labels in self.arms:
                return self.arms.index(labels)
        elif not isinstance(arm, bool) and arm in range(len(self.arms)):
            return int(arm)
        raise ValueError(f"arm {arm!r}: expected an index below {len(self.arms)}, or one of {list(self.arms)}")

    def rows(self) -> list[dict[str, Any]]:
        """List one row per context and arm, for instance for ``pandas.DataFrame``."""
        return [
            {
                **context,
                **arm,
                "estimate": float(self.estimate[c, a]),
                "lower": float(self.lower[c, a]),
                "upper": float(self.upper[c, a]),
            }
            for c, context in enumerate(self.contexts)
            for a, arm in enumerate(self.arms)
        ]

    def __str__(self) -> str:
        parts = [
            f"P({self.success} | do(...)), {self.confidence:.0%} intervals by the {_NAMES[self.method]}",
            f"formula: {self.formula}",
        ]
        for c, context in enumerate(self.contexts):
            for a, arm in enumerate(self.arms):
                where = _in_words({**arm, **context})
                limits = f"({self.lower[c, a]:z.3f}, {self.upper[c, a]:z.3f})"
                parts.append(f"{where}: {self.estimate[c, a]:z.3f} {limits}")
        parts += ["This holds if:", *(f"- {sentence}" for sentence in self.assumptions)]
        parts += ["Notes:", *(f"- {sentence}" for sentence in self.notes)] if self.notes else []
        return "\n".join(parts)


_NAMES: Mapping[IntervalMethod, str] = {"delta": "delta method", "bootstrap": "bootstrap"}


class Query(NamedTuple):
    """The effect to estimate: which arms, which outcome, in which contexts.

    Attributes
    ----------
    formula : Expression
        Of P(outcome | do(arm), context).
    outcome : str
    success : int
        The state of the outcome.
    contexts, arms : sequence of mapping from str to int
    labels : mapping from str to sequence of str
        The labels of each variable's states.
    """

    formula: Expression
    outcome: str
    success: int
    contexts: Sequence[Mapping[str, int]]
    arms: Sequence[Mapping[str, int]]
    labels: Mapping[str, Sequence[str]]


class Found(NamedTuple):
    """The results of `estimates`; attributes as in `EffectEstimates`."""

    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    covariance: FloatArray
    replicates: FloatArray | None
    notes: list[str]


def estimates(
    query: Query,
    counts: NDArray[Any],
    variables: Sequence[str],
    confidence: float,
    method: IntervalMethod,
    replicates: int,
    seed: int,
) -> Found:
    """Estimate effects from a table of counts; see `causal_bandits.logs.Logs.effect`.

    Raises
    ------
    ValueError
        If the confidence is not in (0, 1), the method is unknown, or there are fewer than 100 replicates.
    """
    checks.check("confidence", confidence, checks.CONFIDENCE)
    if method not in get_args(IntervalMethod):
        raise ValueError(f"method: {method!r}, expected one of {', '.join(get_args(IntervalMethod))}")
    if method == "bootstrap" and replicates < 100:
        raise ValueError(f"replicates={replicates}: expected at least 100")
    variables, counts = _needed(query, counts, variables)
    evaluated = plug_in(query.formula, counts[None], variables)
    notes: list[str] = []
    index = _chosen(query, evaluated, counts, variables, notes)
    shape = len(query.contexts), len(query.arms)
    estimate = evaluated.array[(0, *index)].reshape(shape)
    covariance = _covariance(evaluated, index, counts, shape)
    variance = np.einsum("caa->ca", covariance)
    if method == "delta":
        draws = None
        lower, upper = _on_logit_scale(estimate, np.sqrt(variance), confidence)
    else:
        draws = _replicates(query.formula, counts, variables, index, replicates, seed).reshape(replicates, *shape)
        lower, upper = _percentiles(draws, confidence)
        lost = np.isnan(draws[:, ~np.isnan(estimate)]).any(axis=1).mean()
        if lost > 0:
            notes.append(f"{lost:.1%} of the bootstrap tables lack a cell that the formula needs; they are left out.")
    empty = np.isnan(estimate)
    fixed = ~empty & ((estimate <= 0) | (estimate >= 1) | (variance <= 0))
    if empty.any():
        notes.append(f"No estimate for {empty.sum()} of {empty.size}: {_empty_cells(query, counts, variables, empty)}.")
    if fixed.any():
        notes.append(
            f"No interval for {fixed.sum()} of {fixed.size}: all records in a cell agree, so they do not show how "
            "much the estimate varies. bounds(confidence=...) gives exact limits."
        )
    notes += _agreeing(query, counts, variables)
    lower, upper = (np.where(empty | fixed, np.nan, limit) for limit in (lower, upper))
    return Found(estimate, lower, upper, covariance, draws, notes)


def points(query: Query, counts: NDArray[Any], variables: Sequence[str]) -> FloatArray:
    """Evaluate the formula at relative frequencies, shape (contexts, arms); NaN where a cell has no records."""
    variables, counts = _needed(query, counts, variables)
    evaluated = plug_in(query.formula, counts[None], variables)
    index = _chosen(query, evaluated, counts, variables, [])
    values: FloatArray = evaluated.array[(0, *index)].reshape(len(query.contexts), len(query.arms))
    return values


def _needed(query: Query, counts: NDArray[Any], variables: Sequence[str]) -> tuple[list[str], FloatArray]:
    """Sum over the variables that appear in neither the formula nor the query."""
    used = {v.variable for t in query.formula.terms for v in t.free}
    used |= {query.outcome, *query.contexts[0], *query.arms[0]}
    kept = [i for i, v in enumerate(variables) if v in used]
    return [variables[i] for i in kept], einsum([(counts.astype(np.float64), list(range(counts.ndim)))], kept)


def _chosen(
    query: Query, evaluated: Evaluated, counts: FloatArray, variables: Sequence[str], notes: list[str]
) -> tuple[Any, ...]:
    """Index the formula's values by context and arm: a tuple of arrays, one per axis.

    An arbitrary value is set to the one with the most records among those that give an estimate. Only the arm's own
    records count, unless the value is of a variable that the arm sets.
    """
    known = {query.outcome, *query.contexts[0], *query.arms[0]}
    extra = [v for v in evaluated.values if v.primes or v.variable not in known]
    rows = []
    states = dict(zip(variables, counts.shape, strict=True))
    for context, arm in product(query.contexts, query.arms):
        fixed = {query.outcome: query.success, **context, **arm}
        best: tuple[bool, float] | None = None
        chosen: list[int] = []
        for free in product(*(range(states[v.variable]) for v in extra)):
            at = {Value(v): state for v, state in fixed.items()} | dict(zip(extra, free, strict=True))
            row = [at[v] for v in evaluated.values]
            cell = {**arm, **{v.variable: state for v, state in zip(extra, free, strict=True)}}
            records = counts[tuple(cell.get(v, slice(None)) for v in variables)].sum()
            rank = (not np.isnan(evaluated.array[(0, *row)]), float(records))
            if best is None or rank > best:
                best, chosen = rank, row
        rows.append(chosen)
    if extra:
        names = ", ".join(v.text() for v in extra)
        notes.append(f"The formula holds for any {names}; the value with the most records was used.")
    return tuple(np.array(rows, dtype=np.int64).reshape(len(rows), -1).T)


def _covariance(evaluated: Evaluated, index: tuple[Any, ...], counts: FloatArray, shape: tuple[int, int]) -> FloatArray:
    """Compute the covariances of each context's values by the delta method, shape (contexts, arms, arms)."""
    contexts, arms = shape
    occupied = counts > 0
    step = max(1, MOST_NUMBERS // counts.size)
    found = np.empty((contexts, arms, arms))
    for c in range(contexts):
        gradient = np.empty((arms, int(occupied.sum())))
        for first in range(0, arms, step):
            last = min(first + step, arms)
            weight = np.zeros((last - first, *evaluated.array.shape[1:]))
            here = slice(c * arms + first, c * arms + last)
            weight[(np.arange(last - first), *(axis[here] for axis in index))] = 1.0
            into = np.zeros((last - first, *counts.shape))
            evaluated.pull(weight, into)
            gradient[first:last] = into[:, occupied]
        found[c] = (gradient * counts[occupied]) @ gradient.T
    return found


def _replicates(
    formula: Expression,
    counts: FloatArray,
    variables: Sequence[str],
    index: tuple[Any, ...],
    replicates: int,
    seed: int,
) -> FloatArray:
    """Compute the formula's values at ``index`` for bootstrap tables."""
    rng, occupied = np.random.default_rng(seed), np.flatnonzero(counts)
    records = int(counts.sum())
    found = []
    step = max(1, MOST_NUMBERS // counts.size)
    for first in range(0, replicates, step):
        size = min(step, replicates - first)
        tables = np.zeros((size, counts.size))
        if records:
            tables[:, occupied] = rng.multinomial(records, counts.ravel()[occupied] / records, size=size)
        evaluated = plug_in(formula, tables.reshape(size, *counts.shape), variables)
        found.append(evaluated.array[(slice(None), *index)])
    return np.concatenate(found)


def _quantile(confidence: float) -> float:
    return float(ndtri((1 + confidence) / 2))


def _on_logit_scale(estimate: FloatArray, error: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Transform normal limits of log(p / (1 - p)) to limits of p, which lie in (0, 1) and suit small p."""
    inside = np.clip(estimate, 1e-300, 1 - 1e-16)
    radius = _quantile(confidence) * error / (inside * (1 - inside))
    return np.asarray(expit(logit(inside) - radius)), np.asarray(expit(logit(inside) + radius))


def _percentiles(draws: FloatArray, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Compute the percentile limits of the replicates along the first axis, ignoring NaN."""
    blank = np.isnan(draws).all(axis=0)
    filled = np.where(blank, 0.0, draws)
    lower, upper = np.nanquantile(filled, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    return np.where(blank, np.nan, lower), np.where(blank, np.nan, upper)


def _agreeing(query: Query, counts: FloatArray, variables: Sequence[str]) -> list[str]:
    """Note the cells of the formula in which all records agree: their variance is estimated as zero."""
    found: list[tuple[float, str]] = []
    for term in query.formula.terms:
        given = [i for i, v in enumerate(variables) if any(v == g.variable for g in term.given)]
        left = [i for i, v in enumerate(variables) if any(v == w.variable for w in term.free - term.given)]
        if not given or not left:
            continue
        table = einsum([(counts, list(range(counts.ndim)))], [*given, *left])
        table = table.reshape(*table.shape[: len(given)], -1)
        total = table.sum(axis=-1)
        for cell in np.argwhere((total > 0) & (table.max(axis=-1) == total)):
            where = ", ".join(
                f"{variables[i]} = {query.labels[variables[i]][state]}" for i, state in zip(given, cell, strict=True)
            )
            found.append((float(total[tuple(cell)]), f"{term} where {where}"))
    if not found:
        return []
    records, first = min(found)
    return [
        f"In {len(found)} cells of the formula all records agree, for instance {first} ({records:.0f} records). The "
        "intervals treat them as certain, and are too narrow if such cells hold few records; bounds(confidence=...) "
        "has exact limits."
    ]


def _empty_cells(query: Query, counts: FloatArray, variables: Sequence[str], empty: Any) -> str:
    """Describe in words the first conditions of the formula that no record meets."""
    c, a = np.argwhere(empty)[0]
    fixed = {query.outcome: query.success, **query.contexts[c], **query.arms[a]}
    states = dict(zip(variables, counts.shape, strict=True))
    values = {v.label: fixed.get(v.variable, 0) if not v.primes else 0 for v in query.formula.free}
    found: list[str] = []
    for cells in query.formula.cells(states, values, "conditions").values():
        for _, cell in cells:
            known = {v: state for v, state in cell.items() if v in states}
            if known and not counts[tuple(known.get(v, slice(None)) for v in variables)].any():
                found.append(", ".join(f"{v} = {query.labels[v][state]}" for v, state in sorted(known.items())))
    listed = list(dict.fromkeys(found))
    more = f", and {len(listed) - 3} more" if len(listed) > 3 else ""
    return "no record has " + "; ".join(listed[:3]) + more if listed else "a denominator of the formula is zero"
