"""What huang2022 proves of its bandits: the regret bounds of Theorems 1 and 3."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.estimation.cells import minimal_separator
from causal_bandits.models.fair import FairBandit


class RegretBound(NamedTuple):
    """A bound that the cumulative regret keeps with some probability.

    Attributes
    ----------
    regret : float
        What the regret of all rounds together is at most; rewards lie in [0, 1], so that more than the number of rounds
        says nothing.
    probability : float
        How probable that is at least; not above zero, it says nothing.
    """

    regret: float
    probability: float


def d_ucb_bound(horizon: int, cells: int, delta: float | None = None) -> RegretBound:
    """Theorem 1: the regret of D-UCB.

    Parameters
    ----------
    horizon : int
        T, at least 2.
    cells : int
        |W|, the number of joint states of the separator.
    delta : float, optional
        In (0, 1). Default: 1 / T^2, as in Corollary 1 (ledger L43).

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    delta = _checked("delta", horizon, cells, delta)
    log_t, log_delta = math.log(horizon), math.log(1 / delta)
    return RegretBound(
        regret=math.sqrt(cells * horizon * log_t) * log_t + math.sqrt(32 * cells * horizon * log_delta),
        probability=1 - 2 * delta * horizon * cells - math.exp(-cells * log_t**3 / (32 * log_delta)),
    )


def f_ucb_bound(
    horizon: int, cells: int, tau: float, safe: float, delta_e: float | None = None, of_proof: bool = False
) -> RegretBound:
    """Theorem 3: the regret of F-UCB with alpha_c = 1 and alpha_r = 2 / (tau - Delta_0).

    Parameters
    ----------
    horizon, cells : int
        As in `d_ucb_bound`.
    tau, safe : float
        The threshold, and Delta_0: the largest discrepancy of the safe policy, 0 <= Delta_0 < tau.
    delta_e : float, optional
        delta_E in (0, 1). Default: 1 / T^2, as after Theorem 3 (ledger L43).
    of_proof : bool
        Whether to give what the proof (Appendix D) arrives at instead (erratum E09): log(1/delta), with
        delta = delta_E / (4 |W| T), for log(1/delta_E); and alpha_r = 1 + 2 / (tau - Delta_0), the least with
        (tau - Delta_0)(alpha_r - 1) >= 1 + alpha_c.

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    delta_e = _checked("delta_e", horizon, cells, delta_e)
    if not 0 <= safe < tau:
        raise ValueError(f"safe={safe}, tau={tau}: expected 0 <= safe < tau")
    delta = delta_e / (4 * cells * horizon) if of_proof else delta_e
    alpha_r = 2 / (tau - safe) + (1 if of_proof else 0)
    log_delta = math.log(1 / delta)
    widths = 2 * math.sqrt(2 * horizon * cells * log_delta) + 4 * math.sqrt(horizon * math.log(2 / delta_e) * log_delta)
    return RegretBound(regret=(alpha_r + 1) * widths, probability=1 - delta_e)


def theorem_1(problem: FairBandit, horizon: int) -> RegretBound:
    """Theorem 1 of a bandit, with the minimal d-separation set for W; see `d_ucb_bound`."""
    return d_ucb_bound(horizon, _cells(problem))


def theorem_3(problem: FairBandit, horizon: int, tau: float) -> RegretBound:
    """Theorem 3 of a bandit, with the minimal d-separation set for W and the exact Delta_0; see `f_ucb_bound`.

    Delta_0 is the largest discrepancy of the policy that takes each context's fairest arm.
    """
    safe = float(np.abs(problem.discrepancies).min(axis=1).max())
    return f_ucb_bound(horizon, _cells(problem), tau, safe)


def largest_regret(problem: FairBandit, horizon: int) -> float:
    """What no policy's regret exceeds: the worst arm for the context where it costs most, in every round."""
    return horizon * float(np.ptp(problem.means, axis=1).max())


def _cells(problem: FairBandit) -> int:
    return math.prod(problem.scm.cardinality(v) for v in minimal_separator(problem))


def _checked(name: str, horizon: int, cells: int, delta: float | None) -> float:
    if horizon < 2 or cells < 1:
        raise ValueError(f"horizon={horizon}, cells={cells}: expected at least 2 and 1")
    if delta is None:
        return 1 / horizon**2
    if not 0 < delta < 1:
        raise ValueError(f"{name}={delta}: expected a number between 0 and 1")
    return delta
