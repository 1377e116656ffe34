from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.models import DiscreteSCM
from causal_bandits.models.counterfactual import (
    UserModel,
    bounds,
    corrected_bounds,
    counterfactual_means,
    reward_means,
)
from causal_bandits.models.sampling import sample_many


@st.composite
def fair_bandits(draw, descendants=None, closed=True, z_from_s=None):
    """A random Markovian model with context, sensitive variable S, one or two arm variables, and a linear reward.

    ``descendants``: whether other context variables descend from S (None: whatever comes). ``closed``: whether the
    context comes first in the order, so that it holds its own causes. ``z_from_s=False``: no intermediate variable
    descends from S, in the model in which arms are set.
    """
    n_context, n_intermediate, n_arms = draw(st.integers(1, 3)), draw(st.integers(0, 3)), draw(st.integers(0, 2))
    n_context = max(n_context, 2 if descendants else 1)
    context = ["S", *(f"X{i}" for i in range(1, n_context))]
    arms, intermediate = [f"A{i}" for i in range(n_arms)], [f"I{i}" for i in range(n_intermediate)]
    order = [*draw(st.permutations(context)), *arms, *draw(st.permutations(intermediate))]
    if not closed:
        order = [*arms, *draw(st.permutations([*context, *intermediate]))]
    chosen = {(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if draw(st.booleans()) and b not in arms}
    if not closed:  # the context does not descend from the arms
        chosen -= {(a, b) for a in arms for b in context}
        chosen -= {
            (a, b) for a in arms for b in intermediate if ADMG(chosen, nodes=order).descendants(b).intersection(context)
        }
    if descendants is False:
        chosen -= {("S", b) for b in context}
    if descendants:
        order_of = {v: i for i, v in enumerate(order)}
        other = draw(st.sampled_from(context[1:]))
        chosen = {(a, b) for a, b in chosen if (a, b) != (other, "S")}
        if order_of[other] < order_of["S"]:
            chosen = {tuple({"S": other, other: "S"}.get(v, v) for v in edge) for edge in chosen}
        chosen.add(("S", other))
    if z_from_s is False:
        while late := ADMG(chosen, nodes=order).descendants("S").intersection(intermediate):
            chosen -= {(a, b) for a, b in chosen if b == min(late)}
    scm = positive_scm(ADMG(chosen, nodes=order), np.random.default_rng(draw(st.integers(0, 2**32 - 1))))
    parents = draw(st.lists(st.sampled_from(order), unique=True, min_size=1))
    weights = {v: draw(st.sampled_from([-1.0, -0.4, 0.2, 0.5, 1.0])) for v in parents}
    states = [range(scm.cardinality(v)) for v in arms]
    played = [dict(zip(arms, a, strict=True)) for a in product(*states)][:2]
    value = draw(st.integers(0, scm.cardinality("S") - 1))
    return UserModel(scm, tuple(context), "S", played, weights, draw(st.sampled_from([0.0, 0.3]))), value


def enumerated(model, value):
    """Sum over the cells into which all breakpoints of all tables cut each variable's noise."""
    scm, context, arms = model.scm, model.context, model.arms
    order = scm.graph.topological_order
    cells = {}
    for v in order:
        cuts = np.unique(np.concatenate([[0.0, 1.0], np.cumsum(scm.cpt(v).table, axis=-1)[..., :-1].ravel()]))
        cells[v] = list(pairwise(cuts))
    uniforms = np.array([[(low + high) / 2 for low, high in world] for world in product(*(cells[v] for v in order))])
    masses = np.array([np.prod([high - low for low, high in world]) for world in product(*(cells[v] for v in order))])
    factual = sample_many(scm.compiled, uniforms, scm.assignment_row({}))
    column = {v: i for i, v in enumerate(scm.variables)}
    means = np.full((np.prod([scm.cardinality(v) for v in context]), len(arms)), np.nan)
    for k, arm in enumerate(arms):
        other = sample_many(scm.compiled, uniforms, scm.assignment_row({**arm, model.sensitive: value}))
        reward = np.full(len(masses), model.intercept)
        for v, weight in model.weights.items():
            reward += weight * other[:, column[v]]
        for row, x in enumerate(product(*(range(scm.cardinality(v)) for v in context))):
            here = (factual[:, [column[v] for v in context]] == x).all(axis=1)
            means[row, k] = masses[here] @ reward[here] / masses[here].sum()
    return means


def identified_means(model, value):
    """Eq. 8: the mean of the user who has s* in place of s; right if no other context variable descends from S."""
    states = np.indices([model.scm.cardinality(v) for v in model.context])
    states[model.context.index(model.sensitive)] = value
    rows = np.ravel_multi_index(tuple(states), states.shape[1:]).ravel()
    return reward_means(model)[rows]


@st.composite
def small_models(draw):
    """Few noise cells: four binary variables at most, context closed or not, in any order."""
    names = ["S", "X1", "A0", "I0"]
    order = draw(st.permutations(names))
    chosen = {(a, b) for i, a in enumerate(order) for b in order[i + 1 :] if draw(st.booleans())}
    graph = ADMG(chosen, nodes=names)
    while late := graph.descendants("A0").intersection({"S", "X1"}):
        chosen -= {(a, b) for a, b in chosen if b == min(late)}
        graph = ADMG(chosen, nodes=names)
    scm = positive_scm(graph, np.random.default_rng(draw(st.integers(0, 2**32 - 1))), max_states=2)
    weights = {v: draw(st.sampled_from([-1.0, 0.5, 1.0])) for v in draw(st.lists(st.sampled_from(names), unique=True))}
    context = draw(st.sampled_from([("S",), ("S", "X1"), ("X1", "S")]))
    return UserModel(scm, context, "S", [{"A0": 0}, {"A0": 1}], weights, 0.1), draw(st.integers(0, 1))


@settings(deadline=None, max_examples=150)
@given(small_models())
def test_counterfactual_means_equal_the_sum_over_all_worlds(problem):
    np.testing.assert_allclose(counterfactual_means(*problem), enumerated(*problem), atol=1e-12)


@settings(deadline=None, max_examples=200)
@given(fair_bandits(descendants=False))
def test_identified_means_are_the_counterfactual_means(problem):
    np.testing.assert_allclose(identified_means(*problem), counterfactual_means(*problem), atol=1e-12)


@settings(deadline=None, max_examples=100)
@given(fair_bandits())
def test_reward_means_are_conditional_means(problem):
    model, scm = problem[0], problem[0].scm
    means = reward_means(model)
    for row, x in enumerate(product(*(range(scm.cardinality(v)) for v in model.context))):
        for k, arm in enumerate(model.arms):
            user = dict(zip(model.context, x, strict=True))
            slow = model.intercept + sum(w * scm.expectation(v, do=arm, given=user) for v, w in model.weights.items())
            assert means[row, k] == pytest.approx(slow, abs=1e-12)


@settings(deadline=None, max_examples=200)
@given(fair_bandits(descendants=True, z_from_s=False))
def test_theorem_2_contains_the_counterfactual_where_z_does_not_descend_from_s(problem):
    lower, upper = bounds(*problem)
    exact = counterfactual_means(*problem)
    assert (lower <= exact + 1e-12).all()
    assert (exact <= upper + 1e-12).all()


@settings(deadline=None, max_examples=200)
@given(fair_bandits(descendants=True))
def test_corrected_bounds_contain_the_counterfactual(problem):
    lower, upper = corrected_bounds(*problem)
    exact = counterfactual_means(*problem)
    assert (lower <= exact + 1e-12).all()
    assert (exact <= upper + 1e-12).all()


@settings(deadline=None, max_examples=100)
@given(fair_bandits(descendants=True, z_from_s=False))
def test_corrected_bounds_are_no_wider_where_theorem_2_holds(problem):
    (lower, upper), (low, high) = bounds(*problem), corrected_bounds(*problem)
    assert (lower <= low + 1e-12).all()
    assert (high <= upper + 1e-12).all()


def extremes_by_loops(problem, mean):
    """Least and greatest of ``mean(x, b, arm)`` over all states b of the context variables that descend from S."""
    model, scm, context = problem[0], problem[0].scm, problem[0].context
    free = [v for v in context if v != model.sensitive and v in scm.graph.descendants(model.sensitive)]
    ends = []
    for x in product(*(range(scm.cardinality(v)) for v in context)):
        user = dict(zip(context, x, strict=True))
        others = [dict(zip(free, b, strict=True)) for b in product(*(range(scm.cardinality(v)) for v in free))]
        values = np.array([[mean(user, b, arm) for b in others] for arm in model.arms])
        ends.append((values.min(axis=1), values.max(axis=1)))
    return np.array(ends).transpose(1, 0, 2)


@settings(deadline=None, max_examples=40)
@given(fair_bandits(descendants=True))
def test_theorem_2_is_the_sum_over_z_of_the_extremes_over_b(problem):
    """As printed, term by term: a bound that holds but is looser is as wrong as one that fails."""
    model, value = problem

    def mean(user, b, arm):
        # What E[R | s*, w] takes as given; z keeps P(z | x, a).
        fixed = {**user, **arm, **b, model.sensitive: value}
        return model.intercept + sum(
            w * (fixed[v] if v in fixed else model.scm.expectation(v, do=arm, given=user))
            for v, w in model.weights.items()
        )

    np.testing.assert_allclose(bounds(*problem), extremes_by_loops(problem, mean), atol=1e-12)


@settings(deadline=None, max_examples=20)
@given(fair_bandits(descendants=True))
def test_corrected_bounds_are_the_extremes_over_b_of_the_users_means(problem):
    model, value = problem

    def mean(user, b, arm):
        other = user if user[model.sensitive] == value else {**user, **b, model.sensitive: value}
        return model.intercept + sum(
            w * model.scm.expectation(v, do=arm, given=other) for v, w in model.weights.items()
        )

    np.testing.assert_allclose(corrected_bounds(*problem), extremes_by_loops(problem, mean), atol=1e-12)


def test_theorem_2_fails_where_an_intermediate_variable_descends_from_s():
    # S -> B, S -> Z, R = Z. P(Z=1 | S=s) = s: whoever had S=1 would have reward 1, but Eq. 11 keeps P(z | S=0).
    even = [[0.5, 0.5], [0.5, 0.5]]
    scm = DiscreteSCM(
        ADMG([("S", "B"), ("S", "Z")]),
        {"S": ((), [0.5, 0.5]), "B": (("S",), even), "Z": (("S",), [[1, 0], [0, 1]])},
    )
    problem = UserModel(scm, ("S", "B"), "S", [{}], {"Z": 1.0}, 0.0), 1
    lower, upper = bounds(*problem)
    assert lower.ravel().tolist() == upper.ravel().tolist() == [0, 0, 1, 1]
    assert counterfactual_means(*problem).ravel().tolist() == [1, 1, 1, 1]
    assert [end.ravel().tolist() for end in corrected_bounds(*problem)] == [[1, 1, 1, 1]] * 2


def test_eq_8_fails_where_the_context_leaves_out_its_own_causes():
    # C -> S, R = C: nobody's reward depends on S, but E[R | S=s] does.
    scm = DiscreteSCM(ADMG([("C", "S")]), {"C": ((), [0.5, 0.5]), "S": (("C",), [[0.9, 0.1], [0.1, 0.9]])})
    problem = UserModel(scm, ("S",), "S", [{}], {"C": 1.0}, 0.0), 1
    np.testing.assert_allclose(counterfactual_means(*problem).ravel(), [0.1, 0.9])
    assert scm.expectation("C", given={"S": 1}) == pytest.approx(0.9)  # what Eq. 8 would give to both
    with pytest.raises(ValueError, match="leaves out its own causes C"):
        bounds(*problem)


def test_contexts_of_probability_zero_have_no_counterfactual():
    scm = DiscreteSCM(ADMG([("S", "B")]), {"S": ((), [1.0, 0.0]), "B": (("S",), [[0.5, 0.5], [0.2, 0.8]])})
    means = counterfactual_means(UserModel(scm, ("S", "B"), "S", [{}], {"B": 1.0}, 0.0), 1)
    np.testing.assert_allclose(means.ravel(), [0.6, 1, np.nan, np.nan])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"context": ("S", "Q")}, "context: not in the model: Q"),
        ({"context": ("B",)}, "sensitive variable S is not in the context B"),
        ({"context": ("S", "B", "S")}, "names a variable twice"),
        ({"context": ("S", "B", "I")}, "context variables are arms or descend from arms: I"),
        ({"arms": [{"A": 0}, {}]}, "arm {}: expected a state for each of A"),
        ({"arms": [{"A": 7}]}, "arm A=7: states are"),
        ({"weights": {"Q": 1.0}}, "weights: not in the model: Q"),
    ],
)
def test_refuses(change, message):
    scm = positive_scm(ADMG([("S", "B"), ("A", "I")]), np.random.default_rng(1))
    model = {"context": ("S", "B"), "sensitive": "S", "arms": [{"A": 0}], "weights": {"I": 1.0}, "intercept": 0.0}
    with pytest.raises(ValueError, match=message):
        UserModel(scm, **(model | change))


@pytest.mark.parametrize("function", [counterfactual_means, bounds, corrected_bounds])
@pytest.mark.parametrize("value", [-1, 9])
def test_refuses_a_state_that_the_sensitive_variable_lacks(function, value):
    scm = positive_scm(ADMG([("S", "B")]), np.random.default_rng(1))
    with pytest.raises(ValueError, match=f"S={value}: states are 0"):
        function(UserModel(scm, ("S", "B"), "S", [{}], {"B": 1.0}, 0.0), value)


def test_refuses_what_is_not_markovian():
    scm = positive_scm(ADMG([("S", "B")], [("S", "B")]), np.random.default_rng(1))
    with pytest.raises(ValueError, match="not Markovian: B <-> S"):
        UserModel(scm, ("S", "B"), "S", [{}], {"B": 1.0}, 0.0)
