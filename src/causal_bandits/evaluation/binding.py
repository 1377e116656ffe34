"""Binding: every claim of a paper is checked against judges and configuration before any job starts."""

from __future__ import annotations

import importlib
import inspect
import math
import re
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Union

from causal_bandits.evaluation.claims import (
    Claim,
    Judge,
    Reading,
    at_readings,
    read,
    settings_of,
)
from causal_bandits.evaluation.judges import generic
from causal_bandits.evaluation.judges.judgement import BY_CONSTRUCTION, CALIBRATED_EVIDENCE
from causal_bandits.evaluation.results import NotRunError, Plan
from causal_bandits.evaluation.selection import ClaimError
from causal_bandits.evaluation.settings import Setting, as_setting, compact, same

_ENTRY = re.compile(r"[LE]\d+")
_METRIC = re.compile(r"[a-z][a-z0-9_.]*")


def judges_of(paper: str) -> dict[str, Judge]:
    """All judges that claims of ``paper`` may name: the generic ones and those of its module ``claims``.

    Raises
    ------
    ClaimError
        If one of the paper's is called like a generic one.
    """
    module = importlib.import_module(f"causal_bandits.papers.{paper}.claims")
    for name in module.JUDGES:
        if name in generic.JUDGES:
            raise ClaimError(f"papers/{paper}/claims.py: JUDGES: {name!r} is a generic judge; expected another name")
    return {**generic.JUDGES, **module.JUDGES}


def bind(
    paper: str, declared: Mapping[str, Plan], readings: Mapping[str, Sequence[Reading]], root: Path
) -> list[Claim]:
    """Read and check all claims of a paper.

    Parameters
    ----------
    paper : str
    declared : dict from experiment to Plan
        Every experiment of the paper's file with all its policies, as if the configuration left none out.
    readings : dict from name to sequence of Reading
    root : Path
        The folder that holds ``data/``.

    Raises
    ------
    ClaimError
        In one line, for the first claim that is wrong: file, line, claim, column, value and what was expected.
    """
    place = f"data/published/{paper}.csv"
    claims, judges = read(root / place, place), judges_of(paper)
    lines: dict[str, int] = {}
    for claim in claims:
        key = f"{place}:{claim.line}: {claim.claim_id}"
        if not claim.claim_id:
            raise ClaimError(f"{key}claim_id: '' is no name; expected one")
        if claim.claim_id in lines:
            raise ClaimError(f"{key}: claim_id: also in line {lines[claim.claim_id]}; expected every id once")
        lines[claim.claim_id] = claim.line
        _expect(claim.judge, judges, f"{key}: judge")
        _check_columns(claim, judges[claim.judge], key)
        _check_arguments(claim, judges[claim.judge], f"{key}: arguments")
        if claim.readings:
            _expect(claim.readings, readings, f"{key}: readings")
        _check_readings(claim, judges[claim.judge], readings.get(claim.readings, ()), declared, key)
    return claims


def _expect(value: str, known: Iterable[str], place: str) -> None:
    if value not in known:
        raise ClaimError(f"{place}: {value!r} is unknown; expected one of: {', '.join(sorted(known))}")


def _check_columns(claim: Claim, judge: Judge, key: str) -> None:
    """What the judge needs is there, nothing that it does not read, and each is of the right form."""
    if "number" in judge.needs and not _is_number(claim.value):
        raise ClaimError(f"{key}: value: {claim.value!r} is no number; expected one for judge {claim.judge!r}")
    reads = {*judge.needs, *judge.may}
    needs = {*judge.needs, *(["experiment"] if "policy" in judge.needs else [])}
    for column, there in (("experiment", claim.experiment), ("policy", claim.policy), ("against", claim.against)):
        if column in needs and not there:
            raise ClaimError(f"{key}: {column}: '' is empty; judge {claim.judge!r} needs one")
        if there and column not in reads | ({"experiment"} if "policy" in reads else set()):
            raise ClaimError(f"{key}: {column}: judge {claim.judge!r} does not read it; expected an empty cell")
    if (claim.policy or claim.against) and not claim.experiment:
        raise ClaimError(f"{key}: experiment: '' is empty; a policy is one of an experiment")
    if not _METRIC.fullmatch(claim.metric):
        raise ClaimError(f"{key}: metric: {claim.metric!r} is no name of a metric; expected one as in the runs")
    overrides = ("", BY_CONSTRUCTION, CALIBRATED_EVIDENCE)
    if claim.evidence not in overrides:
        expected = ", ".join(overrides[1:])
        raise ClaimError(f"{key}: evidence: {claim.evidence!r} is unknown; expected an empty cell or: {expected}")
    for entry in claim.ledger.split():
        if not _ENTRY.fullmatch(entry):
            raise ClaimError(f"{key}: ledger: {entry!r} is no entry's id; expected ids such as L07 or E03")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _check_arguments(claim: Claim, judge: Judge, key: str) -> None:
    """The judge takes these arguments, and each is of its kind."""
    try:
        inspect.signature(judge.function).bind(None, None, **claim.arguments)
    except TypeError as error:
        raise ClaimError(f"{key}: {compact(dict(claim.arguments))}: judge {claim.judge!r}: {error}") from None
    hints = typing.get_type_hints(judge.function)
    for name, value in claim.arguments.items():
        if not _fits(value, hints[name]):
            expected = _kind(hints[name])
            raise ClaimError(f"{key}: {name}: {value!r} does not fit judge {claim.judge!r}; expected {expected}")
    over = claim.arguments.get("over")
    if over is not None and (len(over) != 1 or len(next(iter(over.values()))) < 2):
        raise ClaimError(f"{key}: over: {', '.join(over)}; expected one setting and two of its values at least")
    if claim.rounds is not None and not claim.experiment:
        raise ClaimError(f"{key}: rounds: {claim.rounds} rounds of no experiment; expected an experiment")


def _fits(value: object, hint: Any) -> bool:
    """Whether a YAML value is of a judge's annotated kind."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, kind) for kind in inner)
    if origin is Literal:
        return value in inner
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in value.items())
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return isinstance(value, list) and all(_fits(item, inner[0]) for item in value)
    return isinstance(value, hint)


def _kind(hint: Any) -> str:
    if typing.get_origin(hint) is Literal:
        return " or ".join(map(repr, typing.get_args(hint)))
    return hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)


def _check_readings(
    claim: Claim, judge: Judge, readings: Sequence[Reading], declared: Mapping[str, Plan], key: str
) -> None:
    """Under every reading the experiment and the policies are declared; the readings change something of the claim.

    And the judge takes the arguments.
    """
    if claim.experiment:
        _expect(claim.experiment, declared, f"{key}: experiment")
    for reading in readings:
        _check_named(claim, reading, f"{key}: readings: {claim.readings!r}")
    changed = {f" (reading {reading['name']!r})": at for reading, at in at_readings(claim, readings, declared)}
    if len(readings) > 1 and len(changed) == 1:
        raise ClaimError(f"{key}: readings: {claim.readings!r} change nothing of this claim; expected an empty cell")
    for under, at in (changed or {"": claim}).items():
        _check_arguments(at, judge, f"{key}: arguments{under}")
        if at.rounds is not None and at.experiment in declared and at.rounds != declared[at.experiment].horizon:
            horizon = declared[at.experiment].horizon
            raise ClaimError(f"{key}: arguments{under}: rounds: {at.rounds} of {at.experiment}; expected {horizon}")
        for point in at.points() or [at]:
            for side, named in (("policy", point.policy), ("against", point.against)):
                if named:
                    _check_selection(named, at.experiment, declared, f"{key}: {side}{under}")


def _check_named(claim: Claim, reading: Reading, place: str) -> None:
    """A setting that the claim names is replaced only by a reading that says instead of what."""
    to, instead_of = reading.get("to", "both"), reading.get("instead_of", {})
    for name in reading.get("settings", {}):
        for side, named in (("policy", claim.policy), ("against", claim.against)):
            if name not in named or to not in (side, "both"):
                continue
            if name not in instead_of or not same(named[name], as_setting(instead_of[name])):
                raise ClaimError(f"{place} sets {name!r}, which the claim names; expected one of them")


def _check_selection(named: Mapping[str, Setting], experiment: str, declared: Mapping[str, Plan], place: str) -> None:
    """Exactly one declared policy of the experiment is selected."""
    _expect(experiment, declared, f"{place}: experiment")
    plan = declared[experiment]
    policies = plan.settings.values()
    of = f"of experiment {experiment!r}"
    algorithm = str(named["algorithm"])
    algorithms = {str(policy["algorithm"]) for policy in policies}
    if algorithm not in algorithms:
        raise ClaimError(f"{place}: no {algorithm!r} {of}; expected one of: {', '.join(sorted(algorithms))}")
    known = settings_of(algorithm, plan)
    for name, value in named.items():
        if name not in known:
            raise ClaimError(
                f"{place}: {algorithm!r} {of} has no {name!r}; expected one of: {', '.join(sorted(known))}"
            )
        there = {compact(p[name]): p[name] for p in policies if p["algorithm"] == algorithm and name in p}
        if not any(same(other, value) for other in there.values()):
            raise ClaimError(
                f"{place}: no {algorithm!r} {of} has {name}={compact(value)}; expected one of: {', '.join(there)}"
            )
    try:
        plan.only(named, f"experiment {experiment!r}")
    except NotRunError:
        asked = " ".join(f"{name}={compact(value)}" for name, value in named.items() if name != "algorithm")
        raise ClaimError(
            f"{place}: no {algorithm!r} {of} has {asked}; expected one of: {', '.join(plan.settings)}"
        ) from None
    except ValueError as error:
        raise ClaimError(f"{place}: {error}; expected one") from None
