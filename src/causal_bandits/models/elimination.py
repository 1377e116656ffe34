"""Exact expectations in a binary generalised linear model, by variable elimination."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.compiled import inlined, kernel
from causal_bandits.models.compiled_glm import CompiledGLM

#: The largest number of variables whose joint distribution is kept at once.
WIDEST = 18


class Elimination(NamedTuple):
    """The plan of `expected`: the order of a variable's ancestors, and how long each is kept.

    Attributes
    ----------
    linear : bool
        Whether neither the variable nor any ancestor has a logistic link.
    variable : int64 array, shape (steps,)
        The ancestors in topological order, then the variable itself.
    place : int64 array, aligned with the model's ``parent``
        The position of a parent among the variables kept when its child is reached.
    keep_start, keep : int64 arrays
        The positions of the variables kept after each step; the new variable's comes last.
    widest : int
        The largest number of variables kept at once, including the new one.
    room : float64 array, shape (2, size)
        Workspace of `expected`: an expectation per variable, or a joint distribution and the next one.
    """

    linear: bool
    variable: IntArray
    place: IntArray
    keep_start: IntArray
    keep: IntArray
    widest: int
    room: FloatArray


def order_of_elimination(model: CompiledGLM, target: int) -> Elimination:
    """Create the plan for the expectation of ``target``.

    Raises
    ------
    ValueError
        If more than `WIDEST` variables are needed at once and a link is logistic.
    """
    parents = [model.parent[model.start[v] : model.start[v + 1]].tolist() for v in range(len(model.base))]
    needed, stack = set(), [target]
    while stack:
        v = stack.pop()
        if v not in needed:
            needed.add(v)
            stack += parents[v]
    order = sorted(needed)
    last_use = {p: v for v in order for p in parents[v]} | {target: target}
    live: list[int] = []
    place, keep, keep_start, widest = np.zeros(len(model.parent), dtype=np.int64), [], [0], 0
    for v in order:
        for i, p in enumerate(parents[v]):
            place[model.start[v] + i] = live.index(p)
        live.append(v)
        widest = max(widest, len(live))
        kept = [i for i, u in enumerate(live) if last_use[u] > v or u == target]
        keep += kept
        keep_start.append(len(keep))
        live = [live[i] for i in kept]
    linear = not model.logistic[order].any()
    if not linear and widest > WIDEST:
        raise ValueError(f"{widest} variables are needed at once; exact expectations keep at most {WIDEST}")
    size = len(model.base) if linear else 1 << widest
    return Elimination(
        linear,
        np.array(order),
        place,
        np.array(keep_start),
        np.array(keep, dtype=np.int64),
        widest,
        np.zeros((2, size)),
    )


@inlined
def expected(model: CompiledGLM, plan: Elimination, do: States) -> float:
    """Compute the expectation of the plan's last variable under ``do`` exactly.

    ``do`` has a state per variable, or -1. Probabilities may lie outside [0, 1], for instance those of an estimated
    model: the result is then still the value of the same polynomial.
    """
    return _linear(model, plan, do) if plan.linear else _along_the_order(model, plan, do)


@inlined
def _linear(model: CompiledGLM, plan: Elimination, do: States) -> float:
    """Compute E[V] = base + sum of weight times E[parent], ancestor by ancestor."""
    mean = plan.room[0]
    for v in plan.variable:
        if do[v] >= 0:
            mean[v] = do[v]
        else:
            mean[v] = model.base[v]
            for i in range(model.start[v], model.start[v + 1]):
                mean[v] += model.weight[i] * mean[model.parent[i]]
    return mean[plan.variable[-1]]  # type: ignore[no-any-return]


@kernel
def _along_the_order(model: CompiledGLM, plan: Elimination, do: States) -> float:
    """Carry the joint distribution of the kept variables along the order, adding one variable at each step."""
    mass, wider = plan.room[0], plan.room[1]
    mass[0], live = 1.0, 0
    for step in range(len(plan.variable)):
        v = plan.variable[step]
        for joint in range(1 << live):
            if do[v] >= 0:
                one = float(do[v])
            else:
                score = model.base[v]
                for i in range(model.start[v], model.start[v + 1]):
                    if joint >> plan.place[i] & 1:
                        score += model.weight[i]
                one = 1.0 / (1.0 + math.exp(-score)) if model.logistic[v] else score
            wider[joint] = mass[joint] * (1.0 - one)
            wider[joint | 1 << live] = mass[joint] * one
        first, kept = plan.keep_start[step], plan.keep_start[step + 1] - plan.keep_start[step]
        mass[: 1 << kept] = 0.0
        for joint in range(1 << (live + 1)):
            smaller = 0
            for i in range(kept):
                smaller |= (joint >> plan.keep[first + i] & 1) << i
            mass[smaller] += wider[joint]
        live = kept
    return mass[1]  # type: ignore[no-any-return]
