"""The draw of records that a paper learns a graph from and plays its users from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from causal_bandits.datasets.tables import CountTable


def split(table: CountTable, rng: np.random.Generator, n: int = 10_000) -> tuple[CountTable, NDArray[np.int8]]:
    """Draw ``n`` records without replacement; half are offline data, half the users, in random order.

    The table's records have no order, so a draw of counts (multivariate hypergeometric) has the distribution that
    drawing records themselves has. huang2022, Experiments and Appendix E.2 (ledger L35).

    Parameters
    ----------
    table : CountTable
    rng : Generator
        Equal generators give equal draws.
    n : int
        Even, 2 to ``table.total``.

    Returns
    -------
    offline : CountTable
        ``n / 2`` records; ``provenance`` is the table's, with ``drawn``.
    online : ndarray of int8, shape (n / 2, variables)
        The users' states, one row per round.

    Raises
    ------
    ValueError
        If ``n`` is odd, less than 2, or more than the table has.
    """
    if n < 2 or n % 2 or n > table.total:
        raise ValueError(f"n is {n}, expected an even number from 2 to the {table.total} records of the table")
    drawn = rng.multivariate_hypergeometric(table.counts.ravel(), n)
    offline = rng.multivariate_hypergeometric(drawn, n // 2)
    online = rng.permutation(np.repeat(table.cells, drawn - offline, axis=0))
    provenance = {**table.provenance, "drawn": f"{n // 2} of {table.total} records without replacement"}
    return CountTable(table.states, offline.reshape(table.counts.shape), provenance), online
