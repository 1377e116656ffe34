"""Build the data of huang2022: joint counts of Adult and YouTube, offline records and online users."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from causal_bandits.datasets import CountTable
from causal_bandits.datasets.tables import MISSING
from causal_bandits.problems.construction.huang2022.constants import NOISE, USER, VIDEO, WEIGHTS
from experiments import files
from experiments.stages import Builder, Generators


def joint_counts(seeds: Iterable[int], generators: Generators, path: str) -> pa.Table:
    """Tabulate the joint counts of a data set's binarised variables, one row per joint state; nothing is drawn.

    Parameters
    ----------
    path : path
        A table of counts from `replication.datasets`.
    """
    table = CountTable.read(path)
    columns = {variable: table.cells[:, i] for i, variable in enumerate(table.variables)}
    rules = pa.array([str(table.provenance["rule"])] * len(table.cells)).dictionary_encode()
    return pa.table({**columns, "count": table.counts.ravel(), "rule": rules})


def records(seeds: Iterable[int], generators: Generators, adult: str, youtube: str, rows: int = 10_000) -> pa.Table:
    """Draw each seed's records, half of them offline and half online.

    Of ``rows`` users, half are offline. Each of these has a video and a reward.

    Parameters
    ----------
    adult, youtube : path
        Tables from `joint_counts`.
    rows : int
        Users drawn without replacement from Adult (ledger L35); even.

    Returns
    -------
    table
        Columns ``seed``, ``online`` (bool), ``t`` (0, 1, ... in each half), the user's variables, and the video's
        variables and ``reward``, which are null online. Offline videos are drawn from the pool in proportion to how
        often their type occurs there (ledger L62).
    """
    users, videos = _read(adult, USER), _read(youtube, VIDEO)
    pool = videos.known(VIDEO)
    parts = []
    for seed in seeds:
        rng = generators(seed)
        drawn, online = split(users, rng, rows)
        offline = np.repeat(drawn.cells, drawn.counts.ravel(), axis=0)
        kinds = rng.choice(len(pool.cells), size=len(offline), p=pool.counts.ravel() / pool.total)
        shown = pool.cells[kinds]
        states = {**dict(zip(USER, offline.T, strict=True)), **dict(zip(VIDEO, shown.T, strict=True))}
        mean = sum((weight * states[v] for v, weight in WEIGHTS.items()), np.zeros(len(offline)))
        reward = mean + NOISE * rng.standard_normal(len(offline))
        parts.append(_rows(seed, False, offline, shown, reward))
        parts.append(_rows(seed, True, online, None, None))
    return pa.concat_tables(parts)


def split(table: CountTable, rng: np.random.Generator, n: int = 10_000) -> tuple[CountTable, NDArray[np.int8]]:
    """Draw ``n`` records without replacement: half are offline data, half are users, in random order.

    The table's records have no order, so drawing counts (multivariate hypergeometric) has the same distribution as
    drawing the records themselves. See huang2022, Experiments and Appendix E.2 (ledger L35).

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
        ``n / 2`` records; ``provenance`` is the table's, plus ``drawn``.
    online : ndarray of int8, shape (n / 2, variables)
        The users' states, one row per round.

    Raises
    ------
    ValueError
        If ``n`` is odd, less than 2, or more than the table's number of records.
    """
    if n < 2 or n % 2 or n > table.total:
        raise ValueError(f"n is {n}, expected an even number from 2 to the {table.total} records of the table")
    drawn = rng.multivariate_hypergeometric(table.counts.ravel(), n)
    offline = rng.multivariate_hypergeometric(drawn, n // 2)
    online = rng.permutation(np.repeat(table.cells, drawn - offline, axis=0))
    provenance = {**table.provenance, "drawn": f"{n // 2} of {table.total} records without replacement"}
    return CountTable(table.states, offline.reshape(table.counts.shape), provenance), online


def _rows(
    seed: int,
    online: bool,
    users: NDArray[np.int8],
    videos: NDArray[np.int8] | None,
    reward: NDArray[np.float64] | None,
) -> pa.Table:
    n = len(users)
    columns: dict[str, pa.Array] = {
        "seed": pa.array(np.full(n, seed, np.int32)),
        "online": pa.array(np.full(n, online)),
        "t": pa.array(np.arange(n, dtype=np.int32)),
    }
    columns |= {v: pa.array(users[:, i]) for i, v in enumerate(USER)}
    columns |= {v: pa.nulls(n, pa.int8()) if videos is None else pa.array(videos[:, i]) for i, v in enumerate(VIDEO)}
    columns["reward"] = pa.nulls(n, pa.float64()) if reward is None else pa.array(reward)
    return pa.table(columns)


def _read(path: str, variables: tuple[str, ...]) -> CountTable:
    """Read the counts of some variables from a table written by `joint_counts`; a third state means a missing value."""
    table = files.read(path)
    names = [name for name in table.column_names if name not in ("count", "rule")]
    states = {name: table[name].to_numpy() for name in names}
    shape = tuple(int(values.max()) + 1 for values in states.values())
    labels = {n: ("0", "1", MISSING)[:size] for n, size in zip(names, shape, strict=True)}
    counts = table["count"].to_numpy().reshape(shape)
    return CountTable(labels, counts).marginal(variables)


DATA: dict[str, Builder] = {"joint_counts": joint_counts, "records": records}
