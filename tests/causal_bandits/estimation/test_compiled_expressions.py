"""Compiled expressions: values, replicates, support and gradients against exact evaluation, and sums pushed in."""

from functools import cache
from itertools import count, pairwise, permutations, product

import numpy as np
import pytest
from estimation_samples import Setting, play, settings_with_estimators
from hypothesis import given, settings
from hypothesis import strategies as st
from random_expressions import EXPERIMENTS, by_hand, expressions

from causal_bandits.estimation.compiled_expressions import (
    CELL_COUNTS,
    CELL_OPS,
    Count,
    Estimator,
    Reciprocal,
    Times,
    Total,
    compile_estimators,
    nested,
)
from causal_bandits.estimation.mvwa import METHODS, new_averages, observe
from causal_bandits.estimation.tape import add_to_table, bounds, cell_of, compute_table
from causal_bandits.identification import Probability, Product, Sum, Value, identify, z2id
from causal_bandits.identification.expression import SUPPORTS, Expression, JointTable
from causal_bandits.identification.simplify import renamed_apart
from causal_bandits.problems.construction.lee2019.diagrams import GRAPHS

DELTA = METHODS["delta"]


@settings(max_examples=60)
@given(settings_with_estimators(max_states=3), st.integers(0, 2**32 - 1))
def test_values_and_gradients_of_the_data(setting, seed):
    rng = np.random.default_rng(seed)
    state = play(setting, DELTA, 0, rng, extra=20)
    exact = setting.estimates()
    assert state.covered.all()
    np.testing.assert_allclose(state.values[setting.compiled.result], exact, rtol=1e-10)
    if not setting.estimators:
        return
    arm = int(rng.integers(len(setting.arms)))
    cells = list(setting.cells(arm))
    sample, step = cells[int(rng.integers(len(cells)))], 1e-4
    setting.add(arm, sample, step)
    up = setting.estimates()
    setting.add(arm, sample, -2 * step)
    down = setting.estimates()
    setting.add(arm, sample, step)
    cell = cell_of(setting.compiled.cell_start, setting.compiled.stride, arm, setting.row(sample))
    np.testing.assert_allclose(state.gradient[:, cell], (up - down) / (2 * step), rtol=1e-5, atol=1e-7)


@settings(max_examples=60)
@given(settings_with_estimators(), st.integers(0, 2**32 - 1))
def test_replicates_hold_the_values_of_their_own_counts(setting, seed):
    """Whatever the weights: rows are compared with expressions evaluated on the weighted counts."""
    compiled, rng = setting.compiled, np.random.default_rng(seed)
    state = new_averages(compiled, METHODS["online_bootstrap"], 130)  # rows are padded to 256
    counts = [np.zeros((130, *n.shape)) for n in setting.counts]
    state.live[:] = True
    for arm in range(len(setting.arms)):
        for sample in setting.cells(arm):
            weights = np.zeros(256, dtype=np.float32)
            weights[:130] = rng.integers(1, 5, size=130)
            cell = cell_of(compiled.cell_start, compiled.stride, arm, setting.row(sample))
            lists = compiled.lists
            add_to_table(state.table, weights, lists, *bounds(lists, CELL_COUNTS, cell))
            compute_table(compiled.code, state.table, state.live, lists, *bounds(lists, CELL_OPS, cell))
            counts[arm][(slice(None), *(sample[v] for v in setting.graph.nodes))] += weights[:130]
    for replicate in (0, 77, 128, 129):
        exact = setting.estimates([n[replicate] for n in counts])
        found = state.table[compiled.result, replicate]
        np.testing.assert_allclose(found, exact, rtol=2e-5)


@settings(max_examples=100)
@given(settings_with_estimators(), st.sampled_from(SUPPORTS), st.integers(0, 2**32 - 1))
def test_an_estimator_counts_once_every_value_of_every_term_was_seen(setting, support, seed):
    """Or once every condition was (L10)."""
    rng, compiled = np.random.default_rng(seed), _compiled(setting, support)
    state = new_averages(compiled, DELTA, 0)
    plan = [(arm, sample) for arm in range(len(setting.arms)) for sample in setting.cells(arm)]
    for arm, sample in [plan[i] for i in rng.permutation(len(plan))]:
        setting.add(arm, sample)
        observe(compiled, state, DELTA, arm, setting.row(sample), float(sample["Y"]), rng)
        assert state.covered.tolist() == [_covered(setting, e, support) for e in setting.estimators]


@cache
def _compiled(setting, support):
    return compile_estimators(setting.estimators, setting.arms, setting.variables, setting.cardinality, support)


def _covered(setting, estimator, support):
    """Twin: for each term, look up all states that agree with the estimator's fixed values."""
    fixed = {v: estimator.values[v.label] for v in estimator.expression.free}
    for term in estimator.expression.terms:
        pinned = {v.variable: state for v, state in fixed.items() if v in term.free and v not in term.of}
        looked_at = term.free if support == "values" else term.do | term.given
        names = sorted(v.variable for v in looked_at)
        for arm, counts in zip(setting.arms, setting.counts, strict=True):
            if set(arm) != term.experiment or any(pinned.get(v, state) != state for v, state in arm.items()):
                continue
            axes = tuple(i for i, v in enumerate(setting.graph.nodes) if v not in names)
            margin = counts.sum(axis=axes)
            index = tuple(arm[v] if v in arm else pinned.get(v, slice(None)) for v in names)
            if (margin[index] == 0).any():
                return False
    return True


def test_the_support_of_equation_1_is_8_and_16_values():
    """lee2019, "Integrating Expressions": "if all 8 and 16 values of P_b(c|a) and P_c(a, b, y) exist"."""
    setting = Setting(GRAPHS["fourvar"], frozenset("A"), dict.fromkeys("ABCY", 2))
    both = {frozenset("B"), frozenset("C")}
    number = next(i for i, e in enumerate(setting.estimators) if e.expression.experiments == both)
    assert setting.compiled.supports[number] == 24


def test_free_values_make_estimators_of_their_own():
    setting = Setting(GRAPHS["fourvar"], frozenset("A"), dict.fromkeys("ABCY", 2))
    of_c = [e.values for e in setting.estimators if setting.arms[e.arm] == {"C": 0} and "B" in e.values]
    assert of_c == [{"B": 0, "C": 0, "Y": 1}, {"B": 1, "C": 0, "Y": 1}]


def test_quotients_and_idle_sums_compile():
    """Neither occurs in lee2019's problems; both can occur in an expression."""
    graph = GRAPHS["fourvar"]
    cardinality = dict.fromkeys("ABCY", 2)
    setting = Setting(graph, frozenset("A"), cardinality)
    joint = Probability([Value("Y"), Value("C")])
    odd = Sum(frozenset([Value("B", 1)]), joint)
    ratio = identify(
        type(graph)([("B", "A"), ("A", "C"), ("C", "Y")], [("B", "C"), ("B", "Y")]), outcome="Y", treatment="C"
    )
    assert "/" in str(ratio)
    setting.estimators = [Estimator(0, odd, {"C": 0, "Y": 1}), Estimator(0, ratio, {"A": 1, "C": 0, "Y": 1})]
    setting.compiled = compile_estimators(setting.estimators, setting.arms, setting.variables, cardinality)
    state = play(setting, DELTA, 0, np.random.default_rng(0))
    np.testing.assert_allclose(state.values[setting.compiled.result], setting.estimates(), rtol=1e-12)


def test_wrong_estimators_are_named():
    setting = Setting(GRAPHS["fourvar"], frozenset("A"), dict.fromkeys("ABCY", 2))
    with pytest.raises(ValueError, match="ordered by arm"):
        compile_estimators(setting.estimators[::-1], setting.arms, setting.variables, setting.cardinality)
    needs_b = Estimator(
        0, z2id(GRAPHS["fourvar"], outcome="Y", treatment="C", experiments=["B"]), {"B": 0, "C": 0, "Y": 1}
    )
    with pytest.raises(ValueError, match=r"samples of do\(\{'B': 0\}\), which is not an arm"):
        compile_estimators([needs_b], [{}], setting.variables, setting.cardinality)


SIZES = {"A": 2, "B": 3, "C": 2}


def value(node, counts, at):
    """A node's value, each sum over the states in turn; ``counts`` of joint states by intervention set."""
    if isinstance(node, Count):
        fixed = {v.variable: at[v] for v in node.free}
        return counts[frozenset(v.variable for v in node.do)][tuple(fixed.get(v, slice(None)) for v in SIZES)].sum()
    if isinstance(node, Reciprocal):
        return 1 / value(node.of, counts, at)
    if isinstance(node, Times):
        return np.prod([value(factor, counts, at) for factor in node.factors])
    return sum(value(node.of, counts, at | {node.over: state}) for state in range(SIZES[node.over.variable]))


@settings(max_examples=100)
@given(expressions(depth=2), st.integers(0, 2**32 - 1))
def test_the_value_is_that_of_the_expression_on_relative_frequencies(expression, seed):
    rng = np.random.default_rng(seed)
    counts = {do: rng.integers(1, 30, size=tuple(SIZES.values())).astype(float) for do in EXPERIMENTS}
    tables = {}
    for do, table in counts.items():
        summed = tuple(i for i, v in enumerate(SIZES) if v not in do)
        tables[do] = JointTable("ABC", table / table.sum(axis=summed, keepdims=True))
    expression = renamed_apart(expression, count(1))
    node, free = nested(expression, SIZES), sorted(expression.free)
    assert node.free <= expression.free
    for states in list(product(*(range(SIZES[v.variable]) for v in free)))[:6]:
        at = dict(zip(free, states, strict=True))
        assert value(node, counts, at) == pytest.approx(by_hand(expression, tables, at), rel=1e-9)


def totals(node):
    if isinstance(node, Times):
        return [total for factor in node.factors for total in totals(factor)]
    return [node, *totals(node.of)] if isinstance(node, Total) else []


@pytest.mark.parametrize("order", list(permutations(range(4)))[::5])
def test_a_chain_is_summed_two_values_at_a_time(order):
    """Sum over V0, ..., V3 of P(v0) P(v1 | v0) ... P(v4 | v3): from the ends inwards, in whatever order it stands."""
    chain = [Value(f"V{i}") for i in range(5)]
    factors = [Probability([chain[0]]), *(Probability([v], [u]) for u, v in pairwise(chain))]
    node = nested(
        Sum(frozenset(chain[i] for i in order), Product(tuple(factors[i] for i in (*order, 4)))),
        dict.fromkeys((v.variable for v in chain), 2),
    )
    found = totals(node)
    assert {total.over for total in found} == set(chain[:4])
    assert max(len(total.of.free) for total in found) == 2
    assert node.free == {chain[4]}


def test_an_unknown_part_is_named():
    class Guess(Expression):
        pass

    with pytest.raises(TypeError, match="Guess"):
        nested(Guess(), SIZES)
