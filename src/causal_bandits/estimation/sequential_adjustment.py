"""Effects of many actions from counts of passive observations (xiong2023, Eq. 10 to 14).

For an action do(X = x) with the admissible sequence Z_1, ..., Z_k, let C_l(z_1..z_l) count the observations with these
values and x_1..x_{l-1}, and D_l those with x_l as well (D_0 is the number of all observations). Then r_{a,z} is the
mean of Y among the T_{a,z} = D_k(z) that agree with all of x and z, p_{a,z,l} = C_l / D_{l-1}, and the estimate is sum
over z of r_{a,z} prod_l p_{a,z,l}. It exists once T_a = min_z T_{a,z} > 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.compiled import inlined, kernel
from causal_bandits.identification.admissible import AdmissibleSequence

#: The maximum number of covariates per action: an action's counts have a cell for each joint value of its covariates.
MOST_COVARIATES = 20


class Sequences(NamedTuple):
    """The admissible sequences of all actions as flat arrays.

    Action ``a`` has the stages ``stage[a]`` to ``stage[a + 1]``: one per treatment, or none if it has no sequence. The
    covariates of stage ``s`` are ``covariate[covariates[s]]`` to ``covariate[covariates[s + 1]]``.

    Attributes
    ----------
    stage : int64 array, shape (actions + 1,)
    treatment : int64 array, shape (stages,)
        The index of X_l among the variables.
    state : int8 array, shape (stages,)
        The state that the action sets it to.
    covariates : int64 array, shape (stages + 1,)
    covariate : int64 array
        Indices of the variables.
    before, after : int64 arrays, shape (stages,)
        Where the cells of C_l and D_l begin in `Counts.before` and `Counts.after`.
    ones : int64 array, shape (actions,)
        Where the cells of an action's sums of Y begin in `Counts.ones`.
    """

    stage: IntArray
    treatment: IntArray
    state: States
    covariates: IntArray
    covariate: IntArray
    before: IntArray
    after: IntArray
    ones: IntArray


class Counts(NamedTuple):
    """Counts of the observations so far, float64 arrays; see `Sequences`.

    Attributes
    ----------
    before, after : arrays
        C_l and D_l.
    ones : array
        Sums of Y in the cells of D_k.
    total : array, shape (1,)
        The number of observations.
    """

    before: FloatArray
    after: FloatArray
    ones: FloatArray
    total: FloatArray


def compile_sequences(
    variables: Sequence[str],
    actions: Sequence[Mapping[str, int]],
    sequences: Sequence[AdmissibleSequence | None],
) -> tuple[Sequences, Counts]:
    """Flatten the actions' sequences for compiled loops, and create empty counts for them.

    Parameters
    ----------
    variables : sequence of str
        The model's variables, in the order of the states passed to `observe`.
    actions : sequence of mapping from str to int
    sequences : sequence of AdmissibleSequence or None
        One per action, for the variables that it sets; None for an action without a sequence.

    Raises
    ------
    ValueError
        If a sequence is not for its action's variables, or has more than `MOST_COVARIATES` covariates.
    """
    number = {v: i for i, v in enumerate(variables)}
    stage, treatment, state, covariates, covariate = [0], [], [], [0], []
    before, after, ones, sizes = [], [], [], [0, 0, 0]
    for action, sequence in zip(actions, sequences, strict=True):
        ones.append(sizes[2])
        joint = 0
        for x, z in zip(*(sequence or ((), ())), strict=True):
            if set(sequence.treatment if sequence else ()) != set(action):
                raise ValueError(f"action {dict(action)}: the sequence is for other variables: {sequence}")
            joint += len(z)
            if joint > MOST_COVARIATES:
                raise ValueError(f"action {dict(action)}: {joint} covariates; expected at most {MOST_COVARIATES}")
            treatment.append(number[x])
            state.append(action[x])
            covariate += [number[v] for v in sorted(z)]
            covariates.append(len(covariate))
            before.append(sizes[0])
            after.append(sizes[1])
            sizes[0] += 1 << joint
            sizes[1] += 1 << joint
        stage.append(len(treatment))
        sizes[2] += 1 << joint if sequence and sequence.treatment else 0

    def integers(values: list[int]) -> IntArray:
        return np.array(values, dtype=np.int64)

    compiled = Sequences(
        integers(stage),
        integers(treatment),
        np.array(state, dtype=np.int8),
        integers(covariates),
        integers(covariate),
        integers(before),
        integers(after),
        integers(ones),
    )
    return compiled, Counts(np.zeros(sizes[0]), np.zeros(sizes[1]), np.zeros(sizes[2]), np.zeros(1))


@kernel
def observe(sequences: Sequences, counts: Counts, values: States, y: float) -> None:
    """Count one passive observation: the states of all variables, and the reward.

    Observations that disagree with an action add 0 rather than being skipped: a processor could not predict the branch.
    """
    counts.total[0] += 1
    for a in range(len(sequences.ones)):
        joint, agree = 0, 1.0
        for s in range(sequences.stage[a], sequences.stage[a + 1]):
            for i in range(sequences.covariates[s], sequences.covariates[s + 1]):
                joint = joint << 1 | values[sequences.covariate[i]]
            counts.before[sequences.before[s] + joint] += agree
            agree *= values[sequences.treatment[s]] == sequences.state[s]
            counts.after[sequences.after[s] + joint] += agree
        if sequences.stage[a] < sequences.stage[a + 1]:
            counts.ones[sequences.ones[a] + joint] += agree * y


@inlined
def estimate(sequences: Sequences, counts: Counts, a: int) -> tuple[float, float]:
    """Return the estimate of an action's effect (Eq. 14), and T_a, the smallest count in any of its cells.

    Returns
    -------
    (float, float)
        (0, 0) if the action has no sequence, or a cell has no observations.
    """
    first, last = sequences.stage[a], sequences.stage[a + 1]
    if first == last:
        return 0.0, 0.0
    covariates = sequences.covariates[last] - sequences.covariates[first]
    value, least = 0.0, counts.total[0]
    for joint in range(1 << covariates):
        cell = counts.after[sequences.after[last - 1] + joint]
        if cell == 0.0:
            return 0.0, 0.0
        least = min(least, cell)
        term, weight = counts.ones[sequences.ones[a] + joint] / cell, counts.total[0]
        for s in range(first, last):
            known = joint >> (covariates - (sequences.covariates[s + 1] - sequences.covariates[first]))
            term *= counts.before[sequences.before[s] + known] / weight
            weight = counts.after[sequences.after[s] + known]
        value += term
    return value, least
