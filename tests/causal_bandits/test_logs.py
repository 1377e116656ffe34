"""From a table of logged decisions to bounds and a bandit's prior knowledge."""

from collections import Counter
from itertools import combinations
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.optimize import linprog
from scipy.stats import beta
from strategies import positive_scm

from causal_bandits.datasets import CountTable
from causal_bandits.estimation.linear_programs import NotLinear
from causal_bandits.graphs import ADMG
from causal_bandits.identification import NotIdentifiable
from causal_bandits.logs import Logs
from causal_bandits.logs.policy_value import _greatest
from causal_bandits.models import ContextualBandit, DiscreteSCM
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.seeding import generators

BOW = "dag { drug -> well ; drug <-> well }"
FRAME = {"drug": [0] * 55 + [1] * 45, "well": [0] * 41 + [1] * 14 + [0] * 15 + [1] * 30}


def logs_of(graph=BOW, frame=FRAME, **roles):
    return Logs.from_frame(frame, graph, **{"treatment": "drug", "outcome": "well"} | roles)


def test_the_bow_graph_has_bounds_with_their_assumptions():
    answer = logs_of().bounds()
    np.testing.assert_allclose(answer.lower, [[0.14, 0.30]], atol=1e-9)
    np.testing.assert_allclose(answer.upper, [[0.59, 0.85]], atol=1e-9)
    assert answer.method == "linear program"
    text = str(answer)
    assert "the only pairs with a hidden common cause are drug and well" in text
    assert "frequencies equal probabilities" in text
    assert "sharp" in text
    assert pd.DataFrame(answer.rows()).columns.tolist() == ["drug", "lower", "upper"]


def random_logs(seed):
    """Counts of a random model, as large as whole numbers allow, with its exact effects."""
    rng = np.random.default_rng(seed)
    names = list("ABCDE"[: rng.integers(3, 6)])
    order, selected = rng.permutation(names).tolist(), seed % 2 == 0
    pairs = list(combinations(order, 2))
    directed = [pair for pair in pairs if rng.random() < 0.5]
    if selected:
        directed += [(v, "S") for v in names if rng.random() < 0.25]
    graph = ADMG(directed, [pair for pair in pairs if rng.random() < 0.2], [*names, *("S" if selected else "")])
    outcome, treatment = order[-1], order[-2 - int(rng.integers(len(order) - 1))]
    scm = positive_scm(graph, rng, max_states=3 if seed % 5 == 0 else 2)
    while selected and scm.cardinality("S") != 2:
        scm = positive_scm(graph, rng, max_states=3)
    before = sorted(set(names) - graph.descendants(treatment) - {outcome})
    context = tuple(v for v in before if rng.random() < 0.4)
    joint = scm.distribution(names, given={"S": 1} if selected else None)
    states = {v: tuple(f"{v}{i}" for i in range(scm.cardinality(v))) for v in names}
    table = CountTable(states, np.rint(joint * 1e12).astype(np.int64))
    success = int(rng.integers(scm.cardinality(outcome)))
    logs = Logs(
        table,
        graph,
        treatment=(treatment,),
        outcome=outcome,
        context=context,
        selection="S" if selected else None,
        success=f"{outcome}{success}",
    )
    effects = np.empty((len(logs.contexts), len(logs.arms)))
    for a, arm in enumerate(logs.arms):
        both = scm.distribution([*context, outcome], do=arm).reshape(len(logs.contexts), -1)
        effects[:, a] = both[:, success] / both.sum(axis=1)
    return logs, effects


def test_whatever_method_is_taken_its_bounds_contain_the_effect():
    methods = Counter()
    for seed in range(200):
        logs, effects = random_logs(seed)
        answers = [logs.bounds()]
        for method in ("formula", "natural", "bce"):
            try:
                answers.append(logs.bounds(method=method))
            except (NotIdentifiable, NotLinear):
                continue
            except ValueError:
                if logs.selection is None:
                    raise
        for answer in answers:
            methods[answer.method, logs.selection is not None] += 1
            assert (answer.lower <= effects + 1e-6).all(), (seed, answer.method)
            assert (effects <= answer.upper + 1e-6).all(), (seed, answer.method)
            if answer.method == "formula":
                np.testing.assert_allclose(answer.lower, effects, atol=1e-6)
        assert len(answers) > 1
        confident = logs.bounds(confidence=0.95)
        assert (confident.lower <= effects + 1e-5).all(), (seed, confident.method)
        assert (effects <= confident.upper + 1e-5).all(), (seed, confident.method)
    assert methods["formula", False] > 30
    assert methods["linear program", False] > 10
    assert methods["natural", False] > 30
    assert methods["natural", True] > 10
    assert methods["bce", True] > 30


def random_policy(logs, rng):
    return rng.dirichlet(np.ones(len(logs.arms)), len(logs.contexts))


def test_the_value_of_a_policy_is_that_of_the_model_or_within_its_bounds():
    kinds = Counter()
    for seed in range(200):
        logs, effects = random_logs(seed)
        rng = np.random.default_rng(seed)
        policy, share = random_policy(logs, rng), rng.dirichlet(np.ones(len(logs.contexts)))
        given = (share * (policy * effects).sum(axis=1)).sum()
        answer = logs.value(policy, context_probabilities=share)
        assert answer.lower - 1e-6 <= given <= answer.upper + 1e-6, seed
        arms = rng.integers(len(logs.arms), size=len(logs.contexts))
        chosen = (share * effects[np.arange(len(arms)), arms]).sum()
        answer = logs.value(arms, context_probabilities=share)
        assert answer.lower - 1e-6 <= chosen <= answer.upper + 1e-6, seed
        if answer.effects.method == "formula":
            assert answer.lower == pytest.approx(chosen, abs=1e-6)
            assert answer.upper == pytest.approx(chosen, abs=1e-6)
        kinds[answer.effects.method] += 1
        if logs.selection is not None and not logs.graph.is_d_separated(logs.context, "S"):
            with pytest.raises(ValueError, match="S depends on the context"):
                logs.value(policy)
            kinds["refused"] += 1
    assert min(kinds[kind] for kind in ("formula", "linear program", "bce", "refused")) >= 10, kinds


def test_the_value_equals_what_playing_the_policy_pays():
    """By another route: a model whose arm is drawn by the policy, in which the reward is seen."""
    graph, played = ADMG([("C", "X"), ("C", "Y"), ("X", "Y")]), 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        scm = positive_scm(graph, rng, max_states=2)
        table = CountTable({v: ("0", "1") for v in "CXY"}, np.rint(scm.distribution("CXY") * 1e12).astype(np.int64))
        logs = Logs(table, graph, treatment=("X",), outcome="Y", context=("C",))
        policy = random_policy(logs, rng)
        cpts = {v: scm.cpt(v) for v in "CXY"} | {"X": (("C",), policy)}
        answer = logs.value(policy)
        assert answer.lower == pytest.approx(DiscreteSCM(graph, cpts).expectation("Y"), abs=1e-6)
        played += answer.lower == answer.upper
    assert played == 100


def test_intervals_of_a_value_hold_as_often_as_they_say():
    graph, missed, widths = ADMG([("C", "X"), ("C", "Y"), ("X", "Y")]), 0, []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scm = positive_scm(graph, rng, max_states=2)
        logs = Logs.from_frame(
            pd.DataFrame(scm.sample(500, rng)), graph, treatment="X", outcome="Y", context="C",
            states={v: [0, 1] for v in "CXY"},
        )  # fmt: skip
        policy = random_policy(logs, rng)
        effects = np.array([[scm.expectation("Y", do=x, given=c) for x in logs.arms] for c in logs.contexts])
        truth = (scm.distribution(["C"]) * (policy * effects).sum(axis=1)).sum()
        answer = logs.value(policy, confidence=0.9)
        missed += not answer.lower <= truth <= answer.upper
        widths.append(answer.upper - answer.lower)
    assert missed <= 32  # 20 of 200 may miss
    assert np.mean(widths) < 0.4


def test_labels_tell_which_outcome_is_a_success():
    frame = {"drug": ["b", "a", "b", "b"], "well": ["yes", "no", "no", "yes"]}
    logs = logs_of("dag { drug -> well }", frame, success="no")
    answer = logs.bounds()
    assert answer.success == "well = no"
    assert [dict(arm) for arm in answer.arms] == [{"drug": "a"}, {"drug": "b"}]
    np.testing.assert_allclose(answer.lower, [[1, 1 / 3]])
    with pytest.raises(ValueError, match="success: well has no state 'maybe' \\(its states: no, yes\\)"):
        logs_of("dag { drug -> well }", frame, success="maybe")


@pytest.mark.parametrize(
    "well",
    [
        ["alive", "dead", "dead", "alive"],
        ["9", "10", "9", "10"],
        pd.Categorical(["alive", "dead", "dead", "alive"]),
        np.array(["alive", "dead", "dead", "alive"]),
    ],
)
def test_texts_have_no_last_state(well):
    frame = {"drug": ["b", "a", "b", "b"], "well": well}
    first, second = sorted(set(well))
    with pytest.raises(ValueError, match=f"success: the values of well \\({first}, {second}\\) have no order"):
        logs_of("dag { drug -> well }", frame)
    answer = logs_of("dag { drug -> well }", frame, success=first).bounds()
    assert answer.success == f"well = {first}"
    np.testing.assert_allclose(answer.lower[0, 1], np.mean([well[i] == first for i in (0, 2, 3)]))
    ordered = logs_of("dag { drug -> well }", frame, states={"well": [second, first]})
    assert ordered.bounds().success == f"well = {first}"
    assert ordered.value([1]).effects.success == f"well = {first}"


class Lazy:
    """A frame as polars has it if it was not collected: it may not be asked for a column."""

    collect_schema = None

    def collect(self):
        return {"drug": [0, 1], "well": [0, 1]}


@pytest.mark.parametrize(
    ("frame", "drug", "well"),
    [
        (Lazy(), "drug", "well"),
        (pd.DataFrame({0: [0, 1], 1: [0, 1]}), "0", "1"),
        (pa.table({"drug": [0, 1], "well": [0, 1]}), "drug", "well"),
    ],
)
def test_every_kind_of_frame_has_its_last_state(frame, drug, well):
    bounds = logs_of(nx.DiGraph([(drug, well)]), frame, treatment=drug, outcome=well).bounds()
    assert (bounds.success, bounds.lower.tolist()) == (f"{well} = 1", [[0, 1]])


class Enumerated(list):
    """A column with an order, as of polars' Enum."""

    dtype = SimpleNamespace(categories=["good", "bad"])


@pytest.mark.parametrize(
    ("well", "last"),
    [
        ([0, 1, 0, 1], "1"),
        ([False, True, False, False], "True"),
        (pd.Categorical(["bad", "good"] * 2, categories=["good", "bad"], ordered=True), "bad"),
        (Enumerated(["bad", "good"] * 2), "bad"),
    ],
)
def test_values_in_an_order_have_a_last_state(well, last):
    frame = {"drug": ["b", "a", "b", "b"], "well": well}
    assert logs_of("dag { drug -> well }", frame).bounds().success == f"well = {last}"


def test_texts_of_an_arrow_table_have_no_last_state():
    with pytest.raises(ValueError, match=r"success: the values of well \(alive, dead\) have no order"):
        logs_of("dag { drug -> well }", pa.table({"drug": [0, 1], "well": ["alive", "dead"]}))


def test_the_graph_may_be_of_dagitty_or_networkx():
    dag = nx.DiGraph([("drug", "well"), ("U", "drug"), ("U", "well")])
    dag.nodes["U"]["hidden"] = True
    assert logs_of(dag).graph == logs_of().graph == ADMG([("drug", "well")], [("drug", "well")])


@pytest.mark.parametrize(
    ("graph", "frame", "roles", "message"),
    [
        ("dag { drug -> well ; U -> well }", FRAME, {}, "no column for U .*\\[latent\\]"),
        (BOW, FRAME, {"treatment": "dose"}, "dose"),
        ("dag { drug -> well ; drug -> age }", FRAME | {"age": [0] * 100}, {"context": "age"}, "effects of the treat"),
        ("dag { drug -> well ; well -> S }", FRAME | {"S": [1] * 100}, {"selection": "S"}, "S is a column"),
        ("dag { drug -> well ; S -> well }", FRAME, {"selection": "S"}, "S has children"),
        (BOW, FRAME | {"well": [None, *FRAME["well"][1:]]}, {}, "column 'well': 1 of 100 values are missing"),
        (BOW, FRAME, {"treatment": ()}, "treatment: no variable given"),
    ],
)
def test_what_does_not_fit_is_named(graph, frame, roles, message):
    with pytest.raises(ValueError, match=message):
        logs_of(graph, frame, **roles)


@pytest.mark.parametrize("roles", [{"treatment": None}, {"context": None}, {"context": 1}])
def test_what_is_no_name_is_refused(roles):
    (role,) = roles
    with pytest.raises(TypeError, match=f"{role}: {roles[role]}; expected the name of a variable, or several"):
        logs_of(**roles)


def test_methods_that_do_not_apply_are_refused_with_a_reason():
    selected = logs_of("dag { drug -> well ; well -> S }", selection="S")
    for method, message in (
        ("natural", "expected no such selection"),
        ("formula", "use 'bce'"),
        ("x", "expected one"),
    ):
        with pytest.raises(ValueError, match=message):
            selected.bounds(method=method)
    with pytest.raises(NotIdentifiable, match="not identifiable"):
        logs_of().bounds(method="formula")


def test_selection_that_depends_on_nothing_leaves_natural_bounds():
    answer = logs_of("dag { drug -> well ; drug <-> well ; S }", selection="S").bounds()
    np.testing.assert_allclose([answer.lower, answer.upper], [[[0.14, 0.30]], [[0.59, 0.85]]])


def test_selection_by_the_treatment_alone_leaves_no_natural_bounds():
    """The outcome does not depend on it here; yet how often each arm was played in all records is not known."""
    with pytest.raises(ValueError, match="S depends on"):
        logs_of("dag { drug -> S ; well }", selection="S").bounds(method="natural")


def test_frequencies_that_contradict_the_graph_are_said():
    frame = {"z": [0] * 50 + [1] * 50, "x": [1] * 100, "y": [0] * 50 + [1] * 50}
    states = {"z": [0, 1], "x": [0, 1], "y": [0, 1]}
    logs = Logs.from_frame(frame, "dag { z -> x -> y ; x <-> y }", treatment="x", outcome="y", states=states)
    answer = logs.bounds()
    assert answer.misfit == pytest.approx(2)
    assert any("contradict the graph" in note for note in answer.notes)
    assert "sharp" not in str(answer)
    with pytest.warns(UserWarning, match="contradict the graph \\(misfit 2\\)"):
        logs.prior()
    assert logs_of().bounds().misfit == 0


STRATA = {"z": [0] * 100 + [1] * 5, "x": [0] * 50 + [1] * 50 + [0] * 5}
STRATA["y"] = [0] * 30 + [1] * 20 + [0] * 10 + [1] * 40 + [0] * 2 + [1] * 3
CONFOUNDED = "dag { z -> x -> y ; z -> y }"


def test_a_stratum_without_records_counts_in_the_upper_bound_and_is_named():
    """By hand: x=1 has no record with z=1, which 5 of 105 have."""
    logs = logs_of(CONFOUNDED, STRATA, treatment="x", outcome="y")
    answer = logs.bounds()
    exact = (20 / 50 * 100 + 3 / 5 * 5) / 105
    np.testing.assert_allclose(answer.lower, [[exact, 0.8 * 100 / 105]])
    np.testing.assert_allclose(answer.upper, [[exact, (0.8 * 100 + 5) / 105]])
    assert answer.method == "formula"
    assert sum("P(y | x, z) is unknown where no record has x = 1, z = 1." in note for note in answer.notes) == 1
    prior = logs.prior()
    np.testing.assert_array_equal([prior["lower"], prior["upper"]], [answer.lower, answer.upper])
    np.testing.assert_allclose(prior["effect"], [[exact, np.nan]])
    value = logs.value([1])
    assert (value.lower, value.upper) == (answer.lower[0, 1], answer.upper[0, 1])
    assert any("may be too wide" in note for note in value.notes)
    whole = logs_of(CONFOUNDED, {v: [*STRATA[v], 1] for v in STRATA}, treatment="x", outcome="y").bounds()
    assert (whole.lower == whole.upper).all()
    assert not any("not known" in note for note in whole.notes)


def test_limits_of_confidence_are_not_vacuous_because_a_stratum_is_empty():
    logs = logs_of(CONFOUNDED, STRATA, treatment="x", outcome="y")
    answer, natural = logs.bounds(confidence=0.9), logs.bounds(method="natural", confidence=0.95)
    assert any("half of the error" in note for note in answer.notes)
    assert (natural.lower <= answer.lower).all()
    assert (answer.upper <= natural.upper).all()
    substitutes = logs.bounds(method="bce", confidence=0.95)
    assert substitutes.upper[0, 1] == 1
    np.testing.assert_array_equal(answer.lower, np.maximum(natural.lower, substitutes.lower))
    np.testing.assert_array_equal(answer.upper, np.minimum(natural.upper, substitutes.upper))


def test_intervals_hold_as_often_as_they_say_where_strata_are_empty():
    """With 40 records of a model in which one stratum is seldom treated."""
    graph, missed, empty = ADMG([("C", "X"), ("C", "Y"), ("X", "Y")]), 0, 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        scm = positive_scm(graph, rng, max_states=2)
        seldom = DiscreteSCM(graph, {v: scm.cpt(v) for v in "CY"} | {"X": (("C",), [[0.5, 0.5], [0.97, 0.03]])})
        logs = Logs.from_frame(
            pd.DataFrame(seldom.sample(40, rng)), graph, treatment="X", outcome="Y", states={v: [0, 1] for v in "CXY"}
        )
        effects = np.array([[scm.expectation("Y", do=x) for x in logs.arms]])
        answer, natural = logs.bounds(confidence=0.9), logs.bounds(method="natural", confidence=0.9)
        missed += not ((answer.lower <= effects).all() and (effects <= answer.upper).all())
        empty += bool((logs.counts.counts.sum(axis=2) == 0).any())
        assert (answer.upper - answer.lower).max() < (natural.upper - natural.lower).max() + 0.08, seed
        for exact in (logs.bounds(), logs.bounds(method="natural")):
            assert (exact.upper - exact.lower <= natural.upper - natural.lower).all()
    assert missed <= 20
    assert empty >= 100


def test_cells_without_records_are_counted_where_there_are_many():
    frame = {"z": list("abcdef"), "x": ["0", "1"] * 3, "y": [0, 1] * 3}
    (note,) = (n for n in logs_of(CONFOUNDED, frame, treatment="x", outcome="y").bounds().notes if "is unknown" in n)
    assert "x = 0, z = b; x = 0, z = d; x = 0, z = f; and 3 more." in note


def test_the_graph_is_tested():
    rng = np.random.default_rng(0)
    scm = positive_scm(ADMG([("A", "B"), ("B", "C"), ("A", "C")]), rng, max_states=2)
    logs = Logs.from_frame(pd.DataFrame(scm.sample(20_000, rng)), "dag { A -> B -> C }", treatment="B", outcome="C")
    (test,) = logs.test_graph()
    assert test.rejected
    assert (test.x, test.y, test.given) == ("A", "C", ("B",))


def test_knowledge_from_logs_starts_a_bandit():
    graph = ADMG([("C", "X"), ("C", "Y"), ("X", "Y")], [("X", "Y")])
    rng = np.random.default_rng(4)
    scm = positive_scm(graph, rng, max_states=2)
    bandit = ContextualBandit(scm, ("C",), ("X",), {"Y": 1.0})
    logs = Logs.from_frame(pd.DataFrame(scm.sample(5000, rng)), graph, treatment="X", outcome="Y", context="C")
    prior = logs.prior()
    assert [dict(c) for c in bandit.contexts] == list(logs.contexts)
    assert list(bandit.arms) == list(logs.arms)
    assert (prior["lower"] <= bandit.means + 0.03).all()
    assert (bandit.means <= prior["upper"] + 0.03).all()
    assert prior["count"].sum() == 5000
    assert "effect" not in prior
    for policy in (LinUCB(warm_start="cp"), LinUCBPCB()):
        run = play(policy, bandit.with_prior(prior), 200, generators(0, "logs", 0))
        assert len(run.arms) == 200
    unconfounded = DiscreteSCM(ADMG([("X", "Y")]), {"X": ((), [0.5, 0.5]), "Y": (("X",), [[0.8, 0.2], [0.3, 0.7]])})
    frame = pd.DataFrame(unconfounded.sample(100, rng))
    effect = Logs.from_frame(frame, "dag { X -> Y }", treatment="X", outcome="Y").prior()["effect"]
    np.testing.assert_allclose(effect[0], frame.groupby("X")["Y"].mean())


def test_the_limits_of_a_value_are_worked_by_hand():
    """Half of the error is for the two contexts' shares, four limits; half for the effects, two statements a cell."""
    frame = {"c": [0] * 60 + [1] * 140, "x": [0, 1] * 100, "y": [0] * 20 + [1] * 40 + [0] * 90 + [1] * 50}
    graph = "dag { c -> x -> y ; c -> y }"
    logs = Logs.from_frame(frame, graph, treatment="x", outcome="y", context="c")
    answer = logs.value([1, 0], confidence=0.9)
    assert answer.confidence == 0.9
    assert answer.effects.confidence == pytest.approx(0.95)
    np.testing.assert_array_equal(answer.effects.lower, logs.bounds(confidence=0.95).lower)
    least = [beta.ppf(0.05 / 4, n, 201 - n) for n in (60, 140)]
    most = [beta.ppf(1 - 0.05 / 4, n + 1, 200 - n) for n in (60, 140)]
    low, high = (end[[0, 1], [1, 0]] for end in (answer.effects.lower, answer.effects.upper))

    def extremes(values):
        shares = np.array([[p, 1 - p] for p in (max(least[0], 1 - most[1]), min(most[0], 1 - least[1]))])
        return (shares @ values).min(), (shares @ values).max()

    assert answer.lower == pytest.approx(extremes(low)[0])
    assert answer.upper == pytest.approx(extremes(high)[1])
    given = logs.value([1, 0], confidence=0.9, context_probabilities=[0.25, 0.75])
    effects = logs.bounds(confidence=0.9)
    assert given.lower == pytest.approx(np.array([0.25, 0.75]) @ effects.lower[[0, 1], [1, 0]])
    assert given.upper == pytest.approx(np.array([0.25, 0.75]) @ effects.upper[[0, 1], [1, 0]])
    alone = Logs.from_frame(frame, graph, treatment="x", outcome="y")
    assert alone.value([1], confidence=0.9).effects.confidence == 0.9


def test_logs_without_records_say_nothing_of_a_policy():
    names = ("age", "drug", "well")
    graph = "dag { age -> drug -> well ; age -> well }"
    logs = logs_of(graph, {v: [] for v in names}, context="age", states={v: [0, 1] for v in names})
    answer = logs.value([0, 1])
    assert (answer.lower, answer.upper) == pytest.approx((0, 1))


def test_an_arm_without_records_has_no_estimates_and_no_bounds():
    frame = {"c": [0, 0, 1, 1, 1], "x": [0, 1, 0, 0, 0], "y": [1, 0, 1, 0, 0]}
    logs = Logs.from_frame(frame, "dag { c -> x -> y ; c -> y }", treatment="x", outcome="y", context="c")
    prior = logs.prior()
    assert prior["count"].tolist() == [[1, 1], [3, 0]]
    np.testing.assert_allclose(prior["cp"], [[1, 0], [1 / 3, np.nan]])
    np.testing.assert_allclose(prior["effect"], [[1, 0], [1 / 3, np.nan]])
    np.testing.assert_allclose(prior["lower"], [[1, 0], [1 / 3, 0]])
    np.testing.assert_allclose(prior["upper"], [[1, 0], [1 / 3, 1]])


def test_context_and_selection_reach_every_method():
    """Natural bounds within each context by hand; the graph's test knows that selection may tie variables together."""
    frame = {"c": [0] * 4 + [1] * 10, "x": [0, 0, 1, 1] + [0] * 5 + [1] * 5, "y": [0, 1, 1, 1] + [0, 1] * 5}
    bow = Logs.from_frame(frame, "dag { c -> x -> y ; x <-> y ; c -> y }", treatment="x", outcome="y", context="c")
    for method in (None, "natural"):
        np.testing.assert_allclose(bow.bounds(method=method).lower, [[0.25, 0.5], [0.2, 0.3]])
        np.testing.assert_allclose(bow.bounds(method=method).upper, [[0.75, 1.0], [0.7, 0.8]])
    graph = "dag { a -> y ; x -> y ; y -> S }"
    frame = {"a": [0, 1] * 200, "x": [0, 1] * 190 + [1, 0] * 10, "y": [0, 1] * 200}
    selected = Logs.from_frame(frame, graph, treatment="x", outcome="y", selection="S")
    assert selected.test_graph() == ()  # a and x are independent, but not among the selected
    (test,) = Logs.from_frame(frame, "dag { a -> y ; x -> y }", treatment="x", outcome="y").test_graph()
    assert test.rejected
    assert selected.bounds().method == "bce"
    with pytest.raises(ValueError, match="both treatment and context"):
        Logs.from_frame(frame, graph, treatment="x", outcome="y", context="x", selection="S")


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.1, 95.0, float("nan"), "0.95", True])
def test_a_confidence_is_a_probability(confidence):
    for graph in (BOW, "dag { drug -> well }"):
        with pytest.raises(ValueError, match="confidence="):
            logs_of(graph).bounds(confidence=confidence)
    context = Logs.from_frame(STRATA, CONFOUNDED, treatment="x", outcome="y", context="z")
    with pytest.raises(ValueError, match="confidence="):
        context.value([0, 0], confidence=confidence)
    with pytest.raises(ValueError, match="confidence="):
        context.effect(confidence=confidence)


def test_selection_by_the_context_distorts_no_shares_within_it():
    frame = {"c": [0] * 4 + [1] * 10, "x": [0, 0, 1, 1] + [0] * 5 + [1] * 5, "y": [0, 1, 1, 1] + [0, 1] * 5}
    roles = {"treatment": "x", "outcome": "y", "selection": "S"}
    graph = "dag { c -> x -> y ; x <-> y ; c -> y ; c -> S }"
    within = Logs.from_frame(frame, graph, context="c", **roles)
    for answer in (within.bounds(method="natural"), within.bounds()):
        np.testing.assert_allclose(answer.lower, [[0.25, 0.5], [0.2, 0.3]])
        np.testing.assert_allclose(answer.upper, [[0.75, 1.0], [0.7, 0.8]])
    confident = within.bounds(confidence=0.9)
    natural = within.bounds(method="natural", confidence=0.9)
    np.testing.assert_array_equal(confident.lower, natural.lower)  # BCE has no limits here
    assert any("Natural bounds were used" in note for note in confident.notes)
    with pytest.raises(ValueError, match="natural bounds: S depends on y or the treatment"):
        Logs.from_frame(frame, graph, **roles).bounds(method="natural")
    assert Logs.from_frame(frame, graph, **roles).bounds().upper.max() == 1


def test_labels_become_numbers_and_come_back():
    frame = {"drug": ["no", "yes", "yes"], "age": [30, 40, 40], "well": [True, False, True]}
    logs = Logs.from_frame(frame, "dag { age -> drug -> well }", treatment="drug", outcome="well", context="age")
    for states in (*logs.contexts, *logs.arms):
        assert logs.numbered(logs.labelled(states)) == states
    assert logs.numbered({"age": np.float64(40), "drug": "yes", "well": np.True_}) == {"age": 1, "drug": 1, "well": 1}
    with pytest.raises(ValueError, match="drug has no state 'maybe' \\(its states: no, yes\\)"):
        logs.numbered({"drug": "maybe"})
    with pytest.raises(ValueError, match="no variable 'dose' in the logs"):
        logs.numbered({"dose": 1})


def test_bounds_are_called_sharp_only_where_any_two_confounded_variables_share_a_cause():
    frame = {"a": [0, 0, 1, 1] * 9, "x": [0, 1, 1, 0] * 9, "y": [0, 1, 0, 1] * 6 + [1, 1, 0, 0] * 3}
    roles = {"treatment": "x", "outcome": "y"}
    chained = Logs.from_frame(frame, "dag { a -> y ; x -> y ; a <-> x ; x <-> y }", **roles)
    joined = Logs.from_frame(frame, "dag { a -> y ; x -> y ; a <-> x ; x <-> y ; a <-> y }", **roles)
    for logs, said, other in ((chained, "might be narrower", "are sharp"), (joined, "are sharp", "might be narrower")):
        answer = logs.bounds()
        assert answer.method == "linear program"
        text = " ".join(answer.notes)
        assert said in text
        assert other not in text


def test_the_greatest_mean_under_limits_of_probabilities():
    """By hand: 0.4 more go to 0.9 (up to its limit), the other 0.3 to 0.5; and against linear programs."""
    values, low, high = np.array([0.2, 0.9, 0.5]), np.full(3, 0.1), np.array([0.6, 0.5, 0.9])
    assert _greatest(values, low, high) == pytest.approx(0.1 * 0.2 + 0.5 * 0.9 + 0.4 * 0.5)
    rng = np.random.default_rng(3)
    for _ in range(200):
        n = int(rng.integers(2, 7))
        middle = rng.dirichlet(np.ones(n))
        low, high = middle * rng.random(n), middle + (1 - middle) * rng.random(n)
        values = rng.normal(size=n)
        program = linprog(-values, A_eq=np.ones((1, n)), b_eq=[1], bounds=np.stack([low, high], axis=1))
        assert _greatest(values, low, high) == pytest.approx(-program.fun, abs=1e-9)
        assert low.sum() <= 1 <= high.sum()


# ---------------------------------------------------------------------- kinds of faults that practitioners met

FREE = "dag { x -> y }"
BOTH = "dag { x -> y ; x <-> y }"


def xy(x, y, graph=FREE, **options):
    return Logs.from_frame({"x": x, "y": y}, graph, treatment="x", outcome="y", **options)


@pytest.mark.parametrize("value", [0, False, 0.0, np.int64(0)])
@pytest.mark.parametrize("graph", [FREE, BOTH])
def test_records_without_a_success_are_no_successes(value, graph):
    logs = xy([0, 1] * 20, [value] * 40, graph)
    assert logs.value([0]).lower == 0
    assert (logs.prior()["cp"] == 0).all()
    assert (logs.bounds().lower == 0).all()
    assert logs.bounds().upper.max() == (0 if graph == FREE else 0.5)


@pytest.mark.parametrize("value", [1, True, 1.0, np.int64(1)])
def test_records_that_are_all_successes_leave_open_what_others_would_have_been(value):
    logs = xy([0, 1] * 20, [value] * 40, BOTH)
    np.testing.assert_allclose(logs.bounds().lower, [[0.5, 0.5]])
    np.testing.assert_allclose(logs.bounds().upper, [[1, 1]])
    assert logs.value([1]).lower == pytest.approx(0.5)


def test_one_state_of_an_outcome_of_strings_needs_a_success():
    with pytest.raises(ValueError, match="success: all records have y = yes; say which value is a reward of 1"):
        xy([0, 1], ["yes", "yes"])
    assert xy([0, 1], ["yes", "yes"], success="yes").value([0]).lower == 1
    assert xy([0, 1], ["yes", "yes"], success="no").value([0]).upper == 0
    assert xy([0, 1], ["yes", "yes"], success="no").counts.states["y"] == ("yes", "no")  # failure first
    assert xy([0, 1], ["yes", "yes"], states={"y": ["no", "yes"]}).value([0]).lower == 1
    with pytest.raises(ValueError, match="counts: y has the states 0; expected two, success and failure"):
        Logs(CountTable({"x": ("0", "1"), "y": ("0",)}, np.ones((2, 1), dtype=int)), FREE, treatment="x", outcome="y")


def test_linear_programs_bound_an_outcome_of_one_state():
    from causal_bandits.estimation.linear_programs import LinearProgramBounds

    problem = LinearProgramBounds(BOTH, treatment="x", context=(), outcome="y")
    lower, upper = problem.bounds(np.array([[5.0], [7.0]]), ["x", "y"])
    np.testing.assert_allclose(lower, 1)
    np.testing.assert_allclose(upper, 1)


@pytest.mark.parametrize("values", [[0, 1, 5], [0, 250, 1999], [-1, 1, 0], [1, 2, 1], [0, 500, 0], [2.0, 3.0, 4.0]])
def test_a_probability_does_not_pass_for_the_mean_of_numbers(values):
    with pytest.raises(ValueError, match=r"success: y has the values .*not their mean.*success="):
        xy([0, 1, 0] * 5, values * 5)
    logs = xy([0, 1, 0] * 5, values * 5, success=values[1])
    assert logs.value([1]).lower == 1


def test_more_than_two_states_need_a_success_wherever_they_come_from():
    counts = CountTable({"x": ("0", "1"), "y": ("lo", "mid", "hi")}, np.ones((2, 3), dtype=int))
    with pytest.raises(ValueError, match="success: y has the states lo, mid, hi; expected the one that counts"):
        Logs(counts, FREE, treatment=("x",), outcome="y")
    assert Logs(counts, FREE, treatment=("x",), outcome="y", success="mid").success_state == 1


def test_a_misspelt_column_is_shown_beside_those_that_there_are():
    for graph in ("dag { X -> y }", "dag { x -> y ; Age -> y }"):
        with pytest.raises(ValueError, match=r"no column for \w+ \(the columns are x, y\)"):
            Logs.from_frame({"x": [0], "y": [1]}, graph, treatment=graph[6], outcome="y")


@pytest.mark.parametrize(
    "policy",
    [{"a": 1}, lambda context: 0, "always", None, [["a", "b"]], [[0.5, 0.6]], [[1.5, -0.5]], [[0.5]], [2], [-1], [0.5]],
)
def test_a_policy_that_is_none_is_refused_in_words(policy):
    with pytest.raises(ValueError, match="policy: ") as caught:
        xy([0, 1], [0, 1]).value(policy)
    assert "expected" in str(caught.value) or "arms are" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_shares_of_contexts_that_are_none_are_refused():
    with pytest.raises(ValueError, match="context_probabilities: "):
        logs_of().value([0], context_probabilities=[0.5])
    assert "0.300 to 0.850" in str(logs_of().value([1]))


def test_a_variable_with_too_many_states_is_named():
    codes = [f"{i:05}" for i in range(150)]
    with pytest.raises(ValueError, match="postcode has 150 states; expected at most 127: merge values, or leave it"):
        Logs.from_frame(
            {"postcode": codes, "x": [0, 1] * 75, "y": [0, 1] * 75},
            "dag { postcode -> y ; x -> y }",
            treatment="x",
            outcome="y",
        )


def test_options_have_one_order_and_are_given_by_name():
    logs = xy([0, 0, 1, 1], [0, 1, 0, 1])
    for call in (logs.bounds, logs.effect, logs.prior, logs.test_graph):
        with pytest.raises(TypeError, match="positional argument"):
            call(0.9)
    with pytest.raises(TypeError, match="positional argument"):
        logs.value([0], 0.9)


@pytest.mark.parametrize("graph", [BOTH, "dag { x -> y ; x <-> y ; c -> y }"])
def test_an_effect_without_a_formula_is_sent_to_the_bounds(graph):
    logs = Logs.from_frame({"x": [0, 1], "y": [0, 1], "c": [0, 1]}, graph, treatment="x", outcome="y")
    with pytest.raises(NotIdentifiable, match=r"not identifiable.*; Logs\.bounds\(\) says what the records imply"):
        logs.effect()


def test_nothing_prints_arrays_or_minus_zero():
    frame = {"x": [0, 1] * 50, "y": [0, 1, 1, 0] * 25, "c": [0] * 50 + [1] * 50}
    logs = Logs.from_frame(frame, "dag { c -> y ; x -> y }", treatment="x", outcome="y", context="c")
    difference = logs.effect().difference(1, 0)
    assert str(difference).splitlines()[0].startswith("x = 1 minus x = 0 given c = 0: 0.0")
    zero = xy([0, 1] * 40, [0, 1, 0, 0] * 20)
    none = xy([0, 1] * 20, [0] * 40, BOTH)
    answers = [difference, zero.effect(), zero.effect().difference(0, 0), none.value([0]), none.bounds(), zero.bounds()]
    for answer in map(str, answers):
        assert "array" not in answer
        assert "-0.000" not in answer


@pytest.mark.parametrize("n", [3, 40])
def test_a_cell_in_which_all_records_agree_does_not_pass_for_certainty(n):
    """A stratum of few records that agree makes an interval too narrow without making its variance zero."""
    graph = "dag { z -> x ; z -> y ; x -> y }"
    rest = {"z": [1] * 80, "x": [0, 1] * 40, "y": [0, 1, 1, 0, 0, 1, 0, 1] * 10}
    few = {"z": [0] * 2 * n, "x": [0] * n + [1] * n, "y": [0, 1] * (n // 2) + [1] * (n % 2) + [1] * n}
    frame = {v: rest[v] + few[v] for v in rest}
    effect = Logs.from_frame(frame, graph, treatment="x", outcome="y").effect()
    assert np.isfinite(effect.lower).all()
    assert any(
        f"all records agree, for instance P(y | x, z) where x = 1, z = 0 ({n} records)" in s for s in effect.notes
    )


def test_a_trial_is_not_divided_by_mediators_and_covariates():
    rng, n = np.random.default_rng(66), 300
    drug, w = rng.integers(2, size=n), rng.integers(20, size=n)
    m = np.where(rng.random(n) < 0.5, 5 * drug, 0) + rng.integers(5, size=n)
    well = (rng.random(n) < 0.2 + 0.05 * m).astype(int)
    frame = {"drug": drug, "W": w, "m": m, "w": w % 3, "well": well}
    logs = logs_of("dag { drug -> m -> well ; {w W} -> m ; {w W} -> well }", frame)
    means = [[well[drug == arm].mean() for arm in (0, 1)]]
    np.testing.assert_allclose(logs.effect().estimate, means)
    bounds = logs.bounds()
    np.testing.assert_allclose(bounds.lower, means)
    np.testing.assert_allclose(bounds.upper, means)
    assert bounds.notes == ("P(well | do(drug)) = P(well | drug)",)
    within = logs_of("dag { drug -> m -> well ; {w W} -> m ; {w W} -> well }", frame, context="w")
    assert within.effect().formula == "P(well | drug, w)"
    one = [[well[(drug == arm) & (w % 3 == c)].mean() for arm in (0, 1)] for c in range(3)]
    np.testing.assert_allclose(within.bounds().upper, one)


# ---------------------------------------------------------------------- what an answer shows


def test_rows_and_table_show_each_context_s_and_each_arm_s_own_bounds():
    frame = {"c": list("aaaabbbb"), "x": [0, 0, 1, 1] * 2, "y": [0, 0, 0, 1, 1, 1, 0, 1]}
    graph = "dag { c -> y ; x -> y ; x <-> y }"
    bounds = Logs.from_frame(frame, graph, treatment="x", outcome="y", context="c").bounds()
    rows = bounds.rows()
    assert [(row["c"], row["x"]) for row in rows] == [("a", "0"), ("a", "1"), ("b", "0"), ("b", "1")]
    assert [row["lower"] for row in rows] == pytest.approx([0, 0.25, 0.5, 0.25])
    assert [row["upper"] for row in rows] == pytest.approx([0.5, 0.75, 1, 0.75])
    head, *lines = bounds.table().splitlines()
    assert head.split() == ["given", "do", "lower", "upper"]
    assert [line.split() for line in lines] == [
        ["c", "=", row["c"], "x", "=", row["x"], f"{row['lower']:.3f}", f"{row['upper']:.3f}"] for row in rows
    ]
    assert xy([0, 1], [0, 1]).bounds().table().splitlines()[0].split() == ["do", "lower", "upper"]


def test_what_holds_under_which_assumptions_is_said():
    frame = {"a": [0, 1] * 8, "b": [0, 0, 1, 1] * 4, "x": [0, 1, 1, 0] * 4, "y": [0, 1, 1, 1] * 4}
    roles = {"treatment": "x", "outcome": "y"}
    chain = Logs.from_frame(frame, "dag { a -> b -> S ; a -> y ; x -> y }", selection="S", **roles)
    assert "(S) depends directly on b." in " ".join(chain.bounds().assumptions)
    bow = Logs.from_frame(frame, "dag { a -> b -> y ; x -> y ; x <-> y }", context=["a", "b"], **roles)
    assert "a, b: not affected by x." in bow.bounds(method="natural").assumptions
    value = Logs.from_frame(frame, "dag { a -> b -> y ; x -> y }", **roles).value([1])
    for sentence in ("Contexts occur as in the logs, and the policy sees nothing else.", *value.effects.assumptions):
        assert f"\n- {sentence}" in str(value)


def test_contexts_without_records_are_named_and_only_empty_answers_are_called_so():
    frame = {"c": ["a", "a", "b"], "x": [0, 1, 1], "y": [0, 1, 1]}
    states = {"c": ["a", "b", "d"], "x": [0, 1], "y": [0, 1]}
    graph = "dag { c -> y ; x -> y ; x <-> y }"
    logs = Logs.from_frame(frame, graph, treatment="x", outcome="y", context="c", states=states)
    assert "1 of 3 contexts have no records, for instance c = d." in logs.bounds(method="natural").notes
    assert not any("no records" in note for note in xy([0, 1], [0, 1], BOTH).bounds().notes)
    roles = {"treatment": "x", "outcome": "y", "selection": "S"}
    hidden = Logs.from_frame({"x": [0, 1], "y": [0, 1]}, "dag { x -> y ; x <-> y ; y -> S }", **roles)
    assert any("say nothing" in note for note in hidden.bounds().notes)
    half = {"c": [0, 0, 1, 1], "x": [0, 0, 0, 1], "y": [0, 1, 0, 1]}
    graph = "dag { c -> y ; x -> y ; x <-> y ; c -> S }"
    known = Logs.from_frame(half, graph, context="c", states={v: [0, 1] for v in "cxy"}, **roles).bounds()
    assert known.lower.min() == 0
    assert known.upper.max() == 1
    assert not any("say nothing" in note for note in known.notes)


@pytest.mark.parametrize("roles", [{"treatment": ["x", "x"]}, {"context": ["c", "c"]}])
def test_each_variable_has_a_role_once(roles):
    (role, names), frame = *roles.items(), {"x": [0, 1], "y": [0, 1], "c": [0, 1]}
    with pytest.raises(ValueError, match=f"{role}: {', '.join(names)}; expected each variable once"):
        Logs.from_frame(frame, "dag { c -> y ; x -> y }", **{"treatment": "x", "outcome": "y"} | roles)


def test_a_set_of_names_has_one_order():
    frame = {"x": [0, 1], "y": [0, 1], "c": [0, 1], "d": [0, 1]}
    graph = "dag { c -> y ; d -> y ; x -> y }"
    assert Logs.from_frame(frame, graph, treatment="x", outcome="y", context={"d", "c"}).context == ("c", "d")
