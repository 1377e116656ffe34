"""Play stages 1 and 2 with exact answers on the graphs of an experiment.

The stages are played as printed; what they learn is noted.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import networkx as nx

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.chordal import junction_tree
from causal_bandits.graphs.essential import chain_components, essential_graph
from causal_bandits.policies.single_node.helpers.central_nodes import ExactInterventions, find_in_tree
from causal_bandits.problems.lu2021 import PROBLEMS, assumed
from replication.papers.lu2021 import printed

#: Options of a model that settings of a policy can hold, beside those of its builder.
_MODEL = frozenset(inspect.signature(assumed).parameters) - {"parents", "rng"}


class Ends(NamedTuple):
    """How searches ended: with X_R, with something else, or never."""

    right: int
    wrong: int
    never: int

    @property
    def total(self) -> int:
        """How many searches there were."""
        return sum(self)


def instances(settings: Mapping[str, Any], draws: int) -> Iterator[tuple[ADMG, str]]:
    """Yield the graph and X_R of draws 0, 1, ... of an experiment's problem.

    Parameters
    ----------
    settings : mapping
        Of one of its policies: the problem, and its options.
    draws : int
    """
    builder = PROBLEMS[str(settings["problem"])]
    known = _MODEL | set(inspect.signature(builder).parameters)
    options = {name: value for name, value in settings.items() if name in known and value is not None}
    options.pop("draw", None)
    for draw in range(draws):
        bandit = builder(draw=draw, **options)
        yield bandit.dag, next(iter(bandit.rewards))


def as_printed(settings: Mapping[str, Any], draws: int) -> Ends:
    """Run Algorithms 1, 2 or 5 as printed on the graphs of an experiment, with exact answers.

    Two things are repaired, or nothing would end: Algorithm 6's tie (L100), and one node left is the answer (L105).
    Chain components come in the order of their names, as printed.

    Parameters
    ----------
    settings : mapping
        Of CN-UCB in the experiment.
    draws : int
    """
    search = _forest if settings["graph"] == "forest" else _general
    right = wrong = never = 0
    for dag, reward in instances(settings, draws):
        try:
            found = search(dag, ExactInterventions(dag, [reward]))
        except printed.NeverEndsError:
            never += 1
            continue
        right, wrong = right + (reward in found), wrong + (reward not in found)
    return Ends(right, wrong, never)


def _forest(dag: ADMG, do: ExactInterventions) -> tuple[str, ...]:
    """Algorithm 5; on one tree Algorithm 1."""
    for tree in chain_components(essential_graph(dag)):
        root, nodes = printed.find_sub_tree(tree, do)
        return (printed.find_key_node(tree, root, nodes, do, one_left=True) or "",)
    return ()


def _general(dag: ADMG, do: ExactInterventions) -> tuple[str, ...]:
    """Algorithm 2."""
    for component in chain_components(essential_graph(dag)):
        return printed.algorithm_2(component, do, junction=junction_tree(component)) or ()
    return ()


def undirected_edges(dag: ADMG, reward: str) -> int:
    """Count the edges of a causal tree whose direction CN-UCB does not know when stage 2 ends.

    Answers are exact. What is known: of every variable intervened on in stage 1 which neighbours are its effects, and
    what follows, for no node of a directed tree has two parents; and in stage 2 the same of all below.
    """
    graph: nx.Graph[str] = nx.Graph(sorted(dag.directed))
    trace: list[Any] = []
    find_in_tree(graph, ExactInterventions(dag, [reward]), trace)
    below: set[tuple[str, str]] = set()
    for step in trace:
        if step.stage != 1:
            continue
        (centre,) = step.centre
        below |= {(centre, other) for other in step.effects}
        below |= {(other, centre) for other in graph[centre] if other not in step.effects}
    pending = [effect for _, effect in below]
    while pending:  # an edge into a node directs all others out of it
        node = pending.pop()
        new = {(node, other) for other in graph[node] if (other, node) not in below and (node, other) not in below}
        below |= new
        pending += [effect for _, effect in new]
    return graph.number_of_edges() - len(below)
