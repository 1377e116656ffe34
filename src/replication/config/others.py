"""What packages of others add to the study.

They add algorithms, families of the arena's problems, and experiments with them. Algorithms and families are entry
points (`causal_bandits.policies.entries`); experiments stand under the key ``entries`` of an overlay. A job that plays
such code has its source in the digest of its code, so that an edit there plays the job again.
"""

from __future__ import annotations

import importlib.util
import inspect
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from causal_bandits import provenance
from causal_bandits.policies.entries import POLICIES, Entry, EntryError, load_entry, load_policy, registered
from causal_bandits.policies.registry import ALGORITHMS
from replication.config.errors import ConfigError, expect_known
from replication.config.keys import dictionary_keys

#: The study's slug that takes families and experiments of others, and the group of entry points that name families.
ARENA = "arena"
FAMILIES = "causal_bandits.arena_problems"
#: Where jobs find others' families.
BUILDERS = "replication.papers.arena.entered:PROBLEMS"
#: The table of others' entries, and what stands below it.
TABLE = "entries"
CAPTION = "The arena: entries of others beside ours on the same problems and random streams, the least regret first."


@cache
def _ours() -> frozenset[str]:
    return frozenset(dictionary_keys("replication.papers.arena.problems", "PROBLEMS"))


def policies() -> dict[str, Entry]:
    """Return the algorithms that packages register, by name.

    It raises ConfigError if one cannot be used.
    """
    return _registered(POLICIES, ALGORITHMS)


def families() -> dict[str, Entry]:
    """Return the families of problems that packages register, by name.

    It raises ConfigError if one cannot be used.
    """
    return _registered(FAMILIES, _ours())


def _registered(group: str, taken: Iterable[str]) -> dict[str, Entry]:
    try:
        return registered(group, frozenset(taken))
    except EntryError as error:
        raise ConfigError(str(error)) from None


def is_family(paper: str, problem: str) -> bool:
    """Say whether a paper's problem is a family that a package registers."""
    return paper == ARENA and problem not in _ours() and problem in families()


def builder_of(problem: str) -> Any:
    """Import the function that draws a registered family.

    Raises
    ------
    ConfigError
        If it cannot be imported, or is no function with names for its arguments.
    """
    entry = families()[problem]
    try:
        builder = load_entry(entry)
    except EntryError as error:
        raise ConfigError(str(error)) from error
    what = f"{entry}: {entry.path!r} draws no problem"
    try:
        arguments = inspect.signature(builder).parameters
    except (TypeError, ValueError):
        raise ConfigError(f"{what}: it is a {type(builder).__name__}; expected a function") from None
    kinds = {argument.kind for argument in arguments.values()}
    if inspect.isclass(builder) or inspect.Parameter.POSITIONAL_ONLY in kinds:
        raise ConfigError(f"{what}: expected a function that takes its options, and draw, as keyword arguments")
    return builder


def check_policy(name: str) -> None:
    """Check that what a package registers as an algorithm can be imported, and is one.

    Raises
    ------
    ConfigError
        If not: package, entry point and what was expected.
    """
    try:
        load_policy(policies()[name])
    except EntryError as error:
        raise ConfigError(str(error)) from error


# ---------------------------------------------------------------------- experiments


def with_entries(settings: Mapping[str, Any], entries: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Add an overlay's experiments to those of the arena's file, and a table that has them all.

    Parameters
    ----------
    settings : mapping
        What config/papers/arena.yaml holds, as it is written.
    entries : mapping
        Experiments by name. One with ``like`` takes what it does not say from that experiment of the arena, and plays
        its own policies first and then those of that experiment.
    place : str
        For messages.

    Raises
    ------
    ConfigError
        If a name is taken, or ``like`` names no experiment of the arena.
    """
    ours: Mapping[str, Any] = settings["experiments"]
    added = {}
    for name, written in entries.items():
        key = f"{place}: entries.{name}"
        if name in ours:
            raise ConfigError(f"{key}: the arena has an experiment of this name; expected another name")
        own = {k: v for k, v in written.items() if k != "like"}
        if "like" in written:
            expect_known(written["like"], ours, f"{key}.like")
            model = ours[written["like"]]
            played = own.get("policies", {})
            if not isinstance(played, Mapping):
                raise ConfigError(f"{key}.policies: {played!r}; expected policies by label")
            if doubled := sorted(set(played) & set(model["policies"])):
                raise ConfigError(
                    f"{key}.policies.{doubled[0]}: {written['like']!r} has a policy of this name; expected another name"
                )
            own = {**model, **own, "policies": {**played, **model["policies"]}}
        added[name] = {**own, "on_request": True}
    table = {"caption": CAPTION, "on_request": True, "intervals": "student", "experiments": list(added)}
    return {
        **settings,
        "experiments": {**ours, **added},
        "tables": {**settings.get("tables", {}), TABLE: table},
    }


# ---------------------------------------------------------------------- which code, which versions


def code_digest(modules: Iterable[str]) -> str:
    """Digest modules of this checkout and of other packages, and all that they import of these packages.

    Imports are followed as in `provenance.code_digest`: within this checkout, and within the packages that hold
    ``modules``. A package that another's module imports besides is not followed.

    Raises
    ------
    ConfigError
        If the source of one of the modules is not found.
    """
    named = list(modules)
    packages = frozenset({provenance.PACKAGE, *(module.partition(".")[0] for module in named)})
    source = Path(_joined(packages, provenance.SOURCE).name)
    try:
        return provenance.code_digest(named, source)
    except ModuleNotFoundError as error:
        missing = next(module for module in named if not provenance.exists(module, source))
        raise ConfigError(f"{missing}: no Python source of this module was found; expected a .py file") from error
    except FileNotFoundError as error:  # a package without __init__.py, from which names are imported
        raise ConfigError(f"{error.filename}: no such file; expected a package with an __init__.py") from error


@cache
def _joined(packages: frozenset[str], source: Path) -> tempfile.TemporaryDirectory[str]:
    """Make a folder in which packages lie beside each other by links, until this process ends.

    It is made once, so that each module is parsed once.
    """
    folder = tempfile.TemporaryDirectory(prefix="entries-")
    for package in sorted(packages):
        place = source / package if (source / package).is_dir() else _place(package)
        Path(folder.name, place.name).symlink_to(place)
    return folder


def _place(package: str) -> Path:
    """Find a package's folder, or the file of a module that stands alone, without importing it."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        return Path(folder).resolve()
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise ConfigError(f"{package}: no Python source of this package was found; expected a .py file or a folder")
    return Path(spec.origin).resolve()


def is_ours(module: str) -> bool:
    """Say whether a module belongs to this checkout."""
    return (provenance.SOURCE / module.partition(".")[0]).is_dir()


def versions_of(paths: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages that register some import paths."""
    found = {entry.path: entry for entry in (*policies().values(), *families().values())}
    return {found[path].package: found[path].version for path in paths if path in found}
