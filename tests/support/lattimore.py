"""The parallel bandit of Lattimore, Lattimore & Reid 2016."""

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
    """
    names = [f"X{i}" for i in range(1, variables + 1)]
    bases = {x: chance if i < rare else 0.5 for i, x in enumerate(names)}
    below = gap * chance / (1 - chance)
    weights = dict.fromkeys(names, 0.0) | {"X1": gap + below}
    model = BinaryGLM(bases | {"Y": 0.5 - below}, {"Y": weights})
    return GLMBandit(model, [{}, *({x: j} for x in names for j in (0, 1))], "Y")
