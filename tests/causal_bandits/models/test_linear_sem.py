"""Linear structural equation models: exact means along all paths, arms in any order, and what is refused."""

import networkx as nx
import numpy as np
import pytest
from linear_models import random_sem

from causal_bandits.models.arms import Arms
from causal_bandits.models.linear_sem import LinearSEM, means_of_arms, sweep
from causal_bandits.models.linear_sem_bandit import subsets


def by_paths(sem, intervened):
    """E[Y]: every variable's constant and noise, times the products of the weights along all paths to Y."""
    model = sem.compiled
    k = [int(v in intervened) for v in sem.variables]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(k)))
    for v in range(len(k)):
        for i in range(model.start[v], model.start[v + 1]):
            graph.add_edge(int(model.parent[i]), v, weight=model.weight[k[v], i])
    reward, total = sem.variables.index("Y"), 0.0
    for v in range(len(k)):
        own = model.constant[k[v], v] + model.noise[v]
        paths = [[v]] if v == reward else nx.all_simple_paths(graph, v, reward)
        total += own * sum(np.prod([graph.edges[e]["weight"] for e in nx.utils.pairwise(p)]) for p in paths)
    return total


def test_means_are_those_of_all_paths():
    rng = np.random.default_rng(0)
    for number in range(60):
        sem = random_sem(rng, 1 + number % 5, noise=("normal", "uniform")[number % 2])
        for arm in subsets(sem.intervenable):
            expected = sem.expectation("Y", arm)
            assert by_paths(sem, arm) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_a_sweep_gives_each_arm_its_own_mean_in_any_order_of_the_arms():
    rng = np.random.default_rng(1)
    for _ in range(30):
        sem = random_sem(rng, 5)
        arms = [dict(arm) for arm in rng.permutation(np.array(subsets(sem.intervenable), dtype=object))][:20]
        index = np.empty(len(arms))
        swept = sweep(Arms(sem.variables, arms).compiled, len(sem.variables))
        means_of_arms(sem.compiled, swept, sem.variables.index("Y"), np.empty(len(sem.variables)), index)
        assert index.tolist() == [sem.expectation("Y", arm) for arm in arms]
        assert sorted(swept.order) == list(range(len(arms)))


def test_noise_has_the_law_that_is_named():
    uniforms = np.random.default_rng(2).random(100_000)
    uniforms[0] = 0.0
    normal = LinearSEM({"Y": {}}, scale=2.0).noises(uniforms)
    assert np.isfinite(normal).all()
    assert (normal.mean(), normal.std()) == pytest.approx((0, 2), abs=0.02)
    uniform = LinearSEM({"Y": {}}, noise="uniform", scale=2.0)
    assert uniform.noises(uniforms).tolist() == (2 * uniforms).tolist()
    assert uniform.expectation("Y") == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({"Y": {"X": 1.0}},), "no row for X"),
        (({"X": {"Y": 1.0}, "Y": {"X": 1.0}},), "cycle"),
        (({"X": {}, "Y": {"X": 1.0}}, {"Y": {}}), "expected the same parents"),
        (({"Y": {}}, {}, ({}, {"Y": 1.0})), "second row"),
        (({"Y": {}}, {}, ({"Y": np.nan}, {})), "constant of Y=nan"),
        (({"X": {}, "Y": {"X": np.inf}},), "weight of X -> Y=inf"),
        (({"X": {}, "Y": {"X": 1.0}}, {"Y": {"X": "1"}}), "weight of X -> Y='1'"),
        (({"Y": {}}, {}, ({}, {}), "cauchy"), "expected one of normal, uniform"),
        (({"Y": {}}, {}, ({}, {}), "normal", 0.0), r"scale=0.0: expected a number in \(0, inf\)"),
    ],
)
def test_what_is_no_model_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        LinearSEM(*arguments)


def test_an_intervention_without_a_second_mechanism_is_refused():
    with pytest.raises(ValueError, match="'Y' cannot be intervened on; none can"):
        LinearSEM({"Y": {}}).expectation("Y", ["Y"])


def test_constants_belong_to_their_variables():
    """By hand: X = 3 or 7 under an intervention, Y = 10 + 2 X or 20 - X; Z has no second mechanism."""
    sem = LinearSEM(
        {"Y": {"X": 2.0}, "X": {}, "Z": {"Y": 1.0}},
        {"Y": {"X": -1.0}, "X": {}},
        constants=({"X": 3.0, "Y": 10.0, "Z": 100.0}, {"Y": 20.0, "X": 7.0}),
    )
    expected = {(): (3, 16, 116), ("X",): (7, 24, 124), ("Y",): (3, 17, 117), ("X", "Y"): (7, 13, 113)}
    for intervened, means in expected.items():
        assert tuple(sem.expectation(v, intervened) for v in "XYZ") == means
    assert sem.compiled.constant.tolist() == [[3, 10, 100], [7, 20, 100]]
    without = LinearSEM({"X": {}, "Y": {"X": 1.0}}, {"X": {}}, constants=({"X": 3.0}, {}))
    assert without.expectation("Y", ["X"]) == 0
    assert without.expectation("Y") == 3
