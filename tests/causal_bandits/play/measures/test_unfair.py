"""Unfair rounds, counted under every definition."""

from dataclasses import replace

import numpy as np
from contextual_strategies import fair_bandits
from hypothesis import example, given, settings
from hypothesis import strategies as st
from kept_answers import Answers
from scipy.stats import norm
from twins.contextual import PlainCellUCB, PlainFairLinUCB, PlainFUCB

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.play.measures.fair_regret import FairRegret
from causal_bandits.play.measures.ruled_out import RuledOut
from causal_bandits.play.measures.unfair import Unfair
from causal_bandits.play.run import play
from causal_bandits.play.unfairness import DEFINITIONS, MISSED, ROUNDING, unfair
from causal_bandits.policies.contextual.d_ucb import DUCB
from causal_bandits.policies.contextual.ucb import UCB
from causal_bandits.policies.fair.f_ucb import FUCB
from causal_bandits.policies.fair.fair_lin_ucb import FairLinUCB
from causal_bandits.problems.construction.huang2022.constructed import rare
from causal_bandits.seeding import generators

#: One group is rare, so that both groups' cells have widths of their own; their rewards are three apart.
UNEQUAL = replace(rare(), weights={"S": 3.0, "A": 0.3}, thresholds=(0.05, 0.2))


@settings(max_examples=20)
@given(st.one_of(fair_bandits(), fair_bandits(scale=30)), st.integers(0, 10**6))
@example(UNEQUAL, 9)
@example(UNEQUAL, 27)
@example(UNEQUAL, 30)
def test_unfair_rounds_are_counted_as_by_hand(problem, seed):
    horizon = 80
    run = play(UCB(), problem, horizon, generators(1, "audit", seed), [Unfair], block=33)
    world = problem.worlds(0, horizon, generators(1, "audit", seed).environment)
    table = (*problem.context, *problem.manipulable)
    sets = {"plugin": minimal_separator(problem), "plugin_parents": tuple(problem.weights), "plugin_table": table}
    auditors = {name: PlainFUCB(separator) for name, separator in sets.items()}
    found = {name: [] for name in (*sets, "exact", "conservative")}
    missed = {name: [] for name in MISSED}
    for auditor in auditors.values():
        auditor.start(problem, horizon)
    for t, arm in enumerate(run.arms.tolist()):
        context = problem.seen(world, t)
        found["exact"].append(abs(problem.discrepancies[problem.contexts.index(context), arm]))
        found["conservative"].append(auditors["plugin"].ucb_delta(t, context, arm))
        own, *others = (
            sum(p / np.sqrt(auditors["plugin"].visits(w)) for w, p in auditors["plugin"].parts(user, arm))
            for user in (context, *(problem.contexts[x] for x in problem.others[problem.contexts.index(context)]))
        )
        both = auditors["plugin"].discrepancy(context, arm) + np.sqrt(4 * np.log(t + 1)) * (own + max(others))
        missed["missed_eq_12"].append(found["exact"][-1] > found["conservative"][-1] + ROUNDING)
        missed["missed_both_groups"].append(found["exact"][-1] > both + ROUNDING)
        outcome, reward = problem.play(world, t, arm)
        for name, auditor in auditors.items():
            found[name].append(auditor.discrepancy(context, arm))
            auditor.update(arm, outcome, reward)
    expected = {
        f"unfair_{name}_{tau}": np.cumsum(np.array(values) > tau).tolist()
        for name, values in found.items()
        for tau in (0.05, 0.2)
    }
    expected |= {name: np.cumsum(values).tolist() for name, values in missed.items()}
    assert {name: run.extras[name].tolist() for name in expected} == expected


@settings(max_examples=20)
@given(fair_bandits(), st.sampled_from(["ucb", "d_ucb", "f_ucb", "fair_lin_ucb"]), st.integers(0, 10**6))
def test_answers_are_those_of_the_plain_policies_in_the_same_state(problem, name, seed):
    """Asked for each user that may be there in the other group; where plain policies do not tie."""
    separator = minimal_separator(problem)
    policy, plain = {
        "ucb": (UCB(), PlainCellUCB((*problem.context, *problem.manipulable))),
        "d_ucb": (DUCB(), PlainCellUCB(separator)),
        "f_ucb": (FUCB(tau=0.2, alpha_c=0.2), PlainFUCB(separator, tau=0.2, alpha_c=0.2)),
        "fair_lin_ucb": (FairLinUCB(), PlainFairLinUCB()),
    }[name]
    horizon, Answers.kept = 60, []
    run = play(policy, problem, horizon, generators(1, "answers", seed), [Answers], block=25)
    answers = np.concatenate(Answers.kept)
    assert answers.shape == (horizon, problem.others.shape[1])
    world, compared = problem.worlds(0, horizon, generators(1, "answers", seed).environment), 0
    plain.start(problem, horizon)
    for t, arm in enumerate(run.arms.tolist()):
        context = problem.seen(world, t)
        for k, other in enumerate(problem.others[problem.contexts.index(context)]):
            user = problem.contexts[other]
            assert user[problem.sensitive] != context[problem.sensitive]
            given_to = {plain.select(t, user, np.random.default_rng(i)) for i in range(6)}
            if len(given_to) == 1:
                assert answers[t, k] == given_to.pop()
                compared += 1
        plain.select(t, context, np.random.default_rng(0))
        outcome, reward = problem.play(world, t, arm)
        plain.update(arm, outcome, reward)
    assert compared or name != "fair_lin_ucb"


@settings(max_examples=15)
@given(fair_bandits(), st.integers(0, 10**6))
def test_the_policys_own_answer_is_compared_in_the_other_group(problem, seed):
    """With the exact probabilities of what the user is there; and one of them, drawn, where rewards are."""
    Answers.kept = []
    run = play(DUCB(), problem, 90, generators(1, "own answer", seed), [Answers, Unfair], block=40)
    answers = np.concatenate(Answers.kept)
    contexts = problem.worlds(0, 90, generators(1, "own answer", seed).environment).contexts
    differences = []
    for x, arm, given_to in zip(contexts, run.arms, answers, strict=True):
        parts = zip(problem.other_probabilities[x], problem.others[x], given_to, strict=True)
        differences.append(abs(problem.means[x, arm] - sum(p * problem.means[other, a] for p, other, a in parts)))
    for tau in problem.thresholds:
        assert run.extras[unfair("answer", tau)].tolist() == np.cumsum(np.array(differences) > tau).tolist()


@settings(max_examples=15)
@given(fair_bandits(), st.integers(0, 10**6))
def test_what_others_draw_is_that_of_a_world_of_their_own(problem, seed):
    """The same arm for who differs in S alone, the worst arm and the policy's own answer for a counterpart drawn."""
    horizon, block, Answers.kept = 70, 40, []
    run = play(DUCB(), problem, horizon, generators(1, "drawn", seed), [Answers, Unfair], block=block)
    answers, streams = np.concatenate(Answers.kept), generators(1, "drawn", seed)
    contexts = problem.worlds(0, horizon, streams.environment).contexts.tolist()
    s, found = problem.sensitive, {"drawn": [], "worst": [], "drawn_answer": []}
    for first in range(0, horizon, block):
        rounds = range(first, min(first + block, horizon))
        fresh = problem.worlds(first, len(rounds), streams.measures)._replace(users=problem.forced_contexts)

        def reward(i, context, arm, fresh=fresh):
            return problem.play(fresh._replace(contexts=np.full(len(fresh.contexts), context)), i, arm)[1]

        for i, t in enumerate(rounds):
            x, arm = contexts[t], int(run.arms[t])
            own = problem.contexts[x]
            alike = problem.contexts.index({**own, s: 1 - own[s]})
            found["drawn"].append(abs(run.rewards[t] - reward(i, alike, arm)))
            u, which = fresh.uniforms[i, problem.scm.variables.index(s)], 0
            while which < len(problem.others[x]) - 1 and u >= sum(problem.other_probabilities[x][: which + 1]):
                which += 1
            other = int(problem.others[x][which])
            found["worst"].append(abs(run.rewards[t] - min(problem.means[other])))
            found["drawn_answer"].append(abs(run.rewards[t] - reward(i, other, int(answers[t, which]))))
    for name, values in found.items():
        for tau in problem.thresholds:
            expected = np.cumsum(np.array(values) > tau + ROUNDING).tolist()
            assert run.extras[unfair(name, tau)].tolist() == expected


def test_a_policy_that_is_not_asked_has_no_answers_to_compare(fair_task):
    run = play(PlainFUCB(minimal_separator(fair_task)), fair_task, 5, generators(1, "names", 0), [Unfair])
    assert {d for d in DEFINITIONS if unfair(d, 0.1) not in run.extras} == {"answer", "drawn_answer"}


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
        drawn = any(definition in name for definition in ("drawn", "worst"))  # who is meant is drawn too
        assert same or drawn, name
        assert not same or "drawn" not in name, name


def test_thresholds_name_the_counts(fair_task):
    run = play(UCB(), fair_task, 5, generators(1, "names", 0), [RuledOut, Unfair, FairRegret])
    expected = {f"unfair_{d}_0.{i}" for d in DEFINITIONS for i in (1, 2, 3, 4, 5)}
    expected |= {f"fair_regret_0.{i}" for i in (1, 2, 3, 4, 5)} | {"ruled_out", "missed_eq_12", "missed_both_groups"}
    assert set(run.extras) == expected == {*RuledOut.names, *Unfair.names, *FairRegret.names}
