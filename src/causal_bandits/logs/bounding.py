"""Bounds on effects from records: which method applies, and under which assumptions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, get_args

import numpy as np

from causal_bandits import checks
from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.confident_bounds import confident_bounds
from causal_bandits.estimation.linear_programs import Gap, LinearProgramBounds, NotLinear
from causal_bandits.estimation.natural import natural_bounds
from causal_bandits.graphs.admg import listing
from causal_bandits.identification.expression import case_of
from causal_bandits.logs.answers import EffectBounds, Method, in_words
from causal_bandits.logs.records import Records


class _Found(NamedTuple):
    """The bounds that a method found, and the misfit of `EffectBounds`."""

    method: Method
    lower: FloatArray
    upper: FloatArray
    misfit: float = 0.0


def bounds(records: Records, method: Method | None, confidence: float | None) -> EffectBounds:
    """Bound the effects of every arm in every context; see `causal_bandits.logs.Logs.bounds`."""
    if method is not None and method not in get_args(Method):
        raise ValueError(f"method: {method!r}, expected one of {', '.join(get_args(Method))}")
    checks.check("confidence", confidence, (None, checks.CONFIDENCE))
    notes: list[str] = []
    found, lower, upper, misfit = _computed(records, method, confidence, notes)
    empty = records.units.sum(axis=-1) == 0 if found != "formula" else np.zeros(len(records.contexts), dtype=bool)
    if empty.any():
        first = in_words(records.labelled(records.contexts[int(empty.argmax())]))
        notes.append(f"{empty.sum()} of {len(empty)} contexts have no records, for instance {first}.")
    shape = (len(records.contexts), len(records.arms))
    return EffectBounds(
        lower.reshape(shape),
        upper.reshape(shape),
        tuple(map(records.labelled, records.contexts)),
        tuple(map(records.labelled, records.arms)),
        f"{records.outcome} = {records.counts.states[records.outcome][records.success_state]}",
        found,
        confidence,
        tuple(assumptions(records, found, confidence)),
        tuple(notes),
        misfit,
    )


def _computed(records: Records, method: Method | None, confidence: float | None, notes: list[str]) -> _Found:
    if method is None:
        return _chosen(records, confidence, notes)
    if method == "bce":
        return _Found(method, *_bce(records, confidence))
    if method == "natural":
        if not records.natural_is_valid:
            raise ValueError(
                f"natural bounds: {records.selection} depends on {records.outcome} or the treatment within a context, "
                "so the logs do not show how often their states occur; expected no such selection"
            )
        return _Found(method, *_natural(records, confidence))
    if records.selection is not None:
        raise ValueError(f"{method}: not for selected records (selection node {records.selection}); use 'bce'")
    problem = LinearProgramBounds(
        records.graph, treatment=records.treatment, context=records.context, outcome=records.outcome
    )
    if method == "formula" and not problem.identified:
        records.formula  # noqa: B018 (raises NotIdentifiable)
    return _programs(records, problem, confidence, notes)


def _chosen(records: Records, confidence: float | None, notes: list[str]) -> _Found:
    """Use the first method that applies; note why earlier ones do not."""
    if records.selection is not None:
        lower, upper = _bce_within_natural(records, confidence, notes)
        if (lower <= 0).all() and (upper >= 1).all():
            notes.append("The logs say nothing about these effects: confounding and selection hide them.")
        return _Found("bce", lower, upper)
    try:
        problem = LinearProgramBounds(
            records.graph, treatment=records.treatment, context=records.context, outcome=records.outcome
        )
        if confidence is not None and problem.identified:
            notes.append("The effect is identified, but its formula has no exact confidence limits.")
            notes.append("Logs.effect gives approximate ones, for many records.")
            if substitutes := records.bce.substitutes:
                given = "; ".join(listing([*records.treatment, *records.context, *w]) for w in substitutes)
                notes.append(f"Used instead: exact limits on the share of successes given {given}.")
                return _Found("bce", *_bce_within_natural(records, confidence, notes))
        else:
            return _programs(records, problem, confidence, notes)
    except NotLinear as failure:
        notes.append(f"Linear programs do not apply: {failure}.")
    except ValueError as failure:
        if confidence is None or not str(failure).startswith("confidence:"):
            raise
        notes.append(f"Linear programs have no confidence limits here. {str(failure).removeprefix('confidence: ')}.")
    return _Found("natural", *_natural(records, confidence))


def _programs(records: Records, problem: LinearProgramBounds, confidence: float | None, notes: list[str]) -> _Found:
    solution = problem.solve(records.counts.counts, records.counts.variables, confidence)
    lower, upper = solution.lower[..., records.success_state], solution.upper[..., records.success_state]
    gaps, misfit = solution.gaps, solution.misfit
    if problem.identified:
        values = records.points(records.formula).reshape(lower.shape)
        lower, upper = (np.where(np.isnan(values), end, values) for end in (lower, upper))
        gaps = gaps if np.isnan(values).any() else ()
        given = ", ".join([f"do({', '.join(records.treatment)})", *records.context])
        effect = case_of(records.graph.nodes)(f"{records.outcome} | {given}")
        notes.append(f"P({effect}) = {records.formula.to_text(records.graph.nodes)}")
    elif misfit > 0:
        notes.append(
            "The frequencies contradict the graph: no model of it produces them. Those of the nearest model were "
            f"used, at a distance of {misfit:.3g} (sum of absolute differences), and the bounds are those of that "
            "model. Chance alone may explain a small distance; with confidence=0.95, one that chance cannot explain "
            "is an error."
        )
    elif not solution.gaps and problem.sharp:
        notes.append("The bounds are sharp: without further assumptions there are no narrower ones.")
    elif not problem.sharp:
        notes.append(
            "The bounds are valid, but might be narrower if they used that each hidden cause affects only two "
            "variables."
        )
    notes += (_gap_in_words(records, gap) for gap in gaps)
    return _Found("formula" if problem.identified else "linear program", lower, upper, misfit)


def _gap_in_words(records: Records, gap: Gap) -> str:
    shown = [in_words(records.labelled(dict(zip(gap.variables, map(int, row), strict=True)))) for row in gap.states[:3]]
    where = "; ".join(shown) + (f"; and {len(gap.states) - 3} more" if len(gap.states) > 3 else "")
    return (
        f"{gap.formula} is unknown where no record has {where}. Anything may happen there, so that part of the effect "
        "counts in the upper bound only."
    )


def _bce_within_natural(records: Records, confidence: float | None, notes: list[str]) -> tuple[FloatArray, FloatArray]:
    """Intersect BCE's bounds with natural bounds, if these are valid; each then has half of the error probability."""
    if not records.natural_is_valid:
        return _bce(records, confidence)
    if confidence is not None and not records.bce.substitutes:
        notes.append("Natural bounds were used: BCE has no confidence limits here.")
        return _natural(records, confidence)
    each = None if confidence is None else (1 + confidence) / 2
    (lower, upper), (low, high) = _bce(records, each), _natural(records, each)
    shared = "" if confidence is None else "; each has half of the error probability"
    notes.append(f"BCE's bounds were intersected with natural bounds, which selection does not distort{shared}.")
    lower, upper = np.maximum(lower, low), np.minimum(upper, high)
    return np.minimum(lower, upper), np.maximum(lower, upper)


def _natural(records: Records, confidence: float | None) -> tuple[FloatArray, FloatArray]:
    lower, upper = natural_bounds(
        records.counts.counts,
        records.counts.variables,
        treatment=records.treatment,
        context=records.context,
        outcome=records.outcome,
        confidence=confidence,
    )
    return lower[..., records.success_state], upper[..., records.success_state]


def _bce(records: Records, confidence: float | None) -> tuple[FloatArray, FloatArray]:
    table, variables = records.with_binary_outcome(), records.counts.variables
    bce = records.bce
    return bce.bounds(table, variables) if confidence is None else confident_bounds(bce, table, variables, confidence)


def assumptions(records: Records, method: Method, confidence: float | None) -> Iterable[str]:
    """List the assumptions behind a method's answers, in sentences."""
    pairs = [f"{a} and {b}" for a, b in sorted(records.graph.bidirected)]
    hidden = f"the only pairs with a hidden common cause are {'; '.join(pairs)}" if pairs else "nothing is confounded"
    if method != "natural":
        yield f"The graph is right: no arrow is missing from it, and {hidden}."
    elif records.context:
        yield f"{', '.join(records.context)}: not affected by {', '.join(records.treatment)}."
    yield f"Setting {', '.join(records.treatment)} to a value has the effect that this value has in the records."
    if records.selection is None:
        yield "Whether a record is in the logs depends on none of the variables."
    elif method == "natural":
        yield f"Within a context, whether a record is in the logs ({records.selection}) depends on no other variable."
    else:
        causes = listing(records.graph.parents(records.selection)) or "none of the variables"
        yield f"Whether a record is in the logs ({records.selection}) depends directly on {causes}."
    yield "The records are independent draws from the population that the arms will be played in."
    if confidence is None:
        yield "There are so many records that frequencies equal probabilities (if not, give confidence=0.95)."
