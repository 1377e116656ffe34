"""LinSEM-TS: Thompson sampling of the rows of a linear structural equation model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import check_numbers
from causal_bandits.compiled import jit
from causal_bandits.estimation.ridge import check_condition
from causal_bandits.models.linear_sem import means_of_arms
from causal_bandits.models.linear_sem_bandit import LinearSEMBandit, LinearWorld, play_round
from causal_bandits.policies.base import Outcome, Rounds
from causal_bandits.policies.helpers.choice import largest
from causal_bandits.policies.linear_sem.helpers.rows import Rows, learn_round, start_rows


@dataclass(frozen=True)
class LinSEMTS:
    """Draw every variable's weights from their posterior, and play the best arm under them (LinSEM-TS).

    Use it for low regret if arms change the weights of a linear model and you have its graph: each round teaches about
    all arms. It needs the parents of every variable (``bandit.believed``) and the mean of every noise variable
    (``bandit.told_noise``), and assumes that there are no hidden causes. `GALCB` needs no graph.

    Only the abstract and the authors' code were available (L235); the steps are ours, based on that code:

    1. Draw the weights of every variable, with and without intervention, from their posterior.
    2. Compute the mean reward of each arm under the weights drawn, and play the arm with the largest mean.
    3. Add the round to the regression of each variable, for the mechanism that it had.

    Parameters
    ----------
    prior_precision : float
        > 0; every weight has the prior N(0, posterior_scale / prior_precision).
    posterior_scale : float
        > 0, the noise variance, which scales every posterior.
    known : bool
        Whether all rows but the reward's are known, as in earlier papers.

    References
    ----------
    Varici, Shanmugam, Sattigeri & Tajer 2023, "Causal Bandits for Linear Structural Equation Models".

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.models.linear_sem import LinearSEM
    >>> from causal_bandits.models.linear_sem_bandit import LinearSEMBandit
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import LinSEMTS
    >>> plain = {"A": {}, "B": {}, "C": {"A": 1.0, "B": 0.5}, "Y": {"C": 1.0, "B": 0.5}}
    >>> changed = {"C": {"A": 0.5, "B": 1.0}}
    >>> bandit = LinearSEMBandit(LinearSEM(plain, changed, constants=({"A": 1.0, "B": 0.5}, {}), noise="uniform"))
    >>> run = play(LinSEMTS(), bandit, 2000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 500)
    True
    """

    plays: ClassVar[type] = LinearSEMBandit

    prior_precision: float = 1.0
    posterior_scale: float = 1.0
    known: bool = False

    def __post_init__(self) -> None:
        check_numbers(self, prior_precision="(0, inf)", posterior_scale="(0, inf)")

    def run(self, bandit: LinearSEMBandit, rounds: Rounds[LinearWorld], rng: np.random.Generator) -> Outcome:
        """Play one run (see `causal_bandits.policies.base.Policy`)."""
        rows = start_rows(bandit, self.prior_precision, known=self.known)
        for world in rounds:
            rounds.record(*_play(world, rows, math.sqrt(self.posterior_scale), rng))
            check_condition(rows.ridge, self.prior_precision)
        return {}


@jit
def _play(world: LinearWorld, rows: Rows, scale: float, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
    n, most = len(world.noise), len(rows.x)
    arms, rewards = np.empty(n, dtype=np.int64), np.empty(n)
    index, means = np.empty(len(rows.arms.order)), np.empty(len(rows.values))
    root, z = np.zeros((most, most)), np.empty(most)
    for i in range(n):
        for v in range(len(rows.values)):  # step 1: draw every row that is learnt
            for k in range(2):
                if rows.learnt[v, k]:
                    _draw(rows, v, k, scale, root, z, rng)
        means_of_arms(rows.model, rows.arms, rows.reward, means, index)
        arm = largest(index, rng)  # step 2
        rewards[i] = play_round(world, i, arm)
        arms[i] = arm
        learn_round(rows, world, arm)  # step 3
    return arms, rewards


@jit
def _draw(rows: Rows, v: int, k: int, scale: float, root: FloatArray, z: FloatArray, rng: np.random.Generator) -> None:
    """Write theta + scale L z, with L L' = V^-1, into the model for mechanism ``k`` of variable ``v``."""
    model, d = rows.model, rows.size[v]
    inverse, theta = rows.ridge.inverse[2 * v + k], rows.ridge.theta[2 * v + k]
    first, parents = model.start[v], model.start[v + 1] - model.start[v]
    for i in range(d):
        z[i] = rng.standard_normal()
        for j in range(i + 1):
            total = inverse[i, j]
            for m in range(j):
                total -= root[i, m] * root[j, m]
            root[i, j] = math.sqrt(total) if i == j else total / root[j, j]
        drawn = 0.0
        for j in range(i + 1):
            drawn += root[i, j] * z[j]
        drawn = theta[i] + scale * drawn
        if i < parents:
            model.weight[k, first + i] = drawn
        else:
            model.constant[k, v] = drawn
