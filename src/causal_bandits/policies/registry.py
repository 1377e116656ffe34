"""The algorithms that a config file can name: one file each, found by its folder and its name.

The algorithm ``kl_ucb`` is the class in ``<kind>/kl_ucb.py`` whose name matches the file's apart from capitals and
underscores: ``KLUCB``. So adding an algorithm takes one file. The table holds import paths, not classes: the workflow
reads it for every job (0.01 s), and importing all algorithms takes more than a second. A job's configuration also
states the import path, and the digest of the job's code starts from it. `load` returns the class. An algorithm in
another package is named by its import path.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

#: The name of folders with shared code, for one kind or for several; they hold no algorithms.
HELPERS = "helpers"


def found(folder: Path) -> dict[str, str]:
    """Map each algorithm in a folder of kinds to its import path, without importing anything.

    Raises
    ------
    ImportError
        If a file of a kind has no class whose name matches its own, or two kinds have files of the same name.
    """
    algorithms: dict[str, str] = {}
    for file in sorted(folder.glob("*/*.py")):
        kind, name = file.parent.name, file.stem
        if kind == HELPERS or name == "__init__":
            continue
        classes = re.findall(r"^class (\w+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        own = next((each for each in classes if each.lower() == name.replace("_", "")), None)
        if own is None or name in algorithms:
            raise ImportError(
                f"{file}: expected a class spelled like {name!r}, a name that no other kind has; helpers belong in "
                f"{kind}/{HELPERS}"
            )
        algorithms[name] = f"causal_bandits.policies.{kind}.{name}:{own}"
    return dict(sorted(algorithms.items()))


#: Algorithms by name, each with its import path.
ALGORITHMS: dict[str, str] = found(Path(__file__).parent)


def import_path(algorithm: str) -> str:
    """Return the import path of an algorithm.

    Parameters
    ----------
    algorithm : str
        A key of `ALGORITHMS`, or an import path ``package.module:Class``, which is returned as it is.

    Raises
    ------
    KeyError
        If it is neither.
    """
    if algorithm in ALGORITHMS:
        return ALGORITHMS[algorithm]
    if ":" not in str(algorithm):
        near = get_close_matches(str(algorithm), ALGORITHMS)
        hint = (
            f"; did you mean {' or '.join(map(repr, near))}?" if near else f"; expected one of {', '.join(ALGORITHMS)}"
        )
        raise KeyError(f"no algorithm {algorithm!r}{hint}")
    return algorithm


def load(algorithm: str) -> Any:
    """Import only this algorithm and return its class, a `causal_bandits.policies.base.Policy`.

    Parameters
    ----------
    algorithm : str
        A key of `ALGORITHMS`, or the import path ``package.module:Class`` of an algorithm of your own.

    Raises
    ------
    KeyError
        If it is neither.
    ImportError, AttributeError
        If there is no such module or class.
    """
    module, _, name = import_path(algorithm).partition(":")
    return getattr(import_module(module), name)
