"""Decorators for compiled loops, with a cache on disk that is never stale.

Numba notices an edit in the file of a cached function, but not in another file whose functions or constants that
function uses; and it compiles a file again if its path has changed. Here the cache key is the content: a function is
compiled again after an edit in its module or in a module that it imports, and only then, wherever the package is
installed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pickle
import sys
import time
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from threading import Timer
from typing import Any, TextIO, TypeVar, cast

import numba
from numba.core import event
from numba.core.caching import FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator

from causal_bandits.provenance import PACKAGE, SOURCE, code_digest, exists

try:
    import fcntl
except ImportError:  # on Windows: each process compiles for itself
    fcntl = None  # type: ignore[assignment]

_F = TypeVar("_F", bound=Callable[..., Any])


def cache_folder(module: str, source: Path = SOURCE) -> Path:
    """Return the folder for the compiled functions of a module's current content.

    It is below ``NUMBA_CACHE_DIR`` if that is set.
    """
    parent = Path(os.environ.get("NUMBA_CACHE_DIR") or source / PACKAGE / "__pycache__")
    return parent / f"{module.rpartition('.')[2]}-{code_digest([module], source)}"


#: LLVM's optimisation level 2. With level 3, Numba's default, loops give the same bits, take longer to compile, and run
#: as fast or slower; loops over small matrices take half as long again.
numba.config.OPT = type(numba.config.OPT)(2)  # type: ignore[attr-defined]

_folder = cache(cache_folder)

#: Modules whose functions this module compiles; Numba asks where to cache those of all packages.
_compiled: set[str] = set()


class ByContent(UserProvidedCacheLocator):
    """The place where numba caches functions compiled by `jit` and `inlined`, and no others."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno
        self._cache_path = str(_folder(function.__module__))

    def get_source_stamp(self) -> str:
        """Return the folder's name: its files were compiled from the current content."""
        return Path(self._cache_path).name

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> ByContent | None:
        """Return the cache of a function, or None if it cannot be cached.

        It cannot be cached if others compile it, if its module is elsewhere, or if the folder is not writable.
        """
        if function.__module__ not in _compiled or not exists(function.__module__):
            return None
        found = super(UserProvidedCacheLocator, cls).from_function(function, file)  # type: ignore[no-untyped-call]
        return cast("ByContent | None", found)


class WholeFiles(IndexDataCacheFile):
    """The files of one function's cache, each with a digest.

    A damaged file counts as absent and is written anew. Numba would stop with an EOFError at an empty file, and would
    run machine code in which a bit has flipped.
    """

    def _dump(self, obj: object) -> bytes:
        pickled: bytes = super()._dump(obj)  # type: ignore[no-untyped-call]
        return pickled + _digest(pickled)  # what follows a pickle is not read

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))  # type: ignore[no-untyped-call]
        if not _is_whole(path.read_bytes()):
            raise OSError(f"{name}: damaged")  # to numba the file is absent
        return super()._load_data(name)  # type: ignore[no-untyped-call]

    def _load_index(self) -> dict[Any, Any]:
        try:
            with Path(self._index_path).open("rb") as file:
                pickle.load(file)  # numba's version
                whole = _is_whole(file.read())
        except Exception:  # there is no file, or a damaged pickle, which may raise anything
            return {}
        return dict(super()._load_index()) if whole else {}  # type: ignore[no-untyped-call]


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _is_whole(data: bytes) -> bool:
    return data[-16:] == _digest(data[:-16])


#: Seconds for which a process waits while another one compiles what it needs; the slowest function takes about twenty.
PATIENCE = 120.0
#: Seconds after which a line on standard error says that a function is being compiled or waited for.
SILENCE = 2.0


def _announced(line: str) -> Timer | None:
    """Print a line after `SILENCE` seconds, unless `_end` is called before; return None if no thread can be started."""
    timer = Timer(SILENCE, print, [line], {"file": sys.stderr, "flush": True})
    timer.daemon = True
    try:
        timer.start()
    except RuntimeError:
        return None
    return timer


def _end(line: Timer | None) -> None:
    if line is not None:
        line.cancel()
        line.join()  # a process without threads can be forked


class Kept(FunctionCache):
    """A function's cache. If several processes need the function at once, one compiles it.

    The others wait for its lock, at most `PATIENCE` seconds, and then compile it themselves. The lock is released when
    the function is compiled, when it cannot be compiled, or when the process ends.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self.name = f"{function.__module__}.{function.__qualname__}"
        base, stamp = self._impl.filename_base, self._impl.locator.get_source_stamp()
        self._cache_file = WholeFiles(self.cache_path, base, stamp)  # type: ignore[no-untyped-call]
        self._lock_path = Path(self.cache_path, f"{base}.lock")
        self._lock: TextIO | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return what was compiled for the types ``sig``, or None, which tells this process to compile it."""
        found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if found is None and self._lock is None:
            self._lock = _locked(self._lock_path, self.name)
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
            if found is not None:
                self.unlock()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save what this process has compiled, so that other processes can load it."""
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        finally:
            self.unlock()

    def unlock(self) -> None:
        """Let other processes compile the function."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def _locked(path: Path, name: str) -> TextIO | None:
    """Lock a function's file against other processes; return None if that is impossible, or not possible in time."""
    if fcntl is None:
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("w")
    except OSError:
        return None
    line = None
    try:
        if _is_locked(file):
            return file
        until, line = time.monotonic() + PATIENCE, _announced(f"waiting for another process that is compiling {name}")
        while time.monotonic() < until:
            time.sleep(0.05)
            if _is_locked(file):
                return file
    except OSError:  # the file system has no locks: nothing to wait for
        pass
    finally:
        _end(line)
    file.close()
    return None


def _is_locked(file: TextIO) -> bool:
    """Lock a file, and return True, unless another process has locked it."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in (errno.EAGAIN, errno.EACCES):
            raise
        return False
    return True


class Compiling(event.Listener):
    """Tell the user that a first call is slow because the algorithm is being compiled.

    Compiling a function compiles everything that it calls; one line covers all of it.
    """

    def __init__(self) -> None:
        self._depth = self._announced_at = 0
        self._line: Timer | None = None

    def on_start(self, event: event.Event) -> None:
        """Start waiting for a function to be compiled."""
        self._depth += 1
        cache = getattr(event.data["dispatcher"], "_cache", None)  # others' functions may have none
        if not self._announced_at and isinstance(cache, Kept):
            self._announced_at = self._depth
            self._line = _announced(f"compiling {cache.name}, once; it is kept in {cache.cache_path}")

    def on_end(self, event: event.Event) -> None:
        """Stay silent if compiling was quick, and let other processes try if it failed."""
        if self._depth == self._announced_at:
            self._announced_at = 0
            _end(self._line)
        self._depth -= 1
        dispatcher = event.data["dispatcher"]
        cache = getattr(dispatcher, "_cache", None)
        # Not `event.is_failed`, which Numba has the wrong way round.
        if isinstance(cache, Kept) and event.data["args"] not in dispatcher.overloads:
            cache.unlock()


event.register("numba:compile", Compiling())  # type: ignore[no-untyped-call]

numba.config.CACHE_LOCATOR_CLASSES = (  # type: ignore[attr-defined]
    f"{__name__}.{ByContent.__name__},UserProvidedCacheLocator,InTreeCacheLocator,UserWideCacheLocator"
)


def jit(function: _F) -> _F:
    """Compile ``function`` without Python objects.

    Arithmetic is strict IEEE, so results do not depend on the width of vector instructions.
    """
    # Explicit: a function that is first compiled because a kernel calls it would inherit the kernel's setting.
    return _kept(function, _nrt=True)


#: What a kernel may return.
_NO_ARRAYS = {"None", "bool", "int", "float"}


def kernel(function: _F) -> _F:
    """Compile a helper as `jit` does, without counting references to the arrays that it is given.

    Numba counts them one by one, which for a tuple of arrays takes longer than most helpers do. Nothing needs to be
    counted if no array is created and none is returned. So a kernel calls only kernels, inlined functions and Numba's
    own; Numba rejects one that creates an array itself. And only compiled functions call it: called from Python, it
    would never release a random generator that it is given.

    Raises
    ------
    TypeError
        If the annotation, as a string, does not say that numbers or None are returned.
    """
    returned = str(function.__annotations__.get("return", "what is not said"))
    if not _NO_ARRAYS.issuperset(returned.removeprefix("tuple").strip("[]").split(", ")):
        raise TypeError(f"{function.__qualname__}: returns {returned}; a kernel returns numbers or None")
    return _kept(function, _nrt=False)


def loop(function: _F) -> _F:
    """Compile a policy's loop over rounds as `kernel` does, but so that Python can call it.

    Python may not call a kernel with a generator. So this creates two functions: the kernel, and one that Python calls.
    The second only passes its arguments on. References are then counted once per call, not once per round. The loop
    writes its results into arrays that it is given.

    Raises
    ------
    TypeError
        As for `kernel`; or if the function is defined in another function or in a class: two loops with the same name
        would become one.
    """
    if function.__qualname__ != function.__name__:
        raise TypeError(f"{function.__qualname__}: a loop is written at a module's top level")
    # Written out with the names of its parameters, since Numba reads them from the function that it wraps.
    name, code = function.__name__, function.__code__
    inner, arguments = f"{name}_uncounted", ", ".join(code.co_varnames[: code.co_argcount])
    function.__globals__[inner] = kernel(function)
    made: dict[str, _F] = {}
    passing = compile(f"def {name}({arguments}):\n    return {inner}({arguments})\n", code.co_filename, "exec")
    exec(passing, function.__globals__, made)
    return _kept(cast(_F, update_wrapper(made[name], function)), _nrt=True)


def prepare() -> None:
    """Load what numba loads at the first call of a compiled function, once for all forked processes."""
    numba.core.registry.cpu_target.typing_context.refresh()
    numba.core.registry.cpu_target.target_context.refresh()


def inlined(function: _F) -> _F:
    """Compile ``function`` as `jit` does, and inline it at every call.

    It is for small helpers, for which passing a tuple of arrays takes most of the time.
    """
    return _kept(function, inline="always")


def _kept(function: _F, **options: Any) -> _F:
    """Compile ``function`` at its first call, and keep what was compiled (see `Kept`)."""
    _compiled.add(function.__module__)
    # No second version for calls from C: there are no such calls, and it takes a sixth of the compilation time.
    options |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    dispatcher = numba.njit(**options)(function)
    if hasattr(dispatcher, "enable_caching"):  # it is the function itself if NUMBA_DISABLE_JIT is set
        dispatcher._cache = Kept(function)
    return cast(_F, dispatcher)
