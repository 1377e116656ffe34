"""Optimal allocation matching with and without causal bounds: the choices of the plain twin, on every branch."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import positive_scm
from twins.linear import PlainOAM

from causal_bandits.graphs import ADMG
from causal_bandits.models import ContextualBandit
from causal_bandits.play.run import play
from causal_bandits.policies.contextual.oam import OAM, Gaps, Known, confidence, estimated_gaps, moved
from causal_bandits.policies.contextual.oam_pcb import OAMPCB
from causal_bandits.problems.huang2024 import PROBLEMS, scm
from causal_bandits.seeding import generators

GRAPH = ADMG(directed=[("C", "X"), ("C", "Y"), ("X", "M"), ("M", "Y"), ("Z", "Y")], bidirected=[("M", "Y")])


def task(seed, context, scale):
    """A random SCM whose rewards are ``scale`` times as large as binary ones, with random causal bounds."""
    rng = np.random.default_rng(seed)
    scm = positive_scm(GRAPH, rng, max_states=2)
    problem = ContextualBandit(scm, context, ("X", "Z"), {"Y": scale, "M": -0.4 * scale}, 0.1)
    room = scale * rng.choice([0.0, 0.05, 0.5], (2, *problem.means.shape))
    return problem.with_prior({"lower": problem.means - room[0], "upper": problem.means + room[1]})


tasks = st.builds(task, st.integers(0, 2**32 - 1), st.sampled_from([(), ("C",)]), st.sampled_from([1.0, 10.0, 60.0]))
parameters = st.fixed_dictionaries(
    {
        "c": st.sampled_from([0.1, 1.0]),
        "epsilon": st.sampled_from([0.002, 0.05, 1.0]),
        # No ratio of small counts: gaps that move by the tolerance exactly would be told apart by rounding alone.
        "tolerance": st.sampled_from([0.0, 0.1 * math.sqrt(0.9)]),
        "intercept": st.booleans(),
    }
)


#: Where the bounds enter; "nowhere" is OAM.
REACHES = ("nowhere", "choices", "gaps", "arms")


def both(reach, **chosen):
    """The compiled policy and its plain twin."""
    policy = OAM(**chosen) if reach == "nowhere" else OAMPCB(**chosen, bounds_enter=reach)
    return policy, PlainOAM(**chosen, bounds_enter=reach)


def test_confidence():
    assert confidence(15_000, math.log(15_000), 5, 1.0) == pytest.approx(
        2 * (1 + 1 / math.log(15_000)) * math.log(15_000) + 5 * math.log(5 * math.log(15_000))
    )
    assert confidence(1, 0.0, 2, 0.5) == confidence(3, 0.0, 2, 0.5) == pytest.approx(math.log(2 * math.log(3)))


@pytest.mark.parametrize(
    ("clips", "leaves_out", "gaps", "kept", "least"),
    [
        (False, False, [0.1, 0.6, 0.0], [True, True, True], 0.1),
        (True, False, [0.0, 0.4, 0.35], [True, True, True], 0.35),
        (True, True, [0.0, 0.4, 0.35], [True, True, False], 0.4),
    ],
)
def test_gaps_are_those_of_estimates_clipped_or_not(clips, leaves_out, gaps, kept, least):
    """Estimates 0.6, 0.1 and 0.7, clipped to 0.6, 0.2 and 0.25."""
    features = np.array([[[1.0, 0], [0, 1], [1, 1]]])
    lower, upper = np.array([[0.0, 0.2, 0.0]]), np.array([[1.0, 1.0, 0.25]])
    now = Gaps(np.empty((1, 3)), np.empty((1, 3), dtype=bool))
    smallest = estimated_gaps(Known(features, lower, upper, 100, clips, leaves_out), np.array([0.6, 0.1]), now)
    np.testing.assert_allclose(now.gaps, [gaps], atol=1e-12)
    assert now.kept.tolist() == [kept]
    assert smallest == pytest.approx(least)


def test_the_program_is_solved_again_where_a_gap_that_counts_has_moved_by_more_than_the_tolerance():
    """A twentieth is allowed; the second arm is left out, so that its gap may be any."""
    then = Gaps(np.array([[0.5, 0.3, 0.0]]), np.array([[True, False, True]]))
    for first, second, kept, expected in (
        (0.5, 0.3, [True, False, True], False),
        (0.52, 0.9, [True, False, True], False),
        (0.48, 0.3, [True, False, True], False),
        (0.53, 0.3, [True, False, True], True),
        (0.47, 0.3, [True, False, True], True),
        (0.5, 0.3, [True, True, True], True),
        (0.5, 0.3, [True, False, False], True),
    ):
        assert moved(Gaps(np.array([[first, second, 0.0]]), np.array([kept])), then, 0.05) == expected


def test_features_that_do_not_span_are_refused():
    problem = ContextualBandit(task(0, (), 1.0).scm, ("C",), ("X",), {"Y": 1.0}, users=np.zeros(50, dtype=np.int64))
    with pytest.raises(ValueError, match="features span 2 of 3 dimensions"):
        play(OAM(), problem, 10, generators(1, "span", 0))


def test_bounds_are_asked_for():
    with pytest.raises(ValueError, match="no prior 'lower'"):
        play(OAMPCB(), PROBLEMS["synthetic"](), 10, generators(1, "missing", 0))


def test_a_short_run_takes_every_branch_as_the_reference_does():
    """Short enough to be followed without compiled loops."""
    problem, (policy, twin) = task(51, (), 15.0), both("arms", c=0.1, epsilon=0.01, tolerance=0.5)
    run, plain = (play(p, problem, 60, generators(1, "short", 51)) for p in (policy, twin))
    np.testing.assert_array_equal(run.arms, plain.arms)
    assert [run.extras[name][-1] for name in ("exploitation", "wasted", "forced")] == [7, 41, 1]


@pytest.mark.parametrize("reach", REACHES)
@settings(max_examples=60)
@given(tasks, parameters, st.integers(0, 10**6))
def test_choices_equal_those_of_the_plain_reference(reach, problem, chosen, seed):
    compiled, plain = (play(p, problem, 60, generators(1, "oam", seed)) for p in both(reach, **chosen))
    np.testing.assert_array_equal(compiled.arms, plain.arms)
    np.testing.assert_array_equal(compiled.rewards, plain.rewards)
    np.testing.assert_array_equal(compiled.regrets, plain.regrets)


@pytest.mark.parametrize("reach", REACHES)
def test_every_branch_is_taken_and_the_reference_takes_it_too(reach):
    """The equality above is worth as much as the branches that its runs take."""
    taken = {"exploitation": 0, "wasted": 0, "forced": 0, "the rest": 0}
    for seed in range(12):
        problem, (policy, twin) = task(seed, ("C",), 60.0), both(reach, c=0.1, epsilon=0.01)
        run = play(policy, problem, 400, generators(1, "branches", seed))
        counted = {name: run.extras[name][-1] for name in ("exploitation", "wasted", "forced")}
        for name, count in (counted | {"the rest": 400 - sum(counted.values())}).items():
            taken[name] += count
        plain = play(twin, problem, 400, generators(1, "branches", seed))
        np.testing.assert_array_equal(run.arms, plain.arms)
    assert min(taken.values()) > 0, taken


def test_with_large_gaps_it_ends_in_exploitation_of_the_best_arm():
    """Where the mean is linear and the noise 1-sub-Gaussian, as the algorithm takes them to be."""
    problem = ContextualBandit(scm(), ("U1", "U2"), ("X1", "X2"), {"X1": 3.0, "X2": 5.0, "Y": 1.0})
    run = play(OAM(epsilon=0.01), problem, 4000, generators(1, "end", 0))
    assert run.extras["exploitation"][-1] - run.extras["exploitation"][1999] > 1900
    assert run.regrets[2000:].mean() < 0.01


def test_where_the_bounds_enter_tells_what_the_policy_learns_of():
    """Bounds that rule out the best arm: clipped choices alone avoid it, gaps say it is bad, arms never play it."""
    problem = ContextualBandit(scm(), ("U1", "U2"), ("X1", "X2"), {"X1": 3.0, "X2": 5.0, "Y": 1.0})
    best = problem.means.argmax(axis=1)
    upper = np.full(problem.means.shape, 100.0)
    upper[range(4), best] = 0.0
    problem = problem.with_prior({"lower": np.full(problem.means.shape, -100.0), "upper": upper})
    plays = {}
    for reach in REACHES:
        run = play(both(reach, epsilon=0.01)[0], problem, 4000, generators(1, "end", 0))
        plays[reach] = (run.arms[2000:] == best[0]).mean()
    assert (best == best[0]).all()
    assert plays["nowhere"] > 0.9
    assert plays["choices"] < 0.5
    assert plays["arms"] == 0


def test_published_forced_exploration_is_uniform_at_published_scale(synthetic_task):
    """eps_t = 1/log log t is 0.44 at t = 15,000, while 16 pairs of context and arm share s <= t plays (ledger L57)."""
    run = play(OAM(), synthetic_task, 15_000, generators(1, "uniform", 0))
    assert run.extras["exploitation"][-1] == run.extras["wasted"][-1] == 0
    assert run.extras["forced"][-1] > 14_950
    contexts = synthetic_task.worlds(0, 15_000, generators(1, "uniform", 0).environment).contexts
    plays = np.zeros((4, 4))
    np.add.at(plays, (contexts, run.arms), 1)
    assert (np.ptp(plays, axis=1) <= 10).all()
