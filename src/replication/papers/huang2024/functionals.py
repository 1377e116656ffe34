"""Compute the quantities of Table 2 that a column of Table 1 may show, exactly or from a sample.

The published columns are compared with every functional of a systematic family: conditional probabilities,
adjustments, their extremes over i1, with and without selection, and interventional probabilities. Evidence for the
ledger's entries E02 to E05.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.models.discrete_scm import DiscreteSCM
from replication.papers.huang2024.table1 import ROW_VARIABLES, rows_of_axes
from replication.papers.huang2024.units import VARIABLES, outcome_given

#: The candidate that each column of Table 1 shows, up to `eq_11.context_weights` and sampling noise (ledger E02).
IDENTIFIED = {
    "cp": "P(y | x1, x2, u1, u2, S=1)",
    "biased": "P(y | x1, x2, S=1)",
    "lower": "min_i1 P(y | x1, x2, i1, S=1)",
    "upper": "max_i1 P(y | x1, x2, i1, S=1)",
    "truth": "P(y | x1, x2)",
}


class Match(NamedTuple):
    """How near a functional comes to a published column.

    Attributes
    ----------
    name : str
    largest : float
        Largest absolute deviation over the rows.
    """

    name: str
    largest: float


def candidate_functionals(scm: DiscreteSCM) -> dict[str, FloatArray]:
    """Compute every candidate exactly.

    Parameters
    ----------
    scm : DiscreteSCM
        Table 2's model: binary U1, U2, X1, X2, I1, Y, S.

    Returns
    -------
    dict from str to array of shape (16,)
        The probability of Y=1 in the order of Table 1: x1 slowest, then x2, u1, u2. Names read as formulas.
    """
    return observed_functionals(scm.distribution(VARIABLES)) | interventional_functionals(scm)


def interventional_functionals(scm: DiscreteSCM) -> dict[str, FloatArray]:
    """Compute P(Y=1 | do(some of x), some of the rest, maybe S=1), as `candidate_functionals`."""
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
    """Compute conditional probabilities and adjustments of a table of units, as `candidate_functionals`.

    Parameters
    ----------
    table : array, shape (2,) * 7
        Probabilities or counts, axes `VARIABLES`; unselected units included.

    Returns
    -------
    dict from str to array of shape (16,)
        NaN where a condition has no unit.
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
    """Sort the candidates by their largest deviation from a published column, the nearest first.

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
    """Compute P(over | given), axes as in `units.outcome_given`."""
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
