"""The code and the configuration that a result comes from.

Snakemake notices changed inputs and changed ``params``, but not an edit in an imported module. So a study puts into
each job's ``params`` a digest of exactly the modules that the job's problem and policy import, transitively. The
imports are read from the source; nothing is executed. Comments, docstrings and formatting do not count.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
from collections.abc import Container, Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any

from experiments import source_files

#: The library, and the folder that holds its package and this one.
PACKAGE = "causal_bandits"
SOURCE = Path(__file__).parent.parent

#: Packages whose versions can change a value or a figure, by the name under which they are imported.
VALUE_PACKAGES = (
    *("matplotlib", "networkx", "numba", "numpy", "opt_einsum", "pandas"),
    *("pgmpy", "pyarrow", "scipy", "seaborn"),
)

#: Packages that a module imports only to convert its objects for a caller: no result comes out of that.
CONVERSIONS = {
    "causal_bandits.graphs.admg": {"networkx"},
    "causal_bandits.graphs.exchange": {"networkx"},
    "causal_bandits.models.discrete_scm": {"pgmpy"},
}


def code_digest(
    modules: Iterable[str], source: Path = SOURCE, packages: Iterable[str] = (), but: Container[str] = ()
) -> str:
    """Digest what Python executes of ``modules`` and of every module that they import, transitively.

    Imports are followed within the packages of ``modules``, ``packages`` and this one. A name imported from a package
    is followed to the module that defines it, so a package whose ``__init__`` only re-exports does not tie its modules
    together. Comments, docstrings and formatting do not change the digest.

    Parameters
    ----------
    modules : iterable of str
        Dotted names, for instance ``causal_bandits.policies.classical.kl_ucb``.
    source : Path
        The folder that holds the packages. A package that it does not hold is looked for where Python would find it, so
        the code of an algorithm in another package is digested too.
    packages : iterable of str
        Further packages in which imports are followed.
    but : container of str
        Modules that are left out, with what they import.

    Returns
    -------
    str
        16 hexadecimal digits.

    Raises
    ------
    ModuleNotFoundError
        If one of ``modules`` is not found.
    """
    digest = hashlib.blake2b(digest_size=8)
    for module in imported_modules(modules, source, packages, but):
        digest.update(f"{module}\0{_read(module, source).executed}\0".encode())
    return digest.hexdigest()


def imported_modules(
    modules: Iterable[str], source: Path = SOURCE, packages: Iterable[str] = (), but: Container[str] = ()
) -> tuple[str, ...]:
    """List ``modules`` and all modules that they import, transitively, sorted; see `code_digest`."""
    found: set[str] = set()
    pending = list(modules)
    for module in pending:
        if not exists(module, source):
            raise ModuleNotFoundError(f"no module {module} in {source}")
    followed = frozenset({PACKAGE, *packages, *(module.partition(".")[0] for module in pending)})
    while pending:
        module = pending.pop()
        if module not in found and module not in but:
            found.add(module)
            pending += _imports(module, source, followed, *_edited(module, source))
    return tuple(sorted(found))


def imported_directly(module: str, source: Path, package: str) -> tuple[str, ...]:
    """List the modules of the library and of ``package`` that ``module`` itself imports."""
    return _imports(module, source, frozenset({PACKAGE, package}), *_edited(module, source))


def _read(module: str, source: Path) -> source_files.SourceFile:
    return source_files.read(*_edited(module, source))


def _edited(module: str, source: Path) -> tuple[Path, int]:
    """Return a module's file, and when it was last edited."""
    path = _path(module, source)
    return path, path.stat().st_mtime_ns


@cache
def _imports(module: str, source: Path, packages: frozenset[str], path: Path, edited: int) -> tuple[str, ...]:
    """Return the modules of ``packages`` that ``module`` itself imports (anywhere in the file, even in functions)."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    stubs = [source_files.read(stub, stub.stat().st_mtime_ns).imports for stub in _stub(path)]
    for level, base, names, _ in [*source_files.read(path, edited).imports, *chain.from_iterable(stubs)]:
        if level < 0:
            found |= {name for name, _ in names if name.partition(".")[0] in packages and exists(name, source)}
            continue
        parents = package.split(".")[: len(package.split(".")) - level + 1] if level else []
        origin = ".".join([*parents, *([base] if base else [])])
        if origin.partition(".")[0] in packages:
            found |= {_home(origin, name, source, packages) for name, _ in names}
    return tuple(sorted(found))


def _home(base: str, name: str, source: Path, packages: frozenset[str]) -> str:
    """Return the module that ``from base import name`` gets the name from."""
    if exists(f"{base}.{name}", source):
        return f"{base}.{name}"
    home, original = _reexported(base, source).get(name, ("", ""))
    return _home(home, original, source, packages) if home.partition(".")[0] in packages else base


def _reexported(package: str, source: Path) -> dict[str, tuple[str, str]]:
    """Map each name that a package's ``__init__``, or its stub, imports to its module and its name there."""
    path = _path(package, source)
    if path.name != "__init__.py":
        return {}
    found: dict[str, tuple[str, str]] = {}
    for file in (path, *_stub(path)):
        for level, base, names, top in source_files.read(file, file.stat().st_mtime_ns).imports:
            if top and 0 <= level <= 1 and base:
                found |= {called: (f"{package}.{base}" if level else base, name) for name, called in names}
    return found


def _stub(path: Path) -> tuple[Path, ...]:
    """Return the stub from which a package's ``__init__`` takes its names (`lazy_loader`), if there is one."""
    stub = path.with_suffix(".pyi")
    return (stub,) if stub.exists() else ()


def exists(module: str, source: Path = SOURCE) -> bool:
    """Return whether ``source`` holds a module of this name."""
    return _path(module, source).exists()


def _path(module: str, source: Path) -> Path:
    file, package = _places(module, source)
    return package if package.exists() else file


@cache
def _places(module: str, source: Path) -> tuple[Path, Path]:
    """Return where a module's file would be, as a module and as a package."""
    top = module.partition(".")[0]
    if not ((source / top).exists() or (source / f"{top}.py").exists()):
        source = _installed(top) or source
    base = source.joinpath(*module.split("."))
    return base.with_suffix(".py"), base / "__init__.py"


def _installed(package: str) -> Path | None:
    """Find the folder that holds a package, or a single-file module, without importing it."""
    spec = importlib.util.find_spec(package)
    places = [*(spec.submodule_search_locations or ()), spec.origin] if spec else []
    return next((Path(place).parent for place in places if place), None)


def config_digest(config: Any) -> str:
    """Digest a configuration; the order of its keys does not matter."""
    text = json.dumps(config, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def git_commit() -> str:
    """Return the checked-out commit, with ``+edits`` if tracked files differ from it.

    Outside a checkout it is ``unknown``.
    """

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(SOURCE), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "HEAD") + ("+edits" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def imported_versions(
    modules: Iterable[str], source: Path = SOURCE, packages: Iterable[str] = (), but: Container[str] = ()
) -> dict[str, str]:
    """Return the versions of the `VALUE_PACKAGES` that ``modules`` import, transitively, but for `CONVERSIONS`."""
    found = set[str]()
    for module in imported_modules(modules, source, packages, but):
        own = set[str]()
        for level, base, names, _ in _read(module, source).imports:
            if level <= 0:
                own |= {base.partition(".")[0]} if not level else {name.partition(".")[0] for name, _ in names}
        found |= own - CONVERSIONS.get(module, set())
    return {name: _version(name) for name in sorted(found & set(VALUE_PACKAGES))}


def package_versions() -> dict[str, str]:
    """Return the versions of all `VALUE_PACKAGES`."""
    return {name: _version(name) for name in VALUE_PACKAGES}


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
