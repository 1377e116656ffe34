"""Partial structure discovery: the arms of a plain twin, exact probabilities, error rates, and what is refused."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import admgs, positive_scm
from twins.discovery import PlainPartialDiscovery
from twins.same import assert_same_choices

from causal_bandits.graphs import ADMG, possibly_optimal_intervention_sets
from causal_bandits.models import CPT, DiscreteSCM, SCMBandit, noisy_gates, uniform_cpt
from causal_bandits.models.arms import Arms
from causal_bandits.play.run import play
from causal_bandits.policies.helpers.repeated_play import TooFewRoundsError
from causal_bandits.policies.scm.helpers.partial_structure import (
    HIDDEN_CAUSES,
)
from causal_bandits.policies.scm.partial_discovery import (
    HoeffdingThresholds,
    PartialDiscovery,
    SourceThresholds,
    random_sets,
    source_times,
)
from causal_bandits.seeding import generators

FAMILIES = [uniform_cpt, noisy_gates]


def bandit_on(graph, seed, many_states=False):
    rng = np.random.default_rng(seed)
    if not many_states:
        return SCMBandit(FAMILIES[seed % 2](graph, rng), "Y")
    scm = positive_scm(graph, rng)
    return SCMBandit(scm, "Y") if scm.cardinality("Y") == 2 else bandit_on(graph, seed)


# ---------------------------------------------------------------------- the plain twin


@settings(max_examples=300)
@given(
    admgs(min_nodes=2, max_nodes=4),
    st.integers(0, 10**6),
    st.sampled_from(HIDDEN_CAUSES),
    st.booleans(),
    st.booleans(),
    st.sampled_from([20, 90, 700, 1500]),
)
def test_it_plays_the_arms_of_the_plain_twin(graph, seed, confounders, warm, many_states, horizon):
    bandit = bandit_on(graph, seed, many_states)
    policy = PartialDiscovery(
        hidden_causes=confounders, warm=warm, confidence=0.9, share=0.6, too_short="cut off"
    )  # errors are made, and the twins make the same
    assert_same_choices(policy, PlainPartialDiscovery(policy), bandit, seed, horizon)


@settings(max_examples=9)
@given(admgs(min_nodes=2, max_nodes=3), st.integers(0, 10**6), st.sampled_from(HIDDEN_CAUSES))
def test_it_plays_the_arms_of_the_plain_twin_with_the_papers_constants(graph, seed, confounders):
    own = {"epsilon": 0.6, "gamma": 0.7, "eta": 0.4, "confidence": 0.9}
    policy = PartialDiscovery("paper", confounders, too_short="cut off", **own)
    assert_same_choices(policy, PlainPartialDiscovery(policy), bandit_on(graph, seed), seed, 9000)


# ---------------------------------------------------------------------- samples


@pytest.fixture(scope="module")
def front_door():
    """X -> Z -> Y with X <-> Y and large effects: both {} and {Z} are possibly optimal."""
    table = {"U": CPT((), [0.5, 0.5]), "X": CPT(("U",), [[0.9, 0.1], [0.1, 0.9]])}
    table |= {"Z": CPT(("X",), [[0.9, 0.1], [0.1, 0.9]])}
    ones = np.array([[0.1, 0.6], [0.5, 0.95]])  # by z, u
    table |= {"Y": CPT(("Z", "U"), np.stack([1 - ones, ones], axis=-1))}
    graph = ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")])
    return SCMBandit(DiscreteSCM(graph, table, hidden=("U",)), "Y")


def test_the_papers_constants_keep_their_promise_on_a_small_case(front_door):
    """The stated delta is 0.05."""
    bandit, graph = front_door, front_door.scm.graph
    assert possibly_optimal_intervention_sets(graph, "Y") == {frozenset(), frozenset({"Z"})}
    policy = PartialDiscovery("paper", epsilon=0.3, gamma=0.3, eta=0.3, in_degree=2)
    runs = [play(policy, bandit, 60_000, generators(1, "promise", s)).outcome for s in range(60)]
    assert {run["edges_right"] for run in runs} == {1.0}
    # X <-> Y is asked, {} is kept: do(), do(Z=0), do(Z=1)
    assert all((run["arms"], run["correct"]) == (3, 1.0) for run in runs)
    unconfounded = play(
        PartialDiscovery("paper", "none", epsilon=0.3, gamma=0.3), bandit, 60_000, generators(1, "no", 0)
    )
    assert (unconfounded.outcome["arms"], unconfounded.outcome["asked"]) == (2, 0)


def test_with_the_diagram_learned_it_plays_the_best_arm_mostly(front_door):
    run = play(PartialDiscovery(), front_door, 20_000, generators(1, "learns", 0))
    assert run.outcome["correct"] == run.outcome["edges_right"] == 1
    after = run.regrets[int(run.outcome["sample_complexity"]) :]
    assert after[-5000:].mean() < 0.1 * (front_door.optimal_mean - front_door.means).mean()


def test_false_findings_are_rarer_than_delta():
    """Nothing moves anything: by Hoeffding's inequality, a test of n K^2 differences errs with at most delta."""
    tables = {v: CPT((), [0.5, 0.5]) for v in ("A", "B", "Y")}
    bandit = SCMBandit(DiscreteSCM(ADMG([], nodes=["A", "B", "Y"]), tables), "Y")
    policy = PartialDiscovery(confidence=0.2)
    runs = [play(policy, bandit, 3000, generators(1, "false", s)).outcome for s in range(200)]
    assert np.mean([run["edges_right"] for run in runs]) > 0.8
    assert all(run["arms"] == 1 for run in runs if run["edges_right"])


# ---------------------------------------------------------------------- parts


def test_the_numbers_of_rounds_are_those_of_the_printed_formulas():
    """With the authors' numbers, n = 5: delta 0.99, epsilon = gamma = 0.1, eta = 0.01, d = n, K = 2."""
    alpha = 2 * 5 * math.log(2 / 0.99 + 2) / math.log(5)
    first = 0.99 / (32 * alpha * 5 * 5 * math.log(5))
    times = source_times(5, 2, 5, 0.99, 0.1, 0.1, 0.01)
    assert times.under == math.ceil(800 * math.log(40 / first))
    assert times.without == math.ceil(800 * math.log(40 / (5 * first)))
    c = 16 / (0.01 * 0.01) * math.log(200 / (5 * first)) + 5000 * math.log(200 / (5 * first))
    assert times.watched == math.ceil(c)
    assert random_sets(5, 5, 0.99) == math.ceil(8 * alpha * 5 * math.log(5))
    assert times.under < 11_000 < 1_500_000 < times.watched


def test_two_equal_radii_are_half_of_the_epsilon_that_the_formula_for_a_gives():
    log = math.log(2 * 3 * 4 / 0.05)
    assert HoeffdingThresholds(log).effect(100, 100) == pytest.approx(math.sqrt(8 * log / 100) / 2)
    assert HoeffdingThresholds(log).hidden(50, 100) == HoeffdingThresholds(log).effect(50, 100)


def test_states_seen_too_rarely_show_no_hidden_cause():
    thresholds = SourceThresholds(0.05, 0.04, 10.0)
    assert (thresholds.effect(1, 1), thresholds.hidden(10, 1), thresholds.hidden(9, 1)) == (0.05, 0.04, math.inf)


def test_a_reward_without_causes_leaves_one_arm():
    graph = ADMG([("A", "B")], nodes=["A", "B", "Y"])
    run = play(PartialDiscovery(), bandit_on(graph, 0), 2000, generators(1, "alone", 0))
    assert run.outcome["arms"] == run.outcome["correct"] == 1
    assert run.arms[-1] == 0
    alone = SCMBandit(DiscreteSCM(ADMG([], nodes=["Y"]), {"Y": CPT((), [0.5, 0.5])}), "Y")
    assert play(PartialDiscovery(), alone, 10, generators(1, "alone", 0)).outcome["sample_complexity"] == 0


@pytest.mark.parametrize("too_short", ["refuse", "cut off"])
def test_a_horizon_that_ends_within_discovery(too_short):
    bandit, policy = bandit_on(ADMG([("A", "Y"), ("B", "Y")]), 0), PartialDiscovery("paper", too_short=too_short)
    if too_short == "refuse":
        with pytest.raises(
            TooFewRoundsError, match="horizon=300 is too short for discovery: 1 interventions were begun"
        ):
            play(policy, bandit, 300, generators(1, "short", 0))
    else:
        run = play(policy, bandit, 300, generators(1, "short", 0))
        assert (len(run.arms), run.outcome) == (300, {})


def test_where_every_set_is_cut_tests_of_hidden_causes_cost_no_rounds():
    """As step 1 has played all interventions that they compare; so all ways to seek them take the same rounds."""
    for seed in range(10):
        bandit = bandit_on(ADMG([("A", "B"), ("B", "Y"), ("A", "Y")], [("A", "Y")]), seed)
        runs = [
            play(PartialDiscovery(hidden_causes=how), bandit, 9000, generators(1, "no rounds", 3))
            for how in HIDDEN_CAUSES
        ]
        assert len({run.outcome["sample_complexity"] for run in runs}) == 1
        assert 0.29 * 9000 < runs[0].outcome["sample_complexity"] <= 0.3 * 9000
    many = bandit_on(ADMG([("A", "Y")], nodes=[*"ABCDEFGH", "Y"]), 0)
    assert random_sets(8, 1, 0.99) < 2**8  # sets are drawn: rounds for tests are kept back
    run = play(PartialDiscovery(in_degree=1, confidence=0.99), many, 100_000, generators(1, "no rounds", 3))
    assert run.outcome["sample_complexity"] <= 0.3 * 100_000


def test_discovery_takes_at_most_its_share():
    bandit = bandit_on(ADMG([("A", "B"), ("B", "Y"), ("A", "Y")], [("A", "Y")]), 1)
    for share in (0.1, 0.5, 1.0):
        for confounders in HIDDEN_CAUSES:
            run = play(
                PartialDiscovery(hidden_causes=confounders, share=share), bandit, 5000, generators(1, "share", 3)
            )
            assert run.outcome["sample_complexity"] <= share * 5000


def test_a_bandit_without_all_interventions_is_refused():
    scm = uniform_cpt(ADMG([("A", "B"), ("B", "Y")]), np.random.default_rng(0))
    bandit = SCMBandit(scm, "Y", arm_strategy=Arms(scm.variables, [{}, {"A": 0}, {"B": 1}]))
    with pytest.raises(ValueError, match=r"arms: 3 different ones; expected 9, one for every assignment .* of A, B"):
        play(PartialDiscovery(), bandit, 50, generators(1, "arms", 0))
