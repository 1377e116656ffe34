"""Discrete SCMs: queries against pgmpy, sampling against exact probabilities, errors that name their cause."""

import gzip
import re
from pathlib import Path

import numpy as np
import pgmpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pgmpy.factors.discrete import TabularCPD
from pgmpy.inference import VariableElimination
from pgmpy.readwrite import BIFReader
from strategies import admgs, positive_scm, random_assignment, random_scm

from causal_bandits.graphs import ADMG
from causal_bandits.models import CPT, FAMILIES, DiscreteSCM, SCMBandit, discrete_scm
from causal_bandits.models.sampling import sample_many


@settings(max_examples=200)
@given(admgs(max_nodes=5), st.integers(0, 2**32 - 1))
def test_exact_distributions_agree_with_pgmpy_under_interventions(graph, seed):
    rng = np.random.default_rng(seed)
    scm = random_scm(graph, rng)
    others = [v for v in graph if v != "Y"]
    do = random_assignment(scm, [v for v in others if rng.random() < 0.4], rng)
    evidence = random_assignment(scm, [v for v in others if v not in do and rng.random() < 0.3], rng)
    cut = scm.graph.do(do)
    tables = {v: scm.cpt(v) for v in scm.variables if v not in do}
    for v, state in do.items():
        tables[v] = CPT((), np.eye(scm.cardinality(v))[state])
    # In the mutilated graph an intervened variable still has its outgoing edges, so the other tables stay as they are.
    mutilated = DiscreteSCM(ADMG(cut.directed, graph.bidirected, graph.nodes), tables).to_pgmpy()
    expected = VariableElimination(mutilated).query(["Y"], evidence=evidence, show_progress=False).values
    np.testing.assert_allclose(scm.distribution(["Y"], do, evidence), expected, atol=1e-12)


@given(admgs(max_nodes=5), st.integers(0, 2**32 - 1))
def test_what_pgmpy_is_given_comes_back(graph, seed):
    scm = random_scm(graph, np.random.default_rng(seed))
    copy = DiscreteSCM.from_pgmpy(scm.to_pgmpy())
    assert copy.graph == scm.graph
    assert copy.hidden == scm.hidden
    variables = list(scm.variables)
    np.testing.assert_allclose(copy.distribution(variables), scm.distribution(variables), atol=1e-14)


def example(name):
    """A network that comes with pgmpy as a file."""
    path = Path(pgmpy.__file__).parent / f"utils/example_models/{name}.bif.gz"
    return BIFReader(string=gzip.decompress(path.read_bytes()).decode()).get_model()


def test_yes_counts_as_one_whichever_state_the_network_names_first():
    network = example("asia")
    assert network.get_cpds("dysp").state_names["dysp"] == ["yes", "no"]
    scm, inference = DiscreteSCM.from_pgmpy(network), VariableElimination(network)
    for v in scm.variables:
        assert scm.states[v] == ("no", "yes")
        expected = inference.query([v], show_progress=False).get_value(**{v: "yes"})
        assert scm.expectation(v) == pytest.approx(expected, abs=1e-12)
    given_smoke = inference.query(["dysp"], evidence={"smoke": "yes"}, show_progress=False).get_value(dysp="yes")
    assert scm.expectation("dysp", given={"smoke": 1}) == pytest.approx(given_smoke, abs=1e-12)
    other = DiscreteSCM.from_pgmpy(network, ones={"dysp": "no"})
    assert other.states["dysp"] == ("yes", "no")
    assert other.expectation("dysp") == pytest.approx(1 - scm.expectation("dysp"), abs=1e-12)
    assert VariableElimination(scm.to_pgmpy()).query(["dysp"], show_progress=False).get_value(dysp="yes") == (
        pytest.approx(scm.expectation("dysp"), abs=1e-12)
    )


@pytest.mark.parametrize("name", ["sachs", "alarm"])
def test_rows_of_rounded_numbers_are_divided_by_their_sum(name):
    network = example(name)
    scm = DiscreteSCM.from_pgmpy(network)
    assert len(scm.graph) == len(network.nodes)
    worst = 0.0
    for cpd in network.get_cpds():
        v, table = cpd.variable, np.moveaxis(np.asarray(cpd.values), 0, -1)
        assert scm.states[v] in (tuple(cpd.state_names[v]), tuple(cpd.state_names[v][::-1]))
        np.testing.assert_allclose(np.asarray(scm.cpt(v).table).sum(axis=-1), 1, atol=1e-12)
        worst = max(worst, float(np.abs(table.sum(axis=-1) - 1).max()))
    if worst > 1e-9:
        with pytest.raises(ValueError, match="rows must be probabilities that sum to one"):
            DiscreteSCM.from_pgmpy(network, tolerance=0.0)


@settings(max_examples=100)
@given(admgs(max_nodes=5), st.integers(0, 2**32 - 1))
def test_the_order_of_states_in_a_network_changes_no_probability(graph, seed):
    """Each table of the network has its own order of its own and its parents' states."""
    rng = np.random.default_rng(seed)
    scm = random_scm(graph, rng)
    network = scm.to_pgmpy()
    names = {v: [f"{v}{i}" for i in range(scm.cardinality(v))] for v in scm.variables}
    for cpd in list(network.get_cpds()):
        order = {v: rng.permutation(scm.cardinality(v)) for v in cpd.variables}
        values = np.asarray(cpd.values)[np.ix_(*order.values())].reshape(scm.cardinality(cpd.variable), -1)
        own = {v: [names[v][i] for i in places] for v, places in order.items()}
        parents = cpd.variables[1:]
        cards = [scm.cardinality(p) for p in parents]
        network.remove_cpds(cpd)
        network.add_cpds(TabularCPD(cpd.variable, len(values), values, parents or None, cards or None, own))
    found = DiscreteSCM.from_pgmpy(network)
    for v in scm.variables:
        states = [found.states[v].index(label) for label in names[v]]
        np.testing.assert_allclose(found.distribution([v])[states], scm.distribution([v]), atol=1e-12)
    both = found.distribution(list(scm.variables))
    places = [[found.states[v].index(label) for label in names[v]] for v in scm.variables]
    np.testing.assert_allclose(both[np.ix_(*places)], scm.distribution(list(scm.variables)), atol=1e-12)


def test_wrong_states_are_named():
    network = example("asia")
    for ones, message in (({"Q": "yes"}, "ones: no variable Q"), ({"dysp": "maybe"}, "dysp='maybe'; expected one of")):
        with pytest.raises(ValueError, match=message):
            DiscreteSCM.from_pgmpy(network, ones=ones)
    with pytest.raises(ValueError, match="states of 'X': \\['a', 'a'\\]; expected 2 distinct labels"):
        DiscreteSCM(ADMG(nodes="X"), {"X": ((), [0.5, 0.5])}, states={"X": ["a", "a"]})


def test_one_world_answers_every_intervention():
    """The same generator state gives the same noise: what is not downstream of the intervention does not move."""
    graph = ADMG(directed=[("X", "Z"), ("Z", "Y")], bidirected=[("X", "Y")])
    scm = FAMILIES["noisy_xor"](graph, np.random.default_rng(3))
    natural = scm.sample(500, np.random.default_rng(9), include_hidden=True)
    forced = scm.sample(500, np.random.default_rng(9), do={"Z": 1}, include_hidden=True)
    assert (natural["X"] == forced["X"]).all()
    assert (natural["U_XY"] == forced["U_XY"]).all()
    consistent = natural["Z"] == 1
    assert 0 < consistent.sum() < 500
    assert (natural["Y"][consistent] == forced["Y"][consistent]).all()


XY = ADMG(directed=[("X", "Y")])
FAIR = ((), [0.5, 0.5])


@pytest.mark.parametrize(
    ("cpts", "message"),
    [
        ({"X": FAIR}, "no table for Y"),
        ({"X": FAIR, "Y": FAIR}, r"table of 'Y': parents \[\], the graph has \['X'\]"),
        ({"X": ((), [0.5, 0.6]), "Y": (("X",), [[1, 0], [0, 1]])}, "table of 'X': rows .* sum to one"),
        ({"X": ((), [1.5, -0.5]), "Y": (("X",), [[1, 0], [0, 1]])}, "table of 'X': rows"),
        ({"X": ((), np.full(128, 1 / 128)), "Y": (("X",), np.full((128, 2), 0.5))}, "'X': 128 states; 1 to 127"),
        ({"X": FAIR, "Y": (("X",), [[1, 0]] * 3)}, r"table of 'Y': shape \(3, 2\), expected"),
        (
            {"X": (("U",), [[1, 0], [0, 1]]), "Y": (("X", "U"), np.full((2, 2, 2), 0.5)), "U": FAIR},
            "no bidirected edge",
        ),
        ({"X": FAIR, "Y": (("X", "U"), np.full((2, 2, 2), 0.5)), "U": (("X",), [FAIR[1]] * 2)}, "'U'"),
        (
            {"X": ((), [0.5, 0.5]), "Y": (("X",), [[0.5, 0.5], [1.0]])},
            r"table of 'Y': .*; expected numbers, in rows of equal",
        ),
        ({"X": ((), ["a", "b"]), "Y": (("X",), np.eye(2))}, "table of 'X': .*; expected numbers"),
        ({"X": [0.5, 0.5], "Y": (("X",), np.eye(2))}, r"table of 'X': \[0.5, 0.5\]; expected a pair"),
    ],
)
def test_a_wrong_table_is_named(cpts, message):
    with pytest.raises(ValueError, match=message):
        DiscreteSCM(XY, cpts)


def test_wrong_queries_are_named():
    scm = DiscreteSCM(XY, {"X": ((), [1.0, 0.0]), "Y": (("X",), [[0.5, 0.5], [0.2, 0.8]])})
    with pytest.raises(ValueError, match="no variable 'Q'"):
        scm.expectation("Q")
    with pytest.raises(ValueError, match=r"do X=2: states are the integers 0\.\.1"):
        scm.expectation("Y", do={"X": 2})
    with pytest.raises(ValueError, match="probability zero"):
        scm.expectation("Y", given={"X": 1})
    with pytest.raises(ValueError, match="not negative"):
        scm.sample(-1, np.random.default_rng(0))
    assert scm.sample(0, np.random.default_rng(0)).shape == (0,)
    with pytest.raises(ValueError, match="arms: 'best'; expected one of brute_force, minimal, possibly_opt"):
        SCMBandit(scm, arm_strategy="best")


@pytest.mark.parametrize("state", [0.5, 1.0, "yes", None, -1, 2, np.float64(1)])
def test_a_state_that_is_none_is_named_wherever_states_are_given(state):
    scm = DiscreteSCM(XY, {"X": ((), [0.3, 0.7]), "Y": (("X",), [[0.5, 0.5], [0.2, 0.8]])}, states={"X": ["no", "yes"]})
    named = rf"X={re.escape(repr(state))}: states are the integers 0\.\.1 \(their names: no, yes\)"
    for ask in (
        lambda: scm.expectation("Y", do={"X": state}),
        lambda: scm.expectation("Y", given={"X": state}),
        lambda: scm.sample(3, np.random.default_rng(0), do={"X": state}),
    ):
        with pytest.raises(ValueError, match=named):
            ask()


@pytest.mark.parametrize("state", [True, np.True_, np.int8(1)])
def test_truth_values_and_integers_of_numpy_are_states(state):
    scm = DiscreteSCM(XY, {"X": ((), [0.3, 0.7]), "Y": (("X",), [[0.5, 0.5], [0.2, 0.8]])})
    assert scm.expectation("Y", do={"X": state}) == pytest.approx(0.8)
    assert scm.expectation("Y", given={"X": state}) == pytest.approx(0.8)
    assert scm.sample(5, np.random.default_rng(0), do={"X": state})["X"].tolist() == [1] * 5


def test_a_variable_has_one_to_127_states():
    assert DiscreteSCM(ADMG(nodes=["X"]), {"X": ((), np.full(127, 1 / 127))}).cardinality("X") == 127
    for states in (0, 128):
        with pytest.raises(ValueError, match=f"table of 'X': {states} states; 1 to 127 are supported"):
            DiscreteSCM(ADMG(nodes=["X"]), {"X": ((), np.full(states, 1 / 128))})


def test_one_parent_may_be_given_as_its_name():
    scm = DiscreteSCM("dag { Age -> Y }", {"Age": ((), [0.5, 0.5]), "Y": ("Age", np.eye(2))})
    assert scm.cpt("Y").parents == ("Age",)
    assert repr(scm) == "DiscreteSCM(Age (2 states), Y (2 states))"
    with pytest.raises(ValueError, match=r"n=2\.0"):
        scm.sample(2.0, np.random.default_rng(0))
    with pytest.raises(TypeError, match=r"rng: 0; expected a numpy\.random\.Generator"):
        scm.sample(2, 0)


@pytest.mark.parametrize("together", [1, 7, 1000])
def test_samples_are_the_same_however_many_are_drawn_at_a_time(together, monkeypatch):
    scm = positive_scm(ADMG([("A", "B"), ("B", "C")], [("A", "C")]), np.random.default_rng(0))
    row = scm.assignment_row({"B": 1})
    expected = sample_many(scm.compiled, np.random.default_rng(3).random((50, len(scm.variables))), row)
    monkeypatch.setattr(discrete_scm, "SAMPLED_TOGETHER", together)
    rng = np.random.default_rng(3)
    samples = scm.sample(50, rng, do={"B": 1}, include_hidden=True)
    for i, v in enumerate(scm.variables):
        assert samples[v].tolist() == expected[:, i].tolist()
    assert rng.random() == np.random.default_rng(3).random(50 * len(scm.variables) + 1)[-1]
    assert len(scm.sample(0, rng)) == 0
