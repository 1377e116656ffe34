"""The terms of every claim: what is fixed before a run, and what changed once results had been seen."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from experiments.loading import FILES, read_yaml
from experiments.settings import LOADER
from replication.judging import judges
from replication.judging.claims import Judge, read_cells

#: The cells of a claim that its outcome follows from. All others are words.
CELLS = ("value", "judge", "experiment", "policy", "against", "metric", "arguments", "evidence")
#: The words of a reading.
WORDS = ("name", "ledger")
#: Sections of a paper's file that no outcome follows from, or that are digested claim by claim.
APART = ("title", "experiments", "readings", "figures", "tables")


def terms(paper: str, judges_of_paper: Mapping[str, Judge], published: Path, root: Path) -> dict[str, str]:
    """Digest the terms of every claim of a paper.

    They are its cells, its readings in any order, the settings of every experiment that it reads, those of the paper's
    stages, and the constants of its judge.

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
    shared = {module.name: _constants(importlib.import_module(module.name)) for module in _shared()}
    found = {}
    for cells in read_cells(published / f"{paper}.csv"):
        readings = settings.get("readings", {}).get(cells["readings"], [])
        arguments = yaml.load(cells["arguments"], LOADER) if cells["arguments"] else {}
        judge = judges_of_paper.get(cells["judge"])
        read = experiments_read(cells["experiment"], arguments, readings, judge, experiments)
        own = _constants(inspect.getmodule(judge.function)) if judge else {}
        fixed = [
            {cell: cells[cell] for cell in CELLS},
            sorted(_text({key: reading[key] for key in reading if key not in WORDS}) for reading in readings),
            {name: experiments[name] for name in read},
            [stages, shared, own],
        ]
        found[cells["claim_id"]] = hashlib.blake2b(_text(fixed).encode(), digest_size=8).hexdigest()
    return found


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
        The experiment that the claim names, or an empty text.
    arguments : mapping
        What the claim gives its judge.
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


def _shared() -> list[pkgutil.ModuleInfo]:
    """The modules of the judges that all papers share."""
    return list(pkgutil.iter_modules(judges.__path__, f"{judges.__name__}."))


def _constants(module: ModuleType | None) -> dict[str, Any]:
    """The numbers, and tuples, that stand in a module under a name in capitals."""
    return {n: v for n, v in vars(module).items() if n.isupper() and isinstance(v, int | float | tuple)}


def unmarked(before: Mapping[str, str], now: Mapping[str, str], in_view: Mapping[str, str]) -> list[str]:
    """List claims whose terms changed and whose cell ``in_view`` does not say what was chosen."""
    return [claim for claim in now if claim in before and now[claim] != before[claim] and not in_view[claim]]


def came_and_went(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Say which claims are new and which are gone; a new name is one of each."""
    lists = {"new": [c for c in now if c not in before], "gone": [c for c in before if c not in now]}
    return "\n".join(f"{word}: {', '.join(claims)}" for word, claims in lists.items() if claims)
