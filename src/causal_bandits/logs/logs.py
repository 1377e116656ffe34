"""Logged decisions: what they say about actions and policies, and how they warm-start a bandit."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from causal_bandits.arrays import FloatArray
from causal_bandits.datasets.frames import columns_of, from_frame, has_order, text_of
from causal_bandits.datasets.values import in_order, plain
from causal_bandits.estimation.biased import conditional_probability
from causal_bandits.estimation.effect_estimates import EffectEstimates, IntervalMethod, estimates
from causal_bandits.estimation.independences import IndependenceTest, independence_tests
from causal_bandits.graphs.admg import check_name, listing
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.identification.c_factors import NotIdentifiable
from causal_bandits.identification.recover import NotRecoverable
from causal_bandits.logs import bounding, policy_value
from causal_bandits.logs.answers import EffectBounds, Method, PolicyValue
from causal_bandits.logs.records import Records


@dataclass(frozen=True, eq=False)
class Logs(Records):
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
        The variables seen before an arm is chosen; none may be an effect of the treatment.
    selection : str, optional
        A node of the graph without children that represents "this record was kept". It has no column, because all
        records were kept. Leave it out if whether a record was kept depends on none of the variables.
    success : str, optional
        The label of the outcome's state that counts as a reward of 1; default: the last state.

    Raises
    ------
    ValueError
        If a variable is not in the graph or has no counts, plays two roles, or is in the context although the treatment
        affects it; or if the selection node has children or counts; or if no state has the label ``success``.
    """

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
        frame : pandas or polars DataFrame, pyarrow.Table, structured array, or mapping from str to sequence
            Columns that are not in the graph are ignored. See `causal_bandits.datasets.from_frame`.
        graph : ADMG, dagitty string, or networkx.DiGraph
            See `causal_bandits.graphs.exchange.as_admg`.
        treatment, outcome, context, selection
            As for `Logs`; one name or several.
        success : object, optional
            The value of the outcome that counts as a reward of 1. Default: the last state, if the order is meaningful:
            numbers, Booleans, ordered categories, or values in the order of ``states``.
        states : mapping from str to sequence, optional
            The values of some columns in the order of their states.

        Raises
        ------
        ValueError
            As for `Logs`; or if a column is missing, has missing values, or is not categorical; or if the outcome's
            values are strings without an order, and ``success`` is not given.
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
                f"no column for {listing(absent)} (the columns are {', '.join(columns)}); what was not measured must "
                "be latent in the graph (dagitty: `U [latent]`; networkx: the attribute hidden=True)"
            )
        states = dict(states or {})
        given = outcome in states
        if not given and outcome in needed and outcome in columns:
            states |= _outcome_states(outcome, columns[outcome], success)
        counts = from_frame(frame, needed, states)
        if success is None and not given and outcome in counts.states:
            labels = counts.states[outcome]
            if not has_order(columns[outcome]):
                raise ValueError(
                    f"success: the values of {outcome} ({', '.join(labels)}) have no order; say which of them counts "
                    "as a reward of 1"
                )
            numbers = {plain(value) for value in states.get(outcome, columns[outcome])}
            if any(isinstance(value, int | float) for value in numbers) and not numbers <= {0, 1}:
                raise ValueError(
                    f"success: {outcome} has the values {', '.join(labels[:5])}{', ...' * (len(labels) > 5)}; "
                    f"what is estimated is the probability of one value, not their mean: say which, for instance "
                    f"success={labels[-1]}, or make a column of 0 and 1, for instance of {outcome} > {labels[0]}"
                )
        return cls(
            counts,
            diagram,
            treatment=in_order("treatment", treatment),
            outcome=outcome,
            context=in_order("context", context),
            selection=selection,
            success=None if success is None else text_of(success),
        )

    # ------------------------------------------------------------------ what the logs say

    def bounds(self, *, confidence: float | None = None, method: Method | None = None) -> EffectBounds:
        """Bound P(success | do(arm), context) for every context and arm.

        Without selection, an identified effect is computed from its formula. If a cell that the formula needs has no
        records, its part of the effect may be anything: the rest still counts, the notes name such cells, and no bounds
        are wider than natural ones. Effects that are not identified are bounded by linear programs, whose bounds are
        sharp unless a note says otherwise, or, if these do not apply, by natural bounds. Under selection, BCE is used,
        which computes an effect exactly if it can be recovered; its bounds are combined with natural bounds if
        selection does not distort these. The result says which method was used and why.

        Parameters
        ----------
        confidence : float, optional
            In (0, 1): all bounds then hold at once with at least this probability, if the records are independent
            draws. By default, frequencies are treated as probabilities.
        method : {"formula", "linear program", "natural", "bce"}, optional
            Default: the first of those above that applies.

        Raises
        ------
        NotIdentifiable
            If the formula is requested and there is none.
        NotLinear
            If linear programs are requested and do not apply.
        ContradictedGraph
            If, at this confidence, no model of the graph can have produced the records.
        ValueError
            If the method does not apply, or has no confidence limits for this graph (the message says why).
        """
        return bounding.bounds(self, method, confidence)

    def effect(
        self,
        *,
        confidence: float = 0.95,
        method: IntervalMethod = "delta",
        replicates: int = 2000,
        seed: int = 0,
    ) -> EffectEstimates:
        """Estimate P(success | do(arm), context) for every context and arm, with intervals.

        The effect must be identified. Its formula is evaluated at the relative frequencies: adjustment for as few
        variables as the records can fill, else the formula of IDC; under selection, that of RC*. The intervals require
        many records in each of the formula's cells, and are far narrower than the limits of ``bounds(confidence=...)``,
        which hold for any number of records. The answer's ``difference`` compares two arms.

        Parameters
        ----------
        confidence : float
            In (0, 1): the probability with which each interval holds.
        method : {"delta", "bootstrap"}
            ``delta``: normal limits for log(p / (1 - p)), and for differences. ``bootstrap``: percentiles of the
            estimates from tables with as many records as the logs, drawn from the frequencies.
        replicates, seed : int
            For the bootstrap: the number of tables, at least 100, and the seed from which they are drawn.

        Raises
        ------
        NotIdentifiable
            If no formula gives the effect; `bounds` then says what the records imply.
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
            try:
                formula = self.formula
            except NotIdentifiable as failure:
                raise type(failure)(f"{failure}; Logs.bounds() says what the records imply") from None
        elif (recovered := self.bce.formula) is not None:
            formula = recovered
        else:
            raise NotRecoverable(
                f"P({listing([self.outcome])} | do({listing(self.treatment)}){', ' * bool(self.context)}"
                f"{listing(self.context)}) is not recoverable from the records that {self.selection} selects; "
                "Logs.bounds() says what they imply"
            )
        found = estimates(
            self.query(formula), self.counts.counts, self.counts.variables, confidence, method, replicates, seed
        )
        return EffectEstimates(
            found.estimate,
            found.lower,
            found.upper,
            tuple(map(self.labelled, self.contexts)),
            tuple(map(self.labelled, self.arms)),
            f"{self.outcome} = {self.counts.states[self.outcome][self.success_state]}",
            formula.to_text(self.graph.nodes),
            method,
            confidence,
            (*bounding.assumptions(self, "formula", confidence), "Each cell that the formula uses has many records."),
            tuple(found.notes),
            found.covariance,
            found.replicates,
        )

    # ------------------------------------------------------------------ into a bandit

    def prior(self, *, confidence: float | None = None) -> dict[str, FloatArray]:
        """Return the arrays that policies with prior knowledge use, each of shape (contexts, arms).

        ``lower`` and ``upper`` are those of `bounds`; ``count`` holds the numbers of records, and ``cp`` the
        conditional frequencies P(success | context, arm) (NaN without records), which are biased under confounding. If
        the effect is identified, ``effect`` is its estimate (NaN where a cell that it needs has no records). So
        ``LinUCB(warm_start="effect")`` starts from unbiased knowledge, ``LinUCB(warm_start="cp")`` from biased
        knowledge, and ``LinUCBPCB()`` clips to the bounds.

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
                f"the frequencies contradict the graph (misfit {bounds.misfit:.3g}): the prior knowledge comes from "
                "the nearest model; see the notes of Logs.bounds()",
                stacklevel=2,
            )
        cp = conditional_probability(
            self.with_binary_outcome(),
            self.counts.variables,
            treatment=self.treatment,
            context=self.context,
            outcome=self.outcome,
        )
        found = {
            "lower": bounds.lower,
            "upper": bounds.upper,
            "count": self.units,
            "cp": cp.reshape(bounds.lower.shape),
        }
        if bounds.method == "formula":
            found["effect"] = np.where(bounds.lower == bounds.upper, bounds.lower, np.nan)
        return found

    # ------------------------------------------------------------------ a policy that nobody has played yet

    def value(
        self,
        policy: ArrayLike,
        *,
        confidence: float | None = None,
        method: Method | None = None,
        context_probabilities: ArrayLike | None = None,
    ) -> PolicyValue:
        """Bound P(success) under a policy from logs of other policies: off-policy evaluation under confounding.

        For an outcome of 0 and 1 that is the policy's mean reward: the sum of P(context) P(arm | context) P(success |
        do(arm), context), a number if the effects are identified, else an interval. No propensities are needed, and
        they would not help if hidden causes affect both arm and outcome.

        Parameters
        ----------
        policy : int array, shape (contexts,); or float array, shape (contexts, arms)
            The arm's index in each context, or the probability of each arm (rows sum to one). The order is that of
            `contexts` and `arms`.
        confidence, method
            As for `bounds`. With ``confidence`` the interval also allows for the contexts' frequencies.
        context_probabilities : float array, shape (contexts,), optional
            P(context) where the policy will be played. Default: as in the logs.

        Raises
        ------
        ValueError
            If the policy or the probabilities have the wrong shape or are invalid. If selection depends on the context
            (the logs then do not show P(context)) and ``context_probabilities`` is not given. Or as for `bounds`.
        """
        return policy_value.value(self, policy, method, confidence, context_probabilities)

    # ------------------------------------------------------------------ should I trust the graph?

    def test_graph(self, *, error: float = 0.05) -> tuple[IndependenceTest, ...]:
        """Test every independence that the graph implies; see `causal_bandits.estimation.independences`.

        A graph that passes is not proved right: two graphs may imply the same independences; one with all edges implies
        none.

        Parameters
        ----------
        error : float
            In (0, 1): the probability that any independence is rejected although the graph is right.
        """
        return independence_tests(self.graph, self.counts.counts, self.counts.variables, self.selection, error)


def _outcome_states(outcome: str, column: Any, success: object) -> dict[str, Sequence[object]]:
    """Return both states of an outcome of which all records show one, which says nothing about the other."""
    found = dict.fromkeys(map(plain, column))
    if len(found) != 1 or hasattr(getattr(column, "dtype", None), "categories"):
        return {}
    value = next(iter(found))
    if success is not None:
        same = text_of(value) == text_of(success)
        return {outcome: [f"not {value}", value] if same else [value, success]}
    if value in (0, 1):
        return {outcome: [False, True] if isinstance(value, bool) else [0, 1]}
    raise ValueError(
        f"success: all records have {outcome} = {value}; say which value is a reward of 1, or give both in states"
    )
