"""Binary generalised linear models with hidden variables.

P(V=1 | parents) = f(base + sum of weights of the parents that are 1): xiong2023, Section 2, with the global variable
X_1 = 1 as ``base``. A variable with fifty parents has fifty weights and needs no table. The noise e_V of the paper has
mean zero and is independent from round to round, so it does not change the distribution of a binary V and is not drawn
(ledger L131).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import combinations, product

import numpy as np

from causal_bandits.arrays import plain_sum
from causal_bandits.checks import FINITE, check
from causal_bandits.graphs.admg import ADMG
from causal_bandits.models.arms import Assignment
from causal_bandits.models.compiled_glm import CompiledGLM
from causal_bandits.models.discrete_scm import CPT, DiscreteSCM
from causal_bandits.models.elimination import Elimination, expected, order_of_elimination

#: The links f that a variable may have.
LINKS = ("linear", "logistic")


class BinaryGLM:
    """A causal model over binary variables, each a generalised linear function of its parents.

    Parameters
    ----------
    base : mapping from str to float
        The base of every variable, including hidden ones.
    weights : mapping from str to mapping from str to float
        The weight of each parent, for every variable with parents; an edge may have weight 0.
    links : mapping from str to str
        One of `LINKS` per variable; default: ``linear``.
    hidden : iterable of str
        Variables that are never observed; they have no parents.

    Raises
    ------
    ValueError
        If a name is unknown, a hidden variable has parents, the graph has a cycle, or some values of the parents give a
        variable a probability outside [0, 1].

    Examples
    --------
    >>> glm = BinaryGLM({"X": 0.5, "Y": 0.2}, {"Y": {"X": 0.6}})
    >>> glm.expectation("Y", {"X": 1}), glm.expectation("Y")
    (0.8, 0.5)
    """

    def __init__(
        self,
        base: Mapping[str, float],
        weights: Mapping[str, Mapping[str, float]],
        links: Mapping[str, str] | None = None,
        hidden: Iterable[str] = (),
    ) -> None:
        links = links or {}
        self.hidden: tuple[str, ...] = tuple(sorted(hidden))
        named = {*weights, *links, *self.hidden, *(p for own in weights.values() for p in own)}
        if unknown := sorted(named.difference(base)):
            raise ValueError(f"no base for {', '.join(unknown)}")
        for v in base:
            check(f"base of {v}", base[v], FINITE)
            for p, w in weights.get(v, {}).items():
                check(f"weight of {p} -> {v}", w, FINITE)
        self._base = {v: float(base[v]) for v in base}
        self._weights = {v: {p: float(w) for p, w in sorted(weights.get(v, {}).items())} for v in base}
        self._links = {v: links.get(v, "linear") for v in base}
        for v in sorted(base):
            self._check(v)
        observed = [v for v in base if v not in self.hidden]
        directed = [(p, v) for v in observed for p in self._weights[v] if p not in self.hidden]
        together = [[v for v in observed if h in self._weights[v]] for h in self.hidden]
        #: The causal diagram over the observed variables.
        self.graph = ADMG(directed, [pair for ends in together for pair in combinations(ends, 2)], observed)
        #: Hidden variables, then observed ones in topological order: the order of a world's uniforms.
        self.variables: tuple[str, ...] = (*self.hidden, *self.graph.topological_order)

    def _check(self, variable: str) -> None:
        own, link = self._weights[variable], self._links[variable]
        if link not in LINKS:
            raise ValueError(f"link of {variable!r}: {link!r}; expected one of {', '.join(LINKS)}")
        low, high = self.range_of(variable)
        if variable in self.hidden and own:
            raise ValueError(f"hidden variable {variable!r} has parents {list(own)}; hidden variables are roots")
        if not (low >= -1e-12 and high <= 1 + 1e-12):
            raise ValueError(f"{variable!r}: probabilities from {low:g} to {high:g}; expected within [0, 1]")

    def range_of(self, variable: str) -> tuple[float, float]:
        """Return the smallest and the largest P(variable = 1 | parents) over the parents' values."""
        own = self._weights[variable].values()
        low, high = (self._base[variable] + plain_sum(bound(w, 0.0) for w in own) for bound in (min, max))
        if self._links[variable] == "logistic":
            return 1 / (1 + math.exp(-low)), 1 / (1 + math.exp(-high))
        return low, high

    def parents(self, variable: str) -> tuple[str, ...]:
        """Return the parents of ``variable``, including hidden ones, in the order of its weights."""
        return tuple(self._weights[variable])

    @cached_property
    def compiled(self) -> CompiledGLM:
        """The model as flat arrays, for compiled loops; variables are numbered as in `variables`."""
        number = {v: i for i, v in enumerate(self.variables)}
        own = [self._weights[v] for v in self.variables]
        return CompiledGLM(
            base=np.array([self._base[v] for v in self.variables]),
            start=np.cumsum([0, *map(len, own)]),
            parent=np.array([number[p] for weights in own for p in weights], dtype=np.int64),
            weight=np.array([w for weights in own for w in weights.values()], dtype=np.float64),
            logistic=np.array([self._links[v] == "logistic" for v in self.variables]),
        )

    def expectation(self, variable: str, do: Assignment | None = None) -> float:
        """Compute E[variable | do] exactly.

        If no ancestor has a logistic link, an expectation follows from those of the parents. Otherwise the joint
        distribution of the variables that are still needed is carried along the topological order.

        Raises
        ------
        ValueError
            If more than `WIDEST` variables are needed at once.
        """
        number = {v: i for i, v in enumerate(self.variables)}
        fixed = np.full(len(number), -1, dtype=np.int8)
        for v, state in (do or {}).items():
            fixed[number[v]] = state
        plan = self._plans.get(variable)
        if plan is None:
            plan = self._plans[variable] = order_of_elimination(self.compiled, number[variable])
        return float(expected(self.compiled, plan, fixed))

    @cached_property
    def _plans(self) -> dict[str, Elimination]:
        return {}

    def ancestral(self, variables: Iterable[str]) -> BinaryGLM:
        """Return the model of ``variables`` and their ancestors alone."""
        kept, stack = set(), list(variables)
        while stack:
            v = stack.pop()
            if v not in kept:
                kept.add(v)
                stack += self._weights[v]
        return BinaryGLM(
            {v: self._base[v] for v in self.variables if v in kept},
            {v: self._weights[v] for v in self.variables if v in kept},
            {v: self._links[v] for v in self.variables if v in kept},
            [v for v in self.hidden if v in kept],
        )

    def to_scm(self) -> DiscreteSCM:
        """Convert the model to one with probability tables; a variable may have at most 16 parents."""
        cpts = {}
        for v in self.variables:
            own = self._weights[v]
            if len(own) > 16:
                raise ValueError(f"{v!r} has {len(own)} parents: too many for a table")
            states = np.array(list(product((0, 1), repeat=len(own)))).reshape((2,) * len(own) + (len(own),))
            score = self._base[v] + states @ np.array(list(own.values()))
            ones = 1 / (1 + np.exp(-score)) if self._links[v] == "logistic" else np.clip(score, 0, 1)
            cpts[v] = CPT(tuple(own), np.stack([1 - ones, ones], axis=-1))
        return DiscreteSCM(self.graph, cpts, self.hidden)
