"""Online bandits choose as the compiled algorithms do, and resume to the bit."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from single_node import small_tree
from strategies import bandits, positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.logs import Logs
from causal_bandits.models import ContextualBandit
from causal_bandits.online import OnlineBandit
from causal_bandits.play.run import play
from causal_bandits.policies.classical.kl_ucb import KLUCB
from causal_bandits.policies.classical.normal_thompson import NormalThompson
from causal_bandits.policies.classical.thompson import Thompson
from causal_bandits.policies.contextual.lin_ucb import LinUCB
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.policies.contextual.oam import OAM
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.policies.contextual.ucb_pcb import UCBPCB
from causal_bandits.seeding import generators

HORIZON = 120


def played_online(policy, bandit, seed, saves, **knowledge):
    """The arms that an online bandit plays in the same worlds; it is saved and resumed in some rounds."""
    streams = generators(0, "online", seed)
    world = bandit.worlds(0, HORIZON, streams.environment)
    online = OnlineBandit(policy, list(bandit.arms), seed=streams.policy, **knowledge)
    arms, rewards = [], []
    for t in range(HORIZON):
        if t in saves:
            online = OnlineBandit.from_json(online.to_json())
        seen = bandit.seen(world, t)
        arms.append(online.act(seen))
        if t in saves:  # between the choice and its reward
            online = OnlineBandit.from_json(online.to_json())
        rewards.append(bandit.play(world, t, arms[-1])[1])
        online.update(arms[-1], rewards[-1], seen)
    assert online.updates == HORIZON
    return arms, rewards


def assert_chooses_as_in_a_run(policy, bandit, seed, saves, **knowledge):
    run = play(policy, bandit, HORIZON, generators(0, "online", seed))
    assert played_online(policy, bandit, seed, saves, **knowledge) == (run.arms.tolist(), run.rewards.tolist())


SAVES = st.sets(st.integers(0, HORIZON - 1), max_size=3)


@settings(max_examples=150, deadline=None)
@given(bandits(), st.sampled_from([Thompson(0.5, 2.0), KLUCB(c=1.0)]), st.integers(0, 1000), SAVES)
def test_policies_without_contexts_choose_as_in_a_run(bandit, policy, seed, saves):
    assert_chooses_as_in_a_run(policy, bandit, seed, saves)


OF_CONTEXTS = [
    LinUCB(),
    LinUCB(alpha=0.3, penalty=2.0, intercept=False),
    LinUCB(shared=True),
    LinUCB(cells=True),
    LinUCB(warm_start="cp"),
    LinUCB(warm_start="cp", warm_weight=3.0),
    LinUCBPCB(alpha=0.5),
    LinUCBPCB(warm_start="cp", cells=True),
    UCB(),
    UCB(unplayed="infinite"),
    UCB(context_free=True),
    UCBPCB(confidence="anytime"),
    UCBPCB(confidence="anytime", unplayed="one", context_free=True),
]


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(OF_CONTEXTS), st.integers(0, 10_000), SAVES)
def test_policies_of_contexts_choose_as_in_a_run(policy, seed, saves):
    rng = np.random.default_rng(seed)
    graph = ADMG([("C", "X"), ("C", "Y"), ("D", "Y"), ("X", "Y")], [("X", "Y")])
    bandit = ContextualBandit(positive_scm(graph, rng), ("C", "D"), ("X",), {"Y": 1.0}, sd=0.1)
    shape = bandit.means.shape
    prior = {"cp": np.where(rng.random(shape) < 0.2, np.nan, rng.random(shape))}
    prior |= {"count": rng.integers(0, 20, shape).astype(float)}
    prior |= {"lower": bandit.means - rng.random(shape), "upper": bandit.means + rng.random(shape)}
    bandit = bandit.with_prior(prior)
    assert_chooses_as_in_a_run(policy, bandit, seed, saves, contexts=list(bandit.contexts), prior=prior)


def test_vectors_as_contexts_are_those_of_a_ridge_regression_per_arm():
    """Against the definition: A = penalty I + sum x x', theta = A^-1 b, index = theta' x + alpha sqrt(x' A^-1 x)."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        d, n_arms, penalty, alpha = int(rng.integers(1, 5)), int(rng.integers(2, 5)), 0.7, 0.4
        online = OnlineBandit(LinUCB(alpha, penalty), range(n_arms), features=d, seed=seed)
        gram = np.tile(penalty * np.eye(d + 1), (n_arms, 1, 1))
        b = np.zeros((n_arms, d + 1))
        for _ in range(25):
            seen = rng.normal(size=d)
            x = np.append(seen, 1.0)
            inverse = np.linalg.inv(gram)
            index = np.array([x @ inverse[a] @ b[a] + alpha * np.sqrt(x @ inverse[a] @ x) for a in range(n_arms)])
            arm = online.act(seen)
            assert index[arm] >= index.max() - 1e-8
            reward = float(rng.normal())
            online.update(arm, reward, seen)
            gram[arm] += np.outer(x, x)
            b[arm] += reward * x


def right_choices(online, contexts, right, rounds=2000, counted=1000):
    """Of the last choices, how many took the arm that ``right`` names."""
    found = 0
    for t in range(rounds):
        number = t * 7 % len(contexts)
        arm = online.act(contexts[number])
        online.update(arm, float(arm == right[number]), contexts[number])
        found += t >= rounds - counted and arm == right[number]
    return found


def test_time_stamps_as_features_are_learnt_from():
    """x' A^-1 x must not come out negative, which would rule an arm out for ever."""
    rng = np.random.default_rng(0)
    stamps = [[1.7e9 + float(rng.integers(10**6)), float(z)] for z in rng.integers(0, 2, 500)]
    online = OnlineBandit(LinUCB(alpha=0.1), ["a", "b"], features=2)
    assert right_choices(online, stamps, [int(z) for _, z in stamps]) == 1000
    table = [{"time": int(time), "z": int(z)} for time, z in stamps[:20]]
    online = OnlineBandit(LinUCB(alpha=0.1), ["a", "b"], contexts=table)
    assert right_choices(online, table, [c["z"] for c in table]) == 1000


def test_the_order_of_a_mapping_does_not_matter():
    contexts = [{"c": 0, "d": 1}, {"d": 0, "c": 1}]
    online = OnlineBandit(LinUCB(alpha=0.1), ["a", "b"], contexts=contexts)
    assert right_choices(online, contexts, [0, 1]) == 1000
    assert right_choices(online, [dict(reversed(c.items())) for c in contexts], [0, 1]) == 1000
    arms = [{"x": 0, "z": 1}, {"z": 0, "x": 1}]
    shared = OnlineBandit(LinUCB(alpha=0.1, shared=True), arms, contexts=[{"c": 0}])
    assert right_choices(shared, [{"c": 0}], [1]) == 1000


def test_rewards_may_come_late_and_a_file_holds_it_all(tmp_path):
    first = OnlineBandit(KLUCB(), ["a", "b", "c"], seed=3)
    waiting = [first.act() for _ in range(4)]
    assert waiting == [0, 0, 0, 0]  # no arm was learnt of yet
    for arm in (2, 0, 1):
        first.update(arm, 1.0 if arm == 1 else 0.0)
    first.save(tmp_path / "bandit.json")
    assert [path.name for path in tmp_path.iterdir()] == ["bandit.json"]
    second = OnlineBandit.load(tmp_path / "bandit.json")
    assert second.arms == ("a", "b", "c")
    assert second.policy == first.policy
    for _ in range(50):
        arm = first.act()
        assert second.act() == arm
        for bandit in (first, second):
            bandit.update(arm, 0.3)
    assert second.to_json() == first.to_json()


def test_logs_start_a_bandit_with_what_they_know():
    graph = ADMG([("C", "X"), ("C", "Y"), ("X", "Y")], [("X", "Y")])
    rng = np.random.default_rng(4)
    scm = positive_scm(graph, rng, max_states=2)
    logs = Logs.from_frame(pd.DataFrame(scm.sample(2000, rng)), graph, treatment="X", outcome="Y", context="C")
    online = OnlineBandit(LinUCBPCB(), logs.arms, contexts=logs.contexts, prior=logs.prior())
    resumed = OnlineBandit.from_json(online.to_json())
    for c in logs.contexts:
        assert online.act(c) == resumed.act(c)


ANYTIME = UCBPCB(confidence="anytime")
C0, CD = [{"C": 0}], [{"C": 0, "D": 1}, {"D": 1, "C": 0}]


def prior(contexts=C0, **values):
    return {"contexts": contexts, "prior": values}


@pytest.mark.parametrize(
    ("policy", "arms", "arguments", "error", "message"),
    [
        (OAM(), ["a"], {}, TypeError, r"OAM\(.*\) needs a model or a horizon; expected an instance, one of Thompson"),
        (Thompson, ["a"], {}, TypeError, "policy: <class .*Thompson'>; expected an instance, one of Thompson"),
        ("thompson", ["a"], {}, TypeError, "policy: 'thompson'; expected an instance"),
        (Thompson(), "ab", {}, TypeError, "arms: 'ab'; expected a sequence"),
        (Thompson(), 3, {}, TypeError, "arms: 3; expected a sequence"),
        (Thompson(), {"a"}, {}, TypeError, "arms: {'a'}; expected a sequence"),
        (Thompson(), [], {}, ValueError, "at least one"),
        (Thompson(), ["a", "a"], {}, ValueError, "no arm twice"),
        (Thompson(), ["a"], {"features": 2}, ValueError, "does not use contexts"),
        (Thompson(), ["a"], {"seed": np.random.Generator(np.random.MT19937(0))}, ValueError, "MT19937"),
        (LinUCB(), ["a"], {}, ValueError, "needs contexts"),
        (LinUCB(), ["a"], {"features": 2, "contexts": C0}, ValueError, "expected only one of them"),
        (LinUCB(cells=True), ["a"], {"features": 2}, ValueError, "LinUCB with cells: needs contexts"),
        (LinUCB(shared=True), ["a", "b"], {"features": 2}, ValueError, "LinUCB with shared: needs contexts"),
        (LinUCB(shared=True), ["a", "b"], {"contexts": C0}, ValueError, "shared: arms are distinguished"),
        (LinUCB(warm_start="cp"), ["a"], {"contexts": C0}, ValueError, "needs prior"),
        (LinUCB(warm_start="cp"), ["a"], prior(cp=[[0.5]], count=[[np.inf]]), ValueError, "prior 'count': inf"),
        (LinUCB(warm_start="cp"), ["a"], prior(cp=[[np.inf]], count=[[1]]), ValueError, "reward=inf"),
        (LinUCBPCB(), ["a"], prior(lower=[[0]]), ValueError, "the prior has lower"),
        (LinUCBPCB(), ["a"], prior(upper=[0]), ValueError, "expected .contexts, arms"),
        (LinUCBPCB(), ["a"], prior(upper=[[np.nan]]), ValueError, "not a finite number"),
        (LinUCBPCB(), ["a"], prior(upper=[[np.inf]]), ValueError, "not a finite number"),
        (LinUCB(), [{"x": 1}, {"z": 1}], {"contexts": C0}, ValueError, "arms: {'z': 1}; expected states of x,"),
        (LinUCB(), [{"x": 1}, "z"], {"contexts": C0}, ValueError, "arms: 'z'; expected states of x,"),
        (LinUCB(), ["z", {"x": 1}], {"contexts": C0}, ValueError, "expected states of no variable"),
        (LinUCB(), ["a"], {"contexts": [{"C": 0}, {"D": 1}]}, ValueError, "contexts: {'D': 1}; expected states of C"),
        (LinUCB(), ["a"], {"contexts": [{"C": 0}, CD[0]]}, ValueError, "expected states of C,"),
        (LinUCB(), ["a"], {"contexts": [{"C": np.nan}]}, TypeError, "context {'C': nan}: expected a mapping from"),
        (LinUCB(), ["a"], {"contexts": [{"C": 10**200}]}, ValueError, "at most 1e\\+100"),
        (LinUCB(), ["a"], {"contexts": []}, ValueError, "contexts: .*at least one, and none twice"),
        (LinUCB(), ["a"], {"contexts": C0 * 2}, ValueError, "none twice"),
        (LinUCB(), ["a"], {"contexts": CD}, ValueError, "none twice"),
        *((LinUCB(), ["a"], {"features": n}, ValueError, "expected a whole number >= 1") for n in (-1, 0, 2.0, True)),
        (
            UCB(confidence="horizon"),
            ["a"],
            {},
            ValueError,
            r"UCB\(confidence='horizon'\): there is no horizon",
        ),
        (UCB(), ["a"], {"features": 2}, ValueError, "UCB learns a mean per context"),
        (ANYTIME, ["a"], {}, ValueError, "no prior 'lower'"),
        *(
            (ANYTIME, ["a"], prior(None, lower=[[0]], upper=[[end]]), ValueError, "'upper': an entry")
            for end in (np.inf, np.nan)
        ),
    ],
)
def test_what_cannot_be_made_is_refused(policy, arms, arguments, error, message):
    with pytest.raises(error, match=message):
        OnlineBandit(policy, arms, **arguments)


#: A policy with its contexts, or their number of features; an update (or, without a reward, a choice) and what is said.
REFUSED = [
    *(
        (policy, None, update, message)
        for policy in (Thompson(), KLUCB())
        for update, message in (
            ((2, 1.0), "arm 2: arms are the integers 0..1"),
            ((-1, 1.0), "arm -1"),
            ((True, 1.0), "arm True"),
            ((1.0, 1.0), "arm 1.0"),
            ((0, None), "reward="),
            ((0, "1"), "reward="),
            ((0, [1]), "reward="),
            ((0, float("nan")), "expected a finite number"),
            ((0, 1.0, {"C": 0}), "created without contexts"),
            ((0, 1.0, [1.0]), "context"),
            ({"C": 1}, "created without contexts"),
        )
    ),
    *((Thompson(), None, (0, reward), "0 and 1 only") for reward in (0.5, -1.0)),
    *((KLUCB(), None, (0, reward), "kl-UCB learns from rewards in .0, 1.") for reward in (1.0000001, -0.0000001)),
    (UCB(), None, (0, -1.1e100), r"reward=-1.1e\+100: expected a number of at most 1e\+100 in absolute value"),
    (UCB(), None, (0, 1.0, {"C": 0}), "created without contexts"),
    (LinUCB(), C0, (0, 1e308, {"C": 0}), "reward=1e.308: expected finite numbers of"),
    (LinUCB(), C0, (0, float("inf"), {"C": 0}), "reward=inf: expected a finite number"),
    (LinUCB(), C0, (0, 1.0, {"C": 1}), "not among the 1 contexts"),
    (LinUCB(), C0, (0, 1.0), "context None: not among"),
    (LinUCB(), C0, {"C": 2}, "not among the 1 contexts"),
    (LinUCB(), 2, (0, 1.0, [1.0, 1e101]), "at most 1e.100 in absolute value"),
    (LinUCB(), 2, (0, 1.0, [1e16, 1e16]), "double precision loses the regression"),
    *((LinUCB(), 2, wrong, "expected a vector of 2 finite numbers") for wrong in ([1.0], [1.0, np.inf], None)),
]


@pytest.mark.parametrize(("policy", "contexts", "given", "message"), REFUSED)
def test_what_is_refused_leaves_the_state_as_it_was(policy, contexts, given, message):
    knowledge = {"features": contexts} if isinstance(contexts, int) else {"contexts": contexts}
    bandit = OnlineBandit(policy, ["a", "b"], **knowledge)
    seen = [0.5, 2.0] if isinstance(contexts, int) else contexts and contexts[0]
    for _ in range(3):
        bandit.update(bandit.act(seen), 1.0, seen)
    before = bandit.to_json()
    with pytest.raises(ValueError, match=message):
        bandit.update(*given) if isinstance(given, tuple) else bandit.act(given)
    assert bandit.to_json() == before
    assert repr(bandit) == f"OnlineBandit({policy!r}, 2 arms, 3 updates)"


def edited(bandit, place, value):
    state = json.loads(bandit.to_json())
    *path, last = place.split(".")
    inner = state
    for name in path:
        inner = inner[name]
    inner[last] = value
    return json.dumps(state)


@pytest.mark.parametrize("text", ["{", "[]", "{}"])
def test_a_text_that_is_no_saved_state_is_refused(text):
    with pytest.raises(ValueError, match="not a saved state of an OnlineBandit"):
        OnlineBandit.from_json(text)


@pytest.mark.parametrize(
    ("policy", "place", "value", "message"),
    [
        (KLUCB(), "policy.name", "Foo", "'Foo'"),
        (KLUCB(), "policy.parameters", {"d": 1}, "unexpected keyword argument 'd'"),
        (KLUCB(), "arms", ["a", "b", "c"], r"learnt\.ones: .*shape \(3,\)"),
        (KLUCB(), "arms", "ab", "arms: 'ab'"),
        (KLUCB(), "learnt", {}, "ones"),
        (KLUCB(), "learnt.ones.values", [1.0], r"learnt\.ones: .*shape \(2,\)"),
        (KLUCB(), "learnt.ones.values", [None, 1.0], r"learnt\.ones: \[None, 1.0\]; expected finite"),
        (KLUCB(), "learnt.ones.values", [-5.0, 1.0], "0 <= ones <= pulls"),
        (KLUCB(), "learnt.ones.values", [2.0, 0.0], "0 <= ones <= pulls"),
        (KLUCB(), "learnt.pulls.values", [1.5, 0.0], "whole numbers of pulls"),
        (KLUCB(), "learnt.last.values", [2], "last to be an arm"),
        (KLUCB(), "learnt.ones.type", "U5", r"learnt\.ones: type 'U5'; expected float64"),
        (KLUCB(), "updates", -3, "updates: -3; expected a whole number >= 0"),
        (KLUCB(), "updates", "3", "updates: '3'"),
        (KLUCB(), "generator.state", "-5", "OverflowError"),
        (KLUCB(), "generator.state", "abc", "'abc'"),
        (KLUCB(), "format", 1, "format 1: expected 2"),
        *(
            (LinUCB(), "learnt.factor.values", [factor] * 2, "lower triangular matrices with diagonals > 0")
            for factor in ([[1.0, 0.5], [0.0, 1.0]], [[1.0, 0.0], [0.5, 0.0]], [[-1.0, 0.0], [0.5, 1.0]])
        ),
        (Thompson(), "learnt.zeros.values", [0.5, 1.0], r"ones and zeros of at least \(1.0, 1.0\), the prior"),
        (UCB(), "learnt.visits.values", [[-1, 0]], r"learnt\.visits: expected numbers >= 0"),
        (NormalThompson(), "learnt.pulls.values", [1.5, 0.0], "whole numbers of pulls"),
        (NormalThompson(), "learnt.squares.values", [-1.0, 0.0], "squares >= 0"),
    ],
)
def test_an_edited_state_is_refused(policy, place, value, message):
    bandit = OnlineBandit(policy, ["a", "b"], features=1 if policy == LinUCB() else None)
    bandit.update(0, 1, [1.0] if policy == LinUCB() else None)
    OnlineBandit.from_json(bandit.to_json())
    with pytest.raises(ValueError, match=message):
        OnlineBandit.from_json(edited(bandit, place, value))


def test_the_ends_of_the_range_of_rewards_are_learnt_from():
    for policy in (KLUCB(), Thompson()):
        bandit = OnlineBandit(policy, ["a"])
        for reward in (0, 1, 0.0, 1.0, True):
            bandit.update(np.int64(0), reward)
        assert bandit.updates == 5


@pytest.mark.parametrize("policy", [KLUCB(), LinUCB()])
def test_a_decision_keeps_no_generator(policy):
    """A kernel that Python gave a generator would keep it."""
    rng = np.random.default_rng(0)
    context = {"C": 0} if isinstance(policy, LinUCB) else None
    bandit = OnlineBandit(policy, ["a", "b"], contexts=context and [context], seed=rng)
    held = []
    for _ in range(2):
        for _ in range(50):
            bandit.update(bandit.act(context), 1.0, context)
        held.append(sys.getrefcount(rng))
    assert held[0] == held[1]


@pytest.mark.parametrize(
    "arm", [pd.Timestamp("2026-01-01"), (1, 2), None, float("nan"), np.inf, {1: 0}, {"x": 0.5}, {"x": None}, b"a", [1]]
)
def test_an_arm_that_json_cannot_hold_is_refused_at_once(arm):
    """Found out at `to_json` it would be too late: the state of a running bandit could not be saved."""
    with pytest.raises(TypeError, match=r"arm .*: expected a name"):
        OnlineBandit(Thompson(), [arm, "other"])
    with pytest.raises(TypeError, match=r"context .*: expected a mapping"):
        OnlineBandit(LinUCB(), ["a", "b"], contexts=[arm])


def test_numbers_of_numpy_are_saved():
    """Among arms, contexts, features and hyper-parameters; they come back as Python's."""
    for bandit in (
        OnlineBandit(Thompson(), np.arange(3)),
        OnlineBandit(KLUCB(c=np.float32(2)), [np.str_("a"), np.float64(1.5), True]),
        OnlineBandit(LinUCB(), [{"x": np.int64(0)}, {"x": 1}], contexts=[{"c": np.int8(0)}]),
        OnlineBandit(LinUCB(), ["a", "b"], features=np.int64(2)),
    ):
        resumed = OnlineBandit.from_json(bandit.to_json())
        assert (resumed.arms, resumed.contexts, resumed.features) == (bandit.arms, bandit.contexts, bandit.features)
        assert resumed.to_json() == bandit.to_json()
    policy = KLUCB()
    object.__setattr__(policy, "c", object())
    with pytest.raises(TypeError, match=r"c=<object object at .*> of KLUCB cannot be saved as JSON"):
        OnlineBandit(policy, ["a", "b"])


def test_ucb_without_contexts_learns_from_rewards_of_any_size():
    """By hand: means 1000 and -5 after one reward each, then the index of the first is larger by far."""
    online = OnlineBandit(UCB(unplayed="infinite"), ["a", "b"], seed=1)
    first = online.act()
    online.update(first, 1000.0 if first == 0 else -5.0)
    assert online.act() == 1 - first
    online.update(1 - first, -5.0 if first == 0 else 1000.0)
    assert online.act() == 0
    assert OnlineBandit.from_json(online.to_json()).to_json() == online.to_json()


@pytest.mark.parametrize("seed", range(5))
def test_normal_thompson_chooses_as_in_a_run(seed):
    bandit = small_tree(0)
    run = play(NormalThompson(), bandit, HORIZON, generators(0, "online", seed))
    streams = generators(0, "online", seed)
    world = bandit.worlds(0, HORIZON, streams.environment)
    online = OnlineBandit(NormalThompson(), list(range(bandit.empty)), seed=streams.policy)
    for t in range(HORIZON):
        arm = online.act()
        assert arm == run.arms[t]
        online = OnlineBandit.from_json(online.to_json())
        online.update(arm, bandit.play(world, t, arm)[1])


def test_expectations():
    thompson = OnlineBandit(Thompson(1, 3), ["a", "b"])
    thompson.update(1, 1.0)
    assert thompson.expectations().tolist() == [0.25, 0.4]
    kl = OnlineBandit(KLUCB(), ["a", "b"])
    kl.update(0, 0.5)
    np.testing.assert_array_equal(kl.expectations(), [0.5, np.nan])
    linear = OnlineBandit(LinUCB(intercept=False), ["a", "b"], features=1)
    linear.update(0, 3.0, [1.0])
    assert linear.expectations([2.0]).tolist() == [3.0, 0.0]  # 3 / (1 + 1) at 1
    known = OnlineBandit(LinUCB(), [{"x": 0}, {"x": 1}], contexts=[{"c": 0}, {"c": 1}])
    known.update(1, 1.0, {"c": 1})
    found = known.expectations({"c": 1})
    assert found[0] == 0
    np.testing.assert_allclose(found[1], 0.75)  # 3 / (1 + 3): context, arm and constant are 1
    table = OnlineBandit(UCB(), ["a", "b"], contexts=[{"c": 0}, {"c": 1}])
    table.update(1, 2.0, {"c": 1})
    np.testing.assert_array_equal(table.expectations({"c": 1}), [np.nan, 2.0])
    np.testing.assert_array_equal(table.expectations({"c": 0}), [np.nan, np.nan])
    normal = OnlineBandit(NormalThompson(), ["a", "b"])
    normal.update(1, -7e9)
    with pytest.raises(ValueError, match="NormalThompson learns from rewards in"):
        normal.update(1, 1e101)
    np.testing.assert_array_equal(normal.expectations(), [np.nan, -7e9])
    for refused in (thompson, kl, normal):
        with pytest.raises(ValueError, match="without contexts"):
            refused.expectations([1.0])


@pytest.mark.parametrize("policy", [Thompson(), KLUCB(), UCB(unplayed="infinite"), NormalThompson()])
def test_arms_that_come_later_start_without_knowledge_and_the_others_keep_theirs(policy):
    rng = np.random.default_rng(0)
    bandit = OnlineBandit(policy, ["a", "b"], seed=3)
    for _ in range(40):
        arm = bandit.act()
        bandit.update(arm, float(rng.random() < 0.5))
    before = bandit.expectations()
    bandit.add_arms(["c", "d"])
    assert bandit.arms == ("a", "b", "c", "d")
    np.testing.assert_array_equal(bandit.expectations()[:2], before)
    np.testing.assert_array_equal(bandit.expectations()[2:], OnlineBandit(policy, ["c", "d"]).expectations())
    resumed = OnlineBandit.from_json(bandit.to_json())
    played = set()
    for _ in range(60):
        arm = bandit.act()
        assert resumed.act() == arm
        played.add(arm)
        for one in (bandit, resumed):
            one.update(arm, float(arm >= 2))
    assert played >= {2, 3}


@pytest.mark.parametrize("shared", [False, True])
def test_lin_ucb_with_arms_that_come_later_is_as_if_they_had_been_there(shared):
    """With contexts that are known, an arm that was never played has learnt nothing."""
    contexts, arms = [{"c": 0}, {"c": 1}], [{"x": 0}, {"x": 1}, {"x": 2}]
    early, late = (OnlineBandit(LinUCB(shared=shared), arms[:n], contexts=contexts, seed=4) for n in (3, 2))
    rng = np.random.default_rng(0)
    for _ in range(30):
        arm, seen, reward = int(rng.integers(2)), contexts[rng.integers(2)], rng.normal()
        early.update(arm, reward, seen)
        late.update(arm, reward, seen)
    late.add_arms(arms[2:])
    for seen in contexts:
        np.testing.assert_array_equal(early.expectations(seen), late.expectations(seen))
    assert [early.act(contexts[t % 2]) for t in range(9)] == [late.act(contexts[t % 2]) for t in range(9)]


def test_arms_that_cannot_be_added():
    bandit = OnlineBandit(Thompson(), ["a", "b"])
    for arms in (["a"], ["c", "c"]):
        with pytest.raises(ValueError, match="expected new arms"):
            bandit.add_arms(arms)
    assert bandit.arms == ("a", "b")
    clipped = OnlineBandit(LinUCBPCB(), [{"x": 0}], contexts=[{"c": 0}], prior={"upper": [[0.5]]})
    with pytest.raises(ValueError, match="no prior bounds for new arms"):
        clipped.add_arms([{"x": 1}])
    bounds = {"lower": [[0.0]], "upper": [[0.5]]}
    with pytest.raises(ValueError, match="UCBPCB: no prior bounds for new arms"):
        OnlineBandit(UCBPCB(confidence="anytime"), ["a"], prior=bounds).add_arms(["b"])
    linear = OnlineBandit(LinUCB(), [{"x": 0}], contexts=[{"c": 0}])
    with pytest.raises(ValueError, match=r"arms: {'z': 1}; expected states of x, like the first"):
        linear.add_arms([{"z": 1}])
    with pytest.raises(TypeError, match="arms: 'cd'; expected a sequence"):
        bandit.add_arms("cd")
    with pytest.raises(TypeError, match="arm None: expected a name"):
        bandit.add_arms([None])
