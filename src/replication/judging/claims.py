"""Claims: what a paper prints, and how it is tested.

``data/published/<slug>.csv`` holds what the paper prints (`COLUMNS`), one row for each claim. The dictionary ``CLAIMS``
of ``papers/<slug>/claims.py`` says how each is tested, and what else this study says about it::

    CLAIMS = {
        "huang2022.order.email.ucb.d_ucb": claim(above(final("email", UCB), final("email", D_UCB)), "L45 L80"),
    }

A test is a call of a function marked `check`. The call only stores its arguments, here the larger and the smaller final
values; the claim is judged once there are results. Since the arguments name all that is read, `binding.check_claims`
finds what a configuration lacks before any job starts. A claim's id is only a name: no code parses it.
"""

from __future__ import annotations

import csv
import functools
import importlib
import importlib.util
import inspect
import io
import math
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any, Concatenate, Literal, NamedTuple, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from causal_bandits.arrays import FloatArray
from experiments.aggregate import SUMS
from experiments.config import read_text
from experiments.results import NotRunError, Plan, Results
from experiments.settings import ConfigError, Setting, as_setting, compact
from replication.judging.gaps import Gap, Option, Reading, filled, gaps_of, name_of
from replication.judging.judges.judgement import Judgement, Why

#: The columns of what a paper prints. ``place`` is a table, figure or section; ``statement`` says in a plain sentence
#: what is claimed, in the paper's own sense; ``kind`` is one of `KINDS`; ``error`` is the standard error that the paper
#: prints with ``value``, if any; ``quote`` is what it says where that is not plain.
COLUMNS = ("id", "place", "statement", "kind", "row", "column", "value", "error", "quote")

#: The kinds of claims, by the families in which outcomes are counted.
FAMILIES = {
    "numbers": ("mean", "percentage", "number"),
    "curves": ("curve",),
    "theorems and sets": ("guarantee", "order of growth", "set", "existence"),
    "orderings and sentences": ("ordering",),
}
KINDS = tuple(kind for kinds in FAMILIES.values() for kind in kinds)

#: The default metric.
METRIC = "cumulative_regret"

P = ParamSpec("P")
T = TypeVar("T")


class CutOffError(ValueError):
    """Runs that ended at the cap without the outcome that a claim is about, so its mean is unknown."""


@dataclass(frozen=True)
class Printed:
    """One row of what a paper prints, see `COLUMNS`; ``line`` is its line in the file."""

    id: str
    place: str
    statement: str
    kind: str
    row: str
    column: str
    value: str
    error: str = ""
    quote: str = ""
    line: int = 0

    @property
    def is_number(self) -> bool:
        """Whether the published value is a number, and finite."""
        try:
            return math.isfinite(float(self.value))
        except ValueError:
            return False

    @property
    def number(self) -> float:
        """The published value of a claim that is a number."""
        return float(self.value)


@dataclass(frozen=True)
class Policy:
    """A policy by its algorithm and settings; a call adds settings: ``F_UCB(tau=0.1)``."""

    algorithm: str
    settings: Mapping[str, Setting] = field(default_factory=dict)

    def __call__(self, **settings: object) -> Policy:
        """Return the policy with further settings, or other values of those that it has."""
        return Policy(self.algorithm, {**self.settings, **{name: as_setting(v) for name, v in settings.items()}})

    @property
    def selection(self) -> dict[str, Setting]:
        """All that selects the policy, by the names of columns of the tidy tables."""
        return {"algorithm": self.algorithm, **self.settings}

    def __str__(self) -> str:
        return " ".join([self.algorithm, *(f"{name}={compact(value)}" for name, value in self.settings.items())])


@dataclass(frozen=True)
class Final:
    """The final values of one policy in one experiment, by seed.

    Attributes
    ----------
    experiment : str
    policy : Policy
        It must match exactly one policy of the experiment.
    metric : str
    rounds : int or None
        The only horizon at which the claim is judged; None for any.
    """

    experiment: str
    policy: Policy
    metric: str = METRIC
    rounds: int | None = None

    def __call__(self, **settings: object) -> Final:
        """Return the same of the policy with these settings."""
        return replace(self, policy=self.policy(**settings))

    def of(self, metric: str) -> Final:
        """Return another metric of the same policy."""
        return replace(self, metric=metric)

    def match(self, plan: Plan) -> str:
        """Return the label of the one policy of a plan that is meant.

        Raises
        ------
        LookupError
            In a line, if there is none or there are several.
        """
        found = plan.matching(self.policy.selection)
        if len(found) != 1:
            several = f"matches {len(found)} policies ({'; '.join(found)}); expected one" if found else "matches none"
            raise LookupError(f"{self.policy} {several} of experiment {self.experiment!r}")
        return found[0]

    def label(self, results: Results) -> str:
        """Return the label of the policy in these results.

        Raises
        ------
        NotRunError
            If the configuration leaves the policy or the experiment out, or plays it with another horizon.
        """
        horizon = results.horizon(self.experiment)
        if self.rounds is not None and horizon != self.rounds:
            raise NotRunError(f"{self.rounds} rounds of {self.experiment} (played: {horizon})")
        plan = results.plans[self.experiment]
        try:
            label = self.match(plan)
        except LookupError:
            if not plan.matching(self.policy.selection):
                raise NotRunError(f"{self.policy} in {self.experiment}") from None
            raise
        if label not in plan.settings:
            raise NotRunError(f"{self.policy} in {self.experiment}")
        return label

    def values(self, results: Results, by: str = "seed", *, cut_off: bool = False) -> pd.Series:
        """Return the values by seed, or by draw; see `Results.final`.

        Raises
        ------
        CutOffError
            If a run has no such value; with ``cut_off`` the value is null instead.
        """
        values = results.final(self.experiment, self.metric, by, policy=self.label(results))
        missing = int(values.isna().sum())
        if missing and not cut_off and self.metric not in SUMS:
            cap = self.horizon(results)
            told = f"{missing} of {len(values)} {by}s have no {self.metric}"
            raise CutOffError(f"{told}: runs cut off after {cap} rounds")
        return values

    def curve(self, results: Results) -> pd.DataFrame:
        """Return the policy's rows of the curves, by checkpoint."""
        return results.curve(self.experiment, self.metric, policy=self.label(results))

    def settings(self, results: Results) -> dict[str, Setting]:
        """Return all settings of the policy and of its problem."""
        return results.settings(self.experiment, self.label(results))

    def horizon(self, results: Results) -> int:
        """Return the number of rounds played."""
        return int(str(self.settings(results).get("horizon", results.horizon(self.experiment))))


final = Final


def pair(one: Final, other: Final, results: Results, by: str = "seed") -> tuple[FloatArray, FloatArray]:
    """Return the values of two policies, paired, shape (n,) each.

    Raises
    ------
    ValueError
        If the two were not played with the same seeds.
    CutOffError
        As for `Final.values`.
    """
    values, others = one.values(results, by), other.values(results, by)
    if not values.index.equals(others.index):
        raise ValueError(f"the two policies were not played with the same {by}s")
    return values.to_numpy(), others.to_numpy()


class Along(NamedTuple):
    """Final values along one setting: its name, its values, and the final values at each."""

    name: str
    values: tuple[Any, ...]
    finals: tuple[Final, ...]

    def by_seed(self, results: Results) -> tuple[FloatArray, FloatArray]:
        """Return the setting's values, shape (points,), and the results at each, paired, shape (points, seeds).

        Raises
        ------
        ValueError
            If the policies were not played with the same seeds.
        """
        rows = [at.values(results) for at in self.finals]
        if not all(row.index.equals(rows[0].index) for row in rows):
            raise ValueError(f"the policies along {self.name} were not played with the same seeds")
        return np.array(self.values, dtype=np.float64), np.stack([row.to_numpy() for row in rows])


def along(values: Final, **setting: Sequence[Any]) -> Along:
    """Take final values at each value of a setting: ``along(final("rare", CCPE), rare=[0, 40, 70])``.

    Raises
    ------
    ValueError
        If numbers do not increase, or there are fewer than two.
    """
    ((name, points),) = setting.items()
    if len(points) < 2 or any(isinstance(a, int | float) and not a < b for a, b in pairwise(points)):
        raise ValueError(f"{name}: {list(points)}: expected at least two values, increasing if they are numbers")
    return Along(name, tuple(points), tuple(values(**{name: value}) for value in points))


class Checkpoint(int):
    """A round at which the experiments of a test record values."""


class Experiment(str):
    """The name of an experiment of which a test reads several policies."""

    __slots__ = ()


class Milestone(int):
    """A round whose sums the experiments of a test keep for each seed."""


@dataclass(frozen=True)
class Check:
    """A test of a claim, made by calling a function marked `check`.

    Attributes
    ----------
    function : callable
        ``function(printed, results, *args, **kwargs) -> Judgement``; it may raise `NotRunError` and `CutOffError`.
    args, kwargs
        Its arguments, in which `reads` finds what it reads.
    number : tuple of float or None
        If the published value must be a number: what it must exceed, and the most it may be.
    """

    function: Callable[..., Judgement]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    number: tuple[float, float] | None = None

    def __call__(self, printed: Printed, results: Results) -> Judgement:
        """Judge what the paper prints."""
        return self.function(printed, results, *self.args, **self.kwargs)

    def reads(self, kind: type[T]) -> Iterator[T]:
        """Yield all arguments of a kind, also inside others."""
        yield from _inside([self.args, self.kwargs], kind)


def _inside(value: object, kind: type[T]) -> Iterator[T]:
    if isinstance(value, kind):
        yield value
    elif isinstance(value, Mapping):
        yield from _inside(list(value.values()), kind)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _inside(item, kind)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _inside([getattr(value, each.name) for each in fields(value)], kind)


def check(function: Callable[Concatenate[Printed, Results, P], Judgement]) -> Callable[P, Check]:
    """Mark a function that judges what a paper prints: calling it with its other arguments makes a test."""

    @functools.wraps(function)
    def make(*args: P.args, **kwargs: P.kwargs) -> Check:
        return Check(function, args, kwargs)

    return make


def check_number(
    above: float = -math.inf, most: float = math.inf
) -> Callable[[Callable[Concatenate[Printed, Results, P], Judgement]], Callable[P, Check]]:
    """Do as `check`, for a published value that must be a number ``above`` one and at ``most`` another."""

    def mark(function: Callable[Concatenate[Printed, Results, P], Judgement]) -> Callable[P, Check]:
        @functools.wraps(function)
        def make(*args: P.args, **kwargs: P.kwargs) -> Check:
            return Check(function, args, kwargs, (above, most))

        return make

    return mark


class Under(NamedTuple):
    """A test under one reading: an option of every gap that its claim meets."""

    options: tuple[Option, ...]
    check: Check

    @property
    def name(self) -> str:
        """The reading's name; empty if nothing is left open."""
        return name_of(self.options)


def under(
    readings: Gap[T] | Sequence[Reading[T]], make: Callable[[T], Check], default: Check | None = None
) -> tuple[Under, ...]:
    """Make a test for each option of a gap, or for each reading of several, that of all defaults first.

    ``default`` is the test under all defaults if no reading stands for them.

    Raises
    ------
    ValueError
        If the first test is not that of all defaults, or two stand for the same options or are the same.
    """
    listed = readings.readings() if isinstance(readings, Gap) else readings
    gaps = gaps_of(listed)
    made = [] if default is None else [Under(filled((), gaps), default)]
    for value, options in listed:
        test = Under(filled(options, gaps), make(value))
        if not made and test.options != filled((), gaps):
            raise ValueError(f"the first reading is {test.name!r}; expected that of all defaults")
        if any(test.options == other.options or test.check == other.check for other in made):
            raise ValueError(f"the reading {test.name!r} changes nothing")
        made.append(test)
    return tuple(made)


@dataclass(frozen=True)
class Claim:
    """How a claim is tested, and what else this study says about it.

    Attributes
    ----------
    tests : tuple of Under
        The test under each reading, that of all defaults first; a single one without options if nothing is left open.
    ledger : str
        Ids of the entries that the claim cites besides those of the gaps that it meets.
    untested : tuple of Gap
        Gaps that it meets too, but is tested with their defaults alone.
    headline : bool
        Whether the abstract relies on it.
    shown : str
        What tables of headlines show in place of the published value, if that says too little: the two sides of an
        ordering, or that the level of a guarantee is this study's own.
    evidence : {"", "by construction", "fitted"}
        What no judge can know: that no run could contradict the claim, or that its value filled in what is omitted.
    fault : Why or None
        What is wrong in the paper itself if the claim fails.
    in_view : str
        What was chosen after seeing results: ids of ledger entries, each with what the other choice gives
        (``L07: open; why``); empty if nothing was.
    line : int
        Its line in ``claims.py``.
    """

    tests: tuple[Under, ...]
    ledger: str = ""
    untested: tuple[Gap[Any], ...] = ()
    headline: bool = False
    shown: str = ""
    evidence: Literal["", "by construction", "fitted"] = ""
    fault: Why | None = None
    in_view: str = ""
    line: int = field(default=0, compare=False)

    @property
    def gaps(self) -> tuple[Gap[Any], ...]:
        """What the paper leaves open about it."""
        return (*(option.gap for option in self.tests[0].options), *self.untested)

    def under(self, options: Collection[Option]) -> Under | None:
        """Return its test with these options; None if it has none. Options of other gaps are ignored."""
        wanted = {option for option in options if option.gap in self.gaps}
        defaults = {gap.default for gap in self.untested}
        return next((test for test in self.tests if wanted == {*test.options, *defaults}), None)

    @property
    def cited(self) -> str:
        """Ids of all entries that the claim and its gaps cite."""
        return " ".join(dict.fromkeys(" ".join([self.ledger, *(gap.ledger for gap in self.gaps)]).split()))

    def reads(self, kind: type[T]) -> Iterator[T]:
        """Yield all arguments of a kind, of the tests under all readings."""
        for test in self.tests:
            yield from test.check.reads(kind)


def claim(
    test: Check | tuple[Under, ...],
    ledger: str = "",
    *,
    untested: tuple[Gap[Any], ...] = (),
    headline: bool = False,
    shown: str = "",
    evidence: Literal["", "by construction", "fitted"] = "",
    fault: Why | None = None,
    in_view: str = "",
) -> Claim:
    """Say how a claim is tested and what else there is to say about it; see `Claim`."""
    tests = (Under((), test),) if isinstance(test, Check) else test
    return Claim(tests, ledger, untested, headline, shown, evidence, fault, in_view, sys._getframe(1).f_lineno)


def module_of(paper: str, name: str) -> ModuleType | None:
    """Import a module of a paper, ``claims`` for instance; None if the paper has none.

    A paper of one's own is a package of its name on Python's path (see `experiments.config.Home`).
    """
    for path in (f"replication.papers.{paper}", paper):
        if importlib.util.find_spec(path) and importlib.util.find_spec(f"{path}.{name}"):
            return importlib.import_module(f"{path}.{name}")
    return None


def claims_of(paper: str) -> dict[str, Claim]:
    """Return the tests of a paper's claims by id: none if it has no module ``claims`` yet.

    Raises
    ------
    ConfigError
        If the module cannot make them.
    """
    try:
        module = module_of(paper, "claims")
        return dict(module.CLAIMS) if module else {}
    except (AttributeError, TypeError, ValueError) as error:
        place = f"papers/{paper}/claims.py"
        raise ConfigError(f"{place}: {error}; expected a dictionary CLAIMS from ids to claims") from error


def place_of(claim: Claim, paper: str) -> str:
    """Return the file and line of a claim's test."""
    module = module_of(paper, "claims")
    return f"{inspect.getsourcefile(module) if module else paper}:{claim.line}"


def read(path: str | Path, place: str = "") -> dict[str, Printed]:
    """Read what a paper prints, by id and in order; nothing if there is no such file.

    Parameters
    ----------
    path : path
    place : str
        The file's name in errors.

    Raises
    ------
    ConfigError
        For the first row that is malformed.
    """
    place = place or str(path)
    if not Path(path).exists():
        return {}
    rows = csv.reader(io.StringIO(read_text(Path(path), place, "a comma-separated table of claims"), newline=""))
    header = next(rows, [])
    if header != list(COLUMNS):
        missing = [f"no column {name}" for name in COLUMNS if name not in header]
        wrong = [*missing, *(f"unknown {name!r}" for name in header if name not in COLUMNS)]
        found = ", ".join(wrong) or f"columns {','.join(header)}"
        raise ConfigError(f"{place}:1: {found}; expected {','.join(COLUMNS)}")
    printed: dict[str, Printed] = {}
    for cells in rows:
        at = f"{place}:{rows.line_num}: {cells[0] if cells else ''}"
        if len(cells) != len(COLUMNS):
            raise ConfigError(f"{at}: {len(cells)} cells; expected {len(COLUMNS)}")
        row = Printed(**dict(zip(COLUMNS, cells, strict=True)), line=rows.line_num)
        if not row.id:
            raise ConfigError(f"{at}id: '' is not a name; expected one")
        if row.id in printed:
            raise ConfigError(f"{at}: id: also in line {printed[row.id].line}; expected distinct ids")
        if row.kind not in KINDS:
            raise ConfigError(f"{at}: kind: {row.kind!r} is unknown; expected one of: {', '.join(KINDS)}")
        printed[row.id] = row
    return printed
