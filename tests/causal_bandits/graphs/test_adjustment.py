"""The adjustment criterion: enumeration of paths on all small graphs, and the formula on exact distributions."""

from functools import cache
from itertools import chain, combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positive_scm

from causal_bandits.graphs import (
    ADMG,
    AdjustmentPair,
    admissible_sets,
    is_admissible,
    proper_backdoor_graph,
    proper_causal_nodes,
)


def subsets(items, smallest=0):
    return chain.from_iterable(combinations(sorted(items), k) for k in range(smallest, len(items) + 1))


class ByPaths:
    """The criterion as Correa, Tian & Bareinboim state it, by enumeration of paths, on many graphs at once.

    ``directed[a, b]`` and ``bidirected[a, b]`` are arrays over the graphs: whether they have the edge. A node is its
    number.
    """

    def __init__(self, directed, bidirected):
        self.n = len(directed)
        self.directed, self.bidirected = directed, bidirected
        self.reach = directed.copy()  # a = b excluded
        for middle in range(self.n):
            self.reach |= self.reach[:, middle, None] & self.reach[None, middle, :]

    def none(self):
        return np.zeros(self.directed.shape[2:], dtype=bool)

    def proper_causal(self, x, y):
        """Per node: whether it is outside X on a directed path from X to Y that meets X once."""
        found = [self.none() for _ in range(self.n)]

        def extend(path, exists):
            if not exists.any():
                return
            if path[-1] == y:
                for node in path[1:]:
                    found[node] |= exists
                return
            for node in set(range(self.n)) - set(path) - set(x):
                extend([*path, node], exists & self.directed[path[-1], node])

        for start in x:
            extend([start], ~self.none())
        return found

    def open_path(self, sources, target, z, avoid=(), causal_too=True, without=None):
        """Whether some path from a source to the target, through no node of ``avoid``, is open given Z.

        ``causal_too``: whether directed paths to the target count. ``without``: directed edges to leave out.
        """
        directed = self.directed if without is None else self.directed & ~without
        is_open = self.none()

        def extend(path, into_last, all_forward, alive):
            nonlocal is_open
            if not alive.any():
                return
            last = path[-1]
            if last == target:
                if causal_too or not all_forward:
                    is_open |= alive
                return
            for node in set(range(self.n)) - set(path) - set(avoid):
                for edge, out_of_last in ((directed[last, node], True), (directed[node, last], False), (None, False)):
                    exists = self.bidirected[last, node] if edge is None else edge
                    passes = alive & exists
                    if len(path) > 1:
                        if into_last and not out_of_last:  # a collider: it or a descendant must be given
                            passes = passes & (self.any_reached(last, z) if last not in z else True)
                        elif last in z:
                            continue
                    into_node = out_of_last or edge is None
                    extend([*path, node], into_node, all_forward and out_of_last, passes)

        for source in sources:
            extend([source], False, True, ~self.none())
        return is_open

    def any_reached(self, node, z):
        return np.any([self.reach[node, other] for other in z], axis=0) if z else self.none()

    def admissible(self, x, y, z, zt, s=None):
        causal = self.proper_causal(x, y)
        # Descendants once the edges into X are cut: no directed path from outside X may enter X.
        cut = ByPaths(self.directed & ~np.isin(np.arange(self.n), x)[None, :, None], self.bidirected)
        a_fails = self.none()
        for w, member in product(range(self.n), z):
            a_fails |= causal[w] & (cut.reach[w, member] | (w == member))
        given_too = set(z) | ({s} if s is not None else set())
        b_fails = self.open_path(x, y, given_too, avoid=x, causal_too=False)
        if s is None:
            return ~a_fails & ~b_fails
        first_edges = np.zeros_like(self.directed)
        for start, node in product(x, range(self.n)):
            first_edges[start, node] = causal[node]
        return ~a_fails & ~b_fails & ~self.open_path([y], s, set(zt), without=first_edges)


def arrays(graphs, names):
    number = {v: i for i, v in enumerate(names)}
    directed = np.zeros((len(names), len(names), len(graphs)), dtype=bool)
    bidirected = np.zeros_like(directed)
    for k, graph in enumerate(graphs):
        for a, b in graph.directed:
            directed[number[a], number[b], k] = True
        for a, b in graph.bidirected:
            bidirected[number[a], number[b], k] = bidirected[number[b], number[a], k] = True
    return directed, bidirected


@cache
def all_graphs(names):
    """Every ADMG over the names, each shape once: of graphs that differ in names alone, the first."""
    pairs = list(combinations(range(len(names)), 2))
    seen, graphs = set(), []
    for d, b in product(product((0, 1), repeat=len(pairs)), repeat=2):
        directed = [pair for pair, there in zip(pairs, d, strict=True) if there]
        bidirected = [pair for pair, there in zip(pairs, b, strict=True) if there]
        if (tuple(directed), tuple(bidirected)) in seen:
            continue
        for p in permutations(range(len(names))):
            renamed = sorted((p[a], p[b]) for a, b in directed)
            if all(a < b for a, b in renamed):
                seen.add((tuple(renamed), tuple(sorted((min(p[a], p[b]), max(p[a], p[b])) for a, b in bidirected))))
        graphs.append(
            ADMG(*([(names[a], names[b]) for a, b in edges] for edges in (directed, bidirected)), nodes=list(names))
        )
    return graphs


def queries(nodes):
    """All X, Y, Z, Z^T over the nodes."""
    for y in nodes:
        for x in subsets(set(nodes) - {y}, smallest=1):
            for z in subsets(set(nodes) - {y, *x}):
                for zt in subsets(z):
                    yield x, y, z, zt


def test_a_tenth_of_all_graphs_of_four_nodes_without_selection():
    names = "ABCD"
    graphs = all_graphs(names)[::10]
    twin = ByPaths(*arrays(graphs, names))
    checked = {True: 0, False: 0}
    for x, y, z, zt in queries(range(4)):
        if zt:
            continue
        expected = twin.admissible(x, y, z, zt)
        x_names, z_names = ([names[i] for i in side] for side in (x, z))
        for graph, verdict in zip(graphs, expected, strict=True):
            assert (
                is_admissible(graph, treatment=x_names, outcome=names[y], covariates=z_names, selection=None) == verdict
            ), (graph, x, y, z)
            checked[bool(verdict)] += 1
    assert min(checked.values()) > 500


def test_a_tenth_of_all_graphs_of_four_nodes_with_each_of_them_the_selection_node():
    names = "ABCD"
    graphs = all_graphs(names)[5::10]
    twin = ByPaths(*arrays(graphs, names))
    checked = {True: 0, False: 0}
    for s in range(4):
        childless = [not graph.children(names[s]) for graph in graphs]
        for x, y, z, zt in queries(sorted(set(range(4)) - {s})):
            expected = twin.admissible(x, y, z, zt, s)
            x_names, z_names, zt_names = ([names[i] for i in side] for side in (x, z, zt))
            for graph, sink, verdict in zip(graphs, childless, expected, strict=True):
                if sink:
                    found = is_admissible(
                        graph,
                        treatment=x_names,
                        outcome=names[y],
                        covariates=z_names,
                        external=zt_names,
                        selection=names[s],
                    )
                    assert found == verdict, (graph, x, y, z, zt, s)
                    checked[bool(verdict)] += 1
    assert min(checked.values()) > 150


@st.composite
def graphs_with_selection(draw, nodes=5):
    names = [*"ABCDE"[: nodes - 1], "S"]
    pairs = list(combinations(names, 2))
    kinds = draw(st.lists(st.integers(0, 6), min_size=len(pairs), max_size=len(pairs)))
    return graph_of(names, pairs, kinds)


def graph_of(names, pairs, kinds):
    """Each pair with a directed edge, a bidirected edge, both or none."""
    directed = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (0, 1, 2)]
    bidirected = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (2, 3)]
    return ADMG(directed, bidirected, nodes=list(names))


def test_random_graphs_of_five_nodes():
    names, rng = "ABCDS", np.random.default_rng(0)
    pairs = list(combinations(names, 2))
    graphs = [graph_of(names, pairs, rng.integers(7, size=len(pairs))) for _ in range(60)]
    twin = ByPaths(*arrays(graphs, names))
    for x, y, z, zt in queries(range(4)):
        expected = twin.admissible(x, y, z, zt, 4)
        x_names, z_names, zt_names = ([names[i] for i in side] for side in (x, z, zt))
        for graph, verdict in zip(graphs, expected, strict=True):
            assert (
                is_admissible(
                    graph, treatment=x_names, outcome=names[y], covariates=z_names, external=zt_names, selection="S"
                )
                == verdict
            ), (graph, x, y, z, zt)


@settings(max_examples=60)
@given(graphs_with_selection(), st.booleans())
def test_the_search_finds_all_pairs_smallest_first(graph, with_selection):
    s = "S" if with_selection else None
    rest = set("BCS") if s is None else set("BC")
    expected = [
        AdjustmentPair(frozenset(z), frozenset(zt))
        for z in subsets(rest)
        for zt in subsets(set(z) & {"B"})
        if is_admissible(graph, treatment="A", outcome="D", covariates=z, external=zt, selection=s)
    ]
    assert list(admissible_sets(graph, treatment="A", outcome="D", external="B", selection=s)) == expected


def random_instances(count):
    """Random graphs over two to four variables and S, with random binary models."""
    for seed in range(count):
        rng = np.random.default_rng(seed)
        names = [*"ABCD"[: rng.integers(2, 5)], "S"]
        pairs = list(combinations(names, 2))
        directed = [pair for pair in pairs if rng.random() < 0.4]
        bidirected = [pair for pair in pairs if rng.random() < 0.2]
        graph = ADMG(directed, bidirected, nodes=list(names))
        yield graph, names[:-1], positive_scm(graph, rng, max_states=2)


def marginal(table, nodes, kept):
    """A joint table's marginal, its axes in the order of ``kept``."""
    summed = table.sum(axis=tuple(i for i, v in enumerate(nodes) if v not in kept))
    left = [v for v in nodes if v in kept]
    return summed.transpose([left.index(v) for v in kept])


def adjusted(selected, whole, nodes, x, y, z, zt):
    """The adjustment formula on exact distributions: with the selected units', and the whole population's for Z^T."""
    biased = sorted(set(z) - set(zt))
    data = marginal(selected, nodes, [*x, *zt, *biased, y]).reshape(2 ** len(x), 2 ** len(zt), 2 ** len(biased), 2)
    conditional = data / data.sum(axis=3, keepdims=True)
    weight = data.sum(axis=(0, 3))
    if zt:
        weight = weight / weight.sum(axis=1, keepdims=True) * marginal(whole, nodes, list(zt)).reshape(-1, 1)
    return np.einsum("xaby,ab->xy", conditional, weight)


@pytest.mark.parametrize("selection", ["S", None])
def test_the_formula_gives_the_effect_exactly_where_the_criterion_holds(selection):
    """Where it fails, a model drawn at random is a counterexample: the criterion is complete."""
    held = failed = 0
    for graph, nodes, scm in random_instances(70):
        whole = scm.distribution(nodes)
        selected = scm.distribution(nodes, given={"S": 1}) if selection else whole

        @cache
        def effect(x, y, scm=scm):
            return np.array(
                [scm.distribution([y], dict(zip(x, v, strict=True))) for v in product((0, 1), repeat=len(x))]
            )

        for x, y, z, zt in queries(nodes):
            if len(x) > 2 or (selection is None and zt):
                continue
            formula = adjusted(selected, whole, nodes, x, y, z, sorted(zt))
            if is_admissible(graph, treatment=x, outcome=y, covariates=z, external=zt, selection=selection):
                np.testing.assert_allclose(formula, effect(x, y), atol=1e-10, rtol=0)
                held += 1
            else:
                assert np.abs(formula - effect(x, y)).max() > 1e-9, (graph, x, y, z, zt)
                failed += 1
    assert held > 500
    assert failed > 500


MEDIATED = ADMG(
    directed=[("A", "B"), ("B", "Y"), ("A", "Z"), ("Z", "B"), ("W", "A"), ("W", "Y"), ("B", "D")], nodes=["S"]
)


def test_proper_causal_nodes_and_the_proper_backdoor_graph():
    assert proper_causal_nodes(MEDIATED, treatment="A", outcome="Y") == {"B", "Y", "Z"}
    assert proper_causal_nodes(MEDIATED, treatment={"A", "B"}, outcome="Y") == {"Y"}
    cut = proper_backdoor_graph(MEDIATED, treatment={"A", "B"}, outcome="Y")
    assert MEDIATED.directed - cut.directed == {("B", "Y")}
    assert proper_backdoor_graph(MEDIATED, treatment="A", outcome="Y").directed == MEDIATED.directed - {
        ("A", "B"),
        ("A", "Z"),
    }


def test_a_descendant_of_a_mediator_is_forbidden():
    assert is_admissible(MEDIATED, treatment="A", outcome="Y", covariates="W")
    assert not is_admissible(MEDIATED, treatment="A", outcome="Y", covariates={"W", "D"})
    assert [
        sorted(pair.covariates) for pair in admissible_sets(MEDIATED, treatment="A", outcome="Y", selection="S")
    ] == [["W"]]


def test_a_variable_called_s_is_an_ordinary_one_unless_it_is_named_as_selection():
    graph = ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y"), ("X", "S"), ("Z", "S")])
    assert next(admissible_sets(graph, treatment="X", outcome="Y")).covariates == {"Z"}
    assert is_admissible(graph, treatment="X", outcome="Y", covariates={"Z", "S"}) == is_admissible(
        graph, treatment="X", outcome="Y", covariates={"Z", "S"}, selection=None
    )
    assert next(admissible_sets(graph, treatment="X", outcome="Y", selection="S"), None) is None
    assert next(admissible_sets(ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y")]), treatment="X", outcome="Y")).covariates == {
        "Z"
    }
    assert is_admissible(ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y")]), treatment="X", outcome="Y", covariates="Z")
    collider = ADMG([("X", "Y"), ("X", "S"), ("Y", "S")])
    assert [pair.covariates for pair in admissible_sets(collider, treatment="X", outcome="Y")] == [frozenset()]


def test_only_what_is_measured_without_selection_is_external():
    """Z and W confound; Z causes selection, so Z^T must hold Z, and may hold W only if W is external too."""
    graph = ADMG([("Z", "X"), ("Z", "Y"), ("W", "X"), ("W", "Y"), ("X", "Y"), ("Z", "S")])
    both, z, w = frozenset("ZW"), frozenset("Z"), frozenset("W")
    assert [*admissible_sets(graph, treatment="X", outcome="Y", external="Z", selection="S")] == [
        AdjustmentPair(both, z)
    ]
    assert [*admissible_sets(graph, treatment="X", outcome="Y", external="W", selection="S")] == []
    assert [*admissible_sets(graph, treatment="X", outcome="Y", external=["Z", "W"], selection="S")] == [
        AdjustmentPair(both, z),
        AdjustmentPair(both, both),
    ]
    assert not is_admissible(graph, treatment="X", outcome="Y", covariates=both, external=w, selection="S")
    for wrong in ("X", "Y", "Q"):
        with pytest.raises(ValueError, match=wrong):
            next(admissible_sets(graph, treatment="X", outcome="Y", external=wrong))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"treatment": "Q"}, "treatment: Q "),
        ({"outcome": []}, "outcome: "),
        ({"covariates": "AW"}, "A: .*treatment.*covariates"),
        ({"external": "W"}, "external: W "),
        ({"selection": "T"}, "selection: T "),
        ({"selection": "B"}, "selection: B .*D, Y"),
        ({"covariates": "S", "selection": "S"}, "S: .*selection.*covariates"),
    ],
)
def test_a_wrong_query_is_named(arguments, message):
    query = {"treatment": "A", "outcome": "Y", "covariates": ()} | arguments
    query["covariates"] = list(query["covariates"])
    with pytest.raises(ValueError, match=message):
        is_admissible(MEDIATED, **query)


def test_an_external_variable_is_one_of_the_covariates():
    for external in ("Y", "A", "D", {"W", "Y"}):
        with pytest.raises(ValueError, match=r"external: .* not among the covariates W"):
            is_admissible(MEDIATED, treatment="A", outcome="Y", covariates="W", external=external)
    with pytest.raises(ValueError, match="both outcome and external"):
        next(admissible_sets(MEDIATED, treatment="A", outcome="Y", external={"W", "Y"}))


def test_only_external_variables_are_measured_without_bias():
    """Z confounds, and selection depends on it: the pair needs Z measured outside, and takes no other variable."""
    graph = ADMG([("Z", "X"), ("Z", "Y"), ("X", "Y"), ("Z", "S"), ("W", "Z")])
    found = list(admissible_sets(graph, treatment="X", outcome="Y", external="Z", selection="S"))
    assert found == [AdjustmentPair(frozenset("Z"), frozenset("Z")), AdjustmentPair(frozenset("WZ"), frozenset("Z"))]
    assert list(admissible_sets(graph, treatment="X", outcome="Y", external="W", selection="S")) == []
    assert list(admissible_sets(graph, treatment="X", outcome="Y", selection="S")) == []


def test_what_only_causes_selection_may_be_needed():
    """To condition on S opens X -> A -> S <- B <-> Y. B blocks it, a cause of S that is none of X or Y."""
    graph = ADMG([("X", "A"), ("A", "S"), ("B", "S"), ("X", "Y")], [("B", "Y")])
    first = next(admissible_sets(graph, treatment="X", outcome="Y", external="B", selection="S"))
    assert first == AdjustmentPair(frozenset("B"), frozenset("B"))
    assert is_admissible(graph, treatment="X", outcome="Y", covariates="B", external="B", selection="S")
