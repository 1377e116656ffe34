"""Algorithms of lu2021: how figures draw them, and Algorithms 3, 4, 6, 7 and 8 exactly as printed, with exact answers.

As printed, they are only for claims about what is printed, and for tests: CN-UCB runs repaired versions. Weights are
fractions, so that comparisons with 1/2 are exact. ``first`` is the node with which Algorithm 6 begins (line 1: "choose
a node"). With exact answers, a loop that returns to earlier weights goes on forever; one whose weights keep changing is
assumed endless after `STEPS` steps.
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import networkx as nx

from causal_bandits.graphs.admg import ADMG
from causal_bandits.graphs.chordal import Clique, junction_tree, separator
from causal_bandits.graphs.essential import chain_components, essential_graph
from causal_bandits.policies.single_node.helpers.central_nodes import ExactInterventions, Interventions, find_in_tree
from causal_bandits.problems.lu2021 import PROBLEMS, assumed
from experiments.drawing.looks import COLOURS, Look

#: How figures draw a policy, by its name.
POLICIES = {
    "CN-UCB": Look({"algorithm": "cn_ucb", "exponent": 2.0}, COLOURS["red"]),
    "UCB": Look({"algorithm": "gaussian_ucb", "arms": "all", "exponent": 2.0}, COLOURS["blue"]),
    "UCB, $\\delta = 1/T$": Look({"algorithm": "gaussian_ucb", "arms": "all", "exponent": 1.0}, COLOURS["blue"], "--"),
    "TS": Look({"algorithm": "gaussian_thompson"}, COLOURS["sky"]),
    "RAPS": Look({"algorithm": "raps"}, COLOURS["orange"]),
    "UCB on $X_R$": Look({"algorithm": "gaussian_ucb", "arms": "reward"}, COLOURS["blue"], "-."),
}


# ------------------------------------------------------------------ as printed


N = TypeVar("N", str, Clique)

HALF, NONE, ONE = Fraction(1, 2), Fraction(0), Fraction(1)


#: More rounds than any loop that ends can take: the repaired ones take at most one for each node.
STEPS = 60


class NeverEndsError(Exception):
    """A loop has returned to an earlier state, or has nothing left to choose from."""


def _new(seen: set[Hashable], state: Hashable, algorithm: str) -> None:
    """Record the state of a loop whose answers do not change.

    Raises
    ------
    NeverEndsError
        If the loop has been in this state before, or has taken more than `STEPS` steps.
    """
    if state in seen or len(seen) > STEPS:
        raise NeverEndsError(algorithm)
    seen.add(state)


def normalised(weights: Mapping[N, Fraction]) -> dict[N, Fraction]:
    """Divide weights by their sum; if all are zero, return them unchanged."""
    total = sum(weights.values())
    return {x: w / total for x, w in weights.items()} if total else dict(weights)


def branch(tree: nx.Graph[N], node: N, neighbour: N) -> set[N]:
    """Return B^{node:neighbour}: the nodes reached from ``neighbour`` once its edge to ``node`` is cut."""
    found, pending = {neighbour}, [neighbour]
    while pending:
        here = pending.pop()
        for other in tree[here]:
            if other not in found and {here, other} != {node, neighbour}:
                found.add(other)
                pending.append(other)
    return found


def central_node(tree: nx.Graph[N], q: Mapping[N, Fraction], first: N | None = None, *, strictly: bool = False) -> N:
    """Run Algorithm 6; ``strictly`` applies its only repair, > 1/2 (L100)."""
    v = first if first is not None else min(tree)  # line 1
    seen: set[Hashable] = set()
    while True:
        _new(seen, v, "Algorithm 6")
        weights = {x: sum((q[y] for y in branch(tree, v, x)), NONE) for x in sorted(tree[v])}
        heaviest = max(weights.values(), default=NONE)
        if not (heaviest > HALF if strictly else heaviest >= HALF):  # line 2
            return v
        v = max(weights, key=weights.__getitem__)  # line 3


def _centre(tree: nx.Graph[N], q: Mapping[N, Fraction], first: N | None) -> N:
    return central_node(tree, q, first, strictly=True)


def find_sub_tree(
    tree: nx.Graph[str], do: Interventions, first: str | None = None, repaired: Collection[str] = ()
) -> tuple[str, set[str]]:
    """Run Algorithm 3.

    A node to which no line gives a new weight keeps its weight. ``repaired`` may contain L101 and L102.
    """
    q = normalised(dict.fromkeys(tree, ONE))  # line 2
    seen: set[Hashable] = set()
    while True:  # line 3
        _new(seen, frozenset(q.items()), "Algorithm 3")
        if not sum(q.values()):
            raise NeverEndsError("Algorithm 3: no node has a weight, which line 3 does not check")
        v = _centre(tree, q, first)  # line 4
        effect = do.on(1, v, list(tree[v]))  # lines 5 to 17
        if effect.ancestor:
            return v, {v}.union(*(branch(tree, v, y) for y in tree[v] if y in effect.moved))  # line 19
        after = dict(q)
        for y in tree[v]:  # lines 21 to 27
            if y in effect.moved:
                after |= dict.fromkeys(branch(tree, v, y) | {v}, NONE)
            else:
                after |= dict.fromkeys(branch(tree, v, y), ONE)
        q = normalised(_mended(q, after, v, repaired))


def _mended(
    before: Mapping[str, Fraction], after: dict[str, Fraction], centre: str, repaired: Collection[str]
) -> dict[str, Fraction]:
    """Apply the repairs L101 (the centre gets no weight) and L102 (nodes ruled out stay ruled out) to new weights."""
    if "L101" in repaired:
        after[centre] = NONE
    if "L102" in repaired:
        after = {x: w if before[x] else before[x] for x, w in after.items()}
    return after


def _rooted(tree: nx.Graph[N], root: N, nodes: Collection[N]) -> dict[N, N | None]:
    """Direct the subtree of ``nodes`` away from ``root``; return the parent of each node."""
    parent: dict[N, N | None] = {root: None}
    pending = [root]
    while pending:
        here = pending.pop()
        for other in tree[here]:
            if other in nodes and other not in parent:
                parent[other] = here
                pending.append(other)
    return parent


def find_key_node(
    tree: nx.Graph[str],
    root: str,
    nodes: Collection[str],
    do: Interventions,
    first: str | None = None,
    repaired: Collection[str] = (),
    *,
    one_left: bool = False,
) -> str | None:
    """Run Algorithm 4.

    If one node is left, return None, because the printed loop then ends without an answer, or, with ``one_left``, that
    node (L105). ``repaired`` may contain L102.
    """
    tree, parent = tree.subgraph(nodes), _rooted(tree, root, nodes)
    q = normalised(dict.fromkeys(nodes, ONE))  # line 2
    seen: set[Hashable] = set()
    while True:
        _new(seen, frozenset(q.items()), "Algorithm 4")
        if sum(w > 0 for w in q.values()) <= 1:  # line 3
            return next((x for x in sorted(q) if q[x]), None) if one_left else None
        v = _centre(tree, q, first if first in nodes else None)  # line 4
        children = [x for x in sorted(nodes) if parent[x] == v]
        after, above = dict(q), parent[v]
        if not do.on(2, v).ancestor:  # lines 5 to 16
            if above is not None:
                after |= dict.fromkeys(branch(tree, v, above), ONE)
            after[v] = NONE
            for y in children:
                after |= dict.fromkeys(branch(tree, v, y), NONE)
        else:
            reward = None  # lines 18 to 26
            for y in children:
                if do.on(2, y).ancestor:
                    reward = branch(tree, v, y)
            if reward is None:
                return v
            after = {x: Fraction(x in reward) for x in nodes}  # line 30
        q = normalised(_mended(q, after, v, set(repaired) - {"L101"}))


def find_sub_junction_tree(
    graph: nx.Graph[str],
    do: Interventions,
    first: Clique | None = None,
    junction: nx.Graph[Clique] | None = None,
) -> tuple[Clique, set[Clique]]:
    """Run Algorithm 7."""
    tree = junction_tree(graph) if junction is None else junction
    q = normalised(dict.fromkeys(tree, ONE))  # line 2
    seen: set[Hashable] = set()
    while True:
        _new(seen, frozenset(q.items()), "Algorithm 7")
        if not sum(q.values()):
            raise NeverEndsError("Algorithm 7: no clique has a weight, which line 3 does not check")
        c = _centre(tree, q, first)  # line 4
        effects = {z: do.on(1, z, set(graph) - {z}) for z in c}  # lines 5 to 7
        down = {  # lines 11 to 15
            y for y in tree[c] if all(v in effects[z].moved for z in separator(c, y) for v in set(y) - set(c))
        }
        if any(effect.ancestor for effect in effects.values()):  # lines 8 to 10, 16 to 18
            cut: set[Clique] = set().union(*(branch(tree, c, y) for y in tree[c] if y not in down))
            return c, set(tree) - cut
        after = dict(q)
        for y in tree[c]:  # lines 19 to 25
            if y in down:
                after |= dict.fromkeys(branch(tree, c, y) | {c}, NONE)
            else:
                after |= dict.fromkeys(branch(tree, c, y), ONE)
        q = normalised(after)


def find_key_clique(
    graph: nx.Graph[str],
    root: Clique,
    cliques: Collection[Clique],
    do: Interventions,
    first: Clique | None = None,
    junction: nx.Graph[Clique] | None = None,
    repaired: Collection[str] = (),
) -> Clique | None:
    """Run Algorithm 8; if one clique is left, return it (L105). ``repaired`` may contain L109."""
    whole = junction_tree(graph) if junction is None else junction
    tree, parent = whole.subgraph(cliques), _rooted(whole, root, cliques)
    q = normalised(dict.fromkeys(cliques, ONE))  # line 2
    seen: set[Hashable] = set()
    while True:
        _new(seen, frozenset(q.items()), "Algorithm 8")
        if sum(w > 0 for w in q.values()) <= 1:  # line 3
            return next((c for c in cliques if q[c]), None)
        c = _centre(tree, q, first if first in cliques else None)  # line 4
        children = [x for x in sorted(cliques) if parent[x] == c]
        if not any(do.on(2, z).ancestor for z in c):  # lines 5 to 12
            after = dict.fromkeys(cliques, ONE)
            for y in children:
                after |= dict.fromkeys(branch(tree, c, y), NONE)
        else:
            reward = None  # lines 14 to 21
            for y in children:
                asked: Iterable[str] = set(y) - set(c) if "L109" in repaired else y
                if any(do.on(2, z).ancestor for z in asked):
                    reward = branch(tree, c, y)
                    break
            if reward is None:
                return c
            after = {x: Fraction(x in reward) for x in cliques}  # lines 25 and 26
        q = normalised(after)


def algorithm_2(
    graph: nx.Graph[str],
    do: Interventions,
    first: Clique | None = None,
    junction: nx.Graph[Clique] | None = None,
    repaired: Collection[str] = (),
) -> Clique | None:
    """Run stages 1 and 2 on a chordal component."""
    root, cliques = find_sub_junction_tree(graph, do, first, junction=junction)
    return find_key_clique(graph, root, cliques, do, first, junction=junction, repaired=repaired)


# Stages 1 and 2 with exact answers on the graphs of an experiment.

#: Options of a model that a policy's settings can contain, besides those of its builder.
_MODEL = frozenset(inspect.signature(assumed).parameters) - {"parents", "rng"}


class Ends(NamedTuple):
    """Numbers of searches that ended with X_R, ended with something else, or never ended."""

    right: int
    wrong: int
    never: int

    @property
    def total(self) -> int:
        """Total number of searches."""
        return sum(self)


def instances(settings: Mapping[str, Any], draws: int) -> Iterator[tuple[ADMG, str]]:
    """Yield the graph and X_R of draws 0, 1, ... of an experiment's problem.

    Parameters
    ----------
    settings : mapping
        Settings of one of the experiment's policies: the problem, and its options.
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

    Two things are repaired, because otherwise no search would end: Algorithm 6's tie (L100), and a single remaining
    node, which becomes the answer (L105). Chain components are tried in the order of their names, as printed.

    Parameters
    ----------
    settings : mapping
        Settings of CN-UCB in the experiment.
    draws : int
    """
    search = _forest if settings["graph"] == "forest" else _general
    right = wrong = never = 0
    for dag, reward in instances(settings, draws):
        try:
            found = search(dag, ExactInterventions(dag, [reward]))
        except NeverEndsError:
            never += 1
            continue
        right, wrong = right + (reward in found), wrong + (reward not in found)
    return Ends(right, wrong, never)


def _forest(dag: ADMG, do: ExactInterventions) -> tuple[str, ...]:
    """Run Algorithm 5, which on a single tree is Algorithm 1."""
    for tree in chain_components(essential_graph(dag)):
        root, nodes = find_sub_tree(tree, do)
        return (find_key_node(tree, root, nodes, do, one_left=True) or "",)
    return ()


def _general(dag: ADMG, do: ExactInterventions) -> tuple[str, ...]:
    """Run Algorithm 2."""
    for component in chain_components(essential_graph(dag)):
        return algorithm_2(component, do, junction=junction_tree(component)) or ()
    return ()


def undirected_edges(dag: ADMG, reward: str) -> int:
    """Count the edges of a causal tree whose direction CN-UCB does not know when stage 2 ends.

    Answers are exact. For every variable intervened on in stage 1, CN-UCB knows which neighbours are its effects, and
    what follows because no node of a directed tree has two parents. This directs all edges on which stage 2 works.
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
