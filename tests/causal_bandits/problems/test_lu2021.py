"""What lu2021's problems promise: shapes, assumptions held, constructions as printed, what a learner of data has."""

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from causal_bandits.graphs.essential import essential_graph
from causal_bandits.graphs.partially_directed import PartiallyDirectedGraph
from causal_bandits.models.clique_tree import CliqueTree
from causal_bandits.problems import lu2021 as problems
from causal_bandits.problems.construction.lu2021 import copying, shapes
from causal_bandits.problems.construction.lu2021.copying import copying_scm
from causal_bandits.problems.construction.lu2021.learned import learned_graph, observations
from replication.papers.lu2021.stages import learn_graphs


def skeleton(n, edges):
    graph = nx.Graph(edges)
    graph.add_nodes_from(range(n))
    return graph


@settings(max_examples=100)
@given(st.integers(1, 60), st.sampled_from(sorted(shapes.SHAPES)), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_trees_are_trees_pointing_away_from_their_root(n, shape, degree, seed):
    parents = shapes.tree(n, shape, degree, np.random.default_rng(seed))
    assert parents[0] == []
    assert all(len(own) == 1 and own[0] < v for v, own in enumerate(parents) if v)
    degrees = dict(skeleton(n, [(p, v) for v, own in enumerate(parents) for p in own]).degree).values()
    most = {"path": 2, "star": n - 1, "balanced": 3, "regular": degree}.get(shape, n)
    assert max(degrees) <= most
    if shape == "regular":
        assert sum(d not in (1, degree) for d in degrees) <= 1


def test_uniform_trees_are_uniform():
    """All 16 labelled trees of four nodes, 8,000 draws; preferential ones are not uniform."""
    from scipy import stats

    rng = np.random.default_rng(1)

    def counts(draw):
        trees = [frozenset(frozenset(e) for e in draw(4, rng)) for _ in range(8000)]
        return [trees.count(t) for t in set(trees)]

    uniform = counts(shapes.uniform_tree)
    assert len(uniform) == 16
    assert stats.chisquare(uniform).pvalue > 1e-3
    assert len(counts(shapes.preferential_tree)) < 16


@settings(max_examples=100)
@given(st.integers(1, 40), st.sampled_from(sorted(shapes.CHORDAL)), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_chordal_kinds_are_chordal_connected_and_moral(n, kind, clique, seed):
    rng = np.random.default_rng(seed)
    parents = shapes.chordal(n, kind, clique, rng)
    graph = skeleton(n, [(p, v) for v, own in enumerate(parents) for p in own])
    assert nx.is_connected(graph)
    assert nx.is_chordal(graph)
    assert max(map(len, nx.find_cliques(graph))) <= clique
    assert all(graph.has_edge(a, b) for own in parents for a in own for b in own if a < b)


@settings(max_examples=60)
@given(st.integers(2, 12), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_effects_of_copies_are_what_stems_from_the_cause(n, states, seed):
    """The formula of `copying`, W by its recursion over parents."""
    rng = np.random.default_rng(seed)
    parents = shapes.chordal(n, "nested", 3, rng)
    copies = [rng.dirichlet(np.ones(len(own) + 1))[:-1] for own in parents]
    names = problems.names(n)
    scm = copying_scm(names, parents, copies, states, rng)
    tree = CliqueTree(scm)
    for cause in range(n):
        stems = np.zeros(n)
        for v in range(n):
            stems[v] = 1.0 if v == cause else sum(c * stems[p] for p, c in zip(parents[v], copies[v], strict=True))
        marginal = tree.of(names[cause], tree.marginals)
        for v in range(n):
            moved = [tree.of(names[cause], tree.effects(names[v], y)) for y in np.eye(states)] - tree.of(
                names[v], tree.marginals
            )[:, None]
            expected = stems[v] * (np.eye(states) - marginal)  # by x and what is copied, whatever y calls it
            np.testing.assert_allclose(np.sort(moved, axis=0), np.sort(expected.T, axis=0), atol=1e-12)


def plain_copies(parents, reward, states, epsilon, gap, rng):
    """`copy_probabilities` as the paper's ledger says it, with NumPy's own Dirichlet draws."""
    least = epsilon / (1 - 1 / states)
    above, longest = copying.ancestors(parents, reward), max(1, copying.longest_path(parents, reward))
    probabilities = []
    for node, own in enumerate(parents):
        low = len(own) * least
        total = np.exp(rng.uniform() * np.log(2 * gap) / longest) if node in above else rng.uniform(low, copying.MOST)
        shares = rng.dirichlet(np.ones(len(own))) if own else np.zeros(0)
        probabilities.append(least + shares * (min(max(total, low), copying.MOST) - low))
    return probabilities


def plain_tables(parents, copies, states, rng):
    """The tables of `copying_scm`, node by node."""
    called = [rng.permutation(states) for _ in parents]
    drawn = rng.dirichlet(np.full(states, 2.0), size=len(parents))
    for node, (own, copy) in enumerate(zip(parents, copies, strict=True)):
        table = np.zeros((states,) * (len(own) + 1))
        for axis, (p, c) in enumerate(zip(own, copy, strict=True)):
            table.swapaxes(0, axis)[called[p], ..., called[node]] += c
        yield table + (1 - copy.sum()) * drawn[node]


@settings(max_examples=60)
@given(st.integers(1, 40), st.integers(2, 6), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_models_are_those_drawn_node_by_node(n, clique, states, seed):
    """Bit by bit, and both leave the generator in one state: drawing all nodes together changes no instance."""
    parents = shapes.chordal(n, "nested", clique, np.random.default_rng(seed))
    reward, names = [n // 2], problems.names(n)
    ours, plain = np.random.default_rng(seed), np.random.default_rng(seed)
    copies = copying.copy_probabilities(parents, reward, states, 0.02, 0.3, ours)
    expected = plain_copies(parents, reward, states, 0.02, 0.3, plain)
    assert [c.tobytes() for c in copies] == [c.tobytes() for c in expected]
    scm = copying_scm(names, parents, copies, states, ours)
    for name, own, table in zip(names, parents, plain_tables(parents, expected, states, plain), strict=True):
        assert scm.cpt(name).parents == tuple(names[p] for p in own)
        assert scm.cpt(name).table.tobytes() == table.tobytes()
    assert ours.bit_generator.state == plain.bit_generator.state


@pytest.mark.parametrize("copies", [[[], [0.5]], [[], [0.5], [0.5], [0.5]], [[], [0.5], [0.5, 0.1]]])
def test_every_edge_has_its_probability_of_a_copy(copies):
    with pytest.raises(ValueError, match=r"argument 2 is (longer|shorter)"):
        copying_scm("ABC", [[], [0], [0]], [np.array(own) for own in copies], 2, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("problem", "options"),
    [
        ("tree", {"nodes": 30, "epsilon": 0.3, "reward_gap": 0.3}),
        ("tree", {"nodes": 12, "rewards": 2, "together": 2, "reward_gap": 0.1}),
        ("forest", {"size": 10, "components": 3, "colliders": 4}),
        ("general", {"size": 30, "kind": "interval", "epsilon": 0.05, "reward_gap": 0.1}),
        ("general", {"size": 15, "kind": "nested", "components": 2, "epsilon": 0.05, "reward_gap": 0.1}),
        ("general", {"size": 8, "components": 3, "colliders": 2, "epsilon": 0.05, "reward_gap": 0.1}),
    ],
)
def test_what_is_drawn_holds_the_assumptions(problem, options):
    drawn = [problems.PROBLEMS[problem](draw=d, **options) for d in (0, 0, 1)]
    for bandit in drawn:
        assert bandit.least_gap >= bandit.reward_gap == options.get("reward_gap", 0.2)
        assert bandit.least_effect >= bandit.epsilon == options.get("epsilon", 0.1)
        assert len(bandit.rewards) == options.get("rewards", 1)
        assert 0 <= bandit.means.min() < bandit.means.max() <= 1 + 1e-9
    assert drawn[0].dag == drawn[1].dag != drawn[2].dag
    exact = problems.PROBLEMS[problem](draw=0, told="exact", **options)
    assert (exact.epsilon, exact.reward_gap) == (exact.least_effect, exact.least_gap)


def test_rewards_of_every_arm_are_1_subgaussian():
    """The variance of X_R's mean under an arm and of the noise: at most 1 (L129), and above it with N(0, 1)."""
    largest = 0.0
    for draw in range(20):
        bandit = problems.tree(8, states=3, draw=draw, reward_gap=0.3)
        ((_, values),) = bandit.rewards.items()
        (number,) = bandit.rewarding
        first, second = (bandit._on(number, np.asarray(values) ** power) for power in (1, 2))
        of_state = (second - first**2).max()
        assert 0 <= of_state <= 0.25
        assert of_state + bandit.sd**2 <= 1
        assert bandit.reward_sd == 1
        largest = max(largest, of_state)
    assert largest > 0.15


def test_cliques_of_one_size_and_one_degree():
    for clique, degree, n in ((3, 3, 40), (8, 2, 130), (8, 8, 130), (2, 2, 9)):
        graph = skeleton(n, shapes.regular_clique_tree(n, clique, degree))
        cliques = [set(c) for c in nx.find_cliques(graph)]
        assert nx.is_connected(graph)
        assert nx.is_chordal(graph)
        assert max(map(len, cliques)) == clique
        degrees = [sum(bool(a & b) for b in cliques if b is not a) for a in cliques]
        assert max(degrees) == degree
        assert all(sum(v in c for c in cliques) <= 2 for v in graph)
    with pytest.raises(ValueError, match="degree 4: expected 2 to 3"):
        shapes.regular_clique_tree(10, 3, 4)


def test_names_do_not_tell_the_causal_order():
    """The root is any of the names."""
    roots = [problems.tree(8, draw=d).scm.variables[0] for d in range(60)]
    assert len(set(roots)) == 8


def test_theorem_4_has_one_arm_that_pays_and_no_effect_at_all():
    for draw in range(20):
        bandit = problems.theorem4(nodes=5, states=2, horizon=1000, draw=draw)
        size = 0.25 * np.sqrt(10 / 1000)
        assert sorted(bandit.means)[-2:] == [0, pytest.approx(size)]
        assert len(bandit.arms) == 5 * 2 + 1
        assert bandit.least_effect == 0
        ends = [v for v in bandit.variables if len(bandit.dag.parents(v)) + len(bandit.dag.children(v)) == 1]
        assert set(bandit.rewards) <= set(ends)


@pytest.mark.parametrize(("beyond", "effect"), [(1, 1.0), (0, 0.0)])
def test_theorem_5_has_one_arm_that_pays_and_no_ancestor_that_moves_it(beyond, effect):
    for draw in range(20):
        bandit = problems.theorem5(nodes=5, states=2, horizon=1000, beyond=beyond, draw=draw)
        assert np.count_nonzero(bandit.means) == 1
        assert bandit.least_effect == effect  # with 0, Assumption 2 needs an intervention that is no arm
        assert bandit.least_gap == 0
        assert bandit.scm.variables[-1] in bandit.rewards
    assert problems.theorem5(nodes=5, states=2, horizon=1000).least_effect == 1  # what follows is left open (L123)


def test_figure_1_has_the_relations_that_the_text_names():
    bandit = problems.figure1()
    assert list(bandit.rewards) == ["X7"]
    assert "X2" not in bandit.dag.ancestors("X7")
    assert bandit.dag.parents("X3") == {"X1"}
    assert bandit.dag.children("X3") == {"X6", "X7"}


def test_a_learner_of_data_has_its_graph_and_frequencies(tmp_path):
    options = {"nodes": 6, "epsilon": 0.4, "reward_gap": 0.2}
    pq.write_table(learn_graphs(range(2), None, samples=[10, 3000], **options), tmp_path / "graphs.parquet")
    for draw in range(2):
        bandit = problems.learned(tmp_path / "graphs.parquet", 3000, draw, **options)
        assert bandit.essential == essential_graph(bandit.dag)
        few = problems.learned(tmp_path / "graphs.parquet", 10, draw, **options)
        assert few.essential != bandit.essential
        assert np.isin(10 * few.marginals, range(11)).all()
        data = observations(bandit, 3000, draw)
        np.testing.assert_allclose(bandit.marginals[:, 1], (data == 1).mean(axis=0))
        assert 0 < np.abs(bandit.marginals - bandit.exact_marginals).max() < 0.05
        np.testing.assert_array_equal(observations(bandit, 10, draw), data[:10])
    with pytest.raises(ValueError, match="no graph learned by seed 2 from 3000 samples"):
        problems.learned(tmp_path / "graphs.parquet", 3000, 2, **options)


def test_a_learned_graph_is_that_of_its_seed_and_number_of_samples(tmp_path):
    edges = [(0, 10, "B", "C", "directed"), (0, 10, "A", "B", "undirected"), (1, 10, "C", "A", "directed")]
    edges += [(0, 20, "B", "A", "directed"), (1, 20, None, None, "none")]
    names = ("seed", "samples", "source", "target", "kind")
    pq.write_table(pa.Table.from_pylist([dict(zip(names, e, strict=True)) for e in edges]), tmp_path / "graphs.parquet")
    for seed, samples, directed, undirected in [
        (0, 10, [("B", "C")], [("A", "B")]),
        (1, 10, [("C", "A")], []),
        (0, 20, [("B", "A")], []),
        (1, 20, [], []),
    ]:
        graph = learned_graph(tmp_path / "graphs.parquet", samples, seed, ("A", "B", "C"))
        assert graph == PartiallyDirectedGraph("ABC", directed, undirected)


@pytest.mark.parametrize(
    ("problem", "options", "message"),
    [
        ("tree", {"nodes": 5, "shape": "round"}, "shape 'round': expected one of uniform, path"),
        ("tree", {"nodes": 0}, "n=0: expected at least one node"),
        ("tree", {"nodes": 5, "shape": "regular", "degree": 1}, "degree 1: expected at least 2"),
        ("tree", {"nodes": 5, "reward_gap": 0.5}, "reward gap 0.5: expected a number above 0 and below 1/2"),
        ("tree", {"nodes": 5, "epsilon": 0.7}, "epsilon 0.7: a node has 1 parents"),
        ("tree", {"nodes": 5, "told": "all"}, "told 'all': expected set or exact"),
        ("tree", {"nodes": 5, "rewards": 6}, "rewards=6, states=3: expected 1 to 5"),
        ("forest", {"size": 5, "components": 0}, "components=0: expected at least 1"),
        ("forest", {"size": 5, "components": 1, "colliders": 1}, "1 colliders: expected at least two components"),
        ("general", {"size": 5, "kind": "ring"}, "kind 'ring': expected one of interval"),
        ("general", {"size": 5, "clique": 1}, "cliques of at least two"),
        (
            "tree",
            {"nodes": 9, "rewards": 3, "reward_gap": 0.45},
            r"reward_gap 0.45: the largest of 200 models .* is 0\.",
        ),
        ("theorem5", {"nodes": 5, "states": 2, "horizon": 10, "beyond": 2}, "beyond=2: expected 0 or 1"),
    ],
)
def test_what_is_impossible_is_named(problem, options, message):
    with pytest.raises(ValueError, match=message):
        problems.PROBLEMS[problem](**options)
