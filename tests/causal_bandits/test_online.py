"""Bandits in use: they play as the study's policies do, resume to the bit, and refuse what they cannot learn from."""

import copy
import itertools
import json
import pickle
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from strategies import positive_scm

from causal_bandits.compiled import jit
from causal_bandits.graphs import ADMG
from causal_bandits.logs import Logs
from causal_bandits.logs.starting import as_if_played
from causal_bandits.models.arms import Arms
from causal_bandits.online import CausalBandit, Choice, ContextualCausalBandit, replay
from causal_bandits.online.held_generator import hold
from causal_bandits.play.run import play
from causal_bandits.policies import (
    CNUCB,
    KLUCB,
    UCB,
    Z2KLUCB,
    LinUCB,
    LinUCBPCB,
    Thompson,
    Z2Thompson,
)
from causal_bandits.problems import make
from causal_bandits.seeding import generators

FRONT_DOOR = "dag { X -> Z -> Y ; X <-> Y }"
STATES = {"X": ["off", "on"]}
POLICIES = [Thompson(), KLUCB(), Z2Thompson(replicates=20), Z2KLUCB(replicates=20)]
HORIZON = 50


def named(policy):
    return type(policy).__name__


def front_door(policy=None, **options):
    return CausalBandit(FRONT_DOOR, outcome="Y", states=STATES, policy=policy, **options)


def happened(choice, rng):
    """What the front door's variables were after a choice."""
    hidden = rng.random() < 0.5
    x = choice.do.get("X", "on" if hidden else "off")
    z = int(rng.random() < (0.9 if x == "on" else 0.2))
    return {"X": x, "Z": z, "Y": int(rng.random() < 0.1 + 0.4 * z + 0.4 * hidden)}


def after(bandit, rounds, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        choice = bandit.act()
        bandit.update(choice, happened(choice, rng))
    return bandit


def learned(bandit):
    return {name: array.copy() for name, array in bandit._arrays().items()}


def assert_same(one, other):
    one, other = learned(one), learned(other)
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name], err_msg=name)


# ---------------------------------------------------------------------- the study's own runs


@pytest.mark.parametrize("task", ["frontdoor", "fourvar", "sixvar"])
@pytest.mark.parametrize("policy", [Thompson(), KLUCB(), Z2Thompson(), Z2KLUCB()], ids=named)
def test_act_and_update_make_the_study_s_own_runs_to_the_bit(task, policy):
    """100 seeds of lee2019's bandits. Thompson sampling has the study's arms; kl-UCB has them in a drawn order.

    Of these orders five are drawn: estimators are compiled anew for each.
    """
    study = make(f"lee2019/{task}").with_arms("possibly_optimal")
    seen = {v: [0, 1] for v in study.scm.variables if v not in study.scm.hidden}
    orders = {}
    for seed in range(100):
        streams = generators(20190127, f"lee2019/{task}", seed)
        bandit = CausalBandit(
            study.scm.graph,
            outcome="Y",
            states=seen,
            cannot_set=study.non_manipulable,
            policy=policy,
            seed=streams.policy,
            _order=orders.get(seed % 5),
        )
        orders[seed % 5] = bandit._settings["_order"]
        if isinstance(policy, Thompson | Z2Thompson):
            assert list(bandit.arms) == [dict(arm) for arm in study.arms]
        listed = study.with_arms(Arms(study.scm.variables, bandit.arms))
        run = play(policy, listed, HORIZON, generators(20190127, f"lee2019/{task}", seed))
        world = listed.worlds(0, HORIZON, streams.environment)
        for t in range(HORIZON):
            choice = bandit.act()
            assert choice.do == bandit.arms[run.arms[t]], (seed, t)
            states, reward = listed.play(world, t, int(run.arms[t]))
            assert reward == run.rewards[t]
            bandit.update(choice, states)
    assert (orders[0] != orders[1]) == isinstance(policy, KLUCB | Z2KLUCB)


@pytest.mark.parametrize(
    "policy",
    [
        LinUCB(),
        LinUCB(0.3, 2.0, intercept=False),
        LinUCB(warm_start="cp"),
        LinUCB(warm_start="effect", warm_weight=3.0),
        None,
        LinUCBPCB(alpha=0.3),
        LinUCBPCB(warm_start="cp"),
    ],
)
@pytest.mark.parametrize("confounded", [False, True])
def test_the_contextual_bandit_is_lin_ucb_within_the_bounds_of_the_logs(policy, confounded, tmp_path):
    """Against the definition: theta = A^-1 b per arm, index = min(theta' x + alpha sqrt(x' A^-1 x), upper bound)."""
    graph = ADMG([("C", "X"), ("C", "Y"), ("D", "Y"), ("X", "Y")], [("X", "Y")] * confounded)
    own = policy or LinUCBPCB()
    if confounded and own.warm_start == "effect":
        return
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scm = positive_scm(graph, rng, max_states=2)
        frame = scm.sample(200, rng)
        roles = {"treatment": "X", "outcome": "Y", "context": ("C", "D")}
        prior = Logs.from_frame(frame, graph, **roles).prior()
        logs = frame if isinstance(own, LinUCBPCB) or own.warm_start else None
        states = {v: [0, 1] for v in "CDXY"}
        bandit = ContextualCausalBandit(graph, states=states, policy=policy, logs=logs, seed=seed, **roles)
        width = 2 + own.intercept
        gram, b = np.tile(own.penalty * np.eye(width), (2, 1, 1)), np.zeros((2, width))

        def learn(arm, x, reward, weight=1.0, gram=gram, b=b):
            gram[arm] += weight * np.outer(x, x)
            b[arm] += weight * reward * x

        for (c, d), arm in itertools.product(itertools.product((0, 1), repeat=2), (0, 1)):
            if own.warm_start and not np.isnan(estimate := prior[own.warm_start][2 * c + d, arm]):
                weight = prior["count"][2 * c + d, arm] if own.warm_weight == "count" else own.warm_weight
                learn(arm, np.array([c, d, 1.0][:width]), estimate, weight)
        for t in range(HORIZON):
            if t == 7 * seed:
                bandit.save(tmp_path / "bandit")
                bandit = ContextualCausalBandit.load(tmp_path / "bandit")
            c, d = (int(v) for v in rng.integers(2, size=2))
            x = np.array([c, d, 1.0][:width])
            index = [
                x @ np.linalg.solve(gram[a], b[a]) + own.alpha * np.sqrt(x @ np.linalg.solve(gram[a], x))
                for a in (0, 1)
            ]
            if isinstance(own, LinUCBPCB):
                index = np.minimum(index, prior["upper"][2 * c + d])
            choice = bandit.act({"other": 1, "D": d, "C": c})
            arm, ties = int(choice.do["X"]), sum(i >= max(index) - 1e-9 for i in index)
            assert index[arm] >= max(index) - 1e-9
            assert choice.probability == 1 / ties
            assert choice.context == {"C": c, "D": d}
            reward = int(rng.integers(2))
            bandit.update(choice, {"Y": reward})
            learn(arm, x, reward)


# ---------------------------------------------------------------------- choices and their probabilities


@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_the_first_choice_is_any_arm(policy):
    """Not arm 0 by the alphabet: the first rounds and ties are random."""
    first = [str(front_door(policy, seed=seed).act()) for seed in range(300)]
    for arm in ("do nothing", "do(X = off)", "do(X = on)"):
        assert 70 < first.count(arm) < 130


@pytest.mark.parametrize("policy", POLICIES, ids=named)
@pytest.mark.parametrize("rounds", [0, 7, 40])
@pytest.mark.parametrize("available", [None, [{}, {"X": "on"}]])
def test_the_probability_of_a_choice_is_its_frequency(policy, rounds, available, tmp_path):
    bandit = after(front_door(policy, seed=1), rounds)
    n, counts, probabilities = 500, {}, {}
    for seed in range(n):
        if rounds == 0 and bandit._learner.sweeps:
            bandit = front_door(policy, seed=seed)  # the order of the arms was drawn before
        state = {name: array.copy() for name, array in bandit._arrays().items()}
        choice = bandit.act(available)
        for name, array in bandit._arrays().items():
            array[...] = state[name]  # the same state again, with other random numbers
        counts[str(choice)] = counts.get(str(choice), 0) + 1
        probabilities[str(choice)] = choice.probability
        assert choice.exact == bandit._learner.exact
    assert set(counts) <= {"do nothing", "do(X = on)"} | ({"do(X = off)"} if available is None else set())
    for arm, p in probabilities.items():
        assert abs(counts[arm] / n - p) < 4 * np.sqrt(p * (1 - p) / n) + 2e-3


def test_the_probability_of_the_largest_draw_against_simulation():
    from causal_bandits.online.causal_bandit import largest_of_betas

    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(1, 7))
        ones, zeros = rng.gamma(1.0, 20.0, n) + 0.05, rng.gamma(1.0, 20.0, n) + 0.05
        shares = np.bincount(rng.beta(ones, zeros, (40_000, n)).argmax(axis=1), minlength=n) / 40_000
        found = np.array([largest_of_betas(ones, zeros, a) for a in range(n)])
        np.testing.assert_allclose(found, shares, atol=0.012)
        assert found.sum() == pytest.approx(1, abs=1e-3)


def test_each_arm_of_kl_ucb_is_played_once_before_any_is_compared_and_late_rewards_do_not_stop_that():
    for policy in (KLUCB(), Z2KLUCB(replicates=20)):
        for seed in range(20):
            bandit = front_door(policy, seed=seed)
            choices = [bandit.act() for _ in range(7)]  # no reward comes
            counts = sorted(map(str, choices))
            assert sorted(len(list(group)) for _, group in itertools.groupby(counts)) == [2, 2, 3]
            assert [c.probability for c in choices] == pytest.approx([1 / 3, 1 / 2, 1, 1 / 3, 1 / 2, 1, 1 / 3])
            bandit.update(choices, [happened(c, np.random.default_rng(seed)) for c in choices])
            assert bandit.act().probability in (1, 1 / 2, 1 / 3)


@pytest.mark.parametrize("policy", [KLUCB(), Z2KLUCB(replicates=20)], ids=named)
def test_what_was_available_before_does_not_tell_which_arm_is_tried_next(policy):
    """After one of two arms, the other of them and the third are equally likely, as the probability says."""
    third = 0
    for seed in range(300):
        bandit = front_door(policy, seed=seed)
        bandit.act([{}, {"X": "on"}])
        choice = bandit.act()
        assert choice.probability == 1 / 2
        third += choice.do == {"X": "off"}
    assert 120 < third < 180


def test_a_choice_can_be_logged_and_sent():
    bandit = after(front_door(seed=2), 5)
    choice = bandit.act()
    restored = Choice(**json.loads(json.dumps(choice.record())))
    assert (restored.do, restored.probability, restored.exact) == (choice.do, choice.probability, False)
    assert pickle.loads(pickle.dumps(bandit.act())).probability > 0
    bandit.update(restored, happened(choice, np.random.default_rng(0)))
    bandit.update(choice.record() | {"time": 3}, happened(choice, np.random.default_rng(0)))
    assert bandit.updates == 7


def test_a_choice_of_numpy_s_values_can_be_sent_and_one_of_no_names_cannot_be_made():
    choice = Choice({"x": np.int64(1)}, 0.5, context=pd.Series({"a": np.float32(2), "b": np.True_}))
    assert json.loads(json.dumps(choice.record()))["context"] == {"a": 2.0, "b": True}
    for do in ("on", None, ["on"]):
        with pytest.raises(ValueError, match=r"do: .*; expected a mapping from names to values"):
            Choice(do)


@pytest.mark.parametrize("outcome", [True, np.bool_(True), 1, 1.0, np.int8(1), "1"])
@pytest.mark.parametrize("values", [[0, 1], [False, True]])
def test_zero_and_one_are_false_and_true(outcome, values):
    if outcome == "1" and values[1] is True:
        return
    bandit = CausalBandit(FRONT_DOOR, outcome="Y", states={**STATES, "Y": values}, policy=Thompson())
    bandit.update({"X": "on"}, {"Y": outcome})
    assert bandit.expectations()["do(X = on)"] == 2 / 3
    graph, seen = "dag { c -> y ; x -> y }", {"outcome": "y", "treatment": "x", "context": "c"}
    contextual = ContextualCausalBandit(graph, states={"x": [0, 1], "y": values}, **seen)
    contextual.update({"x": 1}, {"c": 1.0, "y": outcome})
    assert contextual.expectations({"c": 1.0})["do(x = 1)"] == pytest.approx(2 / 3)  # with a penalty of 1


# ---------------------------------------------------------------------- updates


@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_a_batch_teaches_what_its_rows_teach_in_any_form(policy):
    one, other = front_door(policy, seed=4), front_door(policy, seed=4)
    rng, choices = np.random.default_rng(3), [one.act() for _ in range(12)]
    assert [str(c) for c in choices] == [str(other.act()) for _ in range(12)]
    rows = [happened(c, rng) for c in choices]
    one.update(choices, rows)
    frame = pd.DataFrame(rows)[["Y", "Z", "X"]].astype({"Y": float})
    frame["other"] = "ignored"
    for choice, (_, row) in zip(choices, frame.iterrows(), strict=True):
        other.update(choice.do, row)  # late, one by one, as rows of a frame with other columns
    assert_same(one, other)
    assert one.updates == other.updates == 12


@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_a_frame_is_a_batch(policy):
    rows = [{"X": "on", "Z": z, "Y": y, "id": i} for i, (z, y) in enumerate([(1, 1), (0, 1), (1, 0)])]
    bandits = [front_door(policy, seed=5) for _ in range(5)]
    bandits[0].update([{"X": "on"}] * 3, rows)
    bandits[1].update([{"X": "on"}] * 3, pd.DataFrame(rows))
    bandits[2].update([{"X": "on"}] * 3, pa.Table.from_pylist(rows))
    bandits[3].update(pd.DataFrame(rows)[["X"]], pd.DataFrame(rows))
    for row in rows:
        bandits[4].update(Choice(pd.Series({"X": "on"})), pd.DataFrame([row]))  # a frame of one row is a row
    for bandit in bandits[1:]:
        assert_same(bandits[0], bandit)
        assert bandit.updates == 3


@pytest.mark.parametrize("policy", [Thompson(), KLUCB()], ids=named)
def test_without_sharing_only_the_outcome_is_needed(policy):
    bandit = front_door(policy)
    bandit.update({"X": "on"}, {"Y": 1})
    assert bandit.expectations()["do(X = on)"] > 0.5


def test_the_contextual_bandit_reads_names_not_positions():
    graph = "dag { a -> y ; b -> y ; x -> y }"
    bandits = [
        ContextualCausalBandit(graph, outcome="y", treatment="x", context=["a", "b"], states={"x": [0, 1]})
        for _ in range(2)
    ]
    rng = np.random.default_rng(0)
    for _ in range(30):
        row = pd.Series({"a": rng.normal(), "b": rng.normal(), "y": rng.normal()})
        mine = bandits[0].act(row)
        theirs = bandits[1].act(row[["b", "a"]])
        assert mine.do == theirs.do
        bandits[0].update(mine, row)
        bandits[1].update(theirs.do, row[["y", "b", "a"]])
    assert_same(*bandits)
    assert bandits[0].expectations({"b": 1, "a": 2}) == bandits[1].expectations({"a": 2, "b": 1})


def test_expectations_are_those_of_ridge_regressions():
    graph = "dag { a -> y ; b -> y ; x -> y }"
    bandit = ContextualCausalBandit(
        graph, outcome="y", treatment="x", context=["a", "b"], states={"x": [0, 1, 2]}, policy=LinUCB(penalty=0.7)
    )
    rng = np.random.default_rng(1)
    gram, b = np.tile(0.7 * np.eye(3), (3, 1, 1)), np.zeros((3, 3))
    for _ in range(40):
        seen, arm, y = rng.normal(size=2), int(rng.integers(3)), float(rng.normal())
        x = np.array([*seen, 1.0])
        bandit.update({"x": arm}, {"a": seen[0], "b": seen[1], "y": y})
        gram[arm] += np.outer(x, x)
        b[arm] += y * x
    found = bandit.expectations({"a": 0.5, "b": -1.0})
    for arm in range(3):
        expected = np.array([0.5, -1.0, 1.0]) @ np.linalg.solve(gram[arm], b[arm])
        assert found[f"do(x = {arm})"] == pytest.approx(expected)


def test_of_a_graph_only_the_causes_of_the_outcome_need_be_observed():
    bandit = CausalBandit("dag { x -> y -> z ; w -> z }", outcome="y", states={"x": [0, 1]}, policy=Z2Thompson())
    bandit.update({"x": 1}, {"y": 1})
    assert bandit.updates == 1


def test_the_order_in_which_arms_are_available_does_not_matter():
    for policy in POLICIES:
        one, other = after(front_door(policy, seed=2), 30), after(front_door(policy, seed=2), 30)
        for _ in range(20):
            mine, theirs = one.act([{"X": "on"}, {}]), other.act([{}, {"X": "on"}, {}])
            assert (mine.do, mine.probability) == (theirs.do, theirs.probability)


def test_a_bandit_without_context_learns_from_any_number():
    bandit = ContextualCausalBandit(
        "dag { x -> y }", outcome="y", treatment="x", context=[], states={"x": ["a", "b"]}, policy=LinUCB(300.0)
    )
    for t in range(60):
        choice = bandit.act({})
        bandit.update(choice, {"y": 250.0 + 10 * (choice.do["x"] == "b") + t % 2})
    assert bandit.act({}, available=[{"x": "a"}]).do == {"x": "a"}
    assert bandit.expectations({})["do(x = b)"] > bandit.expectations({})["do(x = a)"] > 100


# ---------------------------------------------------------------------- what logs are worth


def front_door_frame(n, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame([happened(Choice({}), rng) for _ in range(n)])


@pytest.mark.parametrize("policy", [Z2Thompson(averaging="delta"), Z2KLUCB(averaging="delta")], ids=named)
def test_records_are_rounds_in_which_nothing_was_done(policy):
    frame = front_door_frame(300)
    by_logs, by_rounds = front_door(policy, logs=frame, seed=1), front_door(policy, seed=1)
    by_rounds.update([{}] * 300, [row for _, row in frame.iterrows()])
    for arm, mean in by_logs.expectations().items():
        assert by_rounds.expectations()[arm] == pytest.approx(mean, rel=1e-9)
        assert abs(mean - {"do nothing": 0.52, "do(X = on)": 0.66, "do(X = off)": 0.38}[arm]) < 0.12


@pytest.mark.parametrize("policy", [Thompson(), KLUCB()], ids=named)
def test_an_identified_arm_starts_with_its_estimate_and_as_many_rounds_as_that_is_worth(policy):
    frame = front_door_frame(400)
    bandit = front_door(policy, logs=frame)
    logs = Logs.from_frame(frame, FRONT_DOOR, treatment="X", outcome="Y", states=STATES)
    effect = logs.effect()
    prior = 1.0 if isinstance(policy, Thompson) else 0.0
    for a, label in enumerate(("off", "on")):
        p, v = effect.estimate[0, a], effect.covariance[0, a, a]
        weight = min(p * (1 - p) / v, logs.units[0, a])
        found = bandit.expectations()[f"do(X = {label})"]
        assert found == pytest.approx((prior + weight * p) / (2 * prior + weight))
    assert bandit.expectations()["do nothing"] == pytest.approx((prior + frame.Y.sum()) / (2 * prior + 400))


def test_an_estimate_without_variance_is_worth_no_more_than_its_records():
    logs = {"x": ["a"] * 10 + ["b"] * 30, "y": [1] * 10 + [0] * 29 + [1]}
    bandit = CausalBandit("dag { x -> y }", outcome="y", states={"x": ["a", "b"]}, policy=Thompson(), logs=logs)
    assert bandit.expectations()["do(x = a)"] == pytest.approx(11 / 12)


def test_arms_that_records_do_not_identify_start_without_knowledge():
    graph = "dag { x -> y ; x <-> y ; w -> y }"
    logs = {"x": [0, 1] * 50, "y": [0, 1, 1, 1] * 25, "w": [0, 0, 1, 1] * 25}
    states = {"x": [0, 1]}
    bandit = CausalBandit(graph, outcome="y", states=states, policy=KLUCB(), logs=logs)
    assert np.isnan([bandit.expectations()[f"do(x = {x})"] for x in (0, 1)]).all()
    assert bandit.expectations()["do nothing"] == 0.75
    assert bandit.act().do != {}  # the others are played first


@pytest.mark.parametrize("policy", [Z2Thompson(replicates=20), Z2KLUCB(replicates=20)], ids=named)
def test_records_help_although_doing_nothing_is_no_arm(policy, tmp_path):
    logs = {"x": [0, 1] * 100, "y": [0, 1, 1, 1, 0, 0] * 33 + [0, 1]}
    bandit = CausalBandit("dag { x -> y }", outcome="y", states={"x": [0, 1]}, policy=policy, logs=logs)
    assert list(bandit.expectations()) == [f"do(x = {arm['x']})" for arm in bandit.arms]
    assert bandit.expectations()["do(x = 1)"] == pytest.approx(np.mean(logs["y"][1::2]), abs=0.02)
    assert {str(bandit.act()) for _ in range(20)} <= {"do(x = 0)", "do(x = 1)"}
    bandit.save(tmp_path / "bandit")
    assert_same(bandit, CausalBandit.load(tmp_path / "bandit"))


@pytest.mark.parametrize("policy", POLICIES, ids=named)
def test_logs_and_a_frame_of_the_same_records_are_the_same(policy):
    frame = front_door_frame(50)
    logs = Logs.from_frame(frame, FRONT_DOOR, treatment="X", outcome="Y", states=STATES)
    assert_same(front_door(policy, logs=frame), front_door(policy, logs=logs))


# ---------------------------------------------------------------------- the file


@pytest.mark.parametrize("policy", POLICIES, ids=named)
@pytest.mark.parametrize("rounds", [0, 1, 25])
def test_a_loaded_bandit_goes_on_to_the_bit(policy, rounds, tmp_path):
    bandit = after(front_door(policy, seed=rounds, cannot_set="Z"), rounds)
    bandit.save(tmp_path / "bandit")
    resumed = CausalBandit.load(tmp_path / "bandit")
    assert resumed.arms == bandit.arms
    assert repr(resumed) == repr(bandit)
    rng, same = np.random.default_rng(9), np.random.default_rng(9)
    for _ in range(40):
        one, other = bandit.act(), resumed.act()
        assert (one.do, one.probability) == (other.do, other.probability)
        bandit.update(one, happened(one, rng))
        resumed.update(other, happened(other, same))
    assert_same(bandit, resumed)
    assert list(tmp_path.iterdir()) == [tmp_path / "bandit"]


@pytest.mark.parametrize("policy", POLICIES, ids=named)
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda bandit: pickle.loads(pickle.dumps(bandit))])
def test_a_copy_goes_on_to_the_bit_and_leaves_the_bandit_alone(policy, copied):
    bandit, twin = after(front_door(policy, seed=1), 10), after(front_door(policy, seed=1), 10)
    other = after(copied(bandit), 30, seed=2)
    assert_same(bandit, twin)
    assert_same(after(bandit, 30, seed=2), other)


def test_a_held_generator_draws_as_the_generator_and_is_copied_with_it():
    rng, twin = np.random.default_rng(1), np.random.default_rng(1)
    before = sys.getrefcount(rng)
    held = hold(rng)
    assert held.rng is rng
    for copied in (copy.deepcopy, lambda both: pickle.loads(pickle.dumps(both))):
        own, its = copied((rng, held))
        assert own is its.rng is not rng
    for _ in range(3):
        assert [drawn_from(held), rng.random()] == list(twin.random(2))
    del held
    assert sys.getrefcount(rng) == before


@jit
def drawn_from(held):
    return held.rng.random()


def rewritten(path, change):
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    head = json.loads(str(arrays["head"]))
    change(head, arrays)
    arrays["head"] = np.array(json.dumps(head))
    with path.open("wb") as file:
        np.savez(file, **arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda head, arrays: head.update(format=0), "format 0; expected 1"),
        (lambda head, arrays: head.update({"class": "OnlineBandit"}), "class OnlineBandit; expected CausalBandit"),
        (lambda head, arrays: head.update(policy=["Fast", {}]), "policy Fast; expected Z2Thompson, Z2KLUCB, Thompson"),
        (lambda head, arrays: head.pop("generator"), "generator"),
        (lambda head, arrays: head["settings"].update(outcome="Q"), "outcome: Q not in the graph"),
        (lambda head, arrays: arrays.pop("learned.zeros"), "array learned.zeros; expected learned.ones"),
        (lambda head, arrays: arrays.update(more=np.zeros(1)), "array more; expected learned.ones"),
        (lambda head, arrays: arrays.update({"learned.ones": np.zeros(4)}), "array learned.ones; expected"),
        (lambda head, arrays: arrays["learned.ones"].fill(np.nan), "array learned.ones: a number is not finite"),
    ],
)
def test_a_file_that_is_not_such_a_bandit_is_named_with_the_reason(change, message, tmp_path):
    front_door(Thompson()).save(tmp_path / "bandit")
    rewritten(tmp_path / "bandit", change)
    with pytest.raises(ValueError, match="bandit: not a CausalBandit saved by this version") as caught:
        CausalBandit.load(tmp_path / "bandit")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{}", b"PK\x03\x04 not a file", pickle.dumps({"a": 1})])
def test_a_file_of_something_else_is_refused(content, tmp_path):
    (tmp_path / "bandit").write_bytes(content)
    with pytest.raises(ValueError, match=r"not a CausalBandit saved by this version \(File is not a zip file\)"):
        CausalBandit.load(tmp_path / "bandit")  # and no advice to unpickle it
    with pytest.raises(FileNotFoundError):
        CausalBandit.load(tmp_path / "absent")


def test_a_bit_that_flipped_in_a_file_is_noticed(tmp_path):
    after(front_door(seed=1), 20).save(tmp_path / "bandit")
    content = bytearray((tmp_path / "bandit").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "bandit").write_bytes(content)
    with pytest.raises(ValueError, match="not a CausalBandit saved by this version"):
        CausalBandit.load(tmp_path / "bandit")


def test_a_failed_save_leaves_the_old_file(tmp_path):
    bandit = after(front_door(Thompson()), 3)
    bandit.save(tmp_path / "bandit")
    before = (tmp_path / "bandit").read_bytes()
    bandit._values.of["X"] = (object(),)
    with pytest.raises(TypeError):
        bandit.save(tmp_path / "bandit")
    assert (tmp_path / "bandit").read_bytes() == before


# ---------------------------------------------------------------------- bad input, in one line, and nothing is lost


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"outcome": "Q"}, ValueError, "outcome: Q not in the graph (its nodes: X, Y, Z)"),
        ({"states": {"W": [0, 1]}}, ValueError, "states: W not in the graph"),
        ({"cannot_set": "W"}, ValueError, "cannot_set: W not in the graph"),
        ({"cannot_set": "X"}, ValueError, "states: setting nothing cannot change Y in this graph"),
        ({"states": ["X"]}, ValueError, "states: ['X']; expected a mapping from variables to lists of their values"),
        ({"states": {}}, ValueError, "states: setting nothing cannot change Y"),
        ({"states": {"X": ["on"]}}, ValueError, "states of X: ['on']; expected a list of at least two different"),
        ({"states": {"X": [1, "1"]}}, ValueError, "states of X: [1, '1']; expected a list of at least two different"),
        ({"states": {"X": "on"}}, ValueError, "states of X: 'on'; expected a list"),
        ({"states": {"X": [0.5, float("nan")]}}, ValueError, "states of X: [0.5, nan]; expected"),
        ({"states": {"X": [0, 1], "Y": [0, 1, 2]}}, ValueError, "states of Y: [0, 1, 2]; expected two"),
        ({"states": {"X": [0, 1], "Y": [0, 5, 9]}}, ValueError, "a ContextualCausalBandit learns from any number"),
        ({"states": {"X": {"on"}}}, ValueError, "states of X: {'on'}; expected a list"),
        ({"policy": "thompson"}, TypeError, "policy: 'thompson' only plays simulated bandits, or is not an instance"),
        ({"policy": Thompson}, TypeError, "a CausalBandit acts by one of"),
        ({"policy": CNUCB()}, TypeError, "a CausalBandit acts by one of Z2Thompson(), Z2KLUCB(), Thompson()"),
        ({"policy": {"name": "ts"}}, TypeError, "policy: {'name': 'ts'}"),
        ({"policy": lambda: 0}, TypeError, "only plays simulated bandits, or is not an instance"),
        ({"states": {"X": range(9), "Z": range(99)}}, ValueError, "too many to share samples"),
        ({"logs": {"X": ["on"], "Y": [1]}}, ValueError, "Z"),
        ({"logs": {"X": ["on"], "Z": [1], "Y": ["won"]}}, ValueError, "Y"),
        ({"logs": {"X": ["on"], "Z": [1], "Y": [1]}}, ValueError, "logs: all records have Z = 1; give all its values"),
        ({"seed": np.random.Generator(np.random.MT19937(0))}, ValueError, "seed: a MT19937 generator"),
        ({"seed": "a"}, ValueError, "seed: 'a'; expected a whole number of at least 0"),
        ({"seed": -1}, ValueError, "seed: -1; expected a whole number of at least 0"),
        ({"seed": 1.5}, ValueError, "seed: 1.5; expected a whole number"),
    ],
)
def test_a_bandit_that_does_not_fit_is_refused_in_one_line(options, error, message):
    with pytest.raises(error) as caught:
        CausalBandit(FRONT_DOOR, **{"outcome": "Y", "states": STATES, **options})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


GOOD = {"X": "on", "Z": 1, "Y": 1}


@pytest.mark.parametrize("policy", POLICIES, ids=named)
@pytest.mark.parametrize(
    ("choice", "observed", "message"),
    [
        ({"X": "maybe"}, GOOD, "do(X = maybe) is not an arm of this bandit; its 3 arms are"),
        ({"Z": 1}, GOOD, "do(Z = 1) is not an arm"),
        (2, GOOD, "choice: 2; expected a Choice or what it sets, for instance {'X': 'o"),
        (lambda: 0, GOOD, "expected a Choice or what it sets"),
        ("on", GOOD, "choice: 'on'; expected a Choice or what it sets"),
        ({"X": "on"}, {"X": "on", "Z": 1}, "Y has no value"),
        ({"X": "on"}, {**GOOD, "Y": float("nan")}, "Y has no value"),
        ({"X": "on"}, {**GOOD, "Y": None}, "Y has no value"),
        ({"X": "on"}, {**GOOD, "Y": pd.NA}, "Y has no value"),
        ({"X": "on"}, {**GOOD, "Y": pd.NaT}, "Y has no value"),
        ({"X": "on"}, {**GOOD, "Y": 5}, "Y is 5; expected one of 0, 1"),
        ({"X": "on"}, {**GOOD, "Y": 0.5}, "Y is 0.5; expected one of 0, 1"),
        ({"X": "on"}, {**GOOD, "X": "off"}, "observed: X is 'off'; the arm sets X = on"),
        ({"X": "on"}, [1, 2], "observed: [1, 2]; expected a mapping from names to values"),
        ({"X": "on"}, "won", "observed: 'won'; expected a mapping"),
        ([{"X": "on"}], [GOOD, GOOD], "update: 1 choices, 2 rows"),
        ([{"X": "on"}], None, "observed: None; expected a list, or a data frame with a row for each choice"),
        ([{"X": "on"}], 5, "observed: 5; expected a list"),
        ([{"X": "on"}], GOOD, "observed: {'X': 'on', 'Z': 1, 'Y': 1}; expected a list"),
        ([{"X": "on"}], pd.DataFrame([GOOD, GOOD]), "update: 1 choices, 2 rows"),
        (pd.DataFrame({"X": ["on"]}), GOOD, "expected a list, or a data frame"),
        ({"X": "on"}, pd.DataFrame([GOOD, GOOD]), "observed: a data frame with 2 rows; expected one row"),
        ({"do": {"X": "maybe"}, "time": 3}, GOOD, "do(X = maybe) is not an arm"),
        ([{"X": "on"}, {"X": "on"}], [GOOD, {**GOOD, "Y": 7}], "Y is 7"),
    ],
)
def test_a_bad_update_is_named_and_nothing_is_learned_or_lost(policy, choice, observed, message):
    bandit = after(front_door(policy, seed=1), 5)
    before = learned(bandit)
    with pytest.raises(ValueError, match=r"[^\n]") as caught:
        bandit.update(choice, observed)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    for name, array in learned(bandit).items():
        np.testing.assert_array_equal(array, before[name])
    assert bandit.updates == 5


@pytest.mark.parametrize("seen", [1, 1.0, "1", np.int8(1), True])
def test_what_the_arm_sets_may_be_observed_in_another_type(seen):
    bandit = CausalBandit("dag { x -> y }", outcome="y", states={"x": [0, 1]}, policy=Thompson())
    bandit.update({"x": 1}, {"x": seen, "y": 1})
    with pytest.raises(ValueError, match="the arm sets x = 0"):
        bandit.update({"x": 0}, {"x": seen, "y": 1})
    assert bandit.updates == 1


def test_only_what_is_needed_is_asked_for():
    for policy in (Thompson(), KLUCB()):
        with pytest.raises(ValueError, match=r"^Y has no value; expected the outcome$"):
            front_door(policy).update({}, {"X": "on"})


def test_sharing_needs_every_variable_and_says_so():
    bandit = front_door(Z2Thompson(replicates=20))
    with pytest.raises(ValueError, match=r"Z has no value; Z2Thompson learns from X, Y, Z; Thompson\(\) from the outc"):
        bandit.update({"X": "on"}, {"Y": 1})
    with pytest.raises(ValueError, match="Z is 'high'; expected one of 0, 1"):
        bandit.update({"X": "on"}, {"Y": 1, "Z": "high"})
    bandit.update({"X": "on"}, {"Y": 1, "Z": 1})  # what the arm sets need not be observed


@pytest.mark.parametrize(
    ("available", "message"),
    [
        ([], "available: no arm; expected at least one"),
        ([{"X": "maybe"}], "do(X = maybe) is not an arm"),
        ({"X": "on"}, "available: {'X': 'on'}; expected a list of arms"),
        (3, "available: 3; expected a list of arms"),
        ([0], "choice: 0; expected a Choice or what it sets, for instance {'X': 'on'}"),
    ],
)
def test_arms_that_cannot_be_available_are_named(available, message):
    with pytest.raises(ValueError, match=r"[^\n]") as caught:
        front_door(Thompson()).act(available)
    assert message in str(caught.value)


CONTEXTUAL = {"outcome": "y", "treatment": "x", "context": ["a", "c"], "states": {"x": [0, 1], "c": ["lo", "hi"]}}
CONTEXT_GRAPH = "dag { a -> y ; c -> y ; x -> y ; x -> z }"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"states": {"c": [0, 1]}}, ValueError, "states: none of x; expected the values of every treatment"),
        ({"context": ["a", "z"]}, ValueError, "context: z: effects of the treatment"),
        ({"context": ["x"]}, ValueError, "x: both treatment and context"),
        ({"treatment": []}, ValueError, "expected a treatment"),
        ({"context": "w"}, ValueError, "context: w not in the graph"),
        ({"states": {"x": [0, 1], "y": [1, 2, 3]}}, ValueError, "states of y: [1, 2, 3]; expected two"),
        ({"policy": UCB()}, TypeError, "a ContextualCausalBandit acts by one of LinUCB(), LinUCBPCB()"),
        ({"policy": Thompson()}, TypeError, "acts by one of LinUCB()"),
        ({"policy": LinUCBPCB()}, ValueError, "needs the values of every context variable; states has none of a"),
        ({"policy": LinUCBPCB(), "context": "c"}, ValueError, "upper is not known (known: nothing); expected logs"),
        ({"policy": LinUCB(warm_start="cp"), "context": "c"}, ValueError, "cp is not known"),
        ({"policy": LinUCB(cells=True)}, ValueError, "neither cells nor shared"),
        ({"context": None}, TypeError, "context: None; expected the name of a variable, or several"),
        ({"treatment": 1}, TypeError, "treatment: 1; expected the name of a variable, or several"),
        ({"confidence": 0.9}, ValueError, "confidence=0.9: that of bounds from logs; expected logs"),
    ],
)
def test_a_contextual_bandit_that_does_not_fit_is_refused_in_one_line(options, error, message):
    with pytest.raises(error) as caught:
        ContextualCausalBandit(CONTEXT_GRAPH, **{**CONTEXTUAL, **options})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"a": 1.0}, "c has no value; expected a context with a, c"),
        ({"a": float("nan"), "c": "lo"}, "a has no value"),
        ({"a": "old", "c": "lo"}, "a is 'old'; expected a number of at most 1e+100 (or categories in states)"),
        ({"a": float("inf"), "c": "lo"}, "a is inf; expected a number"),
        ({"a": 1.0, "c": "mid"}, "c is 'mid'; expected one of 'lo', 'hi'"),
        ([1.0, 0], "context: [1.0, 0]; expected a mapping"),
        (pd.DataFrame({"a": [1.0, 2.0], "c": ["lo", "hi"]}), "context: a data frame with 2 rows; expected one row"),
        ({"a": pd.NA, "c": "lo"}, "a has no value"),
        (lambda: 0, "expected a mapping"),
    ],
)
def test_a_context_that_does_not_fit_is_named(context, message):
    bandit = ContextualCausalBandit(CONTEXT_GRAPH, **CONTEXTUAL)
    bandit.update(bandit.act({"a": 1.0, "c": "hi"}), {"y": 3.5})
    before = learned(bandit)
    for refuse in (bandit.act, bandit.expectations, lambda c: bandit.update({"x": 0}, {**c, "y": 1.0})):
        with pytest.raises((ValueError, TypeError)) as caught:
            refuse(context)
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=r"[^\n]") as caught:
        bandit.act(context)
    assert message in str(caught.value)
    for bad in (float("inf"), "won", 1e101):
        with pytest.raises(ValueError, match=r"y is .*; expected a number of at most"):
            bandit.update({"x": 0}, {"a": 1.0, "c": "lo", "y": bad})
    for name, array in learned(bandit).items():
        np.testing.assert_array_equal(array, before[name])


def test_what_was_seen_and_what_is_reported_agree():
    bandit = ContextualCausalBandit(CONTEXT_GRAPH, **CONTEXTUAL)
    choice = bandit.act({"a": 1.0, "c": "hi"})
    with pytest.raises(ValueError, match=r"observed: c is 'lo'; when the choice was made, c = hi"):
        bandit.update(choice, {"c": "lo", "y": 1.0})


def test_logs_with_other_roles_or_states_are_refused():
    frame = {"c": ["lo", "hi"] * 10, "x": [0, 0, 1, 1] * 5, "y": [0, 1, 1, 1] * 5}
    graph = "dag { c -> y ; x -> y }"
    logs = Logs.from_frame(frame, graph, treatment="x", outcome="y", context="c")
    roles = {"outcome": "y", "treatment": "x", "context": "c"}
    assert ContextualCausalBandit(graph, logs=logs, **roles).act({"c": "lo"}).do in ({"x": "0"}, {"x": "1"})
    for options, message in (
        ({"context": []}, "logs: treatment x, context c; expected x and"),
        ({"states": {"c": ["lo", "hi"]}}, r"states of c: \['lo', 'hi'\]; the logs have \['hi', 'lo'\]"),
        ({"treatment": "c", "context": "x"}, "logs: treatment x, context c; expected c and x, in this order"),
    ):
        with pytest.raises(ValueError, match=message):
            ContextualCausalBandit(graph, logs=logs, **{**roles, **options})
    with pytest.raises(ValueError, match="logs: of another graph"):
        ContextualCausalBandit("dag { c -> y ; x -> y ; c -> x }", logs=logs, **roles)
    with pytest.raises(ValueError, match="logs: of another graph"):
        CausalBandit("dag { c -> y ; x -> y ; c -> x }", outcome="y", states={"x": [0, 1]}, logs=logs)
    pair = {"c": [0, 1] * 2, "d": [0, 0, 1, 1], "x": [0, 1] * 2, "y": [0, 1] * 2}
    graph_of_pair = "dag { c -> y ; d -> y ; x -> y }"
    swapped = Logs.from_frame(pair, graph_of_pair, treatment="x", outcome="y", context=["d", "c"])
    with pytest.raises(ValueError, match="context d, c; expected x and c, d, in this order"):
        ContextualCausalBandit(graph_of_pair, logs=swapped, **{**roles, "context": ["c", "d"]})
    failures = Logs.from_frame(frame, graph, treatment="x", outcome="y", success=0)
    with pytest.raises(ValueError, match="logs: success is y = 0; expected the last of 0, 1: give"):
        CausalBandit(graph, outcome="y", states={"x": [0, 1]}, logs=failures)
    selected = Logs(logs.counts, "dag { c -> y ; x -> y ; c -> S }", treatment=("x",), outcome="y", selection="S")
    with pytest.raises(ValueError, match="logs: S selects records"):
        CausalBandit(graph, outcome="y", states={"x": [0, 1]}, logs=selected)


def test_the_success_of_the_logs_is_the_contextual_bandit_s_also_after_a_pause(tmp_path):
    frame = {"c": ["lo", "hi"] * 10, "x": [0, 0, 1, 1] * 5, "y": ["dead", "alive", "alive", "alive"] * 5}
    logs = Logs.from_frame(frame, "dag { c -> y ; x -> y }", treatment="x", outcome="y", context="c", success="alive")
    bandit = ContextualCausalBandit(logs.graph, outcome="y", treatment="x", context="c", logs=logs)
    bandit.save(tmp_path / "bandit")
    resumed = ContextualCausalBandit.load(tmp_path / "bandit")
    for each in (bandit, resumed):
        each.update({"x": 1}, {"c": "lo", "y": "alive"})
        each.update({"x": 0}, {"c": "lo", "y": "dead"})
        assert each.expectations({"c": "lo"})["do(x = 1)"] > 0.4 > each.expectations({"c": "lo"})["do(x = 0)"]


def test_what_logs_are_worth_depends_on_their_success():
    frame = {"x": ["a"] * 10 + ["b"] * 10, "y": ["alive"] * 4 + ["dead"] * 6 + ["alive"] * 9 + ["dead"]}
    for success, means in (("alive", [0.65, 0.4, 0.9]), ("dead", [0.35, 0.6, 0.1])):
        logs = Logs.from_frame(frame, "dag { x -> y }", treatment="x", outcome="y", success=success)
        worth = list(as_if_played(logs, [(), ("x",)]))
        assert [do for do, *_ in worth] == [{}, {"x": "a"}, {"x": "b"}]
        assert [mean for _, mean, _ in worth] == pytest.approx(means)
        assert [rounds for *_, rounds in worth] == pytest.approx([20, 10, 10])


# ---------------------------------------------------------------------- replay

COINS = {"a": 0.3, "b": 0.6}


def coins(n, share, seed=0):
    rng = np.random.default_rng(seed)
    decisions = []
    for _ in range(n):
        x = "b" if rng.random() < share else "a"
        probability = share if x == "b" else 1 - share
        decisions.append((Choice({"x": x}, probability), {"y": int(rng.random() < COINS[x])}))
    return decisions


def coin_bandit(policy, seed=0):
    return CausalBandit("dag { x -> y }", outcome="y", states={"x": ["a", "b"]}, policy=policy, seed=seed)


@pytest.mark.parametrize("share", [0.5, 0.2, 0.8])
def test_a_replay_is_a_run_of_the_bandit_itself(share):
    """Over many logs, the means of replayed rounds are those of a bandit that plays, whatever was logged."""
    rounds, replayed, played = 15, [], []
    for seed in range(80):
        found = replay(coin_bandit(Thompson(), seed), coins(200, share, seed), seed=seed)
        assert len(found.outcomes) >= rounds
        assert found.mean == pytest.approx(found.outcomes.mean())
        replayed.append(found.outcomes[:rounds].mean())
        bandit, rng = coin_bandit(Thompson(), 1000 + seed), np.random.default_rng(seed)
        outcomes = []
        for _ in range(rounds):
            choice = bandit.act()
            outcomes.append(int(rng.random() < COINS[choice.do["x"]]))
            bandit.update(choice, {"y": outcomes[-1]})
        played.append(np.mean(outcomes))
    error = np.sqrt((np.var(replayed) + np.var(played)) / 80)
    assert abs(np.mean(replayed) - np.mean(played)) < 3.5 * error


def test_a_replay_teaches_the_bandit_nothing_and_needs_probabilities_of_every_arm():
    bandit = coin_bandit(Thompson())
    before = learned(bandit)
    rows = [pd.DataFrame([row]).iloc[0] for _, row in coins(100, 0.5)]
    tuples = [next(pd.DataFrame([row]).itertuples()) for _, row in coins(100, 0.5)]
    found = replay(bandit, coins(100, 0.5))
    logged = [json.loads(json.dumps({**choice.record(), "time": 7})) for choice, _ in coins(100, 0.5)]
    assert replay(bandit, zip(logged, rows, strict=True)).outcomes.tolist() == found.outcomes.tolist()
    for form in (rows, tuples):
        same = replay(bandit, [(choice, row) for (choice, _), row in zip(coins(100, 0.5), form, strict=True)])
        assert same.outcomes.tolist() == found.outcomes.tolist()
    assert str(found).startswith(f"mean outcome {found.mean:.3f} in {len(found.outcomes)} rounds, from 100 logged")
    for name, array in learned(bandit).items():
        np.testing.assert_array_equal(array, before[name])
    assert bandit.updates == 0
    for decisions, message in (
        ([(Choice({"x": "a"}, "0.5"), {"y": 1})], r"decision 0, do\(x = a\); expected a Choice with a probability"),
        ([(Choice({"x": "a"}), {"y": 1})], r"decision 0, do\(x = a\); expected a Choice with a probability"),
        ([(Choice({"x": "a"}, 1.5), {"y": 1})], "decision 0"),
        (pd.DataFrame({"x": ["a"], "y": [1]}), "logs: 'x'; expected pairs of a Choice and what was observed"),
        ([({"x": "a"}, {"y": 1})], "decision 0"),
        ([(Choice({"x": "a"}, 1.0), {"y": 1})], r"do\(x = b\) was never played; expected records of every arm"),
        ([], r"do\(x = a\) was never played"),
        ([(Choice({"x": "c"}, 1.0), {"y": 1})], r"do\(x = c\) is not an arm"),
    ):
        with pytest.raises(ValueError, match=message):
            replay(bandit, decisions)


def test_a_contextual_bandit_replays_with_the_logged_context():
    rng = np.random.default_rng(0)
    decisions = []
    for _ in range(600):
        a, x = float(rng.normal()), int(rng.integers(2))
        decisions.append((Choice({"x": x}, 0.5, context={"a": a}), {"y": float(x == (a > 0))}))
    bandit = ContextualCausalBandit(
        "dag { a -> y ; x -> y }", outcome="y", treatment="x", context="a", states={"x": [0, 1]}
    )
    found = replay(bandit, decisions)
    assert 200 < len(found.outcomes) < 400
    assert found.outcomes[-100:].mean() > 0.85
