"""LinUCB and LinUCB-PCB: the choices of the plain twin, warm starts, and what the causal bounds rule out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positive_scm
from twins.linear import PlainLinUCB

from causal_bandits.estimation import ridge
from causal_bandits.graphs import ADMG
from causal_bandits.models import ContextualBandit
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.helpers.features import feature_vectors
from causal_bandits.policies.contextual.lin_ucb import LinUCB, learn_offline
from causal_bandits.policies.contextual.lin_ucb_pcb import LinUCBPCB
from causal_bandits.seeding import generators

GRAPH = ADMG(directed=[("C", "X"), ("C", "Y"), ("X", "M"), ("M", "Y"), ("Z", "Y")], bidirected=[("M", "Y")])


@st.composite
def linear_tasks(draw):
    """A random SCM of two or three states with or without context, noise, and random prior knowledge."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    context, sd = draw(st.sampled_from([(), ("C",)])), draw(st.sampled_from([0.0, 0.3]))
    problem = ContextualBandit(positive_scm(GRAPH, rng), context, ("X", "Z"), {"Y": 0.5, "M": -0.2}, 0.1, sd)
    means = problem.means
    estimates = means + rng.normal(0, 0.2, means.shape)
    estimates[rng.random(means.shape) < 0.2] = np.nan
    prior = {
        "lower": means - rng.exponential(0.2, means.shape),
        "upper": means + rng.choice([0.0, 0.1, 0.5], means.shape),
        "other_upper": means + rng.choice([0.0, 0.1, 0.5], means.shape),
        "cp": estimates,
        "count": np.where(np.isnan(estimates), 0.0, rng.integers(0, 50, means.shape)),
    }
    return problem.with_prior(prior)


@st.composite
def parameters(draw):
    shared, cells = draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    return {
        "alpha": draw(st.sampled_from([0.25, 1.0, 2.0])),
        "penalty": draw(st.sampled_from([0.5, 1.0])),
        "intercept": draw(st.booleans()),
        "warm_start": draw(st.sampled_from([None, "cp"])),
        "warm_weight": draw(st.sampled_from(["count", 1.0, 7.5])),
        "shared": shared,
        "cells": cells,
    }


def compiled_policy(clipped, **chosen):
    return LinUCBPCB(**chosen, upper=clipped) if clipped else LinUCB(**chosen)


@pytest.mark.parametrize("clipped", ["", "upper", "other_upper"])
@settings(max_examples=100)
@given(linear_tasks(), parameters(), st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(clipped, problem, chosen, seed):
    compiled = play(compiled_policy(clipped, **chosen), problem, 40, generators(1, "lin_ucb", seed))
    plain = play(PlainLinUCB(**chosen, clipped=clipped), problem, 40, generators(1, "lin_ucb", seed))
    np.testing.assert_array_equal(compiled.arms, plain.arms)
    np.testing.assert_array_equal(compiled.rewards, plain.rewards)
    np.testing.assert_array_equal(compiled.regrets, plain.regrets)


@given(linear_tasks(), st.booleans(), st.integers(1, 40))
def test_a_warm_start_is_that_many_samples_of_each_estimate(problem, shared, copies):
    features = feature_vectors(problem, True)
    state, fed = (ridge.start(1 if shared else len(problem.arms), features.shape[-1], 1.0) for _ in range(2))
    estimates = problem.prior["cp"]
    learn_offline(state, features, estimates, np.full_like(estimates, copies))
    for c, a in np.ndindex(*estimates.shape):
        for _ in range(0 if np.isnan(estimates[c, a]) else copies):
            ridge.learn(fed, 0 if shared else a, features[c, a], estimates[c, a])
    for part in ("inverse", "b", "theta"):
        np.testing.assert_allclose(getattr(state, part), getattr(fed, part), rtol=1e-8, atol=1e-10)


def test_a_heavy_warm_start_believes_its_estimates(synthetic_task):
    """With a million samples' weight on estimates whose best arm is another, that arm is played throughout."""
    wrong = np.zeros_like(synthetic_task.means)
    wrong[:, 2] = 0.9
    problem = synthetic_task.with_prior({"cp": wrong})
    run = play(LinUCB(warm_start="cp", warm_weight=1e6), problem, 500, generators(1, "heavy", 0))
    assert set(run.arms) == {2}


def test_without_constant_an_arm_of_zeros_has_no_index_of_its_own(synthetic_task):
    """Ledger L53: at u = (0, 0) the features of arm (0, 0) are all zero, its index stays 0 and it is never explored."""
    features = feature_vectors(synthetic_task, False)
    assert not features[0, 0].any()
    run = play(LinUCB(intercept=False), synthetic_task, 5000, generators(1, "zero", 0))
    contexts = synthetic_task.worlds(0, 5000, generators(1, "zero", 0).environment).contexts
    assert (contexts[run.arms == 0] != 0).all()


def test_cells_learn_nothing_from_each_other(synthetic_task):
    """Ledger L92: the index of a cell is that of a bandit with 16 arms, its rewards' sum over 1 + n, and a width."""
    run = play(LinUCB(cells=True), synthetic_task, 3000, generators(1, "cells", 0))
    contexts = synthetic_task.worlds(0, 3000, generators(1, "cells", 0).environment).contexts
    plays, total = np.zeros((4, 4)), np.zeros((4, 4))
    for context, arm, reward in zip(contexts, run.arms, run.rewards, strict=True):
        index = (total[context] / (1 + plays[context])) + 1 / np.sqrt(1 + plays[context])
        assert index[arm] >= index.max() - 1e-9
        plays[context, arm] += 1
        total[context, arm] += reward


def test_a_ruled_out_arm_is_played_only_where_the_best_arms_index_lies_below_its_mean(synthetic_task):
    """Lemma 6 as its proof has it, for as long as optimism holds: checked round by round, for small and large alpha."""
    problem = synthetic_task
    best = problem.means.argmax(axis=1)
    ruled_out = problem.prior["upper"] < problem.means.max(axis=1, keepdims=True)
    failures = {}
    for alpha in (0.05, 3.0):
        failures[alpha] = 0
        for seed in range(6):
            run = play(LinUCBPCB(alpha), problem, 1000, generators(1, "lemma 6", seed))
            contexts = problem.worlds(0, 1000, generators(1, "lemma 6", seed).environment).contexts
            features, state = feature_vectors(problem, True), ridge.start(4, 5, 1.0)
            for context, arm, reward in zip(contexts, run.arms, run.rewards, strict=True):
                if ruled_out[context, arm]:
                    failures[alpha] += 1
                    x = features[context, best[context]]
                    index = ridge.estimate(state, best[context], x) + alpha * ridge.width(state, best[context], x)
                    assert index < problem.means[context].max()
                ridge.learn(state, arm, features[context, arm], reward)
    assert failures[3.0] == 0
    assert failures[0.05] > 0


@pytest.mark.parametrize("policy", [LinUCB, LinUCBPCB])
def test_a_theta_for_all_arms_and_one_for_each_cell_exclude_each_other(policy):
    with pytest.raises(ValueError, match="expected one of them"):
        policy(shared=True, cells=True)


def test_a_regression_that_loses_its_digits_ends_the_run(synthetic_task):
    """States are small numbers, so that only a tiny penalty loses them."""
    with pytest.raises(ValueError, match=r"ridge regression \d of \d+: the features or rewards are so large"):
        play(LinUCB(penalty=1e-14), synthetic_task, 400, generators(1, "lost", 0))
