"""Public functions that take a graph take an ADMG, a text of dagitty and a networkx DiGraph alike."""

import inspect
import pkgutil
from importlib import import_module

import networkx as nx
import numpy as np
import pytest

import causal_bandits
from causal_bandits.discovery import structural_hamming_distance
from causal_bandits.estimation import (
    BCE,
    LinearProgramBounds,
    find_conditional_substitutes,
    find_rsi,
    implied_independences,
    independence_tests,
)
from causal_bandits.graphs import (
    ADMG,
    admissible_sets,
    brute_force,
    interventional_border,
    is_admissible,
    minimal_intervention_sets,
    muct,
    possibly_optimal_intervention_sets,
    reward_separator,
)
from causal_bandits.identification import (
    Probability,
    c_factor,
    c_factorisation,
    expressions_among,
    identify,
    identify_c_factor,
    identify_conditional,
    recover_c_factor,
    reward_expressions,
    z2id,
)
from causal_bandits.identification.admissible import (
    find_admissible_sequence,
    is_admissible_sequence,
    largest_covariates,
    of_adjustment_set,
    of_parents,
)
from causal_bandits.identification.expression import values_of
from causal_bandits.models import DiscreteSCM, from_ones, noisy_gates, uniform_cpt
from causal_bandits.models.families import hundredths_xor

XY = {"treatment": "X", "outcome": "Y"}
XCY = {"treatment": ["X"], "context": [], "outcome": "Y"}
COUNTS = np.arange(1, 17).reshape(2, 2, 2, 2)


def as_lists(scm):
    return scm.graph, scm.hidden, {v: (scm.cpt(v).parents, scm.cpt(v).table.tolist()) for v in scm.variables}


def drawn(family):
    return lambda graph: as_lists(family(graph, np.random.default_rng(1)))


#: Each function with arguments; two graphs: with a hidden cause, and one without (where a function wants that).
CALLS = {
    "identify": lambda g: identify(g, **XY),
    "identify_conditional": lambda g: identify_conditional(g, **XY, given=["W"]),
    "z2id": lambda g: z2id(g, **XY, experiments=[["W"]]),
    "c_factorisation": lambda g: c_factorisation(g, **XY),
    "c_factor": lambda g: c_factor(g, frozenset("Y"), frozenset("WXY")),
    "identify_c_factor": lambda g: identify_c_factor(g, frozenset("W"), frozenset("WX"), Probability(values_of("WX"))),
    "recover_c_factor": lambda g: recover_c_factor(g, ["Y"]),
    "reward_expressions": lambda g: reward_expressions(g, outcome="Y"),
    "expressions_among": lambda g: expressions_among(g, [["X"], ["W"]], outcome="Y"),
    "is_admissible": lambda g: is_admissible(g, **XY, covariates="W", selection=None),
    "admissible_sets": lambda g: list(admissible_sets(g, **XY, selection=None)),
    "brute_force": lambda g: brute_force(g, outcome="Y"),
    "minimal_intervention_sets": lambda g: minimal_intervention_sets(g, outcome="Y"),
    "possibly_optimal_intervention_sets": lambda g: possibly_optimal_intervention_sets(
        g, outcome="Y", non_manipulable=["X"]
    ),
    "muct": lambda g: muct(g, outcome="Y"),
    "interventional_border": lambda g: interventional_border(g, outcome="Y"),
    "reward_separator": lambda g: reward_separator(g, outcome="Y", arms=["X"], context=["W"], sizes={"X": 2, "W": 2}),
    "find_admissible_sequence": lambda g: find_admissible_sequence(g, treatment=["X"], outcome="Y"),
    "is_admissible_sequence": lambda g: is_admissible_sequence(g, treatment=["X"], outcome="Y", covariates=[["W"]]),
    "largest_covariates": lambda g: largest_covariates(g, treatment=["X"], outcome="Y"),
    "of_adjustment_set": lambda g: of_adjustment_set(g, treatment=["X"], outcome="Y", covariates="W"),
    "find_rsi": lambda g: find_rsi(g, **XCY),
    "find_conditional_substitutes": lambda g: find_conditional_substitutes(g, **XCY),
    "BCE": lambda g: BCE(g, **XCY),
    "LinearProgramBounds": lambda g: LinearProgramBounds(g, **XCY),
    "implied_independences": lambda g: implied_independences(g),
    "independence_tests": lambda g: independence_tests(g, COUNTS, ["W", "X", "Y", "S"]),
    "uniform_cpt": drawn(uniform_cpt),
    "noisy_gates": drawn(noisy_gates),
    "hundredths_xor": drawn(hundredths_xor),
}
#: The same of a graph without hidden causes.
OF_DAGS = {
    "of_parents": lambda g: of_parents(g, ["X"]),
    "structural_hamming_distance": lambda g: structural_hamming_distance(g, "dag { X -> W ; X -> Y ; S }"),
    "from_ones": lambda g: as_lists(from_ones(g, {v: MODEL.cpt(v).table[..., 1] for v in DAG})),
    "DiscreteSCM": lambda g: as_lists(DiscreteSCM(g, {v: MODEL.cpt(v) for v in DAG})),
}

CONFOUNDED = ADMG([("W", "X"), ("X", "Y"), ("X", "S")], [("W", "X")])
DAG = ADMG([("W", "X"), ("X", "Y"), ("X", "S")])
MODEL = uniform_cpt(DAG, np.random.default_rng(1))


def forms(graph):
    latent = [f"U{i} [latent] ; U{i} -> {a} ; U{i} -> {b}" for i, (a, b) in enumerate(graph.bidirected)]
    yield "dag { " + " ; ".join([*(f"{a} -> {b}" for a, b in graph.directed), *latent]) + " }"
    yield graph.to_networkx()


@pytest.mark.parametrize("name", [*CALLS, *OF_DAGS])
def test_every_form_gives_the_same(name):
    call, graph = (CALLS[name], CONFOUNDED) if name in CALLS else (OF_DAGS[name], DAG)
    expected = call(graph)
    assert [call(form) for form in forms(graph)] == [expected, expected]


def test_a_graph_that_is_changed_is_read_again():
    graph = nx.DiGraph([("W", "X"), ("W", "Y"), ("X", "Y")])
    assert find_admissible_sequence(graph, treatment=["X"], outcome="Y").covariates == ({"W"},)
    graph.remove_edge("W", "Y")
    assert find_admissible_sequence(graph, treatment=["X"], outcome="Y").covariates == (set(),)


def public_functions():
    """Functions, classes and methods that a module of the library defines, but for its commands."""
    for module in pkgutil.walk_packages(causal_bandits.__path__, "causal_bandits."):
        if module.name.endswith("__main__"):
            continue
        for name, found in vars(import_module(module.name)).items():
            if getattr(found, "__module__", "") != module.name or name.startswith("_"):
                continue
            if inspect.isfunction(found):
                yield name, found
            elif inspect.isclass(found):
                yield name, found.__init__
                yield from ((f"{name}.{n}", getattr(found, n)) for n in vars(found) if n[0] != "_")


def test_outcome_and_treatment_are_given_by_name():
    """Wherever both are asked for: a call that swaps them would answer another question."""
    asked = 0
    for name, function in public_functions():
        parameters = inspect.signature(function).parameters if inspect.isfunction(function) else {}
        if {"treatment", "outcome"} <= set(parameters):
            asked += 1
            for role in ("treatment", "outcome"):
                assert parameters[role].kind is inspect.Parameter.KEYWORD_ONLY, name
    assert asked > 15
    with pytest.raises(TypeError):
        identify(DAG, "Y", "X")


def test_every_exported_function_with_a_graph_is_tried_here():
    exported = {
        name
        for room in ("graphs", "identification", "models", "estimation")
        for name in import_module(f"causal_bandits.{room}").__all__
        if inspect.isfunction(found := getattr(import_module(f"causal_bandits.{room}"), name))
        and next(iter(inspect.signature(found).parameters), "") == "graph"
    }
    assert len(exported) > 20
    assert exported <= {*CALLS, *OF_DAGS}
