"""Decorators for every compiled loop, with a cache on disk that does not go stale.

Numba notices an edit in the file of a cached function, but not in another file whose functions or constants it uses. So
the cache stands in a folder named after the content of all modules that hold compiled code and of all they import: an
edit in any of them starts a fresh folder, and a job pays compilation only the first time after an edit.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from causal_bandits.provenance import PACKAGE, SOURCE, code_digest

_F = TypeVar("_F", bound=Callable[..., Any])


def cache_folder(source: Path = SOURCE) -> Path:
    """Where the kernels of the package's present content are kept; below ``NUMBA_CACHE_DIR`` if that is set."""
    package = source / PACKAGE
    holding = [path for path in sorted(package.rglob("*.py")) if b"causal_bandits.compiled" in path.read_bytes()]
    modules = [".".join(path.relative_to(source).with_suffix("").parts) for path in holding]
    parent = Path(os.environ.get("NUMBA_CACHE_DIR") or package / "__pycache__")
    return parent / f"kernels-{code_digest([m.removesuffix('.__init__') for m in modules], source)}"


numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]


def jit(function: _F) -> _F:
    """Compile ``function`` without Python objects and with strict IEEE arithmetic (vector width must not matter)."""
    return cast(_F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def prepare() -> None:
    """Load what numba itself loads at the first call of any compiled function; processes that fork later need not."""
    numba.core.registry.cpu_target.typing_context.refresh()
    numba.core.registry.cpu_target.target_context.refresh()


def inlined(function: _F) -> _F:
    """As `jit`, put in the place of each call: for small helpers, where to hand on a tuple of arrays costs the most."""
    return cast(_F, numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")(function))
