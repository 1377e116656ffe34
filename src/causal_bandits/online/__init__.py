"""Bandits in production: act, learn when the reward comes, save the state and resume.

===============  ====================================================================================
`OnlineBandit`   an algorithm that acts and updates; its state is saved as JSON, and resumes to the bit
`MAB`            the same with ``fit``, ``partial_fit`` and ``predict``, as users of MABWiser know it
===============  ====================================================================================

There is no model and no horizon here, so only algorithms that need neither can be used. Given the same rewards and
random numbers they choose the same arms as in `causal_bandits.play.play` (LinUCB up to rounding errors: here it keeps a
Cholesky factor, which bears features of any scale).

====================  ===============================================================================
`Thompson`            rewards of 0 and 1
`KLUCB`               rewards in [0, 1]
`NormalThompson`      rewards from -1e100 to 1e100, best if they are nearly normal
`DiscountedThompson`  rewards in [0, 1] whose means change
`DiscountedUCB`       the same
`SlidingWindowUCB`    the same, with abrupt changes
`UCB`                 any rewards, a mean per context; `UCBPCB` clips by prior bounds
`LinUCB`              any rewards, linear in a context; `LinUCBPCB` clips by prior bounds
`IncrementalPolicy`   the base of your own algorithms without contexts
====================  ===============================================================================

>>> from causal_bandits.policies import Thompson
>>> bandit = OnlineBandit(Thompson(), arms=["red", "green"], seed=1)
>>> for _ in range(200):
...     arm = bandit.act()
...     bandit.update(arm, reward=float(bandit.arms[arm] == "green"))
>>> resumed = OnlineBandit.from_json(bandit.to_json())
>>> resumed.act() == bandit.act()
True
"""

from causal_bandits.online.bandit import OnlineBandit
from causal_bandits.online.mab import MAB
from causal_bandits.online.problem import Arm, Context

__all__ = ["MAB", "Arm", "Context", "OnlineBandit"]
