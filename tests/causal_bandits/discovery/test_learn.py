import os
import subprocess
import sys
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sampled_graphs import population
from strategies import positive_scm
from tiered_graphs import as_lists, equivalence_class, tiered_dags

from causal_bandits.discovery import LEARNERS, learn, quantile_codes
from causal_bandits.graphs import ADMG
from causal_bandits.identification import identify
from causal_bandits.models import DiscreteSCM
from experiments.provenance import SOURCE


def faithful_scm(graph, rng):
    """Binary variables, logistic in their parents, with strong edges."""
    cpts = {}
    for v in graph:
        parents = sorted(graph.parents(v))
        weights = rng.uniform(0.8, 1.6, size=len(parents)) * rng.choice([-1, 1], size=len(parents))
        scores = np.array(
            [
                rng.normal(0, 0.2) + weights @ (2 * np.array(x, dtype=float) - 1)
                for x in product((0, 1), repeat=len(parents))
            ]
        )
        one = 1 / (1 + np.exp(-scores))
        cpts[v] = (parents, np.stack([1 - one, one], axis=-1).reshape([2] * (len(parents) + 1)))
    return DiscreteSCM(graph, cpts)


@settings(deadline=None, max_examples=60)
@given(tiered_dags(max_nodes=4), st.integers(0, 2**32 - 1), st.sampled_from(LEARNERS))
def test_large_samples_of_strong_edges_give_the_class(problem, seed, learner):
    graph, tiers = problem
    table, counts = population(faithful_scm(graph, np.random.default_rng(seed)), 40_000)
    assume(not graph.directed or min_dependence(table, counts, graph) > 60)  # less, no test can see at this size
    learned = learn(table, learner, as_lists(tiers), counts.round().astype(int), significance=1e-6)
    assert learned == equivalence_class(graph, tiers)


def min_dependence(table, counts, graph):
    """The smallest G statistic of two variables that some set does not separate, over all sets."""
    least = np.inf
    for x, y in ((x, y) for x in graph for y in graph if x < y):
        rest = [v for v in graph if v not in (x, y)]
        for flags in product((False, True), repeat=len(rest)):
            given_ = [v for v, flag in zip(rest, flags, strict=True) if flag]
            if not graph.is_d_separated(x, y, given_):
                frame = table.assign(n=counts)
                both = frame.groupby([*given_, x, y])["n"].sum().to_numpy().reshape(-1, 2, 2)
                expected = both.sum(1, keepdims=True) * both.sum(2, keepdims=True) / both.sum((1, 2), keepdims=True)
                least = min(least, 2 * (both * np.log(both / expected)).sum())
    return least


@settings(deadline=None, max_examples=60)
@given(tiered_dags(min_nodes=3, max_nodes=6), st.integers(0, 2**32 - 1), st.sampled_from(LEARNERS), st.data())
def test_tiers_are_respected_whatever_the_data(problem, seed, learner, data):
    graph, _ = problem  # tiers need not agree with the causal order
    tiers = {v: data.draw(st.integers(0, 2)) for v in graph}
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(positive_scm(graph, rng).sample(300, rng))
    assume((table.nunique() > 1).all())
    learned = learn(table, learner, as_lists(tiers), significance=0.2)
    assert all(tiers[a] <= tiers[b] for a, b in learned.directed)
    assert all(tiers[a] == tiers[b] for a, b in learned.undirected)


@settings(deadline=None, max_examples=60)
@given(tiered_dags(min_nodes=3, max_nodes=4), st.integers(0, 2**32 - 1), st.sampled_from(LEARNERS), st.data())
def test_edges_that_are_known_rightly_leave_what_agrees_with_them(problem, seed, learner, data):
    graph, tiers = problem
    table, counts = population(faithful_scm(graph, np.random.default_rng(seed)), 40_000)
    assume(graph.directed)
    assume(min_dependence(table, counts, graph) > 60)
    required = data.draw(st.lists(st.sampled_from(sorted(graph.directed)), unique=True))
    absent = [(a, b) for a in graph for b in graph if a != b and (a, b) not in graph.directed]
    forbidden = data.draw(st.lists(st.sampled_from(absent), unique=True))
    whole = counts.round().astype(int)
    learned = learn(table, learner, as_lists(tiers), whole, 1e-6, forbidden=forbidden, required=required)
    assert learned == equivalence_class(graph, tiers, frozenset(forbidden) | {(b, a) for a, b in required})


@settings(deadline=None, max_examples=50)
@given(tiered_dags(min_nodes=3, max_nodes=5), st.integers(0, 2**32 - 1), st.sampled_from(LEARNERS), st.data())
def test_known_edges_are_respected_whatever_the_data(problem, seed, learner, data):
    graph, tiers = problem
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(positive_scm(ADMG(nodes=graph.nodes), rng).sample(300, rng))  # the data know of no edge
    table = table if data.draw(st.booleans()) else pd.DataFrame(positive_scm(graph, rng).sample(300, rng))
    assume((table.nunique() > 1).all())
    other = data.draw(st.permutations(graph.nodes))  # required edges agree with this order and the tiers
    forward = [(a, b) for i, a in enumerate(other) for b in other[i + 1 :] if tiers[a] <= tiers[b]]
    required = data.draw(st.lists(st.sampled_from(forward), unique=True, max_size=4)) if forward else []
    rest = [(a, b) for a in graph for b in graph if a != b and (a, b) not in required]
    forbidden = data.draw(st.lists(st.sampled_from(rest), unique=True, max_size=8)) if rest else []
    learned = learn(table, learner, as_lists(tiers), significance=0.2, forbidden=forbidden, required=required)
    assert learned.directed >= set(required)
    assert not learned.directed & set(forbidden)
    assert not any({e, e[::-1]} & set(forbidden) for e in learned.undirected)
    assert all(tiers[a] <= tiers[b] for a, b in learned.directed)


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_form_of_a_table_is_learned_alike(learner):
    rng = np.random.default_rng(2)
    samples = faithful_scm(ADMG([("A", "B"), ("C", "B")]), rng).sample(4000, rng)
    table = pd.DataFrame(samples)
    expected = learn(table, learner)
    assert expected.directed == {("A", "B"), ("C", "B")}
    columns = {v: table[v].tolist() for v in table}
    for form in (columns, samples, pa.table(columns)):
        assert learn(form, learner) == expected
    numbered = learn(table.set_axis([0, 1, 2], axis="columns"), learner)
    name_of = dict(zip("012", table, strict=True))
    assert {(name_of[a], name_of[b]) for a, b in numbered.directed} == expected.directed
    assert learn({v: ["high" if x else "low" for x in values] for v, values in columns.items()}, learner) == expected


@pytest.mark.parametrize("learner", LEARNERS)
def test_counts_stand_for_rows_and_no_order_matters(learner):
    rng = np.random.default_rng(7)
    graph = ADMG([("A", "B"), ("B", "C"), ("A", "D"), ("C", "D"), ("E", "D")])
    rows = pd.DataFrame(positive_scm(graph, rng).sample(3000, rng))
    tiers = [["A", "B"], ["C", "E"], ["D"]]
    expected = learn(rows, learner, tiers)
    counted = rows.value_counts().reset_index()
    shuffled = counted.sample(frac=1, random_state=1)[["E", "C", "count", "D", "A", "B"]]
    assert learn(shuffled.drop(columns="count"), learner, tiers, shuffled["count"]) == expected
    with_zero = pd.concat([rows.value_counts().reset_index(), rows.head(1).assign(A=9, count=0)])
    assert learn(with_zero.drop(columns="count"), learner, tiers, with_zero["count"]) == expected


def test_mediators_of_a_middle_tier_separate():
    """pgmpy conditions on nothing later than the earlier variable's tier, and keeps S -> R (L39)."""
    from pgmpy.causal_discovery import PC, ExpertKnowledge

    scm = faithful_scm(ADMG([("S", "M"), ("M", "R")]), np.random.default_rng(3))
    table = pd.DataFrame(scm.sample(5000, np.random.default_rng(4)))
    tiers = [["S"], ["M"], ["R"]]
    assert learn(table, "pc", tiers).directed == {("S", "M"), ("M", "R")}
    plain = PC(
        variant="stable",
        ci_test="chi_square",
        expert_knowledge=ExpertKnowledge(temporal_order=tiers),
        show_progress=False,
    ).fit(table)
    assert ("S", "R") in plain.causal_graph_.directed_edges  # once this fails, TieredPC can go


def test_hash_seeds_do_not_matter():
    program = """
import sys
import numpy as np, pandas as pd
from causal_bandits.discovery import learn
for seed in range(3):
    rng = np.random.default_rng(seed)
    hidden = rng.random((400, 3)) < 0.5
    table = {name: (hidden @ rng.normal(size=3) + rng.normal(size=400) > 0).astype(int) for name in "ABCDEFG"}
    for learner in sys.argv[1:]:
        print(learn(pd.DataFrame(table), learner, [list("ABCD"), list("EFG")], significance=0.1))
"""
    outputs = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-W", "ignore", "-c", program, *LEARNERS]
        outputs.add(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert len(outputs) == 1
    assert outputs.pop().count("PartiallyDirectedGraph") == 3 * len(LEARNERS)


def test_the_package_does_not_import_pgmpy():
    program = "import sys, causal_bandits.discovery; sys.exit('pgmpy' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 0


def test_quantile_codes():
    assert quantile_codes([3.0, 1.0, 2.0, 4.0], 2).tolist() == [1, 0, 0, 1]
    values = np.random.default_rng(0).normal(size=1000)
    assert np.bincount(quantile_codes(values, 5)).tolist() == [200] * 5
    with pytest.raises(ValueError, match="bins 1: "):
        quantile_codes([1.0], 1)
    with pytest.raises(ValueError, match="finite"):
        quantile_codes([1.0, np.nan], 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tiers": [["A", "B"], ["A"]]}, "tiers: 'A' .*1 and 2"),
        ({"tiers": [["A", "B", "C"]]}, "tiers: .*C .*A, B"),
        ({"tiers": [["A"]]}, "tiers: .*B"),
        ({"table": pd.DataFrame({"A": [0, 0], "B": [0, 1]})}, "column 'A' "),
        ({"table": pd.DataFrame({"A": [0, 1], "B": [0, 1]}), "counts": [1, 0]}, "column 'A' "),
        ({"table": pd.DataFrame({"A": [0, None, 1], "B": [0, 1, 1]})}, "column 'A' .*missing"),
        ({"table": {"A": [0.25, 0.5, 1.5], "B": [0, 1, 1]}}, "column 'A' .*quantile_codes"),
        ({"table": {"A": [], "B": []}}, "column 'A' is constant"),
        ({"table": {}, "tiers": None}, "the table has no columns"),
        ({"table": pd.DataFrame([[0, 1], [1, 0]], columns=["A", "A"])}, "column 'A' occurs twice"),
        ({"counts": [1, 2]}, "counts: .*4 "),
        ({"counts": [1, 2, 0.5, 1]}, "counts: .*4 "),
        ({"counts": [1, 2, -1, 1]}, "counts: .*4 "),
        ({"learner": "lingam"}, "learner 'lingam': .*pc, ges"),
        ({"significance": 1.0}, "significance 1.0"),
        ({"required": [("A", "Q")]}, "required: the table has no Q"),
        ({"forbidden": [("B", "B")]}, "forbidden: an edge joins 'B' to itself"),
        ({"required": [("A", "B")], "forbidden": [("A", "B")]}, "required: A -> B, which is forbidden"),
        ({"required": [("B", "A")]}, "required: B -> A, which leads from a tier into an earlier one"),
        ({"required": [("A", "B"), ("B", "A")], "tiers": None}, "required: A -> B, B -> A, .*other way round"),
    ],
)
def test_refuses(change, message):
    table = pd.DataFrame({"A": [0, 1, 0, 1], "B": [0, 1, 1, 1]})
    with pytest.raises(ValueError, match=message):
        learn(**({"table": table, "learner": "pc", "tiers": [["A"], ["B"]]} | change))


MANY = np.arange(600) % 200
STATES = {
    "whole floats": (MANY % 3).astype(float),
    "50 whole numbers": MANY % 50,
    "Booleans": MANY % 2 == 0,
    "nullable": pd.array(MANY % 2, dtype="Int64"),
    "200 strings of 15 records": [str(v) for v in MANY],
    "intervals": pd.cut(MANY + 0.5, 3),
    "categories": pd.Categorical((MANY % 3) / 2),
    "quantile_codes": quantile_codes(MANY + 0.5, 4),
}
NO_STATES = {
    "measurements": (MANY + 0.5, "numbers that are not whole: .*quantile_codes"),
    "few fractions": (MANY % 2 / 2, "numbers that are not whole: .*strings if each number is a state"),
    "objects": (np.array([*(MANY % 2 / 2)], dtype=object), "numbers that are not whole"),
    "whole floats": (MANY.astype(float), "200 different numbers: .*quantile_codes"),
    "51 whole numbers": (MANY % 51, "51 different numbers"),
    "infinite": (np.where(MANY % 2, np.inf, 0.0), "numbers that are not whole"),
    "strings of 3 records": ([str(v) for v in MANY], "200 different values in 600 records: merge values"),
    "mixed": ([1 if v % 2 else "no" for v in MANY], "values of type number, str; expected strings, whole numbers"),
    "times": (pd.Timestamp("2026-01-01") + pd.to_timedelta(MANY % 2, "D"), "values of type Timestamp"),
    "lists": ([[v % 2] for v in MANY], "values of type list"),
    "NaN": (np.where(MANY % 2, np.nan, 0.0), "missing values"),
    "None": ([None if v % 2 else "no" for v in MANY], "missing values"),
    "NA": (pd.array([pd.NA if v % 2 else 1 for v in MANY], dtype="Int64"), "missing values"),
}


@pytest.mark.parametrize("column", STATES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_states_of_any_kind_are_the_same_states(column, learner):
    values = pd.Series(STATES[column]).reset_index(drop=True)
    copies = 5 if column.startswith("200") else 1
    table = pd.concat([pd.DataFrame({"A": values, "B": MANY % 2})] * copies, ignore_index=True)
    as_codes = table.assign(A=pd.factorize(table["A"], sort=True)[0].astype(str))
    assert learn(table, learner) == learn(as_codes, learner)


@pytest.mark.parametrize("column", NO_STATES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_what_is_no_state_is_refused_and_the_cure_named(column, learner):
    values, message = NO_STATES[column]
    with pytest.raises(ValueError, match=f"column 'A' has {message}"):
        learn(pd.DataFrame({"A": values, "B": MANY % 2}), learner)


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_learned_graph_without_undirected_edges_is_a_causal_diagram(learner):
    rows = {"a": [0, 0, 1, 1] * 50, "b": [0, 0, 1, 1] * 45 + [0, 1, 0, 1] * 5}
    rows["c"] = rows["b"][:-20] + [0, 0, 1, 1] * 5
    assert str(identify(learn(rows, learner, ["a", "b", "c"]), outcome="c", treatment="a"))
    with pytest.raises(ValueError, match=r"a -- b: .*choose a direction, for instance with required= or tiers="):
        identify(learn(rows, learner), outcome="c", treatment="a")


WITHOUT_PGMPY = """
import sys
import pandas as pd
from causal_bandits.discovery import learn

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pgmpy":
            raise ModuleNotFoundError("No module named 'pgmpy'", name="pgmpy")

sys.meta_path.insert(0, Without())
learn(pd.DataFrame({"A": [0, 1]}), "pc", [["A"]])
"""


def test_without_pgmpy_the_message_names_the_extra():
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", WITHOUT_PGMPY]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ModuleNotFoundError: causal_bandits.discovery.learn needs pgmpy" in done.stderr
    assert "pip install 'pgmpy>=" in done.stderr


def test_required_edges_make_no_cycle():
    table = pd.DataFrame({v: [0, 1] for v in "ABC"})
    with pytest.raises(ValueError, match="required: the graph has a directed cycle"):
        learn(table, "pc", required=["AB", "BC", "CA"])


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_tier_and_a_forbidden_edge_keep_two_variables_apart(learner):
    table = pd.DataFrame({"A": [0, 0, 1, 1] * 50, "B": [0, 0, 1, 1] * 45 + [0, 1, 1, 1] * 5})
    assert learn(table, learner, [["A"], ["B"]]).directed == {("A", "B")}
    apart = learn(table, learner, [["A"], ["B"]], forbidden=[("A", "B")])
    assert apart.adjacent == learn(table, learner, forbidden=["AB", "BA"]).adjacent == set()
