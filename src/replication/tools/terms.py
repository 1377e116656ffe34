"""The terms of every claim: what is fixed before a run, and what changed after seeing results."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from fractions import Fraction
from pathlib import Path
from types import CodeType
from typing import Any

import yaml

from experiments.config import FILES, read_yaml
from experiments.settings import LOADER
from replication.judging.claims import Judge, read_cells

#: The cells of a claim on which its outcome depends. All others are words.
CELLS = ("value", "judge", "experiment", "policy", "against", "metric", "arguments", "evidence")
#: The keys of a reading that are words.
WORDS = ("name", "ledger")
#: Sections of a paper's file on which no outcome depends, or that are digested claim by claim.
APART = ("title", "experiments", "readings", "figures", "tables")


def terms(paper: str, judges_of_paper: Mapping[str, Judge], published: Path, root: Path) -> dict[str, str]:
    """Digest the terms of every claim of a paper.

    They are its cells, its readings in any order, the settings of every experiment that it reads, those of the paper's
    stages, and the numbers that its judge uses by name.

    Parameters
    ----------
    paper : str
        The slug.
    judges_of_paper : dict from name to Judge
    published : Path
        Folder of the tables of claims.
    root : Path
        The checkout's top folder.
    """
    place = FILES.format(paper=paper)
    settings = read_yaml(root / place, place)
    experiments = settings["experiments"]
    stages = {name: section for name, section in settings.items() if name not in APART}
    found = {}
    for cells in read_cells(published / f"{paper}.csv"):
        readings = settings.get("readings", {}).get(cells["readings"], [])
        arguments = yaml.load(cells["arguments"], LOADER) if cells["arguments"] else {}
        judge = judges_of_paper.get(cells["judge"])
        read = experiments_read(cells["experiment"], arguments, readings, judge, experiments)
        fixed = [
            {cell: cells[cell] for cell in CELLS},
            sorted(_text({key: reading[key] for key in reading if key not in WORDS}) for reading in readings),
            {name: _judged(experiments[name]) for name in read},
            [_judged(stages), constants(judge.function) if judge else {}],
        ]
        found[cells["claim_id"]] = hashlib.blake2b(_text(fixed).encode(), digest_size=8).hexdigest()
    return found


def _judged(settings: object) -> object:
    """Leave out the keys ``when``, which say when something is made and decide no outcome."""
    if isinstance(settings, dict):
        return {name: _judged(value) for name, value in settings.items() if name != "when"}
    return settings


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def experiments_read(
    own: str,
    arguments: Mapping[str, Any],
    readings: Sequence[Mapping[str, Any]],
    judge: Judge | None,
    experiments: Iterable[str],
) -> list[str]:
    """List the experiments that a claim reads under any of its readings.

    Parameters
    ----------
    own : str
        The experiment that the claim names, or an empty string.
    arguments : mapping
        The arguments that the claim gives its judge.
    readings : sequence of mapping
    judge : Judge or None
    experiments : iterable of str
        All experiments of the paper.
    """
    names = [own, *(reading.get("experiment", "") for reading in readings)]
    if judge:
        for reading in [{}, *readings]:
            names += judge.reads({**arguments, **reading.get("arguments", {})})
    return [name for name in experiments if any(fnmatch(name, one) for one in names)]


def constants(judge: Callable[..., Any]) -> dict[str, str]:
    """Find the numbers and strings that a judge uses by name: constants and default arguments.

    They include those of all functions and classes of this package that it calls, each under the function's name and
    its own. So a constant may move to a different module, but in a different function it is a different constant.

    Parameters
    ----------
    judge : function
    """
    return {
        f"{function.__qualname__}.{name}": text
        for function, used in _reached(judge)
        for name, value in used
        if (text := _written(value)) is not None
    }


def texts(judge: Callable[..., Any]) -> set[str]:
    """Find all strings in the code of a judge and of what it calls (see `constants`), including names of tables."""
    found: set[str] = set()
    for function, used in _reached(judge):
        found |= {text for text in _constants(function.__code__) if isinstance(text, str)}
        for _, value in used:
            found |= set(re.findall(r"'([^']*)'", _written(value) or ""))
    return found


def _reached(judge: Callable[..., Any]) -> Iterator[tuple[Any, list[tuple[str, Any]]]]:
    """Yield a judge and every function that it calls, each with the names and values that it uses."""
    seen: set[Any] = set()
    waiting: list[Any] = [judge]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        used = [*_defaults(function), *_uses(function)]
        yield function, used
        for _, value in used:
            if _written(value) is None:
                waiting += _functions(value)


def _plain(function: Any) -> Any:
    """Return the function inside a wrapper that caches or compiles it."""
    return inspect.unwrap(getattr(function, "py_func", function))


def _written(value: Any) -> str | None:
    """Return a number, a string or a collection of them as a string; None for anything else."""
    if isinstance(value, Mapping):
        return "; ".join(f"{key!r}: {_written(item)}" for key, item in value.items())
    if isinstance(value, set | frozenset):
        return "; ".join(sorted(map(repr, value)))
    if isinstance(value, list | tuple):
        return "; ".join(str(_written(item)) for item in value)
    return repr(value) if isinstance(value, int | float | str | Fraction) else None


def _functions(value: Any) -> list[Any]:
    """Return a function of this package, or the methods of a class of this package."""
    methods = [_method(member) for member in vars(value).values()] if inspect.isclass(value) else [value]
    plain = [_plain(method) for method in methods]
    package = __name__.partition(".")[0]
    return [one for one in plain if inspect.isfunction(one) and one.__module__.partition(".")[0] == package]


def _method(member: Any) -> Any:
    """Return the function of a property, or of a static or class method."""
    for name in ("fget", "func", "__func__"):
        member = getattr(member, name, member)
    return member


def _defaults(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield the default arguments of a function."""
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.default is not parameter.empty and not callable(parameter.default):
            yield name, parameter.default


def _uses(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a function uses by name: constants in capitals, functions and classes."""
    names = list(_names(function.__code__))
    known = function.__globals__ | inspect.getclosurevars(function).nonlocals
    modules = [vars(known[name]) for name in names if inspect.ismodule(known.get(name))]
    for name in names:
        for value in (place[name] for place in (known, *modules) if name in place):
            if callable(value) or name.isupper():
                yield name, value


def _constants(code: CodeType) -> Iterator[object]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _constants(constant)
        else:
            yield from constant if isinstance(constant, tuple) else (constant,)


def _names(code: CodeType) -> Iterator[str]:
    yield from (*code.co_names, *code.co_freevars)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def unmarked(
    before: Mapping[str, str], now: Mapping[str, str], marks_before: Mapping[str, str], marks: Mapping[str, str]
) -> list[str]:
    """List claims whose terms changed but whose cell ``in_view`` is empty or unchanged."""
    changed = (claim for claim in now if claim in before and now[claim] != before[claim])
    return [claim for claim in changed if not marks[claim] or marks[claim] == marks_before.get(claim)]


def came_and_went(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Say which claims are new and which are gone; a renamed claim counts as both."""
    lists = {"new": [c for c in now if c not in before], "gone": [c for c in before if c not in now]}
    return "\n".join(f"{word}: {', '.join(claims)}" for word, claims in lists.items() if claims)
