"""Settings of policies: columns of the tidy tables, by which texts select policies; errors in a configuration."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from experiments.study import PolicyJob


class ConfigError(ValueError):
    """An invalid configuration; the message names the file, the key, the value and what was expected."""


def expect_known(value: str, known: Iterable[str], key: str) -> None:
    """Check that ``value`` of ``key`` is one of ``known``.

    Raises
    ------
    ConfigError
        If it is not.
    """
    if value not in known:
        raise ConfigError(f"{key}: {value!r} is unknown; expected one of: {', '.join(sorted(known))}")


#: One setting's value. Lists and mappings are compact YAML.
Setting = bool | int | float | str | None

#: PyYAML's loader and dumper in C, if it was built with them: ten times and four times as fast.
_FAST: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class StrictLoader(_FAST):  # type: ignore[misc, valid-type]
    """Load YAML and refuse duplicate keys, of which the last would otherwise win silently."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Build a mapping's dictionary; raises ConstructorError if a key occurs twice."""
        own = [key.value for key, _ in node.value if key.tag != "tag:yaml.org,2002:merge"]
        for key in own:
            if own.count(key) > 1:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} occurs twice", node.start_mark)
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


#: The loader of all YAML in the study.
LOADER = StrictLoader

#: Names that settings cannot have: columns of the tidy tables, and arguments that select from them.
RESERVED = frozenset(
    {
        "experiment",
        "policy",
        "seed",
        "t",
        "by",
        "metric",
        "n",
        "mean",
        "std",
        "ci_low",
        "ci_high",
        "cumulative_regret",
        "cumulative_reward",
    }
)


def as_setting(value: object) -> Setting:
    """Return a value as a column stores it: numbers, strings, Booleans and None unchanged, anything else as YAML."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return compact(list(value) if isinstance(value, tuple) else value)


def compact(value: object) -> str:
    """Write a value as YAML on one line, for instance ``0.1``, ``true``, ``null``, ``[a, b]``."""
    return _scalar(value) if isinstance(value, bool | int | float | str | None) else _yaml(value)


def _yaml(value: object) -> str:
    text: str = yaml.dump(value, Dumper=DUMPER, default_flow_style=True, width=2**31 - 1)
    return text.removesuffix("\n").removesuffix("\n...")


#: A small number of values are written thousands of times; 1, 1.0 and True are kept apart.
_scalar = functools.lru_cache(maxsize=None, typed=True)(_yaml)


def same(a: Setting, b: Setting) -> bool:
    """Return whether two settings are equal; 1 equals 1.0, but not True."""
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def differing(settings: Iterable[Mapping[str, Setting]]) -> list[str]:
    """List the settings that differ between policies, in order; a missing setting counts as None."""
    first, *others = settings
    names = dict.fromkeys(name for each in (first, *others) for name in each)
    return [name for name in names if not all(same(first.get(name), other.get(name)) for other in others)]


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
    if policy.horizon is not None:
        yield "key", "horizon", policy.horizon
    for name, value in policy.options.items():
        yield "option of the problem", name, as_setting(value)


def settings_of(policies: Iterable[PolicyJob], problem: str) -> dict[str, dict[str, Setting]]:
    """Return all settings of some policies, by label and by column name in the tidy tables."""
    return {policy.label: {name: value for _, name, value in named_settings(policy, problem)} for policy in policies}
