"""Build the bandits that experiments play, and compute the regret bounds of Theorems 1 and 3."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.estimation.cells import cells, minimal_separator
from causal_bandits.models.fair import FairBandit
from causal_bandits.policies.contextual.helpers.cell_ucb import reward_scale
from causal_bandits.problems.construction.huang2022.constructed import unconstrained
from causal_bandits.problems.huang2022 import adult_video_bandit, email, user_counts
from experiments.results import Results


def bandit_of(results: Results, experiment: str) -> FairBandit:
    """Build the bandit of one of the paper's two tasks, or the one that refutes Theorem 3 (E25).

    Raises
    ------
    ValueError
        If the experiment plays a different problem.
    """
    label, *_ = results.policies(experiment)
    settings = results.settings(experiment, label)
    if settings["problem"] == "email":
        return campaign()
    if settings["problem"] == "adult_video":
        counts = user_counts(results.file("data_adult"))
        return adult_video_bandit(counts, income_descends_from_sex=bool(settings["income_descends_from_sex"]))
    if settings["problem"] == "unconstrained":
        return unconstrained()
    raise ValueError(f"{experiment} plays {settings['problem']}; expected email, adult_video or unconstrained")


@cache
def campaign() -> FairBandit:
    """Return the email campaign; it is built once."""
    return email()


#: The constant in the exponent of the probability that Theorem 1 states.
STATED = 32.0


class RegretBound(NamedTuple):
    """A bound that the cumulative regret satisfies with some probability.

    Attributes
    ----------
    regret : float
        The upper bound on the regret of all rounds together; rewards lie in [0, 1], so a bound above the number of
        rounds is vacuous.
    probability : float
        The lower bound on the probability that this holds; it is vacuous if not above zero.
    """

    regret: float
    probability: float


def d_ucb_bound(horizon: int, cells: int, delta: float | None = None, of_proof: bool = False) -> RegretBound:
    """Compute Theorem 1's bound on the regret of D-UCB.

    Parameters
    ----------
    horizon : int
        T, at least 2.
    cells : int
        |W|, the number of joint states of the separator.
    delta : float, optional
        In (0, 1). Default: 1 / T^2, as in Corollary 1 (ledger L43).
    of_proof : bool
        Whether to return the probability that Azuma's inequality gives for the martingale of the proof (Appendix B),
        which is larger: the exponent is |W| log^3 T / (16 log(1/delta)) (`azuma_constant`, E27).

    Raises
    ------
    ValueError
        If a number is out of its range.
    """
    delta = _checked("delta", horizon, cells, delta)
    log_t, log_delta = math.log(horizon), math.log(1 / delta)
    constant = azuma_constant() if of_proof else STATED
    return RegretBound(
        regret=math.sqrt(cells * horizon * log_t) * log_t + math.sqrt(32 * cells * horizon * log_delta),
        probability=1 - 2 * delta * horizon * cells - math.exp(-cells * log_t**3 / (constant * log_delta)),
    )


def f_ucb_bound(
    horizon: int, cells: int, tau: float, safe: float, delta_e: float | None = None, of_proof: bool = False
) -> RegretBound:
    """Compute Theorem 3's bound on the regret of F-UCB with alpha_c = 1 and alpha_r = 2 / (tau - Delta_0).

    Parameters
    ----------
    horizon, cells : int
        As in `d_ucb_bound`.
    tau, safe : float
        The threshold, and Delta_0: the largest discrepancy of the safe policy, 0 <= Delta_0 < tau.
    delta_e : float, optional
        delta_E in (0, 1). Default: 1 / T^2, as after Theorem 3 (ledger L43).
    of_proof : bool
        Whether to return the bound at which the proof (Appendix D) arrives instead (erratum E09), with log(1/delta),
        delta = delta_E / (4 |W| T), in place of log(1/delta_E), and with alpha_r = 1 + 2 / (tau - Delta_0), the
        smallest value with (tau - Delta_0)(alpha_r - 1) >= 1 + alpha_c.

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


def azuma_constant() -> float:
    """Compute the constant of Azuma's inequality in the exponent of Theorem 1's probability (E27).

    An increment of the proof's martingale is E[beta_Z] - beta_Z with 0 < beta_z <= b, b^2 = 8 log(1/delta), since only
    one cell is met in a round. Its absolute value is thus at most b. The exponent is lambda^2 divided by twice the sum
    of the increments' squared bounds. (The proof bounds the increment by 2 b and then omits the factor 2 of the
    inequality, so its last line, which is the theorem's, is weaker than what holds.)
    """
    increment_squared = 8.0  # of log(1/delta)
    return 2 * increment_squared


def condition_of_proof(tau: float, safe: float, alpha_r: float, alpha_c: float) -> bool:
    """Return whether a threshold meets the condition that the steps of Theorem 3's proof need (E09).

    The condition is (tau - Delta_0)(alpha_r - 1) >= 1 + alpha_c.
    """
    return (tau - safe) * (alpha_r - 1) >= 1 + alpha_c


def named_condition(tau: float, alpha_r: float, alpha_c: float) -> bool:
    """Return whether a threshold meets the condition that the proof of Theorem 3 states last (E09).

    The condition is alpha_c <= tau (alpha_r - 1).
    """
    return alpha_c <= tau * (alpha_r - 1)


def theorem_1(problem: FairBandit, horizon: int, of_proof: bool = False) -> RegretBound:
    """Evaluate Theorem 1 for a bandit, with W its minimal d-separation set; see `d_ucb_bound`."""
    return d_ucb_bound(horizon, _cells(problem), of_proof=of_proof)


def theorem_3(problem: FairBandit, horizon: int, tau: float, of_proof: bool = False) -> RegretBound:
    """Evaluate Theorem 3 for a bandit, with W its minimal d-separation set and exact Delta_0; see `f_ucb_bound`."""
    return f_ucb_bound(horizon, _cells(problem), tau, safest_discrepancy(problem), of_proof=of_proof)


def safest_discrepancy(problem: FairBandit) -> float:
    """Compute Delta_0: the largest discrepancy of the policy that plays each context's fairest arm."""
    return float(np.abs(problem.discrepancies).min(axis=1).max())


def least_width(problem: FairBandit, horizon: int) -> float:
    """Bound from below the confidence term of UCB_Delta (Eq. 12) of any arm, after any history, from round 2 on.

    In round t the term is sqrt(16 log t) sum_z P(z | x, a) / sqrt(n_z), with n_z = max(1, N_z). By Hölder's inequality
    the sum is at least (sum_z P(z | x, a)^(2/3))^(3/2) / sqrt(sum_z n_z), and sum_z n_z is at most t - 1 plus the
    number of joint states of Z that can occur.

    Parameters
    ----------
    problem : FairBandit
    horizon : int
        At least 2.
    """
    found = cells(problem, minimal_separator(problem))
    spread = (found.weight ** (2 / 3)).sum(axis=-1).min() ** 1.5
    t = np.arange(2, horizon + 1)
    scale = 2 * reward_scale("anytime", horizon)[1:]
    return float(spread * (scale / np.sqrt(t - 1 + found.weight.shape[-1])).min())


def fair_value(problem: FairBandit, tau: float, mixed: bool = False) -> float:
    """Compute a round's expected reward under the best policy that is fair at ``tau`` for every user.

    Parameters
    ----------
    problem : FairBandit
    tau : float
        At least 0; infinite for no constraint.
    mixed : bool
        Whether the policy may mix arms (Definition 3 is about E_pi), which is solved exactly as a linear program.

    Raises
    ------
    ValueError
        If no policy is fair for some user.
    """
    values = [
        _best(means, discrepancies, tau, mixed)
        for means, discrepancies in zip(problem.means, problem.discrepancies, strict=True)
    ]
    return float(problem.context_probabilities @ np.array(values))


def _best(means: FloatArray, discrepancies: FloatArray, tau: float, mixed: bool) -> float:
    from scipy.optimize import linprog  # loads slowly, and one table needs it

    fair = np.abs(discrepancies) <= tau + 1e-9
    if not mixed or math.isinf(tau):
        if not fair.any():
            raise ValueError(f"tau={tau}: no arm is fair; the least discrepancy is {np.abs(discrepancies).min():g}")
        return float(means[fair].max())
    sides = np.stack([discrepancies, -discrepancies])
    found = linprog(-means, A_ub=sides, b_ub=[tau, tau], A_eq=np.ones((1, len(means))), b_eq=[1])
    if found.fun is None:
        raise ValueError(f"tau={tau}: no policy is fair")
    return -float(found.fun)


def largest_regret(problem: FairBandit, horizon: int) -> float:
    """Compute the largest regret possible: the costliest context's worst arm in every round."""
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
