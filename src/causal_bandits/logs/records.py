"""Counts of logged records, the causal graph, and which variables play which role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from causal_bandits.arrays import FloatArray
from causal_bandits.datasets.frames import text_of
from causal_bandits.datasets.tables import CountTable
from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.count_tables import Table
from causal_bandits.estimation.effect_estimates import Query, points
from causal_bandits.graphs.adjustment import check_selection, named_sets
from causal_bandits.graphs.admg import ADMG, check_name, listing
from causal_bandits.graphs.exchange import as_admg
from causal_bandits.identification.estimators import formula_for_records
from causal_bandits.identification.expression import Expression


@dataclass(frozen=True, eq=False)
class Records:
    """The fields of `causal_bandits.logs.Logs`, their checks, and what is derived from them alone."""

    counts: CountTable
    graph: ADMG
    _: KW_ONLY
    treatment: tuple[str, ...]
    outcome: str
    context: tuple[str, ...] = ()
    selection: str | None = None
    success: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "graph", as_admg(self.graph))
        check_name("outcome", self.outcome)
        x, c, y = named_sets(self.graph, treatment=self.treatment, context=self.context, outcome=self.outcome)
        if not x:
            raise ValueError("treatment: no variable given")
        for role, names in (("treatment", self.treatment), ("context", self.context)):
            if len(set(names)) < len(names):
                raise ValueError(f"{role}: {', '.join(names)}; expected each variable once")
        check_selection(self.graph, self.selection, treatment=x, context=c, outcome=y)
        measured = [v for v in self.graph.nodes if v != self.selection]
        if absent := [v for v in measured if v not in self.counts.states]:
            raise ValueError(f"no counts of {listing(absent)} (counted: {', '.join(self.counts.variables)})")
        if self.selection in self.counts.states:
            raise ValueError(f"selection: {self.selection} has counts; expected records that were all selected")
        if affected := c & self.graph.descendants(x):
            raise ValueError(
                f"context: {listing(affected)}: effects of the treatment; expected variables seen before it"
            )
        labels = self.counts.states[self.outcome]
        if len(labels) < 2 or (self.success is None and len(labels) > 2):
            raise ValueError(
                f"{'success' if len(labels) > 2 else 'counts'}: {self.outcome} has the states {', '.join(labels)}; "
                f"expected {'the one that counts as a reward of 1' if len(labels) > 2 else 'two, success and failure'}"
            )
        if self.success is not None and self.success not in labels:
            raise ValueError(f"success: {self.outcome} has no state {self.success!r} (its states: {', '.join(labels)})")
        if len(self.counts.variables) != len(measured):
            object.__setattr__(self, "counts", self.counts.marginal(measured))

    # ------------------------------------------------------------------ contexts and arms

    @cached_property
    def contexts(self) -> tuple[dict[str, int], ...]:
        """All joint states of the context, the last variable changing fastest; without a context, one empty state."""
        return self._joint_states(self.context)

    @cached_property
    def arms(self) -> tuple[dict[str, int], ...]:
        """All joint states of the treatment, with the last variable changing fastest."""
        return self._joint_states(self.treatment)

    def _joint_states(self, variables: Sequence[str]) -> tuple[dict[str, int], ...]:
        states = (range(len(self.counts.states[v])) for v in variables)
        return tuple(dict(zip(variables, values, strict=True)) for values in product(*states))

    def labelled(self, states: Mapping[str, int]) -> dict[str, str]:
        """Return the labels of some variables' states; `numbered` is the inverse."""
        return {v: self.counts.states[v][state] for v, state in states.items()}

    def numbered(self, labels: Mapping[str, object]) -> dict[str, int]:
        """Return the indices of some variables' states, given as values of the data frame.

        Raises
        ------
        ValueError
            If there is no such variable or state.
        """
        found = {}
        for v, label in labels.items():
            if v not in self.counts.states:
                raise ValueError(f"no variable {v!r} in the logs (there are {', '.join(self.counts.variables)})")
            text = text_of(label)
            if text not in self.counts.states[v]:
                raise ValueError(f"{v} has no state {label!r} (its states: {', '.join(self.counts.states[v])})")
            found[v] = self.counts.states[v].index(text)
        return found

    @cached_property
    def success_state(self) -> int:
        """The index of the outcome's state that counts as a reward of 1."""
        labels = self.counts.states[self.outcome]
        return len(labels) - 1 if self.success is None else labels.index(self.success)

    @cached_property
    def units(self) -> FloatArray:
        """The number of records per context and arm."""
        table = Table(self.counts.counts.astype(np.float64), self.counts.variables)
        return table.marginal([*self.context, *self.treatment]).reshape(len(self.contexts), len(self.arms))

    def with_binary_outcome(self) -> np.ndarray[Any, Any]:
        """Return the counts with two states of the outcome: no success, and success."""
        axis, counts = self.counts.variables.index(self.outcome), self.counts.counts
        success = counts.take(self.success_state, axis=axis)
        return np.stack([counts.sum(axis=axis) - success, success], axis=axis)

    def query(self, formula: Expression) -> Query:
        """Return the question of every arm's effect in every context, to be answered by ``formula``."""
        return Query(formula, self.outcome, self.success_state, self.contexts, self.arms, self.counts.states)

    def points(self, formula: Expression) -> FloatArray:
        """Evaluate a formula at relative frequencies, shape (contexts, arms); NaN where a cell has no records."""
        return points(self.query(formula), self.counts.counts, self.counts.variables)

    @cached_property
    def formula(self) -> Expression:
        """The formula of the effect that the records can fill, see `formula_for_records`; for records of all units.

        Raises
        ------
        NotIdentifiable
            If the effect is not identifiable.
        """
        return formula_for_records(
            self.graph,
            outcome=self.outcome,
            treatment=self.treatment,
            given=self.context,
            gaps=lambda formula: int(np.isnan(self.points(formula)).sum()),
        )

    @cached_property
    def natural_is_valid(self) -> bool:
        """Whether P(x, y | c) of the selected records is that of all records, so natural bounds hold.

        This is so if selection depends on nothing but the context.
        """
        if self.selection is None:
            return True
        return self.graph.is_d_separated({self.outcome, *self.treatment}, self.selection, self.context)

    @cached_property
    def bce(self) -> BCE:
        """The `BCE` of the graph, with a selection node without causes if the records were not selected."""
        graph, selection = self.graph, self.selection
        if selection is None:
            selection = _new_name("S", graph)
            graph = ADMG(graph.directed, graph.bidirected, [*graph.nodes, selection])
        return BCE(graph, treatment=self.treatment, context=self.context, outcome=self.outcome, selection=selection)


def _new_name(name: str, graph: ADMG) -> str:
    while name in graph:
        name += "_"
    return name
