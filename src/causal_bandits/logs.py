"""Logged decisions: from a data frame and a graph to effects, bounds and warm starts.

Every result says the assumptions that it rests on.

===============  ====================================================================================
`Logs`           counts of logged records, the causal graph, and which variables play which role
`EffectBounds`   what the logs say of each arm in each context: an interval, and what it rests on
`PolicyValue`    what the logs say of a policy that nobody has played yet: an interval likewise
===============  ====================================================================================

>>> frame = {"drug": [0] * 55 + [1] * 45, "well": [0] * 41 + [1] * 14 + [0] * 15 + [1] * 30}
>>> logs = Logs.from_frame(frame, "dag { drug -> well ; drug <-> well }", treatment="drug", outcome="well")
>>> print(logs.bounds().table())
do         lower  upper
drug = 0   0.140  0.590
drug = 1   0.300  0.850
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import product
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.datasets.frames import columns_of, from_frame, has_order, text_of
from causal_bandits.datasets.tables import CountTable
from causal_bandits.estimation.biased import conditional_probability
from causal_bandits.estimation.bounds import BCE
from causal_bandits.estimation.confident_bounds import confident_bounds, share_limits
from causal_bandits.estimation.count_tables import Table
from causal_bandits.estimation.effect_estimates import EffectEstimates, IntervalMethod, Query, estimates
from causal_bandits.estimation.independences import IndependenceTest, independence_tests
from causal_bandits.estimation.linear_programs import Gap, LinearProgramBounds, NotLinear
from causal_bandits.estimation.natural import natural_bounds
from causal_bandits.graphs.adjustment import check_selection, named_sets
from causal_bandits.graphs.admg import ADMG, as_set, check_name, listing
from causal_bandits.graphs.exchange.reading import GraphLike, as_admg
from causal_bandits.identification.conditional import identify_conditional
from causal_bandits.identification.identify import identify
from causal_bandits.identification.recover import NotRecoverable

Method: TypeAlias = Literal["formula", "linear program", "natural", "bce"]


@dataclass(frozen=True, eq=False)
class EffectBounds:
    """Bounds on P(success | do(arm), context), and what they rest on.

    Attributes
    ----------
    lower, upper : float64 arrays, shape (contexts, arms)
        In [0, 1]; equal where the effect is identified and its cells have records.
    contexts, arms : tuple of mapping from str to str
        The labels of each context's and each arm's states.
    success : str
        For example ``well = 1``: the outcome's state whose probability this is.
    method : {"formula", "linear program", "natural", "bce"}
        How the bounds were computed.
    confidence : float or None
        The probability with which all bounds hold at once; None if frequencies were taken for probabilities.
    assumptions : tuple of str
        Sentences; the bounds hold if all of them do.
    notes : tuple of str
        Sentences that say why this method was taken, and what else to know.
    misfit : float
        How far the frequencies are from those of the nearest model of the graph (sum of absolute differences; by linear
        programs only, else 0). Above 0 the bounds are those of that model.
    """

    lower: FloatArray
    upper: FloatArray
    contexts: tuple[Mapping[str, str], ...]
    arms: tuple[Mapping[str, str], ...]
    success: str
    method: Method
    confidence: float | None
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]
    misfit: float = 0.0

    def rows(self) -> list[dict[str, Any]]:
        """List one row per context and arm, for instance for ``pandas.DataFrame``."""
        return [
            {**context, **arm, "lower": float(self.lower[c, a]), "upper": float(self.upper[c, a])}
            for c, context in enumerate(self.contexts)
            for a, arm in enumerate(self.arms)
        ]

    def table(self) -> str:
        """Return the bounds as a table of text."""
        heads = ["given", "do"] if len(self.contexts) > 1 else ["do"]
        rows = []
        for c, context in enumerate(self.contexts):
            for a, arm in enumerate(self.arms):
                names = [_words(context), _words(arm)][2 - len(heads) :]
                rows.append([*names, f"{self.lower[c, a]:.3f}", f"{self.upper[c, a]:.3f}"])
        every = [[*heads, "lower", "upper"], *rows]
        widths = [max(len(row[i]) for row in every) for i in range(len(every[0]))]
        first = len(heads)
        return "\n".join(
            "  ".join(
                [cell.ljust(width + 1) for cell, width in zip(row[:first], widths, strict=False)] + row[first:]
            ).rstrip()
            for row in every
        )

    def __str__(self) -> str:
        how = "frequencies taken for probabilities"
        if self.confidence is not None:
            how = f"all hold at once with probability {self.confidence:.0%}"
        parts = [f"P({self.success} | do(...)), by {_NAMES[self.method]}; {how}", self.table()]
        parts += ["This holds if:", *(f"- {sentence}" for sentence in self.assumptions)]
        parts += ["Notes:", *(f"- {sentence}" for sentence in self.notes)] if self.notes else []
        return "\n".join(parts)


@dataclass(frozen=True, eq=False)
class PolicyValue:
    """Bounds on the mean reward of a policy, and what they rest on.

    Attributes
    ----------
    lower, upper : float
        In [0, 1]; equal where all effects that the policy needs are identified, and no interval was asked for.
    effects : EffectBounds
        The bounds of each arm in each context.
    confidence : float or None
        The probability with which the interval holds.
    assumptions, notes : tuple of str
        Sentences, as in `EffectBounds`.
    """

    lower: float
    upper: float
    effects: EffectBounds
    confidence: float | None
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        how = "frequencies taken for probabilities"
        if self.confidence is not None:
            how = f"holds with probability {self.confidence:.0%}"
        parts = [f"P({self.effects.success}) under the policy: {self.lower:.3f} to {self.upper:.3f}; {how}"]
        parts += ["This holds if:", *(f"- {sentence}" for sentence in self.assumptions)]
        parts += ["Notes:", *(f"- {sentence}" for sentence in self.notes)] if self.notes else []
        return "\n".join(parts)


_NAMES: Mapping[Method, str] = {
    "formula": "a formula (the effect is identified)",
    "linear program": "linear programs (Balke and Pearl)",
    "natural": "natural bounds",
    "bce": "BCE (bounds under confounding and selection)",
}


class _Found(NamedTuple):
    """What a method found: bounds, and the misfit of `EffectBounds`."""

    method: Method
    lower: FloatArray
    upper: FloatArray
    misfit: float = 0.0


@dataclass(frozen=True, eq=False)
class Logs:
    """Logged decisions: counts of records, the causal graph, and which variables play which role.

    Parameters
    ----------
    counts : CountTable
        Of the graph's variables; others are summed over.
    graph : ADMG
        With the selection node, if there is one.
    treatment : tuple of str
        The variables that an arm sets.
    outcome : str
    context : tuple of str
        What is seen before an arm is chosen; no effects of the treatment.
    selection : str, optional
        A node of the graph without children that stands for "this record was kept". It has no column: all records were
        kept. Leave it out if whether a record is in the logs depends on none of the variables.
    success : str, optional
        The label of the outcome's state that counts as a reward of 1; default: the last state.

    Raises
    ------
    ValueError
        If a variable is not in the graph or has no counts, plays two roles, or is both context and effect of the
        treatment; or if the selection node has children or counts; or if no state has the label ``success``.
    """

    counts: CountTable
    graph: ADMG
    _: KW_ONLY
    treatment: tuple[str, ...]
    outcome: str
    context: tuple[str, ...] = ()
    selection: str | None = None
    success: str | None = None

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        graph: GraphLike,
        *,
        treatment: str | Iterable[str],
        outcome: str,
        context: str | Iterable[str] = (),
        selection: str | None = None,
        success: object = None,
        states: Mapping[str, Sequence[object]] | None = None,
    ) -> Logs:
        """Count the records of a data frame.

        Parameters
        ----------
        frame : DataFrame of pandas or polars, pyarrow.Table, structured array, or mapping from str to sequence
            Columns that the graph does not have are not read. See `causal_bandits.datasets.from_frame`.
        graph : ADMG, text of dagitty, or networkx.DiGraph
            See `causal_bandits.graphs.exchange.as_admg`.
        treatment, outcome, context, selection
            As for `Logs`; one name or several.
        success : object, optional
            The value of the outcome that counts as a reward of 1. Default: its last state, if their order means
            something: numbers, truth values, ordered categories, or values in the order of ``states``.
        states : mapping from str to sequence, optional
            The values of some columns in the order of their states.

        Raises
        ------
        ValueError
            As for `Logs`; or if a column is missing, has missing values, or holds no categories; or if the outcome's
            values are texts without an order, and ``success`` is not given.
        """
        diagram = as_admg(graph)
        check_name("outcome", outcome)
        named = columns_of(frame)
        columns = dict(named)
        if selection is not None and selection in columns:
            raise ValueError(
                f"selection: {selection} is a column; keep the records that were selected, and drop the column"
            )
        needed = [v for v in diagram.nodes if v != selection]
        if absent := [v for v in needed if v not in columns]:
            raise ValueError(
                f"no column for {listing(absent)} of the graph; a variable that was not measured must be latent in it "
                "(dagitty: `U [latent]`; networkx: the attribute hidden=True)"
            )
        counts = from_frame(frame, needed, states)
        in_order = success is not None or outcome not in counts.states or outcome in (states or {})
        if not in_order and not has_order(columns[outcome]):
            raise ValueError(
                f"success: the values of {outcome} ({', '.join(counts.states[outcome])}) have no order; say which of "
                "them counts as a reward of 1"
            )
        return cls(
            counts,
            diagram,
            treatment=_names("treatment", treatment),
            outcome=outcome,
            context=_names("context", context),
            selection=selection,
            success=None if success is None else text_of(success),
        )

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
            raise ValueError(f"context: {listing(affected)}: effects of the treatment; expected what is seen before it")
        labels = self.counts.states[self.outcome]
        if self.success is not None and self.success not in labels:
            raise ValueError(f"success: {self.outcome} has no state {self.success!r} (its states: {', '.join(labels)})")
        if len(self.counts.variables) != len(measured):
            object.__setattr__(self, "counts", self.counts.marginal(measured))

    # ------------------------------------------------------------------ contexts and arms

    @cached_property
    def contexts(self) -> tuple[dict[str, int], ...]:
        """All joint states of the context, the last variable changing fastest; at least the empty one."""
        return self._joint_states(self.context)

    @cached_property
    def arms(self) -> tuple[dict[str, int], ...]:
        """All joint states of the treatment, the last variable changing fastest."""
        return self._joint_states(self.treatment)

    def _joint_states(self, variables: Sequence[str]) -> tuple[dict[str, int], ...]:
        states = (range(len(self.counts.states[v])) for v in variables)
        return tuple(dict(zip(variables, values, strict=True)) for values in product(*states))

    def labelled(self, states: Mapping[str, int]) -> dict[str, str]:
        """Return the labels of some variables' states; `numbered` is the inverse."""
        return {v: self.counts.states[v][state] for v, state in states.items()}

    def numbered(self, labels: Mapping[str, object]) -> dict[str, int]:
        """Return the numbers of some variables' states, given as values of the data frame.

        So what is seen in production becomes a context of an `OnlineBandit` that was made from `contexts`.

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
    def _success(self) -> int:
        labels = self.counts.states[self.outcome]
        return len(labels) - 1 if self.success is None else labels.index(self.success)

    # ------------------------------------------------------------------ what the logs say

    def bounds(self, method: Method | None = None, confidence: float | None = None) -> EffectBounds:
        """Bound P(success | do(arm), context) for every context and arm.

        Without selection an identified effect is computed by its formula. Where no record is in a cell that the formula
        needs, that cell's part of the effect may be anything: the rest still counts, the notes name such cells, and no
        bounds are wider than natural ones. Effects that are not identified are bounded by linear programs, which
        are sharp, or where these do not apply by natural bounds. Under selection BCE is used, which also recovers what
        can be recovered, and natural bounds where selection does not distort them. The result says which method was
        taken and why.

        Parameters
        ----------
        method : {"formula", "linear program", "natural", "bce"}, optional
            Default: the first of those above that applies.
        confidence : float, optional
            In (0, 1): then all bounds hold at once with at least this probability, for records that are independent
            draws. By default frequencies are taken for probabilities.

        Raises
        ------
        NotIdentifiable
            If a formula is asked for and there is none.
        NotLinear
            If linear programs are asked for and the effect is not linear.
        ContradictedGraph
            If with this confidence no model of the graph has given the records.
        ValueError
            If the method does not apply, or has no limits of confidence for this graph (the message says why).
        """
        if method is not None and method not in get_args(Method):
            raise ValueError(f"method: {method!r}, expected one of {', '.join(get_args(Method))}")
        _check_probability(confidence)
        notes: list[str] = []
        found, lower, upper, misfit = self._computed(method, confidence, notes)
        empty = self._units.sum(axis=-1) == 0 if found != "formula" else np.zeros(len(self.contexts), dtype=bool)
        if empty.any():
            first = _words(self.labelled(self.contexts[int(empty.argmax())]))
            notes.append(f"{empty.sum()} of {len(empty)} contexts have no record, for instance {first}.")
        shape = (len(self.contexts), len(self.arms))
        return EffectBounds(
            lower.reshape(shape),
            upper.reshape(shape),
            tuple(map(self.labelled, self.contexts)),
            tuple(map(self.labelled, self.arms)),
            f"{self.outcome} = {self.counts.states[self.outcome][self._success]}",
            found,
            confidence,
            tuple(self._assumptions(found, confidence)),
            tuple(notes),
            misfit,
        )

    def _computed(self, method: Method | None, confidence: float | None, notes: list[str]) -> _Found:
        if method is None:
            return self._chosen(confidence, notes)
        if method == "bce":
            return _Found(method, *self._bce(confidence))
        if method == "natural":
            if not self._natural_is_valid:
                raise ValueError(
                    f"natural bounds: {self.selection} depends on {self.outcome} or the treatment within a context, so "
                    "the logs do not show their shares; expected no such selection"
                )
            return _Found(method, *self._natural(confidence))
        if self.selection is not None:
            raise ValueError(f"{method}: not for selected records (selection node {self.selection}); take 'bce'")
        problem = LinearProgramBounds(self.graph, treatment=self.treatment, context=self.context, outcome=self.outcome)
        if method == "formula" and not problem.identified:
            identify(
                self.graph, outcome={self.outcome, *self.context}, treatment=self.treatment
            )  # raises NotIdentifiable
        return self._programs(problem, confidence, notes)

    def _chosen(self, confidence: float | None, notes: list[str]) -> _Found:
        """Take the first method that applies; say why the ones before did not."""
        if self.selection is not None:
            lower, upper = self._bce_within_natural(confidence, notes)
            if (lower <= 0).all() and (upper >= 1).all():
                notes.append("The logs say nothing of these effects: confounding and selection hide them.")
            return _Found("bce", lower, upper)
        try:
            problem = LinearProgramBounds(
                self.graph, treatment=self.treatment, context=self.context, outcome=self.outcome
            )
            if confidence is not None and problem.identified:
                notes.append("The effect is identified, but its formula has no exact limits of confidence.")
                notes.append("Logs.effect has approximate ones, for many records.")
                if substitutes := self._problem_of_bce.substitutes:
                    given = "; ".join(listing([*self.treatment, *self.context, *w]) for w in substitutes)
                    notes.append(f"Taken instead: exact limits of the share of successes given {given}.")
                    return _Found("bce", *self._bce_within_natural(confidence, notes))
            else:
                return self._programs(problem, confidence, notes)
        except NotLinear as failure:
            notes.append(f"Linear programs do not apply: {failure}.")
        except ValueError as failure:
            if confidence is None or not str(failure).startswith("confidence:"):
                raise
            notes.append(f"Linear programs have no such limits here. {str(failure).removeprefix('confidence: ')}.")
        return _Found("natural", *self._natural(confidence))

    def _programs(self, problem: LinearProgramBounds, confidence: float | None, notes: list[str]) -> _Found:
        solution = problem.solve(self.counts.counts, self.counts.variables, confidence)
        misfit = solution.misfit
        if problem.identified:
            formula = identify(self.graph, outcome={self.outcome, *self.context}, treatment=self.treatment)
            target = ", ".join([self.outcome, *self.context]).lower()
            notes.append(f"P({target} | do({', '.join(self.treatment).lower()})) = {formula}")
        elif misfit > 0:
            notes.append(
                f"The frequencies contradict the graph: no model of it has them. Those of the nearest one were taken, "
                f"{misfit:.3g} away (sum of absolute differences), and the bounds are of that model. "
                "Chance alone may explain a small distance; with confidence=0.95 more than chance is an error."
            )
        elif not solution.gaps and problem.sharp:
            notes.append("The bounds are sharp: without further assumptions there are no narrower ones.")
        elif not problem.sharp:
            notes.append(
                "The bounds are valid, but might be narrower if hidden causes of two variables each were used."
            )
        notes += map(self._gap_in_words, solution.gaps)
        lower, upper = solution.lower[..., self._success], solution.upper[..., self._success]
        return _Found("formula" if problem.identified else "linear program", lower, upper, misfit)

    def _gap_in_words(self, gap: Gap) -> str:
        shown = [_words(self.labelled(dict(zip(gap.variables, map(int, row), strict=True)))) for row in gap.states[:3]]
        where = "; ".join(shown) + (f"; and {len(gap.states) - 3} more" if len(gap.states) > 3 else "")
        return (
            f"{gap.formula} is not known where no record has {where}. What would happen there may be anything, so that "
            "part of the effect counts in the upper bound only."
        )

    def _bce_within_natural(self, confidence: float | None, notes: list[str]) -> tuple[FloatArray, FloatArray]:
        """Intersect BCE's bounds with natural bounds, if these are valid; each then has half of the error."""
        if not self._natural_is_valid:
            return self._bce(confidence)
        if confidence is not None and not self._problem_of_bce.substitutes:
            notes.append("Natural bounds were taken: BCE has no limits of confidence here.")
            return self._natural(confidence)
        each = None if confidence is None else (1 + confidence) / 2
        (lower, upper), (low, high) = self._bce(each), self._natural(each)
        shared = "" if confidence is None else "; each has half of the error"
        notes.append(f"They were intersected with natural bounds, which selection does not distort{shared}.")
        lower, upper = np.maximum(lower, low), np.minimum(upper, high)
        return np.minimum(lower, upper), np.maximum(lower, upper)

    def _natural(self, confidence: float | None) -> tuple[FloatArray, FloatArray]:
        lower, upper = natural_bounds(
            self.counts.counts,
            self.counts.variables,
            treatment=self.treatment,
            context=self.context,
            outcome=self.outcome,
            confidence=confidence,
        )
        return lower[..., self._success], upper[..., self._success]

    @cached_property
    def _natural_is_valid(self) -> bool:
        """Whether P(x, y | c) of the selected records is that of all records.

        It is if selection depends on nothing else than the context.
        """
        if self.selection is None:
            return True
        return self.graph.is_d_separated({self.outcome, *self.treatment}, self.selection, self.context)

    def _bce(self, confidence: float | None) -> tuple[FloatArray, FloatArray]:
        table, variables = self._with_binary_outcome(), self.counts.variables
        bce = self._problem_of_bce
        return (
            bce.bounds(table, variables) if confidence is None else confident_bounds(bce, table, variables, confidence)
        )

    @cached_property
    def _problem_of_bce(self) -> BCE:
        """BCE; for records that were not selected, with a selection node that nothing leads to."""
        graph, selection = self.graph, self.selection
        if selection is None:
            selection = _new_name("S", graph)
            graph = ADMG(graph.directed, graph.bidirected, [*graph.nodes, selection])
        return BCE(graph, treatment=self.treatment, context=self.context, outcome=self.outcome, selection=selection)

    def _with_binary_outcome(self) -> np.ndarray[Any, Any]:
        """The counts, with two states of the outcome: no success, and success."""
        axis, counts = self.counts.variables.index(self.outcome), self.counts.counts
        success = counts.take(self._success, axis=axis)
        return np.stack([counts.sum(axis=axis) - success, success], axis=axis)

    @cached_property
    def _units(self) -> FloatArray:
        """The number of records per context and arm."""
        table = Table(self.counts.counts.astype(np.float64), self.counts.variables)
        return table.marginal([*self.context, *self.treatment]).reshape(len(self.contexts), len(self.arms))

    def _assumptions(self, method: Method, confidence: float | None) -> Iterable[str]:
        pairs = [f"{a} and {b}" for a, b in sorted(self.graph.bidirected)]
        hidden = (
            f"the only pairs with a hidden common cause are {'; '.join(pairs)}" if pairs else "nothing is confounded"
        )
        if method != "natural":
            yield f"The graph is right: no arrow is missing from it, and {hidden}."
        elif self.context:
            yield f"{', '.join(self.context)}: not affected by {', '.join(self.treatment)}."
        yield f"To set {', '.join(self.treatment)} has the effect that its own values have in the records."
        if self.selection is None:
            yield "Whether a record is in the logs depends on none of the variables."
        elif method == "natural":
            yield f"Within a context, whether a record is in the logs ({self.selection}) depends on no other variable."
        else:
            causes = listing(self.graph.parents(self.selection)) or "none of the variables"
            yield f"Whether a record is in the logs ({self.selection}) depends directly on {causes}."
        yield "The records are independent draws from the population that the arms will be played in."
        if confidence is None:
            yield "There are so many records that frequencies are probabilities (else give confidence=0.95)."

    def effect(
        self,
        confidence: float = 0.95,
        method: IntervalMethod = "delta",
        replicates: int = 2000,
        seed: int = 0,
    ) -> EffectEstimates:
        """Estimate P(success | do(arm), context) for every context and arm, with intervals.

        It must be identified. The formula of IDC (under selection, of RC*) is taken on relative frequencies. The
        intervals rest on many records in each of the formula's cells, and are far narrower than the limits of
        ``bounds(confidence=...)``, which hold for any number of records. The answer's ``difference`` compares two arms.

        Parameters
        ----------
        confidence : float
            In (0, 1): the probability with which each interval holds.
        method : {"delta", "bootstrap"}
            ``delta``: normal limits of log(p / (1 - p)), and of differences. ``bootstrap``: percentiles of the
            estimates from tables of as many records, drawn from the frequencies.
        replicates, seed : int
            Of the bootstrap: the number of tables, at least 100, and the seed of their draws.

        Raises
        ------
        NotIdentifiable
            If no formula gives the effect; `bounds` then says what the records tell.
        ValueError
            If an option is out of range.

        Examples
        --------
        >>> frame = {"drug": [0] * 55 + [1] * 45, "well": [0] * 41 + [1] * 14 + [0] * 15 + [1] * 30}
        >>> logs = Logs.from_frame(frame, "dag { drug -> well }", treatment="drug", outcome="well")
        >>> effect = logs.effect()
        >>> effect.estimate.round(3), effect.lower.round(3), effect.upper.round(3)
        (array([[0.255, 0.667]]), array([[0.157, 0.518]]), array([[0.385, 0.788]]))
        >>> effect.difference({"drug": "1"}, {"drug": "0"}).lower.round(3)
        array([0.233])
        """
        if self.selection is None:
            formula = identify_conditional(
                self.graph, outcome=self.outcome, treatment=self.treatment, given=self.context
            )
        elif (recovered := self._problem_of_bce.formula) is not None:
            formula = recovered
        else:
            raise NotRecoverable(
                f"P({listing([self.outcome])} | do({listing(self.treatment)}){', ' * bool(self.context)}"
                f"{listing(self.context)}) is not recoverable from the records that {self.selection} selects"
            )
        query = Query(formula, self.outcome, self._success, self.contexts, self.arms, self.counts.states)
        found = estimates(query, self.counts.counts, self.counts.variables, confidence, method, replicates, seed)
        return EffectEstimates(
            found.estimate,
            found.lower,
            found.upper,
            tuple(map(self.labelled, self.contexts)),
            tuple(map(self.labelled, self.arms)),
            f"{self.outcome} = {self.counts.states[self.outcome][self._success]}",
            str(formula),
            method,
            confidence,
            (*self._assumptions("formula", confidence), "Each cell that the formula uses has many records."),
            tuple(found.notes),
            found.covariance,
            found.replicates,
        )

    # ------------------------------------------------------------------ into a bandit

    def prior(self, confidence: float | None = None) -> dict[str, FloatArray]:
        """Return what policies with prior knowledge take, each of shape (contexts, arms).

        ``lower`` and ``upper`` are the bounds of `bounds`; ``count`` are the numbers of records, and ``cp`` the
        conditional frequencies P(success | context, arm) (NaN without records), which are biased under confounding. For
        an identified effect ``effect`` is its estimate (NaN where a cell that it needs has no record). So
        ``LinUCB(warm_start="effect")`` starts from unbiased knowledge, ``LinUCB(warm_start="cp")`` from biased, and
        ``LinUCBPCB()`` clips by bounds.

        Parameters
        ----------
        confidence : float, optional
            As for `bounds`.

        Warns
        -----
        UserWarning
            If the frequencies contradict the graph (`EffectBounds.misfit`).
        """
        bounds = self.bounds(confidence=confidence)
        if bounds.misfit > 0:
            warnings.warn(
                f"the frequencies contradict the graph (misfit {bounds.misfit:.3g}): the prior knowledge is of the "
                "nearest model; see the notes of Logs.bounds()",
                stacklevel=2,
            )
        cp = conditional_probability(
            self._with_binary_outcome(),
            self.counts.variables,
            treatment=self.treatment,
            context=self.context,
            outcome=self.outcome,
        )
        found = {
            "lower": bounds.lower,
            "upper": bounds.upper,
            "count": self._units,
            "cp": cp.reshape(bounds.lower.shape),
        }
        if bounds.method == "formula":
            found["effect"] = np.where(bounds.lower == bounds.upper, bounds.lower, np.nan)
        return found

    # ------------------------------------------------------------------ a policy that nobody has played yet

    def value(
        self,
        policy: ArrayLike,
        method: Method | None = None,
        confidence: float | None = None,
        context_probabilities: ArrayLike | None = None,
    ) -> PolicyValue:
        """Bound the mean reward of a policy from the logs of others: off-policy evaluation under confounding.

        The value is the sum of P(context) P(arm | context) P(success | do(arm), context): a number where the effects
        are identified, else an interval. No propensities are needed, and none would help where hidden causes steer both
        arm and outcome.

        Parameters
        ----------
        policy : int array, shape (contexts,); or float array, shape (contexts, arms)
            The arm's number in each context, or the probability of each arm (rows sum to one). The order is that of
            `contexts` and `arms`.
        method, confidence
            As for `bounds`. With ``confidence`` the interval also allows for the contexts' frequencies.
        context_probabilities : float array, shape (contexts,), optional
            P(context) where the policy will be played. Default: as in the logs.

        Raises
        ------
        ValueError
            If the policy or the probabilities have the wrong shape or are none. If records were selected by something
            that depends on the context, so that the logs do not show P(context), and it is not given. Or as `bounds`.
        """
        _check_probability(confidence)
        chances = self._checked_policy(policy)
        effect_confidence, share = confidence, None
        if context_probabilities is not None:
            share = _checked_shares(context_probabilities, (len(self.contexts),), "context_probabilities")
        elif self.selection is not None and not self.graph.is_d_separated(self.context, self.selection):
            raise ValueError(
                f"selection: {self.selection} depends on the context, so the logs do not show how often each context "
                "occurs; give context_probabilities"
            )
        elif confidence is not None and len(self.contexts) > 1:
            effect_confidence = (1 + confidence) / 2  # half of the error is for the contexts' frequencies
        effects = self.bounds(method, effect_confidence)
        ends = [(chances * bounds).sum(axis=1) for bounds in (effects.lower, effects.upper)]
        notes = list(effects.notes)
        if share is not None:
            low, high = share, share
        else:
            units = self._units.sum(axis=1)
            low = high = units / units.sum() if units.sum() else np.full(len(units), 1 / len(units))
            if effect_confidence != confidence:
                low, high = share_limits(units, units.sum() - units, (1 - float(confidence or 0)) / (4 * len(units)))
        if (effects.lower < effects.upper).any():
            notes.append("Effects have bounds, which were averaged; for a policy that mixes arms this may be too wide.")
        where = "as in the logs" if share is None else "as given"
        return PolicyValue(
            -_greatest(-ends[0], low, high),
            _greatest(ends[1], low, high),
            effects,
            confidence,
            (*effects.assumptions, f"Contexts occur {where}, and the policy sees nothing else."),
            tuple(notes),
        )

    def _checked_policy(self, policy: ArrayLike) -> FloatArray:
        given = np.asarray(policy)
        contexts, arms = len(self.contexts), len(self.arms)
        if given.shape == (contexts,) and np.issubdtype(given.dtype, np.integer):
            if ((given < 0) | (given >= arms)).any():
                raise ValueError(f"policy: arms are the integers 0..{arms - 1}, got {given.tolist()}")
            return np.asarray(np.eye(arms)[given])
        return _checked_shares(given, (contexts, arms), "policy")

    # ------------------------------------------------------------------ should I trust the graph?

    def test_graph(self, error: float = 0.05) -> tuple[IndependenceTest, ...]:
        """Test every independence that the graph implies; see `causal_bandits.estimation.independences`.

        What is not contradicted is not proved: two graphs may imply the same, and one with all edges implies nothing.

        Parameters
        ----------
        error : float
            In (0, 1): the probability that anything is rejected though the graph is right.
        """
        return independence_tests(self.graph, self.counts.counts, self.counts.variables, self.selection, error)


def _names(role: str, names: str | Iterable[str]) -> tuple[str, ...]:
    """Return one name or several in their order; raise a TypeError for anything else."""
    return tuple(as_set(names, role)) if isinstance(names, str) or not isinstance(names, Iterable) else tuple(names)


def _check_probability(confidence: float | None) -> None:
    if confidence is not None and not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence}: expected a probability above 0 and below 1")


def _checked_shares(given: ArrayLike, shape: tuple[int, ...], name: str) -> FloatArray:
    shares = np.asarray(given, dtype=np.float64)
    if shares.shape != shape or (shares < 0).any() or not np.allclose(shares.sum(axis=-1), 1, atol=1e-9):
        raise ValueError(f"{name}: expected probabilities of the shape {shape} that sum to one, or numbers of arms")
    return shares


def _greatest(values: FloatArray, low: FloatArray, high: FloatArray) -> float:
    """Return the greatest mean of ``values`` under probabilities between ``low`` and ``high``."""
    shares, left = low.copy(), 1 - low.sum()
    for i in np.argsort(-values):
        more = min(high[i] - low[i], left)
        shares[i] += more
        left -= more
    return float(values @ shares)


def _words(labels: Mapping[str, str]) -> str:
    return ", ".join(f"{v} = {label}" for v, label in labels.items()) or "always"


def _new_name(name: str, graph: ADMG) -> str:
    while name in graph:
        name += "_"
    return name
