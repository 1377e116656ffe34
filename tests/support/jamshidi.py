"""Two models of Jamshidi, Etesami & Kiyavash 2024 whose arms have costs.

Source: arXiv 2401.07578, Figure 6 and Section 6.2.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from lattimore import parallel

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Arms
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.budgeted import BudgetedSCMBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.glm_bandit import GLMBandit

#: Their Figure 6: every variable from X_3 on has the two variables before it as causes, and X_6 alone causes Y.
GENERAL = ADMG(
    [
        ("X1", "X2"),
        ("X1", "X3"),
        ("X2", "X3"),
        ("X2", "X4"),
        ("X3", "X4"),
        ("X3", "X5"),
        ("X4", "X5"),
        ("X4", "X6"),
        ("X5", "X6"),
        ("X6", "Y"),
    ]
)
#: A variable is the parity of its causes with this probability, else the opposite.
RIGHT = 0.8


def budgeted_general(cost: int = 2, spread: int = 1, draw: int = 0) -> BudgetedSCMBandit:
    """Build the bandit on the general graph; arms set one variable, or none.

    P(X_1 = 1) = 1/2 + U/2, with U uniform on [0, 1], drawn once for each problem, as costs are.

    Parameters
    ----------
    cost : int
        >= 1, the least that an intervention costs. do() costs 1.
    spread : int
        >= 0; costs are uniform on cost, ..., cost + spread. With 0 all are equal.
    draw : int
    """
    rng = np.random.default_rng([1, draw])
    one = 0.5 + 0.5 * rng.random()
    ones: dict[str, FloatArray] = {"X1": np.array(one)}
    names = [f"X{i}" for i in range(1, 7)]
    cpts = {"X1": CPT((), [1 - one, one])}
    for v in (*names[1:], "Y"):
        causes = sorted(GENERAL.parents(v))
        odd = np.indices((2,) * len(causes)).sum(axis=0) % 2
        ones[v] = np.where(odd == 1, RIGHT, 1 - RIGHT)
        cpts[v] = CPT(causes, np.stack([1 - ones[v], ones[v]], axis=-1))
    scm = DiscreteSCM(GENERAL, cpts)
    arms = Arms(scm.variables, [{}, *({x: j} for x in names for j in (0, 1))])
    return BudgetedSCMBandit(SCMBandit(scm, "Y", arm_strategy=arms), _costs(len(arms), cost, spread, rng))


@cache  # the model is the same for all draws
def _parallel(variables: int) -> GLMBandit:
    return parallel(variables, rare=2, gap=0.3, chance=0.02)


def _costs(arms: int, cost: int, spread: int, rng: np.random.Generator) -> IntArray:
    """Draw the costs; the first arm is do()."""
    if cost < 1 or spread < 0:
        raise ValueError(f"cost={cost}, spread={spread}: expected >= 1 and >= 0")
    drawn = rng.integers(cost, cost + spread + 1, size=arms)
    drawn[0] = 1
    return drawn
