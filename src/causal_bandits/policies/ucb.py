"""UCB (Auer et al. 2002) on a table of means, the baseline of huang2022, and UCB-PCB (huang2024, Algorithm 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from causal_bandits.models.cells import cells
from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies import cell_ucb
from causal_bandits.policies.base import Run
from causal_bandits.policies.linear import prior_bounds

#: What the mean of an arm counts as before its first reward: with 1 v N its index is then the bonus alone (huang2022,
#: Eq. 6), or infinite, as the formula with N says (huang2024, Algorithm 6, line 5).
UNPLAYED = {"one": 0.0, "infinite": np.inf}


@dataclass(frozen=True)
class UCB:
    """UCB with one mean per context and arm: mean + sqrt(2 log(1/delta) / N), the arm with the largest index.

    Parameters
    ----------
    context_free : bool
        One mean per arm instead, whatever the context.
    confidence : str
        ``anytime``: delta = 1/t^2 (huang2022); ``horizon``: delta = 1/T^2 (huang2024).
    unplayed : str
        ``one``: N counts as 1 and the mean as 0; ``infinite``: the index is infinite.
    """

    plays: ClassVar[type] = ContextualBandit

    context_free: bool = False
    confidence: str = "anytime"
    unplayed: str = "one"

    def __post_init__(self) -> None:
        cell_ucb.check_choice("confidence", self.confidence, cell_ucb.CONFIDENCE)
        cell_ucb.check_choice("unplayed", self.unplayed, UNPLAYED)

    def run(
        self,
        problem: ContextualBandit,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
    ) -> Run:
        """Play ``horizon`` rounds (see `causal_bandits.policies.base.Policy`)."""
        return self._run(problem, horizon, environment_rng, policy_rng)

    def _run(
        self,
        problem: ContextualBandit,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
        **bounds: np.ndarray,
    ) -> Run:
        table = problem.manipulable if self.context_free else (*problem.context, *problem.manipulable)
        return cell_ucb.run(
            problem,
            cells(problem, tuple(table)),
            self.confidence,
            horizon,
            environment_rng,
            policy_rng,
            UNPLAYED[self.unplayed],
            **bounds,
        )


@dataclass(frozen=True)
class UCBPCB(UCB):
    """UCB clipped to prior causal bounds: max{min{U_a, UCB_a}, L_a} (huang2024, Algorithm 6, line 6).

    The bounds are the problem's ``prior["lower"]`` and ``prior["upper"]``, per context where there is one. Parameters
    are those of `UCB`.
    """

    confidence: str = "horizon"
    unplayed: str = "infinite"

    def run(
        self,
        problem: ContextualBandit,
        horizon: int,
        environment_rng: np.random.Generator,
        policy_rng: np.random.Generator,
    ) -> Run:
        """Play ``horizon`` rounds (see `causal_bandits.policies.base.Policy`).

        Raises
        ------
        ValueError
            If the problem's prior lacks a bound, or one of its entries is not a number.
        """
        bounds = {name: prior_bounds(problem, name) for name in ("lower", "upper")}
        return self._run(problem, horizon, environment_rng, policy_rng, **bounds)
