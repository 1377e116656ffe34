"""Problems constructed from the main text of xiong2023; its experiments are in an appendix (L135)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise, product

from causal_bandits.models.arms import Assignment
from causal_bandits.models.binary_glm import BinaryGLM
from causal_bandits.models.glm_bandit import GLMBandit


def parallel(
    variables: int,
    effect: float,
    second: float = 0.0,
    chance: float = 0.5,
    rare: int = 0,
    rare_chance: float = 0.01,
    values: str = "both",
    base: float = 0.1,
) -> GLMBandit:
    """Build X_1, ..., X_n -> Y with atomic actions: P(Y=1 | x) = base + effect x_1 + second x_2.

    Parameters
    ----------
    variables : int
        n >= 2.
    effect, second : float
        The best action is do(X1=1) if ``effect`` is the larger.
    chance : float
        P(X_i=1), the q_a of do(X_i=1).
    rare, rare_chance : int and float
        P(X_i=1) is ``rare_chance`` for the last ``rare`` variables: do(X_i=1) is then seldom seen.
    values : "both" or "ones"
        Whether actions set variables to 0 and 1, or to 1 only.
    base : float
    """
    if variables < 2 or not 0 <= rare <= variables - 2 or values not in ("both", "ones"):
        raise ValueError(
            f"variables={variables}, rare={rare}, values={values!r}: expected >= 2, 0 to n - 2, both or ones"
        )
    names = [f"X{i}" for i in range(1, variables + 1)]
    chances = [chance] * (variables - rare) + [rare_chance] * rare
    bases = {**dict(zip(names, chances, strict=True)), "Y": base}
    weights = dict.fromkeys(names, 0.0) | {"X1": effect, "X2": second}
    states = (0, 1) if values == "both" else (1,)
    return GLMBandit(BinaryGLM(bases, {"Y": weights}), [{}, *({x: s} for x in names for s in states)])


def two_gaps(size: int, variables: int) -> GLMBandit:
    """Build the example after Lemma 1: q_a = 1/n, two gaps of 1/n, all others (nearly) 1/2; n is ``size``.

    Actions set variables to 1 only: with P(X_i=1) = 1/n the action do(X_i=0) would have q_a = 1 - 1/n.
    """
    chance = 1 / size
    effect = 0.5 / (1 - chance)
    return parallel(variables, effect, effect - chance / (1 - chance), chance, values="ones", base=0.0)


def confounded(variables: int, effect: float) -> GLMBandit:
    """Build a parallel graph with a hidden cause of each X_i and Y: q_a = 0 for every action but do()."""
    names, hidden = ([f"{letter}{i}" for i in range(1, variables + 1)] for letter in "XU")
    base = dict.fromkeys(names, 0.2) | dict.fromkeys(hidden, 0.5) | {"Y": 0.1}
    weights = {x: {u: 0.6} for x, u in zip(names, hidden, strict=True)}
    weights["Y"] = dict.fromkeys(names, 0.0) | dict.fromkeys(hidden, 0.2 / variables) | {"X1": effect}
    return GLMBandit(BinaryGLM(base, weights, hidden=hidden), [{}, *({x: s} for x in names for s in (0, 1))])


def sequential(effect: float) -> GLMBandit:
    """Build Pearl's sequential back-door example: U is a hidden cause of X2 and Y, and do(X1, X3) needs ({}, {X2}).

    No single set adjusts for do(X1, X3).

    X1 -> X2 -> X3 -> Y <- X1, X1 -> X3. Actions are all settings of X1, of X3, of both, and of X2, which has no
    admissible sequence.
    """
    model = BinaryGLM(
        {"U": 0.5, "X1": 0.5, "X2": 0.1, "X3": 0.2, "Y": 0.1},
        {
            "X2": {"X1": 0.3, "U": 0.5},
            "X3": {"X1": 0.2, "X2": 0.4},
            "Y": {"X1": 0.2, "X3": effect, "U": 0.2},
        },
        hidden=["U"],
    )
    return GLMBandit(model, [{}, *_settings([("X1",), ("X2",), ("X3",), ("X1", "X3")])])


#: The two parallel models of Feng & Chen (2023) by their number of causes: P(X_i=1), and the weights of Y.
FENG_CHEN = {
    6: ([0.3, 0.4, 0.2, 0.1, 0.6, 0.5], [0.1, 0.3, 0.2, 0.2, 0.1, 0.1]),
    8: ([0.2, 0.2] + [0.6] * 6, [0.2, 0.2] + [0.1] * 6),
}


def parallel_bglm(causes: int, most: int) -> GLMBandit:
    """Build a parallel linear model of Feng & Chen (2023); settings of up to ``most`` causes are actions.

    Parameters
    ----------
    causes : int
        6 or 8, a key of `FENG_CHEN`.
    most : int
    """
    chances, weights = FENG_CHEN[causes]
    names = [f"X{i}" for i in range(2, causes + 2)]  # X1 is the paper's global variable
    base = {**dict(zip(names, chances, strict=True)), "Y": 0.0}
    model = BinaryGLM(base, {"Y": dict(zip(names, weights, strict=True))})
    return GLMBandit(model, [{}, *_settings(_subsets(names, most))])


def two_layers(most: int, link: str = "linear") -> GLMBandit:
    """Build the two-layer model of Feng & Chen (2023): X2, X3 -> X4, X5, X6 -> Y.

    Every setting of up to ``most`` variables is an action.

    Parameters
    ----------
    most : int
    link : "linear" or "logistic"
        With ``logistic`` every score s of the linear model becomes 4 s - 2, which keeps the order of the probabilities.
    """
    base = {"X2": 0.1, "X3": 0.1, "X4": 0.1, "X5": 0.1, "X6": 0.1, "Y": 0.0}
    weights = {
        "X4": {"X2": 0.1, "X3": 0.2},
        "X5": {"X2": 0.7, "X3": 0.1},
        "X6": {"X2": 0.7, "X3": 0.1},
        "Y": {"X4": 0.6, "X5": 0.1, "X6": 0.1},
    }
    actions = _settings(_subsets([v for v in base if v != "Y"], most))
    return GLMBandit(_linked(base, weights, link), [{}, *actions])


def rare_causes(chance: float) -> GLMBandit:
    """Build X_2, ..., X_7 -> Y with rare causes: P(Y=1 | x) = .2 + .2 x_2 + .1 (x_3 + ... + x_7).

    Passive observations say little about an action that is seldom seen: here a radius without Eq. 8's constants is too
    narrow (ledger L181).

    Parameters
    ----------
    chance : float
        P(X_i=1), the eta of Assumption 3 if below 1/2.
    """
    names = [f"X{i}" for i in range(2, 8)]
    weights = {x: 0.2 if x == "X2" else 0.1 for x in names}
    model = BinaryGLM(dict.fromkeys(names, chance) | {"Y": 0.2}, {"Y": weights})
    return GLMBandit(model, [{}, *_settings(_subsets(names, 1))])


def chain(depth: int, most: int, link: str = "linear") -> GLMBandit:
    """Build the chain X_2 -> X_3 -> ... -> Y of ``depth`` variables.

    P(X_2=1) = 1/2, and each later probability is .2 + .6 (value of the parent). Every setting of up to ``most``
    variables is an action.

    Parameters
    ----------
    depth : int
        >= 1.
    most : int
    link : "linear" or "logistic"
        As in `two_layers`.
    """
    names = [f"X{i}" for i in range(2, depth + 2)]
    base = dict.fromkeys([*names, "Y"], 0.2) | {"X2": 0.5}
    weights = {effect: {cause: 0.6} for cause, effect in pairwise([*names, "Y"])}
    return GLMBandit(_linked(base, weights, link), [{}, *_settings(_subsets(names, most))])


def all_settings(causes: int) -> GLMBandit:
    """Build X_2, ..., X_{n+1} -> Y with fair coins; all 3^n settings of the n ``causes`` are actions.

    P(Y=1 | x) = .1 + .8 / n (x_2 + ... + x_{n+1}).
    """
    names = [f"X{i}" for i in range(2, causes + 2)]
    model = BinaryGLM(dict.fromkeys(names, 0.5) | {"Y": 0.1}, {"Y": dict.fromkeys(names, 0.8 / causes)})
    return GLMBandit(model, [{}, *_settings(_subsets(names, causes))])


def graded(chance: float) -> GLMBandit:
    """Build X_1, ..., X_5 -> Y with actions that set one variable to 1 and have graded gaps.

    P(Y=1 | x) = .05 + .3 x_1 + .24 x_2 + .18 x_3 + .12 x_4 + .06 x_5: the gap of do(X_i=1) rises with i from 2 on.

    Parameters
    ----------
    chance : float
        P(X_i=1), the q_a of all actions but do().
    """
    weights = {"X1": 0.5, "X2": 0.4, "X3": 0.3, "X4": 0.2, "X5": 0.1}
    base = dict.fromkeys(weights, chance) | {"Y": 0.05}
    model = BinaryGLM(base, {"Y": {x: 0.6 * w for x, w in weights.items()}})
    return GLMBandit(model, [{}, *({x: 1} for x in weights)])


def _linked(base: dict[str, float], weights: dict[str, dict[str, float]], link: str) -> BinaryGLM:
    """Return the linear model or, with ``logistic``, the one in which every score s becomes 4 s - 2."""
    if link == "logistic":
        base = {v: 4 * b - 2 for v, b in base.items()}
        weights = {v: {p: 4 * w for p, w in own.items()} for v, own in weights.items()}
    return BinaryGLM(base, weights, dict.fromkeys(base, link))


def _subsets(names: Sequence[str], most: int) -> list[tuple[str, ...]]:
    return [chosen for size in range(1, most + 1) for chosen in combinations(names, size)]


def _settings(sets: Iterable[tuple[str, ...]]) -> list[Assignment]:
    """Return all settings of each set of variables."""
    return [dict(zip(chosen, s, strict=True)) for chosen in sets for s in product((0, 1), repeat=len(chosen))]


#: The problems by name.
PROBLEMS: dict[str, Callable[..., GLMBandit]] = {
    "parallel": parallel,
    "two_gaps": two_gaps,
    "confounded": confounded,
    "sequential": sequential,
    "parallel_bglm": parallel_bglm,
    "two_layers": two_layers,
    "rare_causes": rare_causes,
    "chain": chain,
    "all_settings": all_settings,
    "graded": graded,
}
