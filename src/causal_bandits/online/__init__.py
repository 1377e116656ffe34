"""Bandits in production: act, learn when the reward comes, save the state and resume.

===============  ====================================================================================
`OnlineBandit`   an algorithm that acts and updates; its state is saved as JSON and restored exactly
===============  ====================================================================================

There is no model and no horizon here, so only algorithms that need neither can be used. Given the same rewards and
random numbers, they choose the same arms as in `causal_bandits.play.play` (LinUCB up to rounding errors: here it keeps
a Cholesky factor, which allows features of any scale).

====================  ===============================================================================
`Thompson`            rewards of 0 and 1
`KLUCB`               rewards in [0, 1]
`NormalThompson`      rewards from -1e100 to 1e100, best if they are nearly normal
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
from causal_bandits.online.problem import Arm, Context

__all__ = ["Arm", "Context", "OnlineBandit"]
