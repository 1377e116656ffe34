"""Decorators for every compiled loop, with a cache on disk that does not go stale.

Numba notices an edit in the file of a cached function, but not in another file whose functions or constants it uses;
and it tells the same file at two places apart. Here the cache goes by content: a function is compiled again after an
edit in its module or in what that imports, and after no other, wherever the package lies.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import UserProvidedCacheLocator

from causal_bandits.provenance import PACKAGE, SOURCE, code_digest, exists

_F = TypeVar("_F", bound=Callable[..., Any])


def cache_folder(module: str, source: Path = SOURCE) -> Path:
    """Where the compiled functions of a module are kept, by its present content; below ``NUMBA_CACHE_DIR`` if set."""
    parent = Path(os.environ.get("NUMBA_CACHE_DIR") or source / PACKAGE / "__pycache__")
    return parent / f"{module.rpartition('.')[2]}-{code_digest([module], source)}"


#: LLVM's second level of optimisation: with the third (Numba's own choice) loops give the same bits, compile longer and
#: run as fast or slower, those over small matrices by half.
numba.config.OPT = type(numba.config.OPT)(2)  # type: ignore[attr-defined]

_folder = cache(cache_folder)

#: Modules whose functions this module compiles; Numba asks for a place to keep those of all packages.
_compiled: set[str] = set()


class ByContent(UserProvidedCacheLocator):
    """Tells numba where it keeps functions compiled by `jit` and `inlined`; all others stay where they are."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno
        self._cache_path = str(_folder(function.__module__))

    def get_source_stamp(self) -> str:
        """The folder's name: what lies there was compiled from the present content."""
        return Path(self._cache_path).name

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> ByContent | None:
        """None for functions that others compile or that lie elsewhere, and where the folder cannot be written."""
        if function.__module__ not in _compiled or not exists(function.__module__):
            return None
        found = super(UserProvidedCacheLocator, cls).from_function(function, file)  # type: ignore[no-untyped-call]
        return cast("ByContent | None", found)


numba.config.CACHE_LOCATOR_CLASSES = (  # type: ignore[attr-defined]
    f"{__name__}.{ByContent.__name__},UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator"
)


def jit(function: _F) -> _F:
    """Compile ``function`` without Python objects and with strict IEEE arithmetic (vector width must not matter)."""
    _compiled.add(function.__module__)
    return cast(_F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def prepare() -> None:
    """Load what numba itself loads at the first call of any compiled function; processes that fork later need not."""
    numba.core.registry.cpu_target.typing_context.refresh()
    numba.core.registry.cpu_target.target_context.refresh()


def inlined(function: _F) -> _F:
    """As `jit`, put in the place of each call: for small helpers, where to hand on a tuple of arrays costs the most."""
    _compiled.add(function.__module__)
    return cast(_F, numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")(function))
