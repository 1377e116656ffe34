"""BCE: bounds contain the exact effect on random models, and what huang2024 says of its example and of Theorem 4."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from strategies import positive_scm, with_holes

from causal_bandits.estimation.biased import adjusted, conditional_probability
from causal_bandits.estimation.bounds import (
    BCE,
    find_conditional_substitutes,
    find_rsi,
)
from causal_bandits.graphs import ADMG
from causal_bandits.models import DiscreteSCM

METHODS = ("conditional_substitute", "strict")

#: Fig. 2 of huang2024 without its hidden node C1.
GRAPH = ADMG(
    [("U1", "X1"), ("U2", "X2"), ("X1", "I1"), ("I1", "Y"), ("U1", "Y"), ("X2", "Y"), ("I1", "S")], [("I1", "Y")]
)
OBSERVED = ("U1", "U2", "X1", "X2", "I1", "Y")
CONTEXT, TREATMENT = ("U1", "U2"), ("X1", "X2")


def random_problem(seed):
    """A random graph over four to six variables and S, with a query whose contexts do not descend from X."""
    rng = np.random.default_rng(seed)
    names = "ABCDEF"[: rng.integers(4, 7)]
    order = [*rng.permutation(list(names)).tolist(), "S"]
    pairs = list(combinations(order, 2))
    into_s = (0.1, 0.2, 0.3)[seed % 3]
    graph = ADMG(
        [(a, b) for a, b in pairs if rng.random() < (into_s if b == "S" else 0.3)],
        [pair for pair in pairs if rng.random() < 0.12],
        nodes=order,
    )
    outcome, *rest = rng.permutation(list(names)).tolist()
    treatment = rest[: rng.integers(1, 3)]
    before = sorted(set(rest) - graph.descendants(treatment))
    return graph, treatment, [v for v in before if rng.random() < 0.5], outcome, rng


def exact_effect(scm, treatment, context, outcome):
    """P(outcome | do(treatment), context), axes context, treatment, outcome."""
    effect = np.empty([scm.cardinality(v) for v in (*context, *treatment, outcome)])
    for states in product(*(range(scm.cardinality(v)) for v in treatment)):
        joint = scm.distribution([*context, outcome], do=dict(zip(treatment, states, strict=True)))
        effect[(slice(None),) * len(context) + states] = joint / joint.sum(axis=-1, keepdims=True)
    return effect


def selected_joint(scm, variables):
    return scm.distribution(variables, given={"S": 1})


def test_every_bound_contains_the_exact_effect():
    kinds = Counter()
    for seed in range(330):
        graph, treatment, some, outcome, rng = random_problem(seed)
        scm = positive_scm(graph, rng)
        variables = rng.permutation([v for v in graph.nodes if v != "S"]).tolist()
        joint = selected_joint(scm, variables)
        for context, method in product({(), tuple(some)}, METHODS):
            effect = exact_effect(scm, treatment, context, outcome)
            bce = BCE(graph, treatment=treatment, context=context, outcome=outcome, method=method)
            lower, upper = bce.distribution_bounds(joint, variables)
            assert lower.shape == upper.shape == effect.shape
            assert (lower <= effect + 1e-10).all(), (seed, context, method)
            assert (effect <= upper + 1e-10).all(), (seed, context, method)
            width = (upper - lower).max()
            kind = "point" if width < 1e-9 else "vacuous" if (upper - lower).min() == 1 else "interval"
            kinds[method, bool(context), kind] += 1
    assert sum(kinds.values()) >= 1000
    for method, contextual in product(METHODS, (True, False)):
        assert kinds[method, contextual, "point"] >= 50, kinds
        assert kinds[method, contextual, "vacuous"] >= 50, kinds
    assert kinds["conditional_substitute", False, "interval"] >= 20, kinds
    assert kinds["conditional_substitute", True, "interval"] >= 8, kinds


@pytest.mark.parametrize("method", METHODS)
def test_bounds_contain_the_exact_effect_where_the_selected_leave_cells_empty(method):
    kinds = Counter()
    for seed in range(400):
        graph, treatment, some, outcome, rng = random_problem(seed)
        scm = with_holes(positive_scm(graph, rng), rng, share=0.4)
        if scm.distribution(["S"])[1] == 0:
            continue
        variables = [v for v in graph.nodes if v != "S"]
        joint = selected_joint(scm, variables)
        context = some if seed % 2 else ()
        with np.errstate(invalid="ignore"):
            effect = exact_effect(scm, treatment, context, outcome)  # NaN in contexts that never occur
        bce = BCE(graph, treatment=treatment, context=context, outcome=outcome, method=method)
        lower, upper = bce.distribution_bounds(joint, variables)
        assert not (lower > effect + 1e-9).any(), seed
        assert not (effect > upper + 1e-9).any(), seed
        if bce._factors is not None:
            kinds["interval"] += bool(((upper - lower > 1e-6) & (upper - lower < 0.999)).any())
            kinds["point"] += bool((upper - lower < 1e-9).any())
    assert min(kinds["interval"], kinds["point"]) >= 10, kinds


def test_a_stratum_without_data_counts_in_the_upper_bound_only():
    """By hand: 105 units, of which 5 have Z=1, all with X=0; selection depends on nothing."""
    counts = np.array([[[30, 20], [10, 40]], [[2, 3], [0, 0]]])  # Z, X, Y
    lower, upper = BCE(
        ADMG([("Z", "X"), ("X", "Y"), ("Z", "Y")], nodes="S"), treatment=["X"], context=(), outcome="Y"
    ).bounds(counts, "ZXY")
    exact = (20 / 50 * 100 + 3 / 5 * 5) / 105
    np.testing.assert_allclose(lower, [exact, 0.8 * 100 / 105])
    np.testing.assert_allclose(upper, [exact, (0.8 * 100 + 5) / 105])


def graph_with_substitute(rng):
    """W affects Y and S, X affects Y; further edges at random."""
    order = ["C", "X", "W", "A", "Y", "S"]
    more = [pair for pair in combinations(order, 2) if rng.random() < 0.15]
    bidirected = [pair for pair in combinations(order, 2) if rng.random() < 0.08]
    return ADMG([("X", "Y"), ("W", "Y"), ("W", "S"), *more], bidirected, nodes=order)


@pytest.mark.parametrize("method", METHODS)
def test_intervals_from_substitutes_contain_the_exact_effect(method):
    """Random graphs seldom leave an interval; these do."""
    intervals = 0
    for seed in range(150):
        rng = np.random.default_rng(seed)
        graph = graph_with_substitute(rng)
        scm = positive_scm(graph, rng)
        variables = [v for v in graph.nodes if v != "S"]
        for context in ((), ("C",)):
            bce = BCE(graph, treatment=["X"], context=context, outcome="Y", method=method)
            lower, upper = bce.distribution_bounds(selected_joint(scm, variables), variables)
            effect = exact_effect(scm, ["X"], context, "Y")
            assert (lower <= effect + 1e-10).all()
            assert (effect <= upper + 1e-10).all()
            intervals += bool(bce.substitutes) and 1e-9 < (upper - lower).max() < 1
    assert intervals >= 30


def test_upper_bounds_from_c_factors_alone_contain_the_exact_effect():
    """Theorem 3 where Y's factor is recovered and that of its cause A is not, A being an ancestor of S."""
    informative = Counter()
    for seed in range(150):
        rng = np.random.default_rng(seed)
        order = ["C", "X", "A", "Y", "S"]
        more = [pair for pair in combinations(order[:-1], 2) if rng.random() < 0.2]
        bidirected = [pair for pair in combinations(order, 2) if rng.random() < 0.1]
        graph = ADMG([("X", "Y"), ("A", "Y"), ("A", "S"), *more], bidirected, nodes=order)
        scm = positive_scm(graph, rng)
        variables = [v for v in graph.nodes if v != "S"]
        for context in ((), ("C",)):
            bce = BCE(graph, treatment=["X"], context=context, outcome="Y", max_substitutes=0)
            lower, upper = bce.distribution_bounds(selected_joint(scm, variables), variables)
            effect = exact_effect(scm, ["X"], context, "Y")
            assert (lower <= effect + 1e-10).all()
            assert (effect <= upper + 1e-10).all()
            informative[context] += (lower == 0).all() and (upper < 1).any()
    assert min(informative[()], informative["C",]) >= 15, informative


# ---------------------------------------------------------------------- bounds that cannot be narrower


def test_an_effect_that_is_identified_gets_no_interval():
    """Without hidden confounders, and S apart, every effect is identified: the best bounds are the effect itself."""
    for seed in range(40):
        graph, treatment, context, outcome, rng = random_problem(seed)
        graph = ADMG([edge for edge in graph.directed if "S" not in edge], nodes=graph.nodes)
        scm = positive_scm(graph, rng)
        variables = [v for v in graph.nodes if v != "S"]
        effect = exact_effect(scm, treatment, context, outcome)
        for method in METHODS:
            bce = BCE(graph, treatment=treatment, context=context, outcome=outcome, method=method)
            for end in bce.distribution_bounds(selected_joint(scm, variables), variables):
                np.testing.assert_allclose(end, effect, atol=1e-10)


#: W affects the outcome and alone decides who is selected, so P(w) can be anything; Z confounds X and Y.
SELECTED_BY_W = ADMG([("X", "Y"), ("W", "Y"), ("W", "S"), ("Z", "X"), ("Z", "Y")])


@pytest.mark.parametrize(("context", "method"), [((), "strict"), (("Z",), "conditional_substitute")])
@pytest.mark.parametrize("seed", range(5))
def test_bounds_are_the_best_there_are_where_only_p_of_w_is_unknown(context, method, seed):
    """P(y | do(x)) = sum over w of P(w) P(y | do(x, w)), and every P(w) agrees with some P(v | S=1)."""
    scm = positive_scm(SELECTED_BY_W, np.random.default_rng(seed))
    variables = ["W", "X", "Y", "Z"]
    bce = BCE(SELECTED_BY_W, treatment=["X"], context=context, outcome="Y", method=method)
    lower, upper = bce.distribution_bounds(selected_joint(scm, variables), variables)
    forced = exact_effect(scm, ["X", "W"], context, "Y")
    np.testing.assert_allclose(lower, forced.min(axis=-2), atol=1e-10)
    np.testing.assert_allclose(upper, forced.max(axis=-2), atol=1e-10)


@pytest.mark.parametrize("context", [(), ("C",)])
@pytest.mark.parametrize("seed", range(1, 6))
def test_upper_bounds_from_c_factors_are_those_of_theorem_3(context, seed):
    """P_x(y | c) = sum over a of P(a) P(y | x, a, c), and each unrecovered P(a) is at most one."""
    graph = ADMG([("X", "Y"), ("A", "Y"), ("A", "S"), ("C", "Y")], nodes="B")
    scm = positive_scm(graph, np.random.default_rng(seed))
    variables = ["A", "B", "C", "X", "Y"]
    bce = BCE(graph, treatment=["X"], context=context, outcome="Y", max_substitutes=0)
    lower, upper = bce.distribution_bounds(selected_joint(scm, variables), variables)
    forced = exact_effect(scm, ["X", "A"], context, "Y")
    np.testing.assert_allclose(lower, np.zeros_like(lower))
    np.testing.assert_allclose(upper, np.minimum(1, forced.sum(axis=-2)), atol=1e-10)
    assert (upper < 1).any()


# ---------------------------------------------------------------------- Theorem 4


def test_selection_in_the_exchange_condition_changes_no_substitute():
    """E01: the paper's condition has S beside W; where P_{x,w}(y) is recoverable it asks for nothing more."""
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        order = [*rng.permutation(list("ABXY")).tolist(), "S"]
        pairs = list(combinations(order, 2))
        directed, bidirected = ([p for p in pairs if rng.random() < share] for share in (0.3, 0.08))
        graph = ADMG(directed, bidirected, nodes=order)
        for substitute in find_rsi(graph, treatment=["X"], context=[], outcome="Y"):
            w = substitute.variables
            found += bool(w)
            printed = graph.do({"X"}).without_edges_out_of(w)
            assert printed.is_d_separated({"Y"}, w | {"S"}, {"X"}), (seed, w)
    assert found > 100


def test_theorem_4_as_printed_is_not_a_bound():
    """E01: W is recoverable, yet P_x(y) lies outside the extremes of P_{x,w}(y).

    Z is a fair coin, W its copy (up to noise) and Y tells whether they differ. Y is 1 with probability 0.02 or less
    for both x, but with probability near 1/2 once W is forced. S is independent of everything.
    """
    graph = ADMG([("Z", "W"), ("Z", "Y"), ("W", "Y"), ("X", "Y")], nodes="S")
    noisy = [[0.99, 0.01], [0.01, 0.99]]
    differ = [[[0.99, 0.01], [0.01, 0.99]], [[0.01, 0.99], [0.99, 0.01]]]
    scm = DiscreteSCM(
        graph,
        {
            "X": ((), [0.5, 0.5]),
            "Z": ((), [0.5, 0.5]),
            "W": (("Z",), noisy),
            "Y": (("Z", "W", "X"), np.stack([differ, differ], axis=2)),
            "S": ((), [0.5, 0.5]),
        },
    )
    (printed,) = (
        s for s in find_rsi(graph, treatment=["X"], context=[], outcome="Y", exchangeable=False) if s.variables == {"W"}
    )
    assert printed.covariates == {"Z"}
    assert frozenset("W") not in {s.variables for s in find_rsi(graph, treatment=["X"], context=[], outcome="Y")}
    for x in (0, 1):
        substitutes = [scm.distribution(["Y"], {"X": x, "W": w})[1] for w in (0, 1)]
        np.testing.assert_allclose(substitutes, 0.5)
        assert scm.distribution(["Y"], {"X": x})[1] < 0.03


def test_a_superset_of_a_valid_substitute_never_tightens_the_bound():
    """So that it costs nothing to keep the minimal ones alone."""
    compared = 0
    for seed in range(200):
        graph, treatment, context, outcome, rng = random_problem(seed)
        scm = positive_scm(graph, rng, max_states=2)
        variables = [v for v in graph.nodes if v != "S"]
        joint = selected_joint(scm, variables)
        bce = BCE(graph, treatment=treatment, context=context, outcome=outcome)
        valid = [
            s.variables
            for s in find_conditional_substitutes(graph, treatment=treatment, context=context, outcome=outcome)
        ]
        assert set(bce.substitutes) == {w for w in valid if not any(smaller < w for smaller in valid)}
        lower, upper = bce.distribution_bounds(joint, variables)
        for w in valid:
            low, high = substitute_bounds_by_loops(joint, variables, treatment, context, outcome, sorted(w))
            assert (low <= lower + 1e-10).all()
            assert (upper <= high + 1e-10).all()
            compared += w not in bce.substitutes
    assert compared >= 100


def substitute_bounds_by_loops(joint, variables, treatment, context, outcome, w):
    """Twin: the extremes over w of P(y | x, c, w, S=1), cell by cell."""
    axes = [*context, *treatment, outcome]
    size = dict(zip(variables, joint.shape, strict=True))
    lower, upper = np.empty([size[v] for v in axes]), np.empty([size[v] for v in axes])
    for states in product(*(range(size[v]) for v in axes)):
        found = []
        for more in product(*(range(size[v]) for v in w)):
            at = dict(zip([*axes[:-1], *w], [*states[:-1], *more], strict=True))
            cells = joint[tuple(at.get(v, slice(None)) for v in variables)]
            left = [v for v in variables if v not in at]
            by_outcome = cells.sum(axis=tuple(i for i, v in enumerate(left) if v != outcome))
            found.append(by_outcome[states[-1]] / by_outcome.sum())
        lower[states], upper[states] = min(found), max(found)
    return lower, upper


def test_bounds_equal_those_computed_cell_by_cell():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        joint = rng.uniform(0.1, 1, size=(2,) * 6)
        lower, upper = BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y").distribution_bounds(
            joint, OBSERVED
        )
        low, high = substitute_bounds_by_loops(joint, OBSERVED, TREATMENT, CONTEXT, "Y", ["I1"])
        np.testing.assert_allclose(lower, low)
        np.testing.assert_allclose(upper, high)


# ---------------------------------------------------------------------- the paper's example


def test_the_example_read_to_the_letter_is_vacuous():
    bce = BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y", method="strict")
    assert bce.substitutes == ()
    assert frozenset().union(*(f.members for f in bce.c_factors)) == {"Y", "I1", "U1", "U2"}
    recovered = {tuple(sorted(f.members)): f.expression is not None for f in bce.c_factors}
    assert recovered == {("I1", "Y"): False, ("U1",): False, ("U2",): True}
    lower, upper = bce.bounds(np.ones((2,) * 6), OBSERVED)
    assert lower.shape == (2, 2, 2, 2)
    assert (lower == 0).all()
    assert (upper == 1).all()
    # Nor does dropping the condition help: I1 <-> Y keeps {I1} from being recoverable.
    assert find_rsi(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y", exchangeable=False) == ()


def test_the_example_has_one_conditional_substitute():
    bce = BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y")
    assert bce.substitutes == (frozenset({"I1"}),)
    assert BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y", max_substitutes=0).substitutes == ()
    assert BCE(GRAPH, treatment=TREATMENT, context=(), outcome="Y").substitutes == (frozenset({"I1", "U1"}),)


# ---------------------------------------------------------------------- samples


def test_counts_give_the_same_as_probabilities_in_any_order_of_axes():
    rng = np.random.default_rng(3)
    counts = rng.integers(1, 50, size=(2,) * 6)
    bce = BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y")
    expected = bce.bounds(counts / counts.sum(), OBSERVED)
    order = rng.permutation(6)
    shuffled = bce.bounds(counts.transpose(order), [OBSERVED[i] for i in order])
    np.testing.assert_allclose(bce.bounds(counts, OBSERVED), expected)
    np.testing.assert_allclose(shuffled, expected)


def test_a_cell_without_data_is_vacuous_for_its_context_and_treatment_alone():
    counts = np.random.default_rng(4).integers(1, 50, size=(2,) * 6)
    bce = BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y")
    expected = bce.bounds(counts, OBSERVED)
    counts[0, 1, 1, 0, 1] = 0  # U1, U2, X1, X2, I1
    lower, upper = bce.bounds(counts, OBSERVED)
    assert (lower[0, 1, 1, 0], upper[0, 1, 1, 0]) == (0, 1)
    others = np.ones((2,) * 4, dtype=bool)
    others[0, 1, 1, 0] = False
    np.testing.assert_allclose(lower[others], expected[0][others])
    np.testing.assert_allclose(upper[others], expected[1][others])
    empty = bce.bounds(np.zeros((2,) * 6), OBSERVED)
    assert (empty[0] == 0).all()
    assert (empty[1] == 1).all()


@pytest.mark.parametrize("method", METHODS)
def test_cells_without_data_never_spoil_other_bounds(method):
    """Sparse counts: every bound is an interval in [0, 1], and where no cell is empty nothing changes."""
    for seed in range(100):
        graph, treatment, context, outcome, rng = random_problem(seed)
        variables = [v for v in graph.nodes if v != "S"]
        counts = rng.poisson(0.7, size=(2,) * len(variables))
        lower, upper = BCE(graph, treatment=treatment, context=context, outcome=outcome, method=method).bounds(
            counts, variables
        )
        assert ((lower >= 0) & (lower <= upper) & (upper <= 1)).all()


def test_estimated_bounds_that_cross_come_back_in_order():
    """P(y | x) and sum_b P(y | x, b) P(b) are the same here, but not on a sample."""
    bce = BCE(ADMG([("X", "Y"), ("B", "Y")], nodes="S"), treatment=["X"], context=(), outcome="Y")
    counts = np.random.default_rng(5).integers(1, 20, size=(2, 2, 2))
    direct = conditional_probability(counts, "XBY", treatment=["X"], context=[], outcome="Y")
    summed = adjusted(counts, "XBY", treatment=["X"], context=[], outcome="Y", covariates=["B"])
    assert np.abs(direct - summed).min() > 1e-3
    lower, upper = bce.bounds(counts, "XBY")
    np.testing.assert_allclose(lower, np.minimum(direct, summed))
    np.testing.assert_allclose(upper, np.maximum(direct, summed))


def test_estimates_approach_the_exact_bounds():
    graph, rng = graph_with_substitute(np.random.default_rng(7)), np.random.default_rng(8)
    scm = positive_scm(graph, rng, max_states=2)
    variables = [v for v in graph.nodes if v != "S"]
    joint = selected_joint(scm, variables)
    counts = rng.multinomial(200_000, joint.ravel()).reshape(joint.shape)
    bce = BCE(graph, treatment=["X"], context=(), outcome="Y")
    np.testing.assert_allclose(bce.bounds(counts, variables), bce.bounds(joint, variables), atol=0.03)


# ---------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"graph": ADMG([("X1", "Y"), ("S", "Y")], nodes=["X2", "U1", "U2"])}, r"S has children \(Y\)"),
        ({"selection": "T"}, "selection: T not in the graph"),
        ({"treatment": ["X3"]}, "treatment: X3 not in the graph"),
        ({"treatment": []}, "treatment: no variable given"),
        ({"treatment": ["X1", "X1"]}, "treatment: a variable is given twice"),
        ({"context": ["U1", "X1"]}, "X1: both treatment and context"),
        ({"context": ["S"]}, "S: both selection and context"),
        ({"outcome": "X1"}, "X1: both treatment and outcome"),
        ({"method": "loose"}, "method: 'loose', expected"),
        ({"max_substitutes": -1}, "max_substitutes: -1"),
    ],
)
def test_a_wrong_problem_is_named(changes, message):
    problem = {"graph": GRAPH, "treatment": TREATMENT, "context": CONTEXT, "outcome": "Y"} | changes
    with pytest.raises(ValueError, match=message):
        BCE(**problem)


@pytest.mark.parametrize(
    ("table", "variables", "message"),
    [
        (np.ones((2,) * 5), OBSERVED[1:], "the table has no U1"),
        (np.ones((2,) * 7), (*OBSERVED, "S"), "the table has S, which"),
        (np.ones((2,) * 5), OBSERVED, "5 axes for the variables U1, U2"),
        (np.ones((2,) * 7), (*OBSERVED, "Y"), "7 axes for the variables U1, U2"),
        (-np.ones((2,) * 6), OBSERVED, "negative numbers"),
        (np.full((2,) * 6, np.nan), OBSERVED, "not finite"),
        (np.ones((2, 2, 2, 2, 2, 3)), OBSERVED, "outcome: Y has 3 states"),
    ],
)
def test_a_wrong_table_is_named(table, variables, message):
    with pytest.raises(ValueError, match=message):
        BCE(GRAPH, treatment=TREATMENT, context=CONTEXT, outcome="Y").bounds(table, variables)
