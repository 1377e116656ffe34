"""The essential graph of lu2021's input as PC learns it from observations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import pyarrow as pa

from causal_bandits.discovery import edge_rows, learn
from causal_bandits.papers.lu2021.learned import observations
from causal_bandits.papers.lu2021.problems import tree
from causal_bandits.stages import Builder, Generators

_SCHEMA = pa.schema(
    [
        ("learner", pa.string()),
        ("samples", pa.int32()),
        ("seed", pa.int32()),
        ("source", pa.string()),
        ("target", pa.string()),
        ("kind", pa.string()),
    ]
)


def learn_graphs(
    seeds: Iterable[int], generators: Generators, samples: int, significance: float = 0.01, **problem: Any
) -> pa.Table:
    """Learn the graph of each seed's tree from observations of all variables.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; a tree and its observations are those of the problem ``learned`` with draw ``seed``.
    samples : int
    significance : float
        Level of PC's tests (L124).
    **problem
        Options of `problems.tree`.

    Returns
    -------
    table
        Columns ``learner, samples, seed, source, target, kind``: an edge per row, ``kind`` "directed" or "undirected";
        a graph without edges is one row of kind "none" with null ends.

    Raises
    ------
    ValueError
        As `discovery.learn` does; a variable that took one state alone cannot be learned from.
    """
    rows: list[dict[str, str | int]] = []
    for seed in seeds:
        bandit = tree(draw=seed, **problem)
        data = pd.DataFrame(observations(bandit, samples, seed), columns=list(bandit.variables))
        graph = learn(data, "pc", [bandit.variables], significance=significance)
        found = edge_rows(graph, "pc", seed) or [{"learner": "pc", "seed": seed, "kind": "none"}]
        rows += [row | {"samples": samples} for row in found]
    return pa.Table.from_pylist(rows, _SCHEMA)


DISCOVERY: dict[str, Builder] = {"learn_graphs": learn_graphs}
