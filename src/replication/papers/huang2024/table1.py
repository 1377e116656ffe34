"""Table 1 of huang2024: its 16 rows, its columns, and what the paper prints in them.

A row is one arm (X1, X2) and one user (U1, U2). The paper does not say which row is which; E05 and `offline_tables`
show the order: X1 slowest, then X2, U1 and U2. The bandit's arms enumerate (X1, X2) and its contexts (U1, U2), so the
row of a pair is 4 * arm + context.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from causal_bandits.arrays import FloatArray

#: The binary variables that distinguish the rows; the first varies slowest.
ROW_VARIABLES = ("X1", "X2", "U1", "U2")
ROW_COUNT = 16
#: Columns of tables that have one row per sample: the rows of Table 1 by their index.
ROW_COLUMNS = tuple(f"index_{index}" for index in range(1, ROW_COUNT + 1))

#: Names of columns in the study's tables, and in the paper.
COLUMNS = {"cp": "CP", "biased": "Biased", "lower": "BCE lb", "upper": "BCE ub", "truth": "Truth"}
#: The columns that are estimated from offline data; the truth is computed.
ESTIMATED = {name: label for name, label in COLUMNS.items() if name != "truth"}


def row_name(row: int) -> str:
    """Name a row (0 to 15) by its arm and user: ``x1 x2|u1 u2``."""
    x1, x2, u1, u2 = (row >> shift & 1 for shift in (3, 2, 1, 0))
    return f"{x1}{x2}|{u1}{u2}"


def rows_of_pairs(values: FloatArray) -> FloatArray:
    """Put an array of shape (contexts, arms), such as a bandit's means, into the order of the 16 rows."""
    return values.T.ravel()


def rows_of_axes(values: FloatArray) -> FloatArray:
    """Put an array with one axis per `ROW_VARIABLES`, or of length one, into the order of the 16 rows."""
    return np.broadcast_to(values, (2,) * len(ROW_VARIABLES)).reshape(-1).copy()


def printed_column(claims: Iterable[Mapping[str, str]], column: str) -> FloatArray:
    """Read a column of Table 1 from the published numbers, each at the index that its row names.

    Parameters
    ----------
    claims : iterable of mappings
        Rows of data/published/huang2024.csv; those of Table 1 are called ``index 1`` to ``index 16``.
    column : str
        The paper's name, a value of `COLUMNS`.

    Returns
    -------
    array, shape (16,)

    Raises
    ------
    ValueError
        If an index is missing or appears twice.
    """
    found: dict[int, float] = {}
    for claim in claims:
        if (claim["place"], claim["column"]) == ("Table 1", column):
            index = int(claim["row"].removeprefix("index "))
            if index in found:
                raise ValueError(f"Table 1, {column}: index {index} appears twice")
            found[index] = float(claim["value"])
    if sorted(found) != list(range(1, ROW_COUNT + 1)):
        raise ValueError(f"Table 1, {column}: indices {sorted(found)}; expected 1 to {ROW_COUNT}")
    return np.array([found[index] for index in range(1, ROW_COUNT + 1)])


# Tables of the model's units, selected or not, and the probability of the reward in them.

#: Axes of a table of units, all binary.
VARIABLES = (*ROW_VARIABLES, "I1", "Y", "S")


def outcome_given(data: FloatArray, given: Iterable[str]) -> FloatArray:
    """Compute P(Y=1 | given) from a table with axes `ROW_VARIABLES`, I1 and Y.

    An axis of the result that is not ``given`` has length 1.
    """
    others = tuple(i for i, v in enumerate((*ROW_VARIABLES, "I1")) if v not in given)
    joint = data.sum(axis=others, keepdims=True)
    with np.errstate(invalid="ignore"):
        return np.asarray(joint[..., 1] / joint.sum(axis=-1))
