"""Claims: the numbers and statements that a paper publishes.

They are read from a table, each with what judges it. ``data/published/<slug>.csv`` has one row per claim; `COLUMNS`
says what its columns are. A claim's id is a name: no code takes it apart. `binding.bind` checks all claims before any
job starts, `verdicts.judge` judges them.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import pandas as pd
import yaml

from causal_bandits.arrays import FloatArray
from experiments.aggregate import SUMS
from experiments.errors import ConfigError
from experiments.loading import read_text
from experiments.results import NotRunError, Plan, Results
from experiments.selection import selection
from experiments.settings import LOADER, Setting, as_setting
from replication.judging.judges.judgement import Basis, Judgement

#: The columns, in order. ``statement`` says in a plain sentence what is claimed; ``headline`` is `HEADLINE` for
#: the few claims that the abstract rests on, and empty for the others. ``value`` is what is published; ``shown`` is
#: what tables of headlines say in its place, where it says too little: the two sides of an ordering, or that the level
#: of a guarantee is this study's own. ``kind`` is one of `KINDS`, ``judge`` the name of what judges the claim.
#: ``policy`` and ``against`` select policies (`selection`) of ``experiment``; ``metric`` is the cumulative regret if
#: empty. ``readings`` names a set of readings in the paper's file. ``arguments`` is a YAML mapping of the judge's
#: keyword arguments, and ``rounds``, the horizon without which the claim is not judged. ``evidence`` stands only where
#: it is not what the judge finds (`EVIDENCE`). ``fault`` is one of `FAULTS`: what is wrong in the paper itself if the
#: claim fails. ``in_view`` is empty, or what was chosen with results in view: a ledger's id, a
#: colon, and what the other choice gives (``L119: any other share than half``).
COLUMNS = (
    "claim_id",
    "statement",
    "headline",
    "item",
    "row",
    "column",
    "value",
    "shown",
    "kind",
    "judge",
    "experiment",
    "policy",
    "against",
    "metric",
    "readings",
    "arguments",
    "evidence",
    "fact",
    "ledger",
    "note",
    "fault",
    "in_view",
)

#: What the column ``headline`` says of a headline.
HEADLINE = "yes"

#: What a claim is, for those who read the tables.
KINDS = (
    *("mean", "percentage", "ratio", "exact", "count"),
    *("ordering", "identity", "trend", "growth"),
    *("bound", "rate"),
    *("sets", "membership", "expression"),
)

#: What the column ``evidence`` says where a judge cannot know it: the basis of what could not have come out otherwise,
#: and of what was fitted.
EVIDENCE = {"by construction": Basis.IDENTITY, "fitted": Basis.FITTED}

#: What can be wrong in the paper itself: a statement or an algorithm's idea, the writing of its pseudo-code, a letter
#: or a number. Only the first bears on what the paper finds.
ERROR, SLIP, MISPRINT = FAULTS = ("error", "slip", "misprint")

#: The default metric.
METRIC = "cumulative_regret"


class CutOffError(ValueError):
    """Runs that ended at the cap, without the outcome that a claim is about: nothing is known of its mean."""


class Reading(TypedDict):
    """One reading of what a paper leaves open: what it changes of a claim.

    ``experiment`` replaces the claim's own, ``arguments`` those of the judge that they name; ``settings``
    select ``to`` the policy, what it is compared with, or both (the default), where the algorithm has such a setting.
    Settings that the claim itself names can be replaced only if ``instead_of`` says what they are there.
    """

    name: str
    ledger: NotRequired[str]
    experiment: NotRequired[str]
    arguments: NotRequired[Mapping[str, Any]]
    settings: NotRequired[Mapping[str, object]]
    instead_of: NotRequired[Mapping[str, object]]
    to: NotRequired[str]


@dataclass(frozen=True)
class Claim:
    """One row of a table of claims, see `COLUMNS`.

    Attributes
    ----------
    line : int
        Where it stands in the file.
    policy, against : dict from setting to value
        Empty where the claim names none.
    arguments : dict
        Of the judge, without ``rounds``.
    rounds : int or None
    """

    claim_id: str
    item: str
    row: str
    column: str
    value: str
    judge: str
    statement: str = ""
    headline: str = ""
    shown: str = ""
    line: int = 0
    kind: str = ""
    experiment: str = ""
    policy: Mapping[str, Setting] = field(default_factory=dict)
    against: Mapping[str, Setting] = field(default_factory=dict)
    metric: str = METRIC
    readings: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    rounds: int | None = None
    evidence: str = ""
    fact: str = ""
    ledger: str = ""
    fault: str = ""
    in_view: str = ""

    @property
    def basis(self) -> Basis | None:
        """The basis that the row states; None where the judge finds it."""
        return EVIDENCE.get(self.evidence)

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

    def values(self, results: Results, by: str = "seed", *, cut_off: bool = False) -> pd.Series:
        """The policy's final values; see `Results.final`.

        Raises
        ------
        CutOffError
            If a run has no such value, unless ``cut_off``: then it is null.
        """
        return self._final(results, self.metric, by, self.policy, cut_off)

    def _final(
        self, results: Results, metric: str, by: str, policy: Mapping[str, Setting], cut_off: bool = False
    ) -> pd.Series:
        values = results.final(self.experiment, metric, by, **policy)
        missing = int(values.isna().sum())
        if missing and not cut_off and metric not in SUMS:
            cap = results.horizon(self.experiment)
            raise CutOffError(f"{missing} of {len(values)} {by}s have no {metric}: runs cut off after {cap} rounds")
        return values

    def points(self) -> list[Claim]:
        """Return the claim at every value of the setting that an argument ``over`` names.

        An example is ``{over: {tau: [0.1, 0.2]}}``.
        """
        over: Mapping[str, Sequence[object]] = self.arguments.get("over", {})
        return [
            replace(self, policy={**self.policy, name: as_setting(value)})
            for name, values in over.items()
            for value in values
        ]

    def pair(
        self, results: Results, by: str = "seed", other_metric: str | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """The final values of the policy and of what it is compared with, paired, shape (n,) each.

        Parameters
        ----------
        results : Results
        by : str
            As `Results.final`.
        other_metric : str, optional
            The metric of what the policy is compared with, if it is another.

        Raises
        ------
        ValueError
            If the two were not played with the same seeds.
        CutOffError
            As `values`.
        """
        values = self.values(results, by)
        others = self._final(results, other_metric or self.metric, by, self.against)
        if not values.index.equals(others.index):
            raise ValueError(f"the two policies were not played with the same {by}s")
        return values.to_numpy(), others.to_numpy()


@dataclass(frozen=True)
class Judge:
    """What judges claims, and which columns it reads.

    Attributes
    ----------
    function : callable
        ``function(claim, results, **arguments) -> Judgement``; arguments are keyword-only. The claim is the one of a
        single reading. It may raise `NotRunError`.
    needs : tuple of str
        Of ``number`` (the value is one), ``experiment``, ``policy``, ``against``: those that a claim must have; it has
        no others. A policy comes with its experiment.
    value : type
        Of the published value, if it is a number: ``float``, or one of `judges.arguments`.
    reads : callable
        ``reads(arguments)`` gives the names of the experiments that it reads beside the claim's own; ``*`` in a name
        stands for anything.
    """

    function: Callable[..., Judgement]
    needs: tuple[str, ...] = ()
    value: Any = float
    reads: Callable[[Mapping[str, Any]], Sequence[str]] = lambda arguments: ()


def read(path: str | Path, place: str) -> list[Claim]:
    """All claims of a table, in its order.

    Parameters
    ----------
    path : path
    place : str
        What errors call the file.

    Raises
    ------
    ConfigError
        For the first row that is not well formed.
    """
    return [_claim(row, line, f"{place}:{line}") for line, row in _lines(path, place)]


def read_cells(path: str | Path) -> list[dict[str, str]]:
    """All rows of a table of claims as text, by column; errors as `read`."""
    place = str(path)
    return [dict(zip(COLUMNS, _whole(row, f"{place}:{line}"), strict=True)) for line, row in _lines(path, place)]


def _lines(path: str | Path, place: str) -> list[tuple[int, list[str]]]:
    text = read_text(Path(path), place, "a table of claims, commas between its cells")
    rows = csv.reader(io.StringIO(text, newline=""))
    header = next(rows, [])
    if header != list(COLUMNS):
        missing = [f"no column {name}" for name in COLUMNS if name not in header]
        wrong = [*missing, *(f"unknown {name!r}" for name in header if name not in COLUMNS)]
        found = ", ".join(wrong) or f"columns {','.join(header)}"
        raise ConfigError(f"{place}:1: {found}; expected {','.join(COLUMNS)}")
    return [(rows.line_num, row) for row in rows]


def _whole(cells: list[str], place: str) -> list[str]:
    if len(cells) != len(COLUMNS):
        raise ConfigError(f"{place}: {cells[0] if cells else ''}: {len(cells)} cells; expected {len(COLUMNS)}")
    return cells


def _claim(cells: list[str], line: int, place: str) -> Claim:
    row = dict(zip(COLUMNS, _whole(cells, place), strict=True))
    place = f"{place}: {row['claim_id']}"
    arguments = _arguments(row["arguments"], f"{place}: arguments")
    rounds = arguments.pop("rounds", None)
    if rounds is not None and (not isinstance(rounds, int) or isinstance(rounds, bool) or rounds < 1):
        raise ConfigError(
            f"{place}: arguments: rounds: {rounds!r} is not a number of rounds; expected an integer, at least 1"
        )
    if row["headline"] not in ("", HEADLINE):
        raise ConfigError(f"{place}: headline: {row['headline']!r}; expected {HEADLINE!r} or nothing")
    return Claim(
        claim_id=row["claim_id"],
        statement=row["statement"],
        headline=row["headline"],
        shown=row["shown"],
        item=row["item"],
        row=row["row"],
        column=row["column"],
        value=row["value"],
        judge=row["judge"],
        line=line,
        kind=row["kind"],
        experiment=row["experiment"],
        policy=selection(row["policy"], f"{place}: policy"),
        against=selection(row["against"], f"{place}: against"),
        metric=row["metric"] or METRIC,
        readings=row["readings"],
        arguments=arguments,
        rounds=rounds,
        evidence=row["evidence"],
        fact=row["fact"],
        ledger=row["ledger"],
        fault=row["fault"],
        in_view=row["in_view"],
    )


def _arguments(text: str, place: str) -> dict[str, Any]:
    try:
        found = yaml.load(text, LOADER) if text else {}
    except yaml.constructor.ConstructorError as error:
        raise ConfigError(f"{place}: {text!r}: {error.problem}; expected it once") from None
    except yaml.YAMLError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise ConfigError(f"{place}: {text!r} is no YAML mapping; expected one such as {{trials: 5}}")
    return found


def at_readings(
    claim: Claim, readings: Sequence[Reading], plans: Mapping[str, Plan]
) -> Iterator[tuple[Reading, Claim]]:
    """A claim under every reading that changes it, the default (the first) in any case.

    Parameters
    ----------
    claim : Claim
    readings : sequence of Reading
    plans : dict from experiment to Plan
        What algorithms have which settings.
    """
    seen: list[Claim] = []
    for reading in readings:
        changed = _at(claim, reading, plans)
        if changed not in seen:
            seen.append(changed)
            yield reading, changed


def _at(claim: Claim, reading: Reading, plans: Mapping[str, Plan]) -> Claim:
    experiment, to = reading.get("experiment", claim.experiment), reading.get("to", "both")
    settings = {name: as_setting(value) for name, value in reading.get("settings", {}).items()}

    def changed(side: str, chosen: Mapping[str, Setting]) -> Mapping[str, Setting]:
        if to not in (side, "both") or not chosen:
            return chosen
        # Which settings an experiment has that is left out is not known; it is not run in any case.
        known = setting_names(str(chosen["algorithm"]), plans[experiment]) if experiment in plans else settings
        return {**chosen, **{name: value for name, value in settings.items() if name in known}}

    return replace(
        claim,
        experiment=experiment,
        arguments={**claim.arguments, **reading.get("arguments", {})},
        policy=changed("policy", claim.policy),
        against=changed("against", claim.against),
    )


def setting_names(algorithm: str, plan: Plan) -> set[str]:
    """Names of the settings that an algorithm's policies have in an experiment."""
    declared = {**plan.settings, **plan.left_out}.values()
    return {name for policy in declared if policy["algorithm"] == algorithm for name in policy}


def expect_rounds(claim: Claim, results: Results) -> None:
    """Check that a claim's experiment is played with the horizon that the claim is about.

    Raises
    ------
    NotRunError
        If it is not.
    """
    if claim.rounds is not None and results.horizon(claim.experiment) != claim.rounds:
        played = results.horizon(claim.experiment)
        raise NotRunError(f"{claim.rounds} rounds of {claim.experiment} (played: {played})")
