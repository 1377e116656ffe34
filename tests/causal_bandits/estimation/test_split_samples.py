"""Effects from split observations: the formula against exact effects, values against raw rows, means without bias."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jamshidi import GENERAL, budgeted_general
from strategies import admgs
from twins.budgeted import conditions, split_values

from causal_bandits.estimation.split_samples import compile_formulas, given_of, no_samples, observe, values_of
from causal_bandits.graphs import ADMG
from causal_bandits.models import uniform_cpt
from causal_bandits.models.arms import Arms

FRONT_DOOR = ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")])


def formulas_of(scm, reward):
    """The formulas of do(), and of all that one may set; the arms."""
    graph = scm.graph
    free = [v for v in graph.nodes if v != reward and not graph.c_component(v) & graph.children(v)]
    arms = Arms(scm.variables, [{}, *({v: s} for v in free for s in (0, 1))])
    return compile_formulas(graph, scm.variables, arms, reward), list(arms)


@given(admgs(max_nodes=5), st.integers(0, 10**6))
def test_with_exact_shares_the_formula_is_the_effect(graph, seed):
    scm = uniform_cpt(graph, np.random.default_rng(seed))
    names, reward = graph.topological_order, graph.topological_order[-1]
    formulas, arms = formulas_of(scm, reward)
    given_ = given_of(graph)
    assert given_ == {v: tuple(zs) for v, zs in conditions(graph).items()}
    shares = np.full(formulas.first[-1], np.nan)
    for j, v in enumerate(names):
        joint = scm.distribution([*given_[v], v]).reshape(-1, 2)
        shares[formulas.first[j] : formulas.first[j + 1]] = joint[:, 1] / joint.sum(axis=1)
    for a, arm in enumerate(arms):
        rows = slice(formulas.term_start[a], formulas.term_start[a + 1])
        one = shares[formulas.cell[rows]]
        total = np.where(formulas.state[rows] == 1, one, 1 - one).prod(axis=1).sum()
        assert total == pytest.approx(scm.expectation(reward, do=arm) if arm else 0)


def observed(scm, formulas, n, rng):
    """Samples of n rounds of do(), and the rows."""
    rows, samples = scm.sample(n, rng), no_samples(formulas, n)
    values = np.zeros((n, len(scm.variables)), dtype=np.int8)
    for v in scm.graph.nodes:
        values[:, scm.variables.index(v)] = rows[v]
    for row in values:
        observe(formulas, samples, row)
    return samples, [{v: int(row[v]) for v in scm.graph.nodes} for row in rows]


@settings(max_examples=150)
@given(admgs(max_nodes=4), st.integers(0, 10**6), st.sampled_from([0, 3, 40, 300]))
def test_values_are_those_of_raw_rows(graph, seed, n):
    rng = np.random.default_rng(seed)
    scm = uniform_cpt(graph, rng)
    reward = graph.topological_order[-1]
    formulas, arms = formulas_of(scm, reward)
    assume(len(arms) > 1)
    samples, rows = observed(scm, formulas, n, rng)
    for a, arm in enumerate(arms):
        total, groups = values_of(formulas, samples, a)
        expected = split_values(graph, rows, *next(iter(arm.items())), reward) if arm else []
        assert groups == len(expected)
        assert total == pytest.approx(sum(expected))


@pytest.mark.parametrize(("name", "n", "runs"), [("front door", 90, 4000), ("general", 400, 1500)])
def test_the_mean_of_the_values_is_the_effect(name, n, runs):
    """Lemma 4, over many short runs in which every cell has a sample: within four standard errors."""
    scm = uniform_cpt(FRONT_DOOR, np.random.default_rng(4)) if name == "front door" else budgeted_general().bandit.scm
    formulas, arms = formulas_of(scm, "Y")
    rng, found, seen = np.random.default_rng(0), {a: [] for a in range(1, len(arms))}, set()
    for _ in range(runs):
        samples, _ = observed(scm, formulas, n, rng)
        for a, means in found.items():
            total, groups = values_of(formulas, samples, a)
            if groups:
                means.append(total / groups)
                seen.add(groups)
    assert len(seen) > 2
    for a, means in found.items():
        assert len(means) > 300
        error = np.std(means, ddof=1) / math.sqrt(len(means))
        assert abs(np.mean(means) - scm.expectation("Y", do=arms[a])) < 4 * error


def test_what_has_no_formula_is_refused():
    bow = ADMG([("X", "Y")], [("X", "Y")])
    with pytest.raises(ValueError, match="bidirected edges join X to its effect Y"):
        compile_formulas(bow, ("X", "Y"), Arms(("X", "Y"), [{"X": 1}]), "Y")
    with pytest.raises(ValueError, match="expected arms that set one variable"):
        compile_formulas(GENERAL, GENERAL.nodes, Arms(GENERAL.nodes, [{"X1": 1, "X2": 1}]), "Y")
    chain = ADMG([(f"V{i}", f"V{i + 1}") for i in range(15)])
    with pytest.raises(ValueError, match="16 variables have more than 16384 joint states"):
        compile_formulas(chain, chain.nodes, Arms(chain.nodes, [{}]), "V15")
