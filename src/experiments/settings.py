"""Settings of a policy's runs as columns of the tidy tables: hyper-parameters and problem options."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

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
