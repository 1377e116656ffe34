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

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
