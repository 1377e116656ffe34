"""Algorithms, and other things with a name, that packages of others register.

They are registered as entry points of installed packages.

A package registers an algorithm in its ``pyproject.toml``::

    [project.entry-points."causal_bandits.policies"]
    my_policy = "my_package.my_policy:MyPolicy"

`registry.load` and config files then know it by this name. Nothing of the package is imported before that. To list what
is registered takes a tenth of a second, so it happens only where a name is asked for that the registry does not have.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Collection
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

from causal_bandits.errors import CausalBanditsError

#: The group of entry points that name classes of algorithms.
POLICIES = "causal_bandits.policies"

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_PATH = re.compile(r"[\w.]+:\w+")


class EntryError(CausalBanditsError):
    """An entry point that cannot be used.

    The message names package, entry point and what was expected, in one line.
    """


class Entry(NamedTuple):
    """What a package registers.

    Attributes
    ----------
    group, name : str
        Of the entry point.
    path : str
        Import path ``module:name``.
    package, version : str
        The distribution that registers it.
    """

    group: str
    name: str
    path: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"package {self.package} {self.version}: entry point {self.name!r} of the group {self.group!r}"


def registered(group: str, taken: Collection[str] = ()) -> dict[str, Entry]:
    """Return what installed packages register in a group, by name.

    Parameters
    ----------
    group : str
        For instance `POLICIES`.
    taken : collection of str
        Names that no package may register.

    Raises
    ------
    EntryError
        If a name is taken, two packages register it, or a name or an import path is not well formed.
    """
    found: dict[str, Entry] = {}
    for entry in _listed(group, tuple(sys.path)):
        if not _NAME.fullmatch(entry.name):
            raise EntryError(f"{entry}: expected a name such as my_policy: lower case, digits, underscores")
        if not _PATH.fullmatch(entry.path):
            raise EntryError(f"{entry}: {entry.path!r} is no import path; expected module:name")
        if entry.name in taken:
            raise EntryError(f"{entry}: this study has the name {entry.name!r} itself; expected another name")
        if entry.name in found:
            other = found[entry.name]
            raise EntryError(
                f"{entry}: the package {other.package} registers this name too; expected one of them to be renamed"
            )
        found[entry.name] = entry
    return found


@cache
def _listed(group: str, _places: tuple[str, ...]) -> tuple[Entry, ...]:
    """List a group's entry points of all packages that ``sys.path`` reaches, in the order of their names."""
    return tuple(sorted(_entry(point) for point in entry_points(group=group)))


def _entry(point: EntryPoint) -> Entry:
    package, version = (point.dist.name, point.dist.version) if point.dist else ("unknown", "unknown")
    return Entry(point.group, point.name, "".join(point.value.partition("[")[0].split()), package, version)


def load_entry(entry: Entry) -> Any:
    """Import what a package registers.

    Raises
    ------
    EntryError
        If the module cannot be imported, whatever it raises, or has no such name.
    """
    module, _, name = entry.path.partition(":")
    try:
        return getattr(import_module(module), name)
    except Exception as error:  # another's module may raise anything
        said = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise EntryError(
            f"{entry}: {entry.path!r} cannot be imported ({said}); expected a module and a name in it"
        ) from error


def load_policy(entry: Entry) -> type:
    """Import an algorithm that a package registers.

    Raises
    ------
    EntryError
        As `load_entry`; or if it is not a dataclass with a method ``run`` and the class variable ``plays``, the kind of
        bandit that it plays (see `causal_bandits.policies.base.Policy`).
    """
    found = load_entry(entry)
    what = f"{entry}: {entry.path!r} is no algorithm"
    if not (isinstance(found, type) and dataclasses.is_dataclass(found)):
        raise EntryError(f"{what}: it is {_described(found)}; expected a dataclass of hyper-parameters")
    if not callable(getattr(found, "run", None)):
        raise EntryError(f"{what}: it has no method 'run'; expected one, as causal_bandits.policies.base.Policy has it")
    if not isinstance(getattr(found, "plays", None), type):
        raise EntryError(f"{what}: it has no class variable 'plays'; expected there the kind of bandit that it plays")
    if missing := sorted(getattr(found, "__abstractmethods__", ())):
        raise EntryError(f"{what}: it lacks {', '.join(missing)}; expected these methods of its base to be defined")
    return found


def _described(found: object) -> str:
    return f"the class {found.__name__}, no dataclass" if isinstance(found, type) else f"a {type(found).__name__}"
