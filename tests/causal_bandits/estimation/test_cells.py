"""Cells: their numbers and weights, that the reward's mean is made of theirs, and which arms may share them."""

from itertools import product

import numpy as np
import pytest
from cell_bandits import NAMED, chain, direct
from contextual_strategies import NODES, fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs, positive_scm

from causal_bandits.estimation.cells import (
    arm_cells,
    benign_groups,
    cell_played,
    cells,
    groups_of_arms,
    is_benign,
    learn,
    learn_cell,
    mean_widths,
    minimal_separator,
    no_rewards,
    observed_parents,
    separator_of,
    upper_bounds,
)
from causal_bandits.graphs import ADMG
from causal_bandits.models import DiscreteSCM, SCMBandit
from causal_bandits.models.arms import Arms


@settings(max_examples=100)
@given(fair_bandits(), st.lists(st.sampled_from(NODES), unique=True))
def test_cells_are_numbered_as_the_joint_states_and_weighted_by_their_probabilities(problem, variables):
    made = cells(problem, tuple(variables))
    joint = list(product(*(range(problem.scm.cardinality(v)) for v in variables)))
    assert made.size == len(joint)
    exact = problem.distribution(variables).reshape(*problem.means.shape, -1)
    found = np.zeros_like(exact)
    for c, a, k in np.ndindex(made.cell.shape):
        found[c, a, made.cell[c, a, k]] += made.weight[c, a, k]
    np.testing.assert_allclose(found, exact, atol=1e-12)
    strides = dict(zip(problem.scm.variables, made.stride.tolist(), strict=True))
    numbers = [sum(strides[v] * state for v, state in zip(variables, w, strict=True)) for w in joint]
    assert numbers == list(range(len(joint)))


@settings(max_examples=100)
@given(fair_bandits())
def test_the_mean_of_an_arm_is_made_of_the_means_of_a_separators_cells(problem):
    """E[R | w] is the same for all contexts and arms that meet in w, and Eq. 2 gives the exact mean."""
    parents = tuple(problem.weights)
    for separator in (minimal_separator(problem), parents, (*problem.context, *problem.manipulable)):
        assert separator_of(problem, separator) == separator
        made = cells(problem, separator)
        expected = np.empty(made.size)
        union = (*separator, *(v for v in parents if v not in separator))
        joint = problem.distribution(union)
        states = np.meshgrid(*(np.arange(problem.scm.cardinality(v)) for v in union), indexing="ij")
        reward = problem.intercept + sum(w * states[union.index(v)] for v, w in problem.weights.items())
        shape = (*problem.means.shape, made.size, -1)
        mass = joint.reshape(shape).sum(axis=-1)
        total = (joint * reward).reshape(shape).sum(axis=-1)
        for w in range(made.size):
            met = mass[:, :, w] > 1e-12
            found = (total[:, :, w] / np.where(met, mass[:, :, w], 1))[met]
            assert np.ptp(found) < 1e-9
            expected[w] = found[0]
        means = no_rewards(made, 0.0)
        means.mean[:] = expected
        bounds = np.empty(len(problem.arms))
        for context in range(len(problem.contexts)):
            upper_bounds(means, context, 0.0, bounds)
            np.testing.assert_allclose(bounds, problem.means[context], atol=1e-9)


def test_learning_keeps_means_visits_and_widths(fair_task):
    made = cells(fair_task, ("M", "X1"))
    means, rng = no_rewards(made, np.inf), np.random.default_rng(0)
    assert np.isinf(means.mean).all()
    rewards = [[] for _ in range(made.size)]
    order = fair_task.scm.variables
    for _ in range(60):
        values, reward = rng.integers(0, 2, len(order)).astype(np.int8), float(rng.random())
        learn(means, values, reward)
        rewards[2 * values[order.index("M")] + values[order.index("X1")]].append(reward)
    np.testing.assert_allclose(means.mean, [np.mean(r) for r in rewards])
    assert means.visits.tolist() == [len(r) for r in rewards]
    arms, width = np.array([3, 0]), np.empty(2)
    mean_widths(means, 1, arms, width)
    expected = [made.weight[1, a] @ (1 / np.sqrt(means.visits[made.cell[1, a]])) for a in arms]
    np.testing.assert_allclose(width, expected)


def test_a_set_that_does_not_separate_is_refused(fair_task):
    assert separator_of(fair_task, ["V", "M"]) == ("V", "M")
    assert separator_of(fair_task, None) == minimal_separator(fair_task)
    with pytest.raises(ValueError, match=r"separator \['V'\]: leaves the reward d-connected to C1, C2, X1, X2"):
        separator_of(fair_task, ("V",))
    with pytest.raises(ValueError, match="separator: R, U not among the observed"):
        separator_of(fair_task, ("U", "R"))


SINGLE = (frozenset(), frozenset({"X"}))


def conditional_means(bandit, variables):
    """E[Y | z, do(a)] by arm and z, nan where P(z | do(a)) is 0, computed from the joint distribution."""
    found = []
    for arm in bandit.arms:
        joint = bandit.scm.distribution([*variables, "Y"], do=arm).reshape(-1, 2)
        found.append(np.where(joint.sum(axis=1) > 1e-12, joint[:, 1], np.nan) / np.maximum(joint.sum(axis=1), 1e-12))
    return np.array(found)


def _filled(means):
    """Where an arm never reaches z, the mean of an arm that does, or -1."""
    return np.where(np.isnan(means), np.where(np.isnan(means), -1, means).max(axis=0), means)


@st.composite
def settings_of_cells(draw):
    """A bandit with all interventions on some of its variables, and a set Z: the reward's parents, or another."""
    graph = draw(admgs(min_nodes=3, max_nodes=4))
    others = [v for v in graph if v != "Y"]
    fixed = draw(st.lists(st.sampled_from(others), unique=True, max_size=len(others) - 1))
    scm = positive_scm(graph, np.random.default_rng(draw(st.integers(0, 2**32 - 1))), max_states=2)
    bandit = SCMBandit(scm, "Y", frozenset(fixed))
    chosen = draw(st.none() | st.lists(st.sampled_from(others), unique=True).map(sorted).map(tuple))
    return bandit, observed_parents(bandit) if chosen is None else chosen


@settings(max_examples=60)
@given(settings_of_cells())
def test_arms_that_may_share_cells_have_the_same_means_in_them(setting):
    bandit, variables = setting
    groups, means = groups_of_arms(bandit, variables, "checked"), conditional_means(bandit, variables)
    cells = arm_cells(bandit, variables)
    for group in set(groups.tolist()):
        rows = _filled(means[groups == group])
        np.testing.assert_allclose(rows, rows[:1].repeat(len(rows), axis=0), atol=1e-9)
        if len(rows) > 1:  # so the arms' means are those of the cells, weighted by P(z | do(a))
            weights = cells.cells.weight[0, groups == group]
            np.testing.assert_allclose(weights @ rows[0], bandit.means[groups == group], atol=1e-9)


def test_the_check_says_yes_and_no_where_it_should():
    """Both answers occur often. A yes is never wrong; a no is wrong in the model at hand now and then."""
    rng, answers, right = np.random.default_rng(0), [], []
    for number in range(60):
        order = [*rng.permutation(["A", "B", "C"]).tolist(), "Y"]
        pairs = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
        kinds = rng.integers(0, 6, len(pairs))
        graph = ADMG(
            [p for p, kind in zip(pairs, kinds, strict=True) if kind < 3],
            [p for p, kind in zip(pairs, kinds, strict=True) if kind in (2, 3)],
            order,
        )
        bandit = SCMBandit(positive_scm(graph, np.random.default_rng(number), 2), "Y", frozenset({"A"}))
        z, sets = observed_parents(bandit), sorted({frozenset(arm) for arm in bandit.arms}, key=sorted)
        answers.append(is_benign(graph, "Y", z, sets))
        spread = np.ptp(_filled(conditional_means(bandit, z)), axis=0).max()
        right.append(answers[-1] == bool(spread < 1e-9))
        assert right[-1] or not answers[-1]
    assert 10 < sum(answers) < 50
    assert np.mean(right) > 0.9


def test_parents_pass_where_no_hidden_cause_acts_on_the_reward():
    graph = ADMG([("A", "B"), ("B", "Y"), ("C", "Y")], [("A", "C"), ("A", "B")])
    sets = tuple(map(frozenset, [(), "A", "B", "C", "AB", "AC", "BC", "ABC"]))
    assert is_benign(graph, "Y", ("B", "C"), sets)
    assert not is_benign(graph, "Y", ("B",), sets)
    confounded = ADMG([("A", "B"), ("B", "Y")], [("B", "Y")])
    assert not is_benign(confounded, "Y", ("B",), sets[1:3])
    assert is_benign(confounded, "Y", ("B",), [frozenset("B"), frozenset("AB")])  # always set: its edges are cut


def test_the_front_door_is_benign_without_watching():
    """X -> Z -> Y, X <-> Y: arms do(X = x) may share the cells of Z, do() may not."""
    graph = ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")])
    assert not is_benign(graph, "Y", ("Z",), SINGLE)
    assert is_benign(graph, "Y", ("Z",), SINGLE[1:])
    assert benign_groups(graph, "Y", ("Z",), SINGLE[::-1]) == (0, 1)
    scm = positive_scm(graph, np.random.default_rng(0), 2)
    bandit = SCMBandit(scm, "Y", frozenset("Z"), Arms(scm.variables, [{}, {"X": 0}, {"X": 1}]))
    cells = arm_cells(bandit)
    assert cells.alone.tolist() == [True, False, False]
    assert cells.cells.size == 3
    assert cells.base.tolist() == [2, 0, 0]
    watched = [scm.distribution(("Z",), given={"X": x}) for x in (0, 1)]
    np.testing.assert_allclose(cells.cells.weight[0], [[1, 0], *watched])  # P(z | do(x)) = P(z | x)
    means = conditional_means(bandit, ("Z",))
    np.testing.assert_allclose(means[1], means[2])
    assert np.abs(means[0] - means[1]).max() > 1e-5


def test_rounds_count_in_the_cell_of_their_states():
    graph = ADMG([("A", "Y"), ("B", "Y")], [("B", "Y")])
    bandit = SCMBandit(positive_scm(graph, np.random.default_rng(1), 2), "Y")
    cells = arm_cells(bandit)
    groups = groups_of_arms(bandit, ("A", "B"), "checked")
    assert len(set(groups.tolist())) == 2  # arms that set B, and the others
    assert all((groups[a] == groups[0]) == ("B" not in arm) for a, arm in enumerate(bandit.arms))
    names = bandit.scm.variables
    for a, (x, y, u) in product(range(len(bandit.arms)), product((0, 1), repeat=3)):
        state = {"A": x, "B": y, "Y": u}
        values = np.array([state.get(v, 1) for v in names], dtype=np.int8)
        assert cell_played(cells, a, values) == cells.base[a] + 2 * x + y
    assert sorted(set(cells.base.tolist())) == [0, 4]
    assert cells.cells.size == 8


@pytest.mark.parametrize(("sigma", "expected"), [(1.0, (2.64597, 5.29193)), (0.5, (1.57298, 3.14597))])
def test_an_index_computed_by_hand(sigma, expected):
    """T = 100; N = (4, 1), m = (.5, 1); P(z = 1 | a) is .2 and .9."""
    cells = arm_cells(chain([[0.8, 0.2], [0.1, 0.9]], [0.5, 0.5]))
    means, bounds = no_rewards(cells.cells, 0.0), np.empty(2)
    for cell, reward in ((0, 1.0), (0, 0.0), (0, 1.0), (0, 0.0), (1, 1.0)):
        learn_cell(means, cell, reward)
    upper_bounds(means, 0, sigma * 4.29193, bounds)
    low, high = expected
    assert bounds == pytest.approx([0.8 * low + 0.2 * high, 0.1 * low + 0.9 * high], abs=1e-4)
    if sigma == 1:
        assert bounds == pytest.approx([3.17516, 5.02734], abs=1e-4)


def test_pools():
    bandit = direct([[0.5, 0.5], [0.2, 0.8], [0.1, 0.9]], [[0.1, 0.9], [0.2, 0.8], [0.3, 0.4]])
    assert groups_of_arms(bandit, NAMED, "all").tolist() == [0, 0, 0]
    assert groups_of_arms(bandit, NAMED, "none").tolist() == [0, 1, 2]
    assert groups_of_arms(bandit, ("X", "Z"), "checked").tolist() == [0, 0, 0]
    assert not is_benign(bandit.scm.graph, "Y", NAMED, SINGLE[1:])
    alone = arm_cells(bandit, pool="none")
    assert alone.cells.weight.tolist() == [[[1], [1], [1]]]
    assert alone.cells.size == 3


def test_arms_on_one_set_of_variables_are_alone_where_even_they_may_not_share_cells():
    bandit = direct([[0.5, 0.5], [0.2, 0.8]], [[0.1, 0.9], [0.2, 0.8]])
    assert benign_groups(bandit.scm.graph, "Y", NAMED, SINGLE[1:]) == (-1,)
    assert groups_of_arms(bandit, NAMED, "checked").tolist() == [0, 1]
    assert arm_cells(bandit, NAMED).alone.all()


def test_what_cannot_be_cells_is_refused():
    bandit = chain([[0.5, 0.5], [0.2, 0.8]], [0.1, 0.9])
    for wrong in (("Y",), ("Q",), ("Z", "Z")):
        with pytest.raises(ValueError, match="expected distinct observed variables"):
            arm_cells(bandit, wrong)
    many = ADMG([(f"X{i}", "Y") for i in range(15)])
    cpts = {f"X{i}": ((), [0.5, 0.5]) for i in range(15)}
    cpts["Y"] = (tuple(f"X{i}" for i in range(15)), np.full((2,) * 16, 0.5))
    big = DiscreteSCM(many, cpts)
    with pytest.raises(ValueError, match="32768 joint states"):
        arm_cells(SCMBandit(big, "Y", arm_strategy=Arms(big.variables, [{}, {"X0": 1}])))
    with pytest.raises(ValueError, match=r"called 'do\(X\)'"):
        is_benign(ADMG([("X", "Y"), ("do(X)", "Y")]), "Y", ("X",), SINGLE)
