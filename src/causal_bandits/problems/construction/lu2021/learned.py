"""Knowledge from observations for a learner of lu2021: a learned graph, and frequencies instead of probabilities."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.problems.construction import inputs
from causal_bandits.seeding import stable_hash


def observations(bandit: SingleNodeBandit, samples: int, draw: int) -> NDArray[np.int8]:
    """Draw samples of all variables without intervention, shape (samples, variables).

    A larger sample begins with the smaller ones.
    """
    rng = np.random.default_rng([stable_hash("lu2021/observations"), draw])
    drawn = bandit.scm.sample(samples, rng)
    return np.stack([drawn[v] for v in bandit.variables], axis=1)


def frequencies(bandit: SingleNodeBandit, samples: int, draw: int) -> NDArray[np.float64]:
    """Estimate from `observations` the probability of each state of each variable."""
    data = observations(bandit, samples, draw)
    return np.stack([(data == x).mean(axis=0) for x in range(bandit.states)], axis=1)


def learned_graph(path: str | Path, samples: int, draw: int, variables: tuple[str, ...]) -> PartiallyDirectedGraph:
    """Read the graph that was learned with one seed from this number of samples.

    Raises
    ------
    FileNotFoundError, ImportError
        See `causal_bandits.problems.construction.inputs.read`.
    ValueError
        If the table does not contain it.
    """
    table = inputs.read(path, "graphs learned from observations: replication.papers.lu2021.stages.learn_graphs")
    import pyarrow.compute as pc  # an extra of the library, needed only for such tables

    rows = table.filter((pc.field("seed") == draw) & (pc.field("samples") == samples)).to_pylist()
    if not rows:
        raise ValueError(f"{path}: no graph learned by seed {draw} from {samples} samples")
    directed, undirected = (
        [(row["source"], row["target"]) for row in rows if row["kind"] == kind] for kind in ("directed", "undirected")
    )
    return PartiallyDirectedGraph(variables, directed, undirected)
