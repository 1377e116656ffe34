"""Bounds by linear programs: they contain the effect, lie within natural bounds, and equal what is known otherwise."""

import contextlib
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import beta
from strategies import positive_scm, with_holes

from causal_bandits.estimation.linear_programs import ContradictedGraph, LinearProgramBounds, NotLinear
from causal_bandits.estimation.natural import natural_bounds
from causal_bandits.graphs import ADMG
from causal_bandits.identification import NotIdentifiable, identify

BOW = ADMG([("X", "Y")], [("X", "Y")])
INSTRUMENT = ADMG([("Z", "X"), ("X", "Y")], [("X", "Y")])


def random_problem(seed):
    """A random graph over three to five variables, with a query whose contexts do not descend from X.

    In two thirds of them the outcome comes last and a treatment is confounded with it.
    """
    rng = np.random.default_rng(seed)
    names = list("ABCDE"[: rng.integers(3, 6)])
    order = rng.permutation(names).tolist()
    outcome, *rest = order[::-1] if seed % 3 else rng.permutation(order).tolist()
    treatment = rest[: 1 + (rng.random() < 0.25)]
    pairs = list(combinations(order, 2))
    confounded = [(treatment[0], outcome)] if seed % 3 else []
    graph = ADMG(
        [pair for pair in pairs if rng.random() < 0.5],
        [*confounded, *(pair for pair in pairs if rng.random() < 0.2)],
        nodes=names,
    )
    before = sorted(set(rest) - graph.descendants(treatment))
    return graph, treatment, [v for v in before if rng.random() < 0.4], outcome, rng


def exact_effect(scm, treatment, context, outcome):
    effect = np.empty([scm.cardinality(v) for v in (*context, *treatment, outcome)])
    for states in product(*(range(scm.cardinality(v)) for v in treatment)):
        joint = scm.distribution([*context, outcome], do=dict(zip(treatment, states, strict=True)))
        effect[(slice(None),) * len(context) + states] = joint / joint.sum(axis=-1, keepdims=True)
    return effect


def test_natural_bounds_contain_those_of_linear_programs_and_these_the_effect():
    kinds = Counter()
    for seed in range(250):
        graph, treatment, context, outcome, rng = random_problem(seed)
        try:
            problem = LinearProgramBounds(graph, treatment=treatment, context=context, outcome=outcome, limit=3000)
            scm = positive_scm(graph, rng, max_states=2 + (seed % 4 == 0))
            joint = scm.distribution(graph.nodes)
            lower, upper = problem.bounds(joint, graph.nodes)
        except NotLinear:
            kinds["not linear"] += 1
            continue
        effect = exact_effect(scm, treatment, context, outcome)
        widest = natural_bounds(joint, graph.nodes, treatment=treatment, context=context, outcome=outcome)
        assert lower.shape == upper.shape == effect.shape == widest[0].shape
        assert problem.misfit(joint, graph.nodes) < 1e-6, seed
        for below, above in ((widest[0], lower), (lower, effect), (effect, upper), (upper, widest[1])):
            assert (below <= above + 1e-6).all(), (seed, graph, treatment, context, outcome)
        width = float((upper - lower).max())
        if problem.identified:
            assert width == 0
        narrower = (widest[1] - widest[0] - (upper - lower)).max() > 1e-3
        kinds["identified" if problem.identified else "narrower" if narrower else "as natural bounds"] += 1
    assert kinds["identified"] >= 150, kinds
    assert kinds["narrower"] >= 20, kinds
    assert kinds["as natural bounds"] >= 30, kinds


def balke_pearl(p):
    """The closed form of P(y=1 | do(x=1)) for a binary instrument; p[z, x, y] = P(x, y | z) (Balke & Pearl 1997)."""

    def q(y, x, z):
        return p[z, x, y]

    lower = max(
        q(1, 1, 1),
        q(1, 1, 0),
        -q(0, 0, 0) - q(0, 1, 0) + q(0, 0, 1) + q(1, 1, 1),
        -q(1, 0, 0) - q(0, 1, 0) + q(1, 0, 1) + q(1, 1, 1),
        -q(0, 0, 1) - q(0, 1, 1) + q(0, 0, 0) + q(1, 1, 0),
        -q(1, 0, 1) - q(0, 1, 1) + q(1, 0, 0) + q(1, 1, 0),
    )
    upper = min(
        1 - q(0, 1, 1),
        1 - q(0, 1, 0),
        q(0, 0, 0) + q(1, 1, 0) + q(1, 0, 1) + q(1, 1, 1),
        q(1, 0, 0) + q(1, 1, 0) + q(0, 0, 1) + q(1, 1, 1),
        q(1, 0, 0) + q(1, 1, 0) + q(0, 0, 1) + q(1, 1, 1),
        q(0, 0, 1) + q(1, 1, 1) + q(1, 0, 0) + q(1, 1, 0),
        q(0, 0, 0) + q(1, 1, 0) + q(1, 0, 1) + q(1, 1, 1),
        q(1, 0, 1) + q(1, 1, 1) + q(0, 0, 0) + q(1, 1, 0),
    )
    return lower, upper


def test_a_binary_instrument_has_the_bounds_of_the_closed_form():
    problem, rng, narrower = (
        LinearProgramBounds(INSTRUMENT, treatment=["X"], context=[], outcome="Y"),
        np.random.default_rng(5),
        0,
    )
    assert problem.sharp
    for _ in range(150):
        responses = rng.dirichlet(np.full(16, rng.choice([0.1, 1.0]))).reshape(2, 2, 2, 2)
        p = np.zeros((2, 2, 2))
        for z in range(2):
            for functions in np.ndindex(2, 2, 2, 2):  # x at z=0 and 1, y at x=0 and 1
                x = functions[z]
                p[z, x, functions[2 + x]] += responses[functions]
        share = rng.uniform(0.2, 0.8)
        joint = p * np.array([1 - share, share])[:, None, None]
        lower, upper = problem.bounds(joint, ["Z", "X", "Y"])
        for flip in range(2):  # exchanging the names of X's states gives the other arm
            expected = balke_pearl(p[:, ::-1] if flip == 0 else p)
            np.testing.assert_allclose((lower[flip, 1], upper[flip, 1]), expected, atol=1e-6)
        widest = natural_bounds(joint, ["Z", "X", "Y"], treatment=["X"], context=[], outcome="Y")
        narrower += (widest[1] - widest[0] - (upper - lower)).max() > 1e-3
    assert narrower > 100


def test_the_bow_graph_has_the_natural_bounds():
    problem, rng = LinearProgramBounds(BOW, treatment=["X"], context=[], outcome="Y"), np.random.default_rng(1)
    for shape in [(2, 2)] * 40 + [(3, 2), (2, 3), (3, 3)] * 10:
        joint = rng.dirichlet(np.full(np.prod(shape), 0.7)).reshape(shape)
        expected = natural_bounds(joint, ["X", "Y"], treatment=["X"], context=[], outcome="Y")
        np.testing.assert_allclose(problem.bounds(joint, ["X", "Y"]), expected, atol=1e-6)


def whole_program(graph, scm, x, y):
    """P(y | do(x)) over all response functions of all variables at once: every c-component's functions in one table.

    Only for graphs with one c-component of several variables, whose other variables have no parents.
    """
    nodes, order = graph.nodes, graph.topological_order
    (group,) = (c for c in graph.c_components() if len(c) > 1)
    roots = [v for v in order if v not in group]
    assert not any(graph.parents(v) for v in roots)
    members = [v for v in order if v in group]
    size = {v: scm.cardinality(v) for v in nodes}
    tables = []  # per member all functions from the states of its parents
    for v in members:
        rows = list(product(*(range(size[p]) for p in sorted(graph.parents(v)))))
        tables.append([dict(zip(rows, f, strict=True)) for f in product(range(size[v]), repeat=len(rows))])
    joint = scm.distribution(nodes)
    weight = {v: scm.distribution([v]) for v in roots}
    columns = list(product(*tables))

    def outcome(functions, states, do):
        states = dict(states)
        for v, f in zip(members, functions, strict=True):
            states[v] = do[v] if v in do else f[tuple(states[p] for p in sorted(graph.parents(v)))]
        return states

    worlds = [dict(zip(roots, s, strict=True)) for s in product(*(range(size[v]) for v in roots))]
    rows, right = [], []
    for world in worlds:
        results = [outcome(f, world, {}) for f in columns]
        chance = np.prod([weight[v][world[v]] for v in roots])
        for cell in product(*(range(size[v]) for v in members)):
            full = world | dict(zip(members, cell, strict=True))
            rows.append([result == full for result in results])
            right.append(joint[tuple(full[v] for v in nodes)] / chance)
    goal = np.zeros(len(columns))
    for world in worlds:
        chance = np.prod([weight[v][s] for v, s in world.items()])
        goal += chance * np.array([outcome(f, world, x)[y] == 1 for f in columns])
    solved = [linprog(sign * goal, A_eq=np.array(rows, float), b_eq=right) for sign in (1, -1)]
    return solved[0].fun, -solved[1].fun


@pytest.mark.parametrize(
    ("graph", "treatment"),
    [
        (INSTRUMENT, "X"),
        (ADMG([("Z", "X"), ("X", "Y"), ("W", "Y")], [("X", "Y")]), "X"),  # split by W would lose, were X's not linked
        (ADMG([("Z", "X"), ("X", "Y"), ("Z", "Y")], [("X", "Y")]), "X"),  # split by Z
        (ADMG([("X", "M"), ("M", "Y")], [("X", "M"), ("M", "Y"), ("X", "Y")]), "M"),
        (ADMG([("X", "M"), ("M", "Y"), ("X", "Y")], [("X", "M"), ("M", "Y"), ("X", "Y")]), "X"),
        (ADMG([("Z", "X"), ("X", "M"), ("M", "Y")], [("X", "M"), ("M", "Y"), ("X", "Y")]), "X"),
        (ADMG([("W", "X"), ("W", "A"), ("A", "X"), ("X", "Y")], [("A", "Y"), ("X", "Y"), ("A", "X")]), "X"),
    ],
)
def test_solving_piece_by_piece_loses_nothing(graph, treatment):
    for seed in range(8):
        scm = positive_scm(graph, np.random.default_rng(seed), max_states=2)
        problem = LinearProgramBounds(graph, treatment=[treatment], context=[], outcome="Y")
        lower, upper = problem.bounds(scm.distribution(graph.nodes), graph.nodes)
        for x in range(2):
            expected = whole_program(graph, scm, {treatment: x}, "Y")
            np.testing.assert_allclose((lower[x, 1], upper[x, 1]), expected, atol=1e-6)


def test_an_effect_is_identified_where_id_says_so_and_its_bounds_are_the_formula():
    found = 0
    for seed in range(150):
        graph, treatment, _, outcome, rng = random_problem(seed)
        try:
            identify(graph, outcome=outcome, treatment=treatment)
        except NotIdentifiable:
            with contextlib.suppress(NotLinear):
                assert not LinearProgramBounds(graph, treatment=treatment, context=[], outcome=outcome).identified
            continue
        problem = LinearProgramBounds(graph, treatment=treatment, context=[], outcome=outcome)
        assert problem.identified
        scm = positive_scm(graph, rng)
        lower, upper = problem.bounds(scm.distribution(graph.nodes), graph.nodes)
        np.testing.assert_allclose(lower, exact_effect(scm, treatment, [], outcome), atol=1e-9)
        np.testing.assert_array_equal(lower, upper)
        found += 1
    assert found > 50


@pytest.mark.parametrize("graph", [BOW, INSTRUMENT, ADMG([("C", "X"), ("C", "Y"), ("X", "Y")], [("X", "Y")])])
def test_bounds_from_samples_hold_as_often_as_they_say(graph):
    context = ["C"] if "C" in graph else []
    problem, missed, widths = LinearProgramBounds(graph, treatment=["X"], context=context, outcome="Y"), 0, []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        scm = positive_scm(graph, rng, max_states=2)
        joint = scm.distribution(graph.nodes)
        counts = rng.multinomial(400, joint.ravel()).reshape(joint.shape)
        lower, upper = problem.bounds(counts, graph.nodes, confidence=0.9)
        exact = problem.bounds(joint, graph.nodes)
        effect = exact_effect(scm, ["X"], context, "Y")
        missed += not ((lower <= effect).all() and (effect <= upper).all())
        widths.append(((upper - lower) - (exact[1] - exact[0])).mean())
    assert missed <= 19  # 10 of 100 may miss
    assert 0 < np.mean(widths) < 0.35


def test_data_that_contradict_the_graph_are_measured_and_refused_with_confidence():
    problem = LinearProgramBounds(INSTRUMENT, treatment=["X"], context=[], outcome="Y")
    joint = np.zeros((2, 2, 2))
    joint[0, 1, 0] = joint[1, 1, 1] = 0.5  # X is always 1, but Y follows the instrument
    assert problem.misfit(joint, ["Z", "X", "Y"]) == pytest.approx(2.0)
    lower, upper = problem.bounds(joint, ["Z", "X", "Y"])
    assert (lower <= upper).all()
    assert problem.bounds(np.round(joint * 10), ["Z", "X", "Y"], confidence=0.95)[0].min() >= 0
    with pytest.raises(ContradictedGraph, match="contradict the graph"):
        problem.bounds(joint * 1000, ["Z", "X", "Y"], confidence=0.95)


def test_cells_without_units_are_vacuous():
    graph = ADMG([("C", "X"), ("C", "Y"), ("X", "Y")], [("X", "Y")])
    joint = np.zeros((2, 2, 2))
    joint[0] = [[4, 1], [2, 3]]
    lower, upper = LinearProgramBounds(graph, treatment=["X"], context=["C"], outcome="Y").bounds(
        joint, ["C", "X", "Y"]
    )
    np.testing.assert_allclose(lower[0, :, 1], [0.1, 0.3])
    assert (lower[1] == 0).all()
    assert (upper[1] == 1).all()
    for found, expected in zip(
        natural_bounds(joint, ["C", "X", "Y"], treatment=["X"], context=["C"], outcome="Y"), (lower, upper), strict=True
    ):
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_bounds_contain_the_effect_where_cells_are_empty_and_are_never_wider_than_natural_ones():
    kinds = Counter()
    for seed in range(400):
        rng = np.random.default_rng(seed)
        pairs, treatment, outcome = list(combinations("ABCDE", 2)), ["BCD"[rng.integers(3)]], "E"
        hidden = [pair for pair in pairs if rng.random() < 0.08]
        hidden += [(*treatment, outcome)] if seed % 3 == 0 else []
        graph = ADMG([pair for pair in pairs if rng.random() < 0.8], hidden, list("ABCDE"))
        context = [v for v in "ABC" if v < treatment[0] and seed % 4 == 0 and rng.random() < 0.5]
        scm = positive_scm(graph, rng, max_states=2 + (seed % 5 == 0))
        scm = with_holes(scm, rng, treatment if seed % 2 else None)
        joint = scm.distribution(graph.nodes)
        try:
            problem = LinearProgramBounds(graph, treatment=treatment, context=context, outcome=outcome, limit=1000)
            found = problem.solve(joint, graph.nodes)
        except NotLinear:
            continue
        assert found.misfit == 0
        with np.errstate(invalid="ignore"):
            effect = exact_effect(scm, treatment, context, outcome)  # NaN in contexts that never occur
        widest = natural_bounds(joint, graph.nodes, treatment=treatment, context=context, outcome=outcome)
        assert not (found.lower > effect + 1e-6).any(), seed
        assert not (effect > found.upper + 1e-6).any(), seed
        assert (widest[0] <= found.lower + 1e-6).all(), seed
        assert (found.upper <= widest[1] + 1e-6).all(), seed
        kind = "identified" if problem.identified else "program"
        kinds[kind, bool(found.gaps)] += 1
        width = found.upper - found.lower
        if found.gaps:
            kinds[kind, "informative"] += bool(((width > 1e-6) & (width < 0.999)).any())
            kinds[kind, "narrower"] += bool((width < widest[1] - widest[0] - 1e-6).any())
        elif problem.identified:
            assert (width[joint_of_context(joint, graph.nodes, context, width) > 0] == 0).all()
    assert min(kinds["identified", key] for key in (True, False, "informative", "narrower")) >= 30, kinds
    assert min(kinds["program", key] for key in (True, "informative")) >= 8, kinds


def joint_of_context(joint, variables, context, like):
    """P(c), in the shape of the bounds."""
    kept = [list(variables).index(v) for v in context]
    share = np.einsum(joint, range(joint.ndim), kept)
    return np.broadcast_to(share.reshape(*share.shape, *[1] * (like.ndim - share.ndim)), like.shape)


def test_strata_without_any_unit_are_no_gaps():
    counts = np.array([[[30, 20], [10, 40]], [[2, 3], [0, 0]], [[0, 0], [0, 0]]])  # z, x, y
    problem = LinearProgramBounds(ADMG([("Z", "X"), ("X", "Y"), ("Z", "Y")]), treatment=["X"], context=[], outcome="Y")
    (gap,) = problem.solve(counts, ["Z", "X", "Y"]).gaps
    assert gap.states.tolist() == [[1, 1]]
    assert problem.solve(counts[[0, 2]], ["Z", "X", "Y"]).gaps == ()


def test_no_bounds_of_sparse_counts_are_wider_than_natural_ones():
    """Counts in which variables depend on each other though the graph says otherwise."""
    clipped = 0
    for seed in range(600):
        graph, treatment, context, outcome, rng = random_problem(3 * seed)
        with contextlib.suppress(NotLinear):
            problem = LinearProgramBounds(graph, treatment=treatment, context=context, outcome=outcome, limit=300)
            counts = rng.poisson(0.5, size=[2] * len(graph))
            found = problem.solve(counts, graph.nodes)
            if found.gaps:
                low, high = natural_bounds(counts, graph.nodes, treatment=treatment, context=context, outcome=outcome)
                wide = found.upper - found.lower > 1e-9 if problem.identified else np.ones(low.shape, dtype=bool)
                assert (low[wide] <= found.lower[wide] + 1e-9).all(), seed
                assert (found.upper[wide] <= high[wide] + 1e-9).all(), seed
                clipped += bool((wide & (np.abs(found.lower - low) < 1e-12) & (low > 0)).any())
    assert clipped >= 3


def test_strata_weigh_what_they_have_in_the_records_where_some_are_empty():
    """By a plain sum, for independent covariates of which many joint states were never randomised to an arm."""
    rng = np.random.default_rng(0)
    z, x = rng.integers(0, 2, (300, 7)), rng.integers(0, 2, 300)
    y = (rng.random(300) < 0.2 + 0.05 * z.sum(axis=1) + 0.2 * x).astype(int)
    names = [*(f"Z{i}" for i in range(7)), "X", "Y"]
    counts = np.zeros([2] * 9)
    np.add.at(counts, (*z.T, x, y), 1)
    graph = ADMG([*((v, w) for v in names[:7] for w in "XY"), ("X", "Y")])
    found = LinearProgramBounds(graph, treatment=["X"], context=[], outcome="Y").solve(counts, names)
    cells = counts.reshape(128, 2, 2)
    for arm in range(2):
        lower = upper = 0.0
        for stratum in cells:
            share, units = stratum.sum() / 300, stratum[arm].sum()
            lower += share * stratum[arm, 1] / units if units else 0
            upper += share * stratum[arm, 1] / units if units else share
        assert (found.lower[arm, 1], found.upper[arm, 1]) == pytest.approx((lower, upper))
        assert 0.1 < upper - lower < 0.4


def test_a_variable_that_does_not_matter_takes_the_state_that_has_units():
    """P(y | do(x)) of the napkin graph is the same for every r; one state of r has an empty cell."""
    graph = ADMG([("W", "R"), ("R", "X"), ("X", "Y")], [("W", "X"), ("W", "Y")])
    problem = LinearProgramBounds(graph, treatment=["X"], context=[], outcome="Y")
    scm = positive_scm(graph, np.random.default_rng(3), max_states=2)
    for hole in (0, 1):
        tables = {v: scm.cpt(v) for v in scm.variables}
        rows = np.array(tables["R"].table)
        rows[0] = [hole, 1 - hole]  # so W=0 never has R=hole
        tables["R"] = tables["R"]._replace(table=rows)
        model = type(scm)(graph, tables)
        found = problem.solve(model.distribution(graph.nodes), graph.nodes)
        np.testing.assert_allclose(found.lower, exact_effect(model, ["X"], [], "Y"), atol=1e-9)
        np.testing.assert_allclose(found.upper, found.lower)
        assert not found.gaps


@pytest.mark.parametrize(
    ("graph", "treatment", "context", "error", "message"),
    [
        (BOW, [], [], ValueError, "treatment: no variable given"),
        (BOW, ["Q"], [], ValueError, "Q"),
        (ADMG([("X", "C"), ("X", "Y")]), ["X"], ["C"], ValueError, "context: C: effects of the treatment"),
        (
            ADMG([("X", "M"), ("M", "Y"), ("Z", "Y")], [("X", "M"), ("Z", "Y")]),
            ["X", "Z"],
            [],
            NotLinear,
            "several groups",
        ),
    ],
)
def test_what_has_no_program_is_refused(graph, treatment, context, error, message):
    with pytest.raises(error, match=message):
        LinearProgramBounds(graph, treatment=treatment, context=context, outcome="Y")


def test_a_program_that_is_too_large_is_refused():
    graph = ADMG([("A", "X"), ("B", "X"), ("X", "Y")], [("X", "Y")])
    problem = LinearProgramBounds(graph, treatment=["X"], context=[], outcome="Y", limit=50)
    with pytest.raises(NotLinear, match="64 joint response functions of X, Y; expected at most 50"):
        problem.bounds(np.ones((2, 2, 2, 2)), graph.nodes)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (ADMG([("X", "Y")]), "identified by a formula"),
        (ADMG([("W", "X"), ("W", "Y"), ("X", "Y")], [("X", "Y")]), "make them part of the context"),
    ],
)
def test_where_there_are_no_limits_of_confidence_the_reason_is_said(graph, message):
    problem = LinearProgramBounds(graph, treatment=["X"], context=[], outcome="Y")
    with pytest.raises(ValueError, match=message):
        problem.bounds(np.ones([2] * len(graph)), graph.nodes, confidence=0.9)


def test_limits_of_the_bow_graph_are_those_of_its_four_cells():
    counts = np.array([[30, 50], [70, 250]])
    lower, upper = LinearProgramBounds(BOW, treatment=["X"], context=[], outcome="Y").bounds(
        counts, ["X", "Y"], confidence=0.9
    )
    error = 0.1 / 8  # a lower and an upper limit of each cell
    least = beta.ppf(error, counts, 400 - counts + 1)
    most = beta.ppf(1 - error, counts + 1, 400 - counts)
    for x, y in np.ndindex(2, 2):
        # The cell itself has at least its limit, and what the three others leave.
        assert lower[x, y] == pytest.approx(max(least[x, y], 1 - most.sum() + most[x, y]), abs=1e-7)
        assert upper[x, y] == pytest.approx(1 - max(least[x, 1 - y], 1 - most.sum() + most[x, 1 - y]), abs=1e-7)


@pytest.mark.parametrize(
    ("directed", "bidirected", "sharp"),
    [
        ([("X", "M"), ("M", "Y")], [("X", "M"), ("M", "Y")], False),  # X and Y share no hidden cause
        ([("X", "M"), ("M", "Y")], [("X", "M"), ("M", "Y"), ("X", "Y")], True),
        ([("Z", "X"), ("X", "Y")], [("X", "Y")], True),
        ([("Z", "X"), ("X", "Y")], [("X", "Y"), ("Z", "X")], False),
        ([("X", "Y"), ("Y", "D")], [("X", "Y"), ("Y", "D")], True),  # D is no ancestor of Y
    ],
)
def test_bounds_are_sharp_if_all_pairs_of_the_component_share_a_cause(directed, bidirected, sharp):
    assert LinearProgramBounds(ADMG(directed, bidirected), treatment=["X"], context=[], outcome="Y").sharp == sharp
