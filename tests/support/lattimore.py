"""The parallel bandit of Lattimore, Lattimore & Reid 2016, and a model that only looks like one.

The second misleads a learner who takes it for the first.
"""

from __future__ import annotations

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit


def parallel(variables: int = 50, rare: int = 2, gap: float = 0.3, chance: float = 0.0) -> GLMBandit:
    """Build independent causes X_1, ..., X_N of Y, of which only X_1 has an effect.

    Arms set one of them, or none.

    P(X_i=1) is ``chance`` for the first ``rare`` variables, else 1/2. P(Y=1) is 1/2 + gap if X_1 = 1, else
    1/2 - gap P(X_1=1) / P(X_1=0). So all arms have the mean 1/2 but do(X_1 = 1), the best, and do(X_1 = 0).

    Parameters
    ----------
    variables, rare : int
        N >= 1 and m, 1 to N.
    gap : float
        In [0, 1/2].
    chance : float
        In [0, 1/2].

    Raises
    ------
    ValueError
        If a number is out of range.
    """
    if not 1 <= rare <= variables:
        raise ValueError(f"variables={variables}, rare={rare}: expected 1 to {variables} rare variables")
    if not (0 <= gap <= 0.5 and 0 <= chance <= 0.5):
        raise ValueError(f"gap={gap}, chance={chance}: expected in [0, 1/2] both")
    names = [f"X{i}" for i in range(1, variables + 1)]
    bases = {x: chance if i < rare else 0.5 for i, x in enumerate(names)}
    below = gap * chance / (1 - chance)
    weights = dict.fromkeys(names, 0.0) | {"X1": gap + below}
    model = BinaryGLM(bases | {"Y": 0.5 - below}, {"Y": weights})
    return GLMBandit(model, [{}, *({x: j} for x in names for j in (0, 1))], "Y")


#: So steep is a logistic gate: exp(-30) from one of its two values.
_STEEP = 60.0


def misleading() -> GLMBandit:
    """Build 21 variables with a common cause Z, two of which, A and B, make the reward: Y = A xor B.

    P(Z=1) = 0.6, and P(X=1) given Z = 0 and 1 is 1/6 and 1/6 for six variables, 0.2 and 0.8 for A, and 0.7 and 0.3 for
    fourteen, of which B is one. Z is observed and cannot be set. The rounds of do() in which B is 0 have the mean
    reward 2/3, but do(B=0) has 0.56, less than the 0.62 of do(). The two gates A and not B, B and not A are variables
    of the model that cannot be set either; they are right but for a chance of 1e-13.
    """
    low, high = [f"X{i:02d}" for i in range(1, 7)], [f"X{i:02d}" for i in range(7, 20)]
    chances = dict.fromkeys(low, (1 / 6, 1 / 6)) | {"A": (0.2, 0.8)} | dict.fromkeys([*high, "B"], (0.7, 0.3))
    base = {"Z": 0.6} | {x: zero for x, (zero, _) in chances.items()} | {"G1": -30.0, "G2": -30.0, "Y": -30.0}
    weights = {x: {"Z": one - zero} for x, (zero, one) in chances.items() if one != zero}
    weights |= {
        "G1": {"A": _STEEP, "B": -_STEEP},
        "G2": {"A": -_STEEP, "B": _STEEP},
        "Y": {"G1": _STEEP, "G2": _STEEP},
    }
    model = BinaryGLM(base, weights, dict.fromkeys(("G1", "G2", "Y"), "logistic"))
    return GLMBandit(model, [{}, *({x: j} for x in chances for j in (0, 1))], "Y")
