"""Arms as sparse assignments: only the variables that an arm sets take memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import IntArray, States
from causal_bandits.compiled import inlined

Assignment = Mapping[str, int]


class Assignments(NamedTuple):
    """Sparse assignments for compiled loops.

    Assignment ``i`` has the entries ``start[i]`` to ``start[i + 1]``.

    Attributes
    ----------
    start : int64 array, shape (assignments + 1,)
    variable : int32 array, shape (entries,)
        The index of the variable that the entry sets.
    state : int8 array, shape (entries,)
        The state that it is set to.
    """

    start: IntArray
    variable: NDArray[np.int32]
    state: States


class Arms:
    """A sequence of arms, each a mapping from the variables that it sets to their states.

    Parameters
    ----------
    variables : sequence of str
        The model's variables; their positions are the indices in `compiled`.
    assignments : iterable of mapping from str to int

    Raises
    ------
    ValueError
        If an assignment names an unknown variable.

    Examples
    --------
    >>> arms = Arms(["X", "Z", "Y"], [{}, {"Z": 1}, {"Z": 0, "X": 1}])
    >>> len(arms), arms[2]
    (3, {'Z': 0, 'X': 1})
    >>> arms.compiled.variable
    array([1, 1, 0], dtype=int32)
    """

    def __init__(self, variables: Sequence[str], assignments: Iterable[Assignment]) -> None:
        self.variables = tuple(variables)
        number = {v: i for i, v in enumerate(self.variables)}
        start, variable, state = [0], [], []
        for assignment in assignments:
            for name, value in assignment.items():
                if name not in number:
                    raise ValueError(f"arm {dict(assignment)}: no variable {name!r} in the model")
                variable.append(number[name])
                state.append(value)
            start.append(len(variable))
        self.compiled = Assignments(np.array(start), np.array(variable, dtype=np.int32), np.array(state, dtype=np.int8))

    @classmethod
    def single(cls, variables: Sequence[str], chosen: IntArray, states: Sequence[int]) -> Arms:
        """Create the arms that set one of the ``chosen`` variables, followed by the empty arm.

        All states of the first variable come first, then those of the next. There may be tens of thousands of arms, so
        they are not created one by one.

        Parameters
        ----------
        variables : sequence of str
        chosen : int64 array
            The indices of the variables that arms set.
        states : sequence of int
            The states that each of them is set to.
        """
        arms = cls(variables, ())
        count = len(chosen) * len(states)
        arms.compiled = Assignments(
            np.append(np.arange(count + 1), count),
            np.repeat(chosen, len(states)).astype(np.int32),
            np.tile(np.array(states, dtype=np.int8), len(chosen)),
        )
        return arms

    def __repr__(self) -> str:
        shown = [f"do({', '.join(f'{v}={s}' for v, s in self[i].items())})" for i in range(min(len(self), 10))]
        more = [f"and {len(self) - 10} more"] * (len(self) > 10)
        return f"Arms({', '.join([*shown, *more])})"

    def __len__(self) -> int:
        return len(self.compiled.start) - 1

    def __getitem__(self, number: SupportsIndex) -> dict[str, int]:
        number = range(len(self))[number]
        own = slice(self.compiled.start[number], self.compiled.start[number + 1])
        pairs = zip(self.compiled.variable[own].tolist(), self.compiled.state[own].tolist(), strict=True)
        return {self.variables[variable]: state for variable, state in pairs}

    def __iter__(self) -> Iterator[dict[str, int]]:
        return (self[number] for number in range(len(self)))


@inlined
def force(assignments: Assignments, number: int, row: States) -> None:
    """Write an assignment's states into ``row``, one entry per variable of the model."""
    for entry in range(assignments.start[number], assignments.start[number + 1]):
        row[assignments.variable[entry]] = assignments.state[entry]


@inlined
def release(assignments: Assignments, number: int, row: States) -> None:
    """Write -1 (free) where `force` wrote a state."""
    for entry in range(assignments.start[number], assignments.start[number + 1]):
        row[assignments.variable[entry]] = -1
