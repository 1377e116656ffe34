"""Keys: digests of everything that determines a result.

A key covers a configuration, the code that it runs (every module that is imported, without comments and docstrings) and
the versions of the packages that this code imports. Snakemake's rules have keys as ``params``, so it reruns what an
edit changes and says why. Each Parquet file carries its key, so no job reads a result that this checkout would not
make.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from experiments.provenance import (
    PACKAGE,
    SOURCE,
    code_digest,
    config_digest,
    git_commit,
    imported_directly,
    imported_versions,
    package_versions,
)

#: This package: a key covers those of its modules that a study imports.
ENGINE = (__name__.partition(".")[0],)
#: Modules that describe jobs, handle files or compute keys. An edit there changes no value of a run or of a stage's
#: table, so their code is not part of these keys.
HOUSEKEEPING = frozenset(f"experiments.{name}" for name in ("files", "study", "key", "provenance", "source_files"))
#: The name of the key in the metadata of a Parquet file.
KEY = b"key"


class StaleError(ValueError):
    """A result whose key differs from this checkout's; the message names the file and the remedy."""


def key_of(configuration: Any, *modules: str, but: frozenset[str] = frozenset()) -> str:
    """Digest a configuration and the code of some modules.

    Parameters
    ----------
    configuration : Any
        Any value that JSON can represent.
    *modules : str
        Dotted names, or import paths ``module:name``.
    but : frozenset of str
        Modules whose code does not count.
    """
    return config_digest([configuration, *_code(tuple(sorted({path.partition(":")[0] for path in modules})), but)])


@cache
def _code(modules: tuple[str, ...], but: frozenset[str]) -> tuple[str, dict[str, str]]:
    """Digest code and list the versions of what it imports, once per process."""
    options: Any = {"packages": ENGINE, "but": but}
    return code_digest(modules, **options), imported_versions(modules, **options)


def compiled_folder(own: Iterable[Path] = ()) -> Path:
    """Return the folder for what numba compiles from the present code.

    Numba compiles a function again after an edit in its own file, but not after one in another file whose functions it
    calls. So each state of the code that compiled code imports has a folder of its own. After an edit in a module that
    no such code imports, as most algorithms are, only that module's functions are compiled again. The folder is below
    ``NUMBA_CACHE_DIR`` if that is set.

    Parameters
    ----------
    own : iterable of path
        Packages outside the checkout that may hold compiled functions.
    """
    library, digests = SOURCE / PACKAGE, []
    for package in (*(folder for folder in SOURCE.iterdir() if folder.is_dir()), *own):
        called: set[str] = set()
        for file in package.rglob("*.py"):
            module = ".".join(file.relative_to(package.parent).with_suffix("").parts)
            found = imported_directly(module, package.parent, package.name) if file.name != "__init__.py" else ()
            if package == library or f"{PACKAGE}.compiled" in found:
                called.update(found)
        digests.append(code_digest(sorted(called), package.parent))
    digest = config_digest(sorted(digests))
    parent = Path(os.environ.get("NUMBA_CACHE_DIR") or SOURCE / PACKAGE / "__pycache__")
    return parent if parent.name == digest else parent / digest  # a job inherits the variable


@cache
def content(path: Path) -> str:
    """Digest the content of a file of the checkout."""
    return hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()


def metadata(key: str) -> dict[str, str]:
    """Return the metadata that record where a Parquet file comes from."""
    return {KEY.decode(): key, "git_commit": git_commit(), "package_versions": json.dumps(package_versions())}


def expect(path: str | Path, key: str) -> None:
    """Refuse a result that was produced by different code or with a different configuration.

    Parameters
    ----------
    path : path
        A Parquet file.
    key : str
        The key that it must have.

    Raises
    ------
    StaleError
        If it has a different one.
    OSError
        If the file is damaged.
    """
    from experiments import files  # loads pyarrow, which a reader of the configuration does not need

    found = files.read_metadata(path).get(KEY, b"none").decode()
    if found != key:
        raise StaleError(
            f"{path}: made by different code or with a different configuration or seed (key {found}; expected {key}); "
            "delete the file and run the same command again; if there are several such files, run it with "
            "--forcerun experiment data discovery bounds"
        )


def expect_all(paths: Mapping[str, str | Path], keys: Mapping[str, str]) -> None:
    """Check several files by name (see `expect`); files whose name has no key pass."""
    for name, path in paths.items():
        if name in keys:
            expect(path, keys[name])
