"""What a fair bandit counts, against plain counting, and the refusal of what cannot be judged."""

from itertools import product

import numpy as np
import pytest
from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_contextual import PlainFUCB
from scipy.stats import norm
from strategies import positive_scm

from causal_bandits.graphs import ADMG
from causal_bandits.models.cells import cells, minimal_separator, no_rewards
from causal_bandits.models.fair import FairBandit, estimated_discrepancies
from causal_bandits.models.sampling import sample_many
from causal_bandits.policies.ucb import UCB
from causal_bandits.seeding import generators


@settings(max_examples=60)
@given(fair_bandits(descending=False))
def test_exact_discrepancies_are_those_of_two_users_alike_but_for_s(problem):
    for (c, context), (a, arm) in product(enumerate(problem.contexts), enumerate(problem.arms)):
        expected = [
            sum(
                weight * problem.scm.expectation(v, do=arm, given={**context, "S": s})
                for v, weight in problem.weights.items()
            )
            for s in (1, 0)
        ]
        assert problem.discrepancies[c, a] == pytest.approx(expected[0] - expected[1], abs=1e-12)


@settings(max_examples=12)
@given(fair_bandits(descending=True), st.integers(0, 10**6))
def test_exact_discrepancies_are_those_of_the_same_users_in_the_other_group(problem, seed):
    """Where others descend from s: worlds (one uniform per variable) under do(a), do(a, s-) and do(a, s+)."""
    assert problem.descendants == ("C",)
    scm, n = problem.scm, 60_000
    uniforms = np.random.default_rng(seed).random((n, len(scm.variables)))
    weights = np.array([problem.weights.get(v, 0.0) for v in scm.variables])
    arm = problem.arms[1]
    factual, minus, plus = (
        sample_many(scm.compiled, uniforms, scm.assignment_row({**arm, **s})) for s in ({}, {"S": 0}, {"S": 1})
    )
    differences = (plus.astype(float) - minus) @ weights
    for c, context in enumerate(problem.contexts):
        chosen = differences[np.all([factual[:, scm.variables.index(v)] == x for v, x in context.items()], axis=0)]
        assert abs(chosen.mean() - problem.discrepancies[c, 1]) < 5 * chosen.std() / np.sqrt(len(chosen)) + 1e-9


def exact_cell_means(problem, separator):
    """E[R | w] by counting over the exact distribution of all observed variables under all contexts and arms."""
    union = tuple(dict.fromkeys((*separator, *problem.weights)))
    joint = problem.distribution(union).sum(axis=(0, 1))
    states = np.indices(joint.shape)
    reward = problem.intercept + sum(w * states[union.index(v)] for v, w in problem.weights.items())
    rest = tuple(range(len(separator), len(union)))
    return (joint * reward).sum(axis=rest) / joint.sum(axis=rest)


@settings(max_examples=100)
@given(fair_bandits(descending=False))
def test_where_it_is_identifiable_the_estimate_converges_to_the_exact_discrepancy(problem):
    separator = minimal_separator(problem)
    means, found = no_rewards(cells(problem, separator).size, 0.0), np.empty(len(problem.arms))
    means.mean[:] = exact_cell_means(problem, separator).ravel()
    assert problem.descendants == ()
    for context in range(len(problem.contexts)):
        every = np.arange(len(problem.arms))
        estimated_discrepancies(means, cells(problem, separator), problem.counterparts, context, every, found)
        np.testing.assert_allclose(found, np.abs(problem.discrepancies[context]), atol=1e-9)


@settings(max_examples=60)
@given(fair_bandits(), st.integers(0, 10**6))
def test_unfair_rounds_are_counted_as_by_hand(problem, seed):
    horizon = 80
    run = UCB().run(problem, horizon, *generators(1, "audit", seed))
    counted = problem.measures(run.arms, run.rewards, generators(1, "audit", seed)[0])
    worlds = problem.worlds(horizon, generators(1, "audit", seed)[0])
    table = (*problem.context, *problem.manipulable)
    sets = {"plugin": minimal_separator(problem), "plugin_parents": tuple(problem.weights), "plugin_table": table}
    auditors = {name: PlainFUCB(separator) for name, separator in sets.items()}
    found = {name: [] for name in (*sets, "exact", "conservative")}
    for auditor in auditors.values():
        auditor.start(problem, horizon)
    for t, arm in enumerate(run.arms.tolist()):
        context = worlds.context(t)
        found["exact"].append(abs(problem.discrepancies[problem.contexts.index(context), arm]))
        found["conservative"].append(auditors["plugin"].ucb_delta(t, context, arm))
        outcome, reward = worlds.play(t, arm)
        for name, auditor in auditors.items():
            found[name].append(auditor.discrepancy(context, arm))
            auditor.update(arm, outcome, reward)
    expected = {
        f"unfair_{name}_{tau}": np.cumsum(np.array(values) > tau).tolist()
        for name, values in found.items()
        for tau in (0.05, 0.2)
    }
    kept = {name: values.tolist() for name, values in counted.items() if "drawn" not in name and name != "ruled_out"}
    assert kept == expected
    assert counted["ruled_out"].shape == (horizon,)


def test_drawn_rewards_of_users_alike_but_for_s_are_independent_draws(fair_task):
    """The counts are those of |R - R'| with R' drawn anew under the other s: exact probabilities, within sampling."""
    horizon = 20_000
    run = UCB().run(fair_task, horizon, *generators(1, "drawn", 0))
    counted = fair_task.measures(run.arms, run.rewards, generators(1, "drawn", 0)[0])
    contexts = fair_task.rounds(horizon, generators(1, "drawn", 0)[0]).contexts
    joint = fair_task.distribution(list(fair_task.weights)).reshape(*fair_task.means.shape, -1)
    reward = np.add.outer(*(w * np.arange(2) for w in fair_task.weights.values())).ravel()
    other = [fair_task.contexts.index({**c, "C1": 1 - c["C1"]}) for c in fair_task.contexts]
    for tau in fair_task.thresholds:
        scale = fair_task.sd * np.sqrt(2)
        difference = np.subtract.outer(reward, reward)
        beyond = norm.sf((tau - difference) / scale) + norm.cdf((-tau - difference) / scale)
        p = np.einsum("cai,caj,ij->ca", joint, joint[other], beyond)[contexts, run.arms]
        # The policy's choices do not depend on the round's own rewards, so the counts are a martingale around p's sum.
        assert abs(counted[f"unfair_drawn_{tau}"][-1] - p.sum()) < 5 * np.sqrt((p * (1 - p)).sum())


def test_thresholds_name_the_counts(fair_task):
    counts = fair_task.measures(np.zeros(5, dtype=np.int64), np.zeros(5), generators(1, "names", 0)[0])
    definitions = ("exact", "plugin", "plugin_parents", "plugin_table", "conservative", "drawn")
    expected = {f"unfair_{d}_0.{i}" for d in definitions for i in (1, 2, 3, 4, 5)} | {"ruled_out"}
    assert set(counts) == expected


@pytest.mark.parametrize("sensitive", ["X1", "V", "Q"])
def test_the_sensitive_variable_is_one_of_the_context(contextual_task, sensitive):
    task = contextual_task
    with pytest.raises(ValueError, match=f"sensitive '{sensitive}': expected a binary variable of the context"):
        FairBandit(task.scm, task.context, task.manipulable, task.weights, sensitive=sensitive)


@pytest.mark.parametrize(
    "graph",
    [
        ADMG([("S", "M"), ("X", "M")], [("S", "M")]),  # a hidden cause
        ADMG([("K", "S"), ("K", "M"), ("X", "M")]),  # an observed one that is no context
    ],
)
def test_a_sensitive_variable_that_is_confounded_with_the_reward_is_refused(graph):
    scm = positive_scm(graph, np.random.default_rng(0), max_states=2)
    with pytest.raises(ValueError, match="sensitive 'S': confounded with the reward"):
        FairBandit(scm, ("S",), ("X",), {"M": 1.0}, sensitive="S")


def test_descendants_of_the_sensitive_variable_want_a_markovian_model():
    scm = positive_scm(ADMG([("S", "C"), ("X", "M")], [("M", "N")]), np.random.default_rng(0), max_states=2)
    with pytest.raises(ValueError, match="C of the context descend from S, and the model is not Markovian"):
        FairBandit(scm, ("S", "C"), ("X",), {"M": 1.0}, sensitive="S")


def test_a_sensitive_variable_of_three_states_is_refused():
    graph, rng = ADMG([("S", "M"), ("X", "M")]), np.random.default_rng(0)
    scm = positive_scm(graph, rng)
    while scm.cardinality("S") == 2:
        scm = positive_scm(graph, rng)
    with pytest.raises(ValueError, match="expected a binary variable"):
        FairBandit(scm, ("S",), ("X",), {"M": 1.0}, sensitive="S")
