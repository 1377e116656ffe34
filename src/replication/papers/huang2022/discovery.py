"""Learn the causal graph of Adult-Video (Fig. 3) from the offline records, with PC and GES."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from causal_bandits.discovery import edge_rows, learn, quantile_codes
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.graphs.separators import reward_separator
from causal_bandits.problems.construction.huang2022.constants import USER, VIDEO
from experiments import files
from experiments.stages import Builder, Generators

#: No variable causes one in an earlier tier (ledger L37). The tiers ``in_time`` are what a user is born with, income,
#: the video shown, and the reward.
TIERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "in_time": (("age", "race", "sex"), ("income",), VIDEO, ("reward",)),
    "reward_last": ((*USER, *VIDEO), ("reward",)),
    "none": ((*USER, *VIDEO, "reward"),),
}
NODES = tuple(v for tier in TIERS["in_time"] for v in tier)

_SCHEMA = pa.schema(
    [
        ("learner", pa.string()),
        ("seed", pa.int32()),
        ("source", pa.string()),
        ("target", pa.string()),
        ("kind", pa.string()),
    ]
)


def learn_graph(
    seeds: Iterable[int],
    generators: Generators,
    records: str,
    learner: str,
    significance: float = 0.01,
    reward_bins: int = 6,
    tiers: str = "in_time",
) -> pa.Table:
    """Learn each seed's graph over users, videos and reward from its offline records.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; no random numbers are drawn here.
    records : path
        A table from `data.records`.
    learner : {"pc", "ges"}
    significance : float
        Level of PC's tests; GES has none (ledger L39).
    reward_bins : int
        Number of quantile bins that make the reward discrete (ledger L38).
    tiers : str
        A key of `TIERS`.

    Returns
    -------
    table
        Columns ``learner, seed, source, target, kind``: one edge per row, with ``kind`` "directed" or "undirected"; a
        graph without edges is one row of kind "none" with null ends.

    Raises
    ------
    ValueError
        If a seed has no offline records, if ``tiers`` is unknown, or for a reason given in `discovery.learn`.
    """
    if tiers not in TIERS:
        raise ValueError(f"tiers={tiers!r}: expected one of {', '.join(TIERS)}")
    table = files.read(records, ["online", "seed", *USER, *VIDEO, "reward"]).filter(~pc.field("online")).drop("online")
    offline = table.to_pandas()
    rows: list[dict[str, str | int]] = []
    for seed in seeds:
        data = offline[offline["seed"] == seed].drop(columns="seed")
        if data.empty:
            raise ValueError(f"{records}: no offline records for seed {seed}")
        data["reward"] = quantile_codes(data["reward"], reward_bins)
        counted = data.value_counts(sort=False).reset_index(name="number")
        graph = learn(
            counted.drop(columns="number"),
            learner,  # type: ignore[arg-type]  # `learn` checks it
            TIERS[tiers],
            counts=counted["number"],
            significance=significance,
        )
        rows.extend(edge_rows(graph, learner, seed) or [{"learner": learner, "seed": seed, "kind": "none"}])
    return pa.Table.from_pylist(rows, _SCHEMA)


def learned_graphs(path: str | Path) -> list[PartiallyDirectedGraph]:
    """Read the graphs from a table written by `learn_graph`, one per seed."""
    frame: pd.DataFrame = files.read(path).to_pandas()
    graphs = []
    for _, edges in frame.groupby("seed"):
        pairs = {
            kind: [(str(a), str(b)) for a, b in zip(part["source"], part["target"], strict=True)]
            for kind, part in edges.groupby("kind")
        }
        graphs.append(PartiallyDirectedGraph(NODES, pairs.get("directed", ()), pairs.get("undirected", ())))
    return graphs


def learned_separator(graph: PartiallyDirectedGraph) -> frozenset[str]:
    """Find the minimal d-separation set W of a learnt graph (Algorithm 1, line 2); all DAGs of the graph share it.

    Raises
    ------
    ValueError
        If no DAG has the graph's edges.
    """
    return reward_separator(graph.to_admg(), "reward", VIDEO, USER, dict.fromkeys(graph.nodes, 2))


DISCOVERY: dict[str, Builder] = {"learn_graph": learn_graph}
