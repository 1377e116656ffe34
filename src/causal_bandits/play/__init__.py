"""Play one run of one policy on one bandit, and measure what happens in it.

>>> import numpy as np
>>> from causal_bandits import ADMG, SCMBandit, generators
>>> from causal_bandits.models import uniform_cpt
>>> from causal_bandits.play import play
>>> from causal_bandits.policies import Thompson
>>> scm = uniform_cpt(ADMG([("X", "Z"), ("Z", "Y")], [("X", "Y")]), np.random.default_rng(1))
>>> run = play(Thompson(), SCMBandit(scm).with_arms("possibly_optimal"), 1000, generators(0, "example", seed=0))
>>> len(run.arms), bool(run.regrets.sum() < 100)
(1000, True)
"""

from typing import TYPE_CHECKING

from causal_bandits.lazy import lazily

if TYPE_CHECKING:
    from causal_bandits.play.run import Run, Sums, play, play_sums

__all__ = [
    "Run",
    "Sums",
    "play",
    "play_sums",
]

if not TYPE_CHECKING:  # else any misspelt name would pass
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "Run": "causal_bandits.play.run",
            "Sums": "causal_bandits.play.run",
            "play": "causal_bandits.play.run",
            "play_sums": "causal_bandits.play.run",
        },
    )
