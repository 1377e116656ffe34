"""Expand the grids of a paper's file into one policy per combination of values."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from experiments.errors import ConfigError
from experiments.settings import Setting, compact, same

#: The form of a value in a label, which is part of a file path.
_IN_LABELS = re.compile(r"[A-Za-z0-9_.+-]+")


class PolicyEntry(TypedDict):
    """One policy of an experiment.

    Attributes
    ----------
    entry : str
        The key of its entry in the file, which all policies of a grid share.
    algorithm : str
    arms : str or None
    parameters : dict
        Hyper-parameters, including those from the grid.
    grid : tuple of str
        Names of the hyper-parameters that come from the grid.
    options : dict
        Options of the problem that the experiment's grid gives this policy.
    when : str or None
        ``whole`` if a small study leaves it out.
    """

    entry: str
    algorithm: str
    arms: str | None
    parameters: dict[str, Any]
    grid: tuple[str, ...]
    options: dict[str, Setting]
    when: str | None


def laid_out(experiment: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Expand an experiment's grids, so that ``policies`` has one `PolicyEntry` per combination.

    A policy without a grid is labelled with its key, other policies with ``<key>,<name>=<value>,...`` in the order
    written, followed by the values from the experiment's own grid.

    Raises
    ------
    ConfigError
        If a name is both in a grid and outside it, a value cannot be part of a label, an exception removes no
        combination or all of them, or two policies get the same label.
    """
    kept = {key: value for key, value in experiment.items() if key not in ("grid", "except", "policies")}
    cells = combinations(experiment, experiment.get("options", {}), "options", place)
    policies: dict[str, PolicyEntry] = {}
    for entry, written in experiment["policies"].items():
        key = f"{place}.policies.{entry}"
        for chosen, cell in itertools.product(
            combinations(written, written.get("parameters", {}), "parameters", key), cells
        ):
            named = [f"{name}={compact(value)}" for part in (chosen, cell) for name, value in part.items()]
            label = ",".join((entry, *named))
            if label in policies:
                raise ConfigError(f"{key}: two policies are labelled {label!r}; expected distinct labels")
            policies[label] = PolicyEntry(
                entry=entry,
                algorithm=written["algorithm"],
                arms=written.get("arms"),
                parameters={**written.get("parameters", {}), **chosen},
                grid=tuple(chosen),
                options=cell,
                when=written.get("when"),
            )
    return {**kept, "policies": policies}


def combinations(
    section: Mapping[str, Any], fixed: Mapping[str, Any], fixed_key: str, place: str
) -> list[dict[str, Setting]]:
    """List all combinations of a section's ``grid`` except those in ``except``; the last name varies fastest.

    Parameters
    ----------
    section : mapping
        With ``grid`` (name to values) and ``except`` (a list of partial combinations); both may be absent.
    fixed : mapping
        Values outside the grid, under the key ``fixed_key``.
    place : str
        File and key of the section.

    Returns
    -------
    list of dict
        One empty combination if there is no grid.
    """
    grid: Mapping[str, Sequence[Setting]] = section.get("grid", {})
    for name, values in grid.items():
        key = f"{place}.grid.{name}"
        if name in fixed:
            raise ConfigError(f"{key}: {name!r} is also in {fixed_key}; expected it in only one of them")
        for position, value in enumerate(values):
            if not _IN_LABELS.fullmatch(compact(value)):
                raise ConfigError(f"{key}: {value!r} cannot be part of a label; expected letters, digits, _ . + -")
            if any(same(value, other) for other in values[:position]):
                raise ConfigError(f"{key}: {value!r} is listed twice; expected distinct values")
    every = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    for number, left_out in enumerate(section.get("except", [])):
        key = f"{place}.except.{number}"
        for name, value in left_out.items():
            if not any(same(value, other) for other in grid.get(name, ())):
                known = "; ".join(f"{n}: {', '.join(map(compact, values))}" for n, values in grid.items())
                raise ConfigError(f"{key}.{name}: {value!r} is not in the grid; expected one of: {known}")
        remaining = [c for c in every if not all(same(c[n], value) for n, value in left_out.items())]
        if len(remaining) == len(every):
            raise ConfigError(f"{key}: {left_out} leaves out no combination that was still in the grid")
        every = remaining
    if not every:
        raise ConfigError(f"{place}.except: leaves out the whole grid; expected it to keep at least one combination")
    return every
