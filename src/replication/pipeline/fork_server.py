"""One job of the workflow: a function of the package, called with its output in a log.

To start Python and to import the package takes a second, longer than most jobs. So a run on this machine keeps one
process that imports, once, the modules that jobs name, and forks for each job. So a run plays the code that it began
with: what the process holds already, or what nobody has edited since. Where there is no such process (on a cluster's
node, in an environment of its own), a job imports and calls for itself.
"""

from __future__ import annotations

import gc
import importlib
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import Any, NoReturn

from causal_bandits.provenance import PACKAGE, SOURCE
from replication.pipeline.joblog import logged

#: The library and the study.
PACKAGES = (PACKAGE, __name__.partition(".")[0])

#: The variable of the environment that tells jobs where the process listens that they fork from.
ADDRESS = "CAUSAL_BANDITS_JOBS"
#: An import path among a job's arguments, for instance that of its policy: the module, then a name in it.
NAMED = re.compile(rf"((?:{'|'.join(PACKAGES)})[.\w]*):\w+")
#: Bytes of a folder in which a socket fits: of 104 that macOS gives its path (Linux: 108), the rest is ours.
LONGEST = 80


def run(function: str, log: str, /, **arguments: Any) -> None:
    """Call a function and wait for its end; a failure ends the calling process, too.

    Parameters
    ----------
    function : str
        Import path of its module and its name: ``replication.drawing.plotting:draw``.
    log : str
        File for its output and, at its end, for what it took (see `joblog.logged`).
    **arguments
        By name; they must pickle.

    Raises
    ------
    SystemExit
        If the call failed elsewhere; the log says how.
    """
    address = os.environ.get(ADDRESS)
    if address is None:
        _call(function, log, arguments)
        return
    try:
        with Client(address, "AF_UNIX") as connection:
            connection.send((function, log, arguments))
            failure = connection.recv()
    except (EOFError, OSError) as error:
        sys.exit(f"{log}: the process of this job was ended from outside, or the one it forks from ({error!r})")
    if failure:
        sys.exit(f"{log} tells why this job failed\n{failure}")


def _call(function: str, log: str, arguments: dict[str, Any]) -> None:
    module, _, name = function.partition(":")
    with logged(log):
        getattr(importlib.import_module(module), name)(**arguments)


def fork_from_one() -> subprocess.Popen[bytes]:
    """Start the process that jobs of this one's children fork from; it ends when this process does.

    Returns
    -------
    subprocess.Popen
        To be kept: the process goes on as long as its standard input stays open.
    """
    # For this user alone; below /tmp where the folder for temporary files is too deep for a socket's path.
    deep = len(os.fsencode(tempfile.gettempdir())) > LONGEST
    folder = tempfile.mkdtemp(prefix="jobs-", dir="/tmp" if deep else None)
    address = f"{folder}/socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen(socket.SOMAXCONN)
        command = [sys.executable, "-m", __name__, str(listening.fileno()), folder]
        # pyarrow's allocator would keep a thread of its own, and a process with threads should not fork.
        environment = {**os.environ, "JE_ARROW_MALLOC_CONF": "background_thread:false"}
        server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[listening.fileno()], env=environment)
    os.environ[ADDRESS] = address
    return server


def _serve(listening: socket.socket) -> None:
    """Fork for each request, until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the jobs; this process ends with who started it
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forked: their connections tell
    begun = _edited_when()
    while True:
        ready, _, _ = select.select([listening, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        accepted, _ = listening.accept()
        with Connection(accepted.detach()) as connection:
            try:
                function, log, arguments = connection.recv()
                missing = {function.partition(":")[0], *_named(arguments)}.difference(sys.modules)
                # What is imported after an edit would meet what was imported before, and be compiled with that.
                if missing and (edited := [path for path, when in _edited_when().items() if begun.get(path) != when]):
                    function, arguments, missing = f"{__spec__.name}:refuse", {"edited": edited}, set()
                # Here once, instead of in every fork; what fails is left to the fork, whose log will tell.
                for module in sorted(missing):
                    with suppress(Exception):
                        importlib.import_module(module)
                gc.freeze()  # what is here stays: no fork need look through it for garbage
                forked = os.fork() == 0
            except Exception:  # of this job alone: who asked has gone already, or there is no room for a process
                traceback.print_exc()
                continue
            if forked:
                try:
                    listening.close()
                    _answer(connection, function, log, arguments)
                finally:  # never back into the loop, whose end removes the socket
                    os._exit(1)


def _named(value: Any) -> Iterator[str]:
    """The modules of all import paths in a value."""
    if isinstance(value, str):
        if path := NAMED.fullmatch(value):
            yield path[1]
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _named(part)


def _edited_when() -> dict[str, int]:
    """When each module of the library and of the study was edited."""
    files = (path for package in PACKAGES for path in (SOURCE / package).rglob("*.py"))
    return {str(path): path.stat().st_mtime_ns for path in files}


def refuse(edited: list[str]) -> NoReturn:
    """Called in place of a job whose modules are not held, where some were edited.

    Raises
    ------
    RuntimeError
        Always.
    """
    raise RuntimeError(f"edited since this run began: {', '.join(edited)}; run again, what is done is kept")


def _answer(connection: Connection, function: str, log: str, arguments: dict[str, Any]) -> NoReturn:
    """Call, in the forked process, and say what went wrong."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(connection,), daemon=True).start()
    try:
        _call(function, log, arguments)
        failure = ""
    except BaseException:
        failure = traceback.format_exc()
    with suppress(OSError):
        connection.send(failure)
    os._exit(0)


def _end_with(connection: Connection) -> None:
    """End this process when the one that asked for it has gone: it sends nothing more."""
    with suppress(OSError, EOFError):
        connection.recv()
    os._exit(1)


if __name__ == "__main__":
    try:
        with socket.socket(fileno=int(sys.argv[1])) as given:
            _serve(given)
    finally:
        shutil.rmtree(Path(sys.argv[2]), ignore_errors=True)
