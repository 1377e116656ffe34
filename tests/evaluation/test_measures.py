"""What is counted of a run beside regret, against plain counting."""

import numpy as np
from contextual_strategies import fair_bandits
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_contextual import PlainFUCB
from scipy.stats import norm

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.evaluation.measures.ruled_out import RuledOut
from causal_bandits.evaluation.measures.unfair import Unfair
from causal_bandits.evaluation.play import play
from causal_bandits.policies.ucb import UCB
from causal_bandits.seeding import generators


def test_pulls_of_ruled_out_arms_are_counted(contextual_task):
    best = contextual_task.means.max(axis=1, keepdims=True)
    upper = np.where(np.arange(len(contextual_task.arms)) == 1, best - 0.01, best)
    upper[0, 2] = best[0, 0] - 0.01
    problem = contextual_task.with_prior({"upper": upper})
    assert problem.measures == ("ruled_out",)
    run = play(UCB(), problem, 300, generators(3, "m", 0), [RuledOut])
    contexts = problem.worlds(0, 300, generators(3, "m", 0).environment).contexts
    expected = np.cumsum((run.arms == 1) | ((run.arms == 2) & (contexts == 0)))
    assert run.extras["ruled_out"].tolist() == expected.tolist()
    assert 0 < expected[-1] < 300
    assert problem.with_prior({}).measures == ()


@settings(max_examples=60)
@given(fair_bandits(), st.integers(0, 10**6))
def test_unfair_rounds_are_counted_as_by_hand(problem, seed):
    horizon = 80
    run = play(UCB(), problem, horizon, generators(1, "audit", seed), [Unfair], block=33)
    world = problem.worlds(0, horizon, generators(1, "audit", seed).environment)
    table = (*problem.context, *problem.manipulable)
    sets = {"plugin": minimal_separator(problem), "plugin_parents": tuple(problem.weights), "plugin_table": table}
    auditors = {name: PlainFUCB(separator) for name, separator in sets.items()}
    found = {name: [] for name in (*sets, "exact", "conservative")}
    for auditor in auditors.values():
        auditor.start(problem, horizon)
    for t, arm in enumerate(run.arms.tolist()):
        context = problem.seen(world, t)
        found["exact"].append(abs(problem.discrepancies[problem.contexts.index(context), arm]))
        found["conservative"].append(auditors["plugin"].ucb_delta(t, context, arm))
        outcome, reward = problem.play(world, t, arm)
        for name, auditor in auditors.items():
            found[name].append(auditor.discrepancy(context, arm))
            auditor.update(arm, outcome, reward)
    expected = {
        f"unfair_{name}_{tau}": np.cumsum(np.array(values) > tau).tolist()
        for name, values in found.items()
        for tau in (0.05, 0.2)
    }
    kept = {name: values.tolist() for name, values in run.extras.items() if "drawn" not in name}
    assert kept == expected


def test_drawn_rewards_of_users_alike_but_for_s_are_independent_draws(fair_task):
    """The counts are those of |R - R'| with R' drawn anew under the other s: exact probabilities, within sampling."""
    horizon = 20_000
    run = play(UCB(), fair_task, horizon, generators(1, "drawn", 0), [Unfair])
    contexts = fair_task.worlds(0, horizon, generators(1, "drawn", 0).environment).contexts
    joint = fair_task.distribution(list(fair_task.weights)).reshape(*fair_task.means.shape, -1)
    reward = np.add.outer(*(w * np.arange(2) for w in fair_task.weights.values())).ravel()
    other = [fair_task.contexts.index({**c, "C1": 1 - c["C1"]}) for c in fair_task.contexts]
    for tau in fair_task.thresholds:
        scale = fair_task.sd * np.sqrt(2)
        difference = np.subtract.outer(reward, reward)
        beyond = norm.sf((tau - difference) / scale) + norm.cdf((-tau - difference) / scale)
        p = np.einsum("cai,caj,ij->ca", joint, joint[other], beyond)[contexts, run.arms]
        # The policy's choices do not depend on the round's own rewards, so the counts are a martingale around p's sum.
        assert abs(run.extras[f"unfair_drawn_{tau}"][-1] - p.sum()) < 5 * np.sqrt((p * (1 - p)).sum())


def test_the_others_worlds_come_from_a_stream_of_their_own(fair_task):
    """Neither the environment's draws nor the policy's move them: the same users, the same others in both."""
    fixed = generators(1, "own", 0)
    moved = fixed._replace(measures=generators(1, "own", 1).measures)
    again = generators(1, "own", 0)._replace(measures=generators(1, "own", 1).measures)
    runs = [play(UCB(), fair_task, 2000, streams, [Unfair]) for streams in (fixed, again)]
    np.testing.assert_array_equal(runs[0].rewards, runs[1].rewards)
    assert moved.measures is not fixed.measures
    for name in runs[0].extras:
        same = (runs[0].extras[name] == runs[1].extras[name]).all()
        assert same == ("drawn" not in name), name


def test_thresholds_name_the_counts(fair_task):
    run = play(UCB(), fair_task, 5, generators(1, "names", 0), [RuledOut, Unfair])
    definitions = ("exact", "plugin", "plugin_parents", "plugin_table", "conservative", "drawn")
    expected = {f"unfair_{d}_0.{i}" for d in definitions for i in (1, 2, 3, 4, 5)} | {"ruled_out"}
    assert set(run.extras) == expected == {*RuledOut.names, *Unfair.names}
    assert fair_task.measures == ("ruled_out", "unfair")
