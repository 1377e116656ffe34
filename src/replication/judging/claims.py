"""Claims: the numbers and statements that a paper publishes.

They are read from a table, each with the judge that tests it. ``data/published/<slug>.csv`` has one row per claim;
`COLUMNS` explains its columns. A claim's id is only a name: no code parses it. `binding.bind` checks all claims before
any job starts, and `verdicts.judge` judges them.
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
from experiments.config import read_text
from experiments.results import NotRunError, Plan, Results
from experiments.settings import LOADER, ConfigError, Setting, as_setting, selection
from replication.judging.judges.judgement import Basis, Judgement

#: The columns, in order. ``statement`` says in a plain sentence what is claimed; ``headline`` is `HEADLINE` for the few
#: claims on which the abstract relies, and empty for the others. ``value`` is what is published; ``shown`` is what
#: tables of headlines show in its place if it says too little: the two sides of an ordering, or that the level of a
#: guarantee is this study's own. ``kind`` is one of `KINDS`, and ``judge`` the name of the claim's judge. ``policy``
#: and ``against`` select policies (`selection`) of ``experiment``; an empty ``metric`` means the cumulative regret.
#: ``readings`` names a set of readings in the paper's file. ``arguments`` is a YAML mapping of the judge's keyword
#: arguments and of ``rounds``, the only horizon at which the claim is judged. ``evidence`` is given only if it differs
#: from what the judge determines (`EVIDENCE`). ``fault`` is one of `FAULTS`: what is wrong in the paper itself if the
#: claim fails. ``in_view`` is empty, or names what was chosen after seeing results: the id of a ledger entry, a colon,
#: and what the other choice gives (``L07: open; why``).
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

#: The value of the column ``headline`` for a headline.
HEADLINE = "yes"

#: The kinds of claims, for those who read the tables.
KINDS = (
    *("mean", "percentage", "ratio", "exact", "count"),
    *("ordering", "identity", "trend", "growth"),
    *("bound", "rate"),
    *("sets", "membership", "expression"),
)

#: The values of the column ``evidence``, for what a judge cannot know: the basis of what is true by construction, and
#: of what was fitted.
EVIDENCE = {"by construction": Basis.IDENTITY, "fitted": Basis.FITTED}

#: What can be wrong in the paper itself: a statement or the idea of an algorithm, the writing of pseudo-code, a letter
#: or a number. Only the first affects what the paper finds.
ERROR, SLIP, MISPRINT = FAULTS = ("error", "slip", "misprint")

#: The default metric.
METRIC = "cumulative_regret"


class CutOffError(ValueError):
    """Runs that ended at the cap without the outcome that a claim is about, so its mean is unknown."""


class Reading(TypedDict):
    """One reading of what a paper leaves open: what it changes in a claim.

    ``experiment`` replaces the claim's own, and ``arguments`` replace the claim's arguments of the same names.
    ``settings`` select the policy, what it is compared with, or both (the default), depending on ``to``, if the
    algorithm has such settings. Settings that the claim itself names can be replaced only if ``instead_of`` gives their
    values.
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
        Its line in the file.
    policy, against : dict from setting to value
        Empty if the claim names none.
    arguments : dict
        Arguments of the judge, without ``rounds``.
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
        """The basis that the row states; None if it is left to the judge to determine."""
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
        """Return the policy's final values; see `Results.final`.

        Raises
        ------
        CutOffError
            If a run has no such value; with ``cut_off`` the value is null instead.
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
        """Return one claim for each value of the setting in the argument ``over``.

        For example: ``{over: {tau: [0.1, 0.2]}}``.
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
        """Return the final values of the policy and of what it is compared with, paired, shape (n,) each.

        Parameters
        ----------
        results : Results
        by : str
            As for `Results.final`.
        other_metric : str, optional
            The metric of what the policy is compared with, if it differs.

        Raises
        ------
        ValueError
            If the two were not played with the same seeds.
        CutOffError
            As for `values`.
        """
        values = self.values(results, by)
        others = self._final(results, other_metric or self.metric, by, self.against)
        if not values.index.equals(others.index):
            raise ValueError(f"the two policies were not played with the same {by}s")
        return values.to_numpy(), others.to_numpy()


@dataclass(frozen=True)
class Judge:
    """A judge of claims, and the columns that it reads.

    Attributes
    ----------
    function : callable
        ``function(claim, results, **arguments) -> Judgement``; arguments are keyword-only. The claim is that of a
        single reading. The function may raise `NotRunError`.
    needs : tuple of str
        Which of ``number`` (a numeric value), ``experiment``, ``policy`` and ``against`` a claim must have; it must not
        have the others. A policy comes with its experiment.
    value : type
        Type of the published value, if it is a number: ``float``, or one of `judges.arguments`.
    reads : callable
        ``reads(arguments)`` returns the names of the experiments that it reads besides the claim's own; ``*`` in a name
        matches anything.
    """

    function: Callable[..., Judgement]
    needs: tuple[str, ...] = ()
    value: Any = float
    reads: Callable[[Mapping[str, Any]], Sequence[str]] = lambda arguments: ()


def read(path: str | Path, place: str) -> list[Claim]:
    """Read all claims of a table, in order.

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
    return [_claim(row, line, f"{place}:{line}") for line, row in _lines(path, place)]


def read_cells(path: str | Path) -> list[dict[str, str]]:
    """Read all rows of a table of claims as strings, by column; raises the same errors as `read`."""
    place = str(path)
    return [dict(zip(COLUMNS, _whole(row, f"{place}:{line}"), strict=True)) for line, row in _lines(path, place)]


def _lines(path: str | Path, place: str) -> list[tuple[int, list[str]]]:
    text = read_text(Path(path), place, "a comma-separated table of claims")
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
            f"{place}: arguments: rounds: {rounds!r} is not a number of rounds; expected an integer of at least 1"
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
        raise ConfigError(f"{place}: {text!r} is not a YAML mapping; expected one such as {{trials: 5}}")
    return found


def at_readings(
    claim: Claim, readings: Sequence[Reading], plans: Mapping[str, Plan]
) -> Iterator[tuple[Reading, Claim]]:
    """Yield a claim under every reading that changes it, and in any case under the default (the first).

    Parameters
    ----------
    claim : Claim
    readings : sequence of Reading
    plans : dict from experiment to Plan
        They say which settings each algorithm has.
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
        # The settings of an experiment that is left out are unknown; it is not run in any case.
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
    """Return the names of the settings that an algorithm's policies have in an experiment."""
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
