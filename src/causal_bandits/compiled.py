"""Decorators for compiled loops, which numba keeps on disk.

Numba compiles a function again after an edit in its own file, but not after one in another file whose functions it
calls. After such an edit, set ``NUMBA_CACHE_DIR`` to an empty folder; the study's jobs have one for each state of the
code (`experiments.key.compiled_folder`).

The two parts of numba that are not public are used here and nowhere else. Without them everything is compiled plainly:
values stay the same, and loops take two to three times as long.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, TypeVar, cast

import numba
import numpy as np

_F = TypeVar("_F", bound=Callable[..., Any])

_COUNTED: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": True}
_UNCOUNTED = _COUNTED
try:
    from numba.core.options import DefaultOptions
    from numba.np.random.generator_core import next_uint64

    DefaultOptions._nrt, DefaultOptions.no_cfunc_wrapper  # noqa: B018
except (ImportError, AttributeError) as error:
    warnings.warn(f"numba {numba.__version__}: {error}. Loops will take two to three times as long.", stacklevel=2)
    DIFFERS = True
else:
    DIFFERS = False
    # `no_cfunc_wrapper` leaves out a second version for calls from C, which takes a sixth of the compilation time.
    # `_nrt` says whether references to arrays are counted. It is always given, because numba passes a caller's setting
    # on to a function that has none.
    _COUNTED = _COUNTED | {"no_cfunc_wrapper": True, "_nrt": True}
    _UNCOUNTED = _COUNTED | {"_nrt": False}


def jit(function: _F) -> _F:
    """Compile ``function`` without Python objects.

    Arithmetic is strict IEEE, so results do not depend on the width of vector instructions.
    """
    return cast(_F, numba.njit(**_COUNTED)(function))


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
    return cast(_F, numba.njit(**_UNCOUNTED)(function))


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
    # Numba keeps no function on disk that has another compiled one in its closure. So the second function is written
    # out, with the names of its parameters, and finds the kernel among its globals.
    name, code = function.__name__, function.__code__
    arguments = ", ".join(code.co_varnames[: code.co_argcount])
    made: dict[str, Any] = {"__name__": function.__module__, "inner": kernel(function)}
    exec(compile(f"def {name}({arguments}):\n    return inner({arguments})\n", code.co_filename, "exec"), made)
    return jit(cast(_F, update_wrapper(made[name], function)))


def inlined(function: _F) -> _F:
    """Compile ``function`` as `jit` does, and inline it at every call.

    It is for small helpers, for which passing a tuple of arrays takes most of the time.
    """
    return cast(_F, numba.njit(**_COUNTED, inline="always")(function))


if DIFFERS:

    @jit
    def random_word(rng: np.random.Generator) -> np.uint64:
        """Draw 64 random bits."""
        return rng.integers(0, np.uint64(2**64 - 1), 1, np.uint64, True)[0]  # type: ignore[no-any-return]

else:

    @inlined
    def random_word(rng: np.random.Generator) -> np.uint64:
        """Draw 64 random bits."""
        return next_uint64(rng.bit_generator)  # type: ignore[no-untyped-call,no-any-return]
