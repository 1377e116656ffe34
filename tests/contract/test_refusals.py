"""What is given in place of something else is refused at once, in words that name it."""

import numpy as np
import pytest

from causal_bandits import Logs, SCMBandit, generators, identify, possibly_optimal_intervention_sets
from causal_bandits.models import ContextualBandit, uniform_cpt
from causal_bandits.play import play
from causal_bandits.policies import Thompson, load

GRAPH = "dag { X -> Z -> Y ; X <-> Y }"
SCM = uniform_cpt(GRAPH, np.random.default_rng(1))
BANDIT = SCMBandit(SCM, "Y").with_arms("possibly_optimal")
STREAMS = generators(0, "refused", 0)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((Thompson(), BANDIT, 10, 0), TypeError, "streams: 0; expected generators"),
        ((Thompson(), BANDIT, 10, np.random.default_rng(0)), TypeError, "streams: Generator"),
        (("thompson", BANDIT, 10, STREAMS), TypeError, r"policy: 'thompson'; .* load\('thompson'\)\(\)"),
        ((Thompson, BANDIT, 10, STREAMS), TypeError, r"policy: <class .*; .* for instance Thompson\(\)"),
        ((BANDIT, Thompson(), 10, STREAMS), TypeError, r"policy: SCMBandit\("),
        ((Thompson(), SCM, 10, STREAMS), TypeError, "Thompson plays a StructuralBandit, not a DiscreteSCM"),
        ((Thompson(), BANDIT, 0, STREAMS), ValueError, "horizon=0: expected at least 1"),
        ((Thompson(), BANDIT, -1, STREAMS), ValueError, "horizon=-1: expected at least 1"),
        ((Thompson(), BANDIT, 10.0, STREAMS), TypeError, "horizon: 10.0; expected a whole number"),
        ((Thompson(), BANDIT, True, STREAMS), TypeError, "horizon: True"),
    ],
)
def test_play(arguments, error, message):
    with pytest.raises(error, match=message):
        play(*arguments)


def test_a_misspelt_algorithm_has_a_hint():
    with pytest.raises(KeyError, match="no algorithm 'thomson'; did you mean 'thompson' or 'z2_thompson'"):
        load("thomson")
    with pytest.raises(KeyError, match="no algorithm 'qqq'; expected one of c_ts, "):
        load("qqq")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("lee2019", 1, 0), TypeError, "experiment: 1; expected a name"),
        ((0, "a", 0.5), TypeError, "seed: 0.5; expected a whole number"),
        ((0.0, "a", 0), TypeError, "root: 0.0"),
        ((0, "a", True), TypeError, "seed: True"),
        ((-1, "a", 0), ValueError, "root=-1: expected a number >= 0"),
        ((0, "a", -1), ValueError, "seed=-1"),
    ],
)
def test_generators(arguments, error, message):
    with pytest.raises(error, match=message):
        generators(*arguments)


@pytest.mark.parametrize("fixed", ["Z", {"Z"}, ["Z"], ("Z",), frozenset("Z")])
def test_sets_of_names_come_in_any_container(fixed):
    expected = [{}, {"X": 0}, {"X": 1}]
    assert list(SCMBandit(SCM, "Y", fixed, "possibly_optimal").arms) == expected
    assert possibly_optimal_intervention_sets(GRAPH, outcome="Y", non_manipulable=fixed) == {
        frozenset(),
        frozenset("X"),
    }


def test_one_name_is_not_taken_letter_by_letter():
    scm = uniform_cpt("dag { age -> drug -> well ; age -> well }", np.random.default_rng(1))
    bandit = ContextualBandit(scm, "age", "drug", {"well": 1.0})
    assert (bandit.context, bandit.manipulable) == (("age",), ("drug",))


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (lambda: SCMBandit(SCM, "Y", {"Q"}), ValueError, "non_manipulable: no variable Q"),
        (lambda: BANDIT.with_arms([["Z"]]), ValueError, r"arms: \[\['Z'\]\]; expected one of brute_force"),
        (lambda: BANDIT.with_arms({"Z"}), ValueError, "arms: {'Z'}"),
        (
            lambda: possibly_optimal_intervention_sets(GRAPH, outcome=["Y"]),
            TypeError,
            r"outcome: \['Y'\]; expected the name of one",
        ),
        (lambda: SCMBandit(SCM, ["Y"]), TypeError, r"reward: \['Y'\]; expected the name of one"),
        (lambda: SCMBandit(SCM, "Y", 3), TypeError, "non_manipulable: 3; expected the name of a variable, or several"),
        (lambda: SCM.expectation({"Y"}), TypeError, "variable: {'Y'}; expected the name of one"),
        (lambda: identify(GRAPH, outcome=None, treatment="X"), TypeError, "outcome: None; expected the name of a var"),
        (lambda: identify(GRAPH, outcome="Y", treatment=1), TypeError, "treatment: 1; expected the name of a variable"),
        (lambda: ContextualBandit(SCM, "Z", "X", ["Y"]), TypeError, r"weights: \['Y'\]; expected a mapping"),
        (
            lambda: Logs.from_frame({"X": [0], "Y": [1]}, "dag { X -> Y }", treatment="X", outcome=["Y"]),
            TypeError,
            r"outcome: \['Y'\]; expected the name of one",
        ),
    ],
)
def test_bandits_and_sets(made, error, message):
    with pytest.raises(error, match=message):
        made()
