"""Names of a package that are imported when they are first used (PEP 562)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Create ``__getattr__`` and ``__dir__`` for a package whose public names are in other modules.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    homes : mapping from str to str
        The public names, and the module that defines each.

    Returns
    -------
    __getattr__, __dir__ : functions
        The first imports a name's module when the name is used for the first time, and raises an AttributeError for any
        unknown name. The second lists the public names in addition to those already there.
    """

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, found)  # the next use finds it at once
        return found

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return attribute, names
