"""Bandits of Feng & Chen 2023: independent causes of Y, and arms that set two of them to 1."""

from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit


def parallel(chances, weights):
    """Causes X1, X2, ... with P(X=1) by ``chances`` and their weights in E[Y]; the first arm is do()."""
    names = [f"X{i}" for i in range(1, len(chances) + 1)]
    glm = BinaryGLM(dict(zip(names, chances, strict=True)) | {"Y": 0.0}, {"Y": dict(zip(names, weights, strict=True))})
    pairs = [(a, b) for b in names for a in names if a < b]  # by the last element, then the first
    return GLMBandit(glm, [{}, *({a: 1, b: 1} for a, b in pairs)])


G4 = parallel((0.2, 0.2, 0.6, 0.6), (0.2, 0.2, 0.1, 0.1))
