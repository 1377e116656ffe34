"""Counterfactuals: every formula equals the share of worlds in which the events occur, counted in explicit models."""

from itertools import product

import numpy as np
import pytest
from strategies import NAMES

from causal_bandits.graphs import ADMG
from causal_bandits.identification import (
    Contradiction,
    Counterfactual,
    JointTable,
    NotIdentifiable,
    Value,
    identify,
    identify_conditional,
    identify_counterfactual,
)

X, X1, Y, Y1, Z = Value("X"), Value("X", 1), Value("Y"), Value("Y", 1), Value("Z")
DO_X = frozenset([X])


def random_graph(rng, most=4, hidden=0.25):
    nodes = list(rng.permutation([*NAMES[: rng.integers(1, most)], "Y"]))
    pairs = [(a, b) for i, a in enumerate(nodes) for b in nodes[i + 1 :]]
    return ADMG(
        [pair for pair in pairs if rng.random() < 0.55], [pair for pair in pairs if rng.random() < hidden], nodes
    )


class Worlds:
    """All worlds of a random model: arbitrary functions of parents, hidden causes and a noise of three values."""

    def __init__(self, graph, rng, noises=3):
        self.graph = graph
        hidden = [f"U{a}{b}" for a, b in sorted(graph.bidirected)]
        sizes = {u: 2 for u in hidden} | {v: noises for v in graph.nodes}
        self.shares = {v: rng.dirichlet(np.full(n, 3.0)) for v, n in sizes.items()}
        self.inputs = {
            v: [*sorted(graph.parents(v)), *(f"U{a}{b}" for a, b in sorted(graph.bidirected) if v in (a, b))]
            for v in graph.nodes
        }
        self.functions = {v: self._function(len(self.inputs[v]), noises, rng) for v in graph.nodes}
        grid = np.array(list(product(*(range(n) for n in sizes.values()))))
        self.noise = dict(zip(sizes, grid.T, strict=True))
        self.mass = np.prod([self.shares[v][self.noise[v]] for v in sizes], axis=0)

    @staticmethod
    def _function(inputs, noises, rng):
        """A table of 0 and 1; two noises force 0 and 1, so that every value has a chance whatever the inputs."""
        table = rng.integers(0, 2, size=(*(2,) * inputs, noises))
        table[..., 0], table[..., 1] = 0, 1
        return table

    def states(self, do):
        found = {}
        for v in self.graph.topological_order:
            if v in do:
                found[v] = np.full(len(self.mass), do[v])
            else:
                inputs = [found[p] if p in found else self.noise[p] for p in self.inputs[v]]
                found[v] = self.functions[v][(*inputs, self.noise[v])]
        return found

    def probability(self, events, states):
        """The share of worlds in which all events occur; ``states`` has the number of each value."""
        occurs = np.ones(len(self.mass), dtype=bool)
        for event in events:
            world = self.states({v.variable: states[v.label] for v in event.do})
            occurs &= world[event.value.variable] == states[event.value.label]
        return self.mass[occurs].sum()

    def table(self, experiment):
        nodes = self.graph.nodes
        table = np.zeros((2,) * len(nodes))
        for values in product((0, 1), repeat=len(experiment)):
            do = dict(zip(sorted(experiment), values, strict=True))
            world = self.states(do)
            part = np.zeros_like(table)
            np.add.at(part, tuple(world[v] for v in nodes), self.mass)
            table += part
        return JointTable(nodes, table)


def random_event(graph, rng, worlds):
    value = Value(str(rng.choice(graph.nodes)), int(rng.integers(2)))
    return Counterfactual(value, worlds[rng.integers(len(worlds))])


def checked(graph, events, given, experiments, rng):
    """Identify, and hold the formula against two models; tell how it ended."""
    try:
        formula = identify_counterfactual(graph, events=events, given=given, experiments=experiments)
        outcome = "identified"
    except NotIdentifiable:
        return "not identifiable"
    except Contradiction:
        outcome = "contradiction"
    labels = sorted({v.label for e in (*events, *given) for v in (e.value, *e.do)})
    # x and x' are different, which with two states leaves one choice per variable.
    variables = sorted({label.rstrip("'") for label in labels})
    for _ in range(2):
        worlds = Worlds(graph, rng)
        first = {v: int(rng.integers(2)) for v in variables}
        states = {label: first[label.rstrip("'")] ^ label.endswith("'") for label in labels}
        joint, below = worlds.probability([*events, *given], states), worlds.probability(given, states)
        if outcome == "contradiction":
            assert joint == 0
            continue
        if below == 0:  # in this model the condition never holds
            continue
        tables = {e: worlds.table(e) for e in formula.experiments}
        found = formula.evaluate(tables, {k: v for k, v in states.items() if k in formula.arguments})
        np.testing.assert_allclose(found, joint / below, atol=1e-10)
    return outcome


@pytest.mark.parametrize("experiments", [[()], [(), ("A",), ("B",)], None])
def test_every_formula_equals_the_share_of_worlds(experiments):
    rng = np.random.default_rng(5)
    ends = {"identified": 0, "not identifiable": 0, "contradiction": 0}
    across = 0
    for _ in range(800):
        graph = random_graph(rng)
        known = None if experiments is None else [e for e in experiments if set(e) <= set(graph.nodes)]
        worlds = [frozenset()]
        for _ in range(2):
            chosen = rng.permutation(graph.nodes)[: rng.integers(1, 3)]
            worlds.append(frozenset(Value(str(v), int(rng.integers(2))) for v in chosen))
        events = [random_event(graph, rng, worlds) for _ in range(rng.integers(1, 3))]
        given = [random_event(graph, rng, worlds) for _ in range(rng.integers(0, 3))]
        end = checked(graph, events, given, known, rng)
        ends[end] += 1
        across += end == "identified" and len({e.do for e in (*events, *given)}) > 1
    assert ends["identified"] >= 300
    assert min(ends.values()) >= 15
    assert across >= 60


def test_one_world_is_identified_exactly_where_id_and_idc_do_it():
    rng = np.random.default_rng(6)
    verdicts = {True: 0, False: 0}
    for _ in range(2000):
        graph = random_graph(rng, most=5, hidden=0.4)
        roles = rng.integers(0, 4, size=len(graph))  # outcome, treatment, condition, nothing
        y, x, z = ([v for v, role in zip(graph.nodes, roles, strict=True) if role == k] for k in range(3))
        if not y:
            continue
        do = frozenset(map(Value, x))
        found = {}
        for name, run in {
            "published": lambda y=y, x=x, z=z, g=graph: (
                identify_conditional(g, outcome=y, treatment=x, given=z) if z else identify(g, outcome=y, treatment=x)
            ),
            "worlds": lambda y=y, z=z, g=graph, do=do: identify_counterfactual(
                g, events=[Counterfactual(Value(v), do) for v in y], given=[Counterfactual(Value(v), do) for v in z]
            ),
        }.items():
            try:
                run()
                found[name] = True
            except NotIdentifiable:
                found[name] = False
        assert found["published"] == found["worlds"], (graph, y, x, z)
        verdicts[found["worlds"]] += 1
    assert min(verdicts.values()) >= 100


def written(graph, events, given=(), **options):
    return str(identify_counterfactual(graph, events=events, given=given, **options))


def test_known_formulas():
    treated = Counterfactual(Y, DO_X)
    assert written("dag { Z -> X -> Y ; Z -> Y }", [treated], [Counterfactual(X1)]) == "sum_{z} P(y | x, z) P(z | x')"
    front_door = "dag { X -> Z -> Y ; X <-> Y }"
    assert written(front_door, [treated], [Counterfactual(X1)]) == "sum_{z} P(y | x', z) P(z | x)"
    # the natural direct effect's nested term, with its mediator as it would have been under x'
    mediated = [Counterfactual(Y, frozenset([X, Z])), Counterfactual(Z, frozenset([X1]))]
    assert written("dag { X -> Z -> Y ; X -> Y }", mediated) == "P(y | x, z) P(z | x')"
    # Shpitser & Pearl (2008), Fig. 9: a drug, another drug, and what would have been
    d, seen = Value("D"), [Counterfactual(X1), Counterfactual(Z, frozenset([Value("D")])), Counterfactual(Value("D"))]
    assert written("dag { X -> W -> Y ; D -> Z -> Y ; X <-> Y }", [treated], seen) == (
        "sum_{w} P(w | x) P(y | w, x', z)"
    )
    assert d.label == "D"


def test_a_treatment_given_its_potential_outcome_needs_that_treatments_own_value():
    """For x' the joint distribution is not known, for x it is: P(x, y) / P_x(y)."""
    bow, outcome = "dag { X -> Y ; X <-> Y }", [Counterfactual(Y, DO_X)]
    formula = identify_counterfactual(bow, events=[Counterfactual(X)], given=outcome, experiments=[(), ("X",)])
    assert str(formula) == "(P(x, y)) / (P_x(y))"
    with pytest.raises(NotIdentifiable, match="two worlds"):
        identify_counterfactual(bow, events=[Counterfactual(X1)], given=outcome, experiments=[(), ("X",)])


@pytest.mark.parametrize(
    ("graph", "events", "given"),
    [
        ("dag { X -> Y ; X <-> Y }", [Counterfactual(Y, DO_X)], [Counterfactual(X1)]),
        ("dag { X -> Y }", [Counterfactual(Y, DO_X), Counterfactual(Y1)], []),  # necessity and sufficiency
        ("dag { X -> Z -> Y ; X <-> Y }", [Counterfactual(Y, DO_X)], [Counterfactual(X1), Counterfactual(Y1)]),
    ],
)
def test_what_no_formula_gives_is_refused(graph, events, given):
    with pytest.raises(NotIdentifiable, match="two worlds"):
        identify_counterfactual(graph, events=events, given=given)


@pytest.mark.parametrize(
    ("events", "given", "error", "words"),
    [
        ([Counterfactual(Y)], [Counterfactual(Y1)], Contradiction, "excludes"),
        ([Counterfactual(X1, DO_X)], [], Contradiction, "its own intervention"),
        ([Counterfactual(Y, DO_X)], [Counterfactual(X), Counterfactual(Y1)], Contradiction, "contradicts the cond"),
        ([], [], ValueError, "no event"),
        ([Counterfactual(Value("Q"))], [], ValueError, "Q not in the graph"),
        ([Counterfactual(Y, frozenset([X, X1]))], [], ValueError, "two values"),
        ([Counterfactual(Value("Y", -1))], [], ValueError, "primes"),
    ],
)
def test_refusals(events, given, error, words):
    with pytest.raises(error, match=words):
        identify_counterfactual("dag { X -> Y }", events=events, given=given)


def test_what_is_certain_has_probability_one():
    certain = identify_counterfactual(
        "dag { X -> Y }", events=[Counterfactual(Y, DO_X)], given=[Counterfactual(X), Counterfactual(Y)]
    )
    assert str(certain) == "1"
