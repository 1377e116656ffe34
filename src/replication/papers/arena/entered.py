"""Families of problems of others' packages, which play in the arena beside ours.

A package registers the function that draws a problem as an entry point of the group ``causal_bandits.arena_problems``;
a job names it by its import path. It takes options as keyword arguments and, for a random family, ``draw``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from causal_bandits.play.measures.measure import Measure
from causal_bandits.play.measures.ruled_out import RuledOut
from replication.papers.arena.told import LostForGood
from experiments.files import resolve


class ByImportPath(Mapping[str, Callable[..., Any]]):
    """A dictionary of functions that has each under its import path ``module:name``, and lists none."""

    def __getitem__(self, path: str) -> Callable[..., Any]:
        """Import a function."""
        function: Callable[..., Any] = resolve(path)
        return function

    def __iter__(self) -> Iterator[str]:
        """List nothing: what packages register is known to `experiments.others`."""
        return iter(())

    def __len__(self) -> int:
        """Return 0, the number of what is listed."""
        return 0


PROBLEMS: Mapping[str, Callable[..., Any]] = ByImportPath()

#: The same as of our families.
MEASURES: tuple[type[Measure], ...] = (RuledOut, LostForGood)
