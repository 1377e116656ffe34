"""A binary generalised linear model as flat arrays, for compiled loops."""

from __future__ import annotations

import math
from typing import NamedTuple

from causal_bandits.arrays import BoolArray, FloatArray, IntArray, States
from causal_bandits.compiled import inlined


class CompiledGLM(NamedTuple):
    """A model as flat arrays; variables are numbered in topological order.

    Attributes
    ----------
    base : float64 array, shape (n,)
    start : int64 array, shape (n + 1,)
        The parents of variable ``v`` are at ``start[v]`` to ``start[v + 1]`` of the next two arrays.
    parent : int64 array
    weight : float64 array
    logistic : bool array, shape (n,)
    """

    base: FloatArray
    start: IntArray
    parent: IntArray
    weight: FloatArray
    logistic: BoolArray


@inlined
def probability_of_one(model: CompiledGLM, variable: int, values: States) -> float:
    """Return P(V=1) of ``variable`` given its parents' values.

    The sum has no branch, because a processor cannot predict which of many parents are 1.
    """
    score = model.base[variable]
    for i in range(model.start[variable], model.start[variable + 1]):
        score += model.weight[i] * values[model.parent[i]]
    return 1.0 / (1.0 + math.exp(-score)) if model.logistic[variable] else score


@inlined
def play_glm_world(model: CompiledGLM, uniforms: FloatArray, do: States, values: States) -> None:
    """Write into ``values`` the variables' states in a world under ``do`` (see `sampling.play_world`)."""
    for v in range(len(values)):
        if do[v] >= 0:
            values[v] = do[v]
        else:
            values[v] = uniforms[v] < probability_of_one(model, v, values)
