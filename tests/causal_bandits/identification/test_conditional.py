"""IDC: every formula is the exact conditional effect, and where it fails two models disagree or ID fails as well."""

from itertools import combinations, product

import numpy as np
import pytest
from strategies import joint_tables, positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.identification import NotIdentifiable, identify, identify_conditional


def test_every_formula_equals_the_exact_conditional_effect():
    ends = {"identified": 0, "only conditional": 0, "not identifiable": 0}

    rng = np.random.default_rng(8)
    for _ in range(700):
        nodes = [*"ABCD"[: rng.integers(2, 5)], "Y"]
        nodes = list(map(str, rng.permutation(nodes)))
        pairs = list(combinations(nodes, 2))
        graph = ADMG([p for p in pairs if rng.random() < 0.5], [p for p in pairs if rng.random() < 0.35], nodes)
        roles = {v: rng.choice(["x", "z", "-"]) for v in graph.nodes if v != "Y"}
        x, z = ([v for v in sorted(roles) if roles[v] == role] for role in "xz")
        if not z:
            continue
        try:
            formula = identify_conditional(graph, outcome="Y", treatment=x, given=z)
        except NotIdentifiable:
            ends["not identifiable"] += 1
            with pytest.raises(NotIdentifiable):  # the joint effect would determine the conditional one
                identify(graph, outcome=["Y", *z], treatment=x)
            continue
        ends["identified"] += 1
        try:
            identify(graph, outcome=["Y", *z], treatment=x)
        except NotIdentifiable:
            ends["only conditional"] += 1
        scm = positive_scm(graph, rng)
        found, labels = formula.evaluate(joint_tables(scm, formula.experiments)), formula.arguments
        for states in product(*(range(scm.cardinality(v)) for v in (*x, *z))):
            at = dict(zip((*x, *z), states, strict=True))
            exact = scm.distribution(["Y"], {v: at[v] for v in x}, {v: at[v] for v in z})
            value = found[tuple(at.get(label, slice(None)) for label in labels)]
            axis = [label for label in labels if label not in at].index("Y")
            shape = [-1 if i == axis else 1 for i in range(value.ndim)]
            np.testing.assert_allclose(value, np.broadcast_to(exact.reshape(shape), value.shape), atol=1e-10)
    assert ends["identified"] >= 200
    assert min(ends.values()) >= 15


def test_known_formulas():
    def written(graph, **query):
        return str(identify_conditional(graph, outcome="Y", **query))

    assert written("dag { X -> Z -> Y ; X <-> Z }", treatment="X", given="Z") == "P(y | z)"
    assert written("dag { X -> Z -> Y ; X <-> Y }", treatment="X", given="Z") == "sum_{x} P(y | x, z) P(x)"
    assert written("dag { Z -> X -> Y ; Z -> Y }", treatment="X", given="Z") == "P(y | x, z)"
    assert written("dag { X -> Y }", given="X") == "P(y | x)"
    assert written("dag { X -> Y }", treatment="X") == "P(y | x)"


def test_refusals():
    with pytest.raises(NotIdentifiable, match=r"P\(Y \| do\(X\), Z\) is not identifiable"):
        identify_conditional("dag { X -> Y -> Z ; X <-> Y }", outcome="Y", treatment="X", given="Z")
    with pytest.raises(ValueError, match="both treatment and given"):
        identify_conditional("dag { X -> Y }", outcome="Y", treatment="X", given="X")
    with pytest.raises(ValueError, match="outcome: no variable given"):
        identify_conditional("dag { X -> Y }", outcome=[], treatment="X")
