"""Prepare lu2021's simulation: graphs that PC learns from observations, and the steps of CN-UCB for Fig. 1."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa

from causal_bandits.discovery import edge_rows, learn
from causal_bandits.models.single_node import SingleNodeBandit
from causal_bandits.models.single_node_worlds import SingleNodeWorld
from causal_bandits.play.run import play
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.single_node.cn_ucb import CNUCB
from causal_bandits.policies.single_node.helpers.central_nodes import Step
from causal_bandits.problems.construction.lu2021.learned import observations
from causal_bandits.problems.lu2021 import figure1, tree
from causal_bandits.seeding import Streams
from experiments.stages import Builder, Generators

#: More rounds than stages 1 and 2 can take on the tree of Fig. 1.
TRACE_ROUNDS = 1_000_000

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
    seeds: Iterable[int], generators: Generators, samples: Sequence[int], significance: float = 0.01, **problem: Any
) -> pa.Table:
    """Learn graphs of each seed's tree from observations of all variables.

    Parameters
    ----------
    seeds, generators
        See `stages.Builder`; a tree and its observations are those of the problem ``learned`` with draw ``seed``.
    samples : sequence of int
        Numbers of observations; a graph is learned for each.
    significance : float
        Level of PC's tests (L124).
    **problem
        Options of `problems.tree`.

    Returns
    -------
    table
        Columns ``learner, samples, seed, source, target, kind``: one edge per row, with ``kind`` "directed" or
        "undirected"; a graph without edges is one row of kind "none" with null ends.

    Raises
    ------
    ValueError
        For a reason given in `discovery.learn`, for instance if a variable took only one state.
    """
    rows: list[dict[str, str | int]] = []
    for seed in seeds:
        bandit = tree(draw=seed, **problem)
        for number in samples:
            data = pd.DataFrame(observations(bandit, number, seed), columns=list(bandit.variables))
            graph = learn(data, "pc", [bandit.variables], significance=significance)
            found = edge_rows(graph, "pc", seed) or [{"learner": "pc", "seed": seed, "kind": "none"}]
            rows += [row | {"samples": number} for row in found]
    return pa.Table.from_pylist(rows, _SCHEMA)


@dataclass
class _Traced:
    """Play stages 1 and 2 of CN-UCB, keep their steps and end the run."""

    steps: list[Step]
    plays: ClassVar[type] = SingleNodeBandit

    def run(self, bandit: SingleNodeBandit, rounds: Rounds[SingleNodeWorld], rng: np.random.Generator) -> Outcome:
        """See `causal_bandits.policies.base.Policy`."""
        _, experiments, _ = CNUCB().search(bandit, rounds)
        self.steps = experiments.trace
        return {}


def trace(seeds: Iterable[int], generators: Generators) -> pa.Table:
    """Record the steps of CN-UCB on the tree of Fig. 1, from samples.

    Returns
    -------
    table
        One row per step: ``seed``, ``step``, and `central_nodes.Step`.
    """
    rows = []
    bandit = figure1()
    for seed in seeds:
        environment, policy, measures = generators(seed).spawn(3)
        traced = _Traced([])
        play(traced, bandit, TRACE_ROUNDS, Streams(environment, policy, measures))
        rows += [{"seed": seed, "step": i, **step._asdict()} for i, step in enumerate(traced.steps)]
    names = pa.list_(pa.string())
    fields = [("centre", names), ("tested", names), ("ancestors", names), ("effects", names), ("left", names)]
    return pa.Table.from_pylist(
        rows, pa.schema([("seed", pa.int32()), ("step", pa.int32()), ("stage", pa.int32()), *fields])
    )


STAGES: dict[str, Builder] = {"learn_graphs": learn_graphs, "trace": trace}
