"""UCB-PCB (huang2024, Algorithm 6); the code for its other lines is in `ucb`."""

from __future__ import annotations

from dataclasses import dataclass

from causal_bandits.models.contextual import ContextualBandit
from causal_bandits.policies.contextual.helpers import cell_ucb
from causal_bandits.policies.contextual.helpers.features import prior_bounds
from causal_bandits.policies.contextual.ucb import UCB


@dataclass(frozen=True)
class UCBPCB(UCB):
    """Play UCB with indices clipped to causal bounds (UCB-PCB).

    Use it if offline data give bounds on each mean, ``prior["lower"]`` and ``prior["upper"]``, for instance those of
    `Logs.prior`: it never plays arms that they rule out. It never notices if the bounds are wrong.

    Line numbers are those of huang2024, Algorithm 6:

    1. (line 2) Start without rewards.
    2. (lines 3 to 5) In every round give each arm an index: its mean in the context plus sqrt(2 log(1/delta) / N).
    3. (line 6) Clip the index to the arm's lower and upper bound.
    4. (line 8) Play the arm with the largest clipped index; ties are broken at random (L54).
    5. (line 9) Update the mean of this context and arm.

    Parameters
    ----------
    context_free, confidence, unplayed
        As for `UCB`, with different defaults.

    References
    ----------
    Huang & Wu 2024 (huang2024).

    Examples
    --------
    >>> from causal_bandits import generators
    >>> from causal_bandits.play import play
    >>> from causal_bandits.policies import UCBPCB
    >>> from causal_bandits.problems import make
    >>> bandit = make("huang2024/synthetic")
    >>> bounded = bandit.with_prior({"lower": bandit.means - 0.1, "upper": bandit.means + 0.1})
    >>> run = play(UCBPCB(), bounded, 1000, generators(0, "example", seed=0))
    >>> bool(run.regrets.sum() < 10)
    True
    """

    confidence: str = "horizon"
    unplayed: str = "infinite"

    def _limits(self, bandit: ContextualBandit) -> cell_ucb.Limits:
        return cell_ucb.Limits(prior_bounds(bandit, "lower"), prior_bounds(bandit, "upper"))
