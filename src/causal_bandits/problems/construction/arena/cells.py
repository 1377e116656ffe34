"""Problems on which rounds of different arms may, or may not, share the mean reward of a state z.

All have a variable X with one state per arm, a variable Z and the binary reward Y; the arms are do(X = x), without
do(). `benign` and `worst` restate the two environments of Bilodeau, Wang & Roy 2022, `random_cells` is ours.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Arms
from causal_bandits.models.bandit import SCMBandit
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM

#: Z carries all that X does to Y, or not all.
CHAIN, DIRECT = ADMG([("X", "Z"), ("Z", "Y")]), ADMG([("X", "Z"), ("Z", "Y"), ("X", "Y")])
#: P(Z = 0) of the best arm is 1 less this, and this of all others.
RARE = 0.0005


def _bandit(graph: ADMG, z: ArrayLike, y: ArrayLike) -> SCMBandit:
    """The bandit with P(z | x) and P(Y = 1 | parents of Y), X first."""
    z, y = np.asarray(z, dtype=np.float64), np.asarray(y, dtype=np.float64)
    arms = len(z)
    scm = DiscreteSCM(
        graph,
        {
            "X": CPT((), np.full(arms, 1 / arms)),
            "Z": CPT(("X",), z),
            "Y": CPT(("X", "Z") if y.ndim == 2 else ("Z",), np.stack([1 - y, y], axis=-1)),
        },
    )
    return SCMBandit(scm, "Y", frozenset({"Z"}), Arms(scm.variables, [{"X": x} for x in range(arms)]))


def benign(horizon: int, arms: int = 20) -> SCMBandit:
    """One arm reaches Z = 0, which has the larger mean; Z separates the arms from Y.

    P(Z = 0 | x) is 1 - e for the first arm and e for the others, with e = 0.0005. P(Y = 1 | z) is 1/2 + D for z = 0 and
    1/2 for z = 1, with D = sqrt(K log(T) / T) for K arms and T rounds.

    Parameters
    ----------
    horizon : int
        T; the experiment plays as many rounds.
    arms : int
        K, from 2 to 127.

    Raises
    ------
    ValueError
        If there are fewer or more arms, or 1/2 + D is above 1.
    """
    gap = math.sqrt(arms * math.log(horizon) / horizon)
    if not 2 <= arms <= 127 or gap > 0.5:
        raise ValueError(
            f"arms={arms}, horizon={horizon}: expected 2 to 127 arms and sqrt(arms log(horizon) / horizon) <= 1/2"
        )
    zero = np.array([1 - RARE, *[RARE] * (arms - 1)])
    return _bandit(CHAIN, np.stack([zero, 1 - zero], axis=-1), [0.5 + gap, 0.5])


def worst(arms: int = 20) -> SCMBandit:
    """X acts on Y past Z too, so that pooling the rounds of all arms by Z misleads for good.

    The first half of the arms have P(Z = 1) = 6/8, P(Y = 1 | Z = 1) = 11/12 and P(Y = 1 | Z = 0) = 1/12, and so the
    mean .7083. The other half have 7/8, 1/6, 5/6, and the mean .25. A learner who takes Z for all that matters is told
    so by ``cells: [Z]`` with ``pool: all``.

    Parameters
    ----------
    arms : int
        Even, from 2 to 126.

    Raises
    ------
    ValueError
        If the number of arms is odd or out of range.
    """
    if arms % 2 or not 2 <= arms <= 126:
        raise ValueError(f"arms={arms}: expected an even number from 2 to 126")
    half = arms // 2
    one = np.repeat([6 / 8, 7 / 8], half)
    y = np.repeat([[1 / 12, 11 / 12], [5 / 6, 1 / 6]], half, axis=0)
    return _bandit(DIRECT, np.stack([1 - one, one], axis=-1), y)


def random_cells(arms: int = 64, states: int = 4, draw: int = 0) -> SCMBandit:
    """Many arms that reach few states z: each P(. | x) uniform on the simplex, then each E[Y | z] uniform.

    Parameters
    ----------
    arms : int
        From 2 to 127.
    states : int
        Of Z, from 2 to 127.
    draw : int
        The number of the problem, from 0, in one stream of random numbers.

    Raises
    ------
    ValueError
        If there are fewer or more arms or states.
    """
    if not 2 <= arms <= 127 or not 2 <= states <= 127:
        raise ValueError(f"arms={arms}, states={states}: expected 2 to 127 of both")
    rng = np.random.default_rng(0)
    for _ in range(draw + 1):
        rows, means = rng.dirichlet(np.ones(states), size=arms), rng.random(states)
    return _bandit(CHAIN, rows, means)
