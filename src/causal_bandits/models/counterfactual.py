"""Counterfactual mean rewards E[R(a, s*) | x]: exact and bounded (huang2022, Section 3.3).

The reward is affine in the states of discrete variables, R = intercept + sum of weights[v] * v + noise, so the
variables of ``weights`` are its parents, and W is any set that contains them. The model is Markovian (no hidden
variable): every variable's function is the inverse of its conditional distribution function, applied to its own uniform
noise (`DiscreteSCM`). "Exact" refers to this noise model: other functions with the same tables have other
counterfactuals (L42).

Means are arrays of shape (contexts, arms). Contexts are all joint states of ``context``, with the last variable varying
fastest; arms are in the order given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from causal_bandits.arrays import FloatArray, plain_sum
from causal_bandits.models.contraction import contract
from causal_bandits.models.discrete_scm import DiscreteSCM

Bounds = tuple[FloatArray, FloatArray]


@dataclass(frozen=True)
class UserModel:
    """The model of a user's reward: a Markovian SCM, its context and arms, and an affine reward.

    Parameters
    ----------
    scm : DiscreteSCM
        Markovian; without the reward. The tables of arm variables do not matter.
    context : sequence of str
        X, the observed features of the user, including S. None descends from an arm variable.
    sensitive : str
        S.
    arms : sequence of mapping from str to int
        The states do(a) of each arm; all arms set the same variables.
    weights : mapping from str to float
        The reward's slope in the state of each of its parents.
    intercept : float

    Raises
    ------
    ValueError
        If the model is not Markovian, a name or state is unknown, roles overlap, or the context descends from an arm.
    """

    scm: DiscreteSCM
    context: Sequence[str]
    sensitive: str
    arms: Sequence[Mapping[str, int]]
    weights: Mapping[str, float]
    intercept: float

    def __post_init__(self) -> None:
        _check_markovian(self.scm)
        _check_names(self.scm, {"context": self.context, "weights": self.weights})
        _check_context(self.context, self.sensitive)
        _check_arms(self.scm, self.arms, self.context)


def counterfactual_means(model: UserModel, value: int) -> FloatArray:
    """Compute E[R(a, s*) | x] exactly by abduction, action and prediction.

    Source: Pearl 2009, Theorem 7.1.7, integrated over the noise. The factual and the counterfactual world share their
    noise. A variable's noise is one uniform number, so the probability that it has state v in one world and v* in the
    other is the length of the overlap of the two states' intervals; the means are contractions of these tables.

    Parameters
    ----------
    model : UserModel
    value : int
        s*, the state that S is set to.

    Returns
    -------
    array, shape (contexts, arms)
        NaN for contexts of probability zero.

    Raises
    ------
    ValueError
        If S has no such state.
    """
    _check_value(model, value)
    probability = model.scm.distribution(model.context).ravel()
    means = np.where(probability > 0, float(model.intercept), np.nan)[:, np.newaxis] + np.zeros(len(model.arms))
    for column, arm in enumerate(model.arms):
        do = {**arm, model.sensitive: value}
        for variable, weight in model.weights.items():
            joint = _twin_joint(model.scm, model.context, do, [variable]).reshape(len(means), -1)
            total = joint @ np.arange(joint.shape[1])
            means[:, column] += weight * np.divide(total, probability, out=np.zeros_like(total), where=probability > 0)
    return means


def counterpart_probabilities(scm: DiscreteSCM, context: Sequence[str], sensitive: str) -> FloatArray:
    """Compute the probability that a user with context x would have context x* with the other state of S.

    The noise model is that of `counterfactual_means`. The reward's other causes are independent of the noise that the
    context reveals, so E[R(a, s*) | x] is the mean of E[R(a) | x*] over x*.

    Parameters
    ----------
    scm, context, sensitive
        As in `UserModel`; S is binary.

    Returns
    -------
    array, shape (contexts, contexts)
        Row x, column x*; NaN in the rows of contexts of probability zero.

    Raises
    ------
    ValueError
        As for `UserModel`; or if a cause of the context is outside it.
    """
    _check_markovian(scm)
    _check_names(scm, {"context": context})
    _check_context(context, sensitive)
    _check_closed(scm, context)
    probability = scm.distribution(context).ravel()
    own = np.indices([scm.cardinality(v) for v in context])[context.index(sensitive)].ravel()
    found = np.full((len(probability), len(probability)), np.nan)
    for value in (0, 1):
        joint = _twin_joint(scm, context, {sensitive: value}, context).reshape(found.shape)
        rows = (own != value) & (probability > 0)
        found[rows] = joint[rows] / probability[rows, None]
    return found


def reward_means(model: UserModel) -> FloatArray:
    """Compute mu_{a|x} = E[R(a) | x] for a context that contains its own causes (huang2022, Eq. 2).

    Conditioning on such a context is the same as intervening on it, so contexts of probability zero also have a value.

    Returns
    -------
    array, shape (contexts, arms)

    Raises
    ------
    ValueError
        If the context lacks one of its causes: Eq. 8 can then be wrong (L44). In Fig. 1 it lacks none.
    """
    _check_closed(model.scm, model.context)
    scm = model.scm
    states = list(product(*(range(scm.cardinality(v)) for v in model.context)))
    means = np.full((len(states), len(model.arms)), float(model.intercept))
    for row, x in enumerate(states):
        for column, arm in enumerate(model.arms):
            do = {**dict(zip(model.context, x, strict=True)), **arm}
            parts = (w * (do[v] if v in do else scm.expectation(v, do)) for v, w in model.weights.items())
            means[row, column] += plain_sum(parts)
    return means


def bounds(model: UserModel, value: int) -> Bounds:
    r"""Compute Theorem 2's bounds on E[R(a, s*) | x], as printed.

    They are the sum over z of P(z | x, a) times the smallest (largest) E[R | s*, w] over b. B, the descendants of S in
    the context, ranges over all its states; z keeps its factual distribution. They hold if no member of Z = W \ (A ∪ X)
    descends from S; otherwise they can fail (E08).

    Parameters
    ----------
    As in `counterfactual_means`.

    Returns
    -------
    lower, upper : arrays, shape (contexts, arms)

    Raises
    ------
    ValueError
        As in `counterfactual_means` and `reward_means`.
    """
    _check_value(model, value)
    free, weights = _context_descendants(model), model.weights
    # What S and B add to the reward is known or bounded; the rest keeps its factual mean.
    factual = {v: w for v, w in weights.items() if v not in free and v != model.sensitive}
    intercept = model.intercept + weights.get(model.sensitive, 0.0) * value
    base = reward_means(replace(model, weights=factual, intercept=intercept))
    # E[R | w] is a sum over the parents of R, so each member of B takes its own extreme.
    ends = [sorted((0.0, weights[v] * (model.scm.cardinality(v) - 1))) for v in free if v in weights]
    return base + plain_sum(low for low, _ in ends), base + plain_sum(high for _, high in ends)


def corrected_bounds(model: UserModel, value: int) -> Bounds:
    """Compute bounds on E[R(a, s*) | x] that always hold (E08).

    They are the smallest and the largest mean, over b, of a user with S = s* and B = b. Given the counterfactual state
    b, the reward depends only on the context (s*, b, the rest of x), since its other noise is independent of the
    context; so the mean over the unknown distribution of b lies between these two. A user who already has S = s* is in
    the factual world: there both bounds are the mean itself.

    Parameters, result and errors are those of `bounds`.
    """
    _check_value(model, value)
    shape = [model.scm.cardinality(v) for v in model.context]
    factual = reward_means(model)
    own = np.indices(shape)
    states = own.copy()
    states[model.context.index(model.sensitive)] = value
    rows = np.ravel_multi_index(tuple(states), shape).ravel()
    counterfactual = factual[rows].reshape(*shape, len(model.arms))
    axes = tuple(model.context.index(v) for v in _context_descendants(model))
    already = own[model.context.index(model.sensitive)].reshape(-1, 1) == value
    lower, upper = (
        np.where(
            already,
            factual,
            np.broadcast_to(extreme(counterfactual, axis=axes, keepdims=True), counterfactual.shape).reshape(
                factual.shape
            ),
        )
        for extreme in (np.min, np.max)
    )
    return lower, upper


# ---------------------------------------------------------------------- the twin network


def _twin_joint(scm: DiscreteSCM, context: Sequence[str], do: Mapping[str, int], targets: Sequence[str]) -> FloatArray:
    """Compute P(X = x, V* = v*): the factual context jointly with the targets under ``do``.

    Both worlds share their noise. Axes: the context's variables, then the targets.
    """
    graph, cut = scm.graph, scm.graph.do(set(do))
    affected = graph.descendants(set(do))
    factual, counterfactual = graph.ancestors(context), cut.ancestors(targets)
    # A variable that the intervention cannot reach is the same in both worlds and has one label.
    worlds = [(v, False) for v in graph.topological_order] + [(v, True) for v in graph.topological_order]
    label = {node: i for i, node in enumerate(worlds)} | {
        (v, True): i for i, v in enumerate(graph.topological_order) if v not in affected
    }
    factors: list[tuple[FloatArray, list[int]]] = []
    for v in sorted(factual | counterfactual):
        parents, table = scm.cpt(v)
        table = np.asarray(table)
        own = [label[p, False] for p in (*parents, v)]
        other = [label[p, True] for p in (*parents, v)]
        moves = v in counterfactual and v in affected
        if moves and v in do:
            factors.append((np.eye(scm.cardinality(v))[do[v]], [label[v, True]]))
            moves = False
        if v in factual and moves:
            changed = [i for i, p in enumerate(parents) if p in affected]
            tail = [other[i] for i in changed] + [other[-1]]
            factors.append((_common_length(table, changed), [*own, *tail]))
        elif v in factual or (v in counterfactual and v not in affected):
            factors.append((table, own))
        elif moves:
            factors.append((table, other))
    output = [label[v, False] for v in context]
    for new, target in enumerate(targets, start=len(worlds)):
        end = label[target, True]
        if end in output:  # the same in both worlds: a diagonal
            factors.append((np.eye(scm.cardinality(target)), [end, new]))
            end = new
        output.append(end)
    return contract(factors, output)


def _common_length(table: FloatArray, changed: Sequence[int]) -> FloatArray:
    """Compute P(V = v, V* = v*) given the parents in both worlds.

    It is the length of the overlap of the noise intervals of v and v*.

    Parameters
    ----------
    table : array, shape (parents' states..., states)
    changed : sequence of int
        The parents (axes) whose state may differ between the worlds.

    Returns
    -------
    array, shape (parents' states..., states, changed parents' states..., states)
    """
    upper = np.cumsum(table, axis=-1)
    upper[..., -1] = 1.0
    lower = np.concatenate([np.zeros_like(upper[..., :1]), upper[..., :-1]], axis=-1)
    d = table.ndim
    own = list(range(d))
    other = [d + changed.index(i) if i in changed else i for i in range(d - 1)] + [d + len(changed)]
    size = {axis: n for axes in (own, other) for axis, n in zip(axes, table.shape, strict=True)}

    def spread(array: FloatArray, axes: Sequence[int]) -> FloatArray:
        shape = [size[i] if i in axes else 1 for i in range(len(size))]
        return np.asarray(array.transpose(np.argsort(axes)).reshape(shape), dtype=np.float64)

    ends = np.minimum(spread(upper, own), spread(upper, other))
    starts = np.maximum(spread(lower, own), spread(lower, other))
    return np.asarray(np.maximum(ends - starts, 0.0), dtype=np.float64)


# ---------------------------------------------------------------------- helpers


def _context_descendants(model: UserModel) -> list[str]:
    """Return B, the context variables that descend from S, without S, in the context's order."""
    below = model.scm.graph.descendants(model.sensitive) - {model.sensitive}
    return [v for v in model.context if v in below]


def _check_closed(scm: DiscreteSCM, context: Sequence[str]) -> None:
    outside = sorted(scm.graph.ancestors(context).difference(context))
    if outside:
        raise ValueError(f"the context {', '.join(context)} leaves out its own causes {', '.join(outside)}")


def _check_value(model: UserModel, value: int) -> None:
    if not 0 <= value < model.scm.cardinality(model.sensitive):
        raise ValueError(f"{model.sensitive}={value}: states are 0..{model.scm.cardinality(model.sensitive) - 1}")


def _check_markovian(scm: DiscreteSCM) -> None:
    if scm.hidden or scm.graph.bidirected:
        pairs = [f"{a} <-> {b}" for a, b in sorted(scm.graph.bidirected)]
        raise ValueError(f"the model is not Markovian: {', '.join([*pairs, *scm.hidden])}")


def _check_names(scm: DiscreteSCM, names: Mapping[str, Iterable[str]]) -> None:
    for what, variables in names.items():
        unknown = sorted(set(variables).difference(scm.graph))
        if unknown:
            known = ", ".join(scm.graph.nodes)
            raise ValueError(f"{what}: not in the model: {', '.join(unknown)} (it has {known})")


def _check_context(context: Sequence[str], sensitive: str) -> None:
    if len(set(context)) < len(context):
        raise ValueError(f"context {list(context)} names a variable twice")
    if sensitive not in context:
        raise ValueError(f"the sensitive variable {sensitive} is not in the context {', '.join(context)}")


def _check_arms(scm: DiscreteSCM, arms: Sequence[Mapping[str, int]], context: Sequence[str]) -> None:
    variables = sorted({v for arm in arms for v in arm})
    _check_names(scm, {"arms": variables})
    for arm in arms:
        if sorted(arm) != variables:
            raise ValueError(f"arm {dict(arm)}: expected a state for each of {', '.join(variables)}")
        for variable, state in arm.items():
            if not 0 <= state < scm.cardinality(variable):
                raise ValueError(f"arm {variable}={state}: states are 0..{scm.cardinality(variable) - 1}")
    after = sorted(scm.graph.descendants(variables).intersection(context))
    if after:
        raise ValueError(f"context variables are arms or descend from arms: {', '.join(after)}")
