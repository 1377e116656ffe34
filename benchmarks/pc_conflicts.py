"""Show why causal-learn's PC and ours give different graphs for the same data: colliders that contradict each other.

    .venv/bin/python benchmarks/pc_conflicts.py

First, on the tables of benchmarks/peers.py: are the edges the same, and do our rules, applied to causal-learn's edges
and separating sets, give our graph? Do they give causal-learn's if, of two contradicting colliders, the one whose
middle variable comes first by name wins, rather than the one whose outer variables do? Then, on random graphs: does
causal-learn find the true class with a d-separation oracle instead of tests, when no colliders contradict each other?
"""

from __future__ import annotations

import warnings
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
from causallearn.search.ConstraintBased.PC import pc
from peers import random_graph

from causal_bandits.discovery import learn
from causal_bandits.discovery.orientation import oriented
from causal_bandits.graphs.essential import essential_graph
from causal_bandits.graphs.exchange import from_causal_learn
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph, completed
from causal_bandits.models import uniform_cpt


def by_causal_learn(data, names, test, **options):
    """Return causal-learn's class of graphs, and the separating sets by pair."""
    found = pc(data, 0.01, test, node_names=names, show_progress=False, **options)
    sets = {
        frozenset((names[i], names[j])): {names[k] for z in found.sepset[i, j] or () for k in z}
        for i, j in combinations(range(len(names)), 2)
    }
    return from_causal_learn(found.G, PartiallyDirectedGraph), sets


def oriented_by_middles(names, adjacent, sets):
    """Orient edges like `oriented`, but take colliders in the order of their middle variables."""
    neighbours = nx.Graph(adjacent)
    directed = set()
    for z in sorted(neighbours):
        for x, y in combinations(sorted(neighbours[z]), 2):
            collider = not neighbours.has_edge(x, y) and z not in sets[frozenset((x, y))]
            if collider and not {(z, x), (z, y)} & directed:
                directed |= {(x, z), (y, z)}
    return completed(names, directed, adjacent)


def on_tables(tables=8, records=5_000):
    print("| table | same graph | same edges | our rules on their sets | their graph, middles first |")
    print("| ---: | --- | --- | --- | --- |")
    for seed in range(tables):
        model = uniform_cpt(random_graph(8, 0.3, 0.0, seed), np.random.default_rng(seed))
        table = pd.DataFrame(model.sample(records, np.random.default_rng(seed))).astype(np.int64)
        names = list(table.columns)
        ours = learn(table, "pc", [names])
        theirs, sets = by_causal_learn(table.to_numpy(), names, "chisq")
        told = (
            ours == theirs,
            set(map(frozenset, ours.adjacent)) == set(map(frozenset, theirs.adjacent)),
            oriented(names, theirs.adjacent, sets, dict.fromkeys(names, 0)) == ours,
            oriented_by_middles(names, theirs.adjacent, sets) == theirs,
        )
        print(f"| {seed} | {' | '.join('yes' if each else 'no' for each in told)} |", flush=True)


def with_oracle(graphs=150):
    right = 0
    for seed in range(graphs):
        graph = random_graph(6 + seed % 3, 0.2 + 0.1 * (seed % 4), 0.0, seed)
        names = list(graph.nodes)
        dag = nx.DiGraph((names.index(a), names.index(b)) for a, b in sorted(graph.directed))
        dag.add_nodes_from(range(len(names)))
        found, _ = by_causal_learn(np.zeros((20, len(names))), names, "d_separation", true_dag=dag)
        right += found == essential_graph(graph)
    print(f"\nWith a d-separation oracle causal-learn finds the true class of {right} of {graphs} graphs.")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    on_tables()
    with_oracle()
