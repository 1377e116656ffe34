"""One decorator for every compiled loop, with a cache on disk that cannot go stale.

Numba notices an edit in the file of a cached function, but not in another file that the function calls into. So the
cache stands in a folder named after the content of all modules that hold compiled code: an edit in any of them starts
a fresh folder, and a job pays compilation only the first time after an edit.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

_F = TypeVar("_F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).parent


def _cache_folder() -> Path:
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"causal_bandits.compiled" in source:
            digest.update(source)
    parent = Path(os.environ.get("NUMBA_CACHE_DIR") or _PACKAGE / "__pycache__")
    return parent / f"kernels-{digest.hexdigest()}"


numba.config.CACHE_DIR = str(_cache_folder())  # type: ignore[attr-defined]


def jit(function: _F) -> _F:
    """Compile ``function`` without Python objects and with strict IEEE arithmetic (vector width must not matter)."""
    return cast(_F, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
