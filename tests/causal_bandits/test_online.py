"""Online bandits choose as the compiled algorithms do, and resume to the bit."""

import json
import sys
from dataclasses import replace

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
from causal_bandits.online import MAB, OnlineBandit
from causal_bandits.play.run import play
from causal_bandits.policies.discounted_thompson import DiscountedThompson
from causal_bandits.policies.discounted_ucb import DiscountedUCB
from causal_bandits.policies.kl_ucb import KLUCB
from causal_bandits.policies.lin_ucb import LinUCB, LinUCBPCB
from causal_bandits.policies.normal_thompson import NormalThompson
from causal_bandits.policies.oam import OAM
from causal_bandits.policies.sliding_window_ucb import SlidingWindowUCB
from causal_bandits.policies.thompson import Thompson
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


@settings(max_examples=120, deadline=None)
@given(bandits(), st.integers(0, 1000), st.sets(st.integers(0, HORIZON - 1), max_size=3), st.booleans())
def test_thompson_and_kl_ucb_choose_as_in_a_run(bandit, seed, saves, thompson):
    policy = Thompson(0.5, 2.0) if thompson else KLUCB(c=1.0)
    run = play(policy, bandit, HORIZON, generators(0, "online", seed))
    arms, rewards = played_online(policy, bandit, seed, saves)
    assert arms == run.arms.tolist()
    assert rewards == run.rewards.tolist()


LINEAR = [
    LinUCB(),
    LinUCB(alpha=0.3, penalty=2.0, intercept=False),
    LinUCB(shared=True),
    LinUCB(cells=True),
    LinUCB(warm_start="cp"),
    LinUCB(warm_start="cp", warm_weight=3.0),
    LinUCBPCB(alpha=0.5),
    LinUCBPCB(warm_start="cp", cells=True),
]


@settings(max_examples=160, deadline=None)
@given(
    st.sampled_from(LINEAR),
    st.integers(0, 10_000),
    st.sets(st.integers(0, HORIZON - 1), max_size=3),
)
def test_lin_ucb_chooses_as_in_a_run(policy, seed, saves):
    rng = np.random.default_rng(seed)
    graph = ADMG([("C", "X"), ("C", "Y"), ("D", "Y"), ("X", "Y")], [("X", "Y")])
    bandit = ContextualBandit(positive_scm(graph, rng), ("C", "D"), ("X",), {"Y": 1.0}, sd=0.1)
    shape = bandit.means.shape
    cp = np.where(rng.random(shape) < 0.2, np.nan, rng.random(shape))
    prior = {"cp": cp, "count": rng.integers(0, 20, shape).astype(float), "upper": bandit.means + rng.random(shape)}
    run = play(policy, bandit.with_prior(prior), HORIZON, generators(0, "online", seed))
    arms, rewards = played_online(policy, bandit, seed, saves, contexts=list(bandit.contexts), prior=prior)
    assert arms == run.arms.tolist()
    assert rewards == run.rewards.tolist()


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


@pytest.mark.parametrize(
    ("policy", "arms", "arguments", "error", "message"),
    [
        (OAM(), ["a"], {}, TypeError, "OAM needs a model or a horizon; expected one of Thompson"),
        (Thompson(), [], {}, ValueError, "at least one"),
        (Thompson(), ["a", "a"], {}, ValueError, "no arm twice"),
        (Thompson(), ["a"], {"features": 2}, ValueError, "does not use contexts"),
        (LinUCB(), ["a"], {}, ValueError, "needs contexts"),
        (LinUCB(), ["a"], {"features": 2, "contexts": [{"C": 0}]}, ValueError, "expected one of them"),
        (LinUCB(cells=True), ["a"], {"features": 2}, ValueError, "LinUCB with cells: needs contexts"),
        (LinUCB(warm_start="cp"), ["a"], {"contexts": [{"C": 0}]}, ValueError, "needs prior"),
        (LinUCBPCB(), ["a"], {"contexts": [{"C": 0}], "prior": {"lower": [[0]]}}, ValueError, "it has lower"),
        (
            LinUCBPCB(),
            ["a"],
            {"contexts": [{"C": 0}], "prior": {"upper": [0]}},
            ValueError,
            "expected .contexts, arms",
        ),
        (LinUCBPCB(), ["a"], {"contexts": [{"C": 0}], "prior": {"upper": [[np.nan]]}}, ValueError, "not a number"),
        (Thompson(), ["a"], {"seed": np.random.Generator(np.random.MT19937(0))}, ValueError, "MT19937"),
    ],
)
def test_what_cannot_be_made_is_refused(policy, arms, arguments, error, message):
    with pytest.raises(error, match=message):
        OnlineBandit(policy, arms, **arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b: b.update(2, 1.0), "arm 2: arms are the integers 0..1"),
        (lambda b: b.update(True, 1.0), "arm True"),
        (lambda b: b.update(0, 0.5), "0 and 1 only"),
        (lambda b: b.update(0, float("nan")), "expected a finite number"),
        (lambda b: b.act({"C": 1}), "made without contexts"),
    ],
)
def test_wrong_updates_are_refused_and_nothing_is_learnt(call, message):
    bandit = OnlineBandit(Thompson(), ["a", "b"])
    before = bandit.to_json()
    with pytest.raises(ValueError, match=message):
        call(bandit)
    assert bandit.to_json() == before


def test_wrong_contexts_are_named():
    finite = OnlineBandit(LinUCB(), ["a", "b"], contexts=[{"C": 0}, {"C": 1}])
    with pytest.raises(ValueError, match="not among the 2 contexts"):
        finite.act({"C": 2})
    vectors = OnlineBandit(LinUCB(), ["a", "b"], features=2)
    for wrong in ([1.0], [1.0, np.inf], None):
        with pytest.raises(ValueError, match="expected a vector of 2 finite numbers"):
            vectors.act(wrong)


def test_what_is_no_saved_state_is_refused():
    text = OnlineBandit(Thompson(), ["a", "b"]).to_json()
    state = json.loads(text)
    for broken in ("{", "[]", "{}", json.dumps(state | {"format": 9}), json.dumps(state | {"learnt": {}})):
        with pytest.raises(ValueError, match=r"no saved state of an OnlineBandit|format 9"):
            OnlineBandit.from_json(broken)


def test_the_adapter_learns_as_the_bandit_behind_it():
    rng = np.random.default_rng(0)
    rows, decisions = rng.normal(size=(300, 3)), rng.choice(["a", "b"], 300).tolist()
    rewards = np.where(np.array(decisions) == "a", rows[:, 0], -rows[:, 0]) + 0.01 * rng.normal(size=300)
    for policy, contexts in ((LinUCB(alpha=0.1), rows), (KLUCB(), None)):
        values = rewards if contexts is not None else (rewards > 0).astype(float)
        whole = MAB(["a", "b"], policy).fit(decisions, values, contexts)
        first = None if contexts is None else contexts[:200]
        rest = None if contexts is None else contexts[200:]
        parts = MAB(["a", "b"], policy).fit(decisions[:200], values[:200], first)
        parts.partial_fit(decisions[200:], values[200:], rest)
        assert whole.bandit.to_json() == parts.bandit.to_json()
        again = whole.fit(decisions[:200], values[:200], first).bandit
        assert again.updates == 200
    mab = MAB(["a", "b"], LinUCB(alpha=0.1)).partial_fit(decisions, rewards, rows)
    assert mab.predict([[5.0, 0, 0], [-5.0, 0, 0]]) == ["a", "b"]
    assert mab.predict([[5.0, 0, 0]]) == "a"


def test_the_adapter_refuses_what_does_not_fit_and_learns_nothing():
    mab = MAB(["a", "b"], Thompson()).fit(["a"], [1.0])
    before = mab.bandit.to_json()
    for arguments, message in (
        ((["a", "c"], [0, 1]), "decision 'c': not among the arms"),
        ((["a", "b"], [0]), "2 decisions, rewards of the shape"),
        ((["a", "b"], [0, 0.5]), "0 and 1 only"),
        ((["a"], [0], [[1.0], [2.0]]), "contexts of the shape"),
    ):
        with pytest.raises(ValueError, match=message):
            mab.partial_fit(*arguments)
        assert mab.bandit.to_json() == before
    with pytest.raises(ValueError, match="nothing fitted yet"):
        MAB(["a"], LinUCB()).predict([[1.0]])
    with pytest.raises(TypeError, match="needs a model"):
        MAB(["a"], replace(OAM()))


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


FORGETTING = [DiscountedThompson(0.95, 0.5, 2.0), DiscountedUCB(0.97), SlidingWindowUCB(40, 0.8)]


@settings(max_examples=60, deadline=None)
@given(
    bandits(),
    st.sampled_from(FORGETTING),
    st.integers(0, 1000),
    st.sets(st.integers(0, HORIZON - 1), max_size=3),
)
def test_policies_that_forget_choose_as_in_a_run(bandit, policy, seed, saves):
    if len(bandit.arms) >= 40:
        return
    run = play(policy, bandit, HORIZON, generators(0, "online", seed))
    arms, rewards = played_online(policy, bandit, seed, saves)
    assert arms == run.arms.tolist()
    assert rewards == run.rewards.tolist()


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


@pytest.mark.parametrize(
    "policy", [DiscountedThompson(0.99), DiscountedUCB(0.99, xi=0.1), SlidingWindowUCB(200, xi=0.1)]
)
def test_after_a_change_policies_that_forget_find_the_better_arm(policy):
    """Means .8 and .4 for 2,000 rounds, then .2 and .4: Thompson sampling stays with the first arm for long."""

    def right(policy):
        rng, bandit, hits = np.random.default_rng(1), OnlineBandit(policy, ["first", "second"], seed=1), 0
        for t in range(2500):
            arm = bandit.act()
            means = (0.8, 0.4) if t < 2000 else (0.2, 0.4)
            hits += t >= 2300 and arm == 1
            bandit.update(arm, float(rng.random() < means[arm]))
        return hits

    assert right(Thompson()) < 20
    assert right(policy) > 120


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
    normal = OnlineBandit(NormalThompson(), ["a", "b"])
    normal.update(1, -7e9)
    np.testing.assert_array_equal(normal.expectations(), [np.nan, -7e9])
    for refused in (thompson, kl, normal):
        with pytest.raises(ValueError, match="without contexts"):
            refused.expectations([1.0])


@pytest.mark.parametrize("policy", [Thompson(), KLUCB(), *FORGETTING, NormalThompson()])
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
    with pytest.raises(ValueError, match="no prior bounds of new arms"):
        clipped.add_arms([{"x": 1}])
    windowed = OnlineBandit(SlidingWindowUCB(3), ["a", "b"])
    with pytest.raises(ValueError, match="window=3: 3 arms"):
        windowed.add_arms(["c"])
    assert windowed.arms == ("a", "b")


@pytest.mark.parametrize(
    ("policy", "reward"), [(DiscountedUCB(), 1.5), (SlidingWindowUCB(), -0.1), (DiscountedThompson(), 2.0)]
)
def test_policies_that_forget_refuse_rewards_out_of_range(policy, reward):
    bandit = OnlineBandit(policy, ["a", "b"])
    before = bandit.to_json()
    with pytest.raises(ValueError, match=rf"reward={reward}: {type(policy).__name__} learns from rewards in \[0, 1\]"):
        bandit.update(0, reward)
    assert bandit.to_json() == before
