"""Which quantity of Table 2 does each column of Table 1 show? Candidates, computed exactly or from a sample.

The published columns are compared with every functional of a systematic family: conditional probabilities,
adjustments, their extremes over i1, with and without selection, and interventional probabilities. Evidence for the
ledger's entries E02 to E05.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causal_bandits.models.discrete_scm import DiscreteSCM

FloatArray: TypeAlias = NDArray[np.float64]

#: Table 1's rows, the first variable slowest.
ROWS = ("X1", "X2", "U1", "U2")
#: Axes of a table of units, all binary.
VARIABLES = (*ROWS, "I1", "Y", "S")
#: The candidate that each column of Table 1 shows, up to `context_weights` and sampling noise (ledger E02).
IDENTIFIED = {
    "CP": "P(y | x1, x2, u1, u2, S=1)",
    "Biased": "P(y | x1, x2, S=1)",
    "lb": "min_i1 P(y | x1, x2, i1, S=1)",
    "ub": "max_i1 P(y | x1, x2, i1, S=1)",
    "Truth": "P(y | x1, x2)",
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


class ContextWeights(NamedTuple):
    """A column as ``K(x1, x2) P(u1) P(u2) / P(u1, u2)`` (see `fit_context_weights`).

    Attributes
    ----------
    factor : array, shape (4,)
        K for (x1, x2) = 00, 01, 10, 11.
    p_u1, p_u2 : float
        P(U1=1) and P(U2=1) in the data behind the column.
    covariance : float
        P(u1=1, u2=1) - P(u1=1) P(u2=1) there: zero but for sampling noise, as U1 and U2 are independent.
    largest : float
        Largest absolute deviation of the fit from the rows used.
    """

    factor: FloatArray
    p_u1: float
    p_u2: float
    covariance: float
    largest: float


def candidate_functionals(scm: DiscreteSCM) -> dict[str, FloatArray]:
    """Every candidate, exactly.

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
    """P(Y=1 | do(some of x), some of the rest, maybe S=1), as `candidate_functionals`."""
    found: dict[str, FloatArray] = {}
    for do in _subsets(("X1", "X2"), smallest=1):
        rest = [v for v in ROWS if v not in do]
        full = np.empty((2,) * (len(ROWS) + 2))
        for states in product((0, 1), repeat=len(do)):
            index = tuple(dict(zip(do, states, strict=True)).get(v, slice(None)) for v in ROWS)
            full[index] = scm.distribution([*rest, "Y", "S"], do=dict(zip(do, states, strict=True)))
        for given, selected in product(_subsets(rest), (False, True)):
            # Summed over the rows' variables that are neither forced nor given.
            joint = full[..., 1] if selected else full.sum(axis=-1)
            joint = joint.sum(axis=tuple(i for i, v in enumerate(ROWS) if v not in (*do, *given)), keepdims=True)
            name = _probability(given, selected, do)
            found[name] = _in_rows(joint[..., 1] / joint.sum(axis=-1))
    return found


def observed_functionals(table: ArrayLike) -> dict[str, FloatArray]:
    """Conditional probabilities and adjustments of a table of units, as `candidate_functionals`.

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
        data = units[..., 1] if selected else units.sum(axis=-1)  # axes: ROWS, I1, Y
        for given in _subsets(ROWS):
            by_i1 = _outcome(data, (*given, "I1"))
            found[_probability(given, selected)] = _in_rows(_outcome(data, given)[..., 0])
            for name, extreme in (("min", np.min), ("max", np.max)):
                found[f"{name}_i1 {_probability((*given, 'I1'), selected)}"] = _in_rows(extreme(by_i1, axis=-1))
            for over in _subsets((*(v for v in ROWS if v not in given), "I1"), smallest=1):
                for weighted_by in _subsets(given):
                    for weights_selected in {selected, False}:
                        weights = units[..., 1] if weights_selected else units.sum(axis=-1)
                        terms = _outcome(data, (*given, *over)) * _weights(weights, over, weighted_by)
                        axes = tuple(i for i, v in enumerate((*ROWS, "I1")) if v in over)
                        total = terms.sum(axis=axes, keepdims=True)
                        name = (
                            f"sum_{','.join(v.lower() for v in over)} {_probability((*given, *over), selected)} "
                            f"{_probability(weighted_by, weights_selected, of=over)}"
                        )
                        found[name] = _in_rows(total[..., 0])
    return found


def nearest(
    published: ArrayLike, candidates: Mapping[str, FloatArray], rows: Sequence[int] | None = None
) -> list[Match]:
    """The candidates by their largest deviation from a published column, the nearest first.

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


def as_published(table: ArrayLike) -> dict[str, FloatArray]:
    """The five columns of Table 1 as the search identifies them, from a table of units.

    Parameters
    ----------
    table : array, shape (2,) * 7
        As in `observed_functionals`.

    Returns
    -------
    dict from column ("CP", "Biased", "lb", "ub", "Truth") to array of shape (16,)
        All but CP carry `context_weights`, which are one on exact distributions.
    """
    units = np.asarray(table, dtype=np.float64)
    selected, everybody = units[..., 1], units.sum(axis=-1)
    by_i1 = _outcome(selected, ("X1", "X2", "I1"))
    found = {
        "CP": _outcome(selected, ROWS)[..., 0],
        "Biased": _outcome(selected, ("X1", "X2"))[..., 0],
        "lb": by_i1.min(axis=-1),
        "ub": by_i1.max(axis=-1),
        "Truth": _outcome(everybody, ("X1", "X2"))[..., 0],
    }
    biased, unbiased = context_weights(table, selected=True), context_weights(table, selected=False)
    weights = {"CP": np.ones(16), "Biased": biased, "lb": biased, "ub": biased, "Truth": unbiased}
    return {column: _in_rows(values) * weights[column] for column, values in found.items()}


def context_weights(table: ArrayLike, selected: bool) -> FloatArray:
    """``P(u1) P(u2) / P(u1, u2)`` in a table of units, in the order of Table 1's rows.

    It is one in the population, where U1 and U2 are independent, given S=1 too; on a sample it is not quite.
    Parameters are as in `observed_functionals`; ``selected``: whether only selected units count.
    """
    units = np.asarray(table, dtype=np.float64)
    data = units[..., 1] if selected else units.sum(axis=-1)
    joint = data.sum(axis=(0, 1, 4, 5), keepdims=True)[..., 0, 0] / data.sum()
    return _in_rows(joint.sum(axis=3, keepdims=True) * joint.sum(axis=2, keepdims=True) / joint)


def fit_context_weights(published: ArrayLike, rows: Sequence[int] | None = None) -> ContextWeights:
    """Fit ``K(x1, x2) P(u1) P(u2) / P(u1, u2)`` to a column, by least squares.

    This is what ``Q[Y] Q[U1] Q[U2] / p(u1, u2)`` of Eq. 11 is if Q[Y] does not depend on u.

    Parameters
    ----------
    published : array, shape (16,)
    rows : sequence of int, optional
        The rows to use, from 0; default all.
    """
    from scipy.optimize import least_squares  # half a second, which other tables need not wait for

    column = np.asarray(published, dtype=np.float64)
    kept = list(range(len(column))) if rows is None else list(rows)

    def fitted(parameters: FloatArray) -> FloatArray:
        factor, (p_u1, p_u2, covariance) = parameters[:4], parameters[4:]
        independent = np.outer([1 - p_u1, p_u1], [1 - p_u2, p_u2])
        joint = independent + covariance * np.array([[1, -1], [-1, 1]])
        return np.asarray(np.outer(factor, independent / joint).ravel())

    start = np.array([*column.reshape(4, 4).mean(axis=1), 0.5, 0.5, 0.0])

    def misses(parameters: FloatArray) -> FloatArray:
        return np.asarray((fitted(parameters) - column)[kept])

    result = least_squares(misses, start, xtol=1e-15, ftol=1e-15)
    factor, (p_u1, p_u2, covariance) = result.x[:4], result.x[4:]
    return ContextWeights(factor, float(p_u1), float(p_u2), float(covariance), float(np.abs(result.fun).max()))


def deviations_by_chance(
    scm: DiscreteSCM,
    functional: Callable[[FloatArray], Mapping[str, FloatArray]],
    rng: np.random.Generator,
    units: int = 30_000,
    repetitions: int = 1_000,
) -> dict[str, FloatArray]:
    """How far functionals of a sample lie from their exact values.

    Parameters
    ----------
    scm : DiscreteSCM
    functional : callable
        From a table of units to named arrays of shape (16,): `as_published`, for example.
    rng : numpy.random.Generator
    units : int
        Size of a sample before selection; the paper draws 30,000.
    repetitions : int

    Returns
    -------
    dict from name to array of shape (repetitions, 16)
        Sample minus exact.
    """
    exact = scm.distribution(VARIABLES)
    samples = rng.multinomial(units, exact.ravel(), size=repetitions).reshape(repetitions, *exact.shape)
    found = [functional(sample) for sample in samples.astype(np.float64)]
    return {name: np.stack([sample[name] for sample in found]) - value for name, value in functional(exact).items()}


def _outcome(data: FloatArray, given: Iterable[str]) -> FloatArray:
    """P(Y=1 | given), axes ROWS and I1, of length one where not given."""
    others = tuple(i for i, v in enumerate((*ROWS, "I1")) if v not in given)
    joint = data.sum(axis=others, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(joint[..., 1] / joint.sum(axis=-1))


def _weights(data: FloatArray, over: Iterable[str], given: Iterable[str]) -> FloatArray:
    """P(over | given), axes as in `_outcome`."""
    joint = data.sum(axis=-1)
    joint = joint.sum(axis=tuple(i for i, v in enumerate((*ROWS, "I1")) if v not in (*over, *given)), keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            joint / joint.sum(axis=tuple(i for i, v in enumerate((*ROWS, "I1")) if v in over), keepdims=True)
        )


def _in_rows(values: FloatArray) -> FloatArray:
    return np.broadcast_to(values, (2,) * len(ROWS)).reshape(-1).copy()


def _probability(given: Iterable[str], selected: bool, do: Iterable[str] = (), of: Iterable[str] = ("Y",)) -> str:
    """The name of a probability, as in ``P(y | do(x1), u1, S=1)``."""
    forced = ", ".join(v.lower() for v in do)
    conditions = [f"do({forced})"] * bool(forced) + [v.lower() for v in given] + ["S=1"] * selected
    return f"P({', '.join(v.lower() for v in of)}{' | ' if conditions else ''}{', '.join(conditions)})"


def _subsets(items: Iterable[str], smallest: int = 0) -> Iterator[tuple[str, ...]]:
    ordered = tuple(items)
    return chain.from_iterable(combinations(ordered, k) for k in range(smallest, len(ordered) + 1))
