"""The parallel bandit of Lattimore, Lattimore & Reid (2016), Section 5."""

from __future__ import annotations

from causal_bandits.models import BinaryGLM, GLMBandit


def parallel(m: int, variables: int = 50, epsilon: float = 0.3) -> GLMBandit:
    """Build the bandit whose reward depends on X1 alone, with do() and all do(Xi = x) as arms.

    The first ``m`` of the independent causes are never 1 unless an arm sets them, the others are 1 half of the time.
    The reward is 1 with probability 1/2 + ``epsilon`` if X1 = 1, and 1/2 otherwise.
    """
    names = [f"X{i}" for i in range(1, variables + 1)]
    chances = {name: 0.0 if i < m else 0.5 for i, name in enumerate(names)}
    model = BinaryGLM({**chances, "Y": 0.5}, {"Y": {"X1": epsilon}})
    return GLMBandit(model, [{}, *({name: value} for value in (0, 1) for name in names)])
