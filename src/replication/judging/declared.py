"""Check a paper's claims against judges and configuration, before any job starts."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from causal_bandits import problems
from causal_bandits.play.measures.measure import measures_of
from causal_bandits.policies.registry import load
from experiments.checks import returned
from experiments.errors import ConfigError
from experiments.loading import read_text
from experiments.policy_settings import hyper_parameters, settings_of
from experiments.results import Plan
from experiments.selection import ClaimError
from experiments.settings import LOADER
from experiments.simulate import checkpoints
from experiments.study import Study, policies_of
from replication.judging.binding import Declared, bind


def check_claims(study: Study, paper: str) -> None:
    """Check that every claim of a paper has a judge that takes its arguments, and declared policies.

    Raises
    ------
    ConfigError
        In one line, for the first thing that is wrong.
    """
    declared = {name: _declared(experiment) for name, experiment in study.declared[paper]["experiments"].items()}
    _check_cells(f"data/published/{paper}.csv", study.root)
    try:
        bind(paper, declared, study.declared[paper].get("readings", {}), study.root)
    except ClaimError as error:
        raise ConfigError(str(error)) from None


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


def _check_cells(place: str, root: Path) -> None:
    """Check that a table of claims is text in UTF-8, and that no key of a claim's arguments stands twice."""
    text = read_text(root / place, place, "a table of claims, commas between its cells")
    if text.startswith("\ufeff"):  # a spreadsheet's: it would be part of the first column's name
        raise ConfigError(f"{place}: begins with a byte-order mark; expected UTF-8 without one")
    rows = csv.DictReader(io.StringIO(text))
    for row in rows:
        try:
            yaml.load(row.get("arguments") or "", LOADER)
        except yaml.constructor.ConstructorError as error:
            claim = row.get("claim_id")
            raise ConfigError(
                f"{place}:{rows.line_num}: {claim}: arguments: {row['arguments']!r}: {error.problem}; expected it once"
            ) from None
        except yaml.YAMLError:  # left to whoever binds the claims
            continue


def _metrics(problem: str, algorithm: str, kind: Any) -> frozenset[str]:
    """List the metrics that the runs of an algorithm have in a kind of problem."""
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
