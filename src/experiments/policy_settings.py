"""Settings of a policy: those in the configuration, and the defaults of the algorithm's dataclass."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from functools import cache
from pkgutil import resolve_name

from experiments.jobs import PolicyJob
from experiments.settings import Setting, as_setting


@cache
def hyper_parameters(path: str) -> dict[str, Setting]:
    """Return names and defaults of the hyper-parameters of an algorithm, given its import path.

    Hyper-parameters without a default are omitted.
    """
    defaults = {}
    for field in dataclasses.fields(resolve_name(path)):
        if field.default is not dataclasses.MISSING:
            defaults[field.name] = as_setting(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            defaults[field.name] = as_setting(field.default_factory())
    return defaults


def named_settings(policy: PolicyJob, problem: str) -> Iterator[tuple[str, str, Setting]]:
    """Yield the kind, name and value of every setting of a policy that plays ``problem``."""
    yield "key", "algorithm", policy.algorithm
    if policy.arms is not None:
        yield "key", "arms", policy.arms
    for name, value in {**hyper_parameters(policy.path), **policy.parameters}.items():
        yield "hyper-parameter", name, as_setting(value)
    yield "key", "problem", problem.replace(":", "/").rpartition("/")[2]  # its paper is in the experiment's name
    for name, value in policy.options.items():
        yield "option of the problem", name, as_setting(value)


def settings_of(policies: Iterable[PolicyJob], problem: str) -> dict[str, dict[str, Setting]]:
    """Return all settings of some policies, by label and by column name in the tidy tables."""
    return {policy.label: {name: value for _, name, value in named_settings(policy, problem)} for policy in policies}
