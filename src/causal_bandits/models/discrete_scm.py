"""Discrete SCMs with hidden variables: exact queries, sampling, conversion to and from pgmpy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from causal_bandits.arrays import FloatArray, States
from causal_bandits.graphs.admg import ADMG, check_name
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.models.contraction import contract
from causal_bandits.models.sampling import CompiledSCM, sample_many

if TYPE_CHECKING:
    from pgmpy.models import DiscreteBayesianNetwork


#: How much the sum of a row in a file may differ from one: numbers in files are rounded.
TOLERANCE = 1e-5
#: The number of samples whose uniform numbers are drawn at a time.
SAMPLED_TOGETHER = 1 << 16


class CPT(NamedTuple):
    """Conditional probability table of one variable.

    Attributes
    ----------
    parents : sequence of str
        Observed and hidden parents, in the order of the table's axes.
    table : array, shape (states of parent 1, ..., states of parent k, states of the variable)
        Each row along the last axis sums to one.
    """

    parents: Sequence[str]
    table: ArrayLike


class DiscreteSCM:
    """A structural causal model over finite variables: a graph and conditional probability tables.

    States are 0, 1, ..., k-1. A variable's function is the inverse of its conditional distribution function applied to
    the variable's own uniform noise. So one vector of uniforms (one per variable, including hidden ones) is a world in
    which every intervention has a definite outcome.

    Parameters
    ----------
    graph : ADMG, dagitty string, or networkx.DiGraph
        The causal diagram over the observed variables.
    cpts : mapping from str to CPT or (parents, table)
        One table per observed variable and per hidden variable. Hidden variables have no parents.
    hidden : iterable of str, optional
        The hidden variables. Default: the keys of ``cpts`` that are not in the graph.
    states : mapping from str to sequence of str, optional
        The meanings of the states 0, 1, ... of some variables; for the others ``"0"``, ``"1"``, ... Queries take and
        return indices of states.

    Attributes
    ----------
    states : dict from str to tuple of str

    Raises
    ------
    ValueError
        If a table is missing, has the wrong shape, contains a negative number or a row that does not sum to one; if the
        observed parents differ from the graph's; or if a hidden variable joins two variables without a bidirected edge.

    Examples
    --------
    >>> scm = DiscreteSCM(
    ...     ADMG(directed=[("X", "Y")], bidirected=[("X", "Y")]),
    ...     {
    ...         "U": ((), [0.5, 0.5]),
    ...         "X": (("U",), [[0.9, 0.1], [0.1, 0.9]]),
    ...         "Y": (("X", "U"), [[[1, 0], [0, 1]], [[0.5, 0.5], [0.5, 0.5]]]),
    ...     },
    ... )
    >>> float(scm.expectation("Y", do={"X": 1}))
    0.5
    >>> round(float(scm.expectation("Y", do={"X": 0})), 12)
    0.5
    >>> round(float(scm.expectation("Y", given={"X": 0})), 12)
    0.1
    """

    def __init__(
        self,
        graph: GraphLike,
        cpts: Mapping[str, CPT | tuple[Sequence[str], ArrayLike]],
        hidden: Iterable[str] | None = None,
        states: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.graph = graph = as_admg(graph)
        extra = sorted(set(cpts).difference(graph.nodes))
        self.hidden: tuple[str, ...] = tuple(sorted(extra if hidden is None else hidden))
        if list(self.hidden) != extra:
            raise ValueError(f"hidden variables {list(self.hidden)}, but tables outside the graph for {extra}")
        missing = sorted(set(graph.nodes).difference(cpts))
        if missing:
            raise ValueError(f"no table for {', '.join(missing)}")
        #: All variables, hidden ones first, then observed ones in topological order: the order of a world's uniforms.
        self.variables: tuple[str, ...] = (*self.hidden, *graph.topological_order)
        for v in self.variables:
            if not isinstance(cpts[v], tuple | list) or len(cpts[v]) != 2 or not isinstance(cpts[v][0], Iterable):
                raise ValueError(f"table of {v!r}: {cpts[v]!r}; expected a pair (parents, table)")
        parents = {v: cpts[v][0] for v in self.variables}
        self._parents: dict[str, tuple[str, ...]] = {
            v: (names,) if isinstance(names, str) and names in cpts else tuple(names) for v, names in parents.items()
        }
        self._tables: dict[str, FloatArray] = {v: _frozen(v, cpts[v][1]) for v in self.variables}
        for variable in self.variables:
            self._check(variable)
        self._check_rows()
        named = {v: tuple(labels) for v, labels in (states or {}).items()}
        for v, labels in named.items():
            if len(set(labels)) != self.cardinality(v) or len(labels) != self.cardinality(v):
                raise ValueError(f"states of {v!r}: {list(labels)}; expected {self.cardinality(v)} distinct labels")
        #: The meanings of each variable's states.
        self.states = {v: named.get(v) or tuple(map(str, range(self.cardinality(v)))) for v in self.variables}
        for node in self.hidden:
            for a, b in combinations([v for v in graph.nodes if node in self._parents[v]], 2):
                if b not in graph.spouses(a):
                    raise ValueError(f"hidden variable {node!r} joins {a!r} and {b!r}, which have no bidirected edge")

    def _check(self, variable: str) -> None:
        parents, table = self._parents[variable], self._tables[variable]
        observed = {p for p in parents if p not in self.hidden} if self.hidden else set(parents)
        expected = frozenset() if variable in self.hidden else self.graph.parents(variable)
        if observed != expected or len(set(parents)) < len(parents):
            raise ValueError(f"table of {variable!r}: parents {list(parents)}, the graph has {sorted(expected)}")
        if variable in self.hidden and parents:
            raise ValueError(f"hidden variable {variable!r} has parents {list(parents)}; hidden variables are roots")
        shape = tuple(self._tables[p].shape[-1] if self._tables[p].ndim else 0 for p in parents)
        if table.ndim == 0 or table.shape[:-1] != shape:
            raise ValueError(
                f"table of {variable!r}: shape {table.shape}, expected {(*shape, 'k')} for parents {list(parents)}"
            )
        if not 1 <= table.shape[-1] <= 127:
            raise ValueError(f"table of {variable!r}: {table.shape[-1]} states; 1 to 127 are supported")

    def _check_rows(self) -> None:
        """Check that rows are probabilities, in all tables with equally many states at once: there may be thousands."""
        rows: dict[int, list[tuple[str, FloatArray]]] = {}
        for variable, table in self._tables.items():
            states = table.shape[-1]
            rows.setdefault(states, []).append((variable, table.reshape(-1, states)))
        for tables in rows.values():
            joined = np.concatenate([table for _, table in tables])
            wrong = (joined < 0).any(axis=1) | ~(np.abs(joined.sum(axis=1) - 1) <= 1e-9)
            if wrong.any():
                ends = np.cumsum([len(table) for _, table in tables])
                variable = tables[int(np.searchsorted(ends, wrong.argmax(), side="right"))][0]
                raise ValueError(f"table of {variable!r}: rows must be probabilities that sum to one")

    def __repr__(self) -> str:
        names = [f"{v} ({self.cardinality(v)} states{', hidden' * (v in self.hidden)})" for v in self.variables]
        return f"DiscreteSCM({', '.join(names)})"

    # ------------------------------------------------------------------ what the model is

    def cardinality(self, variable: str) -> int:
        """Return the number of states of ``variable``."""
        return int(self._tables[self._known(variable)].shape[-1])

    def cpt(self, variable: str) -> CPT:
        """Return the table of ``variable``."""
        return CPT(self._parents[self._known(variable)], self._tables[variable])

    def _known(self, variable: str) -> str:
        check_name("variable", variable)
        if variable not in self._tables:
            raise ValueError(f"no variable {variable!r} in the model (it has {', '.join(self.variables)})")
        return variable

    def _checked(self, what: str, assignment: Mapping[str, int] | None) -> dict[str, int]:
        """Return the assignment with its states as integers; True and False are 1 and 0."""
        if assignment is not None and not isinstance(assignment, Mapping):
            raise TypeError(f"{what}: {assignment!r}; expected a mapping from variables to states")
        checked = {}
        for variable, state in (assignment or {}).items():
            last = self.cardinality(variable) - 1
            given: object = state  # whatever the types say
            if not isinstance(given, int | np.integer | np.bool_) or not 0 <= given <= last:
                labels = ", ".join(self.states[variable])
                raise ValueError(
                    f"{what} {variable}={state!r}: states are the integers 0..{last} (their names: {labels})"
                )
            checked[variable] = int(given)
        return checked

    # ------------------------------------------------------------------ exact queries

    def distribution(
        self, variables: Sequence[str], do: Mapping[str, int] | None = None, given: Mapping[str, int] | None = None
    ) -> FloatArray:
        """Compute the joint distribution P(variables | do, given) exactly.

        Parameters
        ----------
        variables : sequence of str
            Observed or hidden; one axis each, in this order.
        do, given : mapping from str to int
            Intervened and observed values. The condition ``given`` refers to the distribution after the intervention.

        Returns
        -------
        array, shape (states of variable 1, ..., states of variable k)

        Raises
        ------
        ValueError
            If a name or state is unknown, or the condition has probability zero.
        """
        do, given = self._checked("do", do), self._checked("given", given)
        for variable in variables:
            self._known(variable)
        fixed = do | given
        if any(do[v] != given[v] for v in do.keys() & given.keys()):
            raise ValueError(f"the condition {given} has probability zero under do({do})")
        axis = {v: i for i, v in enumerate(self.variables)}
        factors: list[tuple[FloatArray, list[int]]] = [(np.ones(()), [])]  # the probability of nothing is one
        for variable in self._relevant([*variables, *given], do):
            if variable not in do:
                factors.append((self._tables[variable], [axis[v] for v in (*self._parents[variable], variable)]))
            if variable in fixed:
                factors.append((np.eye(self.cardinality(variable))[fixed[variable]], [axis[variable]]))
        joint = contract(factors, [axis[v] for v in variables])
        total = joint.sum()
        if total <= 0:
            raise ValueError(f"the condition {given} has probability zero under do({do})")
        return np.asarray(joint / total if given else joint, dtype=np.float64)

    def _relevant(self, targets: Iterable[str], do: Mapping[str, int]) -> list[str]:
        """Return the ancestors of ``targets`` after the intervention; the tables of others sum to one."""
        needed, stack = set(), list(targets)
        while stack:
            variable = stack.pop()
            if variable not in needed:
                needed.add(variable)
                stack += [] if variable in do else self._parents[variable]
        return [v for v in self.variables if v in needed]

    def expectation(
        self, variable: str, do: Mapping[str, int] | None = None, given: Mapping[str, int] | None = None
    ) -> float:
        """Compute E[variable | do, given], the mean of the state's index, exactly; see `distribution`."""
        return float(self.distribution([variable], do, given) @ np.arange(self.cardinality(variable)))

    # ------------------------------------------------------------------ sampling

    @cached_property
    def compiled(self) -> CompiledSCM:
        """The model as flat arrays, for compiled loops; variables are numbered as in `variables`."""
        return CompiledSCM.from_tables(self.variables, self._parents, self._tables)

    def assignment_row(self, do: Mapping[str, int]) -> States:
        """Return ``do`` as a row for compiled loops: a state per variable, -1 where it is free."""
        do = self._checked("do", do)
        return np.array([do.get(v, -1) for v in self.variables], dtype=np.int8)

    def sample(
        self, n: int, rng: np.random.Generator, do: Mapping[str, int] | None = None, include_hidden: bool = False
    ) -> NDArray[np.void]:
        """Draw ``n`` independent samples under an intervention.

        Parameters
        ----------
        n : int
            Number of samples, >= 0.
        rng : numpy.random.Generator
            ``n`` uniform numbers per variable are drawn from it, whatever the intervention: the same generator state
            gives the same worlds under every ``do``.
        do : mapping from str to int
        include_hidden : bool
            Whether the hidden variables are returned too.

        Returns
        -------
        structured array, shape (n,), one int8 field per variable (``pandas.DataFrame(...)`` accepts it as it is)
        """
        number: object = n  # whatever the types say
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 0:
            raise ValueError(f"n={n!r}: expected a whole number of samples, not negative")
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng: {rng!r}; expected a numpy.random.Generator")
        row = self.assignment_row(do or {})
        names = [v for v in self.variables if include_hidden or v not in self.hidden]
        samples = np.empty(n, dtype=[(name, np.int8) for name in names])
        for first in range(0, n, SAMPLED_TOGETHER):  # uniforms take eight times the memory of the samples
            last = min(first + SAMPLED_TOGETHER, n)
            values = sample_many(self.compiled, rng.random((last - first, len(self.variables))), row)
            for name in names:
                samples[name][first:last] = values[:, self.variables.index(name)]
        return samples

    # ------------------------------------------------------------------ pgmpy

    def to_pgmpy(self) -> DiscreteBayesianNetwork:
        """Return the model as a pgmpy network; hidden variables are its latents."""
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

        network = DiscreteBayesianNetwork()
        network.add_nodes_from(self.variables)
        network.latents = set(self.hidden)
        network.add_edges_from([(p, v) for v in self.variables for p in self._parents[v]])
        for variable in self.variables:
            parents = self._parents[variable]
            table = np.moveaxis(self._tables[variable], -1, 0).reshape(self.cardinality(variable), -1)
            cards = [self.cardinality(p) for p in parents]
            names = {v: list(self._pgmpy_states(v)) for v in (variable, *parents)}
            network.add_cpds(TabularCPD(variable, len(table), table, list(parents) or None, cards or None, names))
        network.check_model()
        return network

    def _pgmpy_states(self, variable: str) -> Sequence[str] | range:
        """Return the names of a variable's states in pgmpy: numbers if it has no other labels."""
        numbers = range(self.cardinality(variable))
        labels = self.states[variable]
        return numbers if labels == tuple(map(str, numbers)) else labels

    @classmethod
    def from_pgmpy(
        cls,
        network: DiscreteBayesianNetwork,
        ones: Mapping[str, str] | None = None,
        *,
        keep_order: bool = False,
        tolerance: float = TOLERANCE,
    ) -> DiscreteSCM:
        """Create the model from a pgmpy network; its latents, which must be roots, become hidden variables.

        The names of states are kept in `states`. Their order is the network's, except if one of two states means yes:
        ``yes``, ``true``, ``1``, ``present``, ``positive``, ``on`` and ``high`` (in any case) then count as 1 if the
        other state is ``no``, ``false``, ``0``, ``absent``, ``negative``, ``off`` and ``low``, respectively. So the
        ``expectation`` of such a variable is the probability of yes, whichever state the network names first.

        Parameters
        ----------
        network : pgmpy.models.DiscreteBayesianNetwork
        ones : mapping from str to str, optional
            The state of some binary variables that counts as 1.
        keep_order : bool
            Whether the states of all other variables keep the network's order, even if the first means yes.
        tolerance : float
            Rows whose sum differs from one by at most this are divided by their sum: numbers in files are
            rounded.

        Raises
        ------
        ValueError
            As for the class; or if ``ones`` names an unknown variable or state, or a variable that is not binary.
        """
        hidden, cpts = set(network.latents), {}
        cpds = {cpd.variable: cpd for cpd in network.get_cpds()}
        names = {v: [str(name) for name in cpd.state_names[v]] for v, cpd in cpds.items()}
        states = {v: [names[v][i] for i in places] for v, places in numbered(names, ones, keep_order).items()}
        for v, cpd in cpds.items():
            parents = tuple(cpd.variables[1:])
            table = np.asarray(cpd.values, dtype=np.float64)
            for axis, variable in enumerate(cpd.variables):
                own = [str(name) for name in cpd.state_names[variable]]  # a table may order parents' states differently
                table = table.take([own.index(label) for label in states[variable]], axis=axis)
            table = np.moveaxis(table, 0, -1)
            cpts[v] = CPT(parents, divided(table, tolerance))
        observed = [v for v in cpts if v not in hidden]
        directed = [(p, v) for v in observed for p in cpts[v].parents if p not in hidden]
        bidirected = [(a, b) for h in hidden for a, b in combinations([v for v in observed if h in cpts[v].parents], 2)]
        return cls(ADMG(directed, bidirected, observed), cpts, hidden, states)


#: Pairs of names of states; the second name of each pair counts as 1.
_NO_AND_YES = tuple(
    frozenset(pair)
    for pair in (
        ("no", "yes"),
        ("false", "true"),
        ("0", "1"),
        ("absent", "present"),
        ("negative", "positive"),
        ("off", "on"),
        ("low", "high"),
    )
)
_YES = frozenset({"yes", "true", "1", "present", "positive", "on", "high"})


def numbered(
    states: Mapping[str, Sequence[str]], ones: Mapping[str, str] | None, keep_order: bool
) -> dict[str, list[int]]:
    """Return, for each variable, the positions in ``states`` of its states 0, 1, ...

    See `DiscreteSCM.from_pgmpy` for the parameters and errors.
    """
    chosen = dict(ones or {})
    if unknown := sorted(set(chosen).difference(states)):
        raise ValueError(f"ones: no variable {', '.join(unknown)} in the network (it has {', '.join(states)})")
    return {v: _order(v, names, chosen.get(v), keep_order) for v, names in states.items()}


def _order(variable: str, names: Sequence[str], one: str | None, keep_order: bool) -> list[int]:
    if one is not None:
        if len(names) != 2 or one not in names:
            raise ValueError(f"ones: {variable}={one!r}; expected one of two states (its states: {', '.join(names)})")
        return [1 - names.index(one), names.index(one)]
    lowered = [name.lower() for name in names]
    if not keep_order and len(names) == 2 and frozenset(lowered) in _NO_AND_YES and lowered[0] in _YES:
        return [1, 0]
    return list(range(len(names)))


def divided(table: FloatArray, tolerance: float) -> FloatArray:
    """Divide the rows of a table by their sums if these differ from one by at most ``tolerance``."""
    total = table.sum(axis=-1, keepdims=True)
    close = np.abs(total - 1) <= tolerance * (1 + 1e-9)  # three times .333333 is off by 1e-6 plus rounding
    return np.where(close, table / np.where(close, total, 1.0), table)


def _frozen(variable: str, table: ArrayLike) -> FloatArray:
    try:
        array = np.array(table, dtype=np.float64)
    except (TypeError, ValueError):  # rows of different lengths, or entries that are not numbers
        raise ValueError(f"table of {variable!r}: {table!r}; expected numbers, in rows of equal length") from None
    array.flags.writeable = False
    return array
