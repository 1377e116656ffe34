"""Identify counterfactuals across several worlds, such as P(Y_x = y | X = x').

The events of all worlds are traced back to their causes. Causes that two worlds share become one variable, the joint
distribution of all of them factorises into c-factors, and each c-factor is identified from a known distribution.

======  ==============================================================================================================
step
1       reduce each event to a copy of its variable under the interventions that reach it; drop events that are certain
2       add all causes of these copies that no intervention cuts off (counterfactual ancestors)
3       merge copies of a variable whose parents have the same values; a copy cannot have two values
4       divide the copies into c-factors, one for each c-component
5       a c-factor in which all worlds agree is identified by Tian's procedure, from the first experiment that allows it
6       multiply the c-factors, and sum over the values of causes that are not in the query
7       for a conditional query, drop the c-factors that cancel
======  ==============================================================================================================

Sources: Shpitser & Pearl (2008), "Complete identification methods for the causal hierarchy" (ID*, IDC*, counterfactual
graphs); Correa, Lee & Bareinboim (2021), "Nested counterfactual identification from arbitrary surrogate experiments"
(counterfactual ancestors, factors and when they are consistent); Lee, Correa & Bareinboim (2019), "General
identifiability with arbitrary surrogate experiments" (a c-factor from one of several experiments).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import NamedTuple

from causal_bandits.errors import CausalBanditsError
from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, as_set, listing
from causal_bandits.graphs.exchange.reading import GraphLike, as_admg
from causal_bandits.identification.c_factors import (
    NotIdentifiable,
    c_components_within,
    check_c_factor,
    q_component,
    q_identified,
)
from causal_bandits.identification.expression import (
    ONE,
    Expression,
    Probability,
    Quotient,
    Value,
    product_of,
    sum_over,
    values_of,
)
from causal_bandits.identification.simplify import renamed_apart, simplify


class Contradiction(CausalBanditsError):
    """Events that cannot occur together: their probability is zero in every model of the graph."""


class Counterfactual(NamedTuple):
    """The event that a variable has a value in the world in which other variables are set.

    Attributes
    ----------
    value : Value
        ``Value("Y")`` is y, ``Value("Y", 1)`` is y'. Values of one variable with different primes are distinct.
    do : frozenset of Value
        Empty in the actual world.
    """

    value: Value
    do: frozenset[Value] = frozenset()

    def __str__(self) -> str:
        do = ",".join(v.text() for v in sorted(self.do))
        return self.value.variable + (f"_{{{do}}}" if do else "") + f" = {self.value.text()}"


class _Copy(NamedTuple):
    """A variable in one world, with only that part of the intervention on which the variable depends."""

    variable: str
    do: frozenset[Value]


#: The values of some copies.
_Events = dict[_Copy, Value]


class _Factor:
    """The c-factor of one c-component: the probability of its variables' values when their parents are set."""

    def __init__(self, component: frozenset[str]) -> None:
        self.component = component
        #: The values of the component's variables and of their parents.
        self.values: dict[str, Value] = {}
        #: Those of these values, from all worlds, that a sum will bind.
        self.bound: set[Value] = set()
        #: Why no experiment identifies it: two worlds require different values.
        self.conflict = ""

    def set(self, variable: str, value: Value) -> None:
        if value.primes < 0:
            self.bound.add(value)
        if self.values.setdefault(variable, value) != value:
            self.conflict = f"{listing(self.component)} depends on the values that {variable} has in two worlds at once"


def identify_counterfactual(
    graph: GraphLike,
    *,
    events: Iterable[Counterfactual],
    given: Iterable[Counterfactual] = (),
    experiments: Iterable[Iterable[str]] | None = ((),),
) -> Expression:
    """Express the probability of counterfactual events, given others, in terms of known distributions.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
    events : iterable of Counterfactual
        They may be in different worlds. Not empty.
    given : iterable of Counterfactual
        The events known to have occurred, in any worlds.
    experiments : iterable of iterables of str, or None
        The intervention sets whose distributions are known, each for all its values. The empty set is observation.
        None: every experiment can be performed (ID*).

    Returns
    -------
    Expression
        A function of the values in ``events`` and ``given``, by their labels. Any other free value is arbitrary.

    Raises
    ------
    NotIdentifiable
        If the algorithm finds no expression. It is sound.
    Contradiction
        If the events exclude each other or the condition, or parts of the condition exclude each other.
    ValueError
        If there is no event, a variable is unknown, or an intervention gives a variable two values.

    Examples
    --------
    The effect of treatment on the treated, identified by a back-door set:

    >>> x, other, y = Value("X"), Value("X", 1), Value("Y")
    >>> treated = Counterfactual(y, do=frozenset([x]))
    >>> print(identify_counterfactual("dag { Z -> X -> Y ; Z -> Y }", events=[treated], given=[Counterfactual(other)]))
    sum_{z} P(y | x, z) P(z | x')
    """
    diagram = as_admg(graph)
    asked, known = _checked(diagram, events, "events"), _checked(diagram, given, "given")
    if not asked:
        raise ValueError("events: no event given")
    problem = _Problem(diagram, experiments)
    wanted, seen = problem.copies(asked), problem.copies(known)
    for copy in wanted.keys() & seen.keys():
        if wanted.pop(copy) != seen[copy]:
            raise Contradiction(f"{_written(asked)} excludes {_written(known)}: the probability is 0")
    try:
        return simplify(problem.conditional(wanted, seen))
    except NotIdentifiable as failure:
        query = f"P({_written(asked)}{' | ' + _written(known) if known else ''})"
        raise NotIdentifiable(f"{query} is not identifiable: {failure}") from None


class _Problem:
    """A graph and the experiments on it.

    Values that a sum will bind have negative primes, so they differ from all of the caller's.
    """

    def __init__(self, graph: ADMG, experiments: Iterable[Iterable[str]] | None) -> None:
        self.graph = graph
        self.experiments: list[frozenset[str]] | None = None
        if experiments is not None:
            self.experiments = sorted({as_set(e) for e in experiments}, key=lambda e: (len(e), sorted(e)))
            named_sets(graph, experiments=frozenset().union(*self.experiments))
        self._fresh = count(1)

    def copies(self, events: Iterable[Counterfactual]) -> _Events:
        """Reduce each event to a copy and its value, and drop events that are certain (step 1)."""
        found: _Events = {}
        for event in events:
            forced = {v.variable: v for v in event.do}
            if event.value.variable in forced:
                if forced[event.value.variable] != event.value:
                    raise Contradiction(f"{event} contradicts its own intervention: the probability is 0")
                continue
            copy = self._copy(event.value.variable, event.do)
            if found.setdefault(copy, event.value) != event.value:
                raise Contradiction(f"{event} excludes {copy.variable} = {found[copy].text()} in the same world")
        return found

    def _copy(self, variable: str, do: frozenset[Value]) -> _Copy:
        """Return the copy of a variable under ``do``, without the interventions that do not reach it."""
        reach = self.graph.do({v.variable for v in do}).ancestors(variable)
        return _Copy(variable, frozenset(v for v in do if v.variable in reach))

    def factors(self, roots: Iterable[_Copy], known: _Events) -> tuple[list[_Factor], _Events]:
        """Return the c-factors of ``roots`` with all their causes, and the value of every copy (steps 2 to 4)."""
        copies = set[_Copy]()
        for root in roots:  # step 2
            uncut = self.graph.without_edges_out_of({v.variable for v in root.do})
            copies |= {self._copy(v, root.do) for v in uncut.ancestors(root.variable)}
        place = {v: i for i, v in enumerate(self.graph.topological_order)}
        value_of: _Events = {}
        parents_of: dict[tuple[str, tuple[Value, ...]], dict[str, Value]] = {}
        same: dict[tuple[str, tuple[Value, ...]], Value] = {}
        for copy in sorted(copies, key=lambda c: (place[c.variable], c not in known, sorted(c.do))):  # step 3
            forced = {v.variable: v for v in copy.do}
            parents = {
                p: forced[p] if p in forced else value_of[self._copy(p, copy.do)]
                for p in sorted(self.graph.parents(copy.variable))
            }
            key = copy.variable, tuple(parents.values())
            if key not in same:
                same[key] = known[copy] if copy in known else Value(copy.variable, -next(self._fresh))
                parents_of[key] = parents
            value_of[copy] = same[key]
            if copy in known and known[copy] != same[key]:
                raise Contradiction(f"{copy.variable} would have two values in one world: the probability is 0")
        factors = []
        for component in c_components_within(self.graph, frozenset(c.variable for c in copies)):  # step 4
            factor = _Factor(component)
            for key, value in same.items():
                if key[0] in component:
                    for variable, at in ((key[0], value), *parents_of[key].items()):
                        factor.set(variable, at)
            factors.append(factor)
        return factors, value_of

    def product(self, factors: Iterable[_Factor]) -> Expression:
        """Identify each c-factor and multiply them (step 5)."""
        return product_of([self._identified(factor) for factor in factors])

    def _identified(self, factor: _Factor) -> Expression:
        if factor.conflict:
            raise NotIdentifiable(factor.conflict)
        graph, g, component = self.graph, self.graph.bits, factor.component
        renaming = {Value(v): value for v, value in factor.values.items()}
        if self.experiments is None:
            return Probability(values_of(component), do=values_of(graph.parents(component) - component)).substitute(
                renaming
            )
        target = g.mask(component)
        for experiment in self.experiments:
            if experiment & component:
                continue
            relevant = g.ancestors(target, g.everything & ~g.mask(experiment))
            known = g.c_component(target, relevant)
            try:
                check_c_factor(graph, target, known)
            except NotIdentifiable:
                continue
            source = q_component(graph, known, relevant, values_of(experiment))
            return renamed_apart(q_identified(graph, target, known, source), self._fresh).substitute(renaming)
        available = "; ".join(f"do({listing(e)})" for e in self.experiments) or "nothing"
        raise NotIdentifiable(f"Q[{listing(component)}] is not identifiable from {available}")

    def joint(self, events: _Events) -> Expression:
        """Sum over the values of all unknown causes (step 6)."""
        factors, _ = self.factors(events, events)
        return sum_over(frozenset().union(*(f.bound for f in factors)), self.product(factors))

    def conditional(self, wanted: _Events, seen: _Events) -> Expression:
        """Drop the factors that cancel in P(wanted, seen) / P(seen) (step 7)."""
        if not seen:
            return self.joint(wanted)
        factors, value_of = self.factors([*wanted, *seen], seen)
        asked: dict[Value, Value] = {}  # the values of the wanted copies, which a sum binds in the denominator
        for copy, value in wanted.items():
            own = value_of[copy]
            if (own if own.primes >= 0 else asked.setdefault(own, value)) != value:
                raise Contradiction(f"{copy.variable} = {value.text()} contradicts the condition: the probability is 0")
        if not asked:
            return ONE
        linked, bound = list[_Factor](), frozenset(asked)
        while new := [f for f in factors if f not in linked and f.bound & bound]:
            linked += new
            bound = bound.union(*(f.bound for f in new))
        try:
            numerator = sum_over(bound - asked.keys(), self.product(linked))
            return Quotient(numerator.substitute(asked), sum_over(asked, numerator))
        except NotIdentifiable as failure:
            try:  # the factors may be consistent for the requested values, though not for all
                return Quotient(self.joint(wanted | seen), self.joint(seen))
            except NotIdentifiable:
                raise failure from None


def _checked(graph: ADMG, events: Iterable[Counterfactual], role: str) -> list[Counterfactual]:
    listed = [Counterfactual(Value(*event.value), frozenset(event.do)) for event in events]
    for event in listed:
        named_sets(graph, **{role: {event.value.variable, *(v.variable for v in event.do)}})
        if len({v.variable for v in event.do}) < len(event.do):
            raise ValueError(f"{role}: {event} sets a variable to two values")
        if negative := [v for v in (event.value, *event.do) if v.primes < 0]:
            raise ValueError(f"{role}: {negative[0]!r}: expected primes >= 0")
    return listed


def _written(events: Iterable[Counterfactual]) -> str:
    return ", ".join(map(str, events))
