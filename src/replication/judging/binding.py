"""Check every claim of a paper against what is printed and the configuration, before any job starts.

Whether the ledger has the entries that a claim cites is checked by `replication.tools.ledger`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from causal_bandits import problems
from causal_bandits.play.measures.measure import measures_of
from causal_bandits.policies.registry import load
from experiments.checks import returned
from experiments.config import Home
from experiments.results import Plan
from experiments.settings import ConfigError, settings_of
from experiments.simulate import checkpoints
from experiments.study import Study, policies_of
from replication.judging.claims import Check, Checkpoint, Claim, Experiment, Final, Milestone, Printed, claims_of, read
from replication.judging.judges import FAULTS, Outcome

_ENTRY = re.compile(r"[LE]\d+")


@dataclass(frozen=True)
class Declared:
    """An experiment as the paper's file declares it.

    Attributes
    ----------
    plan : Plan
        With all policies, as if the configuration left none out.
    checkpoints : dict from label to frozenset of int
        Rounds at which values of a policy's runs are recorded.
    draws : bool
        Whether groups of seeds play random problems of their own.
    metrics : dict from label to frozenset of str
        Names of the metrics of a policy's runs.
    milestones : tuple of int
        Rounds whose sums are in the finals.
    """

    plan: Plan
    checkpoints: Mapping[str, frozenset[int]]
    draws: bool
    metrics: Mapping[str, frozenset[str]]
    milestones: tuple[int, ...] = ()


def check_claims(study: Study) -> dict[str, int]:
    """Check the claims of all papers, and return their numbers by paper; a paper may have none yet.

    Raises
    ------
    ConfigError
        For the first error found, in one line: file, claim, value and what was expected.
    """
    found = {}
    for paper in study.papers:
        declared = {name: _declared(each) for name, each in study.declared[paper]["experiments"].items()}
        home = study.homes[paper]
        printed, claims = read(study.published(paper), home.published), claims_of(paper)
        bind(home, printed, claims, declared)
        found[paper] = len(claims)
    return found


def _declared(experiment: Mapping[str, Any]) -> Declared:
    policies = policies_of(experiment)
    kind = returned(problems.load(experiment["problem"]))
    return Declared(
        Plan(experiment["horizon"], settings_of(policies, experiment["problem"])),
        {policy.label: _checkpoints(policy.horizon or experiment["horizon"], experiment) for policy in policies},
        draws="seeds_per_draw" in experiment,
        milestones=tuple(experiment.get("milestones", ())),
        metrics={
            policy.label: _metrics(experiment["problem"], policy.algorithm, kind).union(experiment.get("metrics", ()))
            for policy in policies
        },
    )


def _checkpoints(horizon: int, experiment: Mapping[str, Any]) -> frozenset[int]:
    return frozenset(checkpoints(horizon, experiment.get("checkpoints", 100)).tolist())


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
    home: Home,
    printed: Mapping[str, Printed],
    claims: Mapping[str, Claim],
    declared: Mapping[str, Declared],
) -> None:
    """Check all claims of a paper.

    Parameters
    ----------
    home : Home
        Where the paper's parts are.
    printed, claims : dict by id
        What the paper prints, and how it is tested.
    declared : dict from experiment to Declared
        Every experiment of the paper's file.

    Raises
    ------
    ConfigError
        As for `check_claims`.
    """
    csv, module = home.published, f"{home.slug}/claims.py" if home.own else f"papers/{home.slug}/claims.py"
    for id_, row in printed.items():
        if id_ not in claims:
            raise ConfigError(f"{csv}:{row.line}: {id_}: expected a test of this id in {module}")
    for id_, claim in claims.items():
        key = f"{module}:{claim.line}: {id_}"
        if id_ not in printed:
            raise ConfigError(f"{key}: expected a row with this id in {csv}")
        _check_words(claim, printed[id_], key)
        for test in claim.tests:
            under = f"{key}: reading {test.name!r}" if test.name else key
            _check_number(test.check, printed[id_], under)
            _check_reads(test.check, declared, under)


def _check_words(claim: Claim, row: Printed, key: str) -> None:
    """Check what the study says about a claim besides its test."""
    if claim.fault not in (None, *FAULTS):
        raise ConfigError(f"{key}: fault: {claim.fault!r}; expected one of: {', '.join(FAULTS)}")
    if claim.headline and not row.statement:
        raise ConfigError(f"{key}: statement: '' is empty; a headline needs a plain sentence that states the claim")
    compares = claim.headline and row.kind == "ordering"
    if compares and not claim.shown:
        raise ConfigError(f"{key}: shown: '' is empty; a headline that is an ordering needs its sides: 'UCB > TS'")
    own_level = f"1 - delta (here {row.value})"
    if not compares and claim.shown and not claim.shown.startswith(own_level):
        raise ConfigError(
            f"{key}: shown: {claim.shown!r}: only a headline that is an ordering may have its own text here; "
            f"expected nothing or what begins with {own_level!r}"
        )
    _check_ids(claim.cited, f"{key}: ledger")
    if claim.in_view:
        entry, _, other = claim.in_view.partition(": ")
        if other.partition(";")[0] not in (*Outcome, "same"):
            expected = f"an entry's id and what the other choice gives ({', '.join(Outcome)} or same): 'L07: open; why'"
            raise ConfigError(f"{key}: in_view: {claim.in_view!r}; expected {expected}")
        _check_ids(entry, f"{key}: in_view")


def _check_ids(cited: str, key: str) -> None:
    for entry in cited.split():
        if not _ENTRY.fullmatch(entry):
            raise ConfigError(f"{key}: {entry!r} is not the id of an entry; expected ids such as L07 or E03")


def _check_number(test: Check, row: Printed, key: str) -> None:
    """Check that a test of a number has one, in its range."""
    if test.number is None:
        return
    above, most = test.number
    if not (row.is_number and above < row.number <= most):
        expected = "a number" if math.isinf(above) else f"a number above {above:g} and at most {most:g}"
        raise ConfigError(f"{key}: value: {row.value!r}; expected {expected} for {test.function.__name__}()")


def _check_reads(test: Check, declared: Mapping[str, Declared], key: str) -> None:
    """Check that everything that a test reads is declared."""
    for name in [*test.reads(Experiment), *(final.experiment for final in test.reads(Final))]:
        if name not in declared:
            known = ", ".join(sorted(declared))
            raise ConfigError(f"{key}: experiment: {name!r} is unknown; expected one of: {known}")
    for final in test.reads(Final):
        experiment = declared[final.experiment]
        try:
            label = final.match(experiment.plan)
        except LookupError as error:
            raise ConfigError(f"{key}: {error}") from None
        if not any(fnmatchcase(final.metric, metric) for metric in experiment.metrics[label]):
            known = ", ".join(sorted(experiment.metrics[label]))
            raise ConfigError(f"{key}: metric: {final.metric!r} of {label}; expected one of: {known}")
        if final.rounds not in (None, experiment.plan.horizon):
            raise ConfigError(
                f"{key}: rounds: {final.rounds} of {final.experiment}; expected {experiment.plan.horizon}"
            )
        if test.kwargs.get("by") == "draw" and not experiment.draws:
            raise ConfigError(f"{key}: by: {final.experiment} has no seeds_per_draw; expected 'seed'")
        _check_rounds(test, final.experiment, experiment, label, key)


def _check_rounds(test: Check, name: str, experiment: Declared, label: str, key: str) -> None:
    """Check that checkpoints and milestones are those of an experiment."""
    for at in test.reads(Checkpoint):
        if at not in experiment.checkpoints[label]:
            nearest = min(experiment.checkpoints[label], key=lambda t: (abs(t - at), t))
            raise ConfigError(f"{key}: {at} is not a checkpoint of {name}; expected one, such as {nearest}")
    for since in test.reads(Milestone):
        if since not in experiment.milestones:
            known = ", ".join(map(str, experiment.milestones)) or "none"
            raise ConfigError(f"{key}: {since} is not a milestone of {name}, which has {known}")
