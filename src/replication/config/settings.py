"""Settings of a policy: those of the paper's file, and the defaults of the algorithm's dataclass."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from causal_bandits.policies.registry import load
from replication.config.grids import PolicyEntry
from replication.pipeline.settings import Setting, as_setting


@cache
def hyper_parameters(algorithm: str) -> dict[str, Setting]:
    """Return names and defaults of an algorithm's hyper-parameters; one without a default is not there."""
    defaults = {}
    for field in dataclasses.fields(load(algorithm)):
        if field.default is not dataclasses.MISSING:
            defaults[field.name] = as_setting(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            defaults[field.name] = as_setting(field.default_factory())
    return defaults


def options_of(experiment: Mapping[str, Any], policy: PolicyEntry) -> dict[str, Any]:
    """Return the keyword arguments of the problem that a policy plays."""
    return {**experiment.get("options", {}), **policy["options"]}


def named_settings(experiment: Mapping[str, Any], policy: PolicyEntry) -> Iterator[tuple[str, str, Setting]]:
    """List every setting of a policy: what it is, its name and its value."""
    yield "key", "algorithm", policy["algorithm"]
    if policy["arms"] is not None:
        yield "key", "arms", policy["arms"]
    for name, value in {**hyper_parameters(policy["algorithm"]), **policy["parameters"]}.items():
        yield "hyper-parameter", name, as_setting(value)
    yield "key", "problem", experiment["problem"]
    for name, value in options_of(experiment, policy).items():
        yield "option of the problem", name, as_setting(value)


def settings_of(experiment: Mapping[str, Any], policy: PolicyEntry) -> dict[str, Setting]:
    """Return every setting of a policy by name, as it stands in the columns of the tidy tables."""
    return {name: value for _, name, value in named_settings(experiment, policy)}
