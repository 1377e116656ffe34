"""Random instances that several test modules share."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

from causal_bandits.graphs import ADMG
from causal_bandits.identification import JointTable
from causal_bandits.models import ARM_STRATEGIES, CPT, FAMILIES, DiscreteSCM, SCMBandit
from causal_bandits.models.binary_glm import BinaryGLM

NAMES = ("A", "B", "C", "D", "E", "F", "Y")


@st.composite
def admgs(draw, min_nodes=2, max_nodes=7, names=NAMES):
    """Random ADMGs that always hold Y; every pair has a directed edge, a bidirected edge, both or neither."""
    size = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations([*names[: size - 1], "Y"]))
    pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    kinds = draw(st.lists(st.integers(0, 7), min_size=len(pairs), max_size=len(pairs)))
    directed = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (0, 1, 2)]
    bidirected = [pair for pair, kind in zip(pairs, kinds, strict=True) if kind in (2, 3)]
    return ADMG(directed, bidirected, nodes=order)


@st.composite
def admgs_with_constraints(draw, **sizes):
    """A random ADMG and a random set of non-manipulable variables."""
    graph = draw(admgs(**sizes))
    others = [node for node in graph if node != "Y"]
    return graph, frozenset(draw(st.lists(st.sampled_from(others), unique=True)))


@st.composite
def bandits(draw, max_nodes=4):
    """A random bandit: diagram, constraint, parameters and arm strategy."""
    graph, fixed = draw(admgs_with_constraints(max_nodes=max_nodes))
    family = FAMILIES[draw(st.sampled_from(sorted(FAMILIES)))]
    scm = family(graph, np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
    return SCMBandit(scm, "Y", fixed, draw(st.sampled_from(sorted(ARM_STRATEGIES))))


@st.composite
def causal_queries(draw, max_treatments=3, **sizes):
    """A random ADMG, an outcome that holds Y, and a treatment apart from it."""
    graph = draw(admgs(**sizes))
    others = [node for node in graph if node != "Y"]
    treatment = draw(st.lists(st.sampled_from(others), unique=True, max_size=max_treatments))
    rest = [node for node in others if node not in treatment]
    more = draw(st.lists(st.sampled_from(rest), unique=True, max_size=1)) if rest else []
    return graph, frozenset(["Y", *more]), frozenset(treatment)


def positive_scm(graph, rng, max_states=3):
    """A random SCM of two or three states per variable whose every probability is well away from zero."""
    hidden = {f"U{a}{b}": (a, b) for a, b in sorted(graph.bidirected)}
    cards = {v: int(rng.integers(2, max_states + 1)) for v in [*hidden, *graph]}
    cpts = {}
    for v in [*hidden, *graph]:
        parents = [
            *(sorted(graph.parents(v)) if v in graph else ()),
            *(u for u, ends in hidden.items() if v in ends),
        ]
        weights = rng.uniform(0.15, 1, size=(*(cards[p] for p in parents), cards[v]))
        cpts[v] = (parents, weights / weights.sum(axis=-1, keepdims=True))
    return DiscreteSCM(graph, cpts)


def with_holes(scm, rng, variables=None, share=0.6):
    """A model of the same graph in which variables never have some of their states, given some states of parents."""
    cpts = {}
    for v in scm.variables:
        parents, table = scm.cpt(v)
        table = table.copy()
        for row in np.ndindex(*table.shape[:-1]):
            if (variables is None or v in variables) and rng.random() < share:
                table[row][rng.integers(table.shape[-1])] = 0
        cpts[v] = (parents, table / table.sum(axis=-1, keepdims=True))
    return DiscreteSCM(scm.graph, cpts)


def joint_tables(scm, experiments):
    """The exact joint table of each intervention set, axes in the order of the graph's nodes."""
    tables = {}
    nodes = scm.graph.nodes
    shape = [scm.cardinality(v) for v in nodes]
    for experiment in {frozenset(z) for z in experiments}:
        table = np.empty(shape)
        rest = [v for v in nodes if v not in experiment]
        for states in product(*(range(scm.cardinality(v)) for v in sorted(experiment))):
            do = dict(zip(sorted(experiment), states, strict=True))
            table[tuple(do.get(v, slice(None)) for v in nodes)] = scm.distribution(rest, do)
        tables[experiment] = JointTable(nodes, table)
    return tables


def assert_equals_effect(expression, scm, outcome, treatment):
    """The expression, on exact tables, is P(outcome | do(treatment)) for all values of its arguments."""
    tables = joint_tables(scm, expression.experiments)
    value = expression.evaluate(tables)
    labels = expression.arguments
    outcome, treatment = sorted(outcome), sorted(treatment)
    assert set(outcome) <= set(labels)
    for states in product(*(range(scm.cardinality(v)) for v in treatment)):
        do = dict(zip(treatment, states, strict=True))
        exact = scm.distribution(outcome, do)
        # Axes that are neither outcome nor treatment belong to values that may be any: the effect repeats
        # along them.
        index = tuple(do.get(label, slice(None)) for label in labels)
        left = [label for label in labels if label not in do]
        shape = [exact.shape[outcome.index(label)] if label in outcome else 1 for label in left]
        in_order = exact.transpose([outcome.index(label) for label in left if label in outcome])
        np.testing.assert_allclose(
            value[index], np.broadcast_to(in_order.reshape(shape), value[index].shape), atol=1e-10
        )


def random_scm(graph, rng, max_states=3):
    """Random tables with two or three states, zeros included now and then."""
    cards = {v: int(rng.integers(2, max_states + 1)) for v in graph}
    hidden = {f"U{a}{b}": (a, b) for a, b in sorted(graph.bidirected)}
    cards |= {u: int(rng.integers(2, max_states + 1)) for u in hidden}
    cpts = {}
    for v in [*hidden, *graph]:
        observed = sorted(graph.parents(v)) if v in graph else []
        parents = [*observed, *(u for u, ends in hidden.items() if v in ends)]
        rng.shuffle(parents)
        table = rng.dirichlet(np.full(cards[v], 0.7), size=tuple(cards[p] for p in parents))
        cpts[v] = CPT(parents, table)
    return DiscreteSCM(graph, cpts)


def random_assignment(scm, variables, rng):
    return {v: int(rng.integers(scm.cardinality(v))) for v in variables}


@st.composite
def glms(draw, max_nodes=6, links=("linear", "logistic")):
    """A random model over A, B, ... and Y, with one hidden variable or none; edges may have weight 0."""
    size = draw(st.integers(2, max_nodes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    order = [*"ABCDEFG"[: size - 1], "Y"]
    hidden = ["U"] if draw(st.booleans()) else []
    base, weights, chosen = dict.fromkeys(hidden, 0.4), {}, {}
    for i, v in enumerate(order):
        own = [p for p in [*hidden, *order[:i]] if rng.random() < 0.6]
        chosen[v] = str(rng.choice(list(links)))
        if chosen[v] == "linear":
            room = rng.dirichlet(np.ones(len(own) + 2))
            signs = rng.choice([-1, 1], len(own))
            base[v] = room[-1] + room[:-2][signs < 0].sum()
            weights[v] = dict(zip(own, room[:-2] * signs, strict=True))
        else:
            base[v] = rng.normal()
            weights[v] = dict(zip(own, rng.normal(0, 2, len(own)) * rng.integers(0, 2, len(own)), strict=True))
    return BinaryGLM(base, weights, chosen, hidden)


@st.composite
def interventions(draw, model):
    others = [v for v in model.graph if v != "Y"]
    return draw(st.dictionaries(st.sampled_from(others), st.integers(0, 1), max_size=2))
