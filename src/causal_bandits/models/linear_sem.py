"""Linear structural equation models in which every variable may have two mechanisms.

X_i = c_k + sum over parents of w_k,p X_p + e_i, with k = 0 without and k = 1 with an intervention on X_i. An
intervention is soft: it changes the weights and removes no edge. Sources: Varici, Shanmugam, Sattigeri & Tajer 2023;
Yan & Tajer 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from causal_bandits.arrays import FloatArray, IntArray, States
from causal_bandits.checks import check_choice, check_number
from causal_bandits.compiled import inlined, kernel
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Assignments

#: Distributions of the noise: N(0, scale^2), or uniform on [0, scale].
NOISES = ("normal", "uniform")

#: The weights of one variable's parents, by name.
Row = Mapping[str, float]


class CompiledLinearSEM(NamedTuple):
    """A model as flat arrays; variables are numbered in topological order.

    Attributes
    ----------
    start : int64 array, shape (n + 1,)
        The parents of variable ``v`` are at ``start[v]`` to ``start[v + 1]`` of ``parent`` and of ``weight``.
    parent : int64 array, shape (entries,)
    weight : float64 array, shape (2, entries)
        The weights without and with an intervention on the variable.
    constant : float64 array, shape (2, n)
        The constants without and with an intervention.
    noise : float64 array, shape (n,)
        The mean of each variable's noise.
    """

    start: IntArray
    parent: IntArray
    weight: FloatArray
    constant: FloatArray
    noise: FloatArray


class LinearSEM:
    """A causal model over real variables, each a linear function of its parents plus independent noise.

    Parameters
    ----------
    observational : mapping from str to mapping from str to float
        Every variable with the weights of its parents; ``{}`` for a variable without parents.
    interventional : mapping from str to mapping from str to float
        The parents' weights under an intervention, for each variable that can be intervened on.
    constants : pair of mappings from str to float
        The constants without and with an intervention; 0 for a variable that is not named.
    noise : str
        One of `NOISES`.
    scale : float
        > 0: the standard deviation of normal noise, or the largest value of uniform noise.

    Raises
    ------
    ValueError
        If a parent is unknown, the graph has a cycle, a variable's two rows name different parents, a variable without
        a second row has a second constant, a number is not finite, or ``noise`` is not one of `NOISES`.

    Examples
    --------
    >>> sem = LinearSEM({"X": {}, "Y": {"X": 2.0}}, {"X": {}}, constants=({"X": 1.0}, {"X": 3.0}))
    >>> sem.expectation("Y"), sem.expectation("Y", {"X"})
    (2.0, 6.0)
    """

    def __init__(
        self,
        observational: Mapping[str, Row],
        interventional: Mapping[str, Row] | None = None,
        constants: tuple[Row, Row] = ({}, {}),
        noise: str = "normal",
        scale: float = 1.0,
    ) -> None:
        soft = interventional or {}
        check_choice("noise", noise, NOISES)
        check_number("scale", scale, "(0, inf)")
        named = {*soft, *constants[0], *constants[1], *(p for row in observational.values() for p in row)}
        if unknown := sorted(named.difference(observational)):
            raise ValueError(f"no row for {', '.join(unknown)}: expected one for every variable")
        if extra := sorted(set(constants[1]).difference(soft)):
            raise ValueError(f"a second constant for {', '.join(extra)}: expected a second row for them too")
        for v, row in soft.items():
            if set(row) != set(observational[v]):
                raise ValueError(
                    f"{v!r}: rows on {sorted(observational[v])} and {sorted(row)}; expected the same parents"
                )
        for v, row in (*observational.items(), *soft.items()):
            for p, w in row.items():
                check_number(f"weight of {p} -> {v}", w, "(-inf, inf)")
        for v, value in (*constants[0].items(), *constants[1].items()):
            check_number(f"constant of {v}", value, "(-inf, inf)")
        #: The causal diagram.
        self.graph = ADMG([(p, v) for v, row in observational.items() for p in row], nodes=observational)
        #: The variables, causes before effects: the order of a world's uniform numbers.
        self.variables: tuple[str, ...] = tuple(self.graph.topological_order)
        #: The variables with a second mechanism, in the order of `variables`.
        self.intervenable: tuple[str, ...] = tuple(v for v in self.variables if v in soft)
        self.noise, self.scale = noise, float(scale)
        self._rows, self._constants = (observational, {**observational, **soft}), constants

    @cached_property
    def compiled(self) -> CompiledLinearSEM:
        """The model as flat arrays, for compiled loops.

        Parents are in the order of `variables`. A variable without a second mechanism has the first one twice.
        """
        first, second = self._constants
        both = first, {v: second.get(v, 0.0) if v in self.intervenable else first.get(v, 0.0) for v in self.variables}
        structure = compile_structure(self.variables, self._rows[0])
        named = [self.variables[p] for p in structure.parent]
        owners = np.repeat(self.variables, np.diff(structure.start)).tolist()
        weights = [[rows[v][p] for v, p in zip(owners, named, strict=True)] for rows in self._rows]
        return structure._replace(
            weight=np.array(weights, dtype=np.float64).reshape(2, -1),
            constant=np.array(
                [[constants.get(v, 0.0) for v in self.variables] for constants in both], dtype=np.float64
            ),
            noise=np.full(len(self.variables), 0.0 if self.noise == "normal" else self.scale / 2),
        )

    def row(self, variable: str, mechanism: int) -> Row:
        """Return the weights of the variable's parents under mechanism 0 or 1."""
        return self._rows[mechanism][variable]

    def _number(self, variable: str) -> int:
        return self.variables.index(variable)

    def expectation(self, variable: str, intervened: Iterable[str] = ()) -> float:
        """Compute the exact mean of ``variable`` under interventions on the variables ``intervened``.

        Raises
        ------
        ValueError
            If one of them has no second mechanism.
        """
        mechanism = np.zeros(len(self.variables), dtype=np.int8)
        for v in intervened:
            if v not in self.intervenable:
                raise ValueError(f"{v!r} cannot be intervened on; {', '.join(self.intervenable) or 'none'} can")
            mechanism[self._number(v)] = 1
        means = np.empty(len(self.variables))
        forward(self.compiled, mechanism, 0, means)
        return float(means[self._number(variable)])

    def noises(self, uniforms: FloatArray) -> FloatArray:
        """Turn uniform numbers in [0, 1) into noise with this model's distribution."""
        if self.noise == "uniform":
            return np.asarray(self.scale * uniforms)
        return np.asarray(self.scale * ndtri(np.maximum(uniforms, 2.0**-54)))  # a uniform number may be 0


def compile_structure(variables: tuple[str, ...], parents: Mapping[str, Iterable[str]]) -> CompiledLinearSEM:
    """Create a model with these parents in which all numbers are zero.

    Such a model can hold, for instance, a learner's beliefs.

    Parameters
    ----------
    variables : tuple of str
        Causes before effects.
    parents : mapping from str to iterable of str
    """
    number = {v: i for i, v in enumerate(variables)}
    own = [sorted(number[p] for p in parents[v]) for v in variables]
    n, start = len(variables), np.cumsum([0, *map(len, own)])
    parent = np.array([p for numbers in own for p in numbers], dtype=np.int64)
    return CompiledLinearSEM(start, parent, np.zeros((2, len(parent))), np.zeros((2, n)), np.zeros(n))


@inlined
def from_parents(model: CompiledLinearSEM, v: int, k: int, values: FloatArray) -> float:
    """Return what mechanism ``k`` of variable ``v`` computes from its parents' values, without the noise."""
    total = model.constant[k, v]
    for i in range(model.start[v], model.start[v + 1]):
        total += model.weight[k, i] * values[model.parent[i]]
    return total  # type: ignore[no-any-return]


@kernel
def forward(model: CompiledLinearSEM, mechanism: States, first: int, means: FloatArray) -> None:
    """Write the mean of every variable from index ``first`` on into ``means``.

    The means of the variables before ``first`` must already be there.

    Parameters
    ----------
    model : CompiledLinearSEM
    mechanism : int8 array, shape (n,)
        0 or 1 for each variable.
    first : int
    means : float64 array, shape (n,)
    """
    for v in range(first, len(means)):
        means[v] = from_parents(model, v, mechanism[v], means) + model.noise[v]


class Sweep(NamedTuple):
    """An order of the arms in which successive arms share as many means as possible.

    Attributes
    ----------
    order : int64 array, shape (arms,)
        The arms' indices.
    first : int64 array, shape (arms,)
        The first variable whose mechanism differs from that under the previous arm.
    mechanism : int8 array, shape (arms, n)
        Row ``i`` holds the mechanisms under arm ``i``.
    """

    order: IntArray
    first: IntArray
    mechanism: States


def sweep(assignments: Assignments, variables: int) -> Sweep:
    """Sort arms by their mechanisms: arms that agree on the first variables then share these variables' means.

    All 2^m arms on m variables need about 2^(m + 1) means, not m 2^m.
    """
    arms = len(assignments.start) - 1
    mechanism = np.zeros((arms, variables), dtype=np.int8)
    mechanism[np.repeat(np.arange(arms), np.diff(assignments.start)), assignments.variable] = assignments.state
    order = np.lexsort(mechanism.T[::-1])
    differs = mechanism[order[1:]] != mechanism[order[:-1]]
    return Sweep(order, np.concatenate([[0], differs.argmax(axis=1)]).astype(np.int64), mechanism)


@kernel
def means_of_arms(model: CompiledLinearSEM, arms: Sweep, reward: int, means: FloatArray, index: FloatArray) -> None:
    """Write the mean of variable ``reward`` under every arm into ``index``, shape (arms,).

    ``means``, shape (n,), is workspace.
    """
    for j in range(len(arms.order)):
        arm = arms.order[j]
        forward(model, arms.mechanism[arm], arms.first[j], means)
        index[arm] = means[reward]
