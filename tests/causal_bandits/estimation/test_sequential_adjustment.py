"""Effects from counts of passive observations (xiong2023, Eq. 10 to 14), against exact effects and plain counting."""

from itertools import product

import numpy as np
import pytest
from twins.exploration import adjusted

from causal_bandits.estimation.sequential_adjustment import compile_sequences, estimate, observe
from causal_bandits.identification.admissible import AdmissibleSequence, find_admissible_sequence
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit

#: X2 and Y are confounded: do(X1, X3) has the sequence ({}, {W, X2}), do(X2) none.
GLM = BinaryGLM(
    {"U": 0.5, "X1": 0.4, "X2": 0.2, "X3": 0.1, "W": 0.3, "Y": 0.1},
    {
        "X2": {"X1": 0.3, "U": 0.4},
        "X3": {"X1": 0.2, "X2": 0.4, "W": 0.2},
        "Y": {"X1": 0.1, "X3": 0.25, "U": 0.3, "W": 0.2},
    },
    hidden=["U"],
)
ACTIONS = [{}] + [
    dict(zip(names, states, strict=True))
    for names in (("X1",), ("X2",), ("X3",), ("X1", "X3"), ("X3", "X1"), ("X1", "X2", "X3"))
    for states in product((0, 1), repeat=len(names))
]
ACTIONS = [action for i, action in enumerate(ACTIONS) if action not in ACTIONS[:i]]


@pytest.fixture(scope="module")
def bandit():
    return GLMBandit(GLM, ACTIONS)


def sequences_of(bandit):
    return [
        find_admissible_sequence(GLM.graph, treatment=frozenset(a), outcome="Y") if a else None for a in bandit.arms
    ]


def test_the_graph_has_actions_with_and_without_sequences(bandit):
    found = dict(zip(map(frozenset, ACTIONS), sequences_of(bandit), strict=True))
    assert found[frozenset(["X1", "X3"])] == AdmissibleSequence(("X1", "X3"), (frozenset(), frozenset(["X2", "W"])))
    assert found[frozenset(["X2"])] is None


def exact_counts(bandit, sequences, counts):
    """Expected counts of one observation: every joint state with its probability, through `observe` itself."""
    scm = GLM.to_scm()
    joint = scm.distribution(scm.variables)
    whole = [np.zeros_like(array) for array in counts]
    for states in product((0, 1), repeat=len(scm.variables)):
        for array in counts:
            array[:] = 0
        observe(sequences, counts, np.array(states, dtype=np.int8), float(states[scm.variables.index("Y")]))
        for total, array in zip(whole, counts, strict=True):
            total += joint[states] * array
    for array, total in zip(counts, whole, strict=True):
        array[:] = total


def test_on_the_exact_distribution_the_estimate_is_the_effect(bandit):
    found = sequences_of(bandit)
    sequences, counts = compile_sequences(GLM.variables, ACTIONS, found)
    exact_counts(bandit, sequences, counts)
    estimated = 0
    for a, (action, sequence) in enumerate(zip(ACTIONS, found, strict=True)):
        value, least = estimate(sequences, counts, a)
        if sequence is None:
            assert (value, least) == (0, 0)
            continue
        assert value == pytest.approx(bandit.means[a], abs=1e-10)
        cells = [
            GLM.to_scm().distribution([*action, *z], {})[tuple(action.values())].min()
            for z in [sorted(frozenset().union(*sequence.covariates))]
        ]
        assert least == pytest.approx(cells[0], abs=1e-12)  # q_a of Eq. 15
        estimated += 1
    assert estimated >= 6


@pytest.mark.parametrize("size", [3, 40, 400])
def test_on_samples_it_is_what_the_equations_say(bandit, size):
    found = sequences_of(bandit)
    sequences, counts = compile_sequences(GLM.variables, ACTIONS, found)
    world = bandit.worlds(0, size, np.random.default_rng(size))
    rows = []
    for i in range(size):
        states, reward = bandit.play(world, i, 0)
        rows.append(states)
        observe(sequences, counts, world.values, reward)
    for a, (action, sequence) in enumerate(zip(ACTIONS, found, strict=True)):
        if sequence is not None:
            value, least = estimate(sequences, counts, a)
            assert (value, least) == pytest.approx(adjusted(rows, action, sequence), abs=1e-12)


def test_sequences_of_other_variables_or_with_too_many_covariates_are_refused():
    with pytest.raises(ValueError, match="the sequence is for other variables"):
        compile_sequences(["X", "Y"], [{"X": 1}], [AdmissibleSequence(("Z",), (frozenset(),))])
    many = [f"Z{i}" for i in range(21)]
    with pytest.raises(ValueError, match="21 covariates"):
        compile_sequences(["X", *many], [{"X": 1}], [AdmissibleSequence(("X",), (frozenset(many),))])
