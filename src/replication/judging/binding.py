"""Check every claim of a paper against its judge and the configuration, before any job starts."""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from causal_bandits import problems
from causal_bandits.play.measures.measure import measures_of
from causal_bandits.policies.registry import load
from experiments.checks import returned
from experiments.results import NotRunError, Plan
from experiments.settings import ConfigError, Setting, as_setting, compact, hyper_parameters, same, settings_of
from experiments.simulate import checkpoints
from experiments.study import Study, policies_of
from replication.judging.claims import EVIDENCE, FAULTS, KINDS, Claim, Judge, Reading, at_readings, read
from replication.judging.generic import judges_of
from replication.judging.judges import Outcome
from replication.judging.judges.arguments import Named, fits, in_words

_ENTRY = re.compile(r"[LE]\d+")
_METRIC = re.compile(r"[a-z][a-z0-9_.]*")

#: The pages of the ledger, relative to the root of the checkout.
_LEDGER = "docs/ledger"


@dataclass(frozen=True)
class Declared:
    """An experiment as the paper's file declares it.

    Attributes
    ----------
    plan : Plan
        With all policies, as if the configuration left none out.
    checkpoints : frozenset of int
        Rounds at which values are recorded.
    draws : bool
        Whether groups of seeds play random problems of their own.
    metrics : dict from label to frozenset of str
        Names of the metrics of a policy's runs.
    milestones : tuple of int
        Rounds whose sums are in the finals.
    """

    plan: Plan
    checkpoints: frozenset[int]
    draws: bool
    metrics: Mapping[str, frozenset[str]]
    milestones: tuple[int, ...] = ()


def check_claims(study: Study) -> None:
    """Check that every claim of all papers has declared policies and a judge that accepts its arguments.

    Raises
    ------
    ConfigError
        For the first error found, in one line.
    """
    for paper in study.papers:
        of_paper = study.declared[paper]
        declared = {name: _declared(experiment) for name, experiment in of_paper["experiments"].items()}
        bind(paper, declared, of_paper.get("readings", {}), study.root)


def _declared(experiment: Mapping[str, Any]) -> Declared:
    policies = policies_of(experiment)
    kind = returned(problems.load(experiment["problem"]))
    return Declared(
        Plan(
            experiment["horizon"],
            settings_of(policies, experiment["problem"]),
            {},
            {policy.algorithm: hyper_parameters(policy.path) for policy in policies},
        ),
        frozenset(checkpoints(experiment["horizon"], experiment.get("checkpoints", 100)).tolist()),
        draws="seeds_per_draw" in experiment,
        milestones=tuple(experiment.get("milestones", ())),
        metrics={policy.label: _metrics(experiment["problem"], policy.algorithm, kind) for policy in policies},
    )


def _metrics(problem: str, algorithm: str, kind: Any) -> frozenset[str]:
    """List the metrics that the runs of an algorithm have on a kind of problem."""
    policy = load(algorithm)
    measured = [
        m for m in measures_of(problems.module_of(problem)) if not isinstance(kind, type) or issubclass(kind, m.of)
    ]
    return frozenset(
        {
            "cumulative_regret",
            "cumulative_reward",
            *getattr(policy, "extras", ()),
            *getattr(policy, "outcomes", ()),
            *(name for measure in measured for name in measure.names),
        }
    )


def bind(
    paper: str, declared: Mapping[str, Declared], readings: Mapping[str, Sequence[Reading]], root: Path
) -> list[Claim]:
    """Read and check all claims of a paper.

    Parameters
    ----------
    paper : str
    declared : dict from experiment to Declared
        Every experiment of the paper's file.
    readings : dict from name to sequence of Reading
    root : Path
        The folder that holds ``data/`` and ``docs/``.

    Raises
    ------
    ConfigError
        For the first invalid claim, in one line: file, line, claim, column, value and what was expected.
    """
    place = f"data/published/{paper}.csv"
    claims, judges = read(root / place, place), judges_of(paper)
    pages = (path.read_text(encoding="utf-8") for path in (root / _LEDGER).glob("*.md"))
    entries = {entry for page in pages for entry in re.findall(r"^## ([LE]\d+)$", page, re.MULTILINE)}
    seen: dict[str, Claim] = {}
    for claim in claims:
        key = f"{place}:{claim.line}: {claim.claim_id}"
        if not claim.claim_id:
            raise ConfigError(f"{key}claim_id: '' is not a name; expected one")
        if claim.claim_id in seen:
            raise ConfigError(f"{key}: claim_id: also in line {seen[claim.claim_id].line}; expected distinct ids")
        seen[claim.claim_id] = claim
    for claim in claims:
        key = f"{place}:{claim.line}: {claim.claim_id}"
        _expect(claim.kind, KINDS, f"{key}: kind")
        _expect(claim.judge, judges, f"{key}: judge")
        judge = judges[claim.judge]
        _check_columns(claim, judge, key)
        _check_shown(claim, key)
        _check_ledger(claim.ledger, entries, f"{key}: ledger")
        if claim.in_view:
            _check_in_view(claim.in_view, entries, f"{key}: in_view")
        _check_arguments(claim, judge, f"{key}: arguments")
        _check_cited(claim, judge, seen, f"{key}: arguments")
        if claim.readings:
            _expect(claim.readings, readings, f"{key}: readings")
        chosen = readings.get(claim.readings, ())
        for reading in chosen:
            _check_ledger(reading.get("ledger", ""), entries, f"{key}: readings: {reading['name']!r}: ledger")
        _check_readings(claim, judge, chosen, declared, key)
    return claims


def _expect(value: str, known: Iterable[str], place: str) -> None:
    if value not in known:
        raise ConfigError(f"{place}: {value!r} is unknown; expected one of: {', '.join(sorted(known))}")


def _check_columns(claim: Claim, judge: Judge, key: str) -> None:
    """Check that a claim has the columns that the judge reads, and no others, each in the right form."""
    if "number" in judge.needs:
        if not claim.is_number:
            raise ConfigError(f"{key}: value: {claim.value!r} is not a number; expected one for judge {claim.judge!r}")
        if not fits(claim.number, judge.value):
            expected = in_words(judge.value)
            raise ConfigError(f"{key}: value: {claim.value} does not fit judge {claim.judge!r}; expected {expected}")
    needs = {*judge.needs, *(["experiment"] if "policy" in judge.needs else [])}
    for column, there in (("experiment", claim.experiment), ("policy", claim.policy), ("against", claim.against)):
        if column in needs and not there:
            raise ConfigError(f"{key}: {column}: '' is empty; judge {claim.judge!r} needs one")
        if there and column not in needs:
            raise ConfigError(f"{key}: {column}: judge {claim.judge!r} does not read it; expected an empty cell")
    if (claim.policy or claim.against) and not claim.experiment:
        raise ConfigError(f"{key}: experiment: '' is empty; a policy belongs to an experiment")
    if not _METRIC.fullmatch(claim.metric):
        raise ConfigError(
            f"{key}: metric: {claim.metric!r} is not the name of a metric; expected a column of the runs, such as "
            "cumulative_regret"
        )
    if claim.evidence and claim.evidence not in EVIDENCE:
        expected = ", ".join(EVIDENCE)
        raise ConfigError(f"{key}: evidence: {claim.evidence!r} is unknown; expected an empty cell or: {expected}")
    if claim.fault and claim.fault not in FAULTS:
        raise ConfigError(f"{key}: fault: {claim.fault!r} is unknown; expected an empty cell or: {', '.join(FAULTS)}")


def _check_shown(claim: Claim, key: str) -> None:
    """Check that a headline has a statement, and that `shown` is the sides of an ordering or the study's own level."""
    if claim.headline and not claim.statement:
        raise ConfigError(f"{key}: statement: '' is empty; a headline needs a plain sentence that states the claim")
    compares = claim.headline and claim.kind == "ordering"
    if compares and not claim.shown:
        raise ConfigError(f"{key}: shown: '' is empty; a headline that is an ordering needs its sides: 'UCB > TS'")
    own_level = f"1 - delta (here {claim.value})"
    if not compares and claim.shown not in ("", own_level):
        raise ConfigError(
            f"{key}: shown: {claim.shown!r}: only a headline that is an ordering may have its own text here; "
            f"expected an empty cell or {own_level!r}"
        )


def _check_in_view(text: str, entries: Collection[str], key: str) -> None:
    """Check that the cell ``in_view`` cites a ledger entry and says what the other choice gives."""
    entry, _, other = text.partition(": ")
    if other.partition(";")[0] not in (*Outcome, "same"):
        expected = f"an entry's id and what the other choice gives ({', '.join(Outcome)} or same): 'L07: open; why'"
        raise ConfigError(f"{key}: {text!r}; expected {expected}")
    _check_ledger(entry, entries, key)


def _check_ledger(cited: str, entries: Collection[str], key: str) -> None:
    """Check that every cited entry exists."""
    for entry in cited.split():
        if not _ENTRY.fullmatch(entry):
            raise ConfigError(f"{key}: {entry!r} is not the id of an entry; expected ids such as L07 or E03")
        if entry not in entries:
            raise ConfigError(f"{key}: {entry} is not in {_LEDGER}; expected ids of entries")


#: Cached because it is slow, and many claims name the same judge.
_signature = functools.cache(inspect.signature)


@functools.cache
def _hints(function: Callable[..., object]) -> dict[str, Any]:
    """Return the types of a judge's arguments, cached because evaluating them is slow."""
    return typing.get_type_hints(function, include_extras=True)


def _check_arguments(claim: Claim, judge: Judge, key: str) -> None:
    """Check that the judge accepts these arguments, and that each has the right type."""
    try:
        _signature(judge.function).bind(None, None, **claim.arguments)
    except TypeError as error:
        raise ConfigError(f"{key}: {compact(dict(claim.arguments))}: judge {claim.judge!r}: {error}") from None
    hints = _hints(judge.function)
    for name, value in claim.arguments.items():
        if not fits(value, hints[name]):
            expected = in_words(hints[name])
            raise ConfigError(f"{key}: {name}: {value!r} does not fit judge {claim.judge!r}; expected {expected}")
    if claim.rounds is not None and not claim.experiment:
        raise ConfigError(f"{key}: rounds: {claim.rounds} rounds, but no experiment; expected one")


def _check_cited(claim: Claim, judge: Judge, claims: Mapping[str, Claim], key: str) -> None:
    """Check that other claims that an argument names exist and are numbers."""
    for name in _naming("claims", claim, judge):
        for cited in claim.arguments[name]:
            _expect(cited, claims, f"{key}: {name}")
            if not claims[cited].is_number:
                raise ConfigError(f"{key}: {name}: {cited}: {claims[cited].value!r} is not a number; expected one")


def _naming(things: str, claim: Claim, judge: Judge) -> list[str]:
    """List the arguments of a claim whose types say that they name ``things``."""
    hints = _hints(judge.function)

    def names(name: str) -> bool:
        kinds = (hints[name], *typing.get_args(hints[name]))  # the type itself, or one of a union
        return any(Named(things) in getattr(kind, "__metadata__", ()) for kind in kinds)

    return [name for name, value in claim.arguments.items() if value is not None and names(name)]


def _check_readings(
    claim: Claim, judge: Judge, readings: Sequence[Reading], declared: Mapping[str, Declared], key: str
) -> None:
    """Check that everything that the claim names is declared under every reading.

    The readings must change something in the claim.
    """
    if claim.experiment:
        _expect(claim.experiment, declared, f"{key}: experiment")
    for reading in readings:
        _check_named(claim, reading, f"{key}: readings: {claim.readings!r}")
    plans = {name: experiment.plan for name, experiment in declared.items()}
    changed = {f" (reading {reading['name']!r})": at for reading, at in at_readings(claim, readings, plans)}
    if len(readings) > 1 and len(changed) == 1:
        raise ConfigError(f"{key}: readings: {claim.readings!r} change nothing in this claim; expected an empty cell")
    for under, at in (changed or {"": claim}).items():
        _check_arguments(at, judge, f"{key}: arguments{under}")
        if at.experiment:
            _expect(at.experiment, declared, f"{key}: experiment{under}")
            _check_experiment(at, judge, declared[at.experiment], f"{key}: arguments{under}")
        for point in at.points() or [at]:
            for side, named in (("policy", point.policy), ("against", point.against)):
                if named:
                    place = f"{key}: {side}{under}"
                    label = _check_selection(named, at.experiment, declared[at.experiment].plan, place)
                    known = declared[at.experiment].metrics[label]
                    _expect(at.metric, known, f"{key}: metric{under}: of {label}")


def _check_experiment(claim: Claim, judge: Judge, experiment: Declared, key: str) -> None:
    """Check that rounds, checkpoints and draws are those of the experiment."""
    horizon = experiment.plan.horizon
    if claim.rounds is not None and claim.rounds != horizon:
        raise ConfigError(f"{key}: rounds: {claim.rounds} of {claim.experiment}; expected {horizon}")
    for name in _naming("checkpoints", claim, judge):
        at = claim.arguments[name]
        if at not in experiment.checkpoints:
            nearest = min(experiment.checkpoints, key=lambda t: (abs(t - at), t))
            raise ConfigError(
                f"{key}: {name}: {at} is not a checkpoint of {claim.experiment}; expected one, such as {nearest}"
            )
    for name in _naming("milestones", claim, judge):
        if claim.arguments[name] not in experiment.milestones:
            known = ", ".join(map(str, experiment.milestones)) or "none"
            raise ConfigError(
                f"{key}: {name}: {claim.arguments[name]} is not a milestone of {claim.experiment}, which has {known}"
            )
    if claim.arguments.get("by") == "draw" and not experiment.draws:
        raise ConfigError(f"{key}: by: {claim.experiment} has no seeds_per_draw; expected 'seed'")


def _check_named(claim: Claim, reading: Reading, place: str) -> None:
    """Check that a reading replaces a setting that the claim names only if it says which value it replaces."""
    to, instead_of = reading.get("to", "both"), reading.get("instead_of", {})
    for name in reading.get("settings", {}):
        for side, named in (("policy", claim.policy), ("against", claim.against)):
            if name not in named or to not in (side, "both"):
                continue
            if name not in instead_of or not same(named[name], as_setting(instead_of[name])):
                raise ConfigError(f"{place} sets {name!r}, which the claim names too; expected it in only one of them")


def _check_selection(named: Mapping[str, Setting], experiment: str, plan: Plan, place: str) -> str:
    """Return the label of the one declared policy of the experiment that is selected."""
    try:
        return plan.only(named, f"experiment {experiment!r}")
    except NotRunError as error:
        raise ConfigError(f"{place}: no policy has {error.what}") from None
    except ValueError as error:
        raise ConfigError(f"{place}: {error}; expected one") from None
